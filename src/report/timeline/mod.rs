//! What `spotsim timeline` says of one replication: a table, trace events, rows.

mod trace;

pub use trace::trace;

use super::csv;
use super::number;
use super::text::{self, Column, Paint};
use crate::experiment::timeline::{Group, OneRun, Scale, Which};
use crate::scenario::load::Scenario;
use crate::scenario::plan::Market;
use crate::sim::{End, Part};

/// Longer tables are cut in the middle.
const LINES_MAX: usize = 40;

/// What is told, and how.
pub struct TimelineView<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// A replication of each cluster that is shown.
    pub runs: &'a [OneRun],
    /// How it was chosen, and by which cluster.
    pub which: Which,
    /// Replications that it was chosen from.
    pub of: u64,
    /// The cluster whose replications these are.
    pub chosen_by: &'a str,
    /// The scenario's file, as typed.
    pub file: &'a str,
    /// Whether names have the colour of their market.
    pub colour: bool,
    /// The folder of the files.
    pub out: &'a str,
    /// What was written there.
    pub written: &'a [String],
}

/// In what progress is told: `M samples`, `steps`, `h of work`.
pub fn unit(run: &OneRun) -> &'static str {
    let most = run.progress.iter().map(|(_, steps)| *steps).max().unwrap_or(0);
    match run.scale {
        Scale::Samples(samples) if most.saturating_mul(samples) >= 1_000_000 => "M samples",
        Scale::Samples(_) => "samples",
        Scale::Steps => "steps",
        Scale::IdealTime(_) => "h of work",
    }
}

/// So many steps in the unit of [`unit()`].
pub fn amount(run: &OneRun, steps: u64) -> f64 {
    match run.scale {
        Scale::Samples(samples) => {
            let all = steps as f64 * samples as f64;
            if unit(run) == "M samples" { all / 1e6 } else { all }
        }
        Scale::Steps => steps as f64,
        Scale::IdealTime(each) => each.times(steps).as_hours(),
    }
}

/// `finished after 8.82 h for $19.14, preempted 3 times`.
pub fn ended(run: &OneRun) -> String {
    let outcome = &run.outcome;
    let end = match outcome.end {
        End::Finished => "finished".to_owned(),
        other => format!("{} ({})", other.name().replace('_', " "), other.reason()),
    };
    let times = |times: u32| match times {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        times => format!("{} times", number::count(times.into())),
    };
    let mut text = format!(
        "{end} after {} for {}",
        number::hours(outcome.elapsed.as_hours()),
        number::usd(outcome.cost().as_usd())
    );
    match (outcome.preemptions, run.market) {
        (0, Market::OnDemand) => {}
        (0, Market::Spot) => text += ", never preempted",
        (preemptions, _) => text += &format!(", preempted {}", times(preemptions)),
    }
    if outcome.failures > 0 {
        text += &format!(", hardware failed {}", times(outcome.failures));
    }
    text
}

/// The answer for people.
pub fn table(view: &TimelineView<'_>) -> String {
    let mut text = String::new();
    for run in view.runs {
        let number = number::count(run.replication);
        let heading = format!("Replication {number} of {}: {}", text::name(&run.name), ended(run));
        text += &text::wrapped(&heading, text::columns())
            .iter()
            .map(|line| format!("{line}\n"))
            .collect::<String>();
        text.push('\n');
        text += &group_table(run, view.colour);
        text.push('\n');
    }
    let chosen = match view.which {
        Which::Number(_) => "Chosen by its number".to_owned(),
        which => format!(
            "The {} of {} replications of {} by makespan",
            match which {
                Which::Best => "best",
                Which::Worst => "worst",
                Which::Typical => "typical one",
                _ => "median",
            },
            number::count(view.of),
            text::name(view.chosen_by),
        ),
    };
    let same = if view.runs.len() > 1 { "; all clusters meet the same world in it" } else { "" };
    let seed = view.scenario.seed;
    let sentence = format!("{chosen}{same}. Seed {seed}. One run says how it may go, not how it goes.");
    text +=
        &text::wrapped(&sentence, text::columns()).iter().map(|line| format!("{line}\n")).collect::<String>();
    let file = text::shell_file(view.file);
    text.push('\n');
    let next = [
        (format!("spotsim timeline {file} --replication worst"), "the run that took longest"),
        ("https://ui.perfetto.dev".to_owned(), "opens timeline.json"),
    ];
    text += &text::hints(&next, Paint { colour: view.colour });
    text += &format!("Written   {}/ {}\n", view.out, view.written.join(", "));
    text
}

/// A line each for gathering a gang and for each attempt.
fn group_table(run: &OneRun, colour: bool) -> String {
    let all = run.groups();
    let half = LINES_MAX / 2;
    let is_shown = |index: usize| all.len() <= LINES_MAX || index < half || index >= all.len() - half;
    let shown: Vec<&Group> = all.iter().enumerate().filter(|(i, _)| is_shown(*i)).map(|(_, g)| g).collect();
    let hours = |ns: u64| number::fixed(ns as f64 / 3.6e12, 3);
    let figures = |head: &str, cell: &dyn Fn(&Group) -> String| {
        Column::figures(head, shown.iter().map(|group| cell(group)).collect())
    };
    let sum = |group: &Group, parts: &[Part]| -> u64 { parts.iter().map(|p| group.parts.get(*p).ns()).sum() };
    let part = |parts: &'static [Part]| {
        move |group: &Group| match sum(group, parts) {
            0 => number::MISSING.to_owned(),
            ns => hours(ns),
        }
    };
    let made = |group: &Group| number::fixed(amount(run, steps_at(run, group)), decimals(run));
    let first = Column::words("", shown.iter().map(|group| what(run, group)).collect());
    let columns: Vec<Column> = [
        figures("from, h", &|group| hours(group.from.ns())),
        figures("to, h", &|group| hours(group.to.ns())),
        figures("waited, h", &part(&[Part::Queued, Part::Acquiring, Part::Idle])),
        figures("start-up, h", &part(&[Part::Provisioning, Part::Starting, Part::Restoring])),
        figures("trained, h", &part(&[Part::Computing, Part::ExposedComm, Part::DataStall])),
        figures("saved, h", &part(&[Part::CheckpointStall])),
        figures("lost, h", &part(&[Part::Lost])),
        figures(&format!("made, {}", unit(run)), &made),
        figures("spent, $", &|group| number::fixed(spent_at(run, group), 2)),
    ]
    .into_iter()
    .map(Column::with_narrow_head)
    .collect();
    let table = text::table(&first, &columns, Paint { colour });
    let left_out = all.len() - shown.len();
    if left_out == 0 {
        return table;
    }
    format!("{table}{} lines in the middle are left out\n", number::count(left_out as u64))
}

/// `attempt 2, preempted`.
fn what(run: &OneRun, group: &Group) -> String {
    let Some(attempt) = group.attempt else { return "gathering".to_owned() };
    let market = match group.place {
        Some((Market::OnDemand, _)) if run.market == Market::Spot => ", On-Demand",
        _ => "",
    };
    let zone = match group.place {
        Some((Market::Spot, zone)) if run.zones.len() > 1 => {
            run.zones.get(zone as usize).map_or(String::new(), |zone| format!(", {}", zone.name))
        }
        _ => String::new(),
    };
    let broke = run.losses.iter().find(|loss| loss.at == group.to).and_then(|loss| loss.broke);
    let end = match broke {
        Some(true) => ", preempted",
        Some(false) => ", failed",
        None => "",
    };
    format!("attempt {attempt}{market}{zone}{end}")
}

/// Steps that there are after a group and what it lost.
fn steps_at(run: &OneRun, group: &Group) -> u64 {
    let until = run.progress.iter().take_while(|(at, _)| *at <= group.to);
    until.last().map_or(0, |(_, steps)| *steps)
}

fn spent_at(run: &OneRun, group: &Group) -> f64 {
    // Between two instants of the bill nothing is held, or it is spent evenly.
    let after = run.spend.partition_point(|(at, _)| *at <= group.to);
    let Some(&(from, before)) = after.checked_sub(1).and_then(|index| run.spend.get(index)) else {
        return 0.0;
    };
    let Some(&(to, then)) = run.spend.get(after) else { return before.as_usd() };
    let share = group.to.since(from).as_secs() / to.since(from).as_secs();
    before.as_usd() + share * (then.as_usd() - before.as_usd())
}

fn decimals(run: &OneRun) -> usize {
    match unit(run) {
        "samples" | "steps" => 0,
        _ => 2,
    }
}

/// Columns of the rows.
const ROWS_HEADER: &str = "cluster,replication,track,slice,from_ns,to_ns,steps\n";

/// A row a slice of each track, in order; times since submit.
pub fn rows(runs: &[OneRun]) -> Vec<u8> {
    let mut text = ROWS_HEADER.to_owned();
    for run in runs {
        let start = format!("{},{}", csv::field(&run.name), run.replication);
        for slice in &run.slices {
            let (from, to, steps) = (slice.from.ns(), slice.to.ns(), slice.steps);
            text += &format!("{start},cluster,{},{from},{to},{steps}\n", trace::slice_name(slice.part));
        }
        for track in &run.tracks {
            for (part, from, to) in track.stays.iter().flat_map(|node| &node.pieces) {
                let (name, slot) = (trace::slice_name(*part), track.slot);
                text += &format!("{start},node {slot},{name},{},{},\n", from.ns(), to.ns());
            }
        }
    }
    text.into_bytes()
}
