//! Spot placement scores: how likely AWS holds it that a request for capacity is met, from 1 to 10.
//!
//! Read from what `get-spot-placement-scores` answers (JSON), from tables of it, and from rows of SpotLake,
//! whose older scores go from 1 to 3.

use super::advice::missing;
use super::json::{kind, name, objects, refuse, text as text_of, whole};
use super::own::table;
use super::sheet::{Sheet, whole as whole_of};
use super::{About, Content, How, ReadError, Recording, Remark};
use crate::units::{Timestamp, UtcOffset};
use serde_json::Value;

/// The largest score.
const SCORE_MAX: u32 = 10;

/// The score of one zone or region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Score {
    /// `us-east-1`.
    pub region: String,
    /// Zone, as AWS's id: `use1-az1`; empty where the score is of the region.
    pub zone: String,
    /// Instance type; the answer does not say what was asked for.
    pub instance: String,
    /// When it was so; the answer does not say.
    pub at: Option<Timestamp>,
    /// From 1 to 10.
    pub score: u32,
}

/// Reads the JSON of `get-spot-placement-scores`, one answer or several.
pub fn read_json(text: &str) -> Result<Recording, ReadError> {
    const KEY: &str = "SpotPlacementScores";
    let (mut scores, mut faults) = (Vec::new(), Vec::new());
    for answer in objects(text)? {
        let Some(Value::Array(list)) = answer.get(KEY) else {
            return Err(ReadError::Syntax(format!("no list `{KEY}`")));
        };
        for (index, one) in list.iter().enumerate() {
            let read = || {
                let Value::Object(one) = one else { return Err(format!("{}, an object wanted", kind(one))) };
                let score = whole(one, "Score", 1, u64::from(SCORE_MAX))?.ok_or("`Score` is missing")?;
                Ok(Score {
                    region: name(one, "Region")?.to_owned(),
                    zone: text_of(one, "AvailabilityZoneId")?.to_owned(),
                    instance: String::new(),
                    at: None,
                    score: u32::try_from(score).unwrap_or(SCORE_MAX),
                })
            };
            match read() {
                Ok(score) => scores.push(score),
                Err(fault) => faults.push(format!("`{KEY}[{index}]`: {fault}")),
            }
        }
    }
    refuse(faults)?;
    finished(About::default(), scores, Vec::new())
}

/// Reads a table of scores: the own format, AWS's words as columns, or rows of SpotLake (`SPS`).
pub fn read_table(text: &str, how: &How) -> Result<Recording, ReadError> {
    let mut sheet = Sheet::open(text)?;
    let [region, score] = sheet.columns([&["region"], &["score", "sps"]])?;
    let zone = sheet.find(&["zone", "availabilityzoneid", "availability_zone_id", "az"]);
    let instance = sheet.find(&["instance", "instancetype", "instance_type"]);
    let time = sheet.find(&["time"]);
    let spotlake = sheet.find(&["sps"]).is_some();
    // SpotLake's times are of UTC, and say nothing of it.
    let utc = How { local: how.local.or(spotlake.then_some(UtcOffset::UTC)), ..*how };
    let (mut scores, mut unknown) = (Vec::new(), 0_u64);
    let faults = sheet.each(|row| {
        if spotlake && missing(row.cell(score)) {
            unknown += 1;
            return Ok(());
        }
        let value = row.cell(score);
        let value = whole_of(value.strip_suffix(".0").unwrap_or(value), "score", 1, SCORE_MAX)?;
        let at = match time {
            Some(time) if !row.cell(time).is_empty() => Some(row.time(time, "time", &utc)?),
            _ => None,
        };
        if row.cell(region).is_empty() {
            return Err("`region` is empty".to_owned());
        }
        scores.push(Score {
            region: row.cell(region).to_owned(),
            zone: row.optional(zone).to_owned(),
            instance: row.optional(instance).to_owned(),
            at,
            score: value,
        });
        Ok(())
    });
    faults.refuse()?;
    let left_out =
        (unknown > 0).then(|| Remark::note(None, format!("{unknown} rows without a score are left out")));
    finished(table::about(text), scores, left_out.into_iter().collect())
}

fn finished(about: About, scores: Vec<Score>, mut remarks: Vec<Remark>) -> Result<Recording, ReadError> {
    if scores.is_empty() {
        return Err(ReadError::Empty("scores"));
    }
    if scores.iter().all(|score| score.score <= 3) {
        let text =
            "no score is above 3: a scale from 1 to 3, as of SpotLake before it changed, or low ones of 10";
        remarks.push(Remark::warning(None, text));
    }
    Ok(Recording { about, content: Content::Scores(scores), remarks })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(recording: Recording) -> Vec<(String, String, u32)> {
        let Content::Scores(scores) = recording.content else { panic!("no scores") };
        scores.into_iter().map(|score| (score.region, score.zone, score.score)).collect()
    }

    #[test]
    fn json_and_tables_say_the_same() {
        let json = r#"{"SpotPlacementScores": [{"Region": "us-east-1", "AvailabilityZoneId": "use1-az1", "Score": 9},
                       {"Region": "eu-west-1", "Score": 3}], "NextToken": ""}"#;
        let table = "Region,AvailabilityZoneId,Score\nus-east-1,use1-az1,9\neu-west-1,,3\n";
        let right =
            [("us-east-1".to_owned(), "use1-az1".to_owned(), 9), ("eu-west-1".to_owned(), String::new(), 3)];
        assert_eq!(scores(read_json(json).unwrap()), right);
        assert_eq!(scores(read_table(table, &How::default()).unwrap()), right);
    }

    #[test]
    fn every_score_out_of_range_is_named() {
        let json = r#"{"SpotPlacementScores": [{"Region": "a", "Score": 0}, {"Score": 3}, 7]}"#;
        let error = read_json(json).unwrap_err().to_string();
        for says in ["[0]`: `Score` 0", "[1]`: `Region` is missing", "[2]`: a number"] {
            assert!(error.contains(says), "{error}");
        }
        let error = read_table("region,score\na,11\nb,x\n", &How::default()).unwrap_err().to_string();
        assert!(error.contains("line 2: `score` `11`") && error.contains("line 3: `score` `x`"), "{error}");
    }

    #[test]
    fn a_short_scale_is_doubted() {
        let text = "Time,InstanceType,Region,AZ,SPS,IF\n2022-01-01 00:00:00,a,us-east-1,use1-az1,3,1.0\n";
        assert!(read_table(text, &How::default()).unwrap().remarks[0].text.contains("1 to 3"));
    }
}
