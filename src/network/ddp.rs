//! Data-parallel training with whole copies: buckets of gradients reduced while the backward pass goes on.

use super::{Accumulation, Bucket};
use crate::units::Bytes;

/// What decides how much of the gradient exchange a training step shows.
///
/// Bucket k is ready at `forward + ready_k backward`, starts when it is ready and the bucket before is done, and
/// what ends after the backward pass is exposed. Source: PyTorch's `DistributedDataParallel`,
/// pytorch/pytorch:torch/csrc/distributed/c10d/reducer.cpp.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ddp {
    /// Forward pass of one micro-batch, seconds.
    pub forward_s: f64,
    /// Backward pass of one micro-batch, undisturbed, seconds.
    pub backward_s: f64,
    /// Whether buckets go out while the backward pass goes on; else after it.
    pub overlap: bool,
    /// Bytes sent over bytes of gradients: 1, or less with compression.
    pub wire: f64,
    /// Host and kernel launch for each bucket, seconds; 0 where the all-reduce times include it.
    pub launch_s: f64,
    /// Passes over a bucket in device memory before and after it is sent (division by the ranks, casts),
    /// seconds per byte.
    pub copy_s_per_byte: f64,
    /// Share by which the backward pass is slower while a reduction runs beside it.
    pub contention: f64,
    /// Micro-batches to a step, and which of them exchange.
    pub accumulation: Accumulation,
}

/// One bucket, or another collective, on its way. Times are seconds since an instant that its holder names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transfer {
    /// Bytes sent, compressed if they are.
    pub bytes: Bytes,
    /// When its gradients were complete.
    pub ready_s: f64,
    /// When its reduction began.
    pub start_s: f64,
    /// When it was done.
    pub end_s: f64,
}

impl Transfer {
    /// The same `by_s` seconds later.
    pub fn later(self, by_s: f64) -> Self {
        let Self { bytes, ready_s, start_s, end_s } = self;
        Self { bytes, ready_s: ready_s + by_s, start_s: start_s + by_s, end_s: end_s + by_s }
    }
}

/// What exchanging gradients came to. Sums are seconds per optimizer step.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// The buckets of one micro-batch that exchanges, since its forward pass began.
    pub transfers: Vec<Transfer>,
    /// Reducing.
    pub total_s: f64,
    /// Part of it beside the backward pass.
    pub hidden_s: f64,
    /// Part of it that computing waits for.
    pub exposed_s: f64,
    /// What the hidden part cost the backward pass.
    pub slowed_s: f64,
}

impl Ddp {
    /// Reduces `buckets` one after the other, each as soon as it is ready: there is one NCCL stream.
    /// `all_reduce_s` says how long a reduction of so many bytes takes; 0 if there is nobody to reduce with,
    /// and then a bucket costs nothing.
    pub fn exchange(&self, buckets: &[Bucket], all_reduce_s: impl Fn(Bytes) -> f64) -> Exchange {
        let computed_s = self.forward_s + self.backward_s;
        let mut free_s = 0.0_f64;
        let mut transfers = Vec::with_capacity(buckets.len());
        for bucket in buckets {
            let ready_s = match self.overlap {
                true => self.forward_s + bucket.ready.clamp(0.0, 1.0) * self.backward_s,
                false => computed_s,
            };
            let start_s = ready_s.max(free_s);
            let bytes = Bytes::new((bucket.bytes.as_f64() * self.wire) as u64);
            free_s = start_s + self.transfer_s(bucket.bytes, all_reduce_s(bytes));
            transfers.push(Transfer { bytes, ready_s, start_s, end_s: free_s });
        }
        let times = f64::from(self.accumulation.exchanges());
        let total_s = times * transfers.iter().map(|t| t.end_s - t.start_s).sum::<f64>();
        // Rounding must not make more exposed than there is.
        let exposed_s = (times * (free_s - computed_s).max(0.0)).min(total_s);
        let hidden_s = total_s - exposed_s;
        Exchange { transfers, total_s, hidden_s, exposed_s, slowed_s: self.contention * hidden_s }
    }

    /// Seconds of one optimizer step: computing, what slows it and what it waits for, without the optimizer.
    pub fn step_s(&self, exchange: &Exchange) -> f64 {
        f64::from(self.accumulation.micro_batches) * (self.forward_s + self.backward_s)
            + exchange.slowed_s
            + exchange.exposed_s
    }

    fn transfer_s(&self, gradients: Bytes, all_reduce_s: f64) -> f64 {
        if all_reduce_s > 0.0 {
            all_reduce_s + self.launch_s + self.copy_s_per_byte * gradients.as_f64()
        } else {
            0.0
        }
    }
}

/// Seconds that `ranks` wait for the slowest of them, if each one's computing of `compute_s` varies by
/// `sigma` (a share): about the largest of n normal numbers, `sigma sqrt(2 ln n)`.
pub fn straggler_s(compute_s: f64, sigma: f64, ranks: u32) -> f64 {
    compute_s * sigma * (2.0 * libm::log(f64::from(ranks.max(1)))).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{BucketLimits, Gradient, RingAllReduce, buckets};
    use proptest::prelude::*;

    const GB: u64 = 1_000_000_000;

    fn ddp() -> Ddp {
        Ddp {
            forward_s: 1.0,
            backward_s: 2.0,
            overlap: true,
            wire: 1.0,
            launch_s: 0.0,
            copy_s_per_byte: 0.0,
            contention: 0.0,
            accumulation: Accumulation::NONE,
        }
    }

    /// A bucket of so many GB, ready after this share of the backward pass.
    fn bucket((gb, ready): (f64, f64)) -> Bucket {
        Bucket { bytes: Bytes::new((gb * GB as f64) as u64), ready }
    }

    /// Reduces 1 GB in 1 s.
    fn second_per_gb(bytes: Bytes) -> f64 {
        bytes.as_f64() / GB as f64
    }

    /// By hand: ready at 2 and 3 s, 1.5 s and 0.25 s long, so 2 to 3.5 and 3.5 to 3.75 with computing done at 3.
    #[test]
    fn a_bucket_waits_for_its_gradients_and_for_the_bucket_before() {
        let exchange = ddp().exchange(&[(1.5, 0.5), (0.25, 1.0)].map(bucket), second_per_gb);
        let spans: Vec<(f64, f64)> = exchange.transfers.iter().map(|t| (t.start_s, t.end_s)).collect();
        assert_eq!(spans, [(2.0, 3.5), (3.5, 3.75)]);
        assert_eq!((exchange.total_s, exchange.hidden_s, exchange.exposed_s), (1.75, 1.0, 0.75));
    }

    #[test]
    fn without_overlap_all_of_it_is_exposed() {
        let exchange = Ddp { overlap: false, ..ddp() }.exchange(&[bucket((1.5, 0.5))], second_per_gb);
        assert_eq!((exchange.hidden_s, exchange.exposed_s), (0.0, 1.5));
    }

    #[test]
    fn the_last_bucket_is_always_exposed() {
        let exchange = ddp().exchange(&[(0.1, 0.1), (0.1, 0.5), (0.1, 1.0)].map(bucket), second_per_gb);
        assert!((exchange.exposed_s - 0.1).abs() < 1e-12);
    }

    /// `sum AR − (1 − f_1) T_b` when the network never rests.
    #[test]
    fn a_bound_network_hides_only_what_follows_the_first_bucket() {
        let exchange = ddp().exchange(&[(5.0, 0.25), (5.0, 1.0)].map(bucket), second_per_gb);
        assert!((exchange.exposed_s - (10.0 - 0.75 * 2.0)).abs() < 1e-12);
    }

    #[test]
    fn one_rank_exchanges_nothing_and_pays_no_launch() {
        let alone =
            |bytes| RingAllReduce { bytes, ranks: 1, bandwidth: "10 Gbit/s".parse().unwrap() }.time_s();
        let exchange = Ddp { launch_s: 20e-6, ..ddp() }.exchange(&[bucket((1.0, 1.0))], alone);
        assert_eq!((exchange.total_s, exchange.exposed_s), (0.0, 0.0));
    }

    /// What is left of an infinitely fast network is the launch of the buckets that end after the computing.
    #[test]
    fn on_a_fast_network_only_launches_are_left() {
        let parts = [(1.0, 0.5), (1.0, 1.0)].map(bucket);
        let exchange = Ddp { launch_s: 20e-6, ..ddp() }.exchange(&parts, |_| 1e-12);
        assert!((exchange.exposed_s - 20e-6).abs() < 1e-9);
    }

    #[test]
    fn half_the_bytes_halve_what_a_bound_network_shows() {
        let parts = [bucket((50.0, 1.0))];
        let full = ddp().exchange(&parts, second_per_gb).exposed_s;
        let half = Ddp { wire: 0.5, ..ddp() }.exchange(&parts, second_per_gb).exposed_s;
        assert!((half / full - 0.5).abs() < 1e-12);
    }

    #[test]
    fn accumulation_divides_the_exposed_share() {
        let parts = [(1.5, 0.5), (0.25, 1.0)].map(bucket);
        let share = |micro_batches, exchange_each| {
            let ddp = Ddp { accumulation: Accumulation { micro_batches, exchange_each }, ..ddp() };
            let exchange = ddp.exchange(&parts, second_per_gb);
            exchange.exposed_s / (ddp.step_s(&exchange) - exchange.exposed_s)
        };
        assert!((share(8, false) - share(1, false) / 8.0).abs() < 1e-12);
        assert!((share(8, true) - share(1, true)).abs() < 1e-12);
    }

    #[test]
    fn contention_slows_only_what_is_overlapped() {
        let ddp = Ddp { contention: 0.1, ..ddp() };
        let exchange = ddp.exchange(&[(1.5, 0.5), (0.25, 1.0)].map(bucket), second_per_gb);
        assert!((ddp.step_s(&exchange) - (3.0 + 0.75 + 0.1 * 1.0)).abs() < 1e-12);
    }

    /// sqrt(2 ln 8) = 2.039.
    #[test]
    fn more_ranks_wait_longer_for_the_slowest() {
        assert_eq!(straggler_s(1.0, 0.01, 1), 0.0);
        assert!((straggler_s(1.0, 0.01, 8) - 0.020_39).abs() < 1e-5);
    }

    /// BERT-large's 1.34 GB in fp32 take 1.07 s between two nodes at 10 Gbit/s, beside 0.3 s of computing.
    #[test]
    fn a_language_model_on_a_slow_network_trains_slower_on_two_nodes_than_on_one() {
        let gradients: Vec<Gradient> = (1..=24)
            .map(|k| Gradient { bytes: Bytes::new(1_340_000_000 / 24), ready: f64::from(k) / 24.0 })
            .collect();
        let ddp = Ddp { forward_s: 0.1, backward_s: 0.2, ..ddp() };
        let samples_per_s = |ranks: u32| {
            let reduce =
                |bytes| RingAllReduce { bytes, ranks, bandwidth: "10 Gbit/s".parse().unwrap() }.time_s();
            let exchange = ddp.exchange(&buckets(&gradients, BucketLimits::default()), reduce);
            f64::from(ranks) / ddp.step_s(&exchange)
        };
        assert!(samples_per_s(2) < samples_per_s(1));
    }

    /// 2(n−1)/n goes from 1.875 to 1.9375.
    #[test]
    fn doubling_the_nodes_of_a_ring_hardly_changes_what_is_exposed() {
        let exposed = |ranks| {
            let bandwidth = "10 Gbit/s".parse().unwrap();
            let reduce = |bytes| RingAllReduce { bytes, ranks, bandwidth }.time_s();
            Ddp { overlap: false, ..ddp() }.exchange(&[bucket((1.0, 1.0))], reduce).exposed_s
        };
        assert!((exposed(32) / exposed(16) - 1.9375 / 1.875).abs() < 1e-12);
    }

    fn any_buckets() -> impl Strategy<Value = Vec<Bucket>> {
        prop::collection::vec((0.001..5.0_f64, 0.0..1.0_f64), 1..12).prop_map(|mut parts| {
            parts.sort_by(|a, b| a.1.total_cmp(&b.1));
            parts.last_mut().unwrap().1 = 1.0;
            parts.into_iter().map(bucket).collect()
        })
    }

    proptest! {
        #[test]
        fn exposed_lies_between_the_last_bucket_and_all_of_them(parts in any_buckets()) {
            let exchange = ddp().exchange(&parts, second_per_gb);
            let last = exchange.transfers.last().unwrap();
            prop_assert!(exchange.exposed_s >= second_per_gb(last.bytes) - 1e-9);
            prop_assert!(exchange.exposed_s <= exchange.total_s);
            prop_assert!(exchange.transfers.windows(2).all(|pair| pair[1].start_s >= pair[0].end_s));
        }

        #[test]
        fn a_slower_network_never_shows_less(parts in any_buckets(), slower in 1.0..5.0_f64) {
            let quick = ddp().exchange(&parts, second_per_gb);
            let slow = ddp().exchange(&parts, |bytes| slower * second_per_gb(bytes));
            prop_assert!(slow.exposed_s >= quick.exposed_s - 1e-9);
        }

        #[test]
        fn a_longer_backward_pass_never_shows_more(parts in any_buckets(), longer in 1.0..5.0_f64) {
            let short = ddp().exchange(&parts, second_per_gb);
            let long = Ddp { backward_s: 2.0 * longer, ..ddp() }.exchange(&parts, second_per_gb);
            prop_assert!(long.exposed_s <= short.exposed_s + 1e-9);
        }
    }
}
