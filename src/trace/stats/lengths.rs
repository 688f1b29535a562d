//! What lengths of time are like.

use super::hours;
use crate::units::Span;

/// What lengths are like, hours.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Lengths {
    /// Seen from begin to end; the mean and the median are of these.
    pub complete: u64,
    /// Mean.
    pub mean_h: Option<f64>,
    /// Median; of an even number the middle of the two in the middle.
    pub median_h: Option<f64>,
    /// The longest of those whose begin was seen, that at the end of the recording as long as it was seen.
    pub max_h: Option<f64>,
}

impl Lengths {
    /// Of lengths, and whether the begin and the end of each was seen.
    pub(super) fn of(lengths: impl Iterator<Item = (Span, bool, bool)>) -> Self {
        let mut longest = None;
        let mut whole: Vec<u64> = Vec::new();
        for (span, begin_seen, end_seen) in lengths {
            if begin_seen {
                longest = longest.max(Some(span.ns()));
            }
            if begin_seen && end_seen {
                whole.push(span.ns());
            }
        }
        whole.sort_unstable();
        let (n, middle) = (whole.len(), whole.len() / 2);
        let sum: u128 = whole.iter().map(|&ns| u128::from(ns)).sum();
        let median = match n {
            0 => None,
            _ if n % 2 == 1 => Some(hours(whole[middle].into())),
            _ => Some(hours(u128::from(whole[middle - 1]) + u128::from(whole[middle])) / 2.0),
        };
        Self {
            complete: n as u64,
            mean_h: (n > 0).then(|| hours(sum) / n as f64),
            median_h: median,
            max_h: longest.map(|ns| hours(ns.into())),
        }
    }
}
