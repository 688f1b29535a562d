//! Time from a fresh gang to its first loss.

use crate::capacity::{Kind, Law};

/// The least of `nodes` independent times of one law: how long a gang of fresh nodes lasts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Uptime<'a> {
    /// Law of one node's time to loss.
    pub law: &'a Law,
    /// Nodes, at least 1.
    pub nodes: u32,
}

/// Share of a result that numeric integration may be off.
const TOLERANCE: f64 = 1e-12;
const DEPTH_MAX: u32 = 40;

impl Uptime<'_> {
    /// Chance that the gang is whole up to `t_s`, the instant itself included: a gang that needs exactly
    /// the time that it has succeeds.
    pub fn reaches(&self, t_s: f64) -> f64 {
        if t_s <= 0.0 { 1.0 } else { self.survival(t_s.next_down()) }
    }

    /// Mean of the shorter of the uptime and `t_s`: the integral of the survival function.
    pub fn restricted_mean_s(&self, t_s: f64) -> f64 {
        let (n, end) = (f64::from(self.nodes), self.law.cap().map_or(t_s, |cap| cap.as_secs().min(t_s)));
        match self.law.kind() {
            _ if self.nodes == 1 || end <= 0.0 => self.law.restricted_mean_s(end),
            Kind::Constant(_) => self.law.restricted_mean_s(end),
            // The least of n is of the same kind, its mean or scale shorter.
            Kind::Exponential(_) => self.law.restricted_mean_s(n * end) / n,
            Kind::Weibull(weibull) => {
                let factor = libm::pow(n, 1.0 / weibull.shape());
                weibull.restricted_mean_s(factor * end) / factor
            }
            Kind::Empirical(empirical) => {
                let values = empirical.values().iter().map(|value| value.as_secs().min(end));
                let steps = values.chain([end]).scan(0.0, |from, to| Some((std::mem::replace(from, to), to)));
                steps.map(|(from, to)| (to - from) * self.survival(from)).sum()
            }
            _ => self.integral(end),
        }
    }

    fn survival(&self, t_s: f64) -> f64 {
        libm::pow(self.law.survival(t_s), f64::from(self.nodes))
    }

    /// Integral of the survival function from 0 to `end` by adaptive Simpson, over stretches that double
    /// in length, so that a law's early detail is not stepped over.
    fn integral(&self, end: f64) -> f64 {
        let mut total = 0.0;
        let (mut from, mut to) = (0.0, end * 2_f64.powi(-20));
        while from < end {
            let middle = 0.5 * (from + to);
            let values = [from, middle, to].map(|t| self.survival(t));
            let whole = (to - from) / 6.0 * (values[0] + 4.0 * values[1] + values[2]);
            total += self.simpson((from, to), values, whole, TOLERANCE * (to - from), DEPTH_MAX);
            (from, to) = (to, (2.0 * to).min(end));
        }
        total
    }

    fn simpson(
        &self,
        (from, to): (f64, f64),
        [f, m, t]: [f64; 3],
        whole: f64,
        error: f64,
        depth: u32,
    ) -> f64 {
        let middle = 0.5 * (from + to);
        let (left, right) = (self.survival(0.5 * (from + middle)), self.survival(0.5 * (middle + to)));
        let sixth = (to - from) / 12.0;
        let (first, second) = (sixth * (f + 4.0 * left + m), sixth * (m + 4.0 * right + t));
        let off = first + second - whole;
        if off.abs() <= 15.0 * error || depth == 0 {
            return first + second + off / 15.0;
        }
        self.simpson((from, middle), [f, left, m], first, 0.5 * error, depth - 1)
            + self.simpson((middle, to), [m, right, t], second, 0.5 * error, depth - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capacity::{Empirical, Exponential, Lognormal, Weibull};
    use crate::units::Span;

    fn law(kind: Kind) -> Law {
        Law::new(kind, None).unwrap()
    }

    /// The least of n exponential times is exponential with a mean of 1/n; Weibull likewise.
    #[test]
    fn the_least_of_several_is_shorter_by_the_known_factor() {
        let exponential = law(Kind::Exponential(Exponential::new(Span::from_s(800)).unwrap()));
        let of_eight = Uptime { law: &exponential, nodes: 8 };
        let right = 100.0 * (1.0 - libm::exp(-2.5));
        assert!((of_eight.restricted_mean_s(250.0) - right).abs() < 1e-9);
        let weibull = law(Kind::Weibull(Weibull::new(0.7, Span::from_s(900)).unwrap()));
        let of_four = Uptime { law: &weibull, nodes: 4 };
        assert!((of_four.restricted_mean_s(500.0) - of_four.integral(500.0)).abs() < 1e-5);
    }

    /// Of two draws from 10 and 20 s the least is 10 in three of four cases.
    #[test]
    fn recorded_times_are_summed_exactly() {
        let atoms = law(Kind::Empirical(Empirical::new(vec![Span::from_s(10), Span::from_s(20)]).unwrap()));
        let pair = Uptime { law: &atoms, nodes: 2 };
        assert_eq!(pair.restricted_mean_s(100.0), 0.75 * 10.0 + 0.25 * 20.0);
        assert_eq!((pair.reaches(10.0), pair.reaches(10.5), pair.reaches(20.0)), (1.0, 0.25, 0.25));
    }

    #[test]
    fn integration_agrees_with_the_closed_form() {
        let lognormal = law(Kind::Lognormal(Lognormal::new(Span::from_s(9_000), 1.3).unwrap()));
        let one = Uptime { law: &lognormal, nodes: 1 };
        for t in [100.0, 9_000.0, 400_000.0] {
            assert!((one.integral(t) / one.restricted_mean_s(t) - 1.0).abs() < 1e-11, "{t}");
        }
    }
}
