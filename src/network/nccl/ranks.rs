//! Who takes part in a collective, and in what kind of host.

/// Maker of the host's processors; NCCL's model knows no finer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CpuVendor {
    /// AMD on x86.
    Amd,
    /// Intel on x86.
    Intel,
    /// Neither, as Arm.
    Other,
}

/// GPUs that NCCL's tables tell apart, by compute capability.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Generation {
    /// Below 8.0, T4 among them.
    Volta,
    /// 8.0 to 8.9: A100, A10G, L4, L40S.
    Ampere,
    /// 9.x.
    Hopper,
    /// 10.0 and above.
    Blackwell,
}

/// The ranks of one communicator: `nodes * gpus_per_node`, one GPU each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranks {
    /// Nodes, at least 1.
    pub nodes: u32,
    /// GPUs of each node that take part, at least 1.
    pub gpus_per_node: u32,
    /// The least compute capability of all GPUs, times 10: 86 for A10G.
    pub sm: u32,
    /// Maker of the hosts' processors.
    pub cpu: CpuVendor,
    /// Latency that the network layer reports, microseconds: 0 for sockets, InfiniBand and RoCE.
    pub net_latency_us: f64,
}

impl Ranks {
    /// How many there are.
    pub fn count(&self) -> u32 {
        self.nodes.saturating_mul(self.gpus_per_node)
    }

    /// What kind of GPU they are.
    pub fn generation(&self) -> Generation {
        match self.sm {
            0..80 => Generation::Volta,
            80..90 => Generation::Ampere,
            90..100 => Generation::Hopper,
            _ => Generation::Blackwell,
        }
    }

    /// Column of the tables by nodes: one, two, more.
    pub(super) fn node_column(&self) -> usize {
        self.nodes.clamp(1, 3) as usize - 1
    }

    /// Hops from the root of a binary tree of the nodes to its leaves.
    pub(super) fn tree_depth(&self) -> f64 {
        f64::from(self.nodes.max(1).ilog2())
    }
}
