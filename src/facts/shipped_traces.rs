//! The recordings under `data/traces/` against what is known of their originals.

use std::path::PathBuf;

/// Samples times gap in hours, the gap, and the share of the time in which at least so many nodes could
/// be had: columns `duration_h`, `gap_s` and `availability` of the statistics made from the originals.
const ORIGINALS: [(&str, u64, f64, u64, f64); 31] = [
    ("aws-2023-02-15-v100-us-east-1a", 1, 1091.89, 195, 0.1667),
    ("aws-2023-02-15-v100-us-east-1c", 1, 1091.89, 195, 0.4665),
    ("aws-2023-02-15-v100-us-east-1d", 1, 1091.89, 195, 0.4473),
    ("aws-2023-02-15-v100-us-east-1f", 1, 1091.89, 195, 0.5912),
    ("aws-2023-02-15-v100-us-east-2a", 1, 1091.89, 195, 0.7593),
    ("aws-2023-02-15-v100-us-east-2b", 1, 1091.89, 195, 0.6822),
    ("aws-2023-02-15-v100-us-west-2a", 1, 1091.89, 195, 0.8831),
    ("aws-2023-02-15-v100-us-west-2b", 1, 1091.89, 195, 0.9050),
    ("aws-2023-02-15-v100-us-west-2c", 1, 1091.89, 195, 0.8913),
    ("gcp-2025-10-04-h100-asia-south2-b", 1, 352.33, 600, 0.9995),
    ("gcp-2025-10-04-h100-asia-southeast1-b", 1, 352.33, 600, 0.7843),
    ("gcp-2025-10-04-h100-asia-southeast1-c", 1, 352.33, 600, 0.5440),
    ("gcp-2025-10-04-h100-europe-west1-c", 1, 352.33, 600, 0.8798),
    ("gcp-2025-10-04-h100-europe-west3-c", 1, 352.33, 600, 0.4740),
    ("gcp-2025-10-04-h100-us-central1-a", 1, 352.33, 600, 0.9579),
    ("gcp-2025-10-04-h100-us-central1-b", 1, 352.33, 600, 0.9120),
    ("gcp-2025-10-04-h100-us-central1-c", 1, 352.33, 600, 0.9186),
    ("gcp-2025-10-04-h100-us-east4-a", 1, 352.33, 600, 0.8623),
    ("gcp-2025-10-04-h100-us-east4-b", 1, 352.33, 600, 0.8477),
    ("gcp-2025-10-04-h100-us-east5-a", 1, 352.33, 600, 0.8903),
    ("gcp-2025-10-04-h100-us-west1-a", 1, 352.33, 600, 0.6003),
    ("gcp-2025-10-04-h100-us-west1-b", 1, 352.33, 600, 0.2408),
    ("aws-2023-08-27-v100-16node-us-east-2b", 1, 270.58, 300, 0.6280),
    ("aws-2023-08-27-v100-16node-us-east-2b", 8, 270.58, 300, 0.5500),
    ("aws-2023-08-27-v100-16node-us-east-2b", 16, 270.58, 300, 0.4564),
    ("aws-2023-08-27-v100-16node-us-west-2a", 1, 394.67, 300, 0.4464),
    ("aws-2023-08-27-v100-16node-us-west-2a", 8, 394.67, 300, 0.4331),
    ("aws-2023-08-27-v100-16node-us-west-2a", 16, 394.67, 300, 0.4183),
    ("aws-2023-08-27-v100-16node-us-west-2c", 1, 394.67, 300, 0.4405),
    ("aws-2023-08-27-v100-16node-us-west-2c", 8, 394.67, 300, 0.4278),
    ("aws-2023-08-27-v100-16node-us-west-2c", 16, 394.67, 300, 0.4149),
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/traces")
}

fn text(name: &str) -> String {
    std::fs::read_to_string(folder().join(format!("{name}.csv"))).unwrap()
}

fn header(text: &str, key: &str) -> String {
    let start = format!("# {key}: ");
    text.lines().find_map(|line| line.strip_prefix(&start)).unwrap_or_else(|| panic!("no {key}")).to_owned()
}

/// Durations in seconds and nodes of all intervals.
fn intervals(text: &str) -> Vec<(u64, u64)> {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    assert_eq!(reader.headers().unwrap(), vec!["start", "duration_s", "nodes"]);
    reader.deserialize::<(String, u64, u64)>().map(|row| row.unwrap()).map(|(_, s, n)| (s, n)).collect()
}

#[test]
fn lengths_and_availability_are_those_of_the_originals() {
    for (name, nodes, duration_h, gap_s, availability) in ORIGINALS {
        let text = text(name);
        let rows = intervals(&text);
        let total_s: u64 = rows.iter().map(|(s, _)| s).sum();
        let up_s: u64 = rows.iter().filter(|(_, n)| *n >= nodes).map(|(s, _)| s).sum();
        assert!((total_s as f64 / 3600.0 - duration_h).abs() < 0.0051, "{name}: {total_s} s");
        assert!((up_s as f64 / total_s as f64 - availability).abs() < 0.000_051, "{name}: {up_s} s");
        assert_eq!(header(&text, "sample_s"), gap_s.to_string(), "{name}");
        assert_eq!(header(&text, "samples"), (total_s / gap_s).to_string(), "{name}");
    }
}

/// Rows `mean_count` of the same statistics.
#[test]
fn mean_counts_are_those_of_the_originals() {
    for (zone, mean_count) in [("us-east-2b", 8.76), ("us-west-2a", 6.90), ("us-west-2c", 6.83)] {
        let rows = intervals(&text(&format!("aws-2023-08-27-v100-16node-{zone}")));
        let total_s: u64 = rows.iter().map(|(s, _)| s).sum();
        let node_s: u64 = rows.iter().map(|(s, n)| s * n).sum();
        assert!((node_s as f64 / total_s as f64 - mean_count).abs() < 0.0051, "{zone}");
    }
}

#[test]
fn every_file_says_what_it_is_and_splits_no_interval() {
    let names: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".csv").map(str::to_owned))
        .collect();
    assert_eq!(names.len(), 43);
    for name in names {
        let text = text(&name);
        let kind = header(&text, "kind");
        let columns = text.lines().find(|line| !line.starts_with('#')).unwrap();
        let expected: &[&str] = match kind.as_str() {
            "availability" => &["start,duration_s,nodes"],
            "count" => &["start,duration_s,nodes", "zone,start,duration_s,nodes"],
            "stays" => &["node,zone,start,duration_s,ended"],
            "prices" => &["zone,instance,product,start,usd_per_h"],
            _ => panic!("{name} is of no known kind: {kind}"),
        };
        assert!(expected.contains(&columns), "{name}: {columns}");
        for key in ["title", "source", "licence", "window"] {
            header(&text, key);
        }
        if columns == "start,duration_s,nodes" && !name.starts_with("parcae") {
            header(&text, "nodes");
            let neighbours = intervals(&text);
            assert!(neighbours.windows(2).all(|pair| pair[0].1 != pair[1].1), "{name} splits an interval");
        }
    }
}
