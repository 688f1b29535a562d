//! Formats beside capacity and prices: which one a text is in, its reader, and the own format of each.

use super::own::{self, table};
use super::{About, Content, How, ReadError, Recording, advice, lifetime, notice, sagemaker, score, slurm};

/// A format: its name, as `--format` has it, and its reader.
#[derive(Clone, Copy)]
pub struct Format {
    /// `sacct`, `sagemaker`.
    pub name: &'static str,
    /// Reads a text in it.
    pub read: fn(&str, &How) -> Result<Recording, ReadError>,
}

/// All of them, the own ones last.
pub const FORMATS: [Format; 14] = [
    Format { name: "sagemaker", read: |text, _| sagemaker::read(text) },
    Format { name: "sacct", read: slurm::read },
    Format { name: "notices", read: notice::read },
    Format { name: "lifetimes", read: lifetime::read },
    Format { name: "spot-advisor", read: |text, _| advice::read_advisor(text) },
    Format { name: "spotlake-advice", read: advice::read_table },
    Format { name: "spotlake-scores", read: score::read_table },
    Format { name: "placement-scores", read: |text, _| score::read_json(text) },
    Format { name: "placement-score-table", read: score::read_table },
    Format { name: "own-notices", read: own::notices::read },
    Format { name: "own-jobs", read: own::jobs::read },
    Format { name: "own-lifetimes", read: own::lifetimes::read },
    Format { name: "own-advice", read: own::advice::read },
    Format { name: "own-scores", read: own::scores::read },
];

/// The format of this name.
pub fn named(name: &str) -> Option<Format> {
    FORMATS.into_iter().find(|format| format.name == name)
}

/// The format that a text shows itself to be in. Rows of SpotLake are not found: they are scores, advice and
/// prices, and the name of the format says which are wanted.
pub fn found(text: &str) -> Option<Format> {
    let bare = text.trim_start_matches('\u{feff}').trim_start();
    if let Some(kind) = table::kind(text) {
        return named(&format!("own-{kind}"));
    }
    if bare.starts_with(['{', '[']) {
        let keys = [
            ("\"TrainingJobName\"", "sagemaker"),
            ("\"SpotPlacementScores\"", "placement-scores"),
            ("\"spot_advisor\"", "spot-advisor"),
            // The first key of the advisor's file; what it is known by comes after 200 kB.
            ("\"global_rate\"", "spot-advisor"),
        ];
        return keys.into_iter().find(|(key, _)| bare.contains(key)).and_then(|(_, name)| named(name));
    }
    let header = bare.lines().find(|line| !line.starts_with('#') && !line.trim().is_empty())?;
    let header = header.to_ascii_lowercase();
    let columns: Vec<&str> =
        header.split([',', ';', '\t', '|']).map(|column| column.trim().trim_matches('"')).collect();
    let has = |wanted: &[&str]| wanted.iter().all(|column| columns.contains(column));
    let name = match () {
        () if has(&["jobid", "state", "submit"]) => "sacct",
        () if has(&["notice", "terminate"]) => "notices",
        () if has(&["region", "score"]) => "placement-score-table",
        () if columns.iter().any(|column| column.starts_with("lifetime")) => "lifetimes",
        () if columns.len() == 1 && lifetime::COLUMN.contains(&columns[0]) => "lifetimes",
        // A column of bare numbers. Seconds since 1970 are no lifetimes.
        () if columns.len() == 1 && header.trim().parse::<f64>().is_ok_and(|seconds| seconds < 1e8) => {
            "lifetimes"
        }
        () => return None,
    };
    named(name)
}

/// The own format of what is neither capacity nor prices.
pub fn write(about: &About, content: &Content) -> Option<String> {
    match content {
        Content::Notices(notices) => Some(own::notices::write(about, notices)),
        Content::Jobs(jobs) => Some(own::jobs::write(about, jobs)),
        Content::Advice(advice) => Some(own::advice::write(about, advice)),
        Content::Scores(scores) => Some(own::scores::write(about, scores)),
        Content::Lifetimes(lifetimes) => Some(own::lifetimes::write(about, lifetimes)),
        Content::Capacity(_) | Content::Stays(_) | Content::Prices(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small file of each format.
    fn examples() -> [(&'static str, &'static str); 8] {
        [
            ("sagemaker", include_str!("../../tests/cases/11-describe-training-job.json")),
            ("sacct", include_str!("../../tests/cases/13-sacct.txt")),
            ("notices", include_str!("../../tests/cases/08-notices.csv")),
            ("lifetimes", "3600\n90000\n"),
            ("lifetimes", "lifetime_s\n3600.25\n90000\n"),
            ("placement-score-table", "Region,AvailabilityZoneId,Score\nus-east-1,use1-az1,9\n"),
            ("placement-scores", "{\"SpotPlacementScores\":[{\"Region\":\"us-east-1\",\"Score\":9}]}"),
            (
                "spot-advisor",
                "{\"ranges\":[{\"index\":4,\"label\":\">20%\"}],\
                 \"spot_advisor\":{\"us-east-1\":{\"Linux\":{\"p3.2xlarge\":{\"s\":80,\"r\":4}}}}}",
            ),
        ]
    }

    #[test]
    fn every_format_is_found_by_its_text() {
        for (name, text) in examples() {
            assert_eq!(found(text).map(|format| format.name), Some(name));
        }
        for text in
            ["", "banana", "{\"data\": []}", "t_ms,event,node\n", "1774753200\n", "# kind: availability\n"]
        {
            assert!(found(text).is_none(), "{text}");
        }
    }

    #[test]
    fn every_own_format_is_read_as_it_was_written() {
        for (name, text) in examples() {
            let first = (found(text).unwrap().read)(text, &How::default()).unwrap();
            let own = write(&first.about, &first.content).unwrap();
            let again = (found(&own).unwrap().read)(&own, &How::default()).unwrap();
            assert_eq!(again.content, first.content, "{name}");
            assert_eq!(write(&again.about, &again.content).unwrap(), own, "{name}");
        }
    }
}
