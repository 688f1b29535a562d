//! What kernels must compute, in f64, and how far off their number formats let them be.
//!
//! Every number of every output must be finite, as each output begins as not-a-number. A sample of them, spread over
//! the whole and with both ends in it, must be within its bound.

mod attention;
mod product;
mod rows;

use super::{ADAM, Backend, BackendError, Begin, Buffer, Format, Number, Task, Values, Work};

/// Places that are compared in each output of kernels whose numbers cost little.
const PLACES: u64 = 4_096;

/// Right value and how far from it a kernel may be.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Right {
    value: f64,
    bound: f64,
}

/// Why a kernel's times are not worth having.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// It did not run.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// It wrote a wrong number.
    #[error(
        "kernel {name} {shape} {precision} is wrong: number {place} of its buffer {buffer} is {found}, and should be \
         {right} within {bound}"
    )]
    Wrong {
        /// The kernel's name.
        name: &'static str,
        /// Its shape.
        shape: String,
        /// Its number format.
        precision: String,
        /// Place in the list of buffers.
        buffer: usize,
        /// Place in the buffer.
        place: u64,
        /// What it wrote.
        found: f32,
        /// What it should have written.
        right: f64,
        /// How far it may be off.
        bound: f64,
    },
}

/// Prepares a task, runs it once and compares what it wrote with a computation in f64. The largest error as a share of
/// its bound, at most 1.
pub fn check(task: &Task, backend: &mut dyn Backend) -> Result<f64, CheckError> {
    backend.prepare(task)?;
    backend.run(1)?;
    let mut worst = 0.0_f64;
    for (buffer, what) in task.buffers().iter().enumerate().filter(|(_, what)| what.output) {
        let found = backend.output(buffer)?;
        let wrong = |place: u64, right: Right| {
            let (name, shape, precision) = (task.name(), task.shape(), task.precision());
            let Right { value, bound } = right;
            let found = found.get(place as usize).copied().unwrap_or(f32::NAN);
            CheckError::Wrong { name, shape, precision, buffer, place, found, right: value, bound }
        };
        let unwritten = found.iter().position(|number| !number.is_finite());
        let rights = rights(task, buffer, what);
        if found.len() as u64 != what.numbers || unwritten.is_some() {
            let place = unwritten.unwrap_or(found.len()) as u64;
            let right = rights.iter().find(|(at, _)| *at >= place).or(rights.last());
            return Err(wrong(place, right.map_or(Right { value: 0.0, bound: 0.0 }, |(_, right)| *right)));
        }
        for (place, right) in rights {
            let error = (f64::from(found[place as usize]) - right.value).abs();
            // Where nothing may differ, nothing does.
            let share = if error == 0.0 { 0.0 } else { error / right.bound };
            if share.is_nan() || share > 1.0 {
                return Err(wrong(place, right));
            }
            worst = worst.max(share);
        }
    }
    Ok(worst)
}

/// Places of one output in rising order, each with its right value.
fn rights(task: &Task, buffer: usize, what: &Buffer) -> Vec<(u64, Right)> {
    let buffers = task.buffers();
    let input = |index: usize| Input::of(&buffers[index]);
    match &task.work {
        Work::Gemm(pass, product) | Work::BatchedGemm(pass, product) => {
            product::rights(*pass, product, task.number, [input(0), input(1)])
        }
        Work::Attention(heads) => {
            attention::forward(heads, task.number, [input(0), input(1), input(2)], buffer)
        }
        Work::AttentionBackward(heads) => {
            attention::backward(heads, task.number, [input(0), input(1), input(2), input(5)], buffer)
        }
        Work::Softmax(rows) => rows::softmax(rows, input(0)),
        Work::LayerNorm(rows) => rows::layer_norm(rows, [input(0), input(1), input(2)], buffer),
        Work::LayerNormBackward(rows) => {
            rows::layer_norm_backward(rows, [input(0), input(1), input(4)], buffer)
        }
        Work::ColumnSum(rows) => rows::column_sum(rows, task.number, input(0)),
        Work::Gelu(_) => each(what, |i| rounded(gelu(input(0).at(i)), task.number, ERF)),
        Work::GeluBackward(_) => {
            each(what, |i| rounded(input(1).at(i) * gelu_slope(input(0).at(i)), task.number, ERF))
        }
        Work::ResidualAdd(_) => {
            each(what, |i| rounded(input(0).at(i) + input(1).at(i), Number::Fp32, f64::MIN_POSITIVE))
        }
        Work::Memcpy(_) => each(what, |i| exactly(input(0).at(i))),
        Work::HostCopy(_) | Work::HostCopyPinned(_) => each(what, |i| exactly(host_value(i))),
        Work::Adam(_) | Work::AdamForEach(_) => {
            each(what, |i| adam([input(0), input(1), input(2), input(3)].map(|of| of.at(i)), buffer))
        }
        Work::Launch => Vec::new(),
    }
}

/// A buffer of pseudo-random numbers.
#[derive(Debug, Clone, Copy)]
struct Input {
    values: Values,
    format: Format,
}

impl Input {
    fn of(buffer: &Buffer) -> Self {
        match buffer.begin {
            Begin::Values(values) => Self { values, format: buffer.format },
            Begin::Poison | Begin::Forward => unreachable!("an input begins with values"),
        }
    }

    fn at(self, place: u64) -> f64 {
        f64::from(self.values.at(place as u32, self.format))
    }
}

/// What [`Work::HostCopy`] copies.
pub(super) const HOST_VALUES: Values = Values { seed: 1, scale: 1.0, positive: false };

fn host_value(place: u64) -> f64 {
    f64::from(HOST_VALUES.at(place as u32, Format::Fp32))
}

/// `count` of `total` places, spread evenly with both ends among them; all if there are no more.
fn spread(total: u64, count: u64) -> Vec<u64> {
    if total <= count {
        return (0..total).collect();
    }
    // A stride that is no multiple of a tile's side, so that places move through the tiles.
    let mut places: Vec<u64> = (0..count).map(|i| i * (total - 1) / (count - 1)).collect();
    places.dedup();
    places
}

fn each(what: &Buffer, right: impl Fn(u64) -> Right) -> Vec<(u64, Right)> {
    spread(what.numbers, PLACES).into_iter().map(|place| (place, right(place))).collect()
}

fn exactly(value: f64) -> Right {
    Right { value, bound: 0.0 }
}

/// Largest relative error of rounding to the nearest number; twice that in fp32, for a sum before it.
fn last_place(number: Number) -> f64 {
    match number {
        Number::Bf16 => 2.0_f64.powi(-8),
        Number::Fp16 => 2.0_f64.powi(-11),
        Number::Tf32 | Number::Fp32 => 2.0_f64.powi(-23),
    }
}

/// A value that is rounded once, computed with an error of at most `slack` in itself.
fn rounded(value: f64, number: Number, slack: f64) -> Right {
    // The smallest fp16 numbers are 2⁻²⁴ apart.
    let least = if number == Number::Fp16 { 2.0_f64.powi(-24) } else { 0.0 };
    Right { value, bound: last_place(number) * value.abs() + slack + least }
}

/// Error of GELU by an error function that is good to 1.5e-7 (M. Abramowitz and I. Stegun, 7.1.26), at |x| up to 4.
const ERF: f64 = 4e-6;

fn gelu(x: f64) -> f64 {
    0.5 * x * (1.0 + libm::erf(x / std::f64::consts::SQRT_2))
}

fn gelu_slope(x: f64) -> f64 {
    let density = libm::exp(-0.5 * x * x) / (2.0 * std::f64::consts::PI).sqrt();
    0.5 * (1.0 + libm::erf(x / std::f64::consts::SQRT_2)) + x * density
}

/// Adam's update as PyTorch writes it; buffer 0 is the parameter, 2 and 3 the moments.
fn adam([p, g, m, v]: [f64; 4], buffer: usize) -> Right {
    let [rate, beta1, beta2, epsilon] = [ADAM.rate, ADAM.beta1, ADAM.beta2, ADAM.epsilon].map(f64::from);
    let m = beta1 * m + (1.0 - beta1) * g;
    let v = beta2 * v + (1.0 - beta2) * g * g;
    let step = rate / (1.0 - beta1.powi(ADAM.update));
    let root = (v / (1.0 - beta2.powi(ADAM.update))).sqrt();
    // A few roundings each; 1 - beta and the corrections are rounded to fp32 before they are used.
    let few = 1e-5;
    match buffer {
        0 => {
            let change = step * m / (root + epsilon);
            Right { value: p - change, bound: last_place(Number::Fp32) * p.abs() + few * change.abs() }
        }
        2 => Right { value: m, bound: few * (m.abs() + g.abs() * 1e-2) },
        _ => Right { value: v, bound: few * v },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// W. Kahan's rule of thumb for a table: GELU(1) = 0.841345 (normal tables), its slope there Φ(1) + φ(1).
    #[test]
    fn gelu_has_the_values_of_normal_tables() {
        assert!((gelu(1.0) - 0.841_344_746).abs() < 1e-9);
        assert!((gelu_slope(1.0) - (0.841_344_746 + 0.241_970_725)).abs() < 1e-9);
        assert_eq!(gelu(0.0), 0.0);
    }

    /// By hand at the first update's formula with g = 1, m = v = 0 the change is the rate; here at the tenth, with
    /// m = 1 and v = 1 already there: m stays 1, v stays 1.
    #[test]
    fn adam_keeps_moments_that_agree_with_the_gradient() {
        let at = |buffer| adam([0.5, 1.0, 1.0, 1.0], buffer).value;
        assert!((at(2) - 1.0).abs() < 1e-7 && (at(3) - 1.0).abs() < 1e-7);
        let corrections = (1.0 - 0.999_f64.powi(10)).sqrt() / (1.0 - 0.9_f64.powi(10));
        assert!((0.5 - at(0) - 1e-3 * corrections).abs() < 1e-9);
    }

    #[test]
    fn places_reach_both_ends() {
        assert_eq!(spread(3, 10), vec![0, 1, 2]);
        let places = spread(1_000_000, 100);
        assert_eq!((places.len(), places[0], places[99]), (100, 0, 999_999));
    }
}
