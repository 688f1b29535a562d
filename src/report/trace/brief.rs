//! Lifetimes, advice and placement scores in short.

use super::super::json::number;
use super::super::number::{MISSING, count, fixed, hours};
use super::super::text::{self, Column, Paint};
use super::{ROWS_MAX, counted, rest};
use crate::records::advice::{Advice, Class};
use crate::records::score::Score;
use crate::trace::lifetimes::LifetimeStats;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Lifetimes for people.
pub fn lifetimes(stats: &LifetimeStats, paint: Paint) -> String {
    let hours_of = |h: Option<f64>| h.map_or_else(|| MISSING.to_owned(), hours);
    let median = stats.median.map(|span| span.as_hours());
    let verdict = match median {
        Some(median) => format!("half of the nodes live {} or longer", hours(median)),
        None => "more than half of the nodes outlive what was recorded".to_owned(),
    };
    let cut = stats.lifetimes - stats.lost;
    let verdict = format!(
        "{}, {} cut off: {verdict}; {} losses in an hour of a node.",
        counted(stats.lifetimes, "lifetime", "lifetimes"),
        count(cut),
        fixed(stats.losses_per_h, 4)
    );
    let notes = [
        format!("{} to {}", hours(stats.min.as_hours()), hours(stats.max.as_hours())),
        format!("{} on average of those that were taken", hours_of(stats.lost_mean_h)),
    ];
    format!("How long do nodes live?\n\n{}\n{}", bold(&verdict, paint), text::beside("Lived", &notes))
}

/// Lifetimes as JSON.
pub fn lifetimes_json(stats: &LifetimeStats) -> Value {
    json!({
        "schema": 1,
        "kind": "lifetimes",
        "lifetimes": stats.lifetimes,
        "lost": stats.lost,
        "cut_off": stats.lifetimes - stats.lost,
        "lifetime_h_min": stats.min.as_hours(),
        "lifetime_h_max": stats.max.as_hours(),
        "lifetime_h_p50": number(stats.median.map(|span| span.as_hours())),
        "lost_lifetime_h_mean": number(stats.lost_mean_h),
        "losses_per_h": stats.losses_per_h,
    })
}

/// Advice by class, for people.
pub fn advice(advice: &[Advice], paint: Paint) -> String {
    let classes = classes(advice);
    let of = |cell: &dyn Fn(&OfClass) -> String| classes.iter().map(cell).collect::<Vec<_>>();
    let columns = [
        Column::figures("entries", of(&|of| count(of.savings_pct.len() as u64))),
        Column::figures(
            "of all, %",
            of(&|of| fixed(100.0 * of.savings_pct.len() as f64 / advice.len() as f64, 1)),
        ),
        Column::figures("saves, median %", of(&|of| of.median_pct().to_string())),
        Column::figures("least %", of(&|of| of.savings_pct[0].to_string())),
        Column::figures("most %", of(&|of| of.savings_pct[of.savings_pct.len() - 1].to_string())),
    ];
    let first = Column::words("interrupted a month", of(&|of| class_words(of.class)));
    let verdict =
        format!("{} of instance types by region.", counted(advice.len() as u64, "entry", "entries"));
    let note = "a share of all instances of a type in a region, without zones: rough";
    format!(
        "How often are Spot instances interrupted?\n\n{}\n{}\n{}",
        bold(&verdict, paint),
        text::table(&first, &columns, paint),
        text::beside("Note", &[note.to_owned()])
    )
}

/// Advice by class, as JSON.
pub fn advice_json(advice: &[Advice]) -> Value {
    let class = |of: &OfClass| {
        json!({
            "interrupted_pct_low": of.class.low_pct,
            "interrupted_pct_high": of.class.high_pct,
            "entries": of.savings_pct.len(),
            "savings_pct_p50": of.median_pct(),
        })
    };
    let classes: Vec<Value> = classes(advice).iter().map(class).collect();
    json!({ "schema": 1, "kind": "advice", "entries": advice.len(), "classes": classes })
}

/// What Spot saves in one class: sorted, and not empty.
struct OfClass {
    class: Class,
    savings_pct: Vec<i32>,
}

impl OfClass {
    fn median_pct(&self) -> i32 {
        self.savings_pct[self.savings_pct.len() / 2]
    }
}

fn classes(advice: &[Advice]) -> Vec<OfClass> {
    let mut classes = BTreeMap::<Class, Vec<i32>>::new();
    for one in advice {
        classes.entry(one.interrupted).or_default().push(one.savings_pct);
    }
    classes.values_mut().for_each(|savings| savings.sort_unstable());
    classes.into_iter().map(|(class, savings_pct)| OfClass { class, savings_pct }).collect()
}

fn class_words(class: Class) -> String {
    match class.high_pct {
        None => format!("> {} %", class.low_pct),
        Some(high) if class.low_pct == 0 => format!("< {high} %"),
        Some(high) => format!("{}–{high} %", class.low_pct),
    }
}

/// Placement scores, the best first, for people.
pub fn scores(scores: &[Score], paint: Paint) -> String {
    let mut sorted: Vec<&Score> = scores.iter().collect();
    sorted.sort_by_key(|score| std::cmp::Reverse(score.score));
    let shown = &sorted[..sorted.len().min(ROWS_MAX)];
    let of = |cell: &dyn Fn(&Score) -> String| shown.iter().map(|score| cell(score)).collect::<Vec<_>>();
    let mut columns = vec![Column::words("region", of(&|score| text::name(&score.region)))];
    if shown.iter().any(|score| !score.zone.is_empty()) {
        columns.push(Column::words("zone", of(&|score| text::name(&score.zone))));
    }
    if shown.iter().any(|score| !score.instance.is_empty()) {
        columns.push(Column::words("instance", of(&|score| text::name(&score.instance))));
    }
    if shown.iter().any(|score| score.at.is_some()) {
        columns.push(Column::words("time", of(&|score| score.at.map_or(String::new(), |at| at.to_string()))));
    }
    let first = Column::figures("score", of(&|score| score.score.to_string()));
    let (best, worst) = (sorted.first().map_or(0, |s| s.score), sorted.last().map_or(0, |s| s.score));
    let n = counted(sorted.len() as u64, "score", "scores");
    let note = "how likely AWS holds it that a request is met, 10 the most; it says nothing of how long a node then lives";
    format!(
        "Where is capacity to be had?\n\n{}\n{}{}\n{}",
        bold(&format!("{n}, from {worst} to {best}."), paint),
        text::table(&first, &columns, paint),
        rest(sorted.len(), "scores"),
        text::beside("Note", &[note.to_owned()])
    )
}

/// Placement scores as JSON.
pub fn scores_json(scores: &[Score]) -> Value {
    let one = |score: &Score| {
        json!({
            "region": score.region,
            "zone": score.zone,
            "instance": score.instance,
            "time": score.at.map(|at| at.to_string()),
            "score": score.score,
        })
    };
    json!({ "schema": 1, "kind": "scores", "scores": scores.iter().map(one).collect::<Vec<_>>() })
}

fn bold(verdict: &str, paint: Paint) -> String {
    let lines = text::wrapped(verdict, text::columns() - 2);
    lines.iter().map(|line| format!("  {}\n", paint.bold(line))).collect()
}
