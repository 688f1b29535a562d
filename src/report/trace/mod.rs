//! What recorded data says, as tables, JSON and CSV.

pub mod brief;
pub mod fit;
pub mod jobs;
pub mod notices;
pub mod stats;

/// Rows that a table shows; all are in the JSON and the CSV.
const ROWS_MAX: usize = 40;

/// What of `total` rows a table leaves out.
fn rest(total: usize, what: &str) -> String {
    let more = total.saturating_sub(ROWS_MAX);
    if more == 0 { String::new() } else { format!("and {more} more {what}: --format csv has all\n") }
}

/// `1 job`, `3 jobs`.
fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", super::number::count(n), if n == 1 { one } else { many })
}
