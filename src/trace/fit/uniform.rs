//! The uniform law as a likelihood: its ends are where times end, so that no derivative finds them.

use super::observed::Sample;

/// Rounds in which either end is moved with the other held.
const ROUNDS: usize = 4;
/// Halvings of a bracket.
const HALVINGS: usize = 60;
/// An end is not looked for beyond this many times the longest time seen.
const BEYOND: f64 = 10.0;
/// Where the likelihood is down by ln 20, an end is as unlikely as 5 %: the chance that n times all miss
/// a strip at the end falls as the likelihood does (R. V. Hogg, Ann. Math. Statist. 27, 1956: minus twice
/// the logarithm of such a ratio is chi-squared with two degrees of freedom).
const DROP: f64 = 2.995_732_273_553_991;

/// The law, and what may be said of its ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ends {
    /// From where, in seconds: the likeliest, and the 95 % interval.
    pub low: [f64; 3],
    /// To where.
    pub high: [f64; 3],
    /// Log-likelihood.
    pub ln_likelihood: f64,
}

/// The likeliest ends; `None` where all times are alike, or no end holds them back.
pub fn ends(sample: &Sample) -> Option<Ends> {
    let least = sample.exact.iter().map(|&(t, _)| t);
    let least = least.chain(sample.between.iter().map(|&(_, high, _)| high)).fold(f64::INFINITY, f64::min);
    let most = sample.exact.iter().map(|&(t, _)| t);
    let most = most.chain(sample.between.iter().map(|&(low, _, _)| low)).fold(0.0, f64::max);
    let far = BEYOND * sample.longest_s();
    let (mut low, mut high) = (least, most.max(sample.longest_s()));
    if high <= low {
        return None;
    }
    for _ in 0..ROUNDS {
        low = highest(0.0, least, |low| ln_likelihood(sample, low, high));
        high = highest(most, far, |high| ln_likelihood(sample, low, high));
    }
    let top = ln_likelihood(sample, low, high);
    if !top.is_finite() || high > 0.99 * far {
        return None;
    }
    let over = |value: f64| value > top - DROP;
    let low_range = [
        edge(0.0, low, |x| over(ln_likelihood(sample, x, high))),
        edge(least, low, |x| over(ln_likelihood(sample, x, high))),
    ];
    let high_range = [
        edge(most, high, |x| over(ln_likelihood(sample, low, x))),
        edge(far, high, |x| over(ln_likelihood(sample, low, x))),
    ];
    Some(Ends {
        low: [low, low_range[0], low_range[1]],
        high: [high, high_range[0], high_range[1]],
        ln_likelihood: top,
    })
}

/// Log-likelihood of times uniform from `low` to `high`.
fn ln_likelihood(sample: &Sample, low: f64, high: f64) -> f64 {
    let log_width = libm::log(high - low);
    let between: f64 = sample
        .between
        .iter()
        .map(|&(from, to, n)| n * (libm::log(to.min(high) - from.max(low)) - log_width))
        .sum();
    let after: f64 = sample.after.iter().map(|&(t, n)| n * (libm::log(high - t.max(low)) - log_width)).sum();
    -(sample.exact.len() as f64) * log_width + between - after
}

/// Where `f`, which rises and then falls, is highest in `from..=to`, by the golden section.
fn highest(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    // What has no logarithm is no place to go.
    let f = |x: f64| Some(f(x)).filter(|value| !value.is_nan()).unwrap_or(f64::NEG_INFINITY);
    let (mut a, mut b) = (from, to);
    for _ in 0..HALVINGS {
        let (left, right) = (b - GOLDEN * (b - a), a + GOLDEN * (b - a));
        if f(left) >= f(right) {
            b = right;
        } else {
            a = left;
        }
    }
    let middle = 0.5 * (a + b);
    [from, to].into_iter().fold(middle, |best, end| if f(end) >= f(best) { end } else { best })
}

/// The last place on the way from `inside` to `outside` where `holds`.
fn edge(outside: f64, inside: f64, holds: impl Fn(f64) -> bool) -> f64 {
    if holds(outside) {
        return outside;
    }
    let (mut outside, mut inside) = (outside, inside);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (outside + inside);
        if holds(middle) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::super::observed::Observed;
    use super::*;

    /// The likeliest ends of times seen whole are the least and the greatest; the interval of an end
    /// reaches as far as (range) (20^(1/n) - 1).
    #[test]
    fn the_ends_of_times_seen_whole_are_the_extremes() {
        let sample = Sample::new([3.0, 9.0, 4.0, 7.0, 5.0].map(Observed::exact));
        let found = ends(&sample).unwrap();
        assert!((found.low[0] - 3.0).abs() < 1e-6 && (found.high[0] - 9.0).abs() < 1e-6, "{found:?}");
        let reach = 6.0 * (libm::pow(20.0, 0.2) - 1.0);
        assert!((found.high[2] - 9.0 - reach).abs() < 1e-4, "{found:?}");
        assert!((found.high[1] - 9.0).abs() < 1e-6, "{found:?}");
    }
}
