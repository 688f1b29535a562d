//! The page of a plan.

use super::figure::section;
use super::page::{Page, how_to_read, items, notes};
use super::table::Table;
use crate::experiment::plan::Chosen;
use crate::report::plan::{cluster_of, clusters, told};
use crate::report::plot::Drawing;
use crate::scenario::load::Scenario;

/// The page as HTML. `own` is the scenario before its candidates are made; `pictures` holds that of
/// [`crate::report::plot::cost_vs_probability`].
pub fn plan(own: &Scenario, scenario: &Scenario, chosen: &Chosen, pictures: &[(&str, Drawing)]) -> String {
    let told = told(scenario, chosen);
    let owner = |row: usize| cluster_of(scenario, *told.places.get(row)?);
    let (first, columns) = &told.candidates;
    let table = Table::of_columns("Candidates", first, columns, &owner);
    let mut sections = vec![format!("<section>\n{}{}</section>\n", table.html(), notes(&told.left_out))];
    sections.extend(pictures.iter().map(|(_, drawing)| section(drawing)));
    if let Some((first, columns)) = &told.levels {
        let table =
            Table::of_columns("The cheapest candidate for each probability", first, columns, &|_| None);
        sections.push(format!("<section>\n<h2>What more certainty costs</h2>\n{}</section>\n", table.html()));
    }
    if !told.flips.is_empty() {
        let items = items(&told.flips);
        sections
            .push(format!("<section>\n<h2>Where the answer flips</h2>\n<ul>\n{items}</ul>\n</section>\n"));
    }
    sections.push(how_to_read(&told.notes));
    let (verdict, sampling) = (told.verdict, format!("Seed {}.", scenario.seed));
    let clusters = clusters(scenario);
    Page { scenario: own, verdict, clusters, sections, command: ["plan", ""], sampling }.html()
}
