//! Steps as JSON.

use super::super::json::{market_word, number};
use super::figures::{Figures, bound, bound_word, hidden_ms, paces};
use crate::experiment::step::{ScalePoint, StepResult};
use crate::scenario::anatomy::{Calibrated, Form, GpuTime, Group, Loader, OperationTime, Pace};
use crate::scenario::load::Scenario;
use crate::units::Bandwidth;
use serde_json::{Map, Value, json};

/// `step.json`: `{schema, scenario, clusters}`, each cluster at its sustained pace and then pace by pace.
pub fn json(scenario: &Scenario, results: &[StepResult]) -> Value {
    json!({
        "schema": 1,
        "scenario": { "name": scenario.name, "title": scenario.title },
        "clusters": results.iter().map(cluster).collect::<Vec<_>>(),
    })
}

fn cluster(result: &StepResult) -> Value {
    let anatomy = &result.anatomy;
    let (form, calibration) = match &anatomy.form {
        Form::Roofline => ("roofline", None),
        Form::Light => ("light", None),
        Form::Calibrated(calibrated) => ("calibrated", Some(self::calibrated(calibrated))),
        Form::Given => ("given", None),
    };
    let mut map = json!({
        "name": result.name,
        "instance": result.instance,
        "nodes": anatomy.nodes,
        "gpus": anatomy.ranks,
        "market": market_word(result.market),
        "model": result.model,
        "precision": result.precision,
        "batch_per_gpu": number(result.batch_per_gpu),
        "samples_per_step": number(Some(anatomy.samples)),
        "form": form,
        "calibration": calibration,
        "bound": bound_word(bound(result, &anatomy.sustained)),
        "gpu": gpu(&anatomy.gpu),
        "memory_needed_bytes": anatomy.memory.map(|(needed, _)| needed.get()),
        "memory_bytes": anatomy.memory.map(|(_, has)| has.get()),
        "loader": anatomy.loader.as_ref().map(loader),
        "gradient_bytes": anatomy.gradients.get(),
        "sent_bytes": anatomy.sent.get(),
        "burst_lasts_h": anatomy.burst_lasts.map(|span| span.as_hours()),
        "paces": paces(anatomy).map(|(name, of)| pace(result, name, of)).collect::<Vec<_>>(),
        "fixed_global_batch": result.fixed_global_batch,
        "scaling": result.scaling.iter().map(scale_point).collect::<Vec<_>>(),
        "assumed": result.assumed,
    });
    if let Some(map) = map.as_object_mut() {
        map.extend(figures(&Figures::of(anatomy, &anatomy.sustained)));
    }
    map
}

fn calibrated(calibrated: &Calibrated) -> Value {
    json!({
        "file": calibrated.file,
        "device": calibrated.device,
        "class": calibrated.class,
        "date": calibrated.date,
        "accepted": calibrated.accepted,
        "measured_share": calibrated.measured,
        "interpolated_share": calibrated.between,
        "roofline_compute_ms": calibrated.roofline_s * 1e3,
    })
}

fn figures(figures: &Figures) -> Map<String, Value> {
    figures.named().into_iter().map(|(name, value)| (name.to_owned(), number(value))).collect()
}

fn gpu(gpu: &GpuTime) -> Value {
    let group = |group: &Group| json!({ "name": group.name, "time_ms": group.time_s * 1e3 });
    let operation = |of: &OperationTime| {
        json!({
            "name": of.name,
            "group": of.group,
            "count": of.count,
            "time_ms": of.time_s * 1e3,
            "roofline_ms": of.roofline_s * 1e3,
            "measured_ms": of.measured_s * 1e3,
            "interpolated_ms": of.between_s * 1e3,
        })
    };
    json!({
        "forward_ms": gpu.forward_s * 1e3,
        "backward_ms": gpu.backward_s * 1e3,
        "optimizer_ms": gpu.optimizer_s * 1e3,
        "groups": gpu.groups.iter().map(group).collect::<Vec<_>>(),
        "operations": gpu.operations.iter().map(operation).collect::<Vec<_>>(),
        "launch_bound": gpu.launch_bound,
    })
}

fn loader(loader: &Loader) -> Value {
    json!({
        "samples_per_s": loader.samples_per_s,
        "batch_ms": loader.batch_s * 1e3,
        "load": loader.load,
        "vcpus": loader.vcpus,
        "busy_cores": loader.busy_cores,
        "startup_ms": loader.startup_s * 1e3,
        "shared_memory_bytes": loader.shared_memory.get(),
    })
}

fn pace(result: &StepResult, name: &str, pace: &Pace) -> Value {
    let rate = |of: Option<Bandwidth>| of.map(Bandwidth::bytes_per_s);
    let bound =
        |(bound, seconds): &(_, f64)| json!({ "bound": bound_word(*bound), "time_ms": seconds * 1e3 });
    let bucket = |transfer: &crate::network::Transfer| {
        json!({
            "bytes": transfer.bytes.get(),
            "ready_ms": transfer.ready_s * 1e3,
            "start_ms": transfer.start_s * 1e3,
            "end_ms": transfer.end_s * 1e3,
        })
    };
    let mut map = json!({
        "pace": name,
        "nic_bytes_per_s": rate(pace.nic),
        "algorithm": pace.choice.map(|(algorithm, _)| algorithm),
        "protocol": pace.choice.map(|(_, protocol)| protocol),
        "bus_bytes_per_s": rate(pace.bus_bandwidth),
        "communication_ms": pace.communication_s() * 1e3,
        "hidden_comm_ms": hidden_ms(pace),
        "bounds": result.anatomy.bounds(pace).iter().map(bound).collect::<Vec<_>>(),
        "buckets": pace.transfers.iter().map(bucket).collect::<Vec<_>>(),
    });
    if let Some(map) = map.as_object_mut() {
        map.extend(figures(&Figures::of(&result.anatomy, pace)));
    }
    map
}

fn scale_point(point: &ScalePoint) -> Value {
    json!({
        "nodes": point.nodes,
        "step_ms": point.step_ms,
        "samples_per_s": point.samples_per_s,
        "efficiency": point.efficiency,
        "cost_usd_per_msample": point.usd_per_msample,
    })
}
