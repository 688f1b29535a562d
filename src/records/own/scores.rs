//! `# kind: scores`: placement scores.

use super::table;
use crate::records::About;
use crate::records::score::Score;

pub use crate::records::score::read_table as read;

/// Writes placement scores.
pub fn write(about: &About, scores: &[Score]) -> String {
    let row = |score: &Score| {
        let at = score.at.map_or_else(String::new, |at| at.to_string());
        [score.region.clone(), score.zone.clone(), score.instance.clone(), at, score.score.to_string()]
    };
    table::file("scores", about, ["region", "zone", "instance", "time", "score"], scores.iter().map(row))
}
