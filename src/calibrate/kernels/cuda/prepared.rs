//! A task's memory and steps on a device.

use super::BackendError;
use super::cublas::Products;
use super::driver::{Address, Context};
use super::memory::{Memory, Pinned};
use super::source::Source;
use super::steps::{Builder, Kernels, Step, scratch};
use super::stream::{Argument, Stream};
use crate::calibrate::kernels::{Begin, Buffer, Format, Task, Values, Work};
use rayon::prelude::*;
use std::rc::Rc;

/// A task that can be run.
pub(super) struct Prepared {
    // Steps know addresses only; the memory is here.
    steps: Vec<Step>,
    buffers: Vec<(Memory, Format)>,
    _scratch: Vec<Memory>,
    host: Option<Host>,
}

/// Where a copy from the host begins.
enum Host {
    Pageable(Vec<u8>),
    Pinned(Pinned),
}

impl Host {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Pageable(bytes) => bytes,
            Self::Pinned(pinned) => pinned.bytes(),
        }
    }
}

impl Prepared {
    /// Takes memory, fills it, runs what a backward pass needs first, and loads the kernels.
    pub(super) fn new(
        task: &Task,
        context: &Rc<Context>,
        stream: &Stream,
        products: &Products,
        kernels: &mut dyn Kernels,
    ) -> Result<Self, BackendError> {
        let listed = task.buffers();
        let sizes: Vec<u64> = listed.iter().map(|buffer| buffer.numbers * buffer.format.bytes()).collect();
        let beside = scratch(task);
        let needed = sizes.iter().chain(&beside).sum();
        let free = context.free()?;
        let short =
            || BackendError::Memory { task: format!("{} {}", task.name(), task.shape()), needed, free };
        if needed > free {
            return Err(short());
        }
        let take = |sizes: &[u64]| {
            sizes
                .iter()
                .map(|bytes| Memory::new(context, *bytes)?.ok_or_else(short))
                .collect::<Result<Vec<Memory>, BackendError>>()
        };
        let (memory, scratch) = (take(&sizes)?, take(&beside)?);
        let addresses = |all: &[Memory]| all.iter().map(Memory::address).collect::<Vec<Address>>();
        let (at, scratch_at) = (addresses(&memory), addresses(&scratch));
        let mut prepared = Self {
            steps: Vec::new(),
            buffers: memory
                .into_iter()
                .zip(&listed)
                .map(|(memory, buffer)| (memory, buffer.format))
                .collect(),
            _scratch: scratch,
            host: host(task, context)?,
        };
        let mut first = Builder { kernels, buffers: &at, scratch: &scratch_at, steps: Vec::new() };
        for ((memory, _), buffer) in prepared.buffers.iter().zip(&listed) {
            match buffer.begin {
                Begin::Values(values) => fill(&mut first, memory.address(), buffer, values)?,
                Begin::Poison | Begin::Forward => memory.poison(stream)?,
            }
        }
        first.forward(task)?;
        prepared.steps = std::mem::take(&mut first.steps);
        prepared.put(stream, products)?;
        stream.wait()?;
        first.task(task)?;
        prepared.steps = first.steps;
        Ok(prepared)
    }

    /// Puts all steps on the stream once.
    pub(super) fn put(&self, stream: &Stream, products: &Products) -> Result<(), BackendError> {
        for step in &self.steps {
            match step {
                Step::Launch { kernel, shape, arguments } => kernel.launch(stream, *shape, arguments)?,
                Step::Multiply { product, pass, number, operands } => {
                    products.multiply(product, *pass, *number, *operands)?;
                }
                Step::Copy => self.buffers[1].0.copy_from(&self.buffers[0].0, stream)?,
                Step::CopyFromHost => {
                    let host = self.host.as_ref().expect("copies from the host come with its memory");
                    self.buffers[0].0.copy_from_host(host.bytes(), stream)?;
                }
            }
        }
        Ok(())
    }

    /// The numbers of a buffer; `None` if there is no such buffer.
    pub(super) fn numbers(&self, buffer: usize, stream: &Stream) -> Result<Option<Vec<f32>>, BackendError> {
        let Some((memory, format)) = self.buffers.get(buffer) else {
            return Ok(None);
        };
        Ok(Some(widened(&memory.read(stream)?, *format)))
    }
}

/// Numbers that a thread turns at a time.
const PIECE: usize = 1 << 16;

/// Numbers of a format as they lie in memory. Outputs have up to hundreds of millions, so all threads take part.
fn widened(bytes: &[u8], format: Format) -> Vec<f32> {
    let width = if format == Format::Fp32 { 4 } else { 2 };
    let mut numbers = vec![0.0; bytes.len() / width];
    let two = |pair: &[u8]| u16::from_le_bytes([pair[0], pair[1]]);
    numbers.par_chunks_mut(PIECE).zip(bytes.par_chunks(PIECE * width)).for_each(|(numbers, bytes)| {
        for (number, bytes) in numbers.iter_mut().zip(bytes.chunks_exact(width)) {
            *number = match format {
                Format::Bf16 => f32::from_bits(u32::from(two(bytes)) << 16),
                Format::Fp16 => of_half(two(bytes)),
                Format::Fp32 => f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
            };
        }
    });
    numbers
}

fn fill(
    builder: &mut Builder<'_>,
    address: Address,
    buffer: &Buffer,
    values: Values,
) -> Result<(), BackendError> {
    let bits = buffer.format.significand_bits();
    let arguments = vec![
        Argument::Pointer(address),
        Argument::Count(buffer.numbers),
        Argument::Count(u64::from(values.seed)),
        Argument::Count(u64::from(bits)),
        // A power of two, like the scale: exact.
        Argument::Float(values.scale / (1_u32 << bits) as f32),
        Argument::Count(u64::from(values.positive)),
    ];
    builder.launch(&Source::Fill.of(buffer.format, &[]), "fill", buffer.numbers.div_ceil(256), 256, arguments)
}

fn host(task: &Task, context: &Rc<Context>) -> Result<Option<Host>, BackendError> {
    let (Work::HostCopy(bytes) | Work::HostCopyPinned(bytes)) = task.work else {
        return Ok(None);
    };
    let values = Values { seed: 1, scale: 1.0, positive: false };
    let numbers = u32::try_from(bytes / Format::Fp32.bytes()).expect("buffers have fewer than 2³² numbers");
    let bytes: Vec<u8> =
        (0..numbers).flat_map(|place| values.at(place, Format::Fp32).to_le_bytes()).collect();
    Ok(Some(if matches!(task.work, Work::HostCopyPinned(_)) {
        Host::Pinned(Pinned::copy_of(context, &bytes)?)
    } else {
        Host::Pageable(bytes)
    }))
}

/// A half-precision number; every one is exact in single precision.
fn of_half(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let exponent = u32::from(bits >> 10 & 31);
    let fraction = u32::from(bits & 0x3ff);
    let magnitude = match exponent {
        // Below the normal numbers: steps of 2⁻²⁴.
        0 => (fraction as f32 / 16_777_216.0).to_bits(),
        31 => 0x7f80_0000 | fraction << 13,
        _ => (exponent + 112) << 23 | fraction << 13,
    };
    f32::from_bits(sign | magnitude)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// IEEE 754 binary16: 5 bits of exponent with a bias of 15, 10 of fraction.
    #[test]
    fn halves_are_read_by_the_standard() {
        for (bits, value) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 5.960_464_5e-8),
            (0x0400, 6.103_515_6e-5),
        ] {
            assert_eq!(of_half(bits), value);
        }
        assert!(of_half(0xffff).is_nan());
        assert_eq!(of_half(0x7c00), f32::INFINITY);
    }

    /// One more than whole pieces: each number keeps its place.
    #[test]
    fn numbers_keep_their_places_over_pieces() {
        let count = 2 * PIECE + 1;
        let bytes: Vec<u8> = (0..count).flat_map(|at| (at as f32).to_le_bytes()).collect();
        let numbers = widened(&bytes, Format::Fp32);
        assert_eq!(numbers.len(), count);
        assert!(numbers.iter().enumerate().all(|(at, number)| *number == at as f32));
        // The upper half of 2¹⁶ as fp32, 0x4780, is 2¹⁶ as bf16.
        assert_eq!(widened(&[0x80, 0x47, 0x80, 0xbf], Format::Bf16), [65_536.0, -1.0]);
    }
}
