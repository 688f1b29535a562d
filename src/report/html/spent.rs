//! Where time and money went: the parts of the mean replication, a column a cluster.

use super::figure::figure;
use super::page::{market_class, of};
use super::table::{Cell, Head, Row, Table};
use crate::experiment::{ClusterResult, Status};
use crate::report::number;
use crate::report::plot::Drawing;
use crate::sim::{PARTS, Part};

/// Parts in the order in which the pictures stack them: training, saves, losses, bringing up, waiting.
const STACK: [Part; PARTS.len()] = [
    Part::Computing,
    Part::ExposedComm,
    Part::DataStall,
    Part::CheckpointStall,
    Part::Lost,
    Part::Restoring,
    Part::Starting,
    Part::Provisioning,
    Part::Acquiring,
    Part::Queued,
    Part::Idle,
];

/// A cluster's result with its place in the scenario.
type Numbered<'a> = (usize, &'a ClusterResult);

/// The section beneath `picture`, if there is one; nothing if no replication is complete.
pub(super) fn section(results: &[ClusterResult], picture: Option<&Drawing>) -> String {
    let shown: Vec<Numbered<'_>> = results
        .iter()
        .enumerate()
        .filter(|(_, result)| result.status == Status::Simulated && result.replications > 0)
        .collect();
    if shown.is_empty() {
        return String::new();
    }
    format!(
        "<section>\n{}<p class=\"note\">Where time and money went in the mean replication; the parts add up \
         to the whole.</p>\n{}{}{}</section>\n",
        picture.map_or(String::new(), figure),
        table(&shown, ["Mean hours", "mean hours"], time(&shown)),
        table(&shown, ["Mean dollars by part", "mean dollars"], dollars(&shown)),
        table(&shown, ["Mean dollars by line", "mean dollars"], money(&shown)),
    )
}

fn table(shown: &[Numbered<'_>], [label, corner]: [&str; 2], rows: Vec<Row>) -> String {
    let head = |(number, result): &(usize, &ClusterResult)| {
        Head::marked(&result.name, format!("name {} {}", market_class(result.market), of(*number)))
    };
    let heads = shown.iter().map(head).collect();
    Table { class: "spent", label: label.to_owned(), corner, heads, rows }.html()
}

/// A row a part that is not 0 for all, and their sum.
fn time(shown: &[Numbered<'_>]) -> Vec<Row> {
    let total = |result: &ClusterResult| result.time_h.iter().sum::<f64>();
    let decimals = number::decimals(shown.iter().map(|(_, result)| total(result))).max(2);
    let hours = |part: Part| shown.iter().map(move |(_, result)| result.time_h[part as usize]);
    let present = STACK.into_iter().filter(|&part| hours(part).any(|hours| hours != 0.0));
    let mut rows: Vec<Row> = present
        .map(|part| {
            let name = PARTS[part as usize].1;
            let cell = |(_, result): &Numbered<'_>| {
                let hours = result.time_h[part as usize];
                let share = if hours > 0.0 {
                    format!("{} %", number::percent(hours / total(result)))
                } else {
                    String::new()
                };
                Cell { value: amount(hours, decimals), aside: Some(share), class: "" }
            };
            let class = format!("part {}", name.replace('_', "-"));
            let head = Head::marked(&name.replace('_', " "), class);
            Row { class: String::new(), head, cells: shown.iter().map(cell).collect() }
        })
        .collect();
    let elapsed = shown.iter().map(|(_, result)| amount(total(result), decimals));
    rows.push(sum(
        "elapsed",
        elapsed.map(|value| Cell { value, aside: Some(String::new()), class: "" }).collect(),
    ));
    rows
}

/// A row a part of the time that costs something, what is billed beside the instances, and their sum.
fn dollars(shown: &[Numbered<'_>]) -> Vec<Row> {
    let cost = |result: &ClusterResult| result.cost_usd.mean.unwrap_or(0.0);
    let decimals = number::decimals(shown.iter().map(|(_, result)| cost(result))).max(2);
    let usd_of = |result: &ClusterResult, name: &str| {
        result.cost_by_part.named().find(|(part, _)| *part == name).map_or(0.0, |(_, usd)| usd)
    };
    let with_share = |result: &ClusterResult, usd: f64| {
        let share =
            if usd > 0.0 { format!("{} %", number::percent(usd / cost(result))) } else { String::new() };
        Cell { value: amount(usd, decimals), aside: Some(share), class: "" }
    };
    let names = STACK
        .iter()
        .map(|part| part.name())
        .filter(|name| shown.iter().any(|(_, result)| usd_of(result, name) != 0.0));
    let row = |name: &str, head: Head| Row {
        class: String::new(),
        head,
        cells: shown.iter().map(|(_, result)| with_share(result, usd_of(result, name))).collect(),
    };
    let mut rows: Vec<Row> = names
        .map(|name| {
            let class = format!("part {}", name.replace('_', "-"));
            row(name, Head::marked(&name.replace('_', " "), class))
        })
        .collect();
    if shown.iter().any(|(_, result)| usd_of(result, "other") != 0.0) {
        rows.push(row("other", Head::plain("storage, requests, traffic")));
    }
    let costs = shown.iter().map(|(_, result)| amount(cost(result), decimals));
    rows.push(sum(
        "cost",
        costs.map(|value| Cell { value, aside: Some(String::new()), class: "" }).collect(),
    ));
    rows
}

/// A row a line of the bill, and their sum.
fn money(shown: &[Numbered<'_>]) -> Vec<Row> {
    let mut items: Vec<&str> = Vec::new();
    for (item, _) in shown.iter().flat_map(|(_, result)| &result.cost_lines) {
        if !items.contains(item) {
            items.push(item);
        }
    }
    let cost = |result: &ClusterResult| result.cost_usd.mean.unwrap_or(0.0);
    let decimals = number::decimals(shown.iter().map(|(_, result)| cost(result))).max(2);
    let mut rows: Vec<Row> = items
        .into_iter()
        .map(|item| {
            let cell = |(_, result): &Numbered<'_>| {
                let line = result.cost_lines.iter().find(|(name, _)| *name == item);
                Cell { value: amount(line.map_or(0.0, |(_, usd)| *usd), decimals), aside: None, class: "" }
            };
            Row { class: String::new(), head: Head::plain(item), cells: shown.iter().map(cell).collect() }
        })
        .collect();
    let costs = shown.iter().map(|(_, result)| amount(cost(result), decimals));
    rows.push(sum("cost", costs.map(|value| Cell { value, aside: None, class: "" }).collect()));
    rows
}

fn sum(name: &str, cells: Vec<Cell>) -> Row {
    Row { class: "sum".to_owned(), head: Head::plain(name), cells }
}

/// Nothing is a dash; what is there but rounds to nothing is `< 0.01`.
fn amount(value: f64, decimals: usize) -> String {
    let least = libm::pow(10.0, -(decimals as f64));
    match value {
        0.0 => number::MISSING.to_owned(),
        value if value > 0.0 && value < least / 2.0 => format!("< {}", number::fixed(least, decimals)),
        _ => number::fixed(value, decimals),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_never_shown_as_nothing() {
        assert_eq!(amount(0.0, 2), "–");
        assert_eq!(amount(0.004, 2), "< 0.01");
        assert_eq!(amount(0.005, 3), "0.005");
        assert_eq!(amount(1_240.5, 2), "1,240.50");
    }

    #[test]
    fn every_part_is_stacked_once() {
        let mut stacked = STACK;
        stacked.sort_unstable();
        assert_eq!(stacked, PARTS.map(|(part, _)| part));
    }
}
