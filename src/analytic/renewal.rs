//! Expected makespan and cost of a checkpointed job whose uptimes are independent and alike.

use super::Uptime;

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
    /// Start of each incarnation, exposed to losses.
    pub restart_s: f64,
    /// Wait after each loss, not exposed and not billed.
    pub downtime_s: f64,
    /// Whether the first incarnation has the restart too.
    pub restart_on_first: bool,
    /// Whether the last segment is saved too.
    pub final_save: bool,
    /// A save is durable that long after it ends.
    pub durable_lag_s: f64,
    /// An incarnation that is lost before this age is not billed.
    pub free_before_s: f64,
}

/// Means over all that may happen; infinite where the job may never finish.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Expected {
    /// Submit to finish.
    pub makespan_s: f64,
    /// Time with a gang.
    pub uptime_s: f64,
    /// Losses.
    pub interruptions: f64,
    /// Billed time, of one node.
    pub billed_s: f64,
}

impl Expected {
    const NEVER: Self = Self {
        makespan_s: f64::INFINITY,
        uptime_s: f64::INFINITY,
        interruptions: f64::INFINITY,
        billed_s: f64::INFINITY,
    };

    fn plus(self, weight: f64, other: Self) -> Self {
        // Nothing times infinity is nothing: a state that is never entered costs nothing.
        if weight == 0.0 {
            return self;
        }
        Self {
            makespan_s: self.makespan_s + weight * other.makespan_s,
            uptime_s: self.uptime_s + weight * other.uptime_s,
            interruptions: self.interruptions + weight * other.interruptions,
            billed_s: self.billed_s + weight * other.billed_s,
        }
    }
}

/// One incarnation from a durable state.
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
    /// (renewal argument; Bougeret et al., SC 2011, for any law of uptimes).
    pub fn expected(&self) -> Expected {
        let segments = self.segments();
        let n = segments.len();
        // Entry k is E_k; E_n is nothing.
        let mut later = vec![Expected::default(); n + 1];
        for k in (0..n).rev() {
            let incarnation = self.incarnation(&segments[k..], self.restart_s);
            let mut sum = incarnation.own;
            for (more, &chance) in incarnation.lost_with.iter().enumerate().skip(1) {
                sum = sum.plus(chance, later[k + more]);
            }
            later[k] = match incarnation.gains {
                gains if gains > 0.0 => Expected::default().plus(1.0 / gains, sum),
                _ => Expected::NEVER,
            };
        }
        if self.restart_on_first {
            return later[0];
        }
        let first = self.incarnation(&segments, 0.0);
        let lost = first.lost_with.iter().zip(&later);
        lost.fold(first.own, |sum, (&chance, &rest)| sum.plus(chance, rest))
    }

    /// Work of each segment; the last may be shorter.
    fn segments(&self) -> Vec<f64> {
        let Some(interval) = self.interval_s else { return vec![self.work_s] };
        let full = (self.work_s / interval).ceil().max(1.0);
        let mut segments = vec![interval; full as usize];
        segments[full as usize - 1] = self.work_s - (full - 1.0) * interval;
        segments
    }

    fn incarnation(&self, segments: &[f64], restart_s: f64) -> Incarnation {
        let mut at = restart_s;
        let mut durable = Vec::with_capacity(segments.len());
        for (index, work) in segments.iter().enumerate() {
            let saved = self.interval_s.is_some() && (index + 1 < segments.len() || self.final_save);
            at += work + if saved { self.save_s } else { 0.0 };
            durable.push(at + self.durable_lag_s);
        }
        let end = at;
        // The last segment ends the job; what was to be durable after that came too late to matter.
        durable.pop();
        let reaches_end = self.uptime.reaches(end);
        let mut lost_with = Vec::with_capacity(segments.len());
        let mut reached = 1.0;
        for &at in &durable {
            let reaches = self.uptime.reaches(at.min(end));
            lost_with.push(reached - reaches);
            reached = reaches;
        }
        lost_with.push(reached - reaches_end);
        let gains = durable.first().map_or(reaches_end, |&at| self.uptime.reaches(at.min(end)));
        let up = self.uptime.restricted_mean_s(end);
        let free = self.free_before_s.min(end);
        // E[U; U < free]: the area under the survival function, less the rectangle of those that live on.
        let unbilled = self.uptime.restricted_mean_s(free) - free * self.uptime.reaches(free);
        let lost = 1.0 - reaches_end;
        let own = Expected {
            makespan_s: up + self.downtime_s * lost,
            uptime_s: up,
            interruptions: lost,
            billed_s: up - if free > 0.0 { unbilled } else { 0.0 },
        };
        Incarnation { own, lost_with, gains }
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
            restart_s: 300.0,
            downtime_s: 600.0,
            restart_on_first: false,
            final_save: false,
            durable_lag_s: 0.0,
            free_before_s: 0.0,
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
            restart_on_first: true,
            ..job(&law)
        };
        close(pair.expected().makespan_s, 28_797.031_25);
    }

    #[test]
    fn a_segment_longer_than_any_uptime_never_ends() {
        let law = Law::constant(Span::from_s(36_299));
        assert_eq!(Renewal { restart_on_first: true, ..job(&law) }.expected(), Expected::NEVER);
        let exact = Law::constant(Span::from_s(36_300));
        assert_eq!(Renewal { restart_on_first: true, ..job(&exact) }.expected().interruptions, 0.0);
    }
}
