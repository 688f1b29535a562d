//! `[policy]`: who decides when to leave Spot.

use super::plan::Market;
use super::section::Section;
use crate::policy::{Greedy, Policy};
use crate::units::Span;

/// Reads `[policy]` of a cluster of this market.
pub(super) fn read_policy(mut s: Section<'_, '_>, market: Market, deadline: Option<Span>) -> Option<Policy> {
    for key in ["uniform_progress", "time_sliced", "thresholds", "fall_back", "mixed", "max_price"] {
        s.reader.not_available(key, "");
    }
    let natural = if market == Market::Spot { "spot_only" } else { "on_demand_only" };
    let found = s.reader.one_of("policy", &["spot_only", "on_demand_only", "greedy"]);
    if let Some((_, field)) = &found
        && let Some(inner) = field.table()
    {
        inner.finish();
    }
    let key = found.as_ref().map_or(natural, |(key, _)| key);
    s.echo(key, "{}", if found.is_some() { "" } else { "the cluster's market" });
    let policy = match (key, market, deadline) {
        ("on_demand_only", Market::OnDemand, _) => Some(Policy::OnDemandOnly),
        ("spot_only", Market::Spot, _) => Some(Policy::SpotOnly),
        ("greedy", Market::Spot, Some(deadline)) => Some(Policy::Greedy(Greedy { deadline })),
        // A file's policy is meant for its Spot clusters; On-Demand there is nothing to decide.
        (_, Market::OnDemand, _) => Some(Policy::OnDemandOnly),
        ("greedy", _, None) => {
            s.reader
                .refuse("the policy `greedy` needs a deadline to keep", "add `deadline = \"24 h\"` to [job]");
            None
        }
        _ => {
            s.reader.refuse("the policy `on_demand_only` needs market = \"on-demand\"", "");
            None
        }
    };
    s.reader.finish();
    policy
}
