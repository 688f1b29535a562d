//! How long uptimes last, when some were not seen to their end.

use super::hours;
use crate::stats::special::normal_quantile;
use crate::units::Span;

/// A survival curve: the share that lasts longer than each time.
#[derive(Debug, Clone, PartialEq)]
pub struct Survival {
    /// Time in hours and share after it; falls at each. Begins with all at 0 h.
    pub steps: Vec<(f64, f64)>,
    /// The 95 % interval of each share, by Greenwood's variance of its logarithm's logarithm, which keeps it within
    /// 0 and 1 (Kalbfleisch and Prentice, 1980, The Statistical Analysis of Failure Time Data, section 1.3).
    pub intervals: Vec<(f64, f64)>,
    /// Times seen whole.
    pub ended: u64,
    /// Times cut off.
    pub cut_off: u64,
    /// The longest, hours: beyond it nothing is known.
    pub longest_h: f64,
}

/// The product-limit estimate (Kaplan and Meier, 1958, J. Am. Stat. Assoc. 53, 457-481) from times and whether
/// the end of each was seen; `None` of no times. At one time ends go before cuts.
pub fn kaplan_meier(times: impl IntoIterator<Item = (Span, bool)>) -> Option<Survival> {
    let mut times: Vec<(Span, bool)> = times.into_iter().collect();
    times.sort_unstable_by_key(|&(span, ended)| (span, !ended));
    let longest = times.last()?.0;
    let (mut steps, mut intervals) = (vec![(0.0, 1.0)], vec![(1.0, 1.0)]);
    let (mut share, mut at_risk, mut variance) = (1.0, times.len(), 0.0);
    let mut ended = 0;
    for same in times.chunk_by(|a, b| a.0 == b.0) {
        let ends = same.iter().filter(|(_, ended)| *ended).count();
        if ends > 0 {
            share *= 1.0 - ends as f64 / at_risk as f64;
            variance += ends as f64 / (at_risk as f64 * (at_risk - ends) as f64);
            steps.push((hours(same[0].0.ns().into()), share));
            intervals.push(interval(share, variance));
            ended += ends as u64;
        }
        at_risk -= same.len();
    }
    let cut_off = times.len() as u64 - ended;
    Some(Survival { steps, intervals, ended, cut_off, longest_h: hours(longest.ns().into()) })
}

/// S^exp(±z √v / ln S); the share itself where all or none are left.
fn interval(share: f64, variance: f64) -> (f64, f64) {
    if share <= 0.0 || share >= 1.0 || !variance.is_finite() {
        return (share, share);
    }
    let reach = normal_quantile(0.975) * variance.sqrt() / libm::log(share).abs();
    (libm::pow(share, libm::exp(reach)), libm::pow(share, libm::exp(-reach)))
}
