//! Results as CSV.

use super::json::{market_word, status_word};
use crate::experiment::sweep::INVALID;
use crate::experiment::{ClusterResult, Figure, Status, figure_names};
use crate::sim::Outcome;

/// Columns of `replications.csv`; times in ns, money in nano-dollars.
pub const REPLICATIONS_HEADER: &str = "cluster,replication,outcome,reason,elapsed_ns,cost_nusd,preemptions,nodes_lost,attempts,queued_ns,acquiring_ns,provisioning_ns,starting_ns,restoring_ns,computing_ns,exposed_comm_ns,data_stall_ns,checkpoint_stall_ns,lost_ns,idle_ns\n";

/// One line of `replications.csv`; `name` is a [`field`] already. Put together by hand: by `write!` a line takes as
/// long as a replication.
pub fn replication(name: &str, replication: u64, outcome: &Outcome, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(name.as_bytes());
    append(bytes, replication);
    for word in [outcome.end.name(), outcome.end.reason()] {
        bytes.push(b',');
        bytes.extend_from_slice(word.as_bytes());
    }
    append(bytes, outcome.elapsed.ns());
    append(bytes, outcome.cost().nusd());
    for count in [outcome.preemptions, outcome.nodes_lost, outcome.attempts] {
        append(bytes, count);
    }
    for span in outcome.time.spans() {
        append(bytes, span.ns());
    }
    bytes.push(b'\n');
}

/// A whole number as a further field.
fn append(bytes: &mut Vec<u8>, number: impl itoa::Integer) {
    bytes.push(b',');
    bytes.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// A text as one field, quoted where it must be.
pub fn field(text: &str) -> String {
    let mut writer =
        csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(Vec::new());
    writer.write_record([text]).expect("memory takes every write");
    let bytes = writer.into_inner().expect("memory takes every write");
    String::from_utf8_lossy(&bytes).trim_end_matches('\n').to_owned()
}

/// `clusters.csv`: a line a cluster, every figure by name, empty where it does not exist.
pub fn clusters(results: &[ClusterResult]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |record: Vec<String>| writer.write_record(record).expect("memory takes every write");
    for (index, result) in results.iter().enumerate() {
        let figures = result.figures();
        let reasons = result.gave_up.iter();
        if index == 0 {
            let mut header: Vec<String> =
                ["name", "status", "instance", "nodes", "market", "finished", "censored"]
                    .map(str::to_owned)
                    .to_vec();
            header.extend(reasons.clone().map(|(reason, _)| format!("gave_up_{reason}")));
            header.extend(figures.iter().map(|figure| column(&figure.name)));
            write(header);
        }
        let mut record = vec![
            result.name.clone(),
            status_word(result.status).to_owned(),
            result.instance.clone(),
            result.nodes.to_string(),
            market_word(result.market).to_owned(),
            result.finished.to_string(),
            result.censored.to_string(),
        ];
        record.extend(reasons.map(|(_, count)| count.to_string()));
        record.extend(figures.iter().map(|figure| cell(figure, result.status)));
        write(record);
    }
    writer.into_inner().expect("memory takes every write")
}

/// A figure as it stands in a table: of what was not simulated only what is known without it.
fn cell(figure: &Figure, status: Status) -> String {
    let known = status == Status::Simulated
        || matches!(figure.name.as_str(), "ideal_h" | "deadline_h" | "replications");
    figure.value.filter(|_| known).map_or_else(String::new, |value| value.to_string())
}

/// Names of the columns that hold figures.
pub fn figure_columns() -> Vec<String> {
    figure_names().iter().map(|name| column(name)).collect()
}

/// The first line of `sweep.csv`: number, keys, cluster, status, every figure.
pub fn sweep_header(keys: &[String]) -> String {
    let columns = ["configuration".to_owned()].into_iter().chain(keys.iter().cloned());
    let columns = columns.chain(["cluster", "status"].map(str::to_owned));
    let mut bytes = Vec::new();
    line(columns.chain(figure_columns()), &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The rows of one configuration, its clusters one after the other.
pub fn sweep_rows(configuration: u64, values: &[String], results: &[ClusterResult], bytes: &mut Vec<u8>) {
    for result in results {
        let cluster = [result.name.clone(), status_word(result.status).to_owned()];
        let figures = result.figures();
        let cells = figures.iter().map(|figure| cell(figure, result.status));
        line(sweep_start(configuration, values).chain(cluster).chain(cells), bytes);
    }
}

/// The row of a configuration that cannot be read: without a cluster, without a figure.
pub fn sweep_invalid(configuration: u64, values: &[String], bytes: &mut Vec<u8>) {
    let cluster = [String::new(), INVALID.to_owned()];
    let none = figure_names().into_iter().map(|_| String::new());
    line(sweep_start(configuration, values).chain(cluster).chain(none), bytes);
}

fn sweep_start(configuration: u64, values: &[String]) -> impl Iterator<Item = String> {
    [configuration.to_string()].into_iter().chain(values.iter().cloned())
}

/// One line, its fields quoted where they must be.
fn line(fields: impl Iterator<Item = String>, bytes: &mut Vec<u8>) {
    let mut writer = csv::Writer::from_writer(bytes);
    writer.write_record(fields).and_then(|()| Ok(writer.flush()?)).expect("memory takes every write");
}

/// `time_h.lost` is `lost_h` as a column, `cost_usd_by_part.lost` `lost_usd`: the unit goes last.
fn column(name: &str) -> String {
    match name.split_once('.') {
        Some(("time_h", part)) => format!("{part}_h"),
        Some((_, part)) => format!("{part}_usd"),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Estimate;
    use crate::experiment::sweep::SweepRows;
    use crate::sim::PARTS;

    #[test]
    fn the_header_names_every_part() {
        let parts: Vec<String> = PARTS.iter().map(|(_, name)| format!("{name}_ns")).collect();
        assert!(REPLICATIONS_HEADER.trim_end().ends_with(&parts.join(",")));
    }

    /// Written, read back and written again they are the same: what is told of a sweep comes from its rows.
    #[test]
    fn the_rows_of_a_sweep_are_read_back() {
        let keys = ["job.deadline".to_owned(), "cluster.1.nodes".to_owned()];
        let values = ["9 h".to_owned(), "4".to_owned()];
        let simulated = ClusterResult {
            name: "4x, \"g5\"".to_owned(),
            ideal_h: 7.25,
            cost_usd: Estimate { mean: Some(0.1 + 0.2), ..Estimate::default() },
            ..ClusterResult::default()
        };
        let infeasible = ClusterResult { status: Status::Infeasible, ..simulated.clone() };
        let mut bytes = sweep_header(&keys).into_bytes();
        sweep_rows(0, &values, &[simulated, infeasible], &mut bytes);
        sweep_invalid(1, &values, &mut bytes);
        let all = SweepRows::read(bytes.as_slice()).unwrap();
        assert_eq!(all.keys, keys);
        assert!(all.figures.contains(&"lost_h".to_owned()));
        let [first, second, third] = &all.rows[..] else { panic!("{} rows", all.rows.len()) };
        assert_eq!((first.cluster.as_str(), &first.values[..]), ("4x, \"g5\"", &values[..]));
        let of = |row, figure| all.figure(row, figure);
        assert_eq!((of(first, "cost_usd_mean"), of(second, "cost_usd_mean")), (Some(0.1 + 0.2), None));
        assert_eq!(of(second, "ideal_h"), Some(7.25));
        assert_eq!((third.configuration, third.cluster.as_str(), third.status.as_str()), (1, "", "invalid"));
    }

    #[test]
    fn names_are_quoted_where_they_must_be() {
        assert_eq!(field("4x g5"), "4x g5");
        assert_eq!(field("a,\"b\""), "\"a,\"\"b\"\"\"");
    }
}
