//! Lines that cannot be used.

use super::{ReadError, Remark};

/// Enough to see what is wrong; a file of the wrong kind has one a line.
const TOLD_MAX: usize = 50;

/// The first remarks of a reader that may have one a line.
pub fn first_told(mut remarks: Vec<Remark>) -> Vec<Remark> {
    let more = remarks.len().saturating_sub(TOLD_MAX);
    remarks.truncate(TOLD_MAX);
    if more > 0 {
        remarks.push(Remark::warning(None, format!("and {more} more like these")));
    }
    remarks
}

/// Lines at fault, the first of them kept.
#[derive(Debug, Default)]
pub struct Faults {
    told: Vec<(u64, String)>,
    more: u64,
}

impl Faults {
    /// Adds a line with what is wrong with it.
    pub fn add(&mut self, line: u64, fault: String) {
        if self.told.len() < TOLD_MAX {
            self.told.push((line, fault));
        } else {
            self.more += 1;
        }
    }

    /// The same where `lines` lines were put before the file.
    pub fn shifted(mut self, lines: u64) -> Self {
        self.told.iter_mut().for_each(|(line, _)| *line = line.saturating_sub(lines));
        self
    }

    /// The file is refused, if there are any.
    pub fn refuse(mut self) -> Result<(), ReadError> {
        if let (Some((line, _)), 1..) = (self.told.last(), self.more) {
            self.told.push((*line, format!("{} more lines after it", self.more)));
        }
        if self.told.is_empty() { Ok(()) } else { Err(ReadError::Lines { faults: self.told }) }
    }

    /// The lines are left out, and that is said.
    pub fn leave_out(self, remarks: &mut Vec<Remark>) {
        let left_out = |(line, fault)| Remark::warning(Some(line), format!("left out: {fault}"));
        remarks.extend(self.told.into_iter().map(left_out));
        if self.more > 0 {
            remarks.push(Remark::warning(None, format!("{} more lines are left out", self.more)));
        }
    }
}
