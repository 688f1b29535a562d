//! `[policy]`: who decides when to run where.

use super::echo::Echo;
use super::field::Field;
use super::head::Head;
use super::plan::{Market, OnLoss};
use super::problem::{Problem, Sink};
use super::reader::Reader;
use super::section::Section;
use super::tree::Table;
use crate::policy::{FallBack, Greedy, Policy, Thresholds, TimeSliced, UniformProgress};
use crate::units::{Price, Span};

/// The policies by their keys.
const KINDS: [&str; 7] =
    ["spot_only", "on_demand_only", "greedy", "thresholds", "uniform_progress", "time_sliced", "fall_back"];

/// A policy without hysteresis keeps to its decision for so long.
pub const DWELL: Span = Span::from_s(60);
/// How long Spot must have been back.
pub const RETURN_AFTER: Span = Span::from_s(600);
/// How long a slice is.
pub const SLICE: Span = Span::from_s(3_600);
/// Restarts by which Uniform Progress must be ahead, as published.
pub const AHEAD: f64 = 2.0;

/// A policy, and what is beside it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Decided {
    /// The policy.
    pub policy: Policy,
    /// Whether tick mode has a net below it that keeps the deadline.
    pub engine_net: bool,
    /// Spot is held and asked for only while its price is at most this.
    pub max_price: Option<Price>,
    /// Nodes of a gang on Spot that are On-Demand.
    pub on_demand_nodes: u32,
}

/// Reads `[policy]` of a cluster with this head; `tick` is the tick, in tick mode.
pub(super) fn read_policy(
    mut s: Section<'_, '_>,
    head: &Head,
    deadline: Option<Span>,
    tick: Option<Span>,
) -> Option<Decided> {
    let market = head.market;
    s.reader.not_available("mixed", "write `on_demand_nodes = 1` for On-Demand nodes in a Spot gang");
    let natural = if market == Market::Spot { "spot_only" } else { "on_demand_only" };
    let found = s.reader.one_of("policy", &KINDS);
    let key = found.as_ref().map_or(natural, |(key, _)| key);
    let has_keys = !matches!(key, "spot_only" | "on_demand_only" | "greedy");
    if !has_keys || market == Market::OnDemand {
        let key = if market == Market::OnDemand { natural } else { key };
        s.echo(key, "{}", if found.is_some() { "" } else { "the cluster's market" });
    }
    let policy = match &found {
        // A file's policy is meant for its Spot clusters; On-Demand there is nothing to decide.
        _ if market == Market::OnDemand => {
            if let Some((key, field)) = &found {
                read_kind(key, field, deadline.or(Some(Span::ZERO)), tick, &mut Echo::default());
            }
            Some(Policy::OnDemandOnly)
        }
        None => Some(Policy::SpotOnly),
        Some(("on_demand_only", _)) => {
            s.reader.refuse("the policy `on_demand_only` needs market = \"on-demand\"", "");
            None
        }
        Some((key, field)) => {
            if needs_deadline(key) && deadline.is_none() {
                let title = format!("the policy `{key}` needs a deadline to keep");
                s.reader.refuse(title, "add `deadline = \"24 h\"` to [job]");
            }
            read_kind(key, field, deadline, tick, s.echo)
        }
    };
    let engine_net = read_net(&mut s, deadline, tick);
    let on_spot = market == Market::Spot;
    let max_price = s.reader.field("max_price").quantity().filter(|_| on_spot);
    if let Some(most) = max_price {
        s.echo("max_price", super::echo::quoted(&Price::to_string(&most)), "");
    }
    let on_demand_nodes = read_on_demand_nodes(&mut s, head);
    s.reader.finish();
    policy.map(|policy| Decided { policy, engine_net, max_price, on_demand_nodes })
}

/// How many nodes of the gang are On-Demand while it is on Spot.
fn read_on_demand_nodes(s: &mut Section<'_, '_>, head: &Head) -> u32 {
    let field = s.reader.field("on_demand_nodes");
    if !field.is_given() || head.market == Market::OnDemand || head.stands_in() {
        return 0;
    }
    let Some(count) = field.whole(0..head.nodes).filter(|count| *count > 0) else { return 0 };
    s.echo("on_demand_nodes", count.to_string(), "");
    let refuse = |what: &str, help: &str| {
        field.refuse(format!("`on_demand_nodes` with {what} is not available in this version"), help);
    };
    if !head.size.is_rigid() {
        refuse("`min_nodes` or `spares`", "drop it");
    }
    if !head.fallbacks.is_empty() {
        refuse("`fallback_instances`", "all nodes of a gang are of one type; drop one of them");
    }
    if head.on_loss == OnLoss::Keep && head.zones.names.len() > 1 {
        let why = "nodes that are never lost would keep the gang in its zone; write `on_loss = \"release\"`";
        refuse("survivors kept in several `zones`", why);
    }
    count
}

/// Says that the best interval counts on losses that are others with what stands beside the policy.
pub(super) fn warn_of_optimum(decided: &Decided, checkpoint: &Table, sink: &Sink) {
    let every = Reader::new(checkpoint, sink).field("every");
    let why = match (decided.max_price, decided.on_demand_nodes) {
        (None, 0) => return,
        (Some(_), _) => "losses by `max_price` are not in it",
        (None, _) => "it is that of a gang all on Spot",
    };
    if every.is_word("optimum") {
        let title = "`every = \"optimum\"` does not know what stands beside the policy";
        sink.report(Problem::warning(title).at(every.place(), why));
    }
}

fn needs_deadline(key: &str) -> bool {
    !matches!(key, "spot_only" | "on_demand_only" | "fall_back")
}

/// Reads the table of one policy.
fn read_kind(
    key: &str,
    field: &Field<'_>,
    deadline: Option<Span>,
    tick: Option<Span>,
    echo: &mut Echo,
) -> Option<Policy> {
    let mut s = Section::new(field.table()?, echo, &format!("policy.{key}"));
    let policy = match key {
        "spot_only" => Some(Policy::SpotOnly),
        "on_demand_only" => Some(Policy::OnDemandOnly),
        "greedy" => deadline.map(|deadline| Policy::Greedy(Greedy { deadline })),
        "thresholds" => {
            let keep_on_demand = s.flag_or("keep_on_demand", false);
            let dwell = read_dwell(&mut s, tick);
            deadline.map(|deadline| Policy::Thresholds(Thresholds { deadline, keep_on_demand, dwell }))
        }
        "uniform_progress" => {
            let ahead = s.reader.field("ahead").number(0.0..=1e6).unwrap_or(AHEAD);
            s.echo("ahead", ahead.to_string(), "");
            deadline.map(|deadline| Policy::UniformProgress(UniformProgress { deadline, ahead }))
        }
        "time_sliced" => {
            let slice = s.positive_span("slice").unwrap_or(SLICE);
            s.echo("slice", super::echo::quoted(&slice.to_string()), "");
            let spread_gain = s.flag_or("spread_gain", false);
            if spread_gain && tick.is_none() {
                let why = "needs tick mode: write `tick = \"10 min\"` into [simulation]";
                s.reader.field("spread_gain").refuse("`spread_gain` is not available in event mode", why);
            }
            deadline.map(|deadline| Policy::TimeSliced(TimeSliced { deadline, slice, spread_gain }))
        }
        _ => {
            let return_after = s.quantity_or("return_after", RETURN_AFTER);
            let dwell = read_dwell(&mut s, tick);
            Some(Policy::FallBack(FallBack { return_after, dwell }))
        }
    };
    s.reader.finish();
    policy
}

/// The least time between two changes of mind; a tick in tick mode.
fn read_dwell(s: &mut Section<'_, '_>, tick: Option<Span>) -> Span {
    if tick.is_some() {
        let field = s.reader.field("dwell");
        if field.is_given() {
            field.refuse("`dwell` is not used in tick mode", "a decision holds for a tick; drop it");
        }
        return Span::ZERO;
    }
    s.positive_span("dwell").unwrap_or_else(|| {
        s.echo("dwell", super::echo::quoted(&DWELL.to_string()), "");
        DWELL
    })
}

/// Whether tick mode keeps the deadline below the policy.
fn read_net(s: &mut Section<'_, '_>, deadline: Option<Span>, tick: Option<Span>) -> bool {
    let field = s.reader.field("safety_net");
    if !field.is_given() {
        return false;
    }
    let engine = s.word_or_first("safety_net", &[("policy", false), ("engine", true)]);
    if engine && tick.is_none() {
        field.refuse(
            "`safety_net = \"engine\"` needs tick mode",
            "write `tick = \"10 min\"` into [simulation]",
        );
    } else if engine && deadline.is_none() {
        field.refuse("a safety net needs a deadline to keep", "add `deadline = \"24 h\"` to [job]");
    }
    engine
}
