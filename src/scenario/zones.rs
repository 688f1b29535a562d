//! `zones`, `choose_zone` and `[zone.NAME]`: where a cluster may be, and what differs there.

use super::assumed::Assumed;
use super::capacity::read_capacity;
use super::checkpoint::Checkpoint;
use super::echo::{Echo, quoted};
use super::extras::Used;
use super::field::Field;
use super::head::Head;
use super::input::Store;
use super::plan::{Capacity, ChooseZone, Market};
use super::price_file::Replay;
use super::pricing::{Prices, read_pricing};
use super::problem::{Problem, Sink};
use super::reader::{Reader, nearest};
use super::section::Section;
use super::submit::begin_at_submit;
use super::tables::Tables;
use super::tree::{Table, Value};
use crate::capacity::path::Path;
use crate::records::region;
use crate::units::{Span, Timestamp};

/// Where a cluster rents when it does not say; all such clusters meet the same capacity.
pub(super) const ANY_ZONE: &str = "any";

/// Zones in which a cluster may be.
#[derive(Debug, Clone)]
pub(super) struct Zones {
    /// Their names; at least one, no two equal.
    pub names: Vec<String>,
    /// In which of those that have capacity it is asked for.
    pub choose: ChooseZone,
}

impl Zones {
    /// Those of a cluster that names none.
    pub fn any() -> Self {
        Self { names: vec![ANY_ZONE.to_owned()], choose: ChooseZone::First }
    }

    /// Whether they lie in several regions.
    pub fn in_several_regions(&self) -> bool {
        self.names.iter().any(|zone| region(zone) != region(self.first()))
    }

    /// The first, where what is the same in all is read.
    pub fn first(&self) -> &str {
        &self.names[0]
    }
}

/// Reads `zones` and `choose_zone` of a cluster that may be on so many instance types.
pub(super) fn read_zones(s: &mut Section<'_, '_>, instances: usize) -> Option<Zones> {
    let zones = s.reader.field("zones");
    let names = if zones.is_given() {
        zones.list_of(|item| item.text().map(str::to_owned))?
    } else {
        vec![ANY_ZONE.to_owned()]
    };
    if names.is_empty() {
        zones.refuse("`zones` is empty", "write zones = [\"us-east-1a\"]");
        return None;
    }
    if let Some(twice) = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name)) {
        zones.refuse(format!("`zones` names {} twice", quoted(twice.1)), "");
        return None;
    }
    let listed: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    s.echo("zones", format!("[{}]", listed.join(", ")), "");
    let words = [("first", ChooseZone::First), ("cheapest", ChooseZone::Cheapest)];
    let field = s.reader.field("choose_zone");
    let choose = match names.len() * instances {
        1 if field.is_given() => {
            field.word(&words)?;
            let problem = Problem::warning("`choose_zone` is not used: the cluster names one zone");
            s.reader.report(problem.at(field.place(), ""));
            ChooseZone::First
        }
        1 => ChooseZone::First,
        _ => s.word_or_first("choose_zone", &words),
    };
    Some(Zones { names, choose })
}

/// The table `name` among those of one `kind`, such as `[zone]`, of a file or of a cluster.
pub(super) fn named_table<'t>(table: &'t Table, kind: &str, name: &str) -> Option<&'t Table> {
    let all = table.entries.get(kind)?;
    let Value::Table(all) = &all.node.value else { return None };
    match &all.entries.get(name)?.node.value {
        Value::Table(table) => Some(table),
        _ => None,
    }
}

/// Checks `[zone]` of a file or a cluster: tables named as one of `names`, with what may differ between zones.
pub(super) fn check_zone_tables(table: &Table, names: &[&str], sink: &Sink) {
    let field = Reader::new(table, sink).field("zone");
    let Some(zones) = Some(field).filter(Field::is_given).and_then(|field| field.table()) else { return };
    for (name, field) in zones.all() {
        if !names.contains(&name) {
            let near = nearest(name, names.iter().copied());
            let label = near.map_or(String::new(), |near| format!("did you mean {}?", quoted(near)));
            let problem = Problem::error(format!("no cluster is in the zone {}", quoted(name)));
            let problem = problem.at(field.key_place(), label);
            sink.report(problem.help(format!("clusters name {}", names.join(", "))));
        }
        if let Some(mut inner) = field.table() {
            for key in ["capacity", "pricing"] {
                let field = inner.field(key);
                if field.is_given() {
                    field.table();
                }
            }
            inner.finish();
        }
    }
}

/// The name under which what holds in the zone `index` is echoed; nothing is where the zone is like the first.
fn echoed_as(tables: &Tables<'_>, name: &str, zones: &Zones, index: usize) -> Option<String> {
    let zone = &zones.names[index];
    match index {
        0 => Some(name.to_owned()),
        _ if tables.differs_in(name, zone) || tables.differs_in(name, zones.first()) => {
            Some(format!("zone.{}.{name}", quoted(zone)))
        }
        _ => None,
    }
}

/// The capacity of each zone.
pub(super) fn read_capacities(
    tables: &Tables<'_>,
    head: &Head,
    submit: Option<Timestamp>,
    job: &Table,
    assumed: &mut Vec<Assumed>,
    echo: &mut Echo,
) -> Vec<Option<Capacity>> {
    let zones = &head.zones;
    let sink = tables.context.sink;
    let of_zone = |(index, zone): (usize, &String)| {
        let table = tables.in_zone("capacity", zone);
        let mut unsaid = Echo::default();
        let section = match echoed_as(tables, "capacity", zones, index) {
            Some(name) => Section::new(Reader::new(&table, sink), echo, &name),
            None => Section::new(Reader::new(&table, sink), &mut unsaid, "capacity"),
        };
        let mut said = Vec::new();
        let read_file = tables.context.read_file;
        let mut capacity = read_capacity(section, zone, &head.instance, read_file, &mut said)?;
        begin_at_submit(&mut capacity, submit, &mut Reader::new(job, sink));
        said.extend(capacity.say_begin().map(|told| Assumed::new("Spot capacity", told)));
        if head.market == Market::Spot {
            said.retain(|sentence| !assumed.contains(sentence));
            assumed.extend(said);
        }
        Some(capacity)
    };
    zones.names.iter().enumerate().map(of_zone).collect()
}

/// The prices of each zone. What is billed beside Spot stays is that of the first.
pub(super) fn read_prices(
    tables: &Tables<'_>,
    head: &Head,
    capacities: &[Option<Capacity>],
    (submit, horizon): (Option<Timestamp>, Span),
    used: &Used,
    assumed: &mut Vec<Assumed>,
    echo: &mut Echo,
) -> Vec<Option<Prices>> {
    let context = tables.context;
    let spot = head.market == Market::Spot;
    let of_zone = |(index, (zone, capacity)): (usize, (&String, &Option<Capacity>))| {
        let table = tables.in_zone("pricing", zone);
        let mut unsaid = Echo::default();
        let section = match echoed_as(tables, "pricing", &head.zones, index) {
            Some(name) => Section::new(Reader::new(&table, context.sink), echo, &name),
            None => Section::new(Reader::new(&table, context.sink), &mut unsaid, "pricing"),
        };
        let trace = capacity.as_ref().and_then(|capacity| match &capacity.path {
            Path::Trace(trace) => Some(trace),
            _ => None,
        });
        let replay = Replay { zone, submit, trace, horizon, read_file: context.read_file };
        let mut said = Vec::new();
        let prices = read_pricing(section, &head.instance, spot, &replay, used, &mut said);
        said.retain(|sentence| !assumed.contains(sentence));
        assumed.extend(said);
        prices
    };
    head.zones.names.iter().zip(capacities).enumerate().map(of_zone).collect()
}

/// Whether what the cluster asks for goes with several zones; says what does not.
pub(super) fn check_zones(
    head: &Head,
    capacities: &[Capacity],
    prices: &[Prices],
    checkpoint: &Checkpoint,
    place: &Reader<'_>,
) -> bool {
    if capacities.len() == 1 {
        return true;
    }
    let mut right = true;
    let mut refuse = |what: &str, help: &str| {
        right = false;
        place.refuse(format!("{what} with several `zones` is not available in this version"), help);
    };
    if !head.size.is_rigid() {
        refuse("`min_nodes` or `spares`", "drop it, or name one zone");
    }
    if checkpoint.stored.is_some_and(|stored| stored.to == Some(Store::Ebs)) {
        refuse("`to = \"ebs\"`", "a volume lives in one zone; write `to = \"s3\"`");
    }
    if capacities.iter().any(|capacity| capacity.notice != capacities[0].notice) {
        refuse("a `notice` that differs between zones", "give all the same");
    }
    if prices.iter().any(|other| other.rule != prices[0].rule) {
        refuse("a pricing `rule` that differs between zones", "give all the same");
    }
    let every = place.table().entries.get("every").map(|entry| &entry.node.value);
    let is_optimum = matches!(every, Some(Value::Text(word)) if word == "optimum");
    if is_optimum && capacities.iter().any(|capacity| !lasts_alike(capacity, &capacities[0])) {
        let what = "`every = \"optimum\"` where losses follow other laws in another zone";
        refuse(what, "write a time such as \"15 min\"");
    }
    right
}

/// Whether gangs last for times of one law in both.
fn lasts_alike(one: &Capacity, other: &Capacity) -> bool {
    let shocks = |capacity: &Capacity| -> Vec<_> {
        capacity.shocks.iter().map(|shock| (shock.between.clone(), shock.hit)).collect()
    };
    (&one.path, &one.lifetime) == (&other.path, &other.lifetime) && shocks(one) == shocks(other)
}
