//! `min_nodes`, `spares` and `[start] reshard`: gangs that lose nodes and go on.

use super::cluster::Context;
use super::echo::quoted;
use super::plan::{AtSize, Elastic, OnLoss, ReshardFrom, SavedOn, Spares, SparesAre, StepParts, Work};
use super::problem::Problem;
use super::reader::Reader;
use super::section::Section;
use super::throughput::{Throughput, Untold};
use super::work::StepTables;
use crate::capacity::Law;
use crate::checkpoint::Cycle;
use crate::policy::Policy;
use crate::units::Span;

/// How many nodes a cluster has beside the usual number.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Size {
    /// The fewest nodes that train, if the gang is elastic.
    pub min_nodes: Option<u32>,
    /// Nodes held beside the gang.
    pub spares: Option<Spares>,
}

/// What a change of the gang costs, and what it goes on from.
#[derive(Debug, Clone)]
pub(super) struct Reshard {
    pub law: Law,
    pub from: ReshardFrom,
}

impl Size {
    /// Whether the gang is of the plain kind: all of its nodes or none.
    pub fn is_rigid(self) -> bool {
        self.min_nodes.is_none() && self.spares.is_none()
    }
}

/// More spares than this are a mistake.
const SPARES_MAX: u32 = 64;

/// Reads `min_nodes`, `spares` and `spares_are` of a cluster of `nodes` nodes.
pub(super) fn read_size(s: &mut Section<'_, '_>, nodes: Option<u32>) -> Size {
    let field = s.reader.field("min_nodes");
    let min_nodes = if field.is_given() { field.whole(1..=nodes.unwrap_or(u32::MAX)) } else { None };
    if let Some(min_nodes) = min_nodes {
        s.echo("min_nodes", min_nodes.to_string(), "");
    }
    let field = s.reader.field("spares");
    let count = if field.is_given() { field.whole(0..=SPARES_MAX) } else { None };
    let words = [("warm", SparesAre::Warm), ("cold", SparesAre::Cold)];
    let are = s.reader.field("spares_are").word(&words).unwrap_or_default();
    let spares = count.filter(|&count| count > 0).map(|count| Spares { count, are });
    if let Some(spares) = spares {
        s.echo("spares", spares.count.to_string(), "");
        s.echo("spares_are", quoted(if spares.are == SparesAre::Warm { "warm" } else { "cold" }), "");
    }
    Size { min_nodes, spares }
}

/// Reads `on_loss`: an elastic gang and one with spares keep their survivors.
pub(super) fn read_on_loss(s: &mut Section<'_, '_>, size: Size) -> OnLoss {
    let words = [("release", OnLoss::Release), ("keep", OnLoss::Keep)];
    if size.is_rigid() {
        return s.word_or_first("on_loss", &words);
    }
    let field = s.reader.field("on_loss");
    if field.is_given() && field.word(&words) == Some(OnLoss::Release) {
        let key = if size.min_nodes.is_some() { "min_nodes" } else { "spares" };
        field.refuse(
            format!("`on_loss = \"release\"` does not go with `{key}`: survivors stay"),
            "write \"keep\", or drop it",
        );
    }
    s.echo("on_loss", quoted("keep"), "");
    OnLoss::Keep
}

/// Reads `reshard` and `reshard_from` of `[start]`, which concern elastic clusters alone.
pub(super) fn read_reshard(s: &mut Section<'_, '_>, size: Size) -> Reshard {
    let none = Law::constant(Span::ZERO);
    let words = [("save", ReshardFrom::Save), ("memory", ReshardFrom::Memory)];
    match size.min_nodes {
        Some(_) => {
            let law = s.law_or("reshard", &none);
            Reshard { law, from: s.word_or_first("reshard_from", &words) }
        }
        None => {
            let law = s.law("reshard").unwrap_or(none);
            Reshard { law, from: s.reader.field("reshard_from").word(&words).unwrap_or_default() }
        }
    }
}

/// What is refused for a gang that is not rigid; `place` is its `[checkpoint]`.
pub(super) struct Beside<'a> {
    pub size: Size,
    pub policy: &'a Policy,
    pub cycle: &'a Cycle,
    pub saved_on: SavedOn,
    pub place: Reader<'a>,
}

impl Beside<'_> {
    /// Whether all goes together; says what does not.
    pub fn check(&self) -> bool {
        let key = match self.size {
            Size { min_nodes: Some(_), .. } => "min_nodes",
            Size { spares: Some(_), .. } => "spares",
            _ => return true,
        };
        let mut right = true;
        let mut refuse = |what: &str, help: &str| {
            right = false;
            self.place.refuse(format!("{what} `{key}` is not available in this version"), help);
        };
        if !matches!(self.policy, Policy::SpotOnly | Policy::OnDemandOnly) {
            let what = format!("the policy `{}` with", self.policy.name());
            refuse(&what, "write `policy.spot_only = {}` for this cluster");
        }
        if self.saved_on != SavedOn::Store {
            refuse("saves on local drives with", "write `to = \"s3\"` or `to = \"ebs\"`");
        }
        if self.size.min_nodes.is_some() && !self.cycle.upload().is_zero() {
            refuse("uploading saves beside training with", "write `mode = \"sync\"` or `mode = \"sharded\"`");
        }
        right
    }
}

/// Takes burst credits out of the work of a gang that is not rigid, with a warning where it had any.
pub(super) fn without_credits(
    work: Work,
    size: Size,
    own: &super::tree::Table,
    context: &Context<'_>,
) -> Work {
    if size.is_rigid() || work.burst.is_none() {
        return work;
    }
    let title = "burst credits of the network do not enter a gang with `min_nodes` or `spares`";
    let label = "it trains at the pace that lasts";
    context.sink.report(Problem::warning(title).at(own.place, label));
    Work { burst: None, ..work }
}

/// How each number of nodes from `min_nodes` to all trains the samples of one step of the whole gang.
pub(super) fn sizes(
    throughput: &Throughput,
    min_nodes: u32,
    (work, cycle): (&Work, &Cycle),
    tables: &StepTables<'_>,
) -> Option<Vec<AtSize>> {
    let nodes = throughput.machines.nodes;
    let at = |k: u32| {
        let step = if k == nodes { work.step } else { step_of(throughput, k, work)? };
        Ok(AtSize { step, cycle: cycle.with_step(step.total()) })
    };
    let table: Result<Vec<AtSize>, Untold> = (min_nodes..=nodes).map(at).collect();
    table.map_err(|untold| tables.refuse(untold)).ok()
}

/// The step of `k` nodes, as often as they make it for the samples of one step of all nodes.
fn step_of(throughput: &Throughput, k: u32, work: &Work) -> Result<StepParts, Untold> {
    let nodes = throughput.machines.nodes;
    if throughput.is_ideal() || !throughput.scales() {
        return Ok(scaled(&work.step, nodes, k));
    }
    let step = throughput.step(k).map_err(|untold| Untold {
        title: format!("with {k} of the {nodes} nodes that `min_nodes` allows: {}", untold.title),
        ..untold
    })?;
    let step = step.sustained.parts;
    // A fixed batch of the whole gang is spread over the nodes that are there.
    Ok(if throughput.job.fixed_global_batch { step } else { scaled(&step, nodes, k) })
}

/// Each part times `nodes`/`k`, rounded to whole ns, halves up.
fn scaled(step: &StepParts, nodes: u32, k: u32) -> StepParts {
    let (n, k) = (u128::from(nodes), u128::from(k));
    let part = |span: Span| {
        let ns = (u128::from(span.ns()) * n + k / 2) / k;
        Span::from_ns(u64::try_from(ns).unwrap_or(u64::MAX))
    };
    StepParts {
        computing: part(step.computing),
        exposed_comm: part(step.exposed_comm),
        data_stall: part(step.data_stall),
    }
}

/// The elastic gang of a plan.
pub(super) fn elastic(min_nodes: u32, sizes: Vec<AtSize>, reshard: Reshard) -> Elastic {
    Elastic { min_nodes, sizes, reshard: reshard.law, reshard_from: reshard.from }
}
