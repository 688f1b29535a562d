//! `# kind: advice`: share of instances interrupted within a month, by class.

use super::table;
use crate::records::About;
use crate::records::advice::Advice;

pub use crate::records::advice::read_table as read;

const COLUMNS: [&str; 7] =
    ["region", "os", "instance", "time", "savings_pct", "interrupted_pct_low", "interrupted_pct_high"];

/// Writes advice; an open class has no upper end.
pub fn write(about: &About, advice: &[Advice]) -> String {
    let row = |advice: &Advice| {
        [
            advice.region.clone(),
            advice.os.clone(),
            advice.instance.clone(),
            advice.at.map_or_else(String::new, |at| at.to_string()),
            advice.savings_pct.to_string(),
            advice.interrupted.low_pct.to_string(),
            advice.interrupted.high_pct.map_or_else(String::new, |high| high.to_string()),
        ]
    };
    table::file("advice", about, COLUMNS, advice.iter().map(row))
}
