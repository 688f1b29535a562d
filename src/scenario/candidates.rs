//! `[plan.candidates]`: lists of values for keys of the clusters, and every combination of them.

use super::cluster::{Cluster, Context, SET_RULES, read_cluster};
use super::echo::Echo;
use super::keyed::{Leaf, leaves};
use super::plan::{Capacity, Market, Plan};
use super::problem::{Problem, Sink};
use super::source::Place;
use super::tree::{MergeRules, Node, Table, Value, merge_over};

/// More combinations than this are a mistake: each is simulated some hundred times at least.
const CANDIDATES_MAX: usize = 1_000;

/// A key with the values that it takes in turn.
#[derive(Debug, Clone)]
pub(super) struct Axis<'a> {
    /// `["checkpoint", "every"]`, each part with the table in which it was written.
    path: Vec<(&'a str, Place, &'a str)>,
    values: &'a [Node],
}

/// A cluster's table with one combination put over it.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// The table of the cluster.
    pub table: Table,
    /// Each key with its value as text; empty where that does not matter.
    pub keys: Vec<(String, String)>,
    /// The cluster's own name.
    pub base: String,
}

impl Axis<'_> {
    fn key(&self) -> String {
        self.path.iter().map(|(name, ..)| *name).collect::<Vec<_>>().join(".")
    }
}

/// The lists of the table, in the order in which they were written, echoed as TOML.
pub(super) fn read_axes<'a>(table: &'a Table, sink: &Sink, top: &mut Echo) -> Vec<Axis<'a>> {
    let is_leaf = |value: &Value| !matches!(value, Value::Table(_));
    let axes: Vec<Axis<'_>> =
        leaves(table, &is_leaf).into_iter().filter_map(|leaf| axis(leaf, sink)).collect();
    for axis in &axes {
        let values: Vec<String> = axis.values.iter().map(|node| node.value.as_toml()).collect();
        top.set("plan.candidates", &axis.key(), format!("[{}]", values.join(", ")), "");
    }
    axes
}

/// The key with its list, if it has one.
fn axis<'a>(leaf: Leaf<'a>, sink: &Sink) -> Option<Axis<'a>> {
    let key = leaf.name();
    match &leaf.node.value {
        Value::Array(values) if !values.is_empty() && key != "name" => Some(Axis { path: leaf.path, values }),
        other => {
            let title = match other {
                _ if key == "name" => "candidates are named by what they differ in".to_owned(),
                Value::Array(_) => format!("`{key}` has no values"),
                _ => format!("`{key}` must be a list of values"),
            };
            sink.report(Problem::error(title).at(leaf.node.place, "write `nodes = [2, 4]`"));
            None
        }
    }
}

/// Every combination put over every one of `clusters`; just these if there are no axes.
pub(super) fn expand(clusters: &[&Table], axes: &[Axis<'_>], sink: &Sink) -> Vec<Candidate> {
    let each = axes.iter().try_fold(clusters.len(), |product, axis| product.checked_mul(axis.values.len()));
    let Some(count) = each.filter(|&count| count <= CANDIDATES_MAX) else {
        let title = format!("[plan.candidates] has more than {CANDIDATES_MAX} combinations");
        let place = axes.first().and_then(|axis| axis.path.first()).map(|(_, place, _)| *place);
        let problem = Problem::error(title).help("shorten a list");
        sink.report(place.map_or(problem.clone(), |place| problem.at(place, "")));
        return Vec::new();
    };
    let mut found = Vec::with_capacity(count);
    for cluster in clusters {
        let per_cluster = count / clusters.len();
        // The last list turns fastest, as nested loops do.
        found.extend((0..per_cluster).map(|number| combination(cluster, axes, number)));
    }
    found
}

fn combination(cluster: &Table, axes: &[Axis<'_>], number: usize) -> Candidate {
    let mut candidate = Candidate { table: cluster.clone(), keys: Vec::new(), base: String::new() };
    let mut rest = number;
    let mut chosen: Vec<(&Axis<'_>, &Node)> = Vec::new();
    for axis in axes.iter().rev() {
        chosen.push((axis, &axis.values[rest % axis.values.len()]));
        rest /= axis.values.len();
    }
    for (axis, node) in chosen.into_iter().rev() {
        let key = axis.key();
        // A key at a time, as `--set` does, but a value that is a table stands for the whole table.
        let whole: Vec<&str> = SET_RULES.whole.iter().copied().chain([key.as_str()]).collect();
        let rules = MergeRules { whole: &whole, ..SET_RULES };
        candidate.table = merge_over(&candidate.table, &nested(&axis.path, node, cluster), rules);
        candidate.keys.push((key, in_words(&node.value)));
    }
    if let Some(entry) = candidate.table.entries.get_mut("name")
        && let Value::Text(name) = &mut entry.node.value
    {
        candidate.base.clone_from(name);
        *name = full_name(name, &candidate.keys);
    }
    candidate
}

/// The cluster's name and what sets the candidate apart.
fn full_name(base: &str, keys: &[(String, String)]) -> String {
    let told = keys.iter().filter(|(_, words)| !words.is_empty()).map(|(key, words)| {
        let last = key.rsplit('.').next().unwrap_or(key);
        // A market, an instance and a policy say themselves what they are.
        if matches!(last, "market" | "policy" | "instance") {
            words.clone()
        } else {
            format!("{last} {words}")
        }
    });
    std::iter::once(base.to_owned()).chain(told).collect::<Vec<_>>().join(", ")
}

/// A table that holds `node` at the end of `path`, under the cluster's own heading.
fn nested(path: &[(&str, Place, &str)], node: &Node, cluster: &Table) -> Table {
    let mut node = node.clone();
    for (depth, (name, key, heading)) in path.iter().enumerate().rev() {
        let (place, own) = match depth {
            0 => (cluster.place, cluster.heading.as_str()),
            _ => (*key, *heading),
        };
        let mut table = Table { place, heading: (*heading).to_owned(), entries: Default::default() };
        table.insert(name, *key, node);
        table.heading = own.to_owned();
        node = Node { place, value: Value::Table(table) };
    }
    match node.value {
        Value::Table(table) => table,
        _ => Table { entries: Default::default(), ..cluster.clone() },
    }
}

/// Reads every candidate; a problem says whose it is, where there is more than the file's own clusters.
pub(super) fn read_candidates(candidates: &[Candidate], context: &Context<'_>) -> Vec<Cluster> {
    let read = |candidate: &Candidate| {
        if candidate.keys.is_empty() {
            return read_cluster(&candidate.table, context);
        }
        let sink = Sink::default();
        let cluster = read_cluster(&candidate.table, &Context { sink: &sink, ..*context });
        let told: Vec<String> =
            candidate.keys.iter().map(|(key, words)| format!("{key} = {words}")).collect();
        for problem in sink.into_problems().iter() {
            context.sink.report(problem.clone().note(format!("candidate: {}", told.join(", "))));
        }
        cluster
    };
    candidates.iter().filter_map(read).collect()
}

/// Leaves out a cluster that comes to the same as one before it, whose name then does not say in what the two
/// differ. Gives the keys of each that is kept, too.
pub(super) fn distinct(clusters: Vec<Cluster>, candidates: Vec<Candidate>) -> Vec<(Cluster, Candidate)> {
    let mut kept: Vec<(Cluster, Candidate)> = Vec::new();
    for (cluster, candidate) in clusters.into_iter().zip(candidates) {
        match kept.iter_mut().find(|(other, _)| same(other, &cluster)) {
            None => kept.push((cluster, candidate)),
            Some((_, first)) => {
                for ((_, words), (_, other)) in first.keys.iter_mut().zip(&candidate.keys) {
                    if words != other {
                        words.clear();
                    }
                }
            }
        }
    }
    let names: Vec<String> = kept.iter().map(|(_, one)| full_name(&one.base, &one.keys)).collect();
    for ((cluster, _), name) in kept.iter_mut().zip(&names) {
        if names.iter().filter(|other| *other == name).count() == 1 {
            cluster.name.clone_from(name);
        }
    }
    kept
}

fn same(one: &Cluster, other: &Cluster) -> bool {
    if (one.market, &one.instance) != (other.market, &other.instance) {
        return false;
    }
    match one.market {
        Market::Spot => one.plan == other.plan,
        // Neither the zone's capacity nor its Spot price is any matter On-Demand.
        Market::OnDemand => {
            let without_spot = |plan: &Plan| Plan {
                capacity: Capacity {
                    acquire: plan.capacity.acquire.clone(),
                    acquire_first: plan.capacity.acquire_first.clone(),
                    ..one.plan.capacity.clone()
                },
                elsewhere: Vec::new(),
                choose_zone: one.plan.choose_zone,
                spot: one.plan.spot.clone(),
                ..plan.clone()
            };
            without_spot(&one.plan) == without_spot(&other.plan)
        }
    }
}

/// A value as part of a name: text without its quotes, lists and tables by what is in them.
fn in_words(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Array(items) => items.iter().map(|item| in_words(&item.value)).collect::<Vec<_>>().join(" + "),
        Value::Table(table) => {
            let word = |(key, entry): (&String, &super::tree::Entry)| match in_words(&entry.node.value) {
                inner if inner.is_empty() => key.clone(),
                inner => format!("{key} {inner}"),
            };
            table.entries.iter().map(word).collect::<Vec<_>>().join(" ")
        }
        other => other.as_toml(),
    }
}
