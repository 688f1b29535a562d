//! Wall times of things done in turns, so that whatever else the machine does hits all alike.

use std::time::Instant;

/// Two pieces of work, timed in turns.
#[derive(Debug, Clone, Copy)]
pub struct Turns {
    /// Median time of the first, seconds.
    pub first_s: f64,
    /// Median time of the second, seconds.
    pub second_s: f64,
    /// Median over turns of the first's time over the second's.
    pub ratio: f64,
}

/// Times `first` and `second` in turns, `rounds` times each, after one turn that does not count. Each
/// is given the number of the turn.
pub fn in_turns(rounds: u64, mut first: impl FnMut(u64), mut second: impl FnMut(u64)) -> Turns {
    let (mut firsts, mut seconds, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=rounds {
        let (a, b) = (seconds_of(|| first(round)), seconds_of(|| second(round)));
        if round > 0 {
            firsts.push(a);
            seconds.push(b);
            ratios.push(a / b);
        }
    }
    Turns { first_s: median(firsts), second_s: median(seconds), ratio: median(ratios) }
}

/// Median time of `work`, in seconds, after one turn that does not count.
pub fn median_s(rounds: u64, mut work: impl FnMut(u64)) -> f64 {
    median((0..=rounds).map(|round| seconds_of(|| work(round))).skip(1).collect())
}

#[expect(clippy::disallowed_methods, reason = "a bench measures wall time")]
fn seconds_of(work: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    work();
    begin.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
