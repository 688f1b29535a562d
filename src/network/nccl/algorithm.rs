//! Ways in which NCCL moves the bytes of an all-reduce.

/// Who sends to whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Algorithm {
    /// Around rings through all ranks, twice.
    Ring,
    /// Up and down two binary trees of nodes, a chain inside each node.
    Tree,
    /// Reduced by the NVLink switch; within one node only.
    Nvls,
    /// Reduced by the switch inside each node and along trees between nodes.
    NvlsTree,
}

impl Algorithm {
    /// In the order of the columns of `tables`; of two that are equally fast, the earlier is chosen.
    pub const ALL: [Self; 4] = [Self::Tree, Self::Ring, Self::Nvls, Self::NvlsTree];

    /// As NCCL's logs spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ring => "Ring",
            Self::Tree => "Tree",
            Self::Nvls => "NVLS",
            Self::NvlsTree => "NVLSTree",
        }
    }
}

/// How receivers learn that bytes have arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Protocol {
    /// A flag beside every 4 bytes: least latency, half the bandwidth.
    LL,
    /// A flag beside every 120 bytes; needs stores of 128 bytes that arrive whole.
    LL128,
    /// A flag after each chunk: most latency, all of the bandwidth.
    Simple,
}

impl Protocol {
    /// In the order of the columns of `tables`.
    pub const ALL: [Self; 3] = [Self::LL, Self::LL128, Self::Simple];

    /// As NCCL's logs spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::LL => "LL",
            Self::LL128 => "LL128",
            Self::Simple => "Simple",
        }
    }
}
