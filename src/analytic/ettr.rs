//! The useful share of the time for which a job is scheduled.

/// Expected ETTR of a long job, (1 - N r (u + Δ/2))/(1 + w/Δ): `nodes` N that fail `failures_per_node_s` r each, a
/// restart of `restart_s` u, saves every `interval_s` Δ that stall for `save_stall_s` w.
///
/// First order in losses: good while N r (u + Δ/2) is far below 1, below 0 where it is above. Source: A. Kokolis et al.,
/// HPCA 2025, arXiv 2410.21680.
pub fn useful_share(
    nodes: f64,
    failures_per_node_s: f64,
    restart_s: f64,
    interval_s: f64,
    save_stall_s: f64,
) -> f64 {
    let lost = nodes * failures_per_node_s * (restart_s + 0.5 * interval_s);
    (1.0 - lost) / (1.0 + save_stall_s / interval_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One failure in 100 h, half an hour lost each; saves take a tenth: 0.995/1.1.
    #[test]
    fn losses_and_stalls_both_count() {
        let share = useful_share(10.0, 1.0 / 3_600_000.0, 900.0, 1_800.0, 180.0);
        assert!((share - 0.995 / 1.1).abs() < 1e-15);
    }
}
