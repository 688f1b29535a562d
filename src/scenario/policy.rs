//! `[policy]`: who decides when to run where.

use super::echo::Echo;
use super::field::Field;
use super::plan::Market;
use super::section::Section;
use crate::policy::{FallBack, Greedy, Policy, Thresholds, TimeSliced, UniformProgress};
use crate::units::Span;

/// The policies by their keys.
const KINDS: [&str; 7] =
    ["spot_only", "on_demand_only", "greedy", "thresholds", "uniform_progress", "time_sliced", "fall_back"];

/// A policy without hysteresis keeps to its decision for so long.
const DWELL: Span = Span::from_s(60);
/// How long Spot must have been back.
const RETURN_AFTER: Span = Span::from_s(600);
const SLICE: Span = Span::from_s(3_600);
/// Restarts by which Uniform Progress must be ahead, as published.
const AHEAD: f64 = 2.0;

/// A policy, and the net below it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Decided {
    /// The policy.
    pub policy: Policy,
    /// Whether tick mode has a net below it that keeps the deadline.
    pub engine_net: bool,
}

/// Reads `[policy]` of a cluster of this market; `tick` is the tick, in tick mode.
pub(super) fn read_policy(
    mut s: Section<'_, '_>,
    market: Market,
    deadline: Option<Span>,
    tick: Option<Span>,
) -> Option<Decided> {
    for key in ["mixed", "max_price"] {
        s.reader.not_available(key, "");
    }
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
    s.reader.finish();
    policy.map(|policy| Decided { policy, engine_net })
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
