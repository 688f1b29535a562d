//! A key of the sweep along one side of a plot: numbers, their logarithms, or words.

use super::super::axis::Axis;
use super::super::text::cleaned;
use crate::experiment::sweep::{Scale, SweepAxis};
use crate::report::sweep::KeyUnit;

/// Where values of a key lie.
pub(super) enum KeyAxis {
    Numbers {
        axis: Axis,
        /// Values of the sweep in one of the axis.
        per: f64,
        unit: String,
    },
    Words {
        /// Place of each, px, with its text.
        ticks: Vec<(f64, String)>,
    },
}

/// Between two ticks, px.
const APART: f64 = 48.0;

impl KeyAxis {
    /// From the least to the most value of the sweep.
    pub(super) fn of(key: &SweepAxis, (left, right): (f64, f64), most: usize) -> Self {
        let (low, high) = match (key.values.first(), key.values.last()) {
            (Some(first), Some(last)) => (first.0, last.0),
            _ => (0.0, 1.0),
        };
        match &key.scale {
            Scale::Numbers { is_geometric, .. } => {
                let unit = KeyUnit::of(key).expect("values are numbers");
                let (per, unit) = (unit.per, cleaned(&unit.sign));
                let pixels = (left, right);
                let own: Vec<f64> = key.values.iter().map(|(value, _)| value / per).collect();
                let axis = match is_geometric {
                    // 1, 2, 4, 8 nodes are told as they were asked for.
                    true if are_ticks(&own, right - left, most) => Axis::logarithmic_at(own, pixels),
                    true => Axis::logarithmic(low / per, high / per, pixels, most),
                    false => Axis::linear(low / per, high / per, pixels, most),
                };
                Self::Numbers { axis, per, unit }
            }
            Scale::Words => {
                let step = (right - left) / key.values.len().max(1) as f64;
                let tick = |(at, (_, text)): (usize, &(f64, String))| {
                    (left + (at as f64 + 0.5) * step, cleaned(text))
                };
                Self::Words { ticks: key.values.iter().enumerate().map(tick).collect() }
            }
        }
    }

    /// Where a value lies, px.
    pub(super) fn place(&self, value: f64) -> f64 {
        match self {
            Self::Numbers { axis, per, .. } => axis.place(value / per),
            Self::Words { ticks } => ticks.get(value as usize).map_or(0.0, |(x, _)| *x),
        }
    }

    /// Place, px, and text of each tick.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        match self {
            Self::Numbers { axis, .. } => axis.ticks(),
            Self::Words { ticks } => ticks.clone(),
        }
    }

    /// The key with the unit behind it.
    pub(super) fn title(&self, key: &str) -> String {
        match self {
            Self::Numbers { unit, .. } if !unit.is_empty() => format!("{}, {unit}", cleaned(key)),
            _ => cleaned(key),
        }
    }

    /// Whether points along it may be joined.
    pub(super) fn is_continuous(&self) -> bool {
        matches!(self, Self::Numbers { .. })
    }
}

/// Whether values are few whole numbers, far enough from one another along `width` pixels.
fn are_ticks(values: &[f64], width: f64, most: usize) -> bool {
    let span = libm::log(values.last().copied().unwrap_or(1.0) / values.first().copied().unwrap_or(1.0));
    let is_apart = |pair: &[f64]| libm::log(pair[1] / pair[0]) / span * width >= APART;
    (2..=most).contains(&values.len())
        && values.iter().all(|value| value.fract() == 0.0)
        && values.windows(2).all(is_apart)
}
