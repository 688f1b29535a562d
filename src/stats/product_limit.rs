//! Times of which some were cut off before their end.

/// What is left after a time at which something ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurvivalStep {
    /// The time.
    pub time: f64,
    /// How many were still watched just before.
    pub at_risk: usize,
    /// How many of them ended then.
    pub ended: usize,
    /// Estimated share that lasts longer.
    pub share: f64,
}

/// The product-limit curve of times and whether the end of each was seen. At one time ends go before cuts.
///
/// Source: E. Kaplan and P. Meier (1958), J. Am. Stat. Assoc. 53, 457-481.
pub fn product_limit(times: &[(f64, bool)]) -> Vec<SurvivalStep> {
    let mut times = times.to_vec();
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut share, mut at_risk) = (1.0, times.len());
    let mut steps = Vec::new();
    for same in times.chunk_by(|a, b| a.0 == b.0) {
        let ended = same.iter().filter(|(_, ended)| *ended).count();
        if let (Some(&(time, _)), 1..) = (same.first(), ended) {
            share *= (at_risk - ended) as f64 / at_risk as f64;
            steps.push(SurvivalStep { time, at_risk, ended, share });
        }
        at_risk -= same.len();
    }
    steps
}

/// Mean of min(time, `until`): the area under the curve up to there.
pub fn restricted_mean(steps: &[SurvivalStep], until: f64) -> f64 {
    let (mut area, mut last, mut share) = (0.0, 0.0, 1.0);
    for step in steps.iter().take_while(|step| step.time <= until) {
        area += share * (step.time - last);
        (last, share) = (step.time, step.share);
    }
    area + share * (until - last)
}

/// The least time by which a share `p` has ended; `None` where the curve does not fall so far.
pub fn survival_quantile(steps: &[SurvivalStep], p: f64) -> Option<f64> {
    // Shares are products of ratios: one that is 1 - p but for rounding has come that far.
    steps.iter().find(|step| step.share <= 1.0 - p + 1e-12).map(|step| step.time)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ends at 1, 2 and 4, a cut at 2, by hand: 3/4, 1/2, 0; area 1 + 3/4 + 2 × 1/2.
    #[test]
    fn cuts_leave_without_ending() {
        let steps = product_limit(&[(2.0, false), (1.0, true), (4.0, true), (2.0, true)]);
        let shares: Vec<_> = steps.iter().map(|step| (step.time, step.at_risk, step.share)).collect();
        assert_eq!(shares, [(1.0, 4, 0.75), (2.0, 3, 0.5), (4.0, 1, 0.0)]);
        assert_eq!(restricted_mean(&steps, 4.0), 2.75);
        assert_eq!((survival_quantile(&steps, 0.5), survival_quantile(&steps, 0.6)), (Some(2.0), Some(4.0)));
        assert_eq!(survival_quantile(&steps[..2], 0.6), None);
        assert_eq!(product_limit(&[(3.0, false)]), []);
    }
}
