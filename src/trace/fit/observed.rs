//! What is known of times that were not always seen whole.

use std::collections::BTreeMap;

/// One time, in seconds, and how much of it was seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observed {
    /// It is longer than this, or exactly this where `high_s` is the same.
    pub low_s: f64,
    /// It is not longer than this; infinite where its end was not seen.
    pub high_s: f64,
    /// It could be seen only because it is longer than this; 0 where any would have been.
    pub after_s: f64,
}

impl Observed {
    /// Seen whole.
    pub const fn exact(t_s: f64) -> Self {
        Self { low_s: t_s, high_s: t_s, after_s: 0.0 }
    }

    /// Seen to be `t_s` long, give or take `half_s`.
    pub const fn about(t_s: f64, half_s: f64) -> Self {
        let low = t_s - half_s;
        Self { low_s: if low > 0.0 { low } else { 0.0 }, high_s: t_s + half_s, after_s: 0.0 }
    }

    /// Not yet over at `t_s`.
    pub const fn longer_than(t_s: f64) -> Self {
        Self { low_s: t_s, high_s: f64::INFINITY, after_s: 0.0 }
    }

    /// The same, seen only because it is longer than `after_s`.
    pub const fn seen_after(self, after_s: f64) -> Self {
        Self { after_s, ..self }
    }

    /// Whether its end was seen.
    pub const fn is_complete(self) -> bool {
        self.high_s.is_finite()
    }

    /// What to take for its length: the middle of what it may be, or how long it was seen.
    pub const fn middle_s(self) -> f64 {
        if self.is_complete() { 0.5 * (self.low_s + self.high_s) } else { self.low_s }
    }
}

/// Many times, arranged so that a likelihood is cheap: those alike are counted together, and those seen
/// whole are summed up too.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Seen whole: the time, its logarithm.
    pub(super) exact: Vec<(f64, f64)>,
    /// Known between two bounds, the upper infinite where cut off; and how many such.
    pub(super) between: Vec<(f64, f64, f64)>,
    /// Beyond which they could be seen, above 0; and how many such.
    pub(super) after: Vec<(f64, f64)>,
    /// Of those seen whole: their sum, that of their logarithms and of the squares of these.
    pub(super) sum_s: f64,
    pub(super) sum_log: f64,
    pub(super) sum_log_square: f64,
    complete: u64,
    cut_off: u64,
}

impl Sample {
    /// From times that can be seen: those of no length are left out.
    pub fn new(observed: impl IntoIterator<Item = Observed>) -> Self {
        let mut sample = Self {
            exact: Vec::new(),
            between: Vec::new(),
            after: Vec::new(),
            sum_s: 0.0,
            sum_log: 0.0,
            sum_log_square: 0.0,
            complete: 0,
            cut_off: 0,
        };
        // Times are not negative, so their bits are in the order of their values.
        let mut between: BTreeMap<(u64, u64), u64> = BTreeMap::new();
        let mut after: BTreeMap<u64, u64> = BTreeMap::new();
        for one in observed.into_iter().filter(|one| one.high_s > 0.0) {
            if one.is_complete() {
                sample.complete += 1;
            } else {
                sample.cut_off += 1;
            }
            if one.low_s == one.high_s {
                let log = libm::log(one.low_s);
                sample.exact.push((one.low_s, log));
                sample.sum_s += one.low_s;
                sample.sum_log += log;
                sample.sum_log_square += log * log;
            } else {
                *between.entry((one.low_s.to_bits(), one.high_s.to_bits())).or_default() += 1;
            }
            if one.after_s > 0.0 {
                *after.entry(one.after_s.to_bits()).or_default() += 1;
            }
        }
        let many = |n: u64| n as f64;
        sample.between = between
            .into_iter()
            .map(|((low, high), n)| (f64::from_bits(low), f64::from_bits(high), many(n)))
            .collect();
        sample.after = after.into_iter().map(|(t, n)| (f64::from_bits(t), many(n))).collect();
        sample
    }

    /// How many ends were seen.
    pub const fn complete(&self) -> u64 {
        self.complete
    }

    /// How many were not.
    pub const fn cut_off(&self) -> u64 {
        self.cut_off
    }

    /// The longest time that was seen, whole or not, in seconds; 0 of nothing.
    pub fn longest_s(&self) -> f64 {
        self.middles().fold(0.0, |longest, (t, _, _)| longest.max(t))
    }

    /// The latest that the longest of those whose end was seen may have ended, in seconds.
    pub(super) fn latest_s(&self) -> f64 {
        let between = self.between.iter().map(|&(_, high, _)| high).filter(|high| high.is_finite());
        self.exact.iter().map(|&(t, _)| t).chain(between).fold(0.0, f64::max)
    }

    /// Whether the longest times are cut off, as by a longest life that is allowed.
    pub(super) fn ends_at_a_cap(&self) -> bool {
        let cut_off = self.between.iter().filter(|(_, high, _)| high.is_infinite());
        cut_off.map(|&(low, ..)| low).fold(0.0, f64::max) >= self.latest_s()
    }

    /// What to take for each length, how many there are of it, and whether its end was seen.
    pub(super) fn middles(&self) -> impl Iterator<Item = (f64, f64, bool)> {
        let exact = self.exact.iter().map(|&(t, _)| (t, 1.0, true));
        exact.chain(self.between.iter().map(|&(low, high, n)| {
            if high.is_finite() { (0.5 * (low + high), n, true) } else { (low, n, false) }
        }))
    }
}
