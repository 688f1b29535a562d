//! How well a law fits: its distance from what was seen, and how often chance alone makes it larger.

use super::fitted::Fit;
use super::observed::{Observed, Sample};
use crate::rng::{Source, Stream, Streams};

/// Samples redrawn: the least p-value is 1/200.
pub const ROUNDS: u64 = 199;
/// Draws of a time too short to be seen, before it is taken for the shortest that is.
const REDRAWS_MAX: u32 = 1_000;

/// The greatest difference between the survival function of a fitted law and the Kaplan-Meier estimate
/// (E. L. Kaplan and P. Meier, J. Am. Statist. Assoc. 53, 1958): the distance of Kolmogorov and Smirnov,
/// where no time is cut off. A time known between two bounds counts as over at the upper one, and is
/// compared at both.
pub fn distance(fit: &Fit, sample: &Sample) -> f64 {
    // Middle, then bounds, how many, whether the end was seen.
    let whole = sample.exact.iter().map(|&(t, _)| (t, t, 1.0, true));
    let between = sample.between.iter().map(|&(low, high, n)| match high.is_finite() {
        true => (low, high, n, true),
        false => (low, low, n, false),
    });
    let mut times: Vec<_> = whole.chain(between).collect();
    // At one time ends come before what is cut off there.
    times.sort_by(|a, b| (a.0 + a.1).total_cmp(&(b.0 + b.1)).then(b.3.cmp(&a.3)));
    let mut entries = sample.after.clone();
    entries.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Times are seen only beyond the first entry, so survival is counted from there.
    let all: f64 = times.iter().map(|time| time.2).sum();
    let delayed: f64 = entries.iter().map(|entry| entry.1).sum();
    let begin = match (entries.first(), delayed < all) {
        (Some(entry), false) => entry.0,
        _ => 0.0,
    };
    let base = fit.survival(begin);
    let (mut there, mut gone, mut entered) = (all - delayed, 0.0, 0);
    let (mut survival, mut distance) = (1.0_f64, 0.0_f64);
    let mut next = 0;
    while next < times.len() {
        let (low, high, ..) = times[next];
        while entered < entries.len() && entries[entered].0 < high {
            there += entries[entered].1;
            entered += 1;
        }
        distance = distance.max((fit.survival(low) / base - survival).abs());
        let (mut ends, mut cut_off) = (0.0, 0.0);
        while next < times.len() && times[next].0 == low && times[next].1 == high {
            if times[next].3 {
                ends += times[next].2;
            } else {
                cut_off += times[next].2;
            }
            next += 1;
        }
        let at_risk = there - gone;
        if ends > 0.0 && at_risk > 0.0 {
            survival *= 1.0 - ends / at_risk;
            distance = distance.max((fit.survival(high) / base - survival).abs());
        }
        gone += ends + cut_off;
    }
    distance
}

/// The chance that times of the fitted law lie as far from the law that is then fitted to them as those
/// seen do from theirs: a parametric bootstrap, since tables of the distance hold only where no number of
/// the law was fitted (W. Stute, W. González Manteiga and M. Presedo Quindimil, Metrika 40, 1993). Redrawn
/// times are seen as those of the sample were: rounded alike, cut off alike, none too short to be seen.
pub fn p_value(fit: &Fit, observed: &[Observed], seed: u64) -> f64 {
    let Ok(law) = fit.law(None) else { return 0.0 };
    let seen = distance(fit, &Sample::new(observed.iter().copied()));
    let mut as_far = 0_u64;
    for round in 0..ROUNDS {
        let mut stream = Streams::new(seed).stream(Source::Goodness, 0, round, 0);
        let again = observed
            .iter()
            .map(|&one| redrawn(one, &mut stream, |u| law.quantile_upper(u), |t| law.survival(t)));
        let sample = Sample::new(again.collect::<Vec<_>>());
        // A sample to which the law cannot be fitted is no nearer to it.
        let is_far = Fit::of(fit.family, &sample).is_none_or(|own| distance(&own, &sample) >= seen);
        as_far += u64::from(is_far);
    }
    (1 + as_far) as f64 / (1 + ROUNDS) as f64
}

/// Another time of the law, seen as `one` was.
fn redrawn(
    one: Observed,
    stream: &mut Stream,
    quantile_upper: impl Fn(f64) -> f64,
    survival: impl Fn(f64) -> f64,
) -> Observed {
    let beyond = survival(one.after_s);
    if !one.is_complete() {
        let t = quantile_upper(stream.open01() * beyond);
        let limit = one.low_s;
        let seen = if t > limit { Observed::longer_than(limit) } else { Observed::exact(t) };
        return seen.seen_after(one.after_s);
    }
    let width = one.high_s - one.low_s;
    for _ in 0..REDRAWS_MAX {
        let t = quantile_upper(stream.open01() * beyond);
        if width == 0.0 {
            return Observed::exact(t).seen_after(one.after_s);
        }
        let middle = width * (t / width).round();
        if middle > 0.0 {
            return Observed::about(middle, 0.5 * width).seen_after(one.after_s);
        }
    }
    Observed::about(width, 0.5 * width).seen_after(one.after_s)
}
