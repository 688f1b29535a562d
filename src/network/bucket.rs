//! Gradients collected into buckets, each reduced as a whole.

use crate::units::Bytes;

/// The gradient of one tensor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gradient {
    /// Its size, in the type of its parameter.
    pub bytes: Bytes,
    /// Share of the backward pass that is done when it is complete, from 0 to 1.
    pub ready: f64,
}

/// Sizes from which a bucket is full. They count bytes of the gradients, not of what a compression sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BucketLimits {
    /// Of the first bucket; smaller, so that sending begins early.
    pub first: Bytes,
    /// Of all others.
    pub others: Bytes,
}

impl BucketLimits {
    /// Everything in one bucket, as code that reduces after the backward pass has it.
    pub const ONE_BUCKET: Self = Self { first: Bytes::new(u64::MAX), others: Bytes::new(u64::MAX) };
}

impl Default for BucketLimits {
    /// Source: pytorch/pytorch:torch/csrc/distributed/c10d/reducer.hpp, `kDefaultFirstBucketBytes` and
    /// `kDefaultBucketBytesCap`.
    fn default() -> Self {
        Self { first: Bytes::new(1 << 20), others: Bytes::new(25 << 20) }
    }
}

/// Gradients that are reduced together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bucket {
    /// Their sum.
    pub bytes: Bytes,
    /// Share of the backward pass that is done when the last of them is complete.
    pub ready: f64,
}

/// The buckets of `gradients`, which stand in the order in which they become ready: that of the parameters
/// reversed. A bucket is closed after the tensor that reaches the limit, so it overshoots by up to one.
/// Source: pytorch/pytorch:torch/csrc/distributed/c10d/reducer.cpp, `compute_bucket_assignment_by_size`.
pub fn buckets(gradients: &[Gradient], limits: BucketLimits) -> Vec<Bucket> {
    let mut closed = Vec::new();
    let mut limit = limits.first;
    let mut open: Option<Bucket> = None;
    for gradient in gradients {
        let before = open.unwrap_or(Bucket { bytes: Bytes::new(0), ready: 0.0 });
        let bucket = Bucket {
            bytes: Bytes::new(before.bytes.get().saturating_add(gradient.bytes.get())),
            ready: before.ready.max(gradient.ready),
        };
        if bucket.bytes >= limit {
            closed.push(bucket);
            open = None;
            limit = limits.others;
        } else {
            open = Some(bucket);
        }
    }
    closed.extend(open);
    closed
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MIB: u64 = 1 << 20;

    fn sizes(tensors: &[u64], limits: BucketLimits) -> Vec<u64> {
        let gradients: Vec<Gradient> =
            tensors.iter().map(|&bytes| Gradient { bytes: Bytes::new(bytes), ready: 0.5 }).collect();
        buckets(&gradients, limits).iter().map(|bucket| bucket.bytes.get()).collect()
    }

    /// By hand: 0.5 + 0.75 passes 1 MiB; 20 + 10 passes 25; 1 is left over.
    #[test]
    fn a_bucket_is_closed_after_the_tensor_that_reaches_its_limit() {
        let tensors = [MIB / 2, 3 * MIB / 4, 20 * MIB, 10 * MIB, MIB];
        assert_eq!(sizes(&tensors, BucketLimits::default()), [5 * MIB / 4, 30 * MIB, MIB]);
    }

    /// BERT-base: 30,522 x 768 words in fp32 are 94 MB, more than a bucket holds.
    #[test]
    fn a_tensor_above_the_limit_ends_its_bucket() {
        let words = 30_522 * 768 * 4;
        assert_eq!(sizes(&[2 * MIB, MIB, words], BucketLimits::default()), [2 * MIB, MIB + words]);
    }

    #[test]
    fn one_bucket_holds_everything_and_nothing_needs_none() {
        assert_eq!(sizes(&[MIB, 50 * MIB, 3], BucketLimits::ONE_BUCKET), [51 * MIB + 3]);
        assert_eq!(sizes(&[], BucketLimits::default()), [0_u64; 0]);
    }

    #[test]
    fn a_bucket_waits_for_its_last_gradient() {
        let gradients = [0.2, 0.9].map(|ready| Gradient { bytes: Bytes::new(MIB / 2), ready });
        assert_eq!(buckets(&gradients, BucketLimits::default())[0].ready, 0.9);
    }

    proptest! {
        #[test]
        fn no_byte_is_lost_and_all_but_the_last_bucket_are_full(
            tensors in prop::collection::vec(0..60 * MIB, 0..40),
        ) {
            let found = sizes(&tensors, BucketLimits::default());
            prop_assert_eq!(found.iter().sum::<u64>(), tensors.iter().sum::<u64>());
            for (index, bytes) in found.iter().enumerate().take(found.len().saturating_sub(1)) {
                let limit = if index == 0 { MIB } else { 25 * MIB };
                prop_assert!(*bytes >= limit, "{bytes} bytes in bucket {index}");
            }
        }
    }
}
