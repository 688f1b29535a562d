//! Expected makespan and cost of a checkpointed job whose uptimes are independent and alike.

use super::{Expected, Uptime};

/// Beyond this the recursion, which takes the square of the segments, is not worth its time: below it is a
/// fraction of a second.
pub const SEGMENTS_MAX: u64 = 4_096;

/// A job of equal segments under renewals: after each loss a downtime, then a fresh gang.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Renewal<'a> {
    /// How long a fresh gang lasts.
    pub uptime: Uptime<'a>,
    /// Work to do.
    pub work_s: f64,
    /// Work between saves; `None` for no periodic saves.
    pub interval_s: Option<f64>,
    /// A blocking save.
    pub save_s: f64,
    /// Before the work of the first incarnation.
    pub first_start: Start,
    /// Before the work of every later one.
    pub restart: Start,
    /// Wait after each loss, not exposed and not billed: its mean, if it varies independently.
    pub downtime_s: f64,
    /// Whether the last segment is saved too.
    pub final_save: bool,
    /// A save is durable that long after it ends.
    pub durable_lag_s: f64,
    /// An incarnation that is lost before it has been billed for so long is not billed.
    pub free_before_s: f64,
    /// A node that we give back is billed for at least this long; no longer than an incarnation that ends
    /// the job is.
    pub minimum_s: f64,
}

/// What an incarnation begins with, exposed to losses.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Start {
    /// All of it.
    pub length_s: f64,
    /// The part that comes first, until the gang is complete; it is not billed. A first incarnation that is
    /// lost in it is followed by another first one.
    pub unbilled_s: f64,
}

impl Start {
    /// A start that is billed throughout.
    pub const fn billed(length_s: f64) -> Self {
        Self { length_s, unbilled_s: 0.0 }
    }
}

/// Incarnations that begin with one start, whatever is left to do.
struct Incarnations {
    start: Start,
    /// Entry i: when so many segments are saved.
    saved_s: Vec<f64>,
    /// Entry i: the chance to live until so many segments are durable.
    durable: Vec<f64>,
}

/// One incarnation.
struct Incarnation {
    /// Means of this incarnation alone.
    own: Expected,
    /// Chance to be lost with so many more segments durable than at its begin.
    lost_with: Vec<f64>,
    /// Chance to reach at least one more durable segment, or the end.
    gains: f64,
}

impl Renewal<'_> {
    /// The means. With k segments durable, an incarnation from k lasts min(U, t) and is followed, if
    /// lost, by the downtime and an incarnation from where it was lost:
    /// `E_k = E[min(U, t_kn)] + D P(U < t_kn) + Σ_j p_kj E_j`, solved from the last k down
    /// (renewal argument; Bougeret et al., SC 2011, for any law of uptimes). Takes memory for each of the
    /// [`Self::segments`] and time for each pair of them.
    pub fn expected(&self) -> Expected {
        let n = self.segments() as usize;
        let restarts = self.incarnations(self.restart, n);
        // Entry k is E_k; E_n is nothing.
        let mut later = vec![Expected::default(); n + 1];
        for k in (0..n).rev() {
            let incarnation = self.incarnation(&restarts, n - k);
            let mut sum = incarnation.own;
            for (more, &chance) in incarnation.lost_with.iter().enumerate().skip(1) {
                sum = sum.plus(chance, later[k + more]);
            }
            later[k] = match incarnation.gains {
                gains if gains > 0.0 => Expected::default().plus(1.0 / gains, sum),
                _ => Expected::NEVER,
            };
        }
        if self.first_start == self.restart {
            return later[0];
        }
        let mut first = self.incarnation(&self.incarnations(self.first_start, n), n);
        let complete = self.uptime.reaches(self.first_start.unbilled_s);
        first.lost_with[0] -= 1.0 - complete;
        let lost = first.lost_with.iter().zip(&later);
        let sum = lost.fold(first.own, |sum, (&chance, &rest)| sum.plus(chance, rest));
        if complete > 0.0 { Expected::default().plus(1.0 / complete, sum) } else { Expected::NEVER }
    }

    /// Segments of the job; the last may be shorter. Saturates.
    pub fn segments(&self) -> u64 {
        // What is left over by rounding is no segment.
        self.interval_s.map_or(1, |interval| (self.work_s / interval * (1.0 - 1e-13)).ceil().max(1.0) as u64)
    }

    /// Work of the last segment.
    pub(super) fn last_segment_s(&self) -> f64 {
        self.work_s - (self.segments() - 1) as f64 * self.interval_s.unwrap_or(0.0)
    }

    fn incarnations(&self, start: Start, segments: usize) -> Incarnations {
        let period_s = self.interval_s.map_or(0.0, |interval| interval + self.save_s);
        let saved_s: Vec<f64> = (0..segments).map(|i| start.length_s + i as f64 * period_s).collect();
        let durable = saved_s.iter().map(|at| self.uptime.reaches(at + self.durable_lag_s)).collect();
        Incarnations { start, saved_s, durable }
    }

    /// The incarnation that has `segments` to do.
    fn incarnation(&self, alike: &Incarnations, segments: usize) -> Incarnation {
        let last_save_s = if self.final_save { self.save_s } else { 0.0 };
        let end = alike.saved_s[segments - 1] + self.last_segment_s() + last_save_s;
        let reaches_end = self.uptime.reaches(end);
        // What would be durable after the end came too late to matter.
        let in_time = |i: usize| i < segments && alike.saved_s[i] + self.durable_lag_s < end;
        let reaches = |i: usize| if in_time(i) { alike.durable[i] } else { reaches_end };
        let mut lost_with = Vec::with_capacity(segments);
        let mut reached = 1.0;
        for i in 1..=segments {
            lost_with.push(reached - reaches(i));
            reached = reaches(i);
        }
        let gains = reaches(1);
        Incarnation { own: self.own(alike.start, end, reaches_end), lost_with, gains }
    }

    /// Means of one incarnation that is done at `end`, which it reaches with chance `reaches_end`.
    fn own(&self, start: Start, end: f64, reaches_end: f64) -> Expected {
        let up = self.uptime.restricted_mean_s(end);
        let from = start.unbilled_s;
        let unbilled = if from > 0.0 { self.uptime.restricted_mean_s(from) } else { 0.0 };
        // Time up to `length` from when billing begins, and the rectangle of those that live so long.
        let billed_up_to = |length: f64| {
            let until = (from + length).min(end);
            let alive = (until - from) * self.uptime.reaches(until);
            (self.uptime.restricted_mean_s(until) - unbilled, alive)
        };
        let (mut free_s, mut topped_up_s) = (0.0, 0.0);
        if self.free_before_s > 0.0 {
            // E[U; U < free]: the area under the survival function less the rectangle.
            let (area, alive) = billed_up_to(self.free_before_s);
            free_s = area - alive;
        }
        if self.minimum_s > 0.0 {
            // E[minimum - U; U < minimum]: the rectangle of all that began less the area.
            topped_up_s = self.minimum_s * self.uptime.reaches(from) - billed_up_to(self.minimum_s).0;
        }
        let lost = 1.0 - reaches_end;
        Expected {
            makespan_s: up + self.downtime_s * lost,
            uptime_s: up,
            interruptions: lost,
            billed_s: up - unbilled - free_s,
            free_s,
            topped_up_s,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capacity::{Empirical, Exponential, Kind, Law};
    use crate::units::Span;

    fn job(law: &Law) -> Renewal<'_> {
        Renewal {
            uptime: Uptime { law, nodes: 1 },
            work_s: 36_000.0,
            interval_s: None,
            save_s: 0.0,
            first_start: Start::default(),
            restart: Start::billed(300.0),
            downtime_s: 600.0,
            final_save: false,
            durable_lag_s: 0.0,
            free_before_s: 0.0,
            minimum_s: 0.0,
        }
    }

    fn exponential(mean_s: u64) -> Law {
        Law::new(Kind::Exponential(Exponential::new(Span::from_s(mean_s)).unwrap()), None).unwrap()
    }

    fn close(ours: f64, right: f64) {
        assert!((ours / right - 1.0).abs() < 1e-12, "{ours}, right is {right}");
    }

    /// e^{λR}(1/λ + D)(e^{λW} − 1).
    #[test]
    fn without_saves_it_is_the_exponential_closed_form() {
        let law = exponential(10_000);
        let right = libm::exp(0.03) * 10_600.0 * libm::expm1(3.6);
        close(job(&law).expected().makespan_s, right);
    }

    /// Segments of an exponential job are independent: (n − 1) E(τ + C) + E(τ).
    #[test]
    fn with_saves_it_is_the_sum_over_segments() {
        let law = exponential(10_000);
        let segment = |s: f64| libm::exp(0.03) * 10_600.0 * libm::expm1(s / 10_000.0);
        let saved = Renewal { interval_s: Some(1_800.0), save_s: 120.0, ..job(&law) };
        close(saved.expected().makespan_s, 19.0 * segment(1_920.0) + segment(1_800.0));
    }

    /// Two nodes of 1,000, 5,000 or 20,000 s each; 28,797.03125 s by the same recursion in exact rational
    /// numbers (Python's fractions).
    #[test]
    fn gangs_of_recorded_lifetimes_are_exact() {
        let values = [1_000, 5_000, 20_000].map(Span::from_s).to_vec();
        let law = Law::new(Kind::Empirical(Empirical::new(values).unwrap()), None).unwrap();
        let pair = Renewal {
            uptime: Uptime { law: &law, nodes: 2 },
            work_s: 18_000.0,
            interval_s: Some(1_800.0),
            save_s: 60.0,
            first_start: Start::billed(300.0),
            ..job(&law)
        };
        close(pair.expected().makespan_s, 28_797.031_25);
    }

    /// One more save of a job in one go: E(W + C).
    #[test]
    fn a_final_save_needs_no_interval() {
        let law = exponential(10_000);
        let right = libm::exp(0.03) * 10_600.0 * libm::expm1(3.612);
        let saved = Renewal { save_s: 120.0, final_save: true, ..job(&law) };
        close(saved.expected().makespan_s, right);
    }

    /// A first start P + S without the restore r of later ones, seen as two stages: P must pass in one go,
    /// then S + W, and a loss in the second leads to a restart. With E the makespan from a restart and
    /// F that from the first start, F = m(1 - e^-(P+S+W)) + D(...) + P(lost in P) F + P(lost later) E.
    #[test]
    fn a_first_gang_lost_before_it_is_complete_comes_again_as_a_first_one() {
        let law = exponential(10_000);
        let (mean, down) = (10_000.0, 600.0);
        let later = Renewal {
            first_start: Start { length_s: 1_500.0, unbilled_s: 1_000.0 },
            restart: Start { length_s: 2_500.0, unbilled_s: 1_000.0 },
            ..job(&law)
        };
        let lost = |s: f64| -libm::expm1(-s / mean);
        let restarted = (mean + down) * lost(38_500.0) / (1.0 - lost(38_500.0));
        let right = ((mean + down) * lost(37_500.0) + (lost(37_500.0) - lost(1_000.0)) * restarted)
            / (1.0 - lost(1_000.0));
        close(later.expected().makespan_s, right);
    }

    /// Billing that begins 1,000 s late takes min(U, 1,000) off each incarnation.
    #[test]
    fn the_time_before_a_gang_is_complete_is_not_billed() {
        let law = exponential(10_000);
        let start = Start { length_s: 1_500.0, unbilled_s: 1_000.0 };
        let late = Renewal { first_start: start, restart: start, ..job(&law) }.expected();
        let incarnations = late.interruptions + 1.0;
        close(late.billed_s, late.uptime_s - incarnations * -libm::expm1(-0.1) * 10_000.0);
    }

    /// e^{-60}: a chance far below the last digit of 1 is still a chance.
    #[test]
    fn what_is_nearly_hopeless_is_not_never() {
        let law = exponential(600);
        let right = (600.0 + 600.0) * libm::expm1(60.0);
        close(Renewal { restart: Start::default(), ..job(&law) }.expected().makespan_s, right);
    }

    #[test]
    fn a_segment_longer_than_any_uptime_never_ends() {
        let law = Law::constant(Span::from_s(36_299));
        assert_eq!(Renewal { first_start: Start::billed(300.0), ..job(&law) }.expected(), Expected::NEVER);
        let exact = Law::constant(Span::from_s(36_300));
        assert_eq!(
            Renewal { first_start: Start::billed(300.0), ..job(&exact) }.expected().interruptions,
            0.0
        );
    }
}
