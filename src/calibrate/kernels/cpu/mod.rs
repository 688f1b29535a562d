//! Kernels on the host's processor, in fp32: what runs everywhere, and shows that file, statistics and reference
//! work. Their times say nothing of a GPU.

mod attention;
mod product;
mod rows;

use super::reference::HOST_VALUES;
use super::{
    ADAM, Backend, BackendError, BackendKind, Begin, DeviceInfo, Format, Number, Sensors, Task, Work,
};
use rayon::prelude::*;

/// Numbers that one thread takes at a time.
const CHUNK: usize = 1 << 14;

/// The host's processor.
pub struct Cpu {
    info: DeviceInfo,
    clock: fn() -> f64,
    task: Option<Task>,
    buffers: Vec<Vec<f32>>,
    /// What the seven passes of Adam keep between them, and what a copy from the host reads.
    scratch: Vec<f32>,
    /// Bytes that a task may take; `None` where that is not known.
    memory: Option<u64>,
}

impl Cpu {
    /// The processor called `name`; `clock` tells monotonic seconds, and `memory` the bytes that a task may take.
    pub fn new(name: String, clock: fn() -> f64, memory: Option<u64>) -> Self {
        let info = DeviceInfo {
            kind: BackendKind::Cpu,
            device: name,
            driver: None,
            library: None,
            timer: "the host's clock",
            software: true,
        };
        Self { info, clock, task: None, buffers: Vec::new(), scratch: Vec::new(), memory }
    }

    fn launch(&mut self) {
        let Some(task) = self.task else { return };
        let scratch = &mut self.scratch;
        match (&task.work, self.buffers.as_mut_slice()) {
            (Work::Gemm(pass, of) | Work::BatchedGemm(pass, of), [left, right, result]) => {
                product::product(*pass, of, left, right, result);
            }
            (Work::Attention(heads), [q, k, v, output, log_sums]) => {
                attention::forward(heads, [q, k, v], output, log_sums);
            }
            (Work::AttentionBackward(heads), [q, k, v, output, log_sums, gradient, dq, dk, dv]) => {
                attention::backward(heads, [q, k, v, output, log_sums, gradient], [dq, dk, dv]);
            }
            (Work::Softmax(of), [x, y]) => rows::softmax(of, x, y),
            (Work::LayerNorm(of), [x, weight, bias, y, means, deviations]) => {
                rows::layer_norm(of, [x, weight, bias], [y, means, deviations]);
            }
            (Work::LayerNormBackward(of), [x, weight, means, deviations, gradient, dx, dweight, dbias]) => {
                rows::layer_norm_backward(of, [x, weight, means, deviations, gradient], [dx, dweight, dbias])
            }
            (Work::Gelu(_), [x, y]) => each(y, [x, &[]], |[x, _], _| gelu(x)),
            (Work::GeluBackward(_), [x, gradient, dx]) => {
                each(dx, [x, gradient], |[x, gradient], _| gradient * gelu_slope(x));
            }
            (Work::ResidualAdd(_), [branch, residual, sum]) => {
                each(sum, [branch, residual], |[branch, residual], _| branch + residual);
            }
            (Work::ColumnSum(of), [x, sums]) => rows::column_sum(of, x, sums),
            (Work::Memcpy(_), [source, destination]) => each(destination, [source, &[]], |[x, _], _| x),
            (Work::HostCopy(_) | Work::HostCopyPinned(_), [destination]) => {
                each(destination, [scratch, &[]], |[x, _], _| x);
            }
            (Work::Adam(_), [p, g, m, v]) => adam([p, m, v], g),
            (Work::AdamForEach(_), [p, g, m, v]) => adam_for_each([p, m, v], g, scratch),
            _ => {}
        }
    }

    /// What a task does not fit into is said, as the system would end the program. A check holds a second copy of a
    /// buffer, and a product packs its right operand: twice the buffers are enough for both.
    fn check_memory(&self, task: &Task) -> Result<(), BackendError> {
        let bytes = task.buffers().iter().map(|buffer| buffer.numbers * Format::Fp32.bytes()).sum::<u64>();
        match self.memory {
            Some(free) if 2 * bytes > free => {
                let task = format!("{} {}", task.name(), task.shape());
                Err(BackendError::Memory { task, needed: 2 * bytes, free })
            }
            _ => Ok(()),
        }
    }

    /// Fills the buffers that a forward pass writes by running it.
    fn forward(&mut self, task: &Task) -> Result<(), BackendError> {
        let (before, taken): (Work, &[(usize, usize)]) = match task.work {
            Work::AttentionBackward(heads) => (Work::Attention(heads), &[(3, 3), (4, 4)]),
            Work::LayerNormBackward(rows) => (Work::LayerNorm(rows), &[(4, 2), (5, 3)]),
            _ => return Ok(()),
        };
        let mut own = Self::new(String::new(), self.clock, None);
        own.prepare(&Task { work: before, ..*task })?;
        own.launch();
        for &(from, to) in taken {
            self.buffers[to] = std::mem::take(&mut own.buffers[from]);
        }
        Ok(())
    }
}

impl Backend for Cpu {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn refusal(&self, task: &Task) -> Option<String> {
        match task.number {
            Number::Fp32 => None,
            other => Some(format!("the processor computes in fp32, not in {}", other.name())),
        }
    }

    fn prepare(&mut self, task: &Task) -> Result<(), BackendError> {
        self.check_memory(task)?;
        self.buffers = task
            .buffers()
            .iter()
            .map(|buffer| match buffer.begin {
                Begin::Values(values) => filled(buffer.numbers, |place| values.at(place, buffer.format)),
                Begin::Poison => vec![f32::NAN; buffer.numbers as usize],
                Begin::Forward => Vec::new(),
            })
            .collect();
        self.scratch = match task.work {
            Work::AdamForEach(params) => vec![0.0; params as usize],
            Work::HostCopy(bytes) | Work::HostCopyPinned(bytes) => {
                filled(bytes / 4, |place| HOST_VALUES.at(place, Format::Fp32))
            }
            _ => Vec::new(),
        };
        self.forward(task)?;
        self.task = Some(*task);
        Ok(())
    }

    fn run(&mut self, times: u32) -> Result<f64, BackendError> {
        let begin = (self.clock)();
        for _ in 0..times {
            self.launch();
        }
        Ok((self.clock)() - begin)
    }

    fn output(&mut self, buffer: usize) -> Result<Vec<f32>, BackendError> {
        Ok(self.buffers[buffer].clone())
    }

    fn sensors(&mut self) -> Sensors {
        Sensors::default()
    }
}

fn filled(numbers: u64, number: impl Fn(u32) -> f32 + Sync) -> Vec<f32> {
    let mut filled = vec![0.0; numbers as usize];
    chunks(&mut filled, &|begin, chunk| {
        for (place, to) in (begin as u32..).zip(chunk) {
            *to = number(place);
        }
    });
    filled
}

/// Sets every number of `to` by those at its place in `from`, which may be empty, and its own.
fn each(to: &mut [f32], from: [&[f32]; 2], number: impl Fn([f32; 2], f32) -> f32 + Sync) {
    chunks(to, &|begin, chunk| {
        let [a, b] = from.map(|of| of.get(begin..).unwrap_or_default());
        for (i, to) in chunk.iter_mut().enumerate() {
            *to = number([a, b].map(|of| of.get(i).copied().unwrap_or_default()), *to);
        }
    });
}

/// Gives each chunk with the place where it begins to some thread. Not generic: what spreads work over threads is
/// compiled once, and not for every kernel.
fn chunks(of: &mut [f32], work: &(dyn Fn(usize, &mut [f32]) + Sync)) {
    of.par_chunks_mut(CHUNK).enumerate().for_each(|(index, chunk)| work(index * CHUNK, chunk));
}

fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + libm::erff(x * std::f32::consts::FRAC_1_SQRT_2))
}

fn gelu_slope(x: f32) -> f32 {
    // One over the root of two pi.
    let density = libm::expf(-0.5 * x * x) * 0.398_942_3;
    0.5 * (1.0 + libm::erff(x * std::f32::consts::FRAC_1_SQRT_2)) + x * density
}

/// Step size and root of the correction of the second moment.
fn corrections() -> (f32, f32) {
    let of = |beta: f32| 1.0 - f64::from(beta).powi(ADAM.update);
    ((f64::from(ADAM.rate) / of(ADAM.beta1)) as f32, of(ADAM.beta2).sqrt() as f32)
}

fn adam([p, m, v]: [&mut [f32]; 3], g: &[f32]) {
    let (step, root) = corrections();
    p.par_chunks_mut(CHUNK)
        .zip(m.par_chunks_mut(CHUNK))
        .zip(v.par_chunks_mut(CHUNK))
        .zip(g.par_chunks(CHUNK))
        .for_each(|(((p, m), v), g)| {
            for (((p, m), v), g) in p.iter_mut().zip(m).zip(v).zip(g) {
                *m += (1.0 - ADAM.beta1) * (g - *m);
                *v = ADAM.beta2 * *v + (1.0 - ADAM.beta2) * g * g;
                *p -= step * *m / (v.sqrt() / root + ADAM.epsilon);
            }
        });
}

/// The passes that lists of tensors are updated in: lerp, mul, addcmul, sqrt, div, add, addcdiv.
fn adam_for_each([p, m, v]: [&mut [f32]; 3], g: &[f32], denominator: &mut [f32]) {
    let (step, root) = corrections();
    each(m, [g, &[]], |[g, _], m| m + (1.0 - ADAM.beta1) * (g - m));
    each(v, [&[], &[]], |_, v| ADAM.beta2 * v);
    each(v, [g, &[]], |[g, _], v| v + (1.0 - ADAM.beta2) * g * g);
    each(denominator, [v, &[]], |[v, _], _| v.sqrt());
    each(denominator, [&[], &[]], |_, root_of| root_of / root);
    each(denominator, [&[], &[]], |_, divided| divided + ADAM.epsilon);
    each(p, [m, denominator], |[m, denominator], p| p - step * m / denominator);
}

#[cfg(test)]
mod tests {
    use super::super::reference::check;
    use super::super::{Heads, Pass, Rows};
    use super::*;
    use crate::compute::Product;

    fn clock() -> f64 {
        0.0
    }

    fn share(work: Work) -> f64 {
        check(&Task { work, number: Number::Fp32 }, &mut Cpu::new("test".into(), clock, None)).unwrap()
    }

    /// Sizes that are multiples of nothing.
    #[test]
    fn products_are_right_in_every_layout() {
        for pass in [Pass::Forward, Pass::Dgrad, Pass::Wgrad] {
            for (m, n, k) in [(1, 1, 1), (37, 29, 53), (64, 48, 1), (5, 131, 70)] {
                assert!(share(Work::Gemm(pass, Product::one(m, n, k))) <= 1.0);
            }
            assert!(share(Work::BatchedGemm(pass, Product { m: 9, n: 17, k: 8, batch: 6 })) <= 1.0);
        }
    }

    #[test]
    fn attention_is_right_both_ways() {
        for heads in [
            Heads { batch: 2, heads: 3, tokens: 17, width: 8 },
            Heads { batch: 1, heads: 2, tokens: 197, width: 64 },
        ] {
            assert!(share(Work::Attention(heads)) <= 1.0);
            assert!(share(Work::AttentionBackward(heads)) <= 1.0);
        }
    }

    #[test]
    fn kernels_on_rows_are_right() {
        let rows = Rows { rows: 203, width: 77 };
        for work in [
            Work::Softmax(rows),
            Work::LayerNorm(rows),
            Work::LayerNormBackward(rows),
            Work::Gelu(rows),
            Work::GeluBackward(rows),
            Work::ResidualAdd(rows),
            Work::ColumnSum(rows),
        ] {
            assert!(share(work) <= 1.0, "{work:?}");
        }
    }

    #[test]
    fn updates_and_copies_are_right() {
        for work in [
            Work::Adam(40_001),
            Work::AdamForEach(40_001),
            Work::Memcpy(160_004),
            Work::HostCopy(160_004),
            Work::HostCopyPinned(160_004),
            Work::Launch,
        ] {
            assert!(share(work) <= 1.0, "{work:?}");
        }
    }

    /// A backend that computes something else is caught, and the message says where.
    #[test]
    fn a_wrong_number_is_an_error_and_not_a_time() {
        struct Off(Cpu);
        impl Backend for Off {
            fn info(&self) -> &DeviceInfo {
                self.0.info()
            }
            fn refusal(&self, task: &Task) -> Option<String> {
                self.0.refusal(task)
            }
            fn prepare(&mut self, task: &Task) -> Result<(), BackendError> {
                self.0.prepare(task)
            }
            fn run(&mut self, times: u32) -> Result<f64, BackendError> {
                self.0.run(times)
            }
            fn output(&mut self, buffer: usize) -> Result<Vec<f32>, BackendError> {
                let mut found = self.0.output(buffer)?;
                found[6] += 0.01;
                Ok(found)
            }
            fn sensors(&mut self) -> Sensors {
                self.0.sensors()
            }
        }
        let task = Task { work: Work::Gelu(Rows { rows: 3, width: 5 }), number: Number::Fp32 };
        let error = check(&task, &mut Off(Cpu::new("test".into(), clock, None))).unwrap_err().to_string();
        assert!(error.starts_with("kernel gelu 3x5 fp32 is wrong: number 6 of its buffer 1 is "), "{error}");
    }

    /// A copy of 1,000 bytes has two buffers: 2,000 bytes, and as much again while it is checked.
    #[test]
    fn a_task_beyond_the_memory_is_refused_with_both_figures() {
        let task = Task { work: Work::Memcpy(1_000), number: Number::Fp32 };
        let prepared = |memory| Cpu::new("test".into(), clock, Some(memory)).prepare(&task);
        let error = prepared(3_999).unwrap_err().to_string();
        assert_eq!(error, "memcpy 1000 needs 4000 bytes on the device, which has 3999 free");
        assert!(prepared(4_000).is_ok());
    }

    #[test]
    fn what_the_processor_lacks_is_refused() {
        let task = Task { work: Work::Launch, number: Number::Bf16 };
        let why = Cpu::new("test".into(), clock, None).refusal(&task).unwrap();
        assert_eq!(why, "the processor computes in fp32, not in bf16");
    }
}
