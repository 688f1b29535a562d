//! Links and processors by the words that people use for them: `EFA 4x100G`, `NVSwitch H100`, `rome`.

use super::topology::{Inter, Intra, Processor, TopologyError, Transport};
use std::str::FromStr;

/// `skl`, `milan` and so on: the short names of microarchitectures.
impl FromStr for Processor {
    type Err = TopologyError;

    fn from_str(text: &str) -> Result<Self, TopologyError> {
        Ok(match text.trim().to_lowercase().as_str() {
            "snb" | "ivb" | "hsw" | "bdw" => Self::Broadwell,
            "skl" | "skx" | "clx" | "icx" | "intel" => Self::Skylake,
            "spr" => Self::SapphireRapids,
            "emr" | "erp" | "gnr" => Self::EmeraldRapids,
            "naples" | "rome" | "milan" | "genoa" | "bergamo" | "turin" | "amd" => Self::Amd,
            "grace" | "graviton" | "arm" => Self::Arm,
            _ => return Err(TopologyError::Processor(text.to_owned())),
        })
    }
}

/// `NVSwitch H100`, `NVLink2 hybrid cube mesh`, `PCIe4 SHM 2 sockets`.
impl FromStr for Intra {
    type Err = TopologyError;

    fn from_str(text: &str) -> Result<Self, TopologyError> {
        let words = text.to_lowercase();
        let has = |word: &str| words.contains(word);
        if has("nvswitch") {
            return Ok(Self::NvSwitch);
        }
        if has("nvlink") && has("all-to-all") {
            return Ok(Self::NvLinkAllToAll);
        }
        if has("nvlink") && !has("bridge") && !has("pcie") {
            return Ok(Self::NvLinkMesh);
        }
        let peers = (has("p2p") && !has("no p2p")) || has("switch") || has("nvlink");
        let pcie = words.split_once("pcie").and_then(|(_, rest)| leading_number(rest.trim_start()));
        match pcie {
            Some(pcie @ 3..=5) if !peers => Ok(Self::HostMemory { pcie, sockets: sockets(&words) }),
            _ => Err(TopologyError::Intra(text.to_owned())),
        }
    }
}

/// The number before the word "socket", else 1.
fn sockets(words: &str) -> u32 {
    let before = words.split_once("socket").map(|(before, _)| before);
    before.and_then(|before| before.split_whitespace().last()?.parse().ok()).unwrap_or(1)
}

fn leading_number(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// Fastest single NIC that is sold, Gbit/s; a higher rate is that of several together.
const NIC_GBIT_PER_S_MAX: f64 = 800.0;

/// `TCP 10G`, `EFA 4x100G`, `TCP, NCCL assumes 10G`; G is Gbit/s, per NIC.
impl FromStr for Inter {
    type Err = TopologyError;

    fn from_str(text: &str) -> Result<Self, TopologyError> {
        let unknown = || TopologyError::Inter(text.to_owned());
        let words = text.to_lowercase();
        let mut words =
            words.split(|c: char| !c.is_alphanumeric() && c != '.').filter(|word| !word.is_empty());
        let transport = match words.next().ok_or_else(unknown)? {
            "tcp" | "ena" | "gvnic" | "socket" | "sockets" => Transport::Sockets,
            "efa" | "ib" | "infiniband" | "roce" | "slingshot" | "tcpx" | "tcpxo" => Transport::Rdma,
            _ => return Err(unknown()),
        };
        let (nics, gbit_per_s) = words.find_map(nics_and_rate).ok_or_else(unknown)?;
        Ok(Self { transport, nics, nic_gb_per_s: gbit_per_s / 8.0 })
    }
}

/// `4x100g` or `100g`.
fn nics_and_rate(word: &str) -> Option<(u32, f64)> {
    let word = word.strip_suffix('g')?;
    let (nics, rate) = word.split_once('x').unwrap_or(("1", word));
    let (nics, rate): (u32, f64) = (nics.parse().ok()?, rate.parse().ok()?);
    (nics > 0 && rate > 0.0 && rate <= NIC_GBIT_PER_S_MAX).then_some((nics, rate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_a_transport_and_nics_of_a_rate() {
        let check = |text: &str, transport, nics, nic_gb_per_s| {
            assert_eq!(text.parse(), Ok(Inter { transport, nics, nic_gb_per_s }), "{text}");
        };
        check("TCP 10G", Transport::Sockets, 1, 1.25);
        check("TCP, NCCL assumes 10G", Transport::Sockets, 1, 1.25);
        check("TCP up-to-10G", Transport::Sockets, 1, 1.25);
        check("EFA 4x100G", Transport::Rdma, 4, 12.5);
        check("TCPXO 8x200G", Transport::Rdma, 8, 25.0);
        check("Slingshot 4x200G (OFI plugin)", Transport::Rdma, 4, 25.0);
    }

    /// 3,200 Gbit/s are the NICs of a p5 together; how many there are changes the rings.
    #[test]
    fn networks_that_leave_the_nics_open_are_refused() {
        for text in ["", "-", "TCP", "pigeon 10G", "EFA 3200G", "EFA 0x100G", "IB nang"] {
            assert!(text.parse::<Inter>().is_err(), "{text}");
        }
    }

    #[test]
    fn links_inside_a_node_are_known_by_their_words() {
        let host = |pcie, sockets| Ok(Intra::HostMemory { pcie, sockets });
        assert_eq!("PCIe4 SHM (no P2P)".parse(), host(4, 1));
        assert_eq!("PCIe3 2 sockets SHM".parse(), host(3, 2));
        assert_eq!("PCIe4 SHM 2 sockets".parse(), host(4, 2));
        assert_eq!("NVSwitch H100".parse(), Ok(Intra::NvSwitch));
        assert_eq!("NVLink4 all-to-all".parse(), Ok(Intra::NvLinkAllToAll));
        assert_eq!("NVLink2 hybrid cube mesh".parse(), Ok(Intra::NvLinkMesh));
        assert_eq!("NVLink2".parse(), Ok(Intra::NvLinkMesh));
    }

    #[test]
    fn links_whose_rings_are_not_known_are_refused() {
        for text in
            ["", "-", "PCIe4 P2P", "PCIe4 switch", "PCIe4 with NVLink bridges", "PCIe2", "PCIe", "CXL"]
        {
            assert!(text.parse::<Intra>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_unknown_processor_is_named() {
        let error = "m68k".parse::<Processor>().unwrap_err();
        assert!(error.to_string().contains("`m68k`"), "{error}");
    }
}
