//! Rings and trees that fit on the links, by the rules of NCCL's search (`src/graph/search.cc`, 2.30.7).

use super::graph::{ChannelBandwidth, Graph, NvlsGraph, PathClass, TreePattern};
use super::links::{Demand, Links, Shape};
use super::ranks::Generation;
use super::topology::{Inter, Intra, Topology, TopologyError};

/// Bandwidths per channel that the search tries, GB/s, the largest first.
const ONE_NODE: &[f64] = &[40.0, 30.0, 20.0, 18.0, 15.0, 12.0, 10.0, 9.0, 7.0, 6.0, 5.0, 4.0, 3.0];
const NODES: &[f64] = &[
    48.0, 30.0, 28.0, 24.0, 20.0, 18.0, 15.0, 12.0, 10.0, 9.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.4, 1.2, 0.24, 0.12,
];
const ONE_NODE_HOPPER: &[f64] = &[60.0, 50.0, 40.0, 30.0, 24.0, 20.0, 15.0, 12.0, 11.0, 6.0, 3.0];
const NODES_HOPPER: &[f64] =
    &[48.0, 45.0, 42.0, 40.0, 30.0, 24.0, 22.0, 20.0, 17.5, 15.0, 12.0, 6.0, 3.0, 2.4, 1.2, 0.24, 0.12];
const ONE_NODE_BLACKWELL: &[f64] = &[90.0, 80.0, 70.0, 60.0, 50.0, 45.0, 40.0, 30.0, 24.0, 20.0, 19.0, 18.0];
const NODES_BLACKWELL: &[f64] = &[
    96.0, 86.0, 80.0, 48.0, 45.1, 42.0, 40.0, 30.0, 24.0, 22.0, 20.0, 17.5, 15.0, 12.0, 6.0, 3.0, 2.4, 1.2,
    0.24, 0.12,
];
/// Channels of rings and trees at most.
const CHANNELS_MAX: u32 = 32;
/// Channels in the end at most.
const FINAL_CHANNELS_MAX: u32 = 64;
/// A slower speed is tried down to this share of the best so far: it may fit more than twice as often.
const SLOWER_SHARE: f64 = 0.49;

/// Share of a card's rate that its channel takes at the rates that cards usually have: 1.2 of 1.25 GB/s.
const OF_CARD: f64 = 0.96;

impl Topology {
    /// The same with cards as fast as the next channel speed asks for. Channels come in few speeds, so the
    /// rings of a card between two of them are those of the slower one; what the card itself carries is
    /// told apart, by [`super::Calibrated::nic_gb_per_s`].
    pub fn with_next_channel_speed(self) -> Self {
        let speeds = self.speeds().iter().rev().copied();
        let widened = self.inter.map(|inter| {
            let next = speeds.map(|speed| speed / OF_CARD).find(|rate| *rate >= inter.nic_gb_per_s);
            Inter { nic_gb_per_s: next.unwrap_or(inter.nic_gb_per_s), ..inter }
        });
        Self { inter: widened, ..self }
    }

    /// The rings and trees that NCCL would find, or why they cannot be derived.
    pub fn graph(&self) -> Result<Graph, TopologyError> {
        if self.nodes == 0 || self.gpus_per_node == 0 {
            return Err(TopologyError::NoRanks);
        }
        let links = Links::of(self)?;
        let search = Search { links, speeds: self.speeds() };
        let ring = search.ring(self.sm).ok_or_else(|| self.too_slow())?;
        let tree_pattern = self.tree_pattern();
        let tree = search.tree(ring.channels, tree_pattern).ok_or_else(|| self.too_slow())?;
        let channels = tree.channels;
        Ok(Graph {
            channels,
            ring: bandwidth(ring),
            tree: bandwidth(tree),
            tree_pattern,
            intra_path: self.intra_path(&links),
            inter_path: self.inter_path(&links),
            nvls: self.nvls(&search),
            final_channels: self.final_channels(channels, ring.intra),
        })
    }

    fn too_slow(&self) -> TopologyError {
        TopologyError::TooSlow(
            self.inter.map_or_else(|| "-".to_owned(), |inter| inter.nic_gb_per_s.to_string()),
        )
    }

    fn speeds(&self) -> &'static [f64] {
        match (self.ranks().generation(), self.nodes) {
            (Generation::Volta | Generation::Ampere, 1) => ONE_NODE,
            (Generation::Volta | Generation::Ampere, _) => NODES,
            (Generation::Hopper, 1) => ONE_NODE_HOPPER,
            (Generation::Hopper, _) => NODES_HOPPER,
            (Generation::Blackwell, 1) => ONE_NODE_BLACKWELL,
            (Generation::Blackwell, _) => NODES_BLACKWELL,
        }
    }

    fn tree_pattern(&self) -> TreePattern {
        let with_nics = self.sm >= 90 && self.nodes > 1;
        if self.gpus_per_node == 1 || with_nics { TreePattern::Chain } else { TreePattern::Balanced }
    }

    fn intra_path(&self, links: &Links) -> PathClass {
        match self.intra {
            Some(Intra::HostMemory { .. }) if self.gpus_per_node > 1 => host_path(links),
            Some(_) if self.gpus_per_node > 1 => PathClass::NvLink,
            _ => PathClass::Local,
        }
    }

    fn inter_path(&self, links: &Links) -> PathClass {
        match self.nodes {
            1 => PathClass::Local,
            _ if links.nics_beside_gpus() => PathClass::PcieSwitch,
            _ => host_path(links),
        }
    }

    fn nvls(&self, search: &Search) -> Option<NvlsGraph> {
        if self.intra != Some(Intra::NvSwitch) || self.sm < 90 || self.gpus_per_node < 2 {
            return None;
        }
        let heads = self.gpus_per_node;
        // Within one node every GPU heads a channel, so that all are read from alike.
        let least = if self.nodes == 1 { heads } else { 1 };
        let found = search.nvls(least, heads)?;
        Some(NvlsGraph { channels: found.channels, bandwidth: bandwidth(found) })
    }

    fn final_channels(&self, channels: u32, ring_intra: f64) -> u32 {
        let doubled = (2 * channels).min(FINAL_CHANNELS_MAX);
        let hopper = self.ranks().generation() == Generation::Hopper;
        if hopper && self.nodes > 1 && ring_intra > 45.0 && doubled < 16 { 2 * doubled } else { doubled }
    }
}

fn host_path(links: &Links) -> PathClass {
    if links.crosses_sockets() { PathClass::Sockets } else { PathClass::HostBridge }
}

fn bandwidth(demand: Demand) -> ChannelBandwidth {
    ChannelBandwidth { intra: demand.intra, inter: demand.inter }
}

/// Tries speeds on links.
struct Search {
    links: Links,
    speeds: &'static [f64],
}

impl Search {
    /// The rings that carry most, duplicated at half the speed where that helps latency.
    fn ring(&self, sm: u32) -> Option<Demand> {
        let mut ring = self.widest(Shape::Ring, 1, CHANNELS_MAX)?;
        let few_or_fast = sm <= 80 || ring.channels <= 4 || ring.intra >= 50.0;
        if ring.intra >= 25.0 && few_or_fast {
            let channels = (2 * ring.channels).min(CHANNELS_MAX);
            let speed = ring.intra / f64::from(channels.div_ceil(ring.channels));
            ring = Demand { channels, intra: speed, inter: speed, ..ring };
        }
        Some(self.raised(ring, |_| true, |ring, speed| Demand { intra: speed, inter: speed, ..ring }))
    }

    /// As many trees as there are rings, or the most below that fit; then faster inside the node, up to twice
    /// what the NICs carry.
    fn tree(&self, channels: u32, pattern: TreePattern) -> Option<Demand> {
        let shape = match pattern {
            TreePattern::Balanced => Shape::BalancedTree,
            TreePattern::Chain => Shape::ChainTree,
        };
        let tree = (1..=channels).rev().find_map(|channels| {
            let speeds = self.speeds.iter();
            speeds.map(|&speed| uniform(shape, channels, speed)).find(|&demand| self.links.carry(demand))
        })?;
        Some(self.raised(tree, |tree| tree.intra < 2.0 * tree.inter, |tree, intra| Demand { intra, ..tree }))
    }

    /// NVLink SHARP with `least` to `most` channels.
    fn nvls(&self, least: u32, most: u32) -> Option<Demand> {
        let nvls = self.widest(Shape::Nvls, least, most)?;
        Some(self.raised(nvls, |nvls| nvls.inter < 2.0 * nvls.intra, |nvls, inter| Demand { inter, ..nvls }))
    }

    /// The first speed that fits, or a lower one at which more channels carry more in all.
    fn widest(&self, shape: Shape, least: u32, most: u32) -> Option<Demand> {
        let mut best: Option<Demand> = None;
        for &speed in self.speeds {
            if best.is_some_and(|best| speed / best.inter <= SLOWER_SHARE) {
                break;
            }
            let fits = |&channels: &u32| self.links.carry(uniform(shape, channels, speed));
            let Some(channels) = (least..=most).rev().find(fits) else { continue };
            let found = uniform(shape, channels, speed);
            if best.is_none_or(|best| total(found) > total(best)) {
                best = Some(found);
            }
        }
        best
    }

    /// `demand` at the next higher speeds, one after the other, while `wanted` and while they fit.
    fn raised(
        &self,
        mut demand: Demand,
        wanted: impl Fn(Demand) -> bool,
        at: impl Fn(Demand, f64) -> Demand,
    ) -> Demand {
        let start = self.speeds.iter().filter(|&&speed| speed > demand.inter).count();
        for &speed in self.speeds[..start].iter().rev() {
            let faster = at(demand, speed);
            if !wanted(demand) || !self.links.carry(faster) {
                break;
            }
            demand = faster;
        }
        demand
    }
}

fn uniform(shape: Shape, channels: u32, speed: f64) -> Demand {
    Demand { shape, channels, intra: speed, inter: speed }
}

fn total(demand: Demand) -> f64 {
    f64::from(demand.channels) * demand.intra
}
