//! The cost model against figures worked out elsewhere. Choices and graphs are those of NCCL 2.30.7's own search
//! and cost functions, collected for this project, 2026-12.

use super::*;
use proptest::prelude::*;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// A kind of node: words for its network and for the links inside, compute capability, processor, latency.
struct System {
    inter: &'static str,
    intra: &'static str,
    gpus: u32,
    sm: u32,
    cpu: &'static str,
    net_latency_us: f64,
}

const G5: System = System { inter: "TCP 10G", intra: "-", gpus: 1, sm: 86, cpu: "rome", net_latency_us: 0.0 };
const G5_12XLARGE: System = System { inter: "TCP 40G", intra: "PCIe4 SHM (no P2P)", gpus: 4, ..G5 };
const G4DN_12XLARGE: System =
    System { inter: "TCP 50G", intra: "PCIe3 SHM", gpus: 4, sm: 75, cpu: "skl", net_latency_us: 0.0 };
const P3: System =
    System { inter: "TCP 25G", intra: "NVLink2", gpus: 8, sm: 70, cpu: "bdw", net_latency_us: 0.0 };
const P4D: System =
    System { inter: "EFA 4x100G", intra: "NVSwitch A100", gpus: 8, sm: 80, cpu: "skl", net_latency_us: 75.0 };
const P5: System = System { inter: "EFA 8x400G", intra: "NVSwitch H100", sm: 90, cpu: "milan", ..P4D };
const B200: System =
    System { inter: "IB 8x400G", intra: "NVSwitch B200", sm: 100, cpu: "spr", net_latency_us: 0.0, ..P4D };

impl System {
    fn topology(&self, nodes: u32) -> Topology {
        Topology {
            nodes,
            gpus_per_node: self.gpus,
            sm: self.sm,
            cpu: self.cpu.parse().unwrap(),
            intra: (self.gpus > 1).then(|| self.intra.parse().unwrap()),
            inter: (nodes > 1).then(|| self.inter.parse().unwrap()),
            net_latency_us: self.net_latency_us,
        }
    }

    fn nccl(&self, nodes: u32) -> Nccl {
        Nccl::of(&self.topology(nodes)).unwrap()
    }
}

fn check_choices(system: &System, nodes: u32, expected: &[(u64, Algorithm, Protocol)]) {
    for (bytes, algorithm, protocol) in expected {
        let choice = system.nccl(nodes).choose(*bytes);
        assert_eq!((choice.algorithm, choice.protocol), (*algorithm, *protocol), "{bytes} B, {nodes} nodes");
    }
}

#[test]
fn small_messages_take_low_latency_and_large_ones_the_simple_protocol() {
    use Algorithm::{Ring, Tree};
    use Protocol::{LL, Simple};
    check_choices(&G5, 2, &[(KIB, Ring, LL), (32 * KIB, Ring, LL), (64 * KIB, Ring, Simple)]);
    check_choices(&G5, 8, &[(4 * KIB, Tree, LL), (8 * KIB, Ring, LL), (256 * KIB, Ring, Simple)]);
    check_choices(&G5_12XLARGE, 1, &[(256 * KIB, Ring, LL), (512 * KIB, Ring, Simple)]);
    check_choices(&G5_12XLARGE, 2, &[(16 * KIB, Tree, LL), (64 * KIB, Ring, LL), (MIB, Tree, Simple)]);
}

#[test]
fn nvlink_boxes_take_ll128_in_between() {
    use Algorithm::{Nvls, NvlsTree, Ring, Tree};
    use Protocol::{LL, LL128, Simple};
    check_choices(&P3, 1, &[(512 * KIB, Ring, LL), (8 * MIB, Ring, LL128), (16 * MIB, Ring, Simple)]);
    check_choices(&P4D, 1, &[(2 * MIB, Ring, LL), (16 * MIB, Ring, LL128), (32 * MIB, Ring, Simple)]);
    check_choices(&P4D, 2, &[(64 * KIB, Tree, LL), (256 * MIB, Tree, LL128), (1024 * MIB, Tree, Simple)]);
    check_choices(&P5, 1, &[(MIB, Ring, LL), (4 * MIB, Nvls, Simple)]);
    check_choices(&P5, 4, &[(64 * KIB, Tree, LL), (16 * MIB, Tree, LL128), (256 * MIB, NvlsTree, Simple)]);
}

/// Channels, then GB/s per channel: ring inside a node, tree inside, tree between.
fn check_graph(system: &System, nodes: u32, channels: u32, [ring, tree, between]: [f64; 3]) {
    let graph = system.topology(nodes).graph().unwrap();
    let found = (graph.channels, graph.ring.intra, graph.tree.intra);
    assert_eq!(found, (channels, ring, tree), "{}, {nodes} nodes", system.intra);
    assert!(nodes == 1 || graph.tree.inter == between, "{}: {graph:?}", system.inter);
}

#[test]
fn rings_and_trees_are_those_that_nccl_finds() {
    check_graph(&G5, 2, 1, [1.2, 2.4, 1.2]);
    check_graph(&G5_12XLARGE, 1, 2, [12.0, 12.0, 0.0]);
    check_graph(&G5_12XLARGE, 2, 1, [5.0, 10.0, 5.0]);
    check_graph(&G4DN_12XLARGE, 1, 1, [10.0, 10.0, 0.0]);
    check_graph(&G4DN_12XLARGE, 4, 1, [6.0, 6.0, 6.0]);
    check_graph(&P3, 1, 6, [20.0, 20.0, 0.0]);
    check_graph(&P3, 2, 1, [3.0, 6.0, 3.0]);
    check_graph(&P4D, 1, 12, [20.0, 20.0, 0.0]);
    check_graph(&P4D, 2, 4, [12.0, 24.0, 12.0]);
    check_graph(&P5, 1, 12, [30.0, 30.0, 0.0]);
    check_graph(&P5, 2, 8, [48.0, 48.0, 48.0]);
    check_graph(&B200, 1, 16, [45.0, 45.0, 0.0]);
    check_graph(&B200, 2, 8, [48.0, 96.0, 48.0]);
}

#[test]
fn an_intel_host_bridge_and_an_old_gpu_cost_a_100_gbit_nic_a_quarter() {
    let one = System { inter: "EFA 100G", intra: "-", gpus: 1, ..G4DN_12XLARGE };
    check_graph(&one, 2, 1, [9.0, 18.0, 9.0]);
    check_graph(&System { sm: 86, cpu: "rome", ..one }, 2, 1, [12.0, 24.0, 12.0]);
}

#[test]
fn what_is_not_joined_has_no_graph() {
    let mut alone = G5_12XLARGE.topology(2);
    alone.inter = None;
    assert_eq!(alone.graph(), Err(TopologyError::NoNetwork(2)));
    let mut apart = G5_12XLARGE.topology(1);
    apart.intra = None;
    assert_eq!(apart.graph(), Err(TopologyError::NoLinks(4)));
    let mut slow = G5.topology(2);
    slow.inter = Some(Inter { transport: Transport::Sockets, nics: 1, nic_gb_per_s: 0.1 });
    assert_eq!(slow.graph(), Err(TopologyError::TooSlow("0.1".into())));
    let three = System { gpus: 3, ..P3 };
    assert_eq!(three.topology(1).graph(), Err(TopologyError::NvLink { gpus: 3, sm: 70 }));
}

/// By hand for two g5.xlarge and 1 KiB: 6.6 + 2 * 5.0 + 1024 / (1000 * 1.2 / 2 * 2/2) = 18.307 us.
#[test]
fn a_ring_of_two_nodes_pays_base_two_hops_and_its_bytes_at_half_rate() {
    let nccl = G5.nccl(2);
    let latency = nccl.latency(Algorithm::Ring, Protocol::LL);
    assert_eq!((latency.base_us, latency.intra_us, latency.hops, latency.hop_us), (6.6, 0.0, 2.0, 5.0));
    assert!((nccl.bandwidth(Algorithm::Ring, Protocol::LL) - 0.6).abs() < 1e-12);
    assert!((nccl.time_us(Algorithm::Ring, Protocol::LL, KIB).unwrap() - 18.306_666_7).abs() < 1e-6);
}

/// By hand for two p4d: 8.4 + 28 * max(3.4, 3) + 2 * (14 + 2 * 75).
#[test]
fn the_network_is_waited_for_twice_by_the_simple_protocol() {
    let latency = P4D.nccl(2).latency(Algorithm::Ring, Protocol::Simple);
    assert!((latency.total_us() - (8.4 + 28.0 * 3.4 + 2.0 * 164.0)).abs() < 1e-9);
}

#[test]
fn ll128_needs_nvlink_and_no_host_bridge() {
    for (system, nodes, expected) in
        [(&G5, 2, false), (&G5_12XLARGE, 1, false), (&P3, 1, true), (&P3, 2, false), (&P4D, 2, true)]
    {
        assert_eq!(
            system.nccl(nodes).enabled(Algorithm::Ring, Protocol::LL128),
            expected,
            "{}",
            system.intra
        );
    }
}

#[test]
fn the_switch_reduces_from_hopper_on_and_with_the_simple_protocol_alone() {
    assert!(!P4D.nccl(1).enabled(Algorithm::Nvls, Protocol::Simple));
    assert!(P5.nccl(1).enabled(Algorithm::Nvls, Protocol::Simple));
    assert!(!P5.nccl(1).enabled(Algorithm::Nvls, Protocol::LL));
    assert!(!P5.nccl(2).enabled(Algorithm::Nvls, Protocol::Simple));
    assert!(P5.nccl(2).enabled(Algorithm::NvlsTree, Protocol::Simple));
}

#[test]
fn a_single_rank_has_nothing_to_send() {
    let nccl = G5.nccl(1);
    assert_eq!(nccl.choose(MIB).time_us, 0.0);
    assert_eq!(nccl.gather_time_us(MIB), 0.0);
}

/// Each rank sends 2(n-1)/n of the bytes around a ring, which tends to twice the bytes.
#[test]
fn a_ring_of_many_ranks_tends_to_twice_the_bytes_over_the_bandwidth() {
    let bytes = 1 << 50;
    let time_us = G5.nccl(4096).time_us(Algorithm::Ring, Protocol::Simple, bytes).unwrap();
    let right_us = 2.0 * bytes as f64 / (1_000.0 * 1.2);
    assert!((time_us / right_us - 1.0).abs() < 1e-3, "{time_us} {right_us}");
}

/// By hand for two g5.12xlarge and 1 GiB: 8.4 + 6 * max(5.7, 6) + 14, and 7/8 of the bytes at 5 GB/s.
#[test]
fn an_all_gather_is_one_round_of_the_ring() {
    let bytes = 1 << 30;
    let right_us = 8.4 + 6.0 * 6.0 + 14.0 + bytes as f64 * 7.0 / 8.0 / 5_000.0;
    assert!((G5_12XLARGE.nccl(2).gather_time_us(bytes) / right_us - 1.0).abs() < 1e-12);
}

fn faster(bandwidth: ChannelBandwidth, times: f64) -> ChannelBandwidth {
    ChannelBandwidth { intra: bandwidth.intra * times, inter: bandwidth.inter * times }
}

proptest! {
    #[test]
    fn with_algorithm_and_protocol_fixed_more_bandwidth_never_slows(
        system in 0_usize..7,
        nodes in 1_u32..64,
        power in 0_u32..40,
        times in 1.0_f64..16.0,
    ) {
        let system = [&G5, &G5_12XLARGE, &G4DN_12XLARGE, &P3, &P4D, &P5, &B200][system];
        let (bytes, before) = (1 << power, system.nccl(nodes));
        let mut after = before;
        after.graph.ring = faster(before.graph.ring, times);
        after.graph.tree = faster(before.graph.tree, times);
        after.graph.nvls = before.graph.nvls
            .map(|nvls| NvlsGraph { bandwidth: faster(nvls.bandwidth, times), ..nvls });
        for algorithm in Algorithm::ALL {
            for protocol in Protocol::ALL {
                let pair = [&before, &after].map(|nccl| nccl.time_us(algorithm, protocol, bytes));
                prop_assert!(pair[1] <= pair[0], "{algorithm:?} {protocol:?} {pair:?}");
            }
        }
        prop_assert!(after.choose(bytes).time_us <= before.choose(bytes).time_us);
    }

    /// Whatever the numbers: a graph that carries something, or a reason.
    #[test]
    fn any_topology_has_a_graph_or_a_reason(
        intra in 0_usize..5,
        (nodes, gpus_per_node, sm) in (0_u32..5, 0_u32..20, 50_u32..130),
        (nics, nic_gb_per_s) in (0_u32..40, -1.0_f64..200.0),
        cpu in prop::sample::select(vec!["bdw", "skl", "spr", "emr", "rome", "grace"]),
    ) {
        let intra = [
            None, Some(Intra::NvSwitch), Some(Intra::NvLinkMesh), Some(Intra::NvLinkAllToAll),
            Some(Intra::HostMemory { pcie: 4, sockets: 2 }),
        ][intra];
        let inter = Some(Inter { transport: Transport::Rdma, nics, nic_gb_per_s });
        let cpu = cpu.parse().unwrap();
        let topology = Topology { nodes, gpus_per_node, sm, cpu, intra, inter, net_latency_us: 0.0 };
        if let Ok(nccl) = Nccl::of(&topology) {
            let time_us = nccl.choose(MIB).time_us;
            prop_assert!(time_us.is_finite() && (time_us > 0.0) == (nccl.ranks.count() > 1), "{nccl:?}");
        }
    }

    #[test]
    fn the_choice_is_the_least_of_what_is_considered(nodes in 1_u32..64, power in 0_u32..40) {
        for system in [&G5_12XLARGE, &P3, &P5] {
            let nccl = system.nccl(nodes);
            let choice = nccl.choose(1 << power);
            for algorithm in Algorithm::ALL {
                for protocol in Protocol::ALL {
                    let time_us = nccl.time_us(algorithm, protocol, 1 << power);
                    prop_assert!(time_us.is_none_or(|time_us| choice.time_us <= time_us));
                }
            }
        }
    }
}
