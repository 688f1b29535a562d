//! Scenarios around the examples of the list, for tests.

use super::{Key, KeyTable, is_own};
use crate::scenario::load::{Loaded, Overrides, load};

/// A scenario in which most keys have a place.
pub const BASE: &str = r#"
schema = 1
name = "base"
[job]
model = "vit_base_patch16_224"
batch_per_gpu = 64
work = "10 k steps"
deadline = "4 d"
[checkpoint]
every = "15 min"
stall = "8 s"
[capacity.renewal]
uptime = "5 h"
gap = "20 min"
[[cluster]]
name = "Spot"
instance = "g5.2xlarge"
nodes = 4
market = "spot"
zones = ["us-east-1a"]
[[cluster]]
name = "On-Demand"
instance = "g5.2xlarge"
nodes = 4
market = "on-demand"
"#;

/// Measured all-reduces of the base's four nodes.
const ALL_REDUCE: &str = r#"
device = "A10G"
class = "cuda"
library = "NCCL 2.20"
date = "2026-12-02"
nodes = 4
gpus_per_node = 1
bus_bandwidth_gb_per_s = 1.0
fit = { latency_us = 50.0, bus_bandwidth_gb_per_s = 1.0, spread = 0.1, spread_max = 0.2 }
size = [{ bytes = 1000, out_of_place_us = 100.0 }, { bytes = 400000000, out_of_place_us = 600000.0 }]
"#;

/// Files that examples name.
fn read_file(name: &str) -> Result<String, String> {
    match name {
        "trace.json" => {
            let data = ["1, 1, 1, 0"; 50].join(", ");
            Ok(format!("{{\"metadata\": {{\"gap_seconds\": 600}}, \"data\": [{data}]}}"))
        }
        "events.csv" => Ok("0,add,a\n0,add,b\n0,add,c\n0,add,d\n90000,remove,a\n".to_owned()),
        "prices.csv" => Ok("time,zone,instance_type,price\n2026-02-28T00:00:00Z,us-east-1a,g5.2xlarge,0.5\n2026-03-03T00:00:00Z,us-east-1a,g5.2xlarge,0.6\n".to_owned()),
        "all-reduce.toml" => Ok(ALL_REDUCE.to_owned()),
        other => Err(format!("there is no {other}")),
    }
}

/// `BASE` with these keys set.
pub fn loaded(set: &[String]) -> Loaded {
    let overrides = Overrides { set: set.to_vec(), ..Overrides::default() };
    load("base.toml", BASE.to_owned(), &overrides, &read_file)
}

/// The lines `key = value` of an example, its own and those of other tables with their headings.
type Lines = Vec<(String, Vec<(String, String)>)>;

fn lines(example: &str) -> Lines {
    let mut found: Lines = vec![(String::new(), Vec::new())];
    for line in example.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix('[') {
            Some(heading) => found.push((heading.trim_end_matches(']').to_owned(), Vec::new())),
            None => {
                let (key, value) = line.split_once(" = ").expect("a line of an example is an assignment");
                found.last_mut().expect("there is one").1.push((key.to_owned(), value.to_owned()));
            }
        }
    }
    found
}

/// Where in `BASE` a table of the list can stand, as `--set` writes it.
fn place(path: &str) -> String {
    match path {
        "law" => return "start.start".to_owned(),
        "cluster" => return "cluster.0".to_owned(),
        _ => {}
    }
    let path = path.replace("law.", "start.start.");
    let root = path.split('.').next().unwrap_or_default().to_owned();
    let parts = path.split('.').map(|part| match (part, root.as_str()) {
        ("ZONE", _) => "us-east-1a",
        ("INSTANCE", _) => "\"g5.xlarge\"",
        ("RESULT", _) => "cost_usd_mean",
        ("KEY", _) => "\"checkpoint.stall\"",
        (part, _) => part,
    });
    parts.collect::<Vec<_>>().join(".")
}

/// What `--set` says to put `own` lines into a table of the list.
fn assignment(table: &KeyTable, own: &[(String, String)]) -> Vec<String> {
    let inline = |own: &[(String, String)]| {
        let pairs: Vec<String> = own.iter().map(|(key, value)| format!("{key} = {value}")).collect();
        format!("{{ {} }}", pairs.join(", "))
    };
    let at = place(&table.path);
    match table.path.as_str() {
        "" => own.iter().map(|(key, value)| format!("{key}={value}")).collect(),
        "capacity.markov.state" => {
            let mut own = own.to_vec();
            if !own.iter().any(|(key, _)| key == "to") {
                own.push(("to".to_owned(), "{ gone = \"12 h\" }".to_owned()));
            }
            let other = "{ name = \"gone\", nodes = 0, to = { calm = \"20 min\" } }";
            vec![format!("{at}=[{}, {other}]", inline(&own))]
        }
        "capacity.markov.state.to" => vec![format!(
            "capacity.markov.state=[{{ name = \"calm\", nodes = 4, to = {} }}, {{ name = \"gone\", nodes = 0, to = {{ calm = \"20 min\" }} }}]",
            inline(own)
        )],
        "capacity.markov.correlation" => {
            let means = ["capacity.markov.uptime=\"5 h\"", "capacity.markov.gap=\"20 min\""];
            means.map(str::to_owned).into_iter().chain([format!("{at}={}", inline(own))]).collect()
        }
        // Refused where a cluster has one region, as an On-Demand one has.
        "checkpoint" if own.iter().any(|(key, _)| key == "move_bandwidth") => {
            own.iter().map(|(key, value)| format!("cluster.0.{at}.{key}={value}")).collect()
        }
        _ if table.is_listed() && table.path != "cluster" => vec![format!("{at}=[{}]", inline(own))],
        // Keys are merged one by one, so that what they displace goes.
        _ if table.merges
            || matches!(table.path.as_str(), "cluster" | "capacity" | "policy" | "simulation") =>
        {
            own.iter().map(|(key, value)| format!("{at}.{key}={value}")).collect()
        }
        _ => vec![format!("{at}={}", inline(own))],
    }
}

/// The keys to set for the example of `key`, with `value` in place of its own, and `more` beside it.
pub fn set_of(table: &KeyTable, key: &Key, value: Option<&str>, more: Option<(&str, &str)>) -> Vec<String> {
    let mut all = lines(&key.example);
    let (_, mut own) = all.remove(0);
    if let Some(value) = value {
        own.iter_mut().filter(|(name, _)| *name == key.name).for_each(|(_, v)| *v = value.to_owned());
    }
    for other in &table.keys {
        let is_there = own.iter().any(|(name, _)| *name == other.name);
        // The base has the rest of what clusters and the top require.
        let is_needed = key.with.contains(&other.name)
            || (other.is_required() && !["", "cluster"].contains(&table.path.as_str()));
        if !is_there && is_needed && !table.path.eq("job") {
            own.extend(lines(&other.example)[0].1.iter().filter(|(name, _)| *name == other.name).cloned());
        }
    }
    own.extend(more.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let mut set: Vec<String> = Vec::new();
    for (heading, others) in all {
        set.extend(others.iter().map(|(name, value)| format!("{heading}.{name}={value}")));
    }
    if table.path.starts_with("fallback.") && !key.example.contains("fallback_instances") {
        set.push("cluster.0.fallback_instances=[\"g5.xlarge\"]".to_owned());
    }
    set.extend(assignment(table, &own));
    set
}

/// What to set for a table alone, with one line in it.
pub fn set_alone(table: &KeyTable, name: &str, value: &str) -> Vec<String> {
    assignment(table, &[(name.to_owned(), value.to_owned())])
}

/// Whether the keys of a table are the user's own, so that none is unknown.
pub fn is_open(table: &KeyTable) -> bool {
    table.keys.iter().any(|key| is_own(&key.name))
}
