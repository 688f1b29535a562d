//! What `spotsim run --explain-cost` prints: one replication's bill, a line for every stay of a node and for
//! everything beside them.

mod beside;
#[cfg(test)]
mod tests;

use super::number;
use super::text::{self, Column, Kind, Paint};
use crate::pricing::{Ended, Rule, Tariff};
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
    let shown: Vec<&Stay> = shown(&ledger.stays);
    let mut table = text::table(&slots(&shown), &columns(cluster, &shown), paint);
    let left_out = ledger.stays.len() - shown.len();
    if left_out > 0 {
        table = with_gap(&table, left_out);
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
    text::wrapped(&heading, text::WIDTH).iter().map(|line| format!("{line}\n")).collect::<String>() + "\n"
}

/// All stays, or the first and the last of them.
fn shown(stays: &[Stay]) -> Vec<&Stay> {
    if stays.len() <= LINES_MAX {
        return stays.iter().collect();
    }
    let half = LINES_MAX / 2;
    stays[..half].iter().chain(&stays[stays.len() - half..]).collect()
}

/// Says after the first half of each table how many lines are missing.
fn with_gap(table: &str, left_out: usize) -> String {
    let gap = format!("… {} stays left out …\n", number::count(left_out as u64));
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

fn slots(stays: &[&Stay]) -> Column {
    Column::figures("slot", stays.iter().map(|stay| stay.slot.to_string()).collect())
}

fn columns(cluster: &Cluster, stays: &[&Stay]) -> Vec<Column> {
    let figures = |head: &str, cell: &dyn Fn(&Stay) -> String| {
        Column::figures(head, stays.iter().map(|stay| cell(stay)).collect())
    };
    let words = |head: &str, cell: &dyn Fn(&Stay) -> String| {
        Column::words(head, stays.iter().map(|stay| cell(stay)).collect())
    };
    let whole = stays.iter().all(|stay| stay.bill.billed.ns().is_multiple_of(NS_PER_S));
    let ran = |stay: &Stay| (stay.provisioned <= stay.end).then_some(stay.provisioned);
    let price = |stay: &Stay| price(tariff(cluster, stay.market), stay);
    let markets = Column {
        kind: Kind::Names(stays.iter().map(|stay| stay.market).collect()),
        ..words("market", &|stay| market(stay.market).to_owned())
    };
    vec![
        markets,
        figures("granted, h", &|stay| hours(stay.granted)),
        figures("from, h", &|stay| ran(stay).map_or(number::MISSING.to_owned(), hours)),
        figures("to, h", &|stay| hours(stay.end)),
        words("ended by", &|stay| ended_by(stay.ended).to_owned()),
        figures("billed, s", &|stay| seconds(stay.bill.billed, whole)),
        words("rule", &|stay| rule(cluster, stay)),
        figures("$/h", &price),
        figures("USD", &|stay| nano_dollars(stay.bill.cost)),
    ]
}

/// The price of a stay; of one whose price changed the lowest and the highest.
fn price(tariff: &Tariff, stay: &Stay) -> String {
    let text = |price: Price| price.to_string().replace(" USD/h", "");
    if tariff.changing.is_none() || stay.provisioned > stay.end {
        return text(tariff.price);
    }
    let lines = tariff.lines(stay.provisioned, stay.end, stay.ended);
    let (low, high) = lines.fold((None, None), |(low, high): (Option<Price>, Option<Price>), line| {
        let low = low.map_or(line.price, |low| low.min(line.price));
        let high = high.map_or(line.price, |high| high.max(line.price));
        (Some(low), Some(high))
    });
    match (low, high) {
        (Some(low), Some(high)) if low == high => text(low),
        (Some(low), Some(high)) => format!("{}–{}", text(low), text(high)),
        _ => text(tariff.price),
    }
}

fn ended_by(ended: Ended) -> &'static str {
    match ended {
        Ended::Reclaimed => "provider",
        Ended::Failed => "failure",
        Ended::Released => "us",
    }
}

fn tariff(cluster: &Cluster, market: Market) -> &Tariff {
    match market {
        Market::Spot => &cluster.prices.spot,
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
    let tariff = tariff(cluster, stay.market);
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
        if !stays.iter().any(|stay| stay.market == market) {
            continue;
        }
        let Tariff { price, minimum, free_if_reclaimed_before: free, .. } = tariff(cluster, market);
        let rule = rule_name(cluster.prices.rule);
        let price = match tariff(cluster, market).changing {
            Some(_) => "prices as they change".to_owned(),
            None => price.to_string(),
        };
        let mut line = format!("{}: {rule} rule, {price} from the end of provisioning", self::market(market));
        if !minimum.is_zero() {
            line += &format!("; min: {minimum} at least where we end it");
        }
        if !free.is_zero() {
            line += &format!("; free: reclaimed before {free}");
        }
        text += &text::wrapped(&line, text::WIDTH).iter().map(|line| format!("{line}\n")).collect::<String>();
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
