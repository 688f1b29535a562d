//! Capacity that is calm or stormy by turns, unseen: fitted to runs up and down in their order.

use super::fitted::{Parameter, scaled};
use super::observed::Observed;
use crate::stats::Peak;

/// A run, up or down, in its place among the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Whether capacity was there.
    pub is_up: bool,
    /// How long, as far as it was seen.
    pub time: Observed,
    /// Whether the run before it is the step before: after a hole nothing is known of the weather.
    pub follows: bool,
}

/// A Markov chain of four states, up or down in calm or storm: each weather has its rate of loss and its
/// rate of return, and the weather changes at rates of its own, up or down.
#[derive(Debug, Clone, PartialEq)]
pub struct CalmStorm {
    /// Log-likelihood, of the same times as of a renewal process.
    pub ln_likelihood: f64,
    /// Mean times until, in this order: loss in calm, loss in storm, return in calm, return in storm, the
    /// calm's end, the storm's end, each if nothing else came first. Calm is where losses are rarer.
    pub means: [Parameter; 6],
}

/// How many numbers it has.
const NUMBERS: usize = 6;
/// The names of [`CalmStorm::means`].
const NAMES: [&str; NUMBERS] =
    ["loss_in_calm", "loss_in_storm", "return_in_calm", "return_in_storm", "calm_to_storm", "storm_to_calm"];
/// With fewer ends of either kind it says nothing.
const ENOUGH: usize = 20;

impl CalmStorm {
    /// The likeliest chain. `None` with too few runs, or where the likelihood has no definite peak: then
    /// nothing shows two weathers.
    pub fn of(steps: &[Step]) -> Option<Self> {
        let ends = |is_up| steps.iter().filter(|step| step.is_up == is_up && step.time.is_complete()).count();
        if ends(true).min(ends(false)) < ENOUGH {
            return None;
        }
        let (up, down) = (mean(steps, true), mean(steps, false));
        let cycle = up + down;
        let logs = |rates: [f64; NUMBERS]| rates.map(|mean| -libm::log(mean)).to_vec();
        let starts = [
            logs([3.0 * up, 0.3 * up, down, down, 10.0 * cycle, 5.0 * cycle]),
            logs([3.0 * up, 0.3 * up, 0.3 * down, 3.0 * down, 5.0 * cycle, 5.0 * cycle]),
            logs([3.0 * up, 0.3 * up, 3.0 * down, 0.3 * down, 5.0 * cycle, 5.0 * cycle]),
        ];
        let peaks = starts.iter().filter_map(|start| Peak::of(|point| ln_likelihood(point, steps), start));
        let peak = peaks.max_by(|a, b| a.value.total_cmp(&b.value))?;
        let covariance = peak.covariance()?;
        // Names of the weathers may have come out the wrong way round.
        let order = if peak.at[0] <= peak.at[1] { [0, 1, 2, 3, 4, 5] } else { [1, 0, 3, 2, 5, 4] };
        let means = std::array::from_fn(|index| {
            let mut weights = [0.0; NUMBERS];
            weights[order[index]] = -1.0;
            scaled(NAMES[index], true, &peak.at, &covariance, &weights)
        });
        Some(Self { ln_likelihood: peak.value, means })
    }

    /// Akaike's information criterion.
    pub fn aic(&self) -> f64 {
        2.0 * NUMBERS as f64 - 2.0 * self.ln_likelihood
    }
}

fn mean(steps: &[Step], is_up: bool) -> f64 {
    let times = steps.iter().filter(|step| step.is_up == is_up);
    let (sum, ends) = times.fold((0.0, 0.0), |(sum, ends), step| {
        (sum + step.time.middle_s(), ends + if step.time.is_complete() { 1.0 } else { 0.0 })
    });
    sum / ends
}

/// Two numbers by weather, calm first.
type Pair = [f64; 2];

/// One side of the chain, up or down, in which the weather changes and from which it is left.
#[derive(Clone, Copy)]
struct Side {
    /// Rates at which it is left, by weather.
    leave: Pair,
    /// Rates at which the weather changes, by weather.
    turn: Pair,
    /// The eigenvalues of the generator: middle ± reach.
    middle: f64,
    reach: f64,
}

impl Side {
    fn new(leave: Pair, turn: Pair) -> Self {
        let diagonal = [-(leave[0] + turn[0]), -(leave[1] + turn[1])];
        let half = 0.5 * (diagonal[0] - diagonal[1]);
        let reach = (half * half + turn[0] * turn[1]).sqrt();
        Self { leave, turn, middle: 0.5 * (diagonal[0] + diagonal[1]), reach }
    }

    /// Chances of both weathers after `t`, still on this side: before times e^(generator t), which for two
    /// states is e^(middle t) (cosh(reach t) + sinh(reach t)/reach (generator - middle)).
    fn stayed(&self, before: Pair, t: f64) -> Pair {
        let (slow, fast) =
            (libm::exp((self.middle + self.reach) * t), libm::exp((self.middle - self.reach) * t));
        let (even, odd) = (0.5 * (slow + fast), 0.5 * (slow - fast) / self.reach);
        let shifted =
            [-(self.leave[0] + self.turn[0]) - self.middle, -(self.leave[1] + self.turn[1]) - self.middle];
        [
            even * before[0] + odd * (before[0] * shifted[0] + before[1] * self.turn[1]),
            even * before[1] + odd * (before[1] * shifted[1] + before[0] * self.turn[0]),
        ]
    }

    /// Chances to leave in either weather, of what is there: there times (-generator)⁻¹ times the rates.
    fn left_at_last(&self, there: Pair) -> Pair {
        let (a, d) = (self.leave[0] + self.turn[0], self.leave[1] + self.turn[1]);
        let whole = a * d - self.turn[0] * self.turn[1];
        let times = [
            (there[0] * d + there[1] * self.turn[1]) / whole,
            (there[0] * self.turn[0] + there[1] * a) / whole,
        ];
        [times[0] * self.leave[0], times[1] * self.leave[1]]
    }
}

/// Log-likelihood of the steps at the logarithms of six rates per second, by going forward with the
/// chances of both weathers (L. E. Baum and others, Ann. Math. Statist. 41, 1970).
fn ln_likelihood(point: &[f64], steps: &[Step]) -> f64 {
    let rate = |index: usize| libm::exp(point[index]);
    let turn = [rate(4), rate(5)];
    let (up, down) = (Side::new([rate(0), rate(1)], turn), Side::new([rate(2), rate(3)], turn));
    let mut sum = 0.0;
    let mut chances = [0.5, 0.5];
    for step in steps {
        let (side, other) = if step.is_up { (&up, &down) } else { (&down, &up) };
        if !step.follows {
            chances = at_begin(side, other);
        }
        let Observed { low_s, high_s, .. } = step.time;
        chances = if high_s == low_s {
            let there = side.stayed(chances, low_s);
            [there[0] * side.leave[0], there[1] * side.leave[1]]
        } else if high_s.is_finite() {
            let (low, high) = (side.stayed(chances, low_s), side.stayed(chances, high_s));
            side.left_at_last([low[0] - high[0], low[1] - high[1]])
        } else {
            side.stayed(chances, low_s)
        };
        let all = chances[0] + chances[1];
        sum += libm::log(all);
        chances = [chances[0] / all, chances[1] / all];
    }
    sum
}

/// Chances of the weathers at the begin of a run, after a long history.
fn at_begin(side: &Side, other: &Side) -> Pair {
    let calm = other.left_at_last(side.left_at_last([1.0, 0.0]));
    let storm = other.left_at_last(side.left_at_last([0.0, 1.0]));
    let (to_storm, to_calm) = (calm[1], storm[0]);
    [to_calm / (to_calm + to_storm), to_storm / (to_calm + to_storm)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where both weathers are alike, the chain is two exponential laws: ln L is the sum of -ln mean - t/mean,
    /// and of -t/mean where cut off.
    #[test]
    fn alike_weathers_are_two_exponential_laws() {
        let step = |is_up, time, follows| Step { is_up, time, follows };
        let steps = [
            step(true, Observed::exact(5.0), false),
            step(false, Observed::exact(2.0), true),
            step(true, Observed::longer_than(7.0), true),
        ];
        let point = [4.0_f64, 4.0, 3.0, 3.0, 20.0, 9.0].map(|mean| -libm::log(mean));
        let right = -libm::log(4.0) - 5.0 / 4.0 - libm::log(3.0) - 2.0 / 3.0 - 7.0 / 4.0;
        assert!((ln_likelihood(&point, &steps) - right).abs() < 1e-12);
        // An interval has the chance between its bounds.
        let between = [step(true, Observed::about(5.0, 1.0), false)];
        let right = libm::log(libm::exp(-1.0) - libm::exp(-1.5));
        assert!((ln_likelihood(&point, &between) - right).abs() < 1e-12);
    }
}
