//! `[job.input]`: how samples come to the GPU.

use super::reader::Reader;
use super::section::Section;
use crate::units::{Bandwidth, Bytes, Span};

/// What `[job.input]` says; nothing of it is derived yet.
#[derive(Debug, Clone, PartialEq)]
pub struct InputKeys {
    /// Loader processes of each GPU; `None`: the node's vCPUs over its GPUs.
    pub workers: Option<u32>,
    /// One core's time to make a sample.
    pub cpu_time_per_sample: Span,
    /// Bytes read for a sample, before it is decoded.
    pub read_per_sample: Option<Bytes>,
    /// Bytes of a sample as the GPU takes it.
    pub bytes_per_sample: Option<Bytes>,
    /// Where samples are read from.
    pub from: Store,
    /// What that store gives each node, if the scenario says so.
    pub bandwidth: Option<Bandwidth>,
    /// Whether batches are copied from pinned memory.
    pub pinned: bool,
}

/// Where samples are read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Store {
    /// They are made up, or lie in the host's memory.
    Memory,
    /// Drives of the node.
    Local,
    /// Network storage with a rate of its own.
    Ebs,
    /// Object storage, over the network card that the gradients use.
    S3,
}

/// Reads `[job.input]`; `None` where the table is absent or wrong.
pub(super) fn read_input(s: &mut Section<'_, '_>) -> Option<InputKeys> {
    let field = s.reader.field("input");
    let inner: Reader<'_> = field.table()?;
    let mut s = Section::new(inner, s.echo, "job.input");
    let workers = s.reader.field("workers").whole(1..=1_024_u32);
    if let Some(workers) = workers {
        s.echo("workers", workers.to_string(), "of each GPU");
    }
    let time = s.reader.required("cpu_time_per_sample", "cpu_time_per_sample = \"1.4 ms\"");
    let cpu_time_per_sample: Option<Span> = time.quantity();
    if let Some(span) = cpu_time_per_sample {
        s.echo("cpu_time_per_sample", super::echo::quoted(&span.to_string()), "of one core");
    }
    let bytes_per_sample = s.quantity("bytes_per_sample");
    let stores = [("memory", Store::Memory), ("local", Store::Local), ("ebs", Store::Ebs), ("s3", Store::S3)];
    let from = s.word_or_first("from", &stores);
    let read_per_sample = s.quantity("read_per_sample");
    let bandwidth = s.quantity("bandwidth");
    if from == Store::Memory {
        for key in ["read_per_sample", "bandwidth"] {
            let field = s.reader.field(key);
            if field.is_given() {
                field.refuse(
                    format!("`{key}` has no effect where samples come from memory"),
                    "add `from = \"s3\"`, \"ebs\" or \"local\"",
                );
            }
        }
    } else if read_per_sample.is_none() {
        s.reader.refuse(
            "`read_per_sample` is missing in [job.input]",
            "say how many bytes a sample has where it is stored: read_per_sample = \"110 kB\"",
        );
    }
    let pinned = s.flag_or("pinned", false);
    s.reader.finish();
    let cpu_time_per_sample = cpu_time_per_sample?;
    Some(InputKeys {
        workers,
        cpu_time_per_sample,
        read_per_sample,
        bytes_per_sample,
        from,
        bandwidth,
        pinned,
    })
}
