//! The sentences that answer what to launch.

use super::{name, number, per_cent};
use crate::experiment::plan::{Chosen, Judged, Verdict};
use crate::scenario::load::Scenario;
use crate::stats::Interval;

/// The answer, the choice first.
pub fn sentences(scenario: &Scenario, chosen: &Chosen) -> Vec<String> {
    if chosen.spent == 0 {
        return vec![nothing_simulated(scenario, chosen)];
    }
    match chosen.best {
        None => vec![none_meets(scenario, chosen)],
        Some(best) => {
            let rival = chosen.runner_up.map(|index| runner_up(scenario, chosen, best, index));
            let rival = rival.or_else(|| alone(scenario, chosen));
            let doubt = (!chosen.sure).then(|| doubt(scenario, chosen, best));
            [Some(choice(scenario, chosen, best)), doubt, rival].into_iter().flatten().collect()
        }
    }
}

/// "the 24 h deadline", or "its deadline" where they differ.
pub(super) fn deadline(scenario: &Scenario) -> String {
    let mut deadlines = scenario.clusters.iter().map(|cluster| cluster.plan.deadline);
    match deadlines.next().flatten() {
        Some(first) if deadlines.all(|other| other == Some(first)) => {
            format!("the {} deadline", number::deadline(first))
        }
        _ => "its deadline".to_owned(),
    }
}

/// "in at least 95 % of replications".
fn often_enough(scenario: &Scenario) -> String {
    format!("in at least {} % of replications", per_cent(scenario.terms.probability))
}

fn on_time(judged: &Judged) -> String {
    let share = judged.deadline_probability;
    share.map_or_else(|| number::MISSING.to_owned(), |share| number::share_value(&share, judged.replications))
}

fn choice(scenario: &Scenario, chosen: &Chosen, best: usize) -> String {
    let judged = &chosen.candidates[best];
    let usd = judged.cost_usd.map_or(f64::NAN, |cost| cost.value);
    let (deadline, often) = (deadline(scenario), often_enough(scenario));
    let (is, meet) = match (chosen.sure, chosen.candidates.iter().any(|one| one.verdict == Verdict::Tie)) {
        (true, false) => ("is the cheapest candidate", "meets"),
        (true, true) => ("is among the cheapest candidates", "meet"),
        (false, _) => ("seems the cheapest candidate", "meets"),
    };
    let sure = match chosen.sure {
        true => format!(", with {} % confidence", per_cent(scenario.terms.confidence)),
        false => String::new(),
    };
    let name = name(scenario, best);
    format!(
        "{name} {is} that {meet} {deadline} {often}{sure}: {} a run, in time in {} %.",
        number::usd(usd),
        on_time(judged)
    )
}

/// What is missing to the confidence that was asked for.
fn doubt(scenario: &Scenario, chosen: &Chosen, best: usize) -> String {
    let (asked, n) = (per_cent(scenario.terms.confidence), number::count(chosen.replications));
    let reached = number::fixed((chosen.reached * 100.0).floor(), 0);
    let after = if chosen.stopped { "interrupted after" } else { "after" };
    let probability = scenario.terms.probability;
    let share = chosen.candidates[best].deadline_probability.filter(|share| share.low < probability);
    let near = share.map_or(String::new(), |share| {
        let share = number::share(&share, chosen.candidates[best].replications);
        format!(", as {share} % in time is too near {} %", per_cent(probability))
    });
    format!(
        "This is not certain{near}: the bounds give {reached} % confidence instead of {asked} %, {after} {n} \
         replications."
    )
}

fn runner_up(scenario: &Scenario, chosen: &Chosen, best: usize, index: usize) -> String {
    let judged = &chosen.candidates[index];
    let more = judged.more_usd.unwrap_or(Interval::around(f64::NAN, 0.0));
    let cost = chosen.candidates[best].cost_usd.map_or(f64::NAN, |cost| cost.value);
    let share = number::percent((more.value / cost).abs());
    let (name, usd) = (name(scenario, index), number::usd(more.value.abs()));
    let than = if more.value < 0.0 { "cheaper" } else { "dearer" };
    match judged.verdict {
        Verdict::Tie if more.value == 0.0 => format!("{name} costs the same."),
        Verdict::Tie => format!(
            "No other is cheaper by more than {} %; {name} may be as good: {usd} ({share} %) {than}.",
            per_cent(scenario.terms.indifference)
        ),
        _ => format!("The runner-up is {name}: {usd} ({share} %) {than}, in time in {} %.", on_time(judged)),
    }
}

/// Where no other candidate meets the deadline.
fn alone(scenario: &Scenario, chosen: &Chosen) -> Option<String> {
    (chosen.candidates.len() > 1)
        .then(|| format!("No other candidate meets {} that often.", deadline(scenario)))
}

fn none_meets(scenario: &Scenario, chosen: &Chosen) -> String {
    let (deadline, often) = (deadline(scenario), often_enough(scenario));
    let seems = match chosen.sure {
        true => format!(
            "No candidate meets {deadline} {often}, with {} % confidence",
            per_cent(scenario.terms.confidence)
        ),
        false => format!("No candidate seems to meet {deadline} {often}"),
    };
    let Some(index) = chosen.most_reliable else { return format!("{seems}.") };
    let judged = &chosen.candidates[index];
    let usd = judged.cost_usd.map_or(f64::NAN, |cost| cost.value);
    let name = name(scenario, index);
    match judged.deadline_probability {
        Some(share) if share.value == 0.0 => format!("{seems}: none was in time even once."),
        _ => format!(
            "{seems}. The best reachable is {} %, by {name} at {} a run.",
            on_time(judged),
            number::usd(usd)
        ),
    }
}

fn nothing_simulated(scenario: &Scenario, chosen: &Chosen) -> String {
    if chosen.stopped {
        return "No replication is complete.".to_owned();
    }
    let least = |index: &usize| scenario.clusters[*index].ideal.least;
    let fastest = (0..scenario.clusters.len()).min_by_key(least);
    let (name, takes) = fastest.map_or_else(Default::default, |index| {
        (name(scenario, index), number::hours(scenario.clusters[index].ideal.least.as_hours()))
    });
    format!(
        "No candidate can meet {}, even without an interruption: the best reachable probability is 0, and the \
         fastest, {name}, takes {takes}.",
        deadline(scenario)
    )
}
