//! Bytes that each rank sends per optimizer step.

use super::Sharding;
use crate::network::Accumulation;

/// The ranks of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// Nodes, at least 1.
    pub nodes: u32,
    /// Ranks on each, at least 1.
    pub ranks_per_node: u32,
}

/// Bytes that each rank sends, and as many that it receives, per optimizer step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Traffic {
    /// In collectives of all ranks.
    pub among_all: f64,
    /// In collectives of the ranks of one node.
    pub inside_node: f64,
    /// In collectives of ranks with equal shards, one on each node.
    pub across_nodes: f64,
}

impl Sharding {
    /// What a rank sends, if gradients are `gradients` bytes, parameters `parameters` bytes as they are gathered,
    /// and collectives send no byte twice. With [`Accumulation::exchange_each`] unset full gradients are kept
    /// between micro-batches; ZeRO-2 cannot do that and always reduces each time.
    pub fn traffic(
        self,
        group: Group,
        gradients: f64,
        parameters: f64,
        accumulation: Accumulation,
    ) -> Traffic {
        let ranks = group.nodes * group.ranks_per_node;
        let gathered = f64::from(self.gathers(accumulation.micro_batches)) * parameters;
        let reduced = f64::from(self.reductions(accumulation)) * gradients;
        let none = Traffic { among_all: 0.0, inside_node: 0.0, across_nodes: 0.0 };
        match self {
            // A reduction for all is a scatter and a gather of the gradients.
            Self::Ddp => Traffic { among_all: 2.0 * others(ranks) * reduced, ..none },
            Self::Zero1 | Self::Zero2 | Self::FullShard => {
                Traffic { among_all: others(ranks) * (gathered + reduced), ..none }
            }
            Self::HybridShard => {
                let shard = gradients / f64::from(group.ranks_per_node);
                Traffic {
                    inside_node: others(group.ranks_per_node) * (gathered + reduced),
                    across_nodes: 2.0
                        * others(group.nodes)
                        * f64::from(self.reductions(accumulation))
                        * shard,
                    ..none
                }
            }
        }
    }

    fn reductions(self, accumulation: Accumulation) -> u32 {
        match self {
            Self::Zero2 => accumulation.micro_batches,
            _ => accumulation.exchanges(),
        }
    }
}

/// Share of a collective's bytes that each of `ranks` must send: all but its own.
fn others(ranks: u32) -> f64 {
    f64::from(ranks - 1) / f64::from(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP: Group = Group { nodes: 2, ranks_per_node: 4 };

    /// Bytes over those of DDP without accumulation, with gradients and parameters of one size.
    fn relative(sharding: Sharding, micro_batches: u32, exchange_each: bool) -> f64 {
        let accumulation = Accumulation { micro_batches, exchange_each };
        let ddp = Sharding::Ddp.traffic(GROUP, 1.0, 1.0, Accumulation::NONE).among_all;
        sharding.traffic(GROUP, 1.0, 1.0, accumulation).among_all / ddp
    }

    /// 2(n−1)/n.
    #[test]
    fn whole_copies_send_all_but_their_own_share_twice() {
        let traffic = Sharding::Ddp.traffic(GROUP, 8.0, 8.0, Accumulation::NONE);
        assert_eq!(traffic, Traffic { among_all: 14.0, inside_node: 0.0, across_nodes: 0.0 });
    }

    /// ZeRO (2020), section 7: as much as DDP for stages 1 and 2, half as much again for stage 3.
    #[test]
    fn sharding_sends_what_the_zero_paper_says() {
        assert_eq!(relative(Sharding::Zero1, 1, true), 1.0);
        assert_eq!(relative(Sharding::Zero2, 1, true), 1.0);
        assert_eq!(relative(Sharding::FullShard, 1, true), 1.5);
    }

    /// (1 + a)/2, 1.5 a, a + 0.5 for a = 4 micro-batches.
    #[test]
    fn micro_batches_multiply_what_is_not_kept() {
        assert_eq!(relative(Sharding::Zero1, 4, false), 1.0);
        assert_eq!(relative(Sharding::Zero2, 4, true), 2.5);
        assert_eq!(relative(Sharding::FullShard, 4, true), 6.0);
        assert_eq!(relative(Sharding::FullShard, 4, false), 4.5);
    }

    /// Inside 3/4 x 3, across 2 x 1/2 x 1/4 for each of 4 ranks: a node sends as much as under DDP of 2.
    #[test]
    fn hybrid_sharding_spares_the_network_between_nodes() {
        let traffic = Sharding::HybridShard.traffic(GROUP, 1.0, 1.0, Accumulation::NONE);
        assert_eq!(traffic, Traffic { among_all: 0.0, inside_node: 2.25, across_nodes: 0.25 });
    }

    #[test]
    fn a_single_rank_sends_nothing() {
        let one = Group { nodes: 1, ranks_per_node: 1 };
        for sharding in
            [Sharding::Ddp, Sharding::Zero1, Sharding::Zero2, Sharding::FullShard, Sharding::HybridShard]
        {
            let Traffic { among_all, inside_node, across_nodes } =
                sharding.traffic(one, 1.0, 1.0, Accumulation::NONE);
            assert_eq!(among_all + inside_node + across_nodes, 0.0);
        }
    }
}
