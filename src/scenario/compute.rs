//! `[compute]`: how fast the GPUs are.

use super::echo::quoted;
use super::section::Section;
use crate::units::Span;
use std::ops::Bound;

/// What `[compute]` says.
#[derive(Debug, Clone, PartialEq)]
pub struct ComputeKeys {
    /// One way to say it outright, if any is used.
    pub given: Option<Given>,
    /// A file of measured kernels, or a name of the catalogue's.
    pub calibration: Option<String>,
    /// Whether a file measured on another device, or another class of device, will do.
    pub accept_class: bool,
    /// Whether attention is one fused kernel.
    pub fused_attention: bool,
    /// Whether element-wise operations are fused by a compiler.
    pub compiled: bool,
    /// Micro-batches whose gradients are summed before they travel.
    pub accumulate: u32,
    /// What is spread over the ranks.
    pub sharding: ShardingKey,
}

/// Speed given outright.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Given {
    /// One whole step; no communication is added.
    StepTime(Span),
    /// Samples per second of the whole cluster; no communication is added.
    SamplesPerS(f64),
    /// The GPU's time for one sample; communication and input are modelled.
    TimePerSample(Span),
    /// In place of the catalogue's efficiencies.
    Efficiency(f64),
}

/// What is spread over the ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShardingKey {
    /// Nothing: every rank has it all.
    Ddp,
    /// Optimizer state.
    Zero1,
    /// Optimizer state and gradients.
    Zero2,
    /// All, gathered when it is needed.
    Fsdp,
    /// All inside a node, copies across nodes.
    Hybrid,
}

/// In place of a file: none. So a sweep can have runs with and without.
const NO_FILE: &str = "none";

/// Keys of which `[compute]` takes one.
pub(super) const SPEEDS: [&str; 4] = ["step_time", "samples_per_s", "time_per_sample", "efficiency"];

/// Reads `[compute]`.
pub(super) fn read_compute(mut s: Section<'_, '_>) -> ComputeKeys {
    let given = match s.reader.one_of("way to say how fast it is", &SPEEDS) {
        Some(("step_time", _)) => s.positive_span("step_time").map(Given::StepTime),
        Some(("time_per_sample", _)) => s.positive_span("time_per_sample").map(Given::TimePerSample),
        Some(("samples_per_s", field)) => {
            field.number((Bound::Excluded(0.0), Bound::Included(1e12))).map(|rate| {
                s.echo("samples_per_s", rate.to_string(), "of the whole cluster");
                Given::SamplesPerS(rate)
            })
        }
        Some((_, field)) => field.number((Bound::Excluded(0.0), Bound::Included(1.5))).map(|efficiency| {
            s.echo("efficiency", efficiency.to_string(), "of the roofline, for arithmetic and memory alike");
            Given::Efficiency(efficiency)
        }),
        None => None,
    };
    let calibration = s.reader.field("calibration");
    if calibration.is_given() && given.is_some() {
        calibration
            .refuse("`calibration` has no effect where the speed is given outright", "keep one of them");
    }
    let calibration = calibration.text().filter(|_| given.is_none()).map(str::to_owned);
    if let Some(path) = &calibration {
        s.echo("calibration", quoted(path), if path == NO_FILE { "the roofline alone" } else { "" });
    }
    let calibration = calibration.filter(|path| path != NO_FILE);
    let accept_class = s.flag_or("accept_class", false);
    let attention = s.word_or_first("attention", &[("fused", true), ("unfused", false)]);
    let compiled = s.flag_or("compiled", false);
    let accumulate = s.reader.field("accumulate").whole(1..=65_536_u32).unwrap_or(1);
    s.echo("accumulate", accumulate.to_string(), "micro-batches a step");
    let shardings = [
        ("ddp", ShardingKey::Ddp),
        ("zero-1", ShardingKey::Zero1),
        ("zero-2", ShardingKey::Zero2),
        ("fsdp", ShardingKey::Fsdp),
        ("hybrid", ShardingKey::Hybrid),
    ];
    let sharding = s.word_or_first("sharding", &shardings);
    s.reader.finish();
    ComputeKeys {
        given,
        calibration,
        accept_class,
        fused_attention: attention,
        compiled,
        accumulate,
        sharding,
    }
}
