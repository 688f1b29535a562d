//! Which fields of each fact are listed, under which names.

use super::InTable::{Always, IfRoom, No};
use super::{Field, InTable, Part};
use crate::compute::Calibration;
use crate::facts::{
    Catalogue, Cloud, Fabric, Gpu, Instance, Interconnect, InterruptionBucket, Model, NcclFigures,
};
use crate::units::{Bandwidth, Bytes, Price};
use serde_json::{Number, Value};

/// A field of a fact of type `T`: its key, its place in the table and its value.
type Of<T> = (&'static str, InTable, fn(&T) -> Value);

/// Fields and rows of a part; the first field is the name.
pub(super) fn rows(catalogue: &'static Catalogue, part: Part) -> (Vec<Field>, Vec<Vec<Value>>) {
    match part {
        Part::Instances => listed(&INSTANCE, catalogue.instances()),
        Part::Gpus => listed(&GPU, catalogue.gpus()),
        Part::Models => listed(&MODEL, catalogue.models()),
        Part::Networks => {
            let links: Vec<Link<'_>> = catalogue
                .fabrics()
                .map(Link::Between)
                .chain(catalogue.interconnects().map(Link::Inside))
                .collect();
            listed(&LINK, links.iter())
        }
        Part::AllReduce => listed(&FIGURES, catalogue.nccl_figures()),
        Part::Calibrations => {
            let files: Vec<KernelFile> = catalogue.calibrations().filter_map(kernel_file).collect();
            listed(&CALIBRATION, files.iter())
        }
    }
}

/// A name that may have been meant.
pub(super) fn nearest(catalogue: &Catalogue, part: Part, name: &str) -> Option<String> {
    match part {
        Part::Instances => catalogue.nearest_instance(name),
        Part::Gpus => catalogue.nearest_gpu(name).map(str::to_owned),
        Part::Models => catalogue.nearest_model(name).map(str::to_owned),
        Part::Networks | Part::AllReduce | Part::Calibrations => None,
    }
}

fn listed<'a, T: 'a>(fields: &[Of<T>], facts: impl Iterator<Item = &'a T>) -> (Vec<Field>, Vec<Vec<Value>>) {
    let row = |fact: &T| fields.iter().map(|(_, _, value)| value(fact)).collect();
    let rows = facts.map(row).collect();
    (fields.iter().map(|&(key, in_table, _)| Field { key, in_table }).collect(), rows)
}

/// A built-in calibration file.
struct KernelFile {
    name: &'static str,
    kernels: Calibration,
}

/// A file that cannot be read is one that a test of `tests/it/calibrate.rs` finds.
fn kernel_file((name, text): (&'static str, &'static str)) -> Option<KernelFile> {
    Some(KernelFile { name, kernels: Calibration::parse(text).ok()? })
}

/// Keys are those of calibration files.
const CALIBRATION: [Of<KernelFile>; 8] = [
    ("name", Always("calibration"), |f| text(f.name)),
    ("device", Always("device"), |f| text(&f.kernels.device)),
    ("class", Always("class"), |f| text(f.kernels.class.name())),
    ("formats", Always("products in"), |f| text(&f.kernels.product_formats().join(", "))),
    ("kernels", Always("kernels"), |f| f.kernels.kernels.len().into()),
    ("spread", IfRoom("spread"), |f| number(f.kernels.spread)),
    ("made", No, |f| f.kernels.made.as_deref().map_or(Value::Null, text)),
    ("date", Always("date"), |f| text(&f.kernels.date)),
];

/// Keys are those of `data/instances.toml`.
const INSTANCE: [Of<Instance>; 27] = [
    ("name", Always("instance"), |i| text(&i.name)),
    ("cloud", No, |i| text(cloud(i.cloud))),
    ("gpus", Always("GPUs"), |i| i.gpus.into()),
    ("gpu", Always("GPU"), |i| text(&i.gpu)),
    ("vcpus", No, |i| i.vcpus.into()),
    ("memory_gib", No, |i| gib(i.memory)),
    ("gpu_memory_gib", No, |i| gib(i.gpu_memory)),
    ("intra_node_interconnect", No, |i| text(&i.intra_node_interconnect)),
    ("local_nvme_drives", No, |i| i.local_nvme_drives.into()),
    ("local_nvme_gb", No, |i| i.local_nvme.map_or(Value::Null, |b| number(b.as_f64() / 1e9))),
    ("network_baseline_gbit_per_s", IfRoom("Gbit/s"), |i| gbit(i.network_baseline)),
    ("network_burst_gbit_per_s", No, |i| gbit(i.network_burst)),
    ("ebs_baseline_mb_per_s", No, |i| rate(i.ebs_baseline, 1e6)),
    ("ebs_burst_mb_per_s", No, |i| rate(i.ebs_burst, 1e6)),
    ("efa", No, |i| i.efa.into()),
    ("on_demand_usd_per_hour", Always("$/h"), |i| usd(Some(i.on_demand))),
    ("on_demand_date", Always("as of"), |i| text(&i.on_demand_date)),
    ("on_demand_2026_07_usd_per_hour", No, |i| usd(i.on_demand_2026_07)),
    ("sagemaker_training_usd_per_hour", Always("SageMaker"), |i| usd(i.sagemaker_training)),
    ("sagemaker_date", No, |i| words(i.sagemaker_date.as_deref())),
    ("sagemaker_basis", No, |i| words(i.sagemaker_basis.as_deref())),
    ("typical_spot_usd_per_hour", Always("Spot"), |i| usd(i.typical_spot)),
    ("spot_date", No, |i| words(i.spot_date.as_deref())),
    ("spot_savings", No, |i| i.spot_savings.map_or(Value::Null, number)),
    ("interruption_bucket", Always("lost/month"), |i| words(i.interruption.map(InterruptionBucket::label))),
    ("confidence", Always("note"), |i| text(&i.confidence)),
    ("source", No, |i| text(&i.source)),
];

/// Keys are those of `data/gpus.toml`.
const GPU: [Of<Gpu>; 20] = [
    ("name", Always("GPU"), |g| text(&g.name)),
    ("driver_name", No, |g| g.driver_name.as_deref().map_or(Value::Null, text)),
    ("bf16_dense_tflops", Always("bf16"), |g| g.bf16_dense_tflops.map_or(Value::Null, number)),
    ("fp16_dense_tflops", Always("fp16"), |g| number(g.fp16_dense_tflops)),
    ("tf32_dense_tflops", IfRoom("tf32"), |g| g.tf32_dense_tflops.map_or(Value::Null, number)),
    ("fp32_tflops", Always("fp32"), |g| number(g.fp32_tflops)),
    ("memory_gb", Always("GB"), |g| number(g.memory.as_f64() / 1e9)),
    ("bandwidth_gb_per_s", Always("GB/s"), |g| rate(Some(g.bandwidth), 1e9)),
    ("nvlink_gb_per_s_total", No, |g| rate(g.nvlink_total, 1e9)),
    ("tdp_w", IfRoom("W"), |g| number(g.tdp_w)),
    ("compute_efficiency", Always("of peak"), |g| number(g.compute_efficiency)),
    ("memory_efficiency", Always("of memory"), |g| number(g.memory_efficiency)),
    ("efficiency_rows", Always("rows"), |g| number(f64::from(g.efficiency_rows))),
    ("efficiency_spread", No, |g| g.efficiency_spread.map_or(Value::Null, number)),
    ("efficiency_date", Always("as of"), |g| text(&g.efficiency_date)),
    ("efficiency_confidence", Always("confidence"), |g| text(&g.efficiency_confidence)),
    ("efficiency_source", No, |g| text(&g.efficiency_source)),
    ("date", No, |g| text(&g.date)),
    ("confidence", No, |g| text(&g.confidence)),
    ("source", No, |g| text(&g.source)),
];

/// Keys are those of `data/models.toml`.
const MODEL: [Of<Model>; 17] = [
    ("name", Always("model"), |m| text(&m.name)),
    ("family", IfRoom("family"), |m| text(&m.family)),
    ("img_size", Always("image"), |m| m.img_size.into()),
    ("params", Always("parameters"), |m| m.params.into()),
    ("fwd_gmacs", Always("GMAC"), |m| number(m.fwd_gmacs)),
    ("fwd_macts", No, |m| number(m.fwd_macts)),
    ("tokens", IfRoom("tokens"), |m| m.tokens.into()),
    ("train_gflop_per_sample", Always("GFLOP/sample"), |m| number(m.train_gflop_per_sample)),
    ("grad_bytes_fp32", No, |m| m.grad_bytes_fp32.get().into()),
    ("grad_bytes_bf16", No, |m| m.grad_bytes_bf16.get().into()),
    ("ckpt_bytes_weights_fp32", No, |m| m.ckpt_bytes_weights_fp32.get().into()),
    ("ckpt_bytes_sgd_momentum", No, |m| m.ckpt_bytes_sgd_momentum.get().into()),
    ("ckpt_bytes_adam", No, |m| m.ckpt_bytes_adam.get().into()),
    ("origin", No, |m| text(&m.origin)),
    ("date", Always("as of"), |m| text(&m.date)),
    ("confidence", Always("confidence"), |m| text(&m.confidence)),
    ("source", No, |m| text(&m.source)),
];

/// Anything that gradients travel over.
enum Link<'a> {
    Between(&'a Fabric),
    Inside(&'a Interconnect),
}

impl Link<'_> {
    /// A word that both have.
    fn both(&self, fabric: fn(&Fabric) -> &str, interconnect: fn(&Interconnect) -> &str) -> Value {
        match self {
            Self::Between(of) => text(fabric(of)),
            Self::Inside(of) => text(interconnect(of)),
        }
    }
}

/// Keys are those of `data/networks.toml`; `joins` says which of its two tables.
const LINK: [Of<Link<'_>>; 7] = [
    ("name", Always("network"), |l| l.both(|f| &f.name, |i| &i.name)),
    ("joins", Always("joins"), |l| l.both(|_| "nodes", |_| "GPUs of a node")),
    ("class", Always("wire or class"), |l| l.both(|f| &f.wire, |i| &i.nccl)),
    ("applies_to", No, |l| match l {
        Link::Between(fabric) => list(&fabric.instances),
        Link::Inside(interconnect) => list(&interconnect.interconnects),
    }),
    ("date", Always("as of"), |l| l.both(|f| &f.date, |i| &i.date)),
    ("confidence", Always("note"), |l| l.both(|f| &f.confidence, |i| &i.confidence)),
    ("source", No, |l| l.both(|f| &f.source, |i| &i.source)),
];

/// Keys are those of `data/nccl_figures.toml`.
const FIGURES: [Of<NcclFigures>; 10] = [
    ("name", Always("class"), |f| text(&f.class)),
    ("latency_factor", Always("latency x"), |f| number(f.latency_factor)),
    ("hop_us", Always("hop, us"), |f| f.hop_us.map_or(Value::Null, number)),
    ("efficiency", Always("bandwidth x"), |f| number(f.efficiency)),
    ("rate_max_gb_per_s", Always("max GB/s"), |f| f.rate_max_gb_per_s.map_or(Value::Null, number)),
    ("time_low", Always("time from"), |f| number(f.time_low)),
    ("time_high", Always("to"), |f| number(f.time_high)),
    ("systems", Always("systems"), |f| f.systems.into()),
    ("rows", IfRoom("rows"), |f| f.rows.into()),
    ("confidence", Always("confidence"), |f| text(&f.confidence)),
];

fn cloud(cloud: Cloud) -> &'static str {
    match cloud {
        Cloud::Aws => "aws",
        Cloud::Gcp => "gcp",
        Cloud::Azure => "azure",
    }
}

fn text(words: &str) -> Value {
    Value::String(words.to_owned())
}

fn words(words: Option<&str>) -> Value {
    words.map_or(Value::Null, text)
}

fn list(words: &[String]) -> Value {
    text(&words.join(" "))
}

/// A number without the last binary digits that a change of unit leaves, whole where it is whole.
fn number(value: f64) -> Value {
    let value = (value * 1e9).round() / 1e9;
    if value.fract() == 0.0 && value.abs() < 9e15 {
        return Value::from(value as i64);
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

fn gib(bytes: Bytes) -> Value {
    number(bytes.as_f64() / f64::from(1 << 30))
}

fn gbit(bandwidth: Bandwidth) -> Value {
    number(bandwidth.bytes_per_s() * 8.0 / 1e9)
}

fn rate(bandwidth: Option<Bandwidth>, unit: f64) -> Value {
    bandwidth.map_or(Value::Null, |bandwidth| number(bandwidth.bytes_per_s() / unit))
}

fn usd(price: Option<Price>) -> Value {
    price.map_or(Value::Null, |price| number(price.as_usd_per_hour()))
}
