//! When an interval is narrow enough to stop.

use super::Interval;

/// Whether an interval is narrow enough: half its width at most `relative` of the value, or at most
/// `absolute`. A share of a value of 0 is met by no width but 0.
pub fn is_precise(interval: &Interval, relative: Option<f64>, absolute: Option<f64>) -> bool {
    let half = interval.half_width();
    relative.is_some_and(|share| half <= share * interval.value.abs())
        || absolute.is_some_and(|most| half <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_nothing_is_never_met_but_a_width_is() {
        let around_nothing = Interval::around(0.0, 0.01);
        assert!(!is_precise(&around_nothing, Some(0.5), None));
        assert!(is_precise(&around_nothing, Some(0.5), Some(0.01)));
    }
}
