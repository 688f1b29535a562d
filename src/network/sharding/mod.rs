//! Data-parallel training whose ranks keep only a part of parameters, gradients or optimizer state.

mod traffic;
mod units;

pub use traffic::{Group, Traffic};
pub use units::{ShardedStep, Slot, Unit, UnitTimes};

/// What each rank keeps of the model, hence what it must send. Source: S. Rajbhandari et al., ZeRO (2020),
/// arXiv:1910.02054; Y. Zhao et al., PyTorch FSDP (2023), arXiv:2304.11277.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharding {
    /// All of everything.
    Ddp,
    /// A part of the optimizer state.
    Zero1,
    /// That and a part of the gradients; FSDP calls it `SHARD_GRAD_OP`.
    Zero2,
    /// That and a part of the parameters: ZeRO-3, FSDP's `FULL_SHARD`.
    FullShard,
    /// Like [`Self::FullShard`] inside a node, like [`Self::Ddp`] across nodes: FSDP's `HYBRID_SHARD`.
    HybridShard,
}

impl Sharding {
    /// Times that all parameters are gathered in a step of so many micro-batches. Where they are sharded,
    /// forward and backward pass gather them anew.
    pub fn gathers(self, micro_batches: u32) -> u32 {
        match self {
            Self::Ddp => 0,
            Self::Zero1 | Self::Zero2 => 1,
            Self::FullShard | Self::HybridShard => 2 * micro_batches,
        }
    }
}
