//! NCCL's own cost estimates, and its choice by them: with the rings and trees that NCCL found, and with those
//! that `network` derives from the links.

use super::nccl_graphs::{KnownGraph, known_graphs};
use super::{SuiteResult, VerifyError, rows};
use crate::network::nccl::{Algorithm, Graph, Nccl, Protocol, Topology};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Estimates of NCCL 2.30.7; source and date in the file.
const TIMES: &str = include_str!("../../../data/verify/nccl_model.csv");

/// Columns without which a file is not this suite's.
pub(super) const COLUMNS: [&str; 12] = [
    "system",
    "nodes",
    "gpus_per_node",
    "inter",
    "intra",
    "sm",
    "cpu",
    "net_latency_us",
    "algorithm",
    "protocol",
    "bytes",
    "time_us",
];

/// With NCCL's own graph the formulas are the same: what is left is rounding of the carried times.
const GIVEN: Bounds = Bounds { mean_percent: 0.5, largest_percent: 0.5, same_choice: 0.99 };
/// A derived graph may differ from NCCL's here and there.
const DERIVED: Bounds = Bounds { mean_percent: 5.0, largest_percent: f64::INFINITY, same_choice: 0.90 };

/// What an entry must reach.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    mean_percent: f64,
    largest_percent: f64,
    same_choice: f64,
}

/// One estimate.
#[derive(Debug, Clone, Deserialize)]
struct Row {
    system: String,
    nodes: u32,
    gpus_per_node: u32,
    inter: String,
    intra: String,
    sm: u32,
    cpu: String,
    net_latency_us: f64,
    algorithm: String,
    protocol: String,
    bytes: u64,
    time_us: f64,
    #[serde(default)]
    chosen: u8,
}

/// Entries `nccl-model` and `nccl-model/given-graph`; `data` replaces the built-in rows.
pub(super) fn nccl_model(data: Option<&str>) -> Result<Vec<SuiteResult>, VerifyError> {
    let graphs = known_graphs()?;
    let rows: Vec<Row> = match data {
        Some(data) => rows::read(data)?,
        None => built_in(&graphs)?,
    };
    if let Some(row) = rows.iter().find(|row| !(row.time_us.is_finite() && row.time_us > 0.0)) {
        return Err(VerifyError::Row(format!("`{}`: time_us must be a number above 0", row.system)));
    }
    let mut given = Given::new();
    for graph in &graphs {
        given.insert((graph.system.as_str(), graph.nodes, graph.gpus_per_node), graph.graph()?);
    }
    Ok(vec![
        compare("nccl-model", DERIVED, &rows, |row| Nccl::of(&topology(row)?).map_err(reason)),
        compare("nccl-model/given-graph", GIVEN, &rows, |row| given_graph(row, &given)),
    ])
}

/// NCCL's own graphs by system, nodes and GPUs per node.
type Given<'a> = BTreeMap<(&'a str, u32, u32), Graph>;

fn given_graph(row: &Row, given: &Given) -> Result<Nccl, String> {
    let graph = given.get(&(row.system.as_str(), row.nodes, row.gpus_per_node));
    let graph = *graph.ok_or("NCCL's own graph of the system is not carried")?;
    Ok(Nccl { ranks: topology(row)?.ranks(), graph })
}

fn reason(error: impl ToString) -> String {
    error.to_string()
}

/// The row's words as links.
fn topology(row: &Row) -> Result<Topology, String> {
    Ok(Topology {
        nodes: row.nodes,
        gpus_per_node: row.gpus_per_node,
        sm: row.sm,
        cpu: row.cpu.parse().map_err(reason)?,
        intra: if row.gpus_per_node > 1 { Some(row.intra.parse().map_err(reason)?) } else { None },
        inter: if row.nodes > 1 { Some(row.inter.parse().map_err(reason)?) } else { None },
        net_latency_us: row.net_latency_us,
    })
}

/// What the rows of an entry add up to.
#[derive(Debug, Default)]
struct Tally {
    rows: usize,
    skipped: BTreeMap<String, usize>,
    sum_percent: f64,
    largest: Option<(f64, String)>,
    choices: usize,
    same_choices: usize,
}

/// Every row against the model that `model_of` makes of it, or the reason why there is none.
fn compare(
    suite: &'static str,
    bounds: Bounds,
    rows: &[Row],
    model_of: impl Fn(&Row) -> Result<Nccl, String>,
) -> SuiteResult {
    let mut tally = Tally::default();
    for row in rows {
        match pair(row).and_then(|pair| Ok((pair, model_of(row)?))) {
            Ok((pair, model)) => tally.add(row, pair, &model),
            Err(why) => *tally.skipped.entry(why).or_default() += 1,
        }
    }
    tally.result(suite, bounds)
}

fn pair(row: &Row) -> Result<(Algorithm, Protocol), String> {
    let algorithm = Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == row.algorithm);
    let protocol = Protocol::ALL.into_iter().find(|protocol| protocol.name() == row.protocol);
    algorithm.zip(protocol).ok_or_else(|| format!("{} {} is not modelled", row.algorithm, row.protocol))
}

impl Tally {
    fn add(&mut self, row: &Row, (algorithm, protocol): (Algorithm, Protocol), model: &Nccl) {
        // A pair that NCCL considers and the model does not is wrong altogether.
        let percent = model
            .time_us(algorithm, protocol, row.bytes)
            .map_or(100.0, |ours| 100.0 * (ours - row.time_us).abs() / row.time_us);
        self.rows += 1;
        self.sum_percent += percent;
        if self.largest.as_ref().is_none_or(|(largest, _)| percent > *largest) {
            let Row { system, nodes, algorithm, protocol, bytes, .. } = row;
            self.largest =
                Some((percent, format!("{system}, {nodes} nodes, {algorithm} {protocol}, {bytes} B")));
        }
        if row.chosen == 1 {
            let choice = model.choose(row.bytes);
            self.choices += 1;
            self.same_choices += usize::from((choice.algorithm, choice.protocol) == (algorithm, protocol));
        }
    }

    fn result(self, suite: &'static str, bounds: Bounds) -> SuiteResult {
        let mut missed = Vec::new();
        let mut notes = Vec::new();
        if let Some((percent, row)) = self.largest {
            notes.push(format!("furthest off: {row}, {percent:.3} %"));
            if percent > bounds.largest_percent {
                let most = bounds.largest_percent;
                missed.push(format!("every row within {most} %, but {row} is {percent:.3} % off"));
            }
        }
        if self.choices > 0 {
            let same = format!("same choice in {} of {}", self.same_choices, self.choices);
            if (self.same_choices as f64) < bounds.same_choice * self.choices as f64 {
                missed.push(format!("{same}, at least {:.0} % wanted", 100.0 * bounds.same_choice));
            }
            notes.push(same);
        }
        SuiteResult {
            suite,
            rows: self.rows,
            skipped: self.skipped.into_iter().collect(),
            metric: "MAPE, %",
            value: if self.rows > 0 { self.sum_percent / self.rows as f64 } else { f64::INFINITY },
            tolerance: bounds.mean_percent,
            missed,
            notes,
        }
    }
}

/// One line of the built-in file: all pairs of one system and size.
#[derive(Debug, Deserialize)]
struct Line {
    system: String,
    nodes: u32,
    bytes: u64,
    tree_ll: Option<f64>,
    tree_ll128: Option<f64>,
    tree_simple: Option<f64>,
    ring_ll: Option<f64>,
    ring_ll128: Option<f64>,
    ring_simple: Option<f64>,
    nvls_simple: Option<f64>,
    nvls_tree_simple: Option<f64>,
    chosen: String,
}

impl Line {
    fn times(&self) -> [(&'static str, &'static str, Option<f64>); 8] {
        [
            ("Tree", "LL", self.tree_ll),
            ("Tree", "LL128", self.tree_ll128),
            ("Tree", "Simple", self.tree_simple),
            ("Ring", "LL", self.ring_ll),
            ("Ring", "LL128", self.ring_ll128),
            ("Ring", "Simple", self.ring_simple),
            ("NVLS", "Simple", self.nvls_simple),
            ("NVLSTree", "Simple", self.nvls_tree_simple),
        ]
    }
}

/// The built-in rows, unfolded to the columns that `data` has.
fn built_in(graphs: &[KnownGraph]) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    for line in rows::read::<Line>(TIMES)? {
        let known = graphs
            .iter()
            .find(|graph| graph.system == line.system && graph.nodes == line.nodes)
            .ok_or_else(|| VerifyError::Row(format!("`{}`: no line among the graphs", line.system)))?;
        for (algorithm, protocol, time_us) in line.times() {
            let Some(time_us) = time_us else { continue };
            rows.push(Row {
                system: line.system.clone(),
                nodes: line.nodes,
                gpus_per_node: known.gpus_per_node,
                inter: known.inter.clone(),
                intra: known.intra.clone(),
                sm: known.sm,
                cpu: known.cpu.clone(),
                net_latency_us: known.net_latency_us,
                algorithm: algorithm.to_owned(),
                protocol: protocol.to_owned(),
                bytes: line.bytes,
                time_us,
                chosen: u8::from(line.chosen == format!("{algorithm} {protocol}")),
            });
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::nccl::PathClass;

    #[test]
    fn every_carried_row_is_compared_and_passes() {
        for result in nccl_model(None).unwrap() {
            assert_eq!(result.rows, 5_643, "{result:#?}");
            assert!(result.pass(), "{result:#?}");
        }
    }

    /// NCCL tells a NIC below the GPU's own switch from one below the next GPU's; at compute capability 9.0 and
    /// above neither hinders a protocol.
    #[test]
    fn derived_graphs_are_those_that_nccl_finds() {
        let graphs = known_graphs().unwrap();
        let rows = built_in(&graphs).unwrap();
        for known in &graphs {
            let row =
                rows.iter().find(|row| (&row.system, row.nodes) == (&known.system, known.nodes)).unwrap();
            let mut theirs = known.graph().unwrap();
            if known.sm >= 90 && theirs.inter_path == PathClass::NvLinkToNic {
                theirs.inter_path = PathClass::PcieSwitch;
            }
            let mut ours = topology(row).unwrap().graph().unwrap();
            if known.nodes == 1 {
                (ours.ring.inter, ours.tree.inter) = (theirs.ring.inter, theirs.tree.inter);
            }
            assert_eq!(ours, theirs, "{}, {} nodes", known.system, known.nodes);
        }
    }

    const HEADER: &str = "system,nodes,gpus_per_node,inter,intra,sm,cpu,net_latency_us,algorithm,protocol,bytes,\
                          time_us,alg_bw_gbs,chosen";

    /// The second data line of the reference, under a name that no carried graph has.
    #[test]
    fn systems_without_a_carried_graph_are_derived_only() {
        let row = "mine,2,1,TCP 10G,-,86,rome,0,Ring,LL,1024,18.307,0.05594,1";
        let results = nccl_model(Some(&format!("{HEADER}\n{row}\n"))).unwrap();
        assert!(results[0].pass(), "{results:#?}");
        assert_eq!((results[1].rows, results[1].skipped_rows()), (0, 1));
    }

    #[test]
    fn a_wrong_choice_is_missed_whatever_the_times() {
        let row = "mine,2,1,TCP 10G,-,86,rome,0,Tree,LL,1024,21.407,0.04783,1";
        let results = nccl_model(Some(&format!("{HEADER}\n{row}\n"))).unwrap();
        assert!(results[0].value < 0.1 && !results[0].pass(), "{results:#?}");
    }

    #[test]
    fn a_pair_that_is_not_considered_is_wrong_altogether() {
        let row = "mine,2,1,TCP 10G,-,86,rome,0,Ring,LL128,1024,30,0.03,0";
        let results = nccl_model(Some(&format!("{HEADER}\n{row}\n"))).unwrap();
        assert_eq!(results[0].value, 100.0);
    }

    #[test]
    fn what_cannot_be_derived_is_skipped_with_the_reason() {
        let row = "mine,2,1,carrier pigeon,-,86,rome,0,Ring,LL,1024,30,0.03,0";
        let results = nccl_model(Some(&format!("{HEADER}\n{row}\n"))).unwrap();
        assert!(results[0].skipped[0].0.contains("carrier pigeon"), "{results:#?}");
    }
}
