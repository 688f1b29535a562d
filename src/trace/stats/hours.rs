//! Availability by the hour of the day and the day of the week.

use super::{HOUR_NS, share};
use crate::trace::runs::Run;
use crate::units::{Span, Timestamp};

const HOURS: usize = 24;
const DAYS: usize = 7;
const MINUTE_NS: i64 = 60_000_000_000;
const DAY_S: f64 = 86_400.0;

/// Availability by the hour of the day and the day of the week, UTC, or since the begin of the recording
/// where that has no start of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Hours {
    /// By the hour, from midnight; `None` where nobody looked.
    pub by_hour: [Option<f64>; HOURS],
    /// By the day of the week, from Monday.
    pub by_weekday: [Option<f64>; DAYS],
    /// The best hour less the worst.
    pub range: Option<f64>,
    /// Amplitude of the first harmonic: 2/T · |∫ (up − availability) e^{2πit/24 h} dt|.
    pub amplitude: Option<f64>,
    /// The hour with the most, the first of several; `None` where the recording has no start of its own.
    pub peak_hour: Option<u8>,
}

/// Of `runs` that begin to count at `start`. A sample belongs to the hour in which it was taken; what was
/// not sampled is split between hours. The clock is that of the start without its seconds: traces give
/// times to the second, but their samples drift by more.
pub fn by_hour(runs: &[Run], start: Timestamp, sample: Option<Span>, start_assumed: bool) -> Hours {
    let start_ns = start.unix_ns() - start.unix_ns().rem_euclid(MINUTE_NS);
    let start_ns = if start_assumed { 0 } else { start_ns };
    let (mut hours, mut days) = ([(0_u128, 0_u128); HOURS], [(0_u128, 0_u128); DAYS]);
    for run in runs {
        let (mut at, end) = (run.from.ns(), (run.from + run.span).ns());
        while at < end {
            let clock = i128::from(start_ns) + i128::from(at);
            let into_hour = clock.rem_euclid(HOUR_NS.into()) as u64;
            let next = at.saturating_add(HOUR_NS - into_hour).min(end);
            let weight = u128::from(weight(at, next, sample));
            let hour = clock.div_euclid(HOUR_NS.into());
            // 1970-01-01 was a Thursday.
            let day = (hour.div_euclid(24) + 3).rem_euclid(7) as usize;
            for (up, all) in [&mut hours[hour.rem_euclid(24) as usize], &mut days[day]] {
                *all += weight;
                *up += if run.up { weight } else { 0 };
            }
            at = next;
        }
    }
    let by_hour = hours.map(|(up, all)| share(up, all));
    let seen = || by_hour.iter().flatten().copied();
    let (most, least) = (seen().reduce(f64::max), seen().reduce(f64::min));
    let peak = by_hour.iter().position(|&share| share.is_some() && share == most);
    Hours {
        by_hour,
        by_weekday: days.map(|(up, all)| share(up, all)),
        range: most.zip(least).map(|(most, least)| most - least),
        amplitude: amplitude(runs),
        peak_hour: peak.filter(|_| !start_assumed).map(|hour| hour as u8),
    }
}

/// Samples taken in a time, or its nanoseconds.
fn weight(from: u64, to: u64, sample: Option<Span>) -> u64 {
    match sample.map(Span::ns).filter(|&ns| ns > 0) {
        Some(ns) => to.div_ceil(ns) - from.div_ceil(ns),
        None => to - from,
    }
}

fn amplitude(runs: &[Run]) -> Option<f64> {
    let total = runs.iter().map(|run| run.span.as_secs()).sum::<f64>();
    let up = runs.iter().filter(|run| run.up).map(|run| run.span.as_secs()).sum::<f64>();
    let omega = 2.0 * std::f64::consts::PI / DAY_S;
    let (mut re, mut im) = (0.0, 0.0);
    for run in runs {
        let value = f64::from(u8::from(run.up)) - up / total;
        let (a, b) = (omega * run.from.as_secs(), omega * (run.from + run.span).as_secs());
        re += value * (libm::sin(b) - libm::sin(a)) / omega;
        im += value * (libm::cos(a) - libm::cos(b)) / omega;
    }
    (total > 0.0).then(|| 2.0 / total * libm::hypot(re, im))
}
