//! `[network]`: how gradients travel.

use super::capacity::ReadFile;
use super::echo::quoted;
use super::field::Field;
use super::problem::Problem;
use super::reader::nearest;
use super::section::Section;
use super::throughput::Machines;
use crate::facts::Catalogue;
use crate::network::{Compression, MeasuredFabric};
use crate::units::{Bandwidth, Bytes, Span};

/// What helps where the file is of other ranks.
pub(super) const OTHER_RANKS: &str = "measure on as many, or give `bandwidth` instead";

/// What `[network]` says; what it leaves open follows from the instance.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkKeys {
    /// How long an all-reduce takes, where the scenario says so itself.
    pub given: Option<AllReduceGiven>,
    /// Whether communication hides behind the backward pass.
    pub overlap: bool,
    /// Where the nodes stand.
    pub placement: Placement,
    /// What gradients become on the wire.
    pub compression: Compression,
    /// Largest bucket of gradients.
    pub bucket: Option<Bytes>,
    /// The class of network, if it is not the instance's.
    pub fabric: Option<String>,
    /// The card's rate that is always there, if it is not the instance's.
    pub baseline: Option<Bandwidth>,
    /// The card's rate while credits last, if it is not the instance's.
    pub burst: Option<Bandwidth>,
    /// How long full credits last at full use; zero: there are none.
    pub burst_time: Option<Span>,
}

/// How long an all-reduce takes, as the scenario says.
#[derive(Debug, Clone, PartialEq)]
pub enum AllReduceGiven {
    /// What it gets, one direction.
    Bandwidth(Bandwidth),
    /// A file of measured ones.
    Measured(Measured),
}

/// A file that `spotsim calibrate network` wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Its name in the scenario.
    pub file: String,
    /// What it says.
    pub fabric: MeasuredFabric,
}

impl Measured {
    /// Refuses machines other than those that were measured. One rank alone reduces with nobody: any file will do.
    pub(super) fn check(&self, machines: &Machines) -> Result<(), String> {
        let measured = (self.fabric.nodes, self.fabric.gpus_per_node);
        let cluster = (machines.nodes, machines.instance.instance.gpus);
        if measured == cluster || machines.ranks() < 2 {
            return Ok(());
        }
        Err(format!(
            "the calibration \"{}\" was measured on {} x {} GPUs, and the cluster has {} x {}",
            self.file, measured.0, measured.1, cluster.0, cluster.1
        ))
    }

    /// What the answer hangs on, for people.
    pub(super) fn words(&self) -> String {
        let MeasuredFabric { device, library, date, nodes, gpus_per_node, sizes, .. } = &self.fabric;
        let device = if device.is_empty() { "GPUs, kind not said" } else { device };
        let mut words = format!(
            "all-reduces as measured on {nodes} x {gpus_per_node} {device} (\"{}\", {library}, {date})",
            self.file
        );
        if let (Some(least), Some(most)) = (sizes.first(), sizes.last()) {
            let mb = |bytes: u64| bytes as f64 / 1e6;
            words += &format!(
                ", {:.3} to {:.3} MB; smaller ones take the time of the smallest, larger ones the rate of the largest",
                mb(least.bytes),
                mb(most.bytes)
            );
        }
        words
    }
}

/// Where the nodes of a cluster stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// In one zone, wherever there is room.
    SameZone,
    /// In a cluster placement group.
    Cluster,
    /// In several zones of a region.
    AcrossZones,
}

/// The spellings of [`Placement`].
pub const PLACEMENTS: [(&str, Placement); 3] = [
    ("same-zone", Placement::SameZone),
    ("cluster-group", Placement::Cluster),
    ("across-zones", Placement::AcrossZones),
];

/// Reads `[network]`.
pub(super) fn read_network(
    mut s: Section<'_, '_>,
    machines: &Machines,
    read_file: &ReadFile<'_>,
) -> NetworkKeys {
    let one = s.reader.one_of("way to say what an all-reduce gets", &["bandwidth", "calibration"]);
    let given = one.and_then(|(key, field)| match key {
        "bandwidth" => read_bandwidth(&mut s, &field).map(AllReduceGiven::Bandwidth),
        _ => read_measured(&mut s, &field, machines, read_file).map(AllReduceGiven::Measured),
    });
    if let Some(given) = &given {
        let beside = match given {
            AllReduceGiven::Bandwidth(_) => "bandwidth",
            AllReduceGiven::Measured(_) => "calibration",
        };
        for key in ["placement", "fabric", "baseline", "burst", "burst_time"] {
            let field = s.reader.field(key);
            if field.is_given() {
                field.refuse(format!("`{key}` has no effect beside `{beside}`"), "keep one of them");
            }
        }
    }
    let overlap = s.flag_or("overlap", true);
    let placement = match given {
        Some(_) => Placement::SameZone,
        None => s.word_or_first("placement", &PLACEMENTS),
    };
    let compression = read_compression(&mut s);
    let bucket = s.quantity("bucket");
    let fabric = read_fabric(&mut s, machines.catalogue);
    let baseline = s.quantity("baseline");
    let burst: Option<Bandwidth> = s.quantity("burst");
    let burst_time = s.quantity("burst_time");
    if let (Some(low), Some(high)) = (baseline, burst)
        && high < low
    {
        s.reader.field("burst").refuse_value("must be at least `baseline`");
    }
    s.reader.finish();
    NetworkKeys { given, overlap, placement, compression, bucket, fabric, baseline, burst, burst_time }
}

fn read_bandwidth(s: &mut Section<'_, '_>, field: &Field<'_>) -> Option<Bandwidth> {
    let bandwidth: Bandwidth = field.quantity()?;
    let note = format!("{} B/s, as the all-reduce gets it", bandwidth.bytes_per_s());
    s.echo("bandwidth", quoted(&bandwidth.to_string()), note);
    Some(bandwidth)
}

/// Reads the file of measured all-reduces; one of other ranks is refused.
fn read_measured(
    s: &mut Section<'_, '_>,
    field: &Field<'_>,
    machines: &Machines,
    read_file: &ReadFile<'_>,
) -> Option<Measured> {
    let path = field.text()?;
    let refuse = |why: String, help: &str| {
        let problem = Problem::error(why).at(field.place(), "");
        s.reader.report(if help.is_empty() { problem } else { problem.help(help) });
        None
    };
    let fabric = match read_file(path).map(|text| MeasuredFabric::from_toml(&text)) {
        Ok(Ok(fabric)) => fabric,
        Ok(Err(error)) => {
            let why = format!("the calibration \"{path}\" is not understood: {error}");
            return refuse(why, "`spotsim calibrate network --out FILE` writes one");
        }
        Err(error) => return refuse(format!("the calibration \"{path}\" cannot be read: {error}"), ""),
    };
    let measured = Measured { file: path.to_owned(), fabric };
    if let Err(error) = measured.check(machines) {
        return refuse(error, OTHER_RANKS);
    }
    s.echo("calibration", quoted(path), "");
    Some(measured)
}

fn read_compression(s: &mut Section<'_, '_>) -> Compression {
    let field = s.reader.field("compression");
    if let Some(super::tree::Value::Table(_)) = field.value() {
        let Some(mut inner) = field.table() else { return Compression::None };
        let inner_field = inner.required("powersgd", "compression = { powersgd = { rank = 4 } }");
        let rank = inner_field.table().and_then(|mut powersgd| {
            let rank = powersgd.required("rank", "rank = 4").whole(1..=4_096_u32);
            powersgd.finish();
            rank
        });
        inner.finish();
        let Some(rank) = rank else { return Compression::None };
        s.echo("compression", format!("{{ powersgd = {{ rank = {rank} }} }}"), "");
        return Compression::PowerSgd { rank };
    }
    // Both formats have two bytes: what they do to a model's training is not simulated.
    let words = [("none", Compression::None), ("bf16", Compression::Half), ("fp16", Compression::Half)];
    s.word_or_first("compression", &words)
}

fn read_fabric(s: &mut Section<'_, '_>, catalogue: &Catalogue) -> Option<String> {
    let field = s.reader.field("fabric");
    let name = field.text()?;
    if let Some(fabric) = catalogue.fabric(name) {
        s.echo("fabric", quoted(&fabric.name), "");
        return Some(fabric.name.clone());
    }
    let near = nearest(name, catalogue.fabrics().map(|fabric| fabric.name.as_str()));
    let label = near.map_or(String::new(), |name| format!("did you mean \"{name}\"?"));
    let problem = Problem::error(format!("unknown fabric `{name}`")).at(field.place(), label);
    s.reader.report(problem.help("`spotsim catalog networks` lists them"));
    None
}
