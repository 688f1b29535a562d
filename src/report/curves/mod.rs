//! What `spotsim policies` says: cost of policies against the deadline.

mod data;

pub use data::{csv, json};

use super::number;
use super::text::{self, Column, Paint};
use crate::experiment::curves::{Curves, Deadline};

/// What the text for people shows.
#[derive(Debug, Clone, Copy)]
pub struct CurvesView<'a> {
    /// What was found.
    pub curves: &'a Curves,
    /// Whether the terminal has colour.
    pub colour: bool,
    /// Number from which all chance comes.
    pub seed: u64,
    /// The folder, and what was written there.
    pub out: &'a str,
    /// Names of files in it.
    pub written: &'a [String],
}

/// The text for people, at most 100 columns wide.
pub fn table(view: &CurvesView<'_>) -> String {
    let CurvesView { curves, .. } = *view;
    let paint = Paint { colour: view.colour };
    let verdict: String = text::wrapped(&finding(curves), text::columns())
        .iter()
        .map(|line| format!("{}\n", paint.bold(line)))
        .collect();
    let has_bound = curves.deadlines.iter().any(|deadline| deadline.bound_usd.is_some());
    let costs = figures(curves, "mean cost, % of On-Demand", |deadline, at| {
        percent(deadline.points[at].cost_usd.value / curves.on_demand_usd)
    });
    let mut parts = vec![verdict, costs.rows(curves, has_bound, paint)];
    if has_bound {
        let above = figures(curves, "above perfect foresight, % of On-Demand", |deadline, at| {
            // Who misses the deadline may be cheaper than who must meet it.
            let over = deadline.points[at].over_bound_usd.filter(|_| deadline.points[at].met == 1.0);
            over.map_or("–".to_owned(), |over| percent(over.value / curves.on_demand_usd))
        });
        parts.push(above.rows(curves, false, paint));
    }
    if curves.deadlines.iter().any(|deadline| deadline.points.iter().any(|point| point.met < 1.0)) {
        let met = figures(curves, "deadline met, %", |deadline, at| percent(deadline.points[at].met));
        parts.push(met.rows(curves, false, paint));
    }
    parts.push(text::beside("Notes", &notes(view)));
    parts.push(text::written(view.out, view.written));
    parts.join("\n")
}

fn percent(share: f64) -> String {
    number::fixed(share * 100.0, 1)
}

struct Figures {
    head: &'static str,
    /// By policy, then by deadline.
    cells: Vec<Vec<String>>,
}

fn figures(curves: &Curves, head: &'static str, cell: impl Fn(&Deadline, usize) -> String) -> Figures {
    let of = |at: usize| curves.deadlines.iter().map(|deadline| cell(deadline, at)).collect();
    Figures { head, cells: (0..curves.policies.len()).map(of).collect() }
}

impl Figures {
    /// A row a policy, a column a deadline.
    fn rows(self, curves: &Curves, with_bound: bool, paint: Paint) -> String {
        let mut names: Vec<String> = curves.policies.iter().map(|policy| policy.title.to_owned()).collect();
        let mut cells = self.cells;
        if with_bound {
            names.push("perfect foresight".to_owned());
            let bound = |deadline: &Deadline| {
                deadline.bound_usd.map_or("–".to_owned(), |usd| percent(usd.value / curves.on_demand_usd))
            };
            cells.push(curves.deadlines.iter().map(bound).collect());
        }
        let columns: Vec<Column> = curves
            .deadlines
            .iter()
            .enumerate()
            .map(|(at, deadline)| {
                let cells = cells.iter().map(|row| row[at].clone()).collect();
                Column::figures(number::chosen_hours(deadline.deadline_h), cells)
            })
            .collect();
        text::table(&Column::words(self.head, names), &columns, paint)
    }
}

fn notes(view: &CurvesView<'_>) -> Vec<String> {
    let CurvesView { curves, .. } = *view;
    let on_demand = number::usd(curves.on_demand_usd);
    let ideal = number::hours(curves.ideal_h);
    let worlds = number::count(curves.worlds);
    let mut notes = vec![match curves.is_published {
        true => format!(
            "{worlds} of trace, start and overhead at each deadline, the same for all policies: a job of 48 h on the \
             shipped traces, tick by tick, with the engine's own net; On-Demand is {on_demand}, {ideal}"
        ),
        false => format!(
            "{}: {worlds} worlds (seed {}), the same for all policies; On-Demand without interruption is {on_demand}, \
             {ideal}",
            text::name(&curves.name),
            view.seed
        ),
    }];
    notes.push(
        "perfect foresight: the least that any run by the deadline pays in these worlds; a policy that misses some \
         deadlines is not held against it"
            .to_owned(),
    );
    notes
}

/// "Uniform Progress costs 11 % less than Greedy at 52 h, 5 % more at 92 h", where the differences are sure.
pub fn finding(curves: &Curves) -> String {
    let (Some(first), Some(last)) = (curves.deadlines.first(), curves.deadlines.last()) else {
        return "No deadline".to_owned();
    };
    let Some(progress) = curves.policies.iter().position(|policy| policy.key == "uniform_progress") else {
        return "No policy".to_owned();
    };
    let against = |deadline: &Deadline| {
        let over = deadline.points[progress].over_greedy_usd?;
        let greedy = deadline.points[progress].cost_usd.value - over.value;
        let share = number::fixed((over.value / greedy).abs() * 100.0, 0);
        match (over.high < 0.0, over.low > 0.0) {
            (true, _) => Some(format!("{share} % less")),
            (_, true) => Some(format!("{share} % more")),
            _ => None,
        }
    };
    let at = |deadline: &Deadline| number::chosen_hours(deadline.deadline_h);
    match (against(first), against(last)) {
        (Some(tight), Some(loose)) => {
            format!("Uniform Progress costs {tight} than Greedy at {}, {loose} at {}", at(first), at(last))
        }
        (Some(one), None) => {
            format!("Uniform Progress costs {one} than Greedy at {}, as much at {}", at(first), at(last))
        }
        (None, Some(one)) => {
            format!("Uniform Progress costs as much as Greedy at {}, {one} at {}", at(first), at(last))
        }
        (None, None) => "Neither Uniform Progress nor Greedy is surely cheaper".to_owned(),
    }
}
