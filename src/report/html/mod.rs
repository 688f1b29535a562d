//! `report.html` of a run: one file without scripts, that loads nothing, in light and dark, for screens
//! of any width and for paper.
//!
//! The text is that of the table of the terminal, the pictures are those of the folder. Everything that
//! a user wrote is made inert and escaped by `escape`; no other file writes user text into the page.

mod color;
mod escape;
mod spent;
mod table;
#[cfg(test)]
mod tests;

use super::plot::Drawing;
use super::table::{RunView, Told, told};
use crate::experiment::{ClusterResult, Status};
use crate::scenario::load::Scenario;
use crate::scenario::plan::Market;
use escape::{escaped, escaped_lines, prose};
use table::{Cell, Head, Row, Table};

/// Layout; colours come from [`color::rules`].
const STYLE: &str = include_str!("style.css");

/// The picture that has its table in the page.
const TIME_PARTS: &str = "time-parts";

/// The page as HTML. `pictures` are those of [`super::pictures::all`], none if no replication is
/// complete. Same arguments, same bytes.
pub fn page(scenario: &Scenario, results: &[ClusterResult], pictures: &[(&str, Drawing)]) -> String {
    let told = told(&RunView {
        scenario,
        results,
        file: "",
        asked: scenario.replications,
        colour: false,
        out: None,
        written: &[],
    });
    let is_time_parts = |picture: &&(&str, Drawing)| picture.0 == TIME_PARTS;
    let time_parts = pictures.iter().find(is_time_parts);
    let others = pictures.iter().filter(|picture| !is_time_parts(picture));
    let sections = [
        head(scenario),
        answer(scenario, &told),
        "<main>\n".to_owned(),
        comparison(results, &told),
        others.map(|(_, drawing)| format!("<section>\n{}</section>\n", figure(drawing))).collect(),
        spent::section(results, time_parts.map(|(_, drawing)| drawing)),
        assumptions(&told),
        reproduction(scenario, &told),
        "</main>\n</body>\n</html>\n".to_owned(),
    ];
    sections.concat()
}

fn head(scenario: &Scenario) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{} · spotsim</title>\n<style>\n{}{STYLE}</style>\n</head>\n<body>\n",
        escaped(&scenario.name),
        color::rules(),
    )
}

/// The question and the verdict.
fn answer(scenario: &Scenario, told: &Told) -> String {
    let (first, others) = told.verdict.split_first().expect("a verdict has a sentence");
    let others = match others {
        [] => String::new(),
        others => format!("<p class=\"more\">{}</p>\n", prose(&others.join(" "))),
    };
    format!(
        "<header>\n<p class=\"question\">{} <span>spotsim · {}</span></p>\n<h1>{}</h1>\n{others}</header>\n",
        prose(&scenario.title),
        escaped(&scenario.name),
        prose(first),
    )
}

/// The class of what has the colour of a market.
fn market_class(market: Market) -> &'static str {
    match market {
        Market::Spot => "spot",
        Market::OnDemand => "on-demand",
    }
}

/// The clusters side by side, and what must be said of the figures.
fn comparison(results: &[ClusterResult], told: &Told) -> String {
    let row = |(index, result): (usize, &ClusterResult)| Row {
        class: if result.status == Status::Infeasible { "infeasible" } else { "" },
        head: Head::marked(&result.name, format!("cluster {}", market_class(result.market))),
        cells: told.comparison.iter().map(|column| Cell::of_column(column, index)).collect(),
    };
    let table = Table {
        class: "comparison",
        label: "Comparison of clusters",
        corner: "cluster",
        heads: told.comparison.iter().map(|column| Head::plain(&column.head)).collect(),
        rows: results.iter().enumerate().map(row).collect(),
    };
    let notes = told.notes.iter().map(|note| format!("<p class=\"note\">{}</p>\n", prose(note)));
    format!("<section>\n{}{}</section>\n", table.html(), notes.collect::<String>())
}

/// A picture beneath its finding. It stops shrinking where its text would be too small, and scrolls.
fn figure(drawing: &Drawing) -> String {
    let title = prose(drawing.title());
    format!(
        "<h2>{title}</h2>\n<figure class=\"scroll\" tabindex=\"0\" role=\"region\" \
         aria-label=\"Picture: {title}\">\n{}</figure>\n",
        drawing.to_inline_svg()
    )
}

fn assumptions(told: &Told) -> String {
    if told.assumptions.is_empty() {
        return String::new();
    }
    let items = told.assumptions.iter().map(|assumption| format!("<li>{}</li>\n", prose(assumption)));
    format!("<section>\n<h2>What this rests on</h2>\n<ul>\n{}</ul>\n</section>\n", items.collect::<String>())
}

/// How to get the same answer: the scenario with every default, which is a scenario file itself.
fn reproduction(scenario: &Scenario, told: &Told) -> String {
    let file = format!("{}.toml", escaped(&scenario.name));
    format!(
        "<section>\n<h2>To reproduce</h2>\n\
         <p>{} The same scenario, seed and version of spotsim give the same figures on any machine.</p>\n\
         <pre tabindex=\"0\">spotsim run {file}</pre>\n\
         <details>\n<summary>{file}, every default filled in</summary>\n\
         <pre tabindex=\"0\">{}</pre>\n</details>\n</section>\n",
        prose(&told.sampling),
        escaped_lines(&scenario.show()),
    )
}
