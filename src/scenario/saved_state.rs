//! What a checkpoint holds, where it goes, and how long it travels.

use super::assumed::Assumed;
use super::input::Store;
use super::job::Job;
use super::reader::Reader;
use super::throughput::Machines;
use crate::facts::Estimate;
use crate::units::{Bandwidth, Bytes, Span};

/// The state that a checkpoint keeps, as far as `[checkpoint]` and `[job]` tell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SavedState {
    /// All of it.
    pub size: Option<Bytes>,
    /// Where it goes.
    pub to: Option<Store>,
    /// Whether it is given in the scenario.
    pub size_is_given: bool,
    /// What a node writes, and reads, of [`Self::to`], if the scenario says so.
    bandwidth: Option<Bandwidth>,
    /// How many nodes write a part each.
    pub writers: u32,
}

/// Bytes of a number in fp32, in which weights and the optimizer's state are saved.
const NUMBER_BYTES: f64 = 4.0;

/// Reads `size`, `to` and `bandwidth`; `sharded`: every rank writes its part.
pub(super) fn read_saved_state(
    reader: &mut Reader<'_>,
    job: Option<&Job>,
    nodes: u32,
    sharded: bool,
) -> SavedState {
    let given: Option<Bytes> = reader.field("size").quantity();
    let model = job.and_then(|job| job.model.as_ref().map(|model| (job, model)));
    let derived = model.map(|(job, model)| {
        let numbers = 1.0 + job.optimizer.state_numbers();
        Bytes::new((model.params as f64 * numbers * NUMBER_BYTES) as u64)
    });
    let stores = [("local", Store::Local), ("ebs", Store::Ebs), ("s3", Store::S3)];
    SavedState {
        size: given.or(derived),
        size_is_given: given.is_some(),
        to: reader.field("to").word(&stores),
        bandwidth: reader.field("bandwidth").quantity(),
        writers: if sharded { nodes } else { 1 },
    }
}

impl SavedState {
    /// How long the slowest node writes.
    pub fn write(&self, machines: &Machines) -> Option<Span> {
        self.travel(machines, true)
    }

    /// What the slowest node writes, and at which rate it can.
    pub fn sent(&self, machines: &Machines) -> Option<(Bytes, Bandwidth)> {
        let part = self.size?.as_f64() / f64::from(self.writers);
        Some((Bytes::new(part.ceil() as u64), self.write_rate(machines)?))
    }

    /// How long a node reads what it needs: its part where each node wrote one, else all of it.
    pub fn read(&self, machines: &Machines) -> Option<Span> {
        self.travel(machines, false)
    }

    /// How long the accelerators copy it to their hosts: one of them, or all where each has its part.
    pub fn snapshot(&self, machines: &Machines) -> Option<Span> {
        let parts = if self.writers > 1 { machines.ranks() } else { 1 };
        let rate = machines.catalogue.training().host_copy_pageable_bytes_per_s.value;
        Some(Span::from_secs_saturating(self.size?.as_f64() / f64::from(parts) / rate))
    }

    /// What a node writes of the target.
    pub fn write_rate(&self, machines: &Machines) -> Option<Bandwidth> {
        self.bandwidth.or(rate(self.to?, machines, true))
    }

    /// The rate of the catalogue that saves hang on, in words, where the scenario gives none.
    pub fn assumed(&self, machines: &Machines) -> Option<Assumed> {
        let rate = match self.bandwidth {
            Some(_) => None,
            None => rate(self.to?, machines, true),
        }?;
        let storage = machines.catalogue.storage();
        let (target, fact) = match self.to? {
            Store::Local => ("local drives", &storage.local_drive_write_bytes_per_s),
            Store::Ebs => ("EBS", &storage.ebs_volume_bytes_per_s),
            Store::S3 | Store::Memory => ("S3", &storage.s3_write_request_bytes_per_s),
        };
        let instance = &machines.instance.instance.name;
        let (date, confidence) = (&fact.date, super::echo::first_clause(&fact.confidence));
        let value = format!("{instance}: a node saves to {target} at {rate}");
        let sentence = format!("{value} ({date}, confidence {confidence})");
        let source = super::echo::first_clause(&fact.source);
        Some(Assumed::new("Saves", sentence).with(value, source, date).trusted(confidence))
    }

    fn travel(&self, machines: &Machines, writing: bool) -> Option<Span> {
        let rate = match self.bandwidth {
            Some(rate) => rate,
            None => rate(self.to?, machines, writing)?,
        };
        let seconds = rate.secs_for(self.size?) / f64::from(self.writers);
        Some(Span::from_secs_saturating(seconds))
    }
}

/// What the catalogue knows of one node's rate to or from a target: of a volume, of its drives, or of as
/// many requests as it has under way, as far as the instance lets them through.
fn rate(target: Store, machines: &Machines, writing: bool) -> Option<Bandwidth> {
    let storage = machines.catalogue.storage();
    let instance = machines.instance.instance;
    let of = |write: &Estimate, read: &Estimate| if writing { write.value } else { read.value };
    let bytes_per_s = match target {
        Store::Memory => return None,
        Store::Local => {
            let drive = of(&storage.local_drive_write_bytes_per_s, &storage.local_drive_read_bytes_per_s);
            f64::from(instance.local_nvme_drives?) * drive
        }
        Store::Ebs => instance.ebs_baseline?.bytes_per_s().min(storage.ebs_volume_bytes_per_s.value),
        Store::S3 => {
            let request = of(&storage.s3_write_request_bytes_per_s, &storage.s3_read_request_bytes_per_s);
            (request * storage.s3_requests.value).min(instance.network_baseline.bytes_per_s())
        }
    };
    Bandwidth::from_bytes_per_s(bytes_per_s)
}
