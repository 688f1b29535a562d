//! How long a fresh Spot gang lasts, as a plan's capacity has it.

use super::plan::Capacity;
use crate::capacity::bootstrap::Bootstrap;
use crate::capacity::path::Path;
use crate::capacity::{Kind, Law};
use crate::checkpoint::{Costs, best_interval_s, exact_interval_s};
use crate::units::Span;

/// The time from a fresh gang to its first loss.
#[derive(Debug, Clone, PartialEq)]
pub struct GangUptime<'a> {
    /// Laws of what breaks the gang, and how many nodes each holds for by itself.
    laws: Vec<(f64, &'a Law)>,
    /// Shocks that take a node of the gang, and losses without memory, a second.
    shocks_per_s: f64,
    /// How long capacity was there each time, of a trace; seconds, rising.
    recorded_s: Vec<f64>,
    /// Whether losses whose rate varies are taken to come at their mean rate.
    evened: bool,
}

/// Chance beyond which no uptime is looked at.
const NEGLIGIBLE: f64 = 1e-9;
/// Stretches in which the survival function is summed.
const STRETCHES: u32 = 4_096;

impl<'a> GangUptime<'a> {
    /// Of `nodes` nodes that meet `capacity`, if they are Spot, and hardware `failures`; `None` where no law
    /// says when they are lost: never, or at instants written out.
    pub fn new(capacity: Option<&'a Capacity>, failures: Option<&'a Law>, nodes: u32) -> Option<Self> {
        let each = f64::from(nodes);
        let mut laws: Vec<(f64, &Law)> = failures.map(|law| (each, law)).into_iter().collect();
        let (mut shocks_per_s, mut recorded_s, mut evened) = (0.0, Vec::new(), false);
        if let Some(capacity) = capacity {
            laws.extend(capacity.lifetime.as_ref().map(|law| (each, law)));
            for shock in &capacity.shocks {
                shocks_per_s += (1.0 - libm::pow(1.0 - shock.hit, each)) / shock.between.mean_s();
            }
            match &capacity.path {
                Path::Renewal(renewal) => laws.push((1.0, &renewal.uptime)),
                Path::OnOff(on_off) => {
                    shocks_per_s += on_off.loss_per_s();
                    evened = on_off.hours().is_some();
                }
                Path::Chain(chain) => {
                    shocks_per_s += chain.mean_uptime_s(nodes).map_or(0.0, f64::recip);
                    evened = true;
                }
                // Where blocks meet, some of the recorded uptimes end sooner, and others go on: left out.
                Path::Trace(trace) | Path::Bootstrap(Bootstrap { trace, .. }) => {
                    recorded_s = trace.uptimes(nodes).iter().map(|span| span.as_secs()).collect();
                    recorded_s.sort_by(f64::total_cmp);
                }
                Path::Always | Path::Events(_) => {}
            }
        }
        let known = !laws.is_empty() || shocks_per_s > 0.0 || !recorded_s.is_empty();
        known.then_some(Self { laws, shocks_per_s, recorded_s, evened })
    }

    /// Chance that the gang lasts for longer than `t_s`.
    pub fn survival(&self, t_s: f64) -> f64 {
        let lives: f64 = self.laws.iter().map(|(nodes, law)| libm::pow(law.survival(t_s), *nodes)).product();
        let recorded = match self.recorded_s.len() {
            0 => 1.0,
            count => (count - self.recorded_s.partition_point(|end| *end <= t_s)) as f64 / count as f64,
        };
        lives * libm::exp(-self.shocks_per_s * t_s) * recorded
    }

    /// Work between saves with which a long job makes most progress, seconds, and how that is known. A save
    /// stops steps for `stall` and is durable `upload` later; a gang needs `restart_s` to its first step.
    pub fn best_interval(&self, stall: Span, upload: Span, restart_s: f64) -> (f64, &'static str) {
        let costs = Costs { save_s: stall.as_secs(), lag_s: upload.as_secs(), restart_s };
        match self.exponential_mean_s() {
            _ if costs.save_s == 0.0 => (0.0, "saves cost nothing"),
            Some(mean_s) if self.evened => {
                (exact_interval_s(costs.save_s, mean_s), "as if losses came at their mean rate")
            }
            Some(mean_s) => (exact_interval_s(costs.save_s, mean_s), "exact for exponential losses"),
            None => {
                let best = best_interval_s(costs, self.mean_s(), &self.exact_s(), |t| self.survival(t));
                (best, "the best constant interval")
            }
        }
    }

    /// The mean, seconds.
    pub fn mean_s(&self) -> f64 {
        if let Some(mean_s) = self.exponential_mean_s() {
            return mean_s;
        }
        if self.laws.is_empty() && self.shocks_per_s == 0.0 {
            return self.recorded_s.iter().sum::<f64>() / self.recorded_s.len() as f64;
        }
        // The area under the survival function, in stretches that grow with age.
        let longest_s = self.longest_s();
        let at = |i: u32| longest_s * libm::pow(f64::from(i) / f64::from(STRETCHES), 4.0);
        let area = |i: u32| 0.5 * (self.survival(at(i)) + self.survival(at(i + 1))) * (at(i + 1) - at(i));
        (0..STRETCHES).map(area).sum()
    }

    /// The mean where uptimes are exponential, seconds.
    pub fn exponential_mean_s(&self) -> Option<f64> {
        let rate = |(nodes, law): &(f64, &Law)| match (law.kind(), law.cap()) {
            (Kind::Exponential(exponential), None) => Some(nodes / exponential.mean_s()),
            _ => None,
        };
        let rates: Option<Vec<f64>> = self.laws.iter().map(rate).collect();
        let rate = rates?.iter().sum::<f64>() + self.shocks_per_s;
        self.recorded_s.is_empty().then_some(1.0 / rate)
    }

    /// Uptimes that have a chance of their own, seconds.
    pub fn exact_s(&self) -> Vec<f64> {
        let values = self.laws.iter().flat_map(|(_, law)| match law.kind() {
            Kind::Constant(constant) => vec![constant.value().as_secs()],
            Kind::Empirical(empirical) => empirical.values().iter().map(|value| value.as_secs()).collect(),
            _ => law.cap().map(|cap| cap.as_secs()).into_iter().collect(),
        });
        let mut exact: Vec<f64> = values.chain(self.recorded_s.iter().copied()).collect();
        exact.sort_by(f64::total_cmp);
        exact.dedup();
        exact
    }

    fn longest_s(&self) -> f64 {
        let of_laws = self.laws.iter().map(|(_, law)| law.quantile_upper(NEGLIGIBLE));
        let of_laws = of_laws.fold(-libm::log(NEGLIGIBLE) / self.shocks_per_s, f64::min);
        self.recorded_s.last().map_or(of_laws, |longest| longest.min(of_laws))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capacity::recorded::{AtEnd, Begin, Recorded, Stretch};
    use crate::capacity::shock::Shock;
    use crate::capacity::{Exponential, Weibull};

    fn capacity(path: Path, lifetime: Option<Law>) -> Capacity {
        let none = Law::constant(Span::ZERO);
        Capacity {
            path,
            zone: 0,
            lifetime,
            notice: None,
            acquire: none.clone(),
            acquire_first: none,
            losses: Vec::new(),
            shocks: Vec::new(),
        }
    }

    fn law(kind: Kind) -> Law {
        Law::new(kind, None).unwrap()
    }

    #[test]
    fn what_is_never_lost_has_no_uptime() {
        assert_eq!(GangUptime::new(Some(&capacity(Path::Always, None)), None, 4), None);
    }

    /// The first of four exponential losses comes four times as soon.
    #[test]
    fn a_gang_is_lost_with_its_first_node() {
        let nodes = law(Kind::Exponential(Exponential::new(Span::from_s(4_000)).unwrap()));
        let capacity = capacity(Path::Always, Some(nodes));
        let gang = GangUptime::new(Some(&capacity), None, 4).unwrap();
        assert!((gang.mean_s() - 1_000.0).abs() < 1e-9);
        assert!((gang.survival(1_000.0) - libm::exp(-1.0)).abs() < 1e-12);
    }

    /// Four nodes that fail once in 4,000 s each, and a shock a 1,000 s that takes each with chance a half:
    /// 4/4,000 + (1 − 1/16)/1,000 a second.
    #[test]
    fn failures_and_shocks_break_a_gang_too() {
        let exponential = |mean_s| law(Kind::Exponential(Exponential::new(Span::from_s(mean_s)).unwrap()));
        let failures = exponential(4_000);
        let shock = Shock { between: exponential(1_000), hit: 0.5, place: 0 };
        let capacity = Capacity { shocks: vec![shock], ..capacity(Path::Always, None) };
        let gang = GangUptime::new(Some(&capacity), Some(&failures), 4).unwrap();
        assert!((gang.mean_s() - 1_000.0 / 1.9375).abs() < 1e-9);
        assert!((gang.survival(500.0) - libm::exp(-0.96875)).abs() < 1e-12);
        let on_demand = GangUptime::new(None, Some(&failures), 4).unwrap();
        assert!((on_demand.mean_s() - 1_000.0).abs() < 1e-9);
    }

    /// Four Weibull lifetimes: the scale divided by 4^(1/shape).
    #[test]
    fn the_mean_is_the_area_under_the_survival_function() {
        let nodes = Weibull::new(0.7, Span::from_s(9_000)).unwrap();
        let capacity = capacity(Path::Always, Some(law(Kind::Weibull(nodes))));
        let right = Weibull::new(0.7, Span::from_s(9_000)).unwrap().mean_s() / libm::pow(4.0, 1.0 / 0.7);
        let mean_s = GangUptime::new(Some(&capacity), None, 4).unwrap().mean_s();
        assert!((mean_s / right - 1.0).abs() < 1e-4, "{mean_s}, right is {right}");
    }

    /// 10 s with two nodes or more, twice; the second time 20 s long.
    #[test]
    fn a_trace_lasts_while_it_has_enough_nodes() {
        let stretches = [2, 1, 3, 2, 0].map(|nodes| Stretch { span: Span::from_s(10), nodes });
        let trace = Recorded::new(stretches, Begin::Start, AtEnd::Stop).unwrap();
        let capacity = capacity(Path::Trace(trace), None);
        let pair = GangUptime::new(Some(&capacity), None, 2).unwrap();
        assert_eq!((pair.exact_s(), pair.mean_s()), (vec![10.0, 20.0], 15.0));
        assert_eq!([5.0, 10.0, 15.0, 20.0].map(|t| pair.survival(t)), [1.0, 0.5, 0.5, 0.0]);
    }
}
