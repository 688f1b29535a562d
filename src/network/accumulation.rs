//! Several micro-batches to one optimizer step.

/// How gradients of micro-batches add up before they are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accumulation {
    /// Micro-batches to an optimizer step, at least 1.
    pub micro_batches: u32,
    /// Whether every micro-batch exchanges gradients; else the last one does for all (PyTorch's `no_sync`).
    pub exchange_each: bool,
}

impl Accumulation {
    /// One batch, one step.
    pub const NONE: Self = Self { micro_batches: 1, exchange_each: false };

    /// Exchanges of gradients to an optimizer step.
    pub fn exchanges(self) -> u32 {
        if self.exchange_each { self.micro_batches } else { 1 }
    }

    /// Micro-batches that `ranks` of `batch` samples each need to see `global_batch` samples: whole ones, at
    /// least 1.
    pub fn micro_batches_for(global_batch: u64, ranks: u32, batch: u64) -> u64 {
        global_batch.div_ceil((u64::from(ranks) * batch).max(1)).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 512 samples are 4 x 128; among 3 ranks 2 rounds of 384 are needed.
    #[test]
    fn a_fixed_global_batch_takes_whole_rounds() {
        assert_eq!(Accumulation::micro_batches_for(512, 4, 128), 1);
        assert_eq!(Accumulation::micro_batches_for(512, 3, 128), 2);
    }

    #[test]
    fn only_exchanging_each_time_multiplies_exchanges() {
        assert_eq!(Accumulation { micro_batches: 8, exchange_each: false }.exchanges(), 1);
        assert_eq!(Accumulation { micro_batches: 8, exchange_each: true }.exchanges(), 8);
    }
}
