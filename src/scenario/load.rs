//! From text to a checked scenario.

use super::candidates::{distinct, expand, read_axes, read_candidates};
use super::capacity::ReadFile;
use super::cluster::{Cluster, Context, SHARED, refuse_equal_names};
use super::echo::{self, Echo, quoted};
use super::fallback::check_fallback_tables;
use super::field::Field;
use super::problem::{Problem, Problems, Sink};
use super::reader::{Reader, nearest};
use super::sampling::{Sampling, read_sampling};
use super::section::Section;
use super::size::refuse_too_large;
use super::source::Sources;
use super::sweep::{Sweep, read_sweep};
use super::template::Template;
use super::terms::{Terms, read_terms};
use super::tree::{Table, Value};
use super::uncertain::{Uncertain, read_uncertain};
use super::until::{Until, check_until, read_until};
use super::zones::check_zone_tables;
use crate::facts::Catalogue;
use crate::units::Span;
use std::collections::BTreeSet;

/// A scenario, checked and resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// Its short name: that of its folder.
    pub name: String,
    /// The question it asks.
    pub title: String,
    /// The candidates, in the order of the file.
    pub clusters: Vec<Cluster>,
    /// Independent simulations of each; at most, where there is a rule to stop.
    pub replications: u64,
    /// When fewer are enough.
    pub until: Option<Until>,
    /// How values of uncertain keys are drawn, where a run draws them.
    pub sampling: Sampling,
    /// Whether `run` draws a value of each uncertain key for each replication.
    pub draws: bool,
    /// Number from which all chance comes.
    pub seed: u64,
    /// Whether anybody gave it.
    pub seed_given: bool,
    /// What `spotsim plan` asks of a candidate.
    pub terms: Terms,
    /// The keys of `[plan.candidates]` with their values, a list for each cluster.
    pub keys: Vec<Vec<(String, String)>>,
    /// Combinations that come to the same as another one and are left out.
    pub merged: usize,
    /// Keys that `spotsim sweep` gives many values.
    pub sweep: Option<Sweep>,
    /// Keys whose values are not known.
    pub uncertain: Vec<Uncertain>,
    /// Its effective top keys.
    top: Echo,
}

/// A scenario that can be run, or why it cannot, with the texts to show it in.
#[derive(Debug)]
pub struct Loaded {
    /// The scenario, if nothing is wrong with it.
    pub scenario: Option<Scenario>,
    /// Errors and warnings.
    pub problems: Problems,
    /// Texts that the problems point into.
    pub sources: Sources,
}

/// What the command line says besides the file.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// `--set KEY=VALUE`, in order.
    pub set: Vec<String>,
    /// `--seed`.
    pub seed: Option<u64>,
    /// `--replications`.
    pub replications: Option<u64>,
    /// Whether every combination of `[plan.candidates]` is a cluster.
    pub candidates: bool,
}

/// Replications where none are asked for.
const REPLICATIONS: u64 = 10_000;
/// The same where a rule says when it is enough: a run that never is should end all the same.
const REPLICATIONS_UNTIL: u64 = 1_000_000;
/// More would not end in a lifetime.
const REPLICATIONS_MAX: u64 = 1_000_000_000_000;

/// Reads the scenario `text` that messages call `file`. `read_file` reads what it names.
pub fn load(file: &str, text: String, overrides: &Overrides, read_file: &ReadFile<'_>) -> Loaded {
    Template::parse(file, text, overrides, read_file).load()
}

pub(super) fn read_scenario(
    root: &Table,
    overrides: &Overrides,
    read_file: &ReadFile<'_>,
    sink: &Sink,
) -> Option<Scenario> {
    let mut top = Echo::default();
    let mut s = Section::new(Reader::new(root, sink), &mut top, "");
    let schema = s.reader.required("schema", "schema = 1").whole(1..=1_u32);
    s.echo("schema", schema.unwrap_or(1).to_string(), "");
    let name = read_name(&mut s);
    let title = s.reader.field("title").text().map(str::to_owned);
    let title = title.or_else(|| name.clone()).unwrap_or_default();
    s.echo("title", quoted(&title), "");
    let (swept, unsure) = (s.reader.field("sweep"), s.reader.field("uncertain"));
    // Checked below, when it is known which zones and instances there are.
    s.reader.field("zone");
    s.reader.field("fallback");
    for table in SHARED {
        let field = s.reader.field(table);
        if field.is_given() {
            field.table();
        }
    }
    let simulation = s.reader.field("simulation");
    let plan = s.reader.field("plan");
    let tables: Vec<&Table> =
        s.reader.required("cluster", "[[cluster]]").tables().iter().map(Reader::table).collect();
    if matches!(root.entries.get("cluster").map(|e| &e.node.value), Some(Value::Array(items)) if items.is_empty())
    {
        s.reader.refuse("a scenario needs a cluster", "add [[cluster]]");
    }
    s.reader.finish();
    let Simulation { mut replications, until, seed, tick, sampling, draws } =
        read_simulation(simulation.table(), overrides, &mut top);
    let (mut terms, lists) = read_terms(plan.table(), &mut top);
    terms.replications_max = overrides.replications.unwrap_or(terms.replications_max);
    let axes = lists.map_or_else(Vec::new, |table| read_axes(table, sink, &mut top));
    let sweep = swept.table().and_then(|reader| read_sweep(reader.table(), sink, &mut top));
    let uncertain = unsure.table().and_then(|reader| read_uncertain(reader.table(), sink, &mut top));
    // What a table with a misspelt name seems to lack would mislead.
    let misspelt = |key: &String| !SHARED.contains(&key.as_str()) && nearest(key, SHARED).is_some();
    if root.entries.keys().any(misspelt) {
        return None;
    }
    if overrides.candidates {
        replications = terms.replications_max;
    }
    let context = Context { file: root, sink, catalogue: Catalogue::builtin(), read_file, tick };
    let candidates = expand(&tables, if overrides.candidates { &axes } else { &[] }, sink);
    let clusters = read_candidates(&candidates, &context);
    if clusters.len() == candidates.len() {
        let zones: BTreeSet<&str> =
            clusters.iter().flat_map(|cluster| &cluster.zones).map(String::as_str).collect();
        let zones: Vec<&str> = zones.into_iter().collect();
        check_zone_tables(root, &zones, sink);
        let fallbacks: Vec<_> = clusters.iter().flat_map(|cluster| cluster.fallbacks.clone()).collect();
        check_fallback_tables(root, &fallbacks, &zones, sink);
        let tables: Vec<&Table> = candidates.iter().map(|candidate| &candidate.table).collect();
        refuse_equal_names(&clusters, &tables, sink);
        if let Some((until, field)) = &until {
            check_until(until, field, &clusters);
        }
        for (cluster, table) in clusters.iter().zip(&tables) {
            refuse_too_large(cluster, table, replications, sink);
        }
    }
    let combinations = candidates.len();
    let kept = match overrides.candidates && clusters.len() == combinations {
        true => distinct(clusters, candidates),
        false => clusters.into_iter().zip(candidates).collect(),
    };
    let (clusters, keys): (Vec<Cluster>, _) =
        kept.into_iter().map(|(cluster, candidate)| (cluster, candidate.keys)).unzip();
    let merged = combinations - clusters.len();
    let seed_given = seed.is_some();
    let seed = seed.unwrap_or(0);
    let uncertain = uncertain.unwrap_or_default();
    let until = until.map(|(until, _)| until);
    Some(Scenario {
        name: name?,
        title,
        clusters,
        replications,
        until,
        sampling,
        draws: draws && !uncertain.is_empty(),
        seed,
        seed_given,
        terms,
        keys,
        merged,
        sweep,
        uncertain,
        top,
    })
}

/// The name is a folder's name too, so it is a plain word.
fn read_name(s: &mut Section<'_, '_>) -> Option<String> {
    let field = s.reader.required("name", "name = \"g5-spot-vs-on-demand\"");
    let name = field.text()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.len() > 100 || name.starts_with('.') || !name.chars().all(plain) {
        let title = "`name` names a folder: letters, digits, `-`, `_` and `.` only, 100 at most";
        field.refuse(title, "the question itself goes into `title`");
        return None;
    }
    s.echo("name", quoted(name), "");
    Some(name.to_owned())
}

/// The rules of tick mode take a millisecond for nothing.
const TICK_MIN: Span = Span::from_s(1);

/// `[simulation]`.
struct Simulation<'a> {
    replications: u64,
    /// The rule, and the name of its cluster as written.
    until: Option<(Until, Field<'a>)>,
    seed: Option<u64>,
    /// The length of a tick, in tick mode.
    tick: Option<Span>,
    sampling: Sampling,
    /// Whether uncertain keys are drawn, if there are any.
    draws: bool,
}

fn read_simulation<'a>(reader: Option<Reader<'a>>, overrides: &Overrides, top: &mut Echo) -> Simulation<'a> {
    let mut read = Simulation {
        replications: REPLICATIONS,
        until: None,
        seed: None,
        tick: None,
        sampling: Sampling::Random,
        draws: true,
    };
    if let Some(mut reader) = reader {
        reader.not_available("safety_net", "it goes into [policy]");
        let until = reader.field("until");
        if until.is_given() {
            read.replications = REPLICATIONS_UNTIL;
        }
        let replications = reader.field("replications").whole(1..=REPLICATIONS_MAX);
        read.replications = replications.unwrap_or(read.replications);
        let least = reader.field("replications_min");
        if least.is_given() && !until.is_given() {
            least.refuse("`replications_min` goes with `until`", "write `replications`");
        }
        read.until = read_until(&until, least.whole(100..=REPLICATIONS_MAX), top);
        (read.sampling, read.draws) = read_sampling(&mut reader, read.until.is_some(), top);
        read.seed = reader.field("seed").whole(0..);
        let tick = reader.field("tick");
        read.tick = tick.quantity();
        if read.tick.is_some_and(|tick| tick < TICK_MIN) {
            tick.refuse_value("must be at least 1 s");
            read.tick = None;
        }
        reader.finish();
    }
    read.replications = overrides.replications.unwrap_or(read.replications);
    if read.draws {
        read.replications = read.sampling.rounded(read.replications);
    }
    read.seed = overrides.seed.or(read.seed);
    top.set("simulation", "replications", read.replications.to_string(), "");
    let note = if read.seed.is_some() { "" } else { "none given" };
    top.set("simulation", "seed", read.seed.unwrap_or(0).to_string(), note);
    if let Some(tick) = read.tick {
        top.set("simulation", "tick", quoted(&tick.to_string()), "");
    }
    read
}

impl Scenario {
    /// The scenario as TOML, every default filled in.
    pub fn show(&self) -> String {
        let clusters: Vec<Echo> = self.clusters.iter().map(|cluster| cluster.echo.clone()).collect();
        echo::print(&self.top, &clusters)
    }

    /// The cluster that savings are measured against: the first On-Demand one.
    pub fn baseline(&self) -> Option<usize> {
        self.clusters.iter().position(|cluster| cluster.market == super::plan::Market::OnDemand)
    }
}

/// A problem that concerns no text: a file that cannot be read.
pub fn unreadable(file: &str, why: &str) -> Loaded {
    let problem = Problem::error(format!("the scenario \"{file}\" cannot be read: {why}"));
    Loaded { scenario: None, problems: Problems::new(vec![problem]), sources: Sources::default() }
}
