//! What `spotsim run --explain-cost` prints: one replication's bill, a line for every stay of a node and for
//! everything beside them.

mod beside;
#[cfg(test)]
mod tests;

use super::number;
use super::text::{self, Column, Kind, Paint};
use crate::pricing::{Bill, Ended, Rule, Tariff};
use crate::scenario::cluster::Cluster;
use crate::scenario::plan::Market;
use crate::sim::{End, Ledger, Outcome, Stay};
use crate::units::{Money, Price, SimTime, Span};

/// Longer ledgers are cut in the middle.
const LINES_MAX: usize = 40;
const NS_PER_S: u64 = 1_000_000_000;

/// The stays of `replication` (from 0) of `cluster`, each with its bill to the nano-dollar, and their sum.
pub fn ledger(
    cluster: &Cluster,
    replication: u64,
    ledger: &Ledger,
    outcome: &Outcome,
    colour: bool,
) -> String {
    let paint = Paint { colour };
    let mut text = heading(cluster, replication, outcome);
    // Nothing is used without a node either.
    if ledger.stays.is_empty() {
        return text + "No node was ever granted, so nothing was billed.\n";
    }
    let all = rows(ledger);
    let shown: Vec<&Row<'_>> = shown(&all);
    let mut table = text::table(&slots(&shown), &columns(cluster, &shown), paint);
    let left_out = all.len() - shown.len();
    if left_out > 0 {
        let noun = if all.len() == ledger.stays.len() { "stays" } else { "lines" };
        table = with_gap(&table, left_out, noun);
    }
    text += &table;
    let sum: Money = ledger.stays.iter().map(|stay| stay.bill.cost).sum();
    let stays = if ledger.stays.len() == 1 { "stay" } else { "stays" };
    let count = number::count(ledger.stays.len() as u64);
    let sum = format!("sum of {count} {stays}  {}", nano_dollars(sum));
    let columns = table.lines().map(visible).max().unwrap_or(0);
    text += &format!("{sum:>columns$}\n");
    text += &tariffs(cluster, &ledger.stays);
    let charges = cluster.plan.extras.as_ref().map_or(&[][..], |extras| &extras.charges);
    if !charges.is_empty() {
        text += &beside::table(charges, &outcome.usage, paint);
        text += &format!("{:>columns$}\n", format!("sum of all  {}", nano_dollars(outcome.cost())));
    }
    text
}

fn heading(cluster: &Cluster, replication: u64, outcome: &Outcome) -> String {
    let end = match outcome.end {
        End::Finished => "finished".to_owned(),
        other => format!("{} ({})", other.name().replace('_', " "), other.reason()),
    };
    let heading = format!(
        "Ledger of {}, replication {}: {end} after {}, {}{}",
        text::name(&cluster.name),
        number::count(replication),
        number::hours(outcome.elapsed.as_hours()),
        match outcome.preemptions {
            0 => "never preempted".to_owned(),
            1 => "preempted once".to_owned(),
            times => format!("preempted {} times", number::count(u64::from(times))),
        },
        match outcome.failures {
            0 => String::new(),
            1 => ", hardware failed once".to_owned(),
            times => format!(", hardware failed {} times", number::count(u64::from(times))),
        },
    );
    text::wrapped(&heading, text::columns()).iter().map(|line| format!("{line}\n")).collect::<String>() + "\n"
}

/// A line of the table: a stay, or the part of it at one price.
struct Row<'a> {
    stay: &'a Stay,
    /// When its price began and ended; that of the whole stay where it did not change.
    from: SimTime,
    to: SimTime,
    bill: Bill,
    /// The price, where it changes.
    price: Option<Price>,
    is_first: bool,
    is_last: bool,
}

/// All lines, in the order of the stays' ends.
fn rows(ledger: &Ledger) -> Vec<Row<'_>> {
    let mut rows = Vec::with_capacity(ledger.stays.len().max(ledger.lines.len()));
    for (stay, own) in ledger.bills() {
        if own.is_empty() {
            let (from, to, bill) = (stay.provisioned, stay.end, stay.bill);
            rows.push(Row { stay, from, to, bill, price: None, is_first: true, is_last: true });
        }
        for (place, (_, line)) in own.iter().enumerate() {
            let is_last = place + 1 == own.len();
            // What fills up a minimum is billed beyond the stay's end.
            let to = if is_last { stay.end } else { line.from + line.billed };
            rows.push(Row {
                stay,
                from: line.from,
                to,
                bill: Bill { billed: line.billed, cost: line.cost },
                price: Some(line.price),
                is_first: place == 0,
                is_last,
            });
        }
    }
    rows
}

/// All lines, or the first and the last of them.
fn shown<'a>(rows: &'a [Row<'a>]) -> Vec<&'a Row<'a>> {
    if rows.len() <= LINES_MAX {
        return rows.iter().collect();
    }
    let half = LINES_MAX / 2;
    rows[..half].iter().chain(&rows[rows.len() - half..]).collect()
}

/// Says after the first half of each table how many lines are missing.
fn with_gap(table: &str, left_out: usize, noun: &str) -> String {
    let gap = format!("… {} {noun} left out …\n", number::count(left_out as u64));
    let mut text = String::new();
    for (index, line) in table.lines().enumerate() {
        text += &format!("{line}\n");
        // Every table has a head of one line, and one blank line stands before the next.
        if index % (LINES_MAX + 2) == LINES_MAX / 2 {
            text += &gap;
        }
    }
    text
}

/// Columns that a line takes once its escape sequences are gone.
fn visible(line: &str) -> usize {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().map_or(0, text::width);
    first + parts.map(|part| part.split_once('m').map_or(0, |(_, seen)| text::width(seen))).sum::<usize>()
}

fn slots(rows: &[&Row<'_>]) -> Column {
    Column::figures("slot", rows.iter().map(|row| row.stay.slot.to_string()).collect())
}

fn columns(cluster: &Cluster, rows: &[&Row<'_>]) -> Vec<Column> {
    let figures = |head: &str, cell: &dyn Fn(&Row<'_>) -> String| {
        Column::figures(head, rows.iter().map(|row| cell(row)).collect())
    };
    let words = |head: &str, cell: &dyn Fn(&Row<'_>) -> String| {
        Column::words(head, rows.iter().map(|row| cell(row)).collect())
    };
    let whole = rows.iter().all(|row| row.bill.billed.ns().is_multiple_of(NS_PER_S));
    let ran = |row: &Row<'_>| (row.stay.provisioned <= row.stay.end).then_some(row.from);
    let granted = |row: &Row<'_>| match row.is_first {
        true => hours(row.stay.granted),
        false => number::MISSING.to_owned(),
    };
    let ended = |row: &Row<'_>| if row.is_last { ended_by(row.stay.ended) } else { "new price" };
    let price = |row: &Row<'_>| {
        let price = row.price.unwrap_or(tariff(cluster, row.stay).price);
        price.to_string().replace(" USD/h", "")
    };
    let markets = Column {
        kind: Kind::Names(rows.iter().map(|row| row.stay.market).collect()),
        ..words("market", &|row| market(row.stay.market).to_owned())
    };
    let zones = cluster.zones.len() > 1;
    let zone = |row: &Row<'_>| match row.stay.market {
        Market::Spot => cluster.place(row.stay.zone as usize).0.to_owned(),
        Market::OnDemand => number::MISSING.to_owned(),
    };
    let zone = zones.then(|| words("zone", &zone));
    let instance = |row: &Row<'_>| match row.stay.market {
        Market::Spot => cluster.place(row.stay.zone as usize).1,
        Market::OnDemand => cluster.instance.clone(),
    };
    let instance = (!cluster.fallbacks.is_empty()).then(|| words("instance", &instance));
    [markets]
        .into_iter()
        .chain(zone)
        .chain(instance)
        .chain([
            figures("granted, h", &granted),
            figures("from, h", &|row| ran(row).map_or(number::MISSING.to_owned(), hours)),
            figures("to, h", &|row| hours(row.to)),
            words("ended by", &|row| ended(row).to_owned()),
            figures("billed, s", &|row| seconds(row.bill.billed, whole)),
            words("rule", &|row| rule(cluster, row.stay)),
            figures("$/h", &price),
            figures("USD", &|row| nano_dollars(row.bill.cost)),
        ])
        .collect()
}

/// Who ended a stay, in a word.
pub(super) fn ended_by(ended: Ended) -> &'static str {
    match ended {
        Ended::Reclaimed => "provider",
        Ended::Failed => "failure",
        Ended::Released => "us",
    }
}

fn tariff<'a>(cluster: &'a Cluster, stay: &Stay) -> &'a Tariff {
    match stay.market {
        Market::Spot => {
            cluster.plan.zones().nth(stay.zone as usize).map_or(&cluster.prices.spot, |(_, spot)| spot)
        }
        Market::OnDemand => &cluster.prices.on_demand,
    }
}

fn market(market: Market) -> &'static str {
    match market {
        Market::Spot => "Spot",
        Market::OnDemand => "On-Demand",
    }
}

/// The rule, and what it did where that is more than price × time.
fn rule(cluster: &Cluster, stay: &Stay) -> String {
    let name = rule_name(cluster.prices.rule);
    let tariff = tariff(cluster, stay);
    if stay.provisioned > stay.end {
        return "never ran".to_owned();
    }
    let ran = stay.end.since(stay.provisioned);
    match stay.ended {
        Ended::Reclaimed if ran < tariff.free_if_reclaimed_before => format!("{name}, free"),
        Ended::Released if ran < tariff.minimum => format!("{name}, min"),
        _ => name.to_owned(),
    }
}

fn rule_name(rule: Rule) -> &'static str {
    match rule {
        Rule::Flat => "flat",
        Rule::Ec2 => "ec2",
        Rule::SageMaker => "sagemaker",
        Rule::Gcp => "gcp",
        Rule::Azure => "azure",
    }
}

/// Each market's price in full, and what its rule gives away or asks at least.
fn tariffs(cluster: &Cluster, stays: &[Stay]) -> String {
    let mut text = String::new();
    for market in [Market::Spot, Market::OnDemand] {
        let Some(stay) = stays.iter().find(|stay| stay.market == market) else { continue };
        let tariff = tariff(cluster, stay);
        let Tariff { price, minimum, free_if_reclaimed_before: free, .. } = tariff;
        let prices = || cluster.plan.zones().map(|(_, spot)| spot.price);
        let differ = market == Market::Spot && prices().any(|other| other != *price);
        let rule = rule_name(cluster.prices.rule);
        let price = match tariff.changing {
            Some(_) => "prices as they change".to_owned(),
            None if differ => "the price of the zone".to_owned(),
            None => price.to_string(),
        };
        let mut line = format!("{}: {rule} rule, {price} from the end of provisioning", self::market(market));
        if !minimum.is_zero() {
            line += &format!("; min: {minimum} at least where we end it");
        }
        if !free.is_zero() {
            line += &format!("; free: reclaimed before {free}");
        }
        text +=
            &text::wrapped(&line, text::columns()).iter().map(|line| format!("{line}\n")).collect::<String>();
    }
    text
}

/// Hours since submit.
fn hours(at: SimTime) -> String {
    number::fixed(at.since_submit().as_hours(), 4)
}

/// Seconds to the nanosecond, so that a line can be checked by hand; whole where all of them are.
fn seconds(span: Span, whole: bool) -> String {
    let seconds = number::count(span.ns() / NS_PER_S);
    if whole { seconds } else { format!("{seconds}.{:09}", span.ns() % NS_PER_S) }
}

/// Dollars with all nine decimals, exact.
fn nano_dollars(money: Money) -> String {
    let sign = if money.nusd() < 0 { "−" } else { "" };
    let nusd = money.nusd().unsigned_abs();
    format!("{sign}{}.{:09}", number::count(nusd / 1_000_000_000), nusd % 1_000_000_000)
}
