//! Axes: from values to pixels, and ticks at 1, 2 and 5.

use super::number::fixed;

/// The ratio of the largest to the smallest value from which an axis is logarithmic.
const LOGARITHMIC_FROM: f64 = 30.0;

/// A scale along one side of a plot.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
    /// Decimals that the ticks of a linear axis need.
    decimals: usize,
    ticks: Vec<f64>,
    /// Where `low` and `high` lie, px.
    pixels: (f64, f64),
}

impl Axis {
    /// From a tick at or below `low` to a tick at or above `high`; linear, unless `low` is above 0 and
    /// `high` very many times as much. At most about `most` ticks.
    pub(super) fn spanning(low: f64, high: f64, pixels: (f64, f64), most: usize) -> Self {
        if Self::suits_logarithm(low, high) {
            Self::logarithmic(low, high, pixels, most)
        } else {
            Self::linear(low, high, pixels, most)
        }
    }

    /// Whether a range is so wide that [`Self::spanning`] makes a logarithmic axis for it.
    pub(super) fn suits_logarithm(low: f64, high: f64) -> bool {
        low > 0.0 && high / low >= LOGARITHMIC_FROM
    }

    /// The same, but linear in any case.
    pub(super) fn linear(low: f64, high: f64, pixels: (f64, f64), most: usize) -> Self {
        let (low, high) = widened(low, high);
        let (step, decimals) = nice_step((high - low) / most.max(1) as f64);
        // A bound that is a tick but for rounding is that tick.
        let first = libm::floor(low / step + 1e-9);
        let last = libm::ceil(high / step - 1e-9);
        let ticks: Vec<f64> = (0..=(last - first) as usize).map(|k| (first + k as f64) * step).collect();
        Self { low: first * step, high: last * step, logarithmic: false, decimals, ticks, pixels }
    }

    /// The same, but logarithmic in any case; `low` is above 0.
    pub(super) fn logarithmic(low: f64, high: f64, pixels: (f64, f64), most: usize) -> Self {
        let decade = |exponent: i32| libm::pow(10.0, f64::from(exponent));
        let (first, last) = (libm::floor(libm::log10(low)) as i32, libm::ceil(libm::log10(high)) as i32);
        let all: Vec<f64> = (first..=last)
            .flat_map(|exponent| [1.0, 2.0, 5.0].map(|digit| digit * decade(exponent)))
            .collect();
        let begin = all.iter().rposition(|&tick| tick <= low * (1.0 + 1e-9)).unwrap_or(0);
        let end = all.iter().position(|&tick| tick >= high * (1.0 - 1e-9)).unwrap_or(all.len() - 1);
        let mut ticks = all[begin..=end].to_vec();
        let (low, high) = (all[begin], all[end]);
        if ticks.len() > most + 2 {
            ticks = (first..=last).map(decade).filter(|tick| (low..=high).contains(tick)).collect();
            let every = ticks.len().div_ceil(most.max(1));
            ticks = ticks.into_iter().step_by(every).collect();
        }
        Self { low, high, logarithmic: true, decimals: 0, ticks, pixels }
    }

    /// Logarithmic, from the first to the last of `ticks`, whole numbers above 0 that rise.
    pub(super) fn logarithmic_at(ticks: Vec<f64>, pixels: (f64, f64)) -> Self {
        let (low, high) = (ticks[0], ticks[ticks.len() - 1]);
        Self { low, high, logarithmic: true, decimals: 0, ticks, pixels }
    }

    /// The same axis between other pixels.
    pub(super) fn between(&self, pixels: (f64, f64)) -> Self {
        Self { pixels, ..self.clone() }
    }

    /// Where `value` lies, px; what is beyond the axis lies at its end.
    pub(super) fn place(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        let share = if self.logarithmic {
            libm::log(value / self.low) / libm::log(self.high / self.low)
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.pixels.0 + share * (self.pixels.1 - self.pixels.0)
    }

    /// The value at which `share` of the axis is passed.
    pub(super) fn value_at(&self, share: f64) -> f64 {
        if self.logarithmic {
            self.low * libm::pow(self.high / self.low, share)
        } else {
            self.low + share * (self.high - self.low)
        }
    }

    /// Which share of the axis is passed at `value`.
    pub(super) fn share_of(&self, value: f64) -> f64 {
        (self.place(value) - self.pixels.0) / (self.pixels.1 - self.pixels.0)
    }

    pub(super) fn is_logarithmic(&self) -> bool {
        self.logarithmic
    }

    /// Whether `value` lies on the axis.
    pub(super) fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Place, px, and text of each tick.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let text = |tick: f64| {
            let exponent = if tick > 0.0 { libm::floor(libm::log10(tick) + 1e-9) } else { 0.0 };
            let decimals = if self.logarithmic { (-exponent).max(0.0) as usize } else { self.decimals };
            fixed(tick, decimals)
        };
        self.ticks.iter().map(|&tick| (self.place(tick), text(tick))).collect()
    }
}

/// A range that is not empty, so that a step can be taken.
fn widened(low: f64, high: f64) -> (f64, f64) {
    match high - low {
        span if span > 1e-9 * high.abs().max(low.abs()) && span > 0.0 => (low, high),
        _ if high == 0.0 => (0.0, 1.0),
        _ => (low - 0.1 * low.abs(), high + 0.1 * high.abs()),
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that is at least `least`, and its decimals.
fn nice_step(least: f64) -> (f64, usize) {
    let exponent = libm::floor(libm::log10(least)) as i32;
    for (exponent, digit) in [(exponent, 1.0), (exponent, 2.0), (exponent, 5.0), (exponent + 1, 1.0)] {
        let step = digit * libm::pow(10.0, f64::from(exponent));
        if step >= least * (1.0 - 1e-9) {
            return (step, (-exponent).max(0) as usize);
        }
    }
    unreachable!("ten times its own power of ten is above any number")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis) -> Vec<String> {
        axis.ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_stand_where_they_are_asked_for() {
        let axis = Axis::logarithmic_at(vec![1.0, 4.0, 16.0], (0.0, 100.0));
        assert_eq!(axis.ticks(), [(0.0, "1".to_owned()), (50.0, "4".to_owned()), (100.0, "16".to_owned())]);
    }

    #[test]
    fn ticks_stand_at_ones_twos_and_fives() {
        let axis = Axis::spanning(11.0, 33.0, (0.0, 100.0), 6);
        assert_eq!(texts(&axis), ["10", "15", "20", "25", "30", "35"]);
        assert_eq!((axis.place(10.0), axis.place(35.0), axis.place(22.5)), (0.0, 100.0, 50.0));
        let small = Axis::spanning(0.0, 0.0042, (0.0, 1.0), 5);
        assert_eq!(texts(&small), ["0.000", "0.001", "0.002", "0.003", "0.004", "0.005"]);
    }

    #[test]
    fn a_wide_range_is_logarithmic_and_begins_and_ends_at_ticks() {
        let axis = Axis::spanning(0.3, 40.0, (0.0, 8.0), 8);
        assert_eq!(texts(&axis), ["0.2", "0.5", "1", "2", "5", "10", "20", "50"]);
        let wide = Axis::spanning(0.001, 10_000.0, (0.0, 7.0), 8);
        assert_eq!(texts(&wide), ["0.001", "0.01", "0.1", "1", "10", "100", "1,000", "10,000"]);
        assert!((wide.place(1.0) - 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_single_value_still_makes_an_axis() {
        for value in [0.0, 5.0, 1e-9, 1e9] {
            let axis = Axis::spanning(value, value, (0.0, 100.0), 6);
            assert!(axis.ticks.len() >= 2 && axis.holds(value), "{value}: {axis:?}");
            assert!(axis.place(value).is_finite());
        }
    }

    #[test]
    fn shares_and_values_are_inverse() {
        for axis in [Axis::spanning(3.0, 20.0, (7.0, 900.0), 8), Axis::spanning(1.0, 900.0, (7.0, 900.0), 8)]
        {
            for share in [0.0, 0.25, 0.9, 1.0] {
                assert!((axis.share_of(axis.value_at(share)) - share).abs() < 1e-9);
            }
        }
    }
}
