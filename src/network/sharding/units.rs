//! The step of a sharded model, unit by unit, with the next unit's parameters fetched ahead.

use super::Sharding;
use crate::network::Accumulation;
use crate::units::Bytes;

/// Layers that are gathered and freed together: mostly a transformer block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// Forward pass of a micro-batch, seconds.
    pub forward_s: f64,
    /// Its backward pass, seconds.
    pub backward_s: f64,
    /// Its parameters, as they are gathered.
    pub parameters: Bytes,
    /// Its gradients, as they are reduced.
    pub gradients: Bytes,
}

/// How long collectives over a unit's full bytes take, seconds.
#[derive(Debug, Clone, Copy)]
pub struct UnitTimes<G, R> {
    /// An all-gather that gives every rank so many bytes.
    pub all_gather_s: G,
    /// A reduce-scatter of so many bytes; under [`Sharding::HybridShard`] the all-reduce of the shards across nodes
    /// is part of it.
    pub reduce_scatter_s: R,
}

/// Computing and the traffic beside it; the next slot begins when both are done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slot {
    /// Since the step began, seconds.
    pub start_s: f64,
    /// Computing, seconds.
    pub computing_s: f64,
    /// Traffic, seconds.
    pub traffic_s: f64,
    /// Since the step began, seconds.
    pub end_s: f64,
}

/// One optimizer step, the optimizer left out.
#[derive(Debug, Clone, PartialEq)]
pub struct ShardedStep {
    /// In order of time.
    pub slots: Vec<Slot>,
    /// All of it, seconds.
    pub step_s: f64,
    /// Traffic, seconds.
    pub total_s: f64,
    /// Traffic that computing waits for, seconds.
    pub exposed_s: f64,
}

impl ShardedStep {
    /// Traffic beside computing, seconds.
    pub fn hidden_s(&self) -> f64 {
        self.total_s - self.exposed_s
    }
}

/// Slots as they are laid down.
struct Schedule {
    prefetch: bool,
    slots: Vec<Slot>,
}

impl Schedule {
    /// Traffic that does not need what is computed beside it, so that both can run at once.
    fn push(&mut self, computing_s: f64, traffic_s: f64) {
        let start_s = self.slots.last().map_or(0.0, |slot| slot.end_s);
        let lasts_s = if self.prefetch { computing_s.max(traffic_s) } else { computing_s + traffic_s };
        self.slots.push(Slot { start_s, computing_s, traffic_s, end_s: start_s + lasts_s });
    }

    fn finish(self) -> ShardedStep {
        let step_s = self.slots.last().map_or(0.0, |slot| slot.end_s);
        let total_s = self.slots.iter().map(|slot| slot.traffic_s).sum();
        let computing_s: f64 = self.slots.iter().map(|slot| slot.computing_s).sum();
        // Rounding must not make more exposed than there is.
        let exposed_s = (step_s - computing_s).clamp(0.0, total_s);
        ShardedStep { slots: self.slots, step_s, total_s, exposed_s }
    }
}

impl Sharding {
    /// The step of `units`, in the order of the forward pass. With `prefetch` the traffic of neighbours runs beside
    /// a unit: forward `max(computing_i, gather_i+1)`, backward `max(computing_i, gather_i-1 + scatter_i+1)`;
    /// the first gather and the last reduction stand alone. What the backward pass gathers first comes beside
    /// the last unit of the forward pass. [`Sharding::Ddp`] is [`crate::network::Ddp`]'s; here it reduces unit by unit.
    pub fn step<G, R>(
        self,
        units: &[Unit],
        times: &UnitTimes<G, R>,
        prefetch: bool,
        accumulation: Accumulation,
    ) -> ShardedStep
    where
        G: Fn(Bytes) -> f64,
        R: Fn(Bytes) -> f64,
    {
        let mut schedule = Schedule { prefetch, slots: Vec::new() };
        for micro_batch in 1..=accumulation.micro_batches {
            let reduces = micro_batch == accumulation.micro_batches
                || accumulation.exchange_each
                || self == Self::Zero2;
            self.micro_batch(&mut schedule, units, times, [micro_batch == 1, reduces]);
        }
        schedule.finish()
    }

    fn micro_batch<G, R>(
        self,
        schedule: &mut Schedule,
        units: &[Unit],
        times: &UnitTimes<G, R>,
        [first, reduces]: [bool; 2],
    ) where
        G: Fn(Bytes) -> f64,
        R: Fn(Bytes) -> f64,
    {
        let sharded = matches!(self, Self::FullShard | Self::HybridShard);
        let gathers_forward = sharded || (first && matches!(self, Self::Zero1 | Self::Zero2));
        let gather = |unit: Option<&Unit>, wanted: bool| {
            unit.filter(|_| wanted).map_or(0.0, |unit| (times.all_gather_s)(unit.parameters))
        };
        let scatter = |unit: Option<&Unit>| {
            let bytes = unit.filter(|_| reduces).map(|unit| unit.gradients);
            bytes.map_or(0.0, |bytes| match self {
                Self::Ddp => (times.reduce_scatter_s)(bytes) + (times.all_gather_s)(bytes),
                _ => (times.reduce_scatter_s)(bytes),
            })
        };
        schedule.push(0.0, gather(units.first(), gathers_forward));
        for (i, unit) in units.iter().enumerate() {
            let ahead = match units.get(i + 1) {
                None => gather(Some(unit), sharded),
                next => gather(next, gathers_forward),
            };
            schedule.push(unit.forward_s, ahead);
        }
        for (i, unit) in units.iter().enumerate().rev() {
            let ahead = gather(i.checked_sub(1).and_then(|i| units.get(i)), sharded);
            schedule.push(unit.backward_s, ahead + scatter(units.get(i + 1)));
        }
        schedule.push(0.0, scatter(units.first()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GB: f64 = 1e9;
    const ALL: [Sharding; 5] =
        [Sharding::Ddp, Sharding::Zero1, Sharding::Zero2, Sharding::FullShard, Sharding::HybridShard];

    /// Equal units: 1 s forward, 2 s backward, 1 GB.
    fn units(count: usize) -> Vec<Unit> {
        let bytes = Bytes::new(GB as u64);
        vec![Unit { forward_s: 1.0, backward_s: 2.0, parameters: bytes, gradients: bytes }; count]
    }

    fn step(sharding: Sharding, gb_per_s: f64, prefetch: bool, accumulation: Accumulation) -> ShardedStep {
        let seconds = move |bytes: Bytes| bytes.as_f64() / GB / gb_per_s;
        let times = UnitTimes { all_gather_s: seconds, reduce_scatter_s: seconds };
        sharding.step(&units(4), &times, prefetch, accumulation)
    }

    /// By hand, gathers and scatters of 0.5 s: computing 12 s hides all but the first and the last.
    #[test]
    fn a_fast_network_shows_the_first_gather_and_the_last_scatter() {
        let step = step(Sharding::FullShard, 2.0, true, Accumulation::NONE);
        assert_eq!((step.step_s, step.exposed_s), (13.0, 1.0));
        assert_eq!(step.total_s, 12.0 * 0.5);
    }

    /// By hand, gathers and scatters of 3 s. Forward: 3 alone, then 4 slots of 3. Backward: 3, 6, 6, and 3 beside
    /// the first unit, which has no one before it to gather; 3 alone.
    #[test]
    fn a_slow_network_sets_the_pace_of_every_unit() {
        let step = step(Sharding::FullShard, 1.0 / 3.0, true, Accumulation::NONE);
        assert_eq!(step.step_s, 15.0 + 3.0 + 6.0 + 6.0 + 3.0 + 3.0);
    }

    #[test]
    fn without_prefetch_all_traffic_is_waited_for() {
        let step = step(Sharding::FullShard, 2.0, false, Accumulation::NONE);
        assert_eq!(step.exposed_s, step.total_s);
    }

    /// Traffic in seconds at 1 GB/s is traffic in GB, per (n−1)/n.
    #[test]
    fn the_timeline_moves_the_bytes_of_the_traffic_table() {
        for sharding in ALL {
            for accumulation in [
                Accumulation::NONE,
                Accumulation { micro_batches: 3, exchange_each: true },
                Accumulation { micro_batches: 3, exchange_each: false },
            ] {
                let group = super::super::Group { nodes: 1, ranks_per_node: 2 };
                let traffic = sharding.traffic(group, 4.0, 4.0, accumulation);
                let gb = 2.0 * (traffic.among_all + traffic.inside_node);
                assert_eq!(step(sharding, 1.0, true, accumulation).total_s, gb, "{sharding:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_faster_network_never_slows_and_exposed_never_passes_total(
            gb_per_s in 0.1..10.0_f64, faster in 1.0..5.0_f64, which in 0..5_usize, prefetch: bool,
        ) {
            let slow = step(ALL[which], gb_per_s, prefetch, Accumulation::NONE);
            let fast = step(ALL[which], gb_per_s * faster, prefetch, Accumulation::NONE);
            prop_assert!(fast.step_s <= slow.step_s);
            prop_assert!(slow.exposed_s <= slow.total_s && slow.hidden_s() >= 0.0);
            prop_assert!(slow.step_s >= 12.0);
        }
    }
}
