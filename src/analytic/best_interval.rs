//! The best constant interval between saves for any law of uptimes.

use super::{Expected, Renewal, SEGMENTS_MAX};

/// A job cut into equal segments so that it is done soonest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestInterval {
    /// Segments; 1 is no periodic save.
    pub segments: u64,
    /// Work between saves.
    pub interval_s: f64,
    /// What the job then comes to.
    pub expected: Expected,
}

/// The intervals around the best whose makespan is nearly as short.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlatRange {
    /// The shortest.
    pub shortest_s: f64,
    /// The longest; all of the work if no save at all will do.
    pub longest_s: f64,
}

impl Renewal<'_> {
    /// The number of equal segments, up to 4,096, of the least mean makespan, in place of the interval.
    /// Where the hazard changes with age no constant interval is best of all; this is the best constant
    /// one, as far as the makespan has one valley over the powers of two and one between their neighbours.
    pub fn best_interval(&self) -> BestInterval {
        let mut best = (f64::INFINITY, 1);
        let mut tried = 1;
        // More saves than would by themselves take longer than the best cannot win.
        while tried <= SEGMENTS_MAX && self.at_least_s(tried) < best.0 {
            let makespan_s = self.makespan_s(tried);
            if makespan_s < best.0 {
                best = (makespan_s, tried);
            }
            tried *= 2;
        }
        let (mut low, mut high) = ((best.1 / 2).max(1), (best.1 * 2).min(SEGMENTS_MAX));
        while high - low > 2 {
            let third = (high - low) / 3;
            let (left, right) = (low + third, high - third);
            // Two that never finish: the valley lies at more segments.
            if self.makespan_s(left) < self.makespan_s(right) { high = right } else { low = left }
        }
        for segments in low..=high {
            best = match self.makespan_s(segments) {
                makespan_s if makespan_s < best.0 => (makespan_s, segments),
                _ => best,
            };
        }
        self.cut(best.1)
    }

    /// The intervals, equal segments each, around `best` whose makespan is at most `1 + within` of it; the
    /// makespan is taken to rise on both sides.
    pub fn flat_range(&self, best: &BestInterval, within: f64) -> FlatRange {
        let enough_s = best.expected.makespan_s * (1.0 + within);
        let good = |segments| self.makespan_s(segments) <= enough_s;
        let fewest = last_good(best.segments, 1, good);
        let most = last_good(best.segments, SEGMENTS_MAX, |n| self.at_least_s(n) <= enough_s && good(n));
        FlatRange { shortest_s: self.work_s / most as f64, longest_s: self.work_s / fewest as f64 }
    }

    /// The job in equal segments.
    fn cut(&self, segments: u64) -> BestInterval {
        let interval_s = self.work_s / segments as f64;
        let job = Self { interval_s: (segments > 1).then_some(interval_s), ..*self };
        BestInterval { segments, interval_s, expected: job.expected() }
    }

    fn makespan_s(&self, segments: u64) -> f64 {
        self.cut(segments).expected.makespan_s
    }

    /// Work and saves alone.
    fn at_least_s(&self, segments: u64) -> f64 {
        self.work_s + (segments - 1) as f64 * self.save_s
    }
}

/// The number furthest from `from`, which is good, towards `to` before those that are not.
fn last_good(from: u64, to: u64, good: impl Fn(u64) -> bool) -> u64 {
    if good(to) {
        return to;
    }
    let (mut inside, mut outside) = (from, to);
    while inside.abs_diff(outside) > 1 {
        let middle = inside.midpoint(outside);
        if good(middle) { inside = middle } else { outside = middle }
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::super::{Memoryless, Start, Uptime, best_segments};
    use super::*;
    use crate::capacity::{Exponential, Kind, Law, Weibull};
    use crate::units::Span;

    fn job(law: &Law) -> Renewal<'_> {
        Renewal {
            uptime: Uptime { law, nodes: 1 },
            work_s: 174_600.0,
            interval_s: None,
            save_s: 120.0,
            first_start: Start::default(),
            restart: Start::billed(300.0),
            downtime_s: 60.0,
            final_save: true,
            durable_lag_s: 0.0,
            free_before_s: 0.0,
            minimum_s: 0.0,
        }
    }

    fn law(kind: Kind) -> Law {
        Law::new(kind, None).unwrap()
    }

    /// Row o001 of the optimum rows: M = 24,000 s.
    #[test]
    fn for_a_constant_rate_it_is_the_closed_form() {
        let exponential = law(Kind::Exponential(Exponential::new(Span::from_s(24_000)).unwrap()));
        let losses = Memoryless { mean_uptime_s: 24_000.0, restart_s: 300.0, downtime_s: 60.0 };
        let (segments, makespan_s) = best_segments(&losses, 174_600.0, 120.0);
        let best = job(&exponential).best_interval();
        assert_eq!(best.segments, segments);
        assert!((best.expected.makespan_s / makespan_s - 1.0).abs() < 1e-12);
    }

    #[test]
    fn no_neighbour_is_better_under_a_falling_hazard() {
        let weibull = law(Kind::Weibull(Weibull::new(0.62, Span::from_s(12_000)).unwrap()));
        let job = job(&weibull);
        let best = job.best_interval();
        for segments in [best.segments - 1, best.segments + 1] {
            assert!(job.makespan_s(segments) > best.expected.makespan_s, "{segments}");
        }
    }

    #[test]
    fn the_flat_range_ends_where_the_makespan_leaves_it() {
        let weibull = law(Kind::Weibull(Weibull::new(0.62, Span::from_s(12_000)).unwrap()));
        let job = job(&weibull);
        let best = job.best_interval();
        let range = job.flat_range(&best, 0.01);
        let makespan_s = |interval_s: f64| job.makespan_s((job.work_s / interval_s).round() as u64);
        let limit = 1.01 * best.expected.makespan_s;
        assert!(range.shortest_s < 0.8 * best.interval_s && range.longest_s > 1.2 * best.interval_s);
        assert!(makespan_s(range.shortest_s) <= limit && makespan_s(range.longest_s) <= limit);
        let fewer = (job.work_s / range.longest_s).round() - 1.0;
        assert!(makespan_s(job.work_s / fewer) > limit);
    }

    /// Gangs that all live for 3 h, and a job of 10 h with a minute a save: at most 3 h − 5 min at a time.
    #[test]
    fn an_interval_longer_than_every_uptime_is_not_chosen() {
        let constant = Law::constant(Span::from_s(3 * 3_600));
        let best = Renewal { work_s: 36_000.0, save_s: 60.0, ..job(&constant) }.best_interval();
        assert!(best.expected.makespan_s.is_finite() && best.interval_s < 3.0 * 3_600.0);
    }
}
