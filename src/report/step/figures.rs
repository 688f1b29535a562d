//! The figures of one step at one pace, by the names that they have everywhere.

use super::number;
use crate::experiment::step::StepResult;
use crate::scenario::anatomy::{Anatomy, Bound, Pace};

/// One step at one pace.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// The whole step, milliseconds: the sum of the next four.
    pub step_ms: f64,
    /// Kernels, milliseconds.
    pub compute_ms: f64,
    /// Copying the batch from the host, milliseconds.
    pub host_copy_ms: f64,
    /// Communication that nothing hides, milliseconds.
    pub exposed_comm_ms: f64,
    /// Waiting for input, milliseconds.
    pub data_stall_ms: f64,
    /// Samples per second over all ranks.
    pub samples_per_s: f64,
    /// Model FLOP/s over the dense peaks of all GPUs.
    pub mfu: Option<f64>,
}

impl Figures {
    /// Of `anatomy` at `pace`.
    pub fn of(anatomy: &Anatomy, pace: &Pace) -> Self {
        let parts = &pace.parts;
        let ms = |span: crate::units::Span| span.as_secs() * 1e3;
        // The work of a step is the same at any pace, so the share of the peak goes with its time.
        let slower = anatomy.sustained.parts.total().as_secs() / parts.total().as_secs();
        let host_copy_ms = (anatomy.gpu.host_copy_s * 1e3).min(ms(parts.computing));
        Self {
            step_ms: ms(parts.total()),
            compute_ms: ms(parts.computing) - host_copy_ms,
            host_copy_ms,
            exposed_comm_ms: ms(parts.exposed_comm),
            data_stall_ms: ms(parts.data_stall),
            samples_per_s: anatomy.samples_per_s(pace),
            mfu: anatomy.mfu.map(|mfu| mfu * slower),
        }
    }

    /// The same with their names, in the order in which they are told.
    pub fn named(&self) -> [(&'static str, Option<f64>); 7] {
        [
            ("step_ms", Some(self.step_ms)),
            ("compute_ms", Some(self.compute_ms)),
            ("host_copy_ms", Some(self.host_copy_ms)),
            ("exposed_comm_ms", Some(self.exposed_comm_ms)),
            ("data_stall_ms", Some(self.data_stall_ms)),
            ("samples_per_s", Some(self.samples_per_s)),
            ("mfu", self.mfu),
        ]
    }
}

/// The paces of a cluster with their names, that with credits first as it comes first in training.
pub fn paces(anatomy: &Anatomy) -> impl Iterator<Item = (&'static str, &Pace)> {
    anatomy.burst.iter().map(|pace| ("burst", pace)).chain([("sustained", &anatomy.sustained)])
}

/// Milliseconds of communication that something hides.
pub fn hidden_ms(pace: &Pace) -> f64 {
    ((pace.communication_s() - pace.parts.exposed_comm.as_secs()) * 1e3).max(0.0)
}

/// What bounds the step at `pace`.
pub fn bound(result: &StepResult, pace: &Pace) -> Bound {
    result.anatomy.bounds(pace).first().map_or(Bound::Compute, |(bound, _)| *bound)
}

/// The word for a bound, in results and in sentences.
pub const fn bound_word(bound: Bound) -> &'static str {
    match bound {
        Bound::Compute => "compute",
        Bound::Launch => "launch",
        Bound::Network => "network",
        Bound::Loader => "loader",
    }
}

/// Decimals that show at least so many significant digits of `value`.
pub fn decimals(value: f64, digits: i32) -> usize {
    if value <= 0.0 || !value.is_finite() {
        return 0;
    }
    (digits - 1 - libm::floor(libm::log10(value)) as i32).clamp(0, 6) as usize
}

/// How the times of one table are told: in one unit, with the decimals that the shortest step needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeUnit {
    sign: &'static str,
    /// In milliseconds.
    unit_ms: f64,
    decimals: usize,
}

/// From so many milliseconds, times are told in seconds.
const SECONDS_FROM_MS: f64 = 10_000.0;

impl TimeUnit {
    /// For steps of such lengths, the shortest with so many significant digits.
    pub fn of(steps_ms: impl Iterator<Item = f64> + Clone, digits: i32) -> Self {
        let longest = steps_ms.clone().fold(0.0, f64::max);
        let shortest = steps_ms.fold(f64::INFINITY, f64::min);
        let (sign, unit_ms) = if longest < SECONDS_FROM_MS { ("ms", 1.0) } else { ("s", 1e3) };
        Self { sign, unit_ms, decimals: decimals(shortest / unit_ms, digits) }
    }

    /// `788 ms`.
    pub fn text(&self, ms: f64) -> String {
        format!("{} {}", number::fixed(ms / self.unit_ms, self.decimals), self.sign)
    }
}

/// A time in a sentence: `623 ms`, `4.87 ms`, `20.3 s`.
pub fn time(ms: f64) -> String {
    TimeUnit::of([ms].into_iter(), 3).text(ms)
}
