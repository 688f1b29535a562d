//! Steps as CSV.

use super::super::json::market_word;
use super::figures::{Figures, bound, bound_word, hidden_ms, paces};
use crate::experiment::step::StepResult;
use crate::units::Bandwidth;

/// A line a cluster and pace, every figure by name, empty where it does not exist.
pub fn csv(results: &[StepResult]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |record: Vec<String>| writer.write_record(record).expect("memory takes every write");
    let text = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    for (index, result) in results.iter().enumerate() {
        let anatomy = &result.anatomy;
        for (name, pace) in paces(anatomy) {
            let rate = |of: Option<Bandwidth>| text(of.map(Bandwidth::bytes_per_s));
            let mut record = vec![
                ("name", result.name.clone()),
                ("pace", name.to_owned()),
                ("instance", result.instance.clone()),
                ("nodes", anatomy.nodes.to_string()),
                ("gpus", anatomy.ranks.to_string()),
                ("market", market_word(result.market).to_owned()),
            ];
            let figures = Figures::of(anatomy, pace).named();
            record.extend(figures.map(|(name, value)| (name, text(value))));
            record.extend([
                ("communication_ms", (pace.communication_s() * 1e3).to_string()),
                ("hidden_comm_ms", hidden_ms(pace).to_string()),
                ("nic_bytes_per_s", rate(pace.nic)),
                ("bus_bytes_per_s", rate(pace.bus_bandwidth)),
                ("bound", bound_word(bound(result, pace)).to_owned()),
            ]);
            let (header, fields): (Vec<&str>, Vec<String>) = record.into_iter().unzip();
            if index == 0 && (name == "burst" || anatomy.burst.is_none()) {
                write(header.into_iter().map(str::to_owned).collect());
            }
            write(fields);
        }
    }
    writer.into_inner().expect("memory takes every write")
}
