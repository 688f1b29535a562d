//! `[network]`: how gradients travel.

use super::echo::quoted;
use super::problem::Problem;
use super::reader::nearest;
use super::section::Section;
use crate::facts::Catalogue;
use crate::network::Compression;
use crate::units::{Bandwidth, Bytes, Span};

/// What `[network]` says; what it leaves open follows from the instance.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkKeys {
    /// What the all-reduce gets, given outright.
    pub bandwidth: Option<Bandwidth>,
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
pub(super) fn read_network(mut s: Section<'_, '_>, catalogue: &Catalogue) -> NetworkKeys {
    let bandwidth: Option<Bandwidth> = s.reader.field("bandwidth").quantity();
    if let Some(b) = bandwidth {
        s.echo(
            "bandwidth",
            quoted(&b.to_string()),
            format!("{} B/s, as the all-reduce gets it", b.bytes_per_s()),
        );
        for key in ["placement", "fabric", "baseline", "burst", "burst_time"] {
            let field = s.reader.field(key);
            if field.is_given() {
                field.refuse(format!("`{key}` has no effect beside `bandwidth`"), "keep one of them");
            }
        }
    }
    let overlap = s.flag_or("overlap", true);
    let placement = match bandwidth {
        Some(_) => Placement::SameZone,
        None => s.word_or_first("placement", &PLACEMENTS),
    };
    let compression = read_compression(&mut s);
    let bucket = s.quantity("bucket");
    let fabric = read_fabric(&mut s, catalogue);
    let baseline = s.quantity("baseline");
    let burst: Option<Bandwidth> = s.quantity("burst");
    let burst_time = s.quantity("burst_time");
    if let (Some(low), Some(high)) = (baseline, burst)
        && high < low
    {
        s.reader.field("burst").refuse_value("must be at least `baseline`");
    }
    s.reader.finish();
    NetworkKeys { bandwidth, overlap, placement, compression, bucket, fabric, baseline, burst, burst_time }
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
