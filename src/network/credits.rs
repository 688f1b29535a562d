//! Burst credits of a network card.

use crate::units::{Bandwidth, Bytes, Span};

/// A token bucket of one node and one direction, full when the node is launched: it fills at
/// `baseline`, and while it is not empty the node may send at up to `burst`.
///
/// Source of the form: the AWS EC2 user guide on instance network bandwidth ("network I/O credits",
/// "burst for 5 to 60 minutes", best effort). AWS publishes no capacities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenBucket {
    /// What the node may send for ever.
    pub baseline: Bandwidth,
    /// What it may send while credits last; above `baseline`.
    pub burst: Bandwidth,
    /// What a full bucket holds.
    pub capacity: Bytes,
}

/// How a full bucket and its refill look to a training loop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Credit {
    /// How long a full bucket lasts in training at the burst pace.
    pub full: Span,
    /// Burst training earned per idle time, no unit.
    pub earn: f64,
}

impl TokenBucket {
    /// The bucket that sends at `burst` for `minutes` from full to empty: capacity =
    /// (burst − baseline) × minutes. `None` where `burst` is not above `baseline`: such a card has no
    /// credits to lose.
    pub fn from_minutes(baseline: Bandwidth, burst: Bandwidth, minutes: f64) -> Option<Self> {
        let drain = burst.bytes_per_s() - baseline.bytes_per_s();
        let capacity = Bytes::new((drain * minutes * 60.0).round() as u64);
        (drain > 0.0).then_some(Self { baseline, burst, capacity })
    }

    /// How long a full bucket lasts at full use: capacity / (burst − baseline).
    pub fn time_to_empty(&self) -> Span {
        self.lasts(self.burst.bytes_per_s() - self.baseline.bytes_per_s())
    }

    /// What credits mean to steps of length `step`, made at the burst pace, that each send
    /// `bytes_per_step` in one direction. `None` where the mean use, `bytes_per_step` / `step`, is no more
    /// than `baseline`: the bucket never empties.
    pub fn drain(&self, bytes_per_step: Bytes, step: Span) -> Option<Credit> {
        let baseline = self.baseline.bytes_per_s();
        let drain = bytes_per_step.as_f64() / step.as_secs() - baseline;
        (drain > 0.0).then(|| Credit { full: self.lasts(drain), earn: baseline / drain })
    }

    /// How long a full bucket lasts if `drain` bytes/s more flow out than in.
    fn lasts(&self, drain: f64) -> Span {
        Span::from_secs_saturating(self.capacity.as_f64() / drain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A g5.xlarge: 2.5 Gbit/s, up to 10, for 26 min: 7.5 Gbit/s × 1,560 s = 11,700 Gbit.
    fn g5_xlarge() -> TokenBucket {
        TokenBucket::from_minutes("2.5 Gbit/s".parse().unwrap(), "10 Gbit/s".parse().unwrap(), 26.0).unwrap()
    }

    fn megabits(megabits: u64) -> Bytes {
        Bytes::new(megabits * 125_000)
    }

    #[test]
    fn a_bucket_holds_what_its_minutes_at_full_use_take_out() {
        assert_eq!(g5_xlarge().capacity, megabits(11_700_000));
        assert_eq!(g5_xlarge().time_to_empty(), Span::from_s(26 * 60));
    }

    /// 3 Gbit in each step of 0.5 s are 6 Gbit/s: 3.5 more than flow in. 11,700 Gbit / 3.5 Gbit/s =
    /// 3,342.857142857 s, and an idle second earns 2.5 / 3.5 s of such training.
    #[test]
    fn training_drains_what_it_sends_above_the_baseline() {
        let credit = g5_xlarge().drain(megabits(3_000), Span::from_ns(500_000_000)).unwrap();
        assert_eq!(credit.full, Span::from_ns(3_342_857_142_857));
        assert!((credit.earn - 2.5 / 3.5).abs() < 1e-12, "{}", credit.earn);
    }

    #[test]
    fn training_that_sends_no_more_than_the_baseline_never_empties_the_bucket() {
        assert_eq!(g5_xlarge().drain(megabits(2_500), Span::from_s(1)), None);
        assert!(g5_xlarge().drain(megabits(2_501), Span::from_s(1)).is_some());
    }

    #[test]
    fn a_card_without_a_burst_has_no_bucket() {
        let rate = "25 Gbit/s".parse().unwrap();
        assert_eq!(TokenBucket::from_minutes(rate, rate, 60.0), None);
    }
}
