//! Rows of `data/` by their published values, and the shape of each output.

use super::{Part, listing, split_sources};
use crate::report::text::{WIDTH, width};
use serde_json::Value;

const PARTS: [Part; 5] = [Part::Instances, Part::Gpus, Part::Models, Part::Networks, Part::AllReduce];

#[test]
fn every_table_fits_and_is_one_table() {
    for part in PARTS {
        for find in [None, Some("a"), Some("8"), Some("Standard"), Some("deit_tiny")] {
            let text = listing(part, find).table();
            assert!(text.lines().all(|line| width(line) <= WIDTH), "{text}");
            let body = text.split("\n\n").nth(1).unwrap_or_default();
            let rows = listing(part, find).rows.len();
            assert!(rows == 0 || body.lines().count() == rows + 1, "{text}");
        }
    }
}

/// AWS's published prices of 2023-12-11, as `facts` tests them, and the Spot Advisor of 2025-06-28.
#[test]
fn an_instance_has_its_prices_with_date_and_sources() {
    let text = listing(Part::Instances, Some("G5.2X")).table();
    let row = text.lines().find(|line| line.starts_with("g5.2xlarge")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(
        cells,
        ["g5.2xlarge", "1", "A10G", "5", "1.212", "2023-12-11", "1.515", "0.509", "15-20%", "a"]
    );
    assert!(text.contains("Notes     a doc; nvme size from memory\n"), "{text}");
    assert!(text.contains("Sources   aws/karpenter-provider-aws:pkg/providers/pricing"), "{text}");
}

#[test]
fn json_has_numbers_with_units_in_their_keys_and_null_for_the_unknown() {
    let json = listing(Part::Instances, Some("p5.4xlarge")).json();
    let row = &json["instances"][0];
    assert_eq!(row["on_demand_usd_per_hour"], 6.88);
    assert_eq!(row["sagemaker_training_usd_per_hour"], Value::Null);
    assert_eq!(row["gpus"], 1);
    assert!(row["source"].as_str().unwrap().contains("karpenter"));
    let networks = listing(Part::Networks, Some("tcp")).json();
    assert_eq!(networks["networks"][0]["class"], "tcp");
    assert_eq!(networks["networks"][0]["joins"], "nodes");
}

#[test]
fn csv_has_a_header_and_a_line_a_row() {
    for (part, rows) in [(Part::Instances, 69), (Part::Gpus, 25), (Part::Models, 48)] {
        let text = listing(part, None).csv();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        assert_eq!(reader.headers().unwrap().get(0), Some("name"));
        assert_eq!(reader.records().map(Result::unwrap).count(), rows, "{part:?}");
    }
}

#[test]
fn what_is_not_found_is_said_with_the_nearest_name() {
    let found = listing(Part::Instances, Some("g5.2xlrage"));
    assert!(found.is_empty());
    assert_eq!(
        found.table(),
        "None of the instances has a name that contains \"g5.2xlrage\"; did you mean g5.2xlarge?\n"
    );
    assert_eq!(found.json(), serde_json::json!({ "instances": [] }));
    let hostile = listing(Part::Models, Some("\u{1b}[2J")).table();
    assert!(hostile.contains("\\u{1b}[2J") && hostile.contains("`spotsim catalog models` lists all"));
}

#[test]
fn sources_are_split_between_places_and_not_inside_them() {
    assert_eq!(split_sources("a (b; c); d"), ["a (b; c)", "d"]);
    assert_eq!(split_sources("a"), ["a"]);
}
