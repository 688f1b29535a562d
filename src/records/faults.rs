//! Lines that cannot be used.

use super::ReadError;

/// Enough to see what is wrong; a file of the wrong kind has one a line.
const TOLD_MAX: usize = 50;

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

    /// The file is refused, if there are any.
    pub fn refuse(mut self) -> Result<(), ReadError> {
        if let (Some((line, _)), 1..) = (self.told.last(), self.more) {
            self.told.push((*line, format!("{} more lines after it", self.more)));
        }
        if self.told.is_empty() { Ok(()) } else { Err(ReadError::Lines { faults: self.told }) }
    }
}
