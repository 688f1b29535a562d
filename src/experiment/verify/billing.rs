//! Bills of single stays, and of disks, objects and traffic.

use super::{SuiteResult, VerifyError, rows};
use crate::facts::Catalogue;
use crate::pricing::{
    Changing, Ended, PREEMPTIBLE_LIMIT, PriceHistory, PricePath, PriceWalk, Taken, Tariff, Volume,
    VolumeRates, azure, between_zones, ec2, ec2_hourly, flat, gcp, ring_bytes_between_zones,
    savings_reported,
};
use crate::units::{Bytes, Gb, Money, Price, SimTime, Span, UnitPrice};
use serde::Deserialize;
use std::collections::BTreeMap;

const ROWS: &str = include_str!("../../../data/verify/billing.csv");
const ANCILLARY_ROWS: &str = include_str!("../../../data/verify/ancillary.csv");

pub(super) const COLUMNS: [&str; 6] = ["id", "mode", "start_s", "end_s", "ended_by", "price_path_usd_per_h"];
pub(super) const ANCILLARY_COLUMNS: [&str; 4] = ["id", "item", "inputs", "usd"];

/// A nano-dollar, with room for the 15 digits of the rows.
const TOLERANCE_USD: f64 = 1.001e-9;

#[derive(Debug, Deserialize)]
struct Row {
    id: String,
    mode: String,
    start_s: Option<u64>,
    end_s: Option<u64>,
    ended_by: String,
    instances: u32,
    price_path_usd_per_h: String,
    ondemand_usd_per_h: Option<String>,
    training_s: Option<f64>,
    billable_s: Option<u64>,
    billed_s_per_instance: u64,
    cost_usd: f64,
    savings_percent: Option<f64>,
}

#[derive(Debug, Deserialize)]
struct Ancillary {
    id: String,
    item: String,
    inputs: String,
    usd: f64,
}

/// Entries `billing` and `billing/ancillary`; `data` replaces the rows of the file whose columns it has.
pub(super) fn billing(data: Option<&str>) -> Result<Vec<SuiteResult>, VerifyError> {
    let Some(data) = data else { return Ok(vec![stays(ROWS)?, ancillary(ANCILLARY_ROWS)?]) };
    let ancillary_file = rows::missing(&rows::header(data)?, &ANCILLARY_COLUMNS).is_empty();
    Ok(vec![if ancillary_file { ancillary(data)? } else { stays(data)? }])
}

fn stays(text: &str) -> Result<SuiteResult, VerifyError> {
    let rows: Vec<Row> = rows::read(text)?;
    Ok(entry("billing", rows.iter().map(|row| (row.id.as_str(), stay_error(row)))))
}

fn ancillary(text: &str) -> Result<SuiteResult, VerifyError> {
    let rows: Vec<Ancillary> = rows::read(text)?;
    let errors = rows.iter().map(|row| {
        let error = ancillary_cost(row).map(|(cost, lines)| (cost - row.usd).abs() / lines);
        (row.id.as_str(), error)
    });
    Ok(entry("billing/ancillary", errors))
}

/// `value` is the largest error of a ledger line, USD.
fn entry<'a>(
    suite: &'static str,
    errors: impl Iterator<Item = (&'a str, Result<f64, String>)>,
) -> SuiteResult {
    let (compared, skipped) = rows::covered(errors.map(|(id, error)| Ok((error?, id))));
    let worst = compared.iter().max_by(|a, b| a.0.total_cmp(&b.0));
    SuiteResult {
        suite,
        rows: compared.len(),
        skipped,
        metric: "largest error, USD",
        value: worst.map_or(f64::INFINITY, |(error, _)| *error),
        tolerance: TOLERANCE_USD,
        missed: Vec::new(),
        notes: worst.map(|(error, id)| format!("furthest off: {id}, {error:.1e} USD")).into_iter().collect(),
    }
}

/// The error of a row's cost for each ledger line, USD; infinite where the seconds or the savings differ.
fn stay_error(row: &Row) -> Result<f64, String> {
    if let (Some(training_s), Some(percent)) = (row.training_s, row.savings_percent)
        && (savings_reported(training_s, row.billable_s.unwrap_or(0) as f64) - percent).abs() > 1e-9
    {
        return Ok(f64::INFINITY);
    }
    let from = seconds(row.start_s.unwrap_or(0));
    let mut to = seconds(row.end_s.or(row.billable_s).ok_or("neither an end nor billable seconds")?);
    if to < from {
        return Err("a stay that ends before it begins".into());
    }
    let mut ended = if row.ended_by == "provider" { Ended::Reclaimed } else { Ended::Released };
    if row.mode == "gcp_preemptible" && to.since(from) >= PREEMPTIBLE_LIMIT {
        (to, ended) = (from + PREEMPTIBLE_LIMIT, Ended::Reclaimed);
    }
    let tariff = tariff(row)?;
    let mut lines = 0_usize;
    let bill = tariff.bill(&mut PriceWalk::default(), from, to, ended, |_| lines += 1);
    if bill.billed != Span::from_s(row.billed_s_per_instance) {
        return Ok(f64::INFINITY);
    }
    let lines = lines.max(1) * row.instances as usize;
    let cost = bill.cost.as_usd() * f64::from(row.instances);
    Ok((cost - row.cost_usd).abs() / lines as f64)
}

fn tariff(row: &Row) -> Result<Tariff, String> {
    let history = history(&row.price_path_usd_per_h)?;
    let price = history.first();
    let at_most = match (row.mode.as_str(), &row.ondemand_usd_per_h) {
        ("azure_spot", Some(text)) => Some(usd_per_hour(text)?),
        _ => None,
    };
    let (terms, taken) = match row.mode.as_str() {
        "aws_linux_current" => (ec2(price, true), Taken::InEffect),
        "aws_linux_hourstart" => (ec2(price, true), Taken::HourStart),
        "aws_linux_ondemand" => (ec2(price, false), Taken::InEffect),
        "aws_suse_spot" | "aws_hourly_pre_2017_10" => (ec2_hourly(price), Taken::HourStart),
        "gcp_spot" | "gcp_preemptible" => (gcp(price, true), Taken::InEffect),
        "azure_spot" => (azure(price), Taken::InEffect),
        "sagemaker_spot" => (flat(price), Taken::InEffect),
        mode => return Err(format!("mode {mode}: not modelled")),
    };
    let path = PricePath::History(history);
    Ok(Tariff { changing: Some(Changing { path, taken, at_most }), ..terms })
}

/// `from_s:usd_per_hour;...`
fn history(text: &str) -> Result<PriceHistory, String> {
    let changes: Result<Vec<_>, String> = text
        .split(';')
        .map(|change| {
            let (at, price) = change.split_once(':').ok_or("a price path is from_s:usd_per_hour;...")?;
            let at = at.trim().parse().map_err(|_| format!("`{at}` is not a number of seconds"))?;
            Ok((seconds(at), usd_per_hour(price)?))
        })
        .collect();
    PriceHistory::new(changes?).map_err(|error| error.to_string())
}

fn usd_per_hour(text: &str) -> Result<Price, String> {
    format!("{} USD/h", text.trim()).parse().map_err(|_| format!("`{text}` is not a price"))
}

fn seconds(seconds: u64) -> SimTime {
    SimTime::ZERO + Span::from_s(seconds)
}

/// What a row comes to at catalogue prices, USD, and how many lines that is.
fn ancillary_cost(row: &Ancillary) -> Result<(f64, f64), String> {
    let inputs: BTreeMap<&str, &str> =
        row.inputs.split(';').filter_map(|pair| pair.split_once('=')).collect();
    let input = |key: &str| -> Result<&str, String> {
        inputs.get(key).copied().map(str::trim).ok_or_else(|| format!("{}: no `{key}`", row.item))
    };
    let whole = |key: &str| -> Result<u64, String> {
        input(key)?.parse().map_err(|_| format!("`{}` is not a whole number", input(key).unwrap_or_default()))
    };
    let gb = || -> Result<Bytes, String> {
        format!("{} GB", input("gb")?).parse().map_err(|_| "`gb` is not an amount of data".to_owned())
    };
    let extras = Catalogue::builtin().extras();
    let (volumes, objects, traffic) = (&extras.volumes, &extras.objects, &extras.traffic);
    let sum = |lines: &[Money]| (lines.iter().map(|line| line.as_usd()).sum::<f64>(), lines.len() as f64);
    let bytes = |bytes: Bytes| u128::from(bytes.get());
    Ok(match row.item.as_str() {
        "ebs_gp3" => {
            let rates =
                VolumeRates { storage: volumes.storage, iops: volumes.iops, throughput: volumes.throughput };
            let volume = Volume {
                size: gb()?,
                iops: whole("iops")?,
                mb_per_s: whole("mbps")?,
                span: Span::from_s(whole("seconds")?),
            };
            let (usd, lines) = sum(&rates.lines(&volume));
            let volumes = whole("volumes")? as f64;
            (volumes * usd, (volumes * lines).max(1.0))
        }
        "s3_standard" => sum(&[
            objects.storage.cost(bytes(gb()?) * u128::from(Span::from_s(whole("seconds")?).ns())),
            objects.puts.cost(u128::from(whole("puts")?)),
            objects.gets.cost(u128::from(whole("gets")?)),
        ]),
        "cross_zone" => sum(&[between_zones(bytes(gb()?), traffic.between_zones)]),
        "cross_region" => {
            let price: UnitPrice<Gb> = format!("{} USD/GB", input("usd_per_gb")?)
                .parse()
                .map_err(|_| "`usd_per_gb` is not a price".to_owned())?;
            sum(&[price.cost(bytes(gb()?))])
        }
        "ring_all_reduce_cross_zone" => {
            let (nodes, steps, links) = (whole("nodes")?, whole("steps")?, whole("crossing_links")?);
            let crossing = ring_bytes_between_zones(nodes, gb()?, steps, links)
                .ok_or("no nodes, or more bytes than can be counted")?;
            sum(&[between_zones(crossing, traffic.between_zones)])
        }
        "placement_group" => sum(&[Money::ZERO]),
        item => return Err(format!("item {item}: not modelled")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(item: &str, inputs: &str) -> Result<(f64, f64), String> {
        let [id, item, inputs] = ["a", item, inputs].map(str::to_owned);
        ancillary_cost(&Ancillary { id, item, inputs, usd: 0.0 })
    }

    /// 100 GB for 30 days at 0.08 USD are 8 USD each.
    #[test]
    fn many_volumes_cost_as_many_times_one() {
        let inputs = |n: u64| format!("gb=100;seconds=2592000;iops=3000;mbps=125;volumes={n}");
        assert_eq!(cost("ebs_gp3", &inputs(3)), Ok((24.0, 9.0)));
        assert_eq!(cost("ebs_gp3", &inputs(1_000_000_000_000_000)), Ok((8e15, 3e15)));
    }

    #[test]
    fn a_row_that_is_no_bill_is_left_out() {
        let most = u64::MAX;
        let ring = |nodes: u64, n: u64| format!("nodes={nodes};gb=1;steps={n};crossing_links={n}");
        assert!(cost("ring_all_reduce_cross_zone", &ring(0, 1)).is_err());
        assert!(cost("ring_all_reduce_cross_zone", &ring(4, most)).is_err());
        let large = format!("gb=18000000000;seconds={most};puts={most};gets={most}");
        assert!(cost("s3_standard", &large).unwrap().0.is_finite());
    }
}
