//! One training step of each cluster: the picture, its figures, and what bounds it.

use super::escape::prose;
use super::figure::figure;
use super::table::Table;
use crate::experiment::step::StepResult;
use crate::report::plot::step_lanes;
use crate::report::step::told;

/// The section; nothing where no cluster's work has steps.
pub(super) fn section(steps: &[StepResult]) -> String {
    if steps.is_empty() {
        return String::new();
    }
    let told = told(steps);
    let numbers = told.numbers;
    let owner = |row: usize| numbers.get(row).copied();
    let table = Table::of_columns("One training step", &told.names, &told.columns, &owner);
    let lines = told.sentences.iter().filter(|(_, told)| !told.is_empty());
    let lines = lines.map(|(word, told)| {
        let told: String = told.iter().map(|sentence| format!("<dd>{}</dd>", prose(sentence))).collect();
        format!("<div><dt>{word}</dt>{told}</div>\n")
    });
    format!(
        "<section>\n{}<p class=\"note\">Without interruptions, at the pace that lasts.</p>\n{}<dl>\n{}</dl>\n</section>\n",
        figure(&step_lanes(steps)),
        table.html(),
        lines.collect::<String>(),
    )
}
