//! The page of a run.

use super::escape::prose;
use super::figure::{figure, section};
use super::page::{Page, commands, market_class, notes, of};
use super::table::{Cell, Head, Row, Table};
use super::{spent, step};
use crate::experiment::step::StepResult;
use crate::experiment::{ClusterResult, Status};
use crate::report::number;
use crate::report::plot::Drawing;
use crate::report::table::{RunView, Told, told};
use crate::report::text::Column;
use crate::scenario::load::Scenario;

/// Pictures that are sections of their own above those of time and money, in this order; what is not there is left out.
const ABOVE: [&str; 3] = ["cost-vs-time", "makespan-ecdf", "cost-distribution"];
/// The picture that has its table in the page.
const TIME_PARTS: &str = "time-parts";
/// One replication from its submit to its end.
const ONE_RUN: &str = "timeline";

/// The page as HTML. `steps` are those of [`crate::experiment::step::steps`], `pictures` those of
/// [`crate::report::pictures::all`], none if no replication is complete. Same arguments, same bytes.
pub fn run(
    scenario: &Scenario,
    results: &[ClusterResult],
    steps: &[StepResult],
    pictures: &[(&str, Drawing)],
) -> String {
    let told = told(&RunView {
        scenario,
        results,
        file: "",
        asked: scenario.replications,
        colour: false,
        out: None,
        written: &[],
    });
    let picture = |name: &str| pictures.iter().find(|(other, _)| *other == name).map(|(_, drawing)| drawing);
    let mut sections = vec![comparison(results, &told)];
    sections.extend(ABOVE.into_iter().filter_map(picture).map(section));
    sections.push(spent::section(results, picture(TIME_PARTS)));
    sections.push(step::section(steps));
    sections.extend(picture(ONE_RUN).map(one_run));
    sections.push(assumptions(&told));
    let clusters = results.iter().map(|result| (result.name.clone(), result.market)).collect();
    let (verdict, sampling) = (told.verdict, told.sampling);
    Page { scenario, verdict, clusters, sections, command: ["run", ""], sampling }.html()
}

/// The clusters side by side, and what must be said of the figures.
fn comparison(results: &[ClusterResult], told: &Told) -> String {
    let cell = |at: usize, column: &Column, index: usize| match at {
        0 => Cell::of_column(column, index).first(),
        _ => Cell::of_column(column, index),
    };
    let row = |(index, result): (usize, &ClusterResult)| Row {
        class: if result.status == Status::Infeasible {
            format!("{} infeasible", of(index))
        } else {
            of(index)
        },
        head: Head::marked(&result.name, format!("cluster {}", market_class(result.market))),
        cells: told.comparison.iter().enumerate().map(|(at, column)| cell(at, column, index)).collect(),
    };
    let table = Table {
        class: "comparison",
        label: "Comparison of clusters".to_owned(),
        corner: "cluster",
        heads: told.comparison.iter().map(|column| Head::plain(&column.head)).collect(),
        rows: results.iter().enumerate().map(row).collect(),
    };
    format!("<section>\n{}{}</section>\n", table.html(), notes(&told.notes))
}

fn one_run(drawing: &Drawing) -> String {
    let chosen = "The run in the middle by makespan, of those of the cheapest Spot cluster with the usual number of \
                  preemptions.";
    format!("<section>\n{}<p class=\"note\">{chosen}</p>\n</section>\n", figure(drawing))
}

fn assumptions(told: &Told) -> String {
    if told.assumptions.is_empty() {
        return String::new();
    }
    let heads = ["value", "source", "as of", "confidence"];
    let or_dash = |text: &String| if text.is_empty() { number::MISSING.to_owned() } else { text.clone() };
    let row = |[what, others @ ..]: &[String; 5]| Row {
        class: String::new(),
        head: Head::marked(what, String::new()),
        cells: others.iter().map(|text| Cell::words(or_dash(text))).collect(),
    };
    let table = Table {
        class: "assumptions",
        label: "Assumptions".to_owned(),
        corner: "what",
        heads: heads.iter().map(|head| Head::plain(head)).collect(),
        rows: told.assumptions.iter().map(row).collect(),
    };
    let weakest = told.weakest.as_ref();
    let weakest =
        weakest.map_or(String::new(), |told| format!("<p class=\"warn\">{}</p>\n", commands(&prose(told))));
    format!("<section>\n<h2>What this rests on</h2>\n{weakest}{}</section>\n", table.html())
}
