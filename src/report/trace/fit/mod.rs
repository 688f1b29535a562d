//! Fitted laws: a table for people, the `[capacity]` table to paste, JSON and CSV.

mod data;
mod paste;
mod words;

pub use data::{csv, json};
pub use paste::paste;

use crate::report::number::fixed;
use crate::report::text::{Column, Paint, table as columns_table, wrapped};
use crate::trace::fit::{Best, ByHour, CalmStorm, Of, Study, Times};
use words::{between, many, range, span};

/// Every study: its laws, what else was fitted, and the table to paste.
pub fn table(studies: &[Study], paint: Paint) -> String {
    studies.iter().map(|study| one(study, paint)).collect::<Vec<_>>().join("\n")
}

fn one(study: &Study, paint: Paint) -> String {
    let mut text = format!("{}\n\n", study.title);
    match &study.of {
        Of::Lifetimes(times) => text += &laws("lifetimes", times, paint),
        Of::Capacity { uptimes, gaps, calm_storm, by_hour } => {
            text += &laws("uptimes", uptimes, paint);
            text.push('\n');
            text += &laws("gaps", gaps, paint);
            text.push('\n');
            text += &processes(study, calm_storm.as_ref(), by_hour.as_ref());
        }
    }
    text.push('\n');
    text + &paste(study)
}

/// The laws of one kind of times, the best first.
fn laws(what: &str, times: &Times, paint: Paint) -> String {
    let count = many(times.complete, "ended", "ended");
    let mut text = format!("{what}: {count}, {} cut off", times.cut_off);
    if times.laws.is_empty() {
        return text + &format!(". {}\n", too_few(times));
    }
    text.push('\n');
    let cells = |cell: &dyn Fn(&crate::trace::fit::Judged) -> String| times.laws.iter().map(cell).collect();
    let names = Column::words("law", cells(&|law| law.fit.family.name().to_owned()));
    let rest = [
        Column::figures("AIC more", cells(&|law| fixed(law.behind, 1))),
        Column::figures("distance", cells(&|law| fixed(law.distance, 3))),
        Column::figures("p", cells(&|law| law.p_value.map_or(String::new(), |p| fixed(p, 3)))),
        Column::words("numbers with 95 % intervals", cells(&|law| range(&law.fit.parameters))),
    ];
    text += &columns_table(&names, &rest, paint);
    if times.best().is_none() {
        text += &format!("{}\n", too_few(times));
    }
    text
}

/// What can be said of too few times.
fn too_few(times: &Times) -> String {
    if let Some(alike) = times.alike_s {
        return format!("All that ended lasted {}: no law but a constant one", span(alike));
    }
    match times.mean_range_s {
        Some((low, Some(high))) => {
            format!("Too few for a number: the mean lies between {} (95 %)", between(low, high))
        }
        Some((low, None)) => format!("No end was seen: the mean is above {} (97.5 %)", span(low)),
        None => "Nothing was seen".to_owned(),
    }
}

/// Processes in which uptimes and gaps hang together, beside the laws.
fn processes(study: &Study, chain: Option<&CalmStorm>, hours: Option<&(ByHour, ByHour)>) -> String {
    let candidates = study.candidates();
    let least = candidates.iter().map(|(_, aic)| *aic).fold(f64::INFINITY, f64::min);
    let behind = |which: Best| {
        let found = candidates.iter().find(|(best, _)| *best == which);
        found.map_or(String::new(), |(_, aic)| format!("AIC {} more than the best", fixed(aic - least, 1)))
    };
    let mut lines = Vec::new();
    if candidates.iter().any(|(best, _)| *best == Best::Renewal) {
        lines.push(format!("the two best laws, one after the other: {}", behind(Best::Renewal)));
    }
    if let Some(chain) = chain {
        let means = &chain.means;
        lines.push(format!("calm and storm by turns: {}; {}", behind(Best::CalmStorm), range(means)));
    }
    if let Some((loss, back)) = hours {
        let rhythm = |word: &str, by: &ByHour| {
            format!(
                "{word} at most {} times the least in a day (p {})",
                fixed(libm::exp(2.0 * by.amplitude), 1),
                p(by.p_value)
            )
        };
        let words = [rhythm("rate of loss", loss), rhythm("rate of return", back)].join(", ");
        lines.push(format!("hours of the day: {}; {words}", behind(Best::ByHour)));
    }
    lines
        .iter()
        .flat_map(|line| wrapped(line, crate::report::text::columns()))
        .map(|line| line + "\n")
        .collect()
}

fn p(value: f64) -> String {
    if value < 0.001 { "< 0.001".to_owned() } else { fixed(value, 3) }
}
