//! Measured clusters by the words of the people who measured them: `p5.48xlarge`, `EFA 3200G`, `NVSwitch H100`.
//!
//! Such words leave open what the search for rings needs; the gaps are filled by what is usual for the GPU.

use super::Nccl;
use super::fabric::{FabricClass, Wire};
use super::graph::PathClass;
use super::topology::{Inter, Intra, Processor, Topology, TopologyError, Transport};

/// No cluster has more GPUs.
const RANKS_MAX: u32 = 1 << 24;
/// One EFA card carries this, Gbit/s; faster totals are of several.
const EFA_CARD_GBIT: f64 = 100.0;
/// A NIC whose rate is not told carries this, Gbit/s: usual beside L40S and A100.
const NIC_GBIT: f64 = 200.0;
/// One NIC carries this at most, Gbit/s.
const NIC_GBIT_MAX: f64 = 400.0;

/// What is written of a measured cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClusterWords<'a> {
    /// Its name.
    pub system: &'a str,
    /// Machine or instance type.
    pub instance: &'a str,
    /// Nodes.
    pub nodes: u32,
    /// GPUs of each that took part.
    pub gpus_per_node: u32,
    /// Network between nodes.
    pub inter: &'a str,
    /// Links inside a node.
    pub intra: &'a str,
}

/// A cluster as the models need it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredCluster {
    /// NCCL's model of it.
    pub nccl: Nccl,
    /// Its fabric.
    pub class: FabricClass,
}

impl ClusterWords<'_> {
    /// The cluster, or what about the words is not understood.
    pub fn cluster(&self) -> Result<MeasuredCluster, String> {
        if self.nodes.checked_mul(self.gpus_per_node).is_none_or(|ranks| ranks > RANKS_MAX) {
            return Err(format!("more than {RANKS_MAX} ranks"));
        }
        let sm = self.sm().ok_or_else(|| format!("`{}`: which GPU it has is not known", self.instance))?;
        let (wire, inter) = match self.nodes {
            0 | 1 => (None, None),
            _ => {
                let (wire, inter) = self.network()?;
                (Some(wire), Some(inter))
            }
        };
        let intra = if self.gpus_per_node > 1 { Some(self.links_inside()?) } else { None };
        let topology = Topology {
            nodes: self.nodes,
            gpus_per_node: self.gpus_per_node,
            sm,
            cpu: self.processor(sm),
            intra,
            inter,
            net_latency_us: 0.0,
        };
        let nccl = Nccl::of(&topology).map_err(|error| error.to_string())?;
        let class = match (wire, intra) {
            (Some(wire), _) => FabricClass::between_nodes(wire, &nccl),
            (None, Some(intra)) => FabricClass::inside_node(intra, sm),
            (None, None) => return Err("one rank has nobody to reduce with".to_owned()),
        };
        Ok(MeasuredCluster { nccl, class })
    }

    /// Compute capability times 10 of the first GPU or instance type that is named.
    fn sm(&self) -> Option<u32> {
        [self.instance, self.system, self.intra].into_iter().find_map(|text| {
            let text = text.to_lowercase();
            let chip = CHIPS.iter().find(|(chip, _)| text.contains(chip));
            let family = || {
                let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
                words.find_map(|word| FAMILIES.iter().find(|(family, _)| word.starts_with(family)))
            };
            chip.or_else(family).map(|(_, sm)| *sm)
        })
    }

    /// The processors that usually stand beside such GPUs.
    fn processor(&self, sm: u32) -> Processor {
        let grace = format!("{} {}", self.instance, self.system).to_lowercase().contains("gh200");
        match sm {
            _ if grace => Processor::Arm,
            0..80 => Processor::Skylake,
            80..90 => Processor::Amd,
            _ => Processor::SapphireRapids,
        }
    }

    /// What the search for rings reads, else the nearest: bridges and PCIe switches are taken as host memory.
    fn links_inside(&self) -> Result<Intra, String> {
        let words = self.intra.to_lowercase();
        self.intra.parse().or_else(|error: TopologyError| match words.split_once("pcie") {
            Some((_, rest)) => {
                let pcie = rest.trim_start().chars().next().and_then(|digit| digit.to_digit(10)).unwrap_or(4);
                Ok(Intra::HostMemory { pcie, sockets: if self.gpus_per_node > 4 { 2 } else { 1 } })
            }
            None if words.contains("nvlink") => Ok(Intra::NvLinkAllToAll),
            None => Err(error.to_string()),
        })
    }

    fn network(&self) -> Result<(Wire, Inter), String> {
        let text = self.inter.to_lowercase();
        let words: Vec<&str> =
            text.split(|c: char| !c.is_alphanumeric() && c != '.').filter(|word| !word.is_empty()).collect();
        let wire =
            wire(&words).ok_or_else(|| format!("network `{}`: what it speaks is not known", self.inter))?;
        let told = words.iter().find_map(|word| nics_and_rate(word));
        let told = told.or_else(|| words.iter().find_map(|word| generation(word)));
        let (nics, gbit) = match told {
            Some((nics, gbit)) => (nics, gbit),
            None if wire == Wire::Rdma => (1, NIC_GBIT),
            None => return Err(format!("network `{}`: its rate is not told", self.inter)),
        };
        let cards = match wire {
            Wire::Efa if nics == 1 => (gbit / EFA_CARD_GBIT).ceil().max(1.0),
            _ => f64::from(nics),
        };
        // Cards of one GPU act as one; a GPU that takes part alone uses the card beside it.
        let used = cards.min(f64::from(self.gpus_per_node.max(1)));
        let nic_gbit = (f64::from(nics) * gbit / used).min(NIC_GBIT_MAX);
        let transport = if wire == Wire::Tcp { Transport::Sockets } else { Transport::Rdma };
        Ok((wire, Inter { transport, nics: used as u32, nic_gb_per_s: nic_gbit / 8.0 }))
    }
}

/// Chips by a part of their name, the longer before those that they contain, and their compute capability times 10.
const CHIPS: [(&str, u32); 25] = [
    ("gh200", 90),
    ("gb200", 100),
    ("gb300", 103),
    ("b200", 100),
    ("b300", 103),
    ("h100", 90),
    ("h200", 90),
    ("h800", 90),
    ("h20", 90),
    ("a100", 80),
    ("a800", 80),
    ("v100", 70),
    ("p100", 60),
    ("l40", 89),
    ("a10g", 86),
    ("a6000", 86),
    ("3080", 86),
    ("3090", 86),
    ("4090", 89),
    ("5090", 120),
    ("2080", 75),
    ("rtx 6000 ada", 89),
    ("rtx6000", 89),
    ("a40", 86),
    ("alps", 90),
];

/// Instance types and short names by the beginning of a word, the longer first.
const FAMILIES: [(&str, u32); 17] = [
    ("p3", 70),
    ("p4", 80),
    ("p5", 90),
    ("p6", 100),
    ("g4dn", 75),
    ("g5g", 75),
    ("g5", 86),
    ("g6", 89),
    ("g7e", 120),
    ("a2", 80),
    ("a3", 90),
    ("a4", 100),
    ("t4", 75),
    ("l4", 89),
    ("a10", 86),
    ("gpu4", 80),
    ("gpu3", 70),
];

/// What a network speaks. Sockets over a faster network's wires are sockets; where both are offered, NCCL takes RDMA.
fn wire(words: &[&str]) -> Option<Wire> {
    let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
    if words.iter().any(|word| word.starts_with("tcpx")) {
        Some(Wire::Tcpx)
    } else if has(&["tcp", "ena", "gvnic", "ipoib"]) {
        Some(Wire::Tcp)
    } else if has(&["ib", "infiniband", "roce", "rocev2", "rdma"]) {
        Some(Wire::Rdma)
    } else if has(&["socket", "sockets", "ethernet"]) {
        Some(Wire::Tcp)
    } else if has(&["efa"]) {
        Some(Wire::Efa)
    } else {
        has(&["slingshot", "cxi"]).then_some(Wire::Slingshot)
    }
}

/// NICs and Gbit/s of each of a generation of InfiniBand.
fn generation(word: &str) -> Option<(u32, f64)> {
    let known = [("edr", 100.0), ("hdr", 200.0), ("ndr", 400.0)];
    known.into_iter().find(|(name, _)| *name == word).map(|(_, gbit)| (1, gbit))
}

/// `4x100g` or `100gbe`, as NICs and Gbit/s of each.
fn nics_and_rate(word: &str) -> Option<(u32, f64)> {
    let number = ["gbit", "gbps", "gbe", "gb", "g"].into_iter().find_map(|unit| word.strip_suffix(unit))?;
    let (nics, rate) = number.split_once('x').unwrap_or(("1", number));
    let (nics, rate): (u32, f64) = (nics.parse().ok()?, rate.parse().ok()?);
    (nics > 0 && rate > 0.0 && rate.is_finite()).then_some((nics, rate))
}

impl FabricClass {
    /// The class of a cluster of several nodes.
    pub fn between_nodes(wire: Wire, nccl: &Nccl) -> Self {
        let beside_nic = nccl.graph.inter_path <= PathClass::NvLinkToNic;
        match (wire, nccl.ranks.sm) {
            (Wire::Tcp, _) => Self::Tcp,
            (Wire::Tcpx, _) => Self::Tcpx,
            (Wire::Slingshot, _) => Self::Slingshot,
            (Wire::Rdma, _) if beside_nic => Self::RdmaGpuDirect,
            (Wire::Rdma, _) => Self::RdmaHostStaged,
            // AWS lets EFA read and write GPUs on p4d, p5 and their successors.
            (Wire::Efa, 80) => Self::EfaGpuDirectAmpere,
            (Wire::Efa, 90..120) => Self::EfaGpuDirect,
            (Wire::Efa, _) if nccl.ranks.gpus_per_node == 1 => Self::EfaHostStagedOneGpu,
            (Wire::Efa, _) => Self::EfaHostStaged,
        }
    }

    /// The class of the links inside a single node, whose GPUs have compute capability `sm` / 10.
    pub fn inside_node(intra: Intra, sm: u32) -> Self {
        match intra {
            Intra::NvSwitch if sm >= 90 => Self::NvSwitchSharp,
            Intra::NvSwitch => Self::NvSwitch,
            Intra::NvLinkMesh | Intra::NvLinkAllToAll => Self::NvLinkMesh,
            Intra::HostMemory { .. } => Self::Pcie,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words<'a>(
        instance: &'a str,
        (nodes, gpus): (u32, u32),
        inter: &'a str,
        intra: &'a str,
    ) -> ClusterWords<'a> {
        ClusterWords { system: "", instance, nodes, gpus_per_node: gpus, inter, intra }
    }

    #[test]
    fn clusters_are_known_by_their_words() {
        let class = |instance, shape, inter, intra| {
            words(instance, shape, inter, intra).cluster().map(|cluster| cluster.class)
        };
        let nvswitch = "NVSwitch H100";
        assert_eq!(class("g5.2xlarge", (2, 1), "TCP up-to-10G", "-"), Ok(FabricClass::Tcp));
        assert_eq!(class("p5.48xlarge", (2, 8), "EFA 3200G", nvswitch), Ok(FabricClass::EfaGpuDirect));
        assert_eq!(class("p3dn.24xlarge", (2, 8), "EFA 100G", "NVLink2"), Ok(FabricClass::EfaHostStaged));
        assert_eq!(class("g4dn.metal", (2, 1), "EFA 100G", "-"), Ok(FabricClass::EfaHostStagedOneGpu));
        assert_eq!(
            class("HGX H100", (2, 8), "IB 8x400G (untuned)", nvswitch),
            Ok(FabricClass::RdmaGpuDirect)
        );
        assert_eq!(
            class("2 hosts x 2 L40S", (2, 2), "RoCE (1 NIC)", "PCIe4"),
            Ok(FabricClass::RdmaHostStaged)
        );
        assert_eq!(class("a3-megagpu-8g", (2, 8), "TCPXO 8x200G", nvswitch), Ok(FabricClass::Tcpx));
        assert_eq!(class("GH200", (2, 1), "Slingshot 200G", "-"), Ok(FabricClass::Slingshot));
        assert_eq!(class("GH200", (8, 1), "Slingshot 200G (TCP sockets)", "-"), Ok(FabricClass::Tcp));
        assert_eq!(class("HGX H100", (1, 8), "-", nvswitch), Ok(FabricClass::NvSwitchSharp));
        assert_eq!(class("4xV100", (1, 4), "-", "PCIe3"), Ok(FabricClass::Pcie));
        assert_eq!(class("4xA100", (1, 4), "-", "PCIe4 with NVLink bridges"), Ok(FabricClass::Pcie));
    }

    /// AWS: p4d has four cards of 100 Gbit/s, p5 32, of which four serve one GPU.
    #[test]
    fn a_total_rate_is_that_of_several_cards() {
        let nics = |instance, inter, intra| words(instance, (2, 8), inter, intra).network().unwrap().1;
        let p4d = nics("p4d.24xlarge", "EFA 400G", "NVSwitch A100");
        assert_eq!((p4d.nics, p4d.nic_gb_per_s), (4, 12.5));
        let p5 = nics("p5.48xlarge", "EFA 3200G", "NVSwitch H100");
        assert_eq!((p5.nics, p5.nic_gb_per_s), (8, 50.0));
        let oci = nics("BM.GPU4.8", "RoCE 16x100G", "NVSwitch A100");
        assert_eq!((oci.nics, oci.nic_gb_per_s), (8, 25.0));
    }

    #[test]
    fn rates_are_read_with_their_units_and_by_generation() {
        for (word, right) in [
            ("100g", Some((1, 100.0))),
            ("4x100g", Some((4, 100.0))),
            ("100gbe", Some((1, 100.0))),
            ("25gbit", Some((1, 25.0))),
            ("ndr", None),
            ("0x100g", None),
            ("plugin", None),
        ] {
            assert_eq!(nics_and_rate(word), right, "{word}");
        }
        assert_eq!(generation("ndr"), Some((1, 400.0)));
    }

    #[test]
    fn what_is_not_understood_is_said() {
        let error = |instance, inter| words(instance, (2, 1), inter, "-").cluster().unwrap_err();
        assert!(error("TPU v5e", "TCP 10G").contains("TPU v5e"));
        assert!(error("HGX H100", "carrier pigeon").contains("carrier pigeon"));
        assert!(error("g5.xlarge", "TCP").contains("rate"));
        let many = ClusterWords { nodes: u32::MAX, ..words("g5.xlarge", (2, 2), "TCP 10G", "PCIe4") };
        assert!(many.cluster().unwrap_err().contains("ranks"));
    }
}
