//! How long nodes lived, where only that is known.

use crate::records::StayEnd;
use crate::records::lifetime::Lifetimes;
use crate::units::Span;

/// What lifetimes come to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LifetimeStats {
    /// How many.
    pub lifetimes: u64,
    /// Those that ended because the node was taken.
    pub lost: u64,
    /// The shortest.
    pub min: Span,
    /// The longest, cut off or not.
    pub max: Span,
    /// Mean of those that were lost, hours; short beside the mean of all, as the long ones are cut off.
    pub lost_mean_h: Option<f64>,
    /// The age that half of the nodes reach, by Kaplan and Meier (1958), J. Am. Stat. Assoc. 53, 457-481; `None`
    /// where more than half of them outlive the file.
    pub median: Option<Span>,
    /// Losses in an hour of a node's life.
    pub losses_per_h: f64,
}

/// `None` without a lifetime.
pub fn lifetime_stats(lifetimes: &Lifetimes) -> Option<LifetimeStats> {
    let mut sorted: Vec<(Span, bool)> =
        lifetimes.lifetimes.iter().map(|one| (one.span, one.ended != StayEnd::Lost)).collect();
    // At one age losses come before what is cut off there.
    sorted.sort_unstable();
    let (min, max) = (sorted.first()?.0, sorted.last()?.0);
    let lost_h: Vec<f64> = sorted.iter().filter(|(_, cut)| !cut).map(|(span, _)| span.as_hours()).collect();
    let total_h: f64 = sorted.iter().map(|(span, _)| span.as_hours()).sum();
    let n = sorted.len();
    let (mut survival, mut median) = (1.0, None);
    for (index, &(span, cut)) in sorted.iter().enumerate() {
        if !cut {
            let at_risk = (n - index) as f64;
            survival *= 1.0 - 1.0 / at_risk;
            // A product of fractions that is one half in truth may come out a hair above.
            if survival <= 0.5 + 1e-9 {
                median = Some(span);
                break;
            }
        }
    }
    Some(LifetimeStats {
        lifetimes: n as u64,
        lost: lost_h.len() as u64,
        min,
        max,
        lost_mean_h: (!lost_h.is_empty()).then(|| lost_h.iter().sum::<f64>() / lost_h.len() as f64),
        median,
        losses_per_h: lost_h.len() as f64 / total_h,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::lifetime::Lifetime;

    fn stats(hours: &[(u64, StayEnd)]) -> LifetimeStats {
        let one = |&(hours, ended): &(u64, StayEnd)| Lifetime { span: Span::from_s(3_600 * hours), ended };
        lifetime_stats(&Lifetimes { lifetimes: hours.iter().map(one).collect() }).unwrap()
    }

    /// By hand: survival is 3/4 after 1 h; of the two left after the cut at 2 h the first goes at 3 h: 3/8.
    #[test]
    fn what_was_cut_off_counts_for_as_long_as_it_was_seen() {
        let found =
            stats(&[(3, StayEnd::Lost), (1, StayEnd::Lost), (2, StayEnd::CutOff), (24, StayEnd::CutOff)]);
        assert_eq!((found.lifetimes, found.lost), (4, 2));
        assert_eq!(found.median, Some(Span::from_s(3 * 3_600)));
        assert!((found.losses_per_h - 2.0 / 30.0).abs() < 1e-12);
        assert_eq!(found.lost_mean_h, Some(2.0));
    }

    #[test]
    fn what_half_of_them_outlive_has_no_median() {
        let found = stats(&[(1, StayEnd::Lost), (24, StayEnd::CutOff), (24, StayEnd::CutOff)]);
        assert_eq!(found.median, None);
        assert_eq!(stats(&[(24, StayEnd::CutOff)]).lost_mean_h, None);
    }
}
