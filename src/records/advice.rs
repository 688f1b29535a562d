//! How often the Spot instances of a type are interrupted, in the classes of AWS's Spot Advisor.
//!
//! Read from `spot-advisor-data.json`, and from rows of SpotLake, which give the class as an
//! interruption-free score.

use super::json::{kind, objects, refuse, whole};
use super::own::table;
use super::sheet::{Row, Sheet, shown, whole as whole_of};
use super::{Content, How, ReadError, Recording, Remark};
use crate::units::{Timestamp, UtcOffset};
use serde_json::{Map, Value};

/// How often instances of one type were interrupted, and what Spot saves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// `us-east-1`.
    pub region: String,
    /// `Linux`; empty where the source does not say.
    pub os: String,
    /// `p3.2xlarge`.
    pub instance: String,
    /// When it was so; the advisor itself does not say.
    pub at: Option<Timestamp>,
    /// Discount from On-Demand in per cent; below 0 where Spot was dearer.
    pub savings_pct: i32,
    /// Share of instances interrupted within a month.
    pub interrupted: Class,
}

/// A class of the share of instances interrupted within a month, in per cent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Class {
    /// Its lower end.
    pub low_pct: u32,
    /// Its upper end; `None`: the class is open, and 100 % is not meant.
    pub high_pct: Option<u32>,
}

impl Class {
    /// Reads `<5%`, `5-10%`, `>20%`.
    fn from_label(label: &str) -> Option<Self> {
        let number = |text: &str| text.trim().parse::<u32>().ok().filter(|&pct| pct <= 100);
        let label = label.trim().strip_suffix('%')?;
        if let Some(high) = label.strip_prefix('<') {
            return Some(Self { low_pct: 0, high_pct: Some(number(high)?) });
        }
        if let Some(low) = label.strip_prefix('>') {
            return Some(Self { low_pct: number(low)?, high_pct: None });
        }
        let (low, high) = label.split_once('-')?;
        let class = Self { low_pct: number(low)?, high_pct: Some(number(high)?) };
        (class.high_pct > Some(class.low_pct)).then_some(class)
    }

    /// The class of an interruption-free score of SpotLake: 3.0 is the class that is interrupted least
    /// (ddps-lab/spotlake:collector/spot-dataset/aws/batch/if/collect_if.py, 2026-12-02).
    fn from_score(score: &str) -> Option<Self> {
        let class = |low_pct, high_pct| Some(Self { low_pct, high_pct });
        match score.parse::<f64>().ok()? {
            3.0 => class(0, Some(5)),
            2.5 => class(5, Some(10)),
            2.0 => class(10, Some(15)),
            1.5 => class(15, Some(20)),
            1.0 => class(20, None),
            _ => None,
        }
    }
}

/// Reads `spot-advisor-data.json`: classes in `ranges`, then region, system, instance type.
pub fn read_advisor(text: &str) -> Result<Recording, ReadError> {
    let (mut advice, mut faults) = (Vec::new(), Vec::new());
    for file in objects(text)? {
        let classes = classes(&file).map_err(ReadError::Syntax)?;
        let Some(Value::Object(advisor)) = file.get("spot_advisor") else {
            return Err(ReadError::Syntax("no object `spot_advisor`".to_owned()));
        };
        for (region, systems) in inner(advisor, &mut faults) {
            for (os, instances) in inner(systems, &mut faults) {
                for (instance, entry) in inner(instances, &mut faults) {
                    match entry_of(entry, &classes) {
                        Ok((savings_pct, interrupted)) => {
                            let [region, os, instance] =
                                [region, os, instance].map(|name| name.trim().to_owned());
                            advice.push(Advice { region, os, instance, at: None, savings_pct, interrupted });
                        }
                        Err(fault) => {
                            let [region, os, instance] = [region, os, instance].map(shown);
                            faults.push(format!("{region}, {os}, {instance}: {fault}"));
                        }
                    }
                }
            }
        }
    }
    refuse(faults)?;
    if advice.is_empty() {
        return Err(ReadError::Empty("instances under `spot_advisor`"));
    }
    let about = super::About {
        title: Some("Share of Spot instances interrupted within a month, by class".to_owned()),
        ..super::About::default()
    };
    let open = "the last class is open: its upper end is not known, and 100 % is not meant";
    Ok(Recording { about, content: Content::Advice(advice), remarks: vec![Remark::note(None, open)] })
}

/// The objects in an object by their keys; anything else in it is a fault.
fn inner<'a>(
    object: &'a Map<String, Value>,
    faults: &mut Vec<String>,
) -> Vec<(&'a str, &'a Map<String, Value>)> {
    let mut found = Vec::with_capacity(object.len());
    for (name, value) in object {
        match value {
            Value::Object(value) => found.push((name.as_str(), value)),
            other => faults.push(format!("`{}` is {}, an object wanted", shown(name), kind(other))),
        }
    }
    found
}

/// The classes by their index.
fn classes(file: &Map<String, Value>) -> Result<Vec<(u64, Class)>, String> {
    let Some(Value::Array(ranges)) = file.get("ranges") else { return Err("no list `ranges`".to_owned()) };
    let class = |range: &Value| {
        let Value::Object(range) = range else { return Err(format!("`ranges` has {}", kind(range))) };
        let index = whole(range, "index", 0, 100)?.ok_or("a range has no `index`")?;
        let label = range.get("label").and_then(Value::as_str).unwrap_or_default();
        let class = Class::from_label(label);
        class.map(|class| (index, class)).ok_or_else(|| format!("the label `{}` is no range", shown(label)))
    };
    ranges.iter().map(class).collect()
}

fn entry_of(entry: &Map<String, Value>, classes: &[(u64, Class)]) -> Result<(i32, Class), String> {
    let savings = whole(entry, "s", 0, 100)?.ok_or("no saving `s`")?;
    let range = whole(entry, "r", 0, 100)?.ok_or("no range `r`")?;
    let class = classes.iter().find(|(index, _)| *index == range);
    let class = class.ok_or_else(|| format!("the range {range} is not in `ranges`"))?.1;
    Ok((i32::try_from(savings).unwrap_or(100), class))
}

/// Reads the own format, or rows of SpotLake: a table of regions and instances, with the ends of the class
/// or an interruption-free score (`IF`).
pub fn read_table(text: &str, how: &How) -> Result<Recording, ReadError> {
    let mut sheet = Sheet::open(text)?;
    let [region, instance, savings] = sheet.columns([
        &["region"],
        &["instance", "instance_type", "instancetype"],
        &["savings_pct", "savings"],
    ])?;
    let (os, time) = (sheet.find(&["os"]), sheet.find(&["time"]));
    let spotlake = sheet.find(&["if"]);
    let ends = match spotlake {
        Some(_) => [0, 0],
        None => sheet.columns([&["interrupted_pct_low"], &["interrupted_pct_high"]])?,
    };
    // SpotLake's times are of UTC, and say nothing of it.
    let utc = How { local: how.local.or(spotlake.map(|_| UtcOffset::UTC)), ..*how };
    let (mut advice, mut unknown) = (Vec::new(), 0_u64);
    let faults = sheet.each(|row| {
        let interrupted = match spotlake {
            Some(score) if missing(row.cell(score)) || missing(row.cell(savings)) => {
                unknown += 1;
                return Ok(());
            }
            Some(score) => Class::from_score(row.cell(score)).ok_or_else(|| {
                format!("`IF` `{}` is none of 1.0, 1.5, 2.0, 2.5, 3.0", shown(row.cell(score)))
            })?,
            None => class_of(&row, ends)?,
        };
        let at = match time {
            Some(time) if !row.cell(time).is_empty() => Some(row.time(time, "time", &utc)?),
            _ => None,
        };
        advice.push(Advice {
            region: row.cell(region).to_owned(),
            os: row.optional(os).to_owned(),
            instance: row.cell(instance).to_owned(),
            at,
            savings_pct: savings_of(row.cell(savings))?,
            interrupted,
        });
        Ok(())
    });
    faults.refuse()?;
    if advice.is_empty() {
        return Err(ReadError::Empty("rows"));
    }
    let left_out =
        (unknown > 0).then(|| Remark::note(None, format!("{unknown} rows without a score are left out")));
    let remarks = left_out.into_iter().collect();
    Ok(Recording { about: table::about(text), content: Content::Advice(advice), remarks })
}

/// SpotLake's words for what is not known.
pub(super) fn missing(cell: &str) -> bool {
    matches!(cell, "" | "-1" | "-1.0" | "N/A" | "nan" | "NaN")
}

/// Whole per cent; a pool whose price has run away costs some times On-Demand's.
fn savings_of(text: &str) -> Result<i32, String> {
    let number =
        text.strip_suffix(".0").unwrap_or(text).parse().ok().filter(|pct| (-1_000..=100).contains(pct));
    number.ok_or_else(|| format!("`savings_pct` `{}` is no whole number from -1000 to 100", shown(text)))
}

fn class_of(row: &Row<'_>, [low, high]: [usize; 2]) -> Result<Class, String> {
    let low_pct = whole_of(row.cell(low), "interrupted_pct_low", 0, 100)?;
    let high_pct = match row.cell(high) {
        "" => None,
        high => Some(whole_of(high, "interrupted_pct_high", low_pct + 1, 100)?),
    };
    Ok(Class { low_pct, high_pct })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shape of the file, and the entries that the project's facts name (alexei-led/spotinfo, Apache-2.0).
    const ADVISOR: &str = r#"{"global_rate": "<10%",
        "ranges": [{"index": 0, "label": "<5%", "dots": 0, "max": 5}, {"index": 1, "label": "5-10%", "dots": 1, "max": 11},
                   {"index": 4, "label": ">20%", "dots": 4, "max": 100}],
        "instance_types": {"p3.2xlarge": {"cores": 8, "ram_gb": 61.0, "emr": true}},
        "spot_advisor": {"us-east-1": {"Linux": {"p3.2xlarge": {"s": 80, "r": 4}}},
                         "us-east-2": {"Linux": {"p5.48xlarge": {"s": 40, "r": 1}}, "Windows": {}}}}"#;

    fn advice(recording: Recording) -> Vec<Advice> {
        let Content::Advice(advice) = recording.content else { panic!("no advice") };
        advice
    }

    #[test]
    fn classes_come_from_the_labels_and_the_last_is_open() {
        let found = advice(read_advisor(ADVISOR).unwrap());
        let rows: Vec<_> = found
            .iter()
            .map(|a| (a.region.as_str(), a.instance.as_str(), a.savings_pct, a.interrupted))
            .collect();
        let open = Class { low_pct: 20, high_pct: None };
        let second = Class { low_pct: 5, high_pct: Some(10) };
        assert_eq!(rows, [("us-east-1", "p3.2xlarge", 80, open), ("us-east-2", "p5.48xlarge", 40, second)]);
    }

    #[test]
    fn an_entry_that_cannot_be_used_is_named() {
        for (old, new, says) in [
            ("\"r\": 4}", "\"r\": 3}", "us-east-1, Linux, p3.2xlarge: the range 3 is not in `ranges`"),
            ("\"s\": 80", "\"s\": 180", "us-east-1, Linux, p3.2xlarge: `s` 180 is no whole number"),
            ("\"<5%\"", "\"few\"", "the label `few` is no range"),
            ("\"spot_advisor\"", "\"advisor\"", "no object `spot_advisor`"),
        ] {
            let error = read_advisor(&ADVISOR.replacen(old, new, 1)).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn scores_of_spotlake_are_classes() {
        let text = "Time,InstanceType,Region,AZ,SPS,IF,SpotPrice,OndemandPrice,Savings\n\
                    2022-01-01 00:00:00,p3.2xlarge,us-east-1,use1-az1,3,1.0,0.918,3.06,70\n\
                    2022-01-01 00:10:00,p3.2xlarge,us-east-1,use1-az1,3,-1,0.918,3.06,70.0\n\
                    2022-01-01 00:20:00,p3.2xlarge,us-east-1,use1-az1,3,2.5,3.213,3.06,-5.0\n";
        let recording = read_table(text, &How::default()).unwrap();
        assert_eq!(recording.remarks[0].text, "1 rows without a score are left out");
        let found = advice(recording);
        assert_eq!(found[0].interrupted, Class { low_pct: 20, high_pct: None });
        assert_eq!(found[1].interrupted, Class { low_pct: 5, high_pct: Some(10) });
        assert_eq!((found[0].savings_pct, found[1].savings_pct), (70, -5));
        assert_eq!(found[0].at.unwrap().to_string(), "2022-01-01T00:00:00Z");
    }
}
