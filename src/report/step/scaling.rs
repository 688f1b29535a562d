//! The same step on fewer nodes, and which number of them is fastest and cheapest.

use super::figures::{TimeUnit, decimals};
use super::text::{self, Column, Kind, Paint};
use super::{number, of_each};
use crate::experiment::step::{ScalePoint, StepResult};

/// Two figures nearer than this share are the same: the rest is rounding.
const SAME: f64 = 1e-9;
/// Significant digits of the smallest figure of a column, so that all are right to a thousandth.
const DIGITS: i32 = 4;

/// A line a number of nodes, of each cluster that has more than one.
pub(super) fn table(results: &[StepResult], paint: Paint) -> String {
    let several: Vec<&StepResult> = results.iter().filter(|result| result.scaling.len() > 1).collect();
    let points: Vec<&ScalePoint> = several.iter().flat_map(|result| &result.scaling).collect();
    let (Some(first), false) = (several.first(), points.is_empty()) else { return String::new() };
    let head = match first.fixed_global_batch {
        fixed if several.iter().any(|result| result.fixed_global_batch != fixed) => "by nodes",
        true => "by nodes, global batch fixed",
        false => "by nodes, batch per GPU fixed",
    };
    let (mut names, mut markets) = (Vec::new(), Vec::new());
    for result in &several {
        names.push(text::name(&result.name));
        markets.resize(markets.len() + result.scaling.len(), result.market);
        names.resize(markets.len(), String::new());
    }
    let names = Column { head: head.to_owned(), cells: names, kind: Kind::Names(markets) };
    let unit = TimeUnit::of(points.iter().map(|point| point.step_ms), DIGITS);
    let least = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::INFINITY, f64::min);
    let rate = decimals(least(&mut points.iter().map(|point| point.samples_per_s)), DIGITS);
    let usd = decimals(least(&mut points.iter().filter_map(|point| point.usd_per_msample)), DIGITS);
    let column = |head: &str, cell: &dyn Fn(&ScalePoint) -> String| {
        Column::figures(head, points.iter().map(|point| cell(point)).collect())
    };
    let mut columns = vec![
        column("nodes", &|point| number::count(u64::from(point.nodes))),
        column("step", &|point| unit.text(point.step_ms)),
        column("samples/s", &|point| number::fixed(point.samples_per_s, rate)),
        column("efficiency", &|point| number::fixed(point.efficiency, 3)),
    ];
    if points.iter().any(|point| point.usd_per_msample.is_some()) {
        columns.push(column("$ / M samples", &|point| {
            point.usd_per_msample.map_or(number::MISSING.to_owned(), |value| number::fixed(value, usd))
        }));
    }
    text::table(&names, &columns, paint)
}

/// Beneath it, in a sentence a cluster, what that means.
pub(super) fn verdicts(results: &[StepResult]) -> String {
    text::beside("Nodes", &of_each(results, |result| verdict(&result.scaling)))
}

/// The fastest and the cheapest number of nodes, and what either costs of the other.
fn verdict(points: &[ScalePoint]) -> Option<String> {
    let [_, .., last] = points else { return None };
    let fastest = least(points, |point| Some(-point.samples_per_s))?;
    let Some(cheapest) = least(points, |point| point.usd_per_msample) else {
        return Some(format!("{} fastest{}", are(fastest.nodes), beyond(fastest, last)));
    };
    if fastest.nodes != cheapest.nodes {
        let faster = fastest.samples_per_s / cheapest.samples_per_s;
        let dearer = ratio(fastest, cheapest)?;
        return Some(format!(
            "{} fastest, {} cheapest: faster but dearer, {} times as fast for {} times the money{}",
            are(fastest.nodes),
            are(cheapest.nodes),
            times(faster),
            times(dearer),
            beyond(fastest, last),
        ));
    }
    let mut sentence = format!("{} best for time and money{}", are(fastest.nodes), beyond(fastest, last));
    if fastest.nodes < last.nodes {
        sentence += &format!(
            ": {} take {} times as long and cost {} times as much",
            count(last.nodes),
            times(fastest.samples_per_s / last.samples_per_s),
            times(ratio(last, fastest)?),
        );
    }
    Some(sentence)
}

/// The point with the least of something; of equals the first, which has the fewest nodes.
fn least(points: &[ScalePoint], of: impl Fn(&ScalePoint) -> Option<f64>) -> Option<&ScalePoint> {
    let mut best: Option<(&ScalePoint, f64)> = None;
    for point in points {
        let Some(value) = of(point) else { continue };
        if best.is_none_or(|(_, least)| value < least - SAME * least.abs()) {
            best = Some((point, value));
        }
    }
    best.map(|(point, _)| point)
}

fn ratio(of: &ScalePoint, to: &ScalePoint) -> Option<f64> {
    Some(of.usd_per_msample? / to.usd_per_msample?)
}

/// What more nodes than the fastest number do.
fn beyond(fastest: &ScalePoint, last: &ScalePoint) -> &'static str {
    match fastest.nodes {
        nodes if nodes == last.nodes => "",
        1 => "; adding nodes makes it slower",
        _ => "; more nodes than that make it slower",
    }
}

fn are(nodes: u32) -> String {
    let verb = if nodes == 1 { "is" } else { "are" };
    format!("{} {verb}", count(nodes))
}

fn count(nodes: u32) -> String {
    match nodes {
        1 => "one node".to_owned(),
        n => format!("{} nodes", number::count(u64::from(n))),
    }
}

fn times(ratio: f64) -> String {
    number::fixed(ratio, decimals(ratio, 3))
}
