//! Clusters that cannot meet their deadline even if nothing ever gets in their way.

use super::{Clusters, Column, Row, footer, lines, names, number, text};

/// The whole text where no cluster was worth simulating.
pub(super) fn nothing_simulated(clusters: &Clusters<'_>) -> String {
    let title: Vec<String> = text::wrapped(&sentence(clusters), text::columns())
        .iter()
        .map(|line| clusters.paint.bold(line))
        .collect();
    let first = names("cluster", clusters.rows.iter(), "");
    let table = text::table(&first, &columns(clusters), clusters.paint);
    [lines(&title), table, footer::rescue(clusters)].join("\n")
}

/// The answer where no cluster was worth simulating.
pub(super) fn sentence(clusters: &Clusters<'_>) -> String {
    format!("No cluster can meet {}, even without an interruption.", clusters.the_deadline())
}

/// How far each is from its deadline.
pub(super) fn columns(clusters: &Clusters<'_>) -> Vec<Column> {
    let rows = &clusters.rows;
    let ideal = rows.iter().map(|row| number::hours(row.result.ideal_h)).collect();
    vec![
        Column::figures("ideal time", ideal),
        Column::figures("deadline", rows.iter().map(deadline).collect()),
        Column::words("status", rows.iter().map(|row| format!("infeasible, {} short", short(row))).collect()),
    ]
}

/// One sentence for each cluster that was not simulated beside others that were.
pub(super) fn sentences(clusters: &Clusters<'_>) -> Vec<String> {
    let sentence = |row: &Row<'_>| {
        format!(
            "{} cannot meet the {} deadline, even without an interruption: its ideal time is {}, {} too long.",
            row.name(),
            deadline(row),
            number::hours(row.result.ideal_h),
            short(row)
        )
    };
    clusters.rows.iter().filter(|row| !row.simulated()).map(sentence).collect()
}

fn deadline(row: &Row<'_>) -> String {
    row.cluster.plan.deadline.map_or(number::MISSING.to_owned(), number::deadline)
}

fn short(row: &Row<'_>) -> String {
    number::hours(row.result.deadline_h.map_or(f64::NAN, |deadline| row.result.ideal_h - deadline))
}
