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

/// What results would be if Spot were lost so often: in words, and one a cluster.
pub type IfLost = (&'static str, Vec<ClusterResult>);

/// The page as HTML. `steps` are those of [`crate::experiment::step::steps`], `pictures` those of
/// [`crate::report::pictures::all`], none if no replication is complete. Same arguments, same bytes.
pub fn run(
    scenario: &Scenario,
    results: &[ClusterResult],
    steps: &[StepResult],
    if_lost: &[IfLost],
    pictures: &[(&str, Drawing)],
) -> String {
    let told = told_of(scenario, results);
    let picture = |name: &str| pictures.iter().find(|(other, _)| *other == name).map(|(_, drawing)| drawing);
    let table = comparison("Comparison of clusters", results, &told);
    let mut sections = vec![format!("<section>\n{table}{}</section>\n", notes(&told.notes))];
    sections.extend(ABOVE.into_iter().filter_map(picture).map(section));
    sections.push(spent::section(results, picture(TIME_PARTS)));
    sections.push(step::section(steps));
    sections.extend(picture(ONE_RUN).map(one_run));
    sections.push(assumptions(&told));
    if !if_lost.is_empty() {
        sections.push(otherwise(scenario, if_lost));
    }
    let clusters = results.iter().map(|result| (result.name.clone(), result.market)).collect();
    let (verdict, sampling) = (told.verdict, told.sampling);
    Page { scenario, verdict, clusters, sections, command: ["run", ""], sampling }.html()
}

fn told_of(scenario: &Scenario, results: &[ClusterResult]) -> Told {
    let asked = scenario.replications;
    told(&RunView { scenario, results, file: "", asked, colour: false, out: None, written: &[] })
}

/// The clusters side by side.
fn comparison(label: &str, results: &[ClusterResult], told: &Told) -> String {
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
        label: label.to_owned(),
        corner: "cluster",
        heads: told.comparison.iter().map(|column| Head::plain(&column.head)).collect(),
        rows: results.iter().enumerate().map(row).collect(),
    };
    table.html()
}

/// The answer anew with what a scenario knows least.
fn otherwise(scenario: &Scenario, if_lost: &[IfLost]) -> String {
    let one = |(often, results): &IfLost| {
        let told = told_of(scenario, results);
        let verdict: String = told.verdict.iter().map(|words| format!("<p>{}</p>\n", prose(words))).collect();
        let table = comparison(&format!("If Spot is lost {often}"), results, &told);
        format!("<h3>Lost {often}</h3>\n{verdict}{table}")
    };
    let replications =
        if_lost.iter().flat_map(|(_, results)| results).map(|result| result.replications).max();
    let from = format!(
        "Times between losses are divided by two or doubled; how long Spot then stays away is as above. {} \
         replications, in the same worlds.",
        number::count(replications.unwrap_or(0))
    );
    let all: String = if_lost.iter().map(one).collect();
    format!(
        "<section>\n<h2>If Spot is lost more or less often than assumed</h2>\n<p class=\"note\">{from}</p>\n{all}</section>\n"
    )
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
