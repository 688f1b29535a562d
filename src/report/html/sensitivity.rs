//! The page of a study of sensitivity.

use super::escape::prose;
use super::figure::figure;
use super::page::{Page, how_to_read, notes, of};
use super::table::Table;
use crate::report::plot::{Drawing, sensitivity_name as picture_name};
use crate::report::sensitivity::{SensitivityView, ToldFinding, told};
use crate::scenario::load::Scenario;
use crate::scenario::plan::Market;

/// The page as HTML. `options` are those of the command that decide what is told, `pictures` those of
/// [`crate::report::plot::sensitivity`].
pub fn sensitivity(
    scenario: &Scenario,
    view: &SensitivityView<'_>,
    options: &str,
    pictures: &[(&str, Drawing)],
) -> String {
    let told = told(view);
    let mut clusters: Vec<(String, Market)> = Vec::new();
    for finding in view.findings {
        let own = scenario.clusters.iter().find(|cluster| cluster.name == finding.cluster);
        let market = own.map_or(Market::Spot, |cluster| cluster.market);
        if !clusters.iter().any(|(name, _)| *name == finding.cluster) {
            clusters.push((finding.cluster.clone(), market));
        }
    }
    let owner = |at: usize| clusters.iter().position(|(name, _)| *name == view.findings[at].cluster);
    let section = |(at, found): (usize, &ToldFinding)| {
        let name = picture_name(at);
        let drawing = pictures.iter().find(|(other, _)| *other == name).map(|(_, drawing)| drawing);
        let class = owner(at).map_or(String::new(), |cluster| format!(" class=\"{}\"", of(cluster)));
        format!("<section{class}>\n{}</section>\n", one(found, drawing))
    };
    let mut sections: Vec<String> = told.findings.iter().enumerate().map(section).collect();
    sections.push(how_to_read(&told.notes));
    let verdict = told.findings.into_iter().map(|found| found.sentence).collect();
    let sampling = format!("Seed {}.", view.seed);
    Page { scenario, verdict, clusters, sections, command: ["sensitivity", options], sampling }.html()
}

/// The picture of a finding above its table; where there is none, what is known in words.
fn one(found: &ToldFinding, drawing: Option<&Drawing>) -> String {
    let head = match drawing {
        Some(drawing) => figure(drawing),
        None => format!("<h2>{}</h2>\n<p>{}</p>\n", prose(&found.name), prose(&found.sentence)),
    };
    let table = found
        .table
        .as_ref()
        .map(|(first, columns)| Table::of_columns(found.name.clone(), first, columns, &|_| None).html());
    format!("{head}{}{}", table.unwrap_or_default(), notes(&found.notes))
}
