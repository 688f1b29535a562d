//! The page of a sweep.

use super::figure::section;
use super::page::{Page, how_to_read, notes};
use super::table::Table;
use crate::report::plot::Drawing;
use crate::report::sweep::{SweepView, told};
use crate::scenario::load::Scenario;
use crate::scenario::plan::Market;

/// The page as HTML, with the rows that the terminal tells; `pictures` are those of [`crate::report::plot::sweep`].
pub fn sweep(scenario: &Scenario, view: &SweepView<'_>, pictures: &[(&str, Drawing)]) -> String {
    let told = told(view);
    let names = view.rows.clusters();
    let market = |name: &String| {
        let known = view.markets.iter().find(|(other, _)| other == name);
        known.map_or(Market::Spot, |(_, market)| *market)
    };
    let owner = |row: usize| names.iter().position(|name| *name == told.clusters[row]);
    let mut sections = Vec::new();
    if let Some((first, columns)) = &told.best {
        let table = Table::of_columns("The cheapest configurations and the front", first, columns, &owner);
        sections.push(format!("<section>\n{}{}</section>\n", table.html(), notes(&told.left_out)));
    }
    sections.extend(pictures.iter().map(|(_, drawing)| section(drawing)));
    if !told.kernels.is_empty() {
        sections.push(format!("<section>\n<h2>Measured kernels</h2>\n{}</section>\n", notes(&told.kernels)));
    }
    sections.push(how_to_read(&told.notes));
    let clusters = names.iter().map(|name| (name.clone(), market(name))).collect();
    let sampling = format!("Seed {}.", view.seed);
    Page { scenario, verdict: told.verdict, clusters, sections, command: ["sweep", ""], sampling }.html()
}
