//! `# kind: notices`: the columns in which logs of notices come, with times in UTC.

use super::table;
use crate::records::About;
use crate::records::notice::Notice;

pub use crate::records::notice::read;

/// Writes notices.
pub fn write(about: &About, notices: &[Notice]) -> String {
    let row =
        |notice: &Notice| [notice.node.clone(), notice.at.to_string(), (notice.at + notice.lead).to_string()];
    table::file("notices", about, ["node", "notice", "terminate"], notices.iter().map(row))
}
