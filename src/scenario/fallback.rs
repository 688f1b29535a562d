//! `fallback_instances` and `[fallback.NAME]`: instance types that a gang takes where the first cannot be had.

use super::assumed::Assumed;
use super::cluster::{Cluster, Context, read_as};
use super::compute::Given;
use super::echo::quoted;
use super::field::Field;
use super::head::read_instance;
use super::plan::{ChooseZone, Machine, Market, Plan, SavedOn, Start, Zone};
use super::problem::{Problem, Sink};
use super::reader::{Reader, nearest};
use super::section::Section;
use super::source::Place;
use super::tables::Tables;
use super::tree::{Entry, Table, Value};
use super::zones::{check_zone_tables, named_table};
use crate::capacity::path::Path;
use crate::facts::{Catalogue, InstanceRef};
use crate::pricing::Rule;
use crate::rng::place_key;

/// Tables of which a further instance type may have its own.
const TABLES: [&str; 6] = ["compute", "network", "start", "checkpoint", "capacity", "pricing"];

/// Reads `fallback_instances` of a cluster whose first instance is `first`.
pub(super) fn read_fallbacks(
    s: &mut Section<'_, '_>,
    catalogue: &'static Catalogue,
    first: Option<InstanceRef<'static>>,
    market: Option<Market>,
) -> Option<Vec<InstanceRef<'static>>> {
    let field = s.reader.field("fallback_instances");
    if !field.is_given() {
        return Some(Vec::new());
    }
    let found = field.list_of(|item| read_instance(item, catalogue))?;
    if market == Some(Market::OnDemand) {
        field.refuse("`fallback_instances` has no effect On-Demand", "the first is always granted there");
        return None;
    }
    let all: Vec<_> = first.into_iter().chain(found.iter().copied()).collect();
    if let Some(twice) = all.iter().enumerate().find(|(index, one)| all[..*index].contains(one)) {
        let title = format!("the cluster names the instance {} twice", quoted(&twice.1.name()));
        field.refuse(title, "the first is `instance`, and these follow it");
        return None;
    }
    let names: Vec<String> = found.iter().map(|instance| quoted(&instance.name())).collect();
    s.echo("fallback_instances", format!("[{}]", names.join(", ")), "");
    Some(found)
}

/// Checks `[fallback]` of a file or a cluster: tables named as one of `instances`, with what may differ there.
pub(super) fn check_fallback_tables(
    table: &Table,
    instances: &[InstanceRef<'static>],
    zones: &[&str],
    sink: &Sink,
) {
    let field = Reader::new(table, sink).field("fallback");
    let Some(found) = Some(field).filter(Field::is_given).and_then(|field| field.table()) else { return };
    let names: Vec<String> = instances.iter().map(InstanceRef::name).collect();
    let names = || names.iter().map(String::as_str);
    for (name, field) in found.all() {
        if !names().any(|known| known == name) {
            let near = nearest(name, names());
            let label = near.map_or(String::new(), |near| format!("did you mean {}?", quoted(near)));
            let problem = Problem::error(format!("no `fallback_instances` names {}", quoted(name)));
            let listed: Vec<&str> = names().collect();
            let problem = problem.at(field.key_place(), label);
            sink.report(problem.help(format!("clusters name {}", listed.join(", "))));
        }
        if let Some(mut inner) = field.table() {
            for key in TABLES {
                let field = inner.field(key);
                if field.is_given() {
                    field.table();
                }
            }
            inner.field("zone");
            check_zone_tables(inner.table(), zones, sink);
            inner.finish();
        }
    }
}

/// `cluster` with the further instance types that its table `own` names: each is read as a cluster of its own, of
/// which the pace, the capacity and the Spot prices are taken.
pub(super) fn with_fallbacks(mut cluster: Cluster, own: &Table, context: &Context<'_>) -> Option<Cluster> {
    let place = own.entries.get("fallback_instances").map_or(own.place, |entry| entry.node.place);
    let refuse = |title: String, label: &str| -> Option<()> {
        context.sink.report(Problem::error(title).at(place, label));
        None
    };
    if !cluster.fallbacks.is_empty()
        && let Some((what, help)) = does_not_go(&cluster, context, own)
    {
        refuse(format!("{what} with `fallback_instances` is not available in this version"), help)?;
    }
    for instance in cluster.fallbacks.clone() {
        let name = instance.name();
        let ranks = cluster.nodes.saturating_mul(instance.instance.gpus);
        if ranks != cluster.ranks {
            let title = format!(
                "{} × {name} have {ranks} GPUs, and {} × {} have {}",
                cluster.nodes, cluster.nodes, cluster.instance, cluster.ranks
            );
            refuse(title, "a fallback needs as many GPUs a node: the steps stay the same")?;
        }
        if let Some((what, table)) = only_of_the_first(&cluster, &name, context, own) {
            let title = format!("the {what} in [{table}] is that of {}", cluster.instance);
            refuse(title, &format!("add that of the other: [fallback.{}.{table}]", quoted(&name)))?;
        }
        let other = read_other(instance, own, context, place)?;
        if let Some(what) = differs(&cluster, &other) {
            refuse(
                format!("{what} on {name} is another than on {}", cluster.instance),
                "give both the same",
            )?;
        }
        if is_never_taken(&cluster.plan, &other.plan) {
            let title = format!(
                "{name} is never taken: its capacity comes and goes with that of {}",
                cluster.instance
            );
            let problem = Problem::warning(title).at(place, "");
            let help = format!("give it a capacity of its own: [fallback.{}.capacity]", quoted(&name));
            context.sink.report(problem.help(help));
        }
        take(&mut cluster, other);
    }
    Some(cluster)
}

/// What is given outright for the first instance type and must be given for the type `name` too, and its table.
fn only_of_the_first(
    cluster: &Cluster,
    name: &str,
    context: &Context<'_>,
    own: &Table,
) -> Option<(&'static str, &'static str)> {
    let has_own = |table: &str| {
        let says = |tables: &Table| tables.entries.contains_key(table);
        [context.file, own].into_iter().any(|file| named_table(file, "fallback", name).is_some_and(says))
    };
    let speed = cluster.throughput.compute.given;
    if !has_own("compute") && speed.is_some_and(|given| !matches!(given, Given::Efficiency(_))) {
        return Some(("speed", "compute"));
    }
    let pricing = Tables { own, context, fallback: None }.merged("pricing");
    let gives = |(key, entry): (&String, &Entry)| match key.as_str() {
        "spot" | "mean_reverting" => true,
        // A file has a price for each instance.
        "history" => !matches!(entry.node.value, Value::Text(_)),
        "on_demand" => cluster.prices.rule == Rule::SageMaker,
        _ => false,
    };
    (!has_own("pricing") && pricing.entries.iter().any(gives)).then_some(("Spot price", "pricing"))
}

/// The cluster as if its nodes were of the type `instance`. What is wrong there is said with its name.
fn read_other(
    instance: InstanceRef<'static>,
    own: &Table,
    context: &Context<'_>,
    place: Place,
) -> Option<Cluster> {
    let sink = Sink::default();
    let other = read_as(Some(instance), own, &Context { sink: &sink, ..*context });
    let found = sink.into_problems();
    for problem in found.errors().iter() {
        let problem = problem.clone().also_at(place, format!("of its nodes as {}", instance.name()));
        context.sink.report(problem);
    }
    other.filter(|_| !found.has_errors())
}

/// What the cluster asks for that does not go with several instance types.
fn does_not_go(
    cluster: &Cluster,
    context: &Context<'_>,
    own: &Table,
) -> Option<(&'static str, &'static str)> {
    let plan = &cluster.plan;
    let checkpoint = Tables { own, context, fallback: None }.merged("checkpoint");
    let every = checkpoint.entries.get("every").map(|entry| &entry.node.value);
    let is_optimum = matches!(every, Some(Value::Text(word)) if word == "optimum");
    let found = [
        (plan.elastic.is_some() || plan.spares.is_some(), "`min_nodes` or `spares`", "drop it"),
        (plan.tick.is_some(), "tick mode", "drop `simulation.tick`"),
        (plan.saved_on != SavedOn::Store, "`to = \"local\"`", "write `to = \"s3\"`"),
        (cluster.throughput.is_ideal(), "`work` as an ideal time", "it has no pace; write steps or samples"),
        (is_optimum, "`every = \"optimum\"`", "write a time such as \"15 min\""),
    ];
    found.into_iter().find(|(is_there, ..)| *is_there).map(|(_, what, help)| (what, help))
}

/// What two instance types of one cluster must have in common and do not.
fn differs(one: &Cluster, other: &Cluster) -> Option<&'static str> {
    let start = |plan: &Plan| Start { restore: other.plan.start.restore.clone(), ..plan.start.clone() };
    let found = [
        (one.prices.rule != other.prices.rule, "the pricing `rule`"),
        (one.plan.extras != other.plan.extras, "what is billed beside the instances"),
        (one.plan.moves != other.plan.moves, "the way of a save to another region"),
        (start(&one.plan) != start(&other.plan), "[start] but for `restore`"),
    ];
    found.into_iter().find(|(differs, _)| *differs).map(|(_, what)| what)
}

/// Whether a type has capacity only where the first, which comes before it, has it too: paths without draws of their own
/// that are the same in every zone.
fn is_never_taken(first: &Plan, other: &Plan) -> bool {
    let is_shared =
        |path: &Path| matches!(path, Path::Always | Path::Events(_) | Path::Trace(_) | Path::Bootstrap(_));
    let mut zones = first.zones().zip(other.zones());
    first.choose_zone == ChooseZone::First
        && zones.all(|((first, _), (other, _))| is_shared(&first.path) && first.path == other.path)
}

/// Takes the zones of `other` as those of a further instance type of `cluster`.
fn take(cluster: &mut Cluster, other: Cluster) {
    let Plan { work, cycle, start, notice, capacity, spot, elsewhere, .. } = other.plan;
    let machine = Machine { step: work.step, burst: work.burst, cycle, restore: start.restore, notice };
    let first = Zone { machine: None, capacity, spot };
    for (mut zone, name) in std::iter::once(first).chain(elsewhere).zip(&cluster.zones) {
        // What another instance type can have in a zone is another world.
        zone.capacity.zone = place_key(&format!("{name} {}", other.instance));
        zone.machine = Some(machine.clone());
        cluster.plan.elsewhere.push(zone);
    }
    let prefix = format!("fallback.{}", quoted(&other.instance));
    for table in TABLES {
        cluster.echo.take_other(&other.echo, table, &prefix);
    }
    // SageMaker's Spot price follows from that On-Demand; elsewhere that is not used.
    let unused = format!("{} On-Demand ", other.instance);
    let is_used =
        |assumed: &Assumed| other.prices.rule == Rule::SageMaker || !assumed.sentence.starts_with(&unused);
    let said = other.assumed.iter().filter(|assumed| is_used(assumed) && !cluster.assumed.contains(assumed));
    let said: Vec<Assumed> = said.cloned().collect();
    cluster.assumed.extend(said);
}
