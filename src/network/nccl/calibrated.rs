//! How long an all-reduce takes on a real fabric: NCCL's model with measured figures in it.

use super::Nccl;
use super::algorithm::{Algorithm, Protocol};
use super::fit::SizeCurve;

/// Share of NCCL's bandwidth that LL128 reaches beside that of the other protocols. Fitted by hand to the rows of
/// `data/verify/nccl_measured.csv`; 0.7 to 1 make less than half a point of difference.
const LL128_SHARE: f64 = 0.7;

/// Figures of one fabric, for
/// `time = latency_factor × NCCL's latency + hops × hop_us + bytes / (efficiency × NCCL's bandwidth)`.
///
/// NCCL's latency is that without a network latency of its own; a hop counts double under Simple, as it does there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FabricFit {
    /// What NCCL's latency is multiplied by.
    pub latency_factor: f64,
    /// Latency of the network per hop, microseconds; 0 within a node.
    pub hop_us: f64,
    /// Share of NCCL's bandwidth that is reached.
    pub efficiency: f64,
    /// What a node sends at most, GB/s (10^9 bytes/s), however fast its NICs; `None`: no limit is known.
    pub rate_max_gb_per_s: Option<f64>,
}

impl FabricFit {
    /// Number of figures.
    pub(super) const COUNT: usize = 4;

    /// Its figures, by the exponentials of `logs`; `has` says which there are.
    pub(super) fn from_logs(logs: [f64; Self::COUNT], has: [bool; Self::COUNT]) -> Self {
        Self {
            latency_factor: libm::exp(logs[0]),
            hop_us: if has[1] { libm::exp(logs[1]) } else { 0.0 },
            efficiency: libm::exp(logs[2]),
            rate_max_gb_per_s: has[3].then(|| libm::exp(logs[3])),
        }
    }
}

/// One communicator on a fabric with figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibrated {
    /// NCCL's own model of it.
    pub nccl: Nccl,
    /// Figures of its fabric.
    pub fit: FabricFit,
    /// What a node's NICs carry at present, all together, GB/s (10^9 bytes/s); `None`: what NCCL takes them to
    /// carry. Burst credits change it, NCCL's rings stay.
    pub nic_gb_per_s: Option<f64>,
    /// What was measured on this very system, over what the figures give, by size.
    pub curve: Option<SizeCurve>,
}

/// A predicted all-reduce.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AllReduce {
    /// How long it takes.
    pub time_s: f64,
    /// Who sends to whom.
    pub algorithm: Algorithm,
    /// How arrival is told.
    pub protocol: Protocol,
    /// Bytes that each rank sends around a ring, over the time, GB/s (10^9 bytes/s).
    pub bus_gb_per_s: f64,
}

impl Calibrated {
    /// With the figures of a class and NICs at the rate that NCCL takes them to carry.
    pub fn new(nccl: Nccl, fit: FabricFit) -> Self {
        Self { nccl, fit, nic_gb_per_s: None, curve: None }
    }

    /// An all-reduce of `bytes`: the fastest way that NCCL considers. (NCCL takes the one that it believes to be the
    /// fastest; releases differ in that belief, and the least time predicts measured ones better.)
    pub fn all_reduce(&self, bytes: u64) -> AllReduce {
        let fit = FabricFit { rate_max_gb_per_s: self.rate_max(), ..self.fit };
        let terms = Terms::of(&self.nccl, bytes);
        let best = fastest(&terms, &fit);
        let ranks = f64::from(self.nccl.ranks.count());
        let curve = self.curve.as_ref().map_or(1.0, |curve| curve.factor(bytes));
        let time_s = best.time_us(&fit) * curve / 1e6;
        let sent = 2.0 * (ranks - 1.0) / ranks * bytes as f64;
        AllReduce {
            time_s,
            algorithm: best.algorithm,
            protocol: best.protocol,
            bus_gb_per_s: if time_s > 0.0 { sent / time_s / 1e9 } else { 0.0 },
        }
    }

    /// Seconds of an all-gather, or a reduce-scatter, of `bytes` gathered: those of the all-reduce, in the
    /// relation in which NCCL's own model has the two. No fabric's figures were fitted to gathers.
    pub fn gather_s(&self, bytes: u64) -> f64 {
        match self.nccl.ranks.count() {
            1 => 0.0,
            _ => {
                let relation = self.nccl.gather_time_us(bytes) / self.nccl.choose(bytes).time_us;
                self.all_reduce(bytes).time_s * relation
            }
        }
    }

    /// The lower of the fabric's own limit and what of the NICs' present rate is reached.
    fn rate_max(&self) -> Option<f64> {
        let nics = self.nic_gb_per_s.map(|rate| self.fit.efficiency * rate);
        match (self.fit.rate_max_gb_per_s, nics) {
            (Some(limit), Some(nics)) => Some(limit.min(nics)),
            (limit, nics) => limit.or(nics),
        }
    }
}

/// One way to all-reduce a number of bytes: what the figures of a fabric are multiplied with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Terms {
    algorithm: Algorithm,
    protocol: Protocol,
    /// NCCL's latency, microseconds.
    latency_us: f64,
    /// Hops between nodes, as often as their latency counts.
    hops: f64,
    /// Bytes over NCCL's bandwidth, microseconds.
    transfer_us: f64,
    /// Bytes that a node sends, in units of 1,000: over GB/s, microseconds.
    sent_kb: f64,
}

impl Terms {
    /// Every way that NCCL considers for `bytes`.
    pub(super) fn of(nccl: &Nccl, bytes: u64) -> Vec<Self> {
        let pairs = Algorithm::ALL.into_iter().flat_map(|a| Protocol::ALL.into_iter().map(move |p| (a, p)));
        let enabled = pairs.filter(|(algorithm, protocol)| nccl.enabled(*algorithm, *protocol));
        enabled.map(|(algorithm, protocol)| Self::way(nccl, algorithm, protocol, bytes)).collect()
    }

    fn way(nccl: &Nccl, algorithm: Algorithm, protocol: Protocol, bytes: u64) -> Self {
        if nccl.ranks.count() == 1 {
            return Self { algorithm, protocol, latency_us: 0.0, hops: 0.0, transfer_us: 0.0, sent_kb: 0.0 };
        }
        let latency = nccl.latency(algorithm, protocol);
        let plateau = nccl.plateau(algorithm, protocol, bytes);
        let net_times = if protocol == Protocol::Simple { 2.0 } else { 1.0 };
        let hop_us = latency.hop_us - net_times * nccl.ranks.net_latency_us;
        let share = if protocol == Protocol::LL128 { LL128_SHARE } else { 1.0 };
        let gb_per_s =
            nccl.bandwidth(algorithm, protocol) * nccl.correction(algorithm, protocol, bytes) * share;
        Self {
            algorithm,
            protocol,
            latency_us: plateau * (latency.base_us + latency.intra_us + latency.hops * hop_us),
            hops: plateau * latency.hops * net_times,
            transfer_us: bytes as f64 / (1_000.0 * gb_per_s),
            sent_kb: sent_share(nccl, algorithm) * flags(protocol) * bytes as f64 / 1_000.0,
        }
    }

    /// Microseconds.
    pub(super) fn time_us(&self, fit: &FabricFit) -> f64 {
        fit.latency_factor * self.latency_us + fit.hop_us * self.hops + self.bytes_us(fit).0
    }

    /// Time for the bytes, microseconds, and whether the rate limit bounds it.
    fn bytes_us(&self, fit: &FabricFit) -> (f64, bool) {
        let by_links = self.transfer_us / fit.efficiency;
        let by_limit = fit.rate_max_gb_per_s.map_or(0.0, |rate| self.sent_kb / rate);
        if by_limit > by_links { (by_limit, true) } else { (by_links, false) }
    }

    /// Derivatives of [`Self::time_us`] by the logarithms of the figures, in their order.
    pub(super) fn slopes(&self, fit: &FabricFit) -> [f64; FabricFit::COUNT] {
        let (bytes_us, limited) = self.bytes_us(fit);
        let (by_efficiency, by_rate) = if limited { (0.0, -bytes_us) } else { (-bytes_us, 0.0) };
        [fit.latency_factor * self.latency_us, fit.hop_us * self.hops, by_efficiency, by_rate]
    }
}

/// The way that takes least.
pub(super) fn fastest<'a>(terms: &'a [Terms], fit: &FabricFit) -> &'a Terms {
    terms
        .iter()
        .min_by(|a, b| a.time_us(fit).total_cmp(&b.time_us(fit)))
        .expect("rings with the simple protocol are always considered")
}

/// Bytes that the busiest node sends, over those of the all-reduce.
fn sent_share(nccl: &Nccl, algorithm: Algorithm) -> f64 {
    let ranks = match algorithm {
        _ if nccl.ranks.nodes == 1 => return 0.0,
        Algorithm::Ring => nccl.ranks.count(),
        // Each node is a leaf of one of two trees; of two nodes, each roots one and sends half twice.
        Algorithm::Tree | Algorithm::Nvls | Algorithm::NvlsTree => nccl.ranks.nodes,
    };
    2.0 * (f64::from(ranks) - 1.0) / f64::from(ranks)
}

/// Bytes on the wire for each byte of data.
fn flags(protocol: Protocol) -> f64 {
    match protocol {
        Protocol::LL => 2.0,
        Protocol::LL128 => 128.0 / 120.0,
        Protocol::Simple => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Inter, Processor, Topology, Transport};
    use super::*;

    const FIT: FabricFit =
        FabricFit { latency_factor: 1.0, hop_us: 90.0, efficiency: 0.615, rate_max_gb_per_s: None };

    fn g5(nodes: u32) -> Nccl {
        let inter = Some(Inter { transport: Transport::Sockets, nics: 1, nic_gb_per_s: 1.25 });
        let (cpu, intra) = (Processor::Amd, None);
        let topology = Topology { nodes, gpus_per_node: 1, sm: 86, cpu, intra, inter, net_latency_us: 0.0 };
        Nccl::of(&topology).unwrap()
    }

    /// Section 8 of the re-stated model: 8.4 + 2 (14 + 2 × 90) + S / (1000 × 0.615 × 1.2), here with a hop that
    /// counts double under Simple and the plateau of 1.4 on NCCL's own part and the hop.
    #[test]
    fn a_large_all_reduce_takes_its_latency_and_its_bytes() {
        let bytes = 1 << 27;
        let found = Calibrated::new(g5(2), FIT).all_reduce(bytes);
        let right_us = 1.4 * (8.4 + 2.0 * (14.0 + 180.0)) + bytes as f64 / (1_000.0 * 0.615 * 1.2);
        assert!((found.time_s * 1e6 - right_us).abs() < 1e-6 * right_us, "{found:?}");
        assert!((found.bus_gb_per_s - bytes as f64 / right_us / 1e3).abs() < 1e-9, "{found:?}");
    }

    /// Burst 10 Gbit/s, baseline 2.5: once the bytes rule, four times as long.
    #[test]
    fn without_credits_the_baseline_rules() {
        let burst = Calibrated::new(g5(4), FIT);
        let baseline = Calibrated { nic_gb_per_s: Some(0.3), ..burst.clone() };
        let bytes = 1 << 34;
        let ratio = baseline.all_reduce(bytes).time_s / burst.all_reduce(bytes).time_s;
        assert!((ratio - 4.0).abs() < 0.01, "{ratio}");
    }

    #[test]
    fn a_rate_limit_never_speeds_up() {
        for power in 10..32 {
            let free = Calibrated::new(g5(4), FIT).all_reduce(1 << power).time_s;
            let limited = FabricFit { rate_max_gb_per_s: Some(0.5), ..FIT };
            assert!(Calibrated::new(g5(4), limited).all_reduce(1 << power).time_s >= free);
        }
    }

    #[test]
    fn slopes_are_derivatives() {
        let logs = [0.1, 4.0, -0.4, -1.0];
        let fit = FabricFit::from_logs(logs, [true; 4]);
        for bytes in [1 << 12, 1 << 28] {
            let way = Terms::of(&g5(2), bytes)[2];
            for at in 0..4 {
                let mut moved = logs;
                moved[at] += 1e-6;
                let right = (way.time_us(&FabricFit::from_logs(moved, [true; 4])) - way.time_us(&fit)) / 1e-6;
                assert!((way.slopes(&fit)[at] - right).abs() < 1e-3 * way.time_us(&fit), "{at}");
            }
        }
    }

    #[test]
    fn one_rank_has_nothing_to_send() {
        let found = Calibrated::new(g5(1), FIT).all_reduce(1 << 20);
        assert_eq!((found.time_s, found.bus_gb_per_s), (0.0, 0.0));
    }
}
