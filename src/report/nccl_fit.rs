//! NCCL's model fitted to one run of nccl-tests, in words and as JSON.

use super::calibrate::amount;
use super::number::fixed;
use super::text;
use crate::calibrate::instance::InstanceFit;
use crate::network::MeasuredFabric;
use serde_json::{Value, json};

/// Its figures, and beneath them what they leave over at each measured size.
pub(super) fn sentences(found: &InstanceFit, fabric: &MeasuredFabric) -> String {
    let left = sizes(fabric)
        .map(|bytes| format!("{} at {}", fixed(found.own.curve.factor(bytes), 2), amount(bytes)))
        .collect::<Vec<_>>()
        .join(", ");
    let curve = format!(
        "measured time over that of these figures: {left}. Between sizes the logarithm goes straight, beyond them it \
         stays."
    );
    text::beside("Fit", &[figures(found, fabric)]) + &text::beside("By size", &[curve])
}

fn figures(found: &InstanceFit, fabric: &MeasuredFabric) -> String {
    let fit = found.own.fit;
    let nodes = fabric.nodes;
    let mut parts = vec![format!("its latency × {}", fixed(fit.latency_factor, 2))];
    if fit.hop_us > 0.0 {
        parts.push(format!("{} µs a hop", fixed(fit.hop_us, 1)));
    }
    parts.push(format!("{} % of its bandwidth", fixed(fit.efficiency * 100.0, 1)));
    if let Some(rate) = fit.rate_max_gb_per_s {
        parts.push(format!("a node sends at most {} GB/s", fixed(rate, 2)));
    }
    format!(
        "NCCL's model of {nodes} × {} (fabric {}), not a line: {}. It is {} % off in the root mean square.",
        found.instance,
        found.class.name(),
        parts.join(", "),
        fixed(found.own.spread * 100.0, 1),
    )
}

/// Different sizes that have a time.
fn sizes(fabric: &MeasuredFabric) -> impl Iterator<Item = u64> {
    let mut sizes: Vec<u64> =
        fabric.sizes.iter().filter(|size| size.mean_us().is_some()).map(|size| size.bytes).collect();
    sizes.dedup();
    sizes.into_iter()
}

/// Every figure, unrounded.
pub(super) fn json(found: &InstanceFit, fabric: &MeasuredFabric) -> Value {
    let fit = found.own.fit;
    let curve = sizes(fabric).map(|bytes| json!({ "bytes": bytes, "factor": found.own.curve.factor(bytes) }));
    json!({
        "instance": found.instance,
        "fabric": found.class.name(),
        "latency_factor": fit.latency_factor,
        "hop_us": fit.hop_us,
        "efficiency": fit.efficiency,
        "rate_max_gb_per_s": fit.rate_max_gb_per_s,
        "spread": found.own.spread,
        "by_size": curve.collect::<Vec<_>>(),
    })
}
