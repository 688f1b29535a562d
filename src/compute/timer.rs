//! Time of kernels: as measured where they were, else as modelled.

use super::{Calibration, Device, Precision, Product, kernel};

/// One kernel on the device.
pub(super) struct Kernel {
    /// Seconds that it takes.
    pub s: f64,
    /// The same if measured, else 0.
    pub measured_s: f64,
    /// Arithmetic of its matrix products, FLOP.
    pub flop: f64,
    /// Bytes that it reads and writes.
    pub bytes: f64,
}

impl Kernel {
    fn new(measured_s: Option<f64>, modelled_s: f64, flop: f64, bytes: f64) -> Self {
        Self { s: measured_s.unwrap_or(modelled_s), measured_s: measured_s.unwrap_or(0.0), flop, bytes }
    }
}

/// Times the kernels of a step.
#[derive(Clone, Copy)]
pub(super) struct Timer<'a> {
    /// What they run on.
    pub device: &'a Device,
    /// Number formats of the step.
    pub precision: Precision,
    /// What was measured; no efficiency applies to it.
    pub measured: Option<&'a Calibration>,
}

impl Timer<'_> {
    /// A matrix product.
    pub(super) fn product(&self, product: Product) -> Kernel {
        let name = if product.batch == 1 { kernel::GEMM } else { kernel::BATCHED_GEMM };
        let number_bytes = self.precision.operand_bytes();
        Kernel::new(
            self.measured_s(name, &product.shape(), self.precision.operand_name()),
            self.device.product_s(&product, number_bytes),
            product.flop(),
            product.numbers() * number_bytes,
        )
    }

    /// A kernel without a name that is bound by memory.
    pub(super) fn traffic(&self, bytes: f64) -> Kernel {
        Kernel::new(None, self.device.traffic_s(bytes), 0.0, bytes)
    }

    /// Softmax of unfused attention, with its scaling and casts.
    pub(super) fn scores(&self, bytes: f64) -> Kernel {
        Kernel::new(None, self.device.score_traffic_s(bytes), 0.0, bytes)
    }

    /// A kernel of a calibration file that is bound by memory.
    pub(super) fn named_traffic(&self, name: &str, shape: &str, format: &str, bytes: f64) -> Kernel {
        Kernel::new(self.measured_s(name, shape, format), self.device.traffic_s(bytes), 0.0, bytes)
    }

    /// A kernel of a calibration file whose arithmetic, at `share` of the peak, and traffic follow each other.
    pub(super) fn mixed(&self, name: &str, shape: &str, flop: f64, share: f64, bytes: f64) -> Kernel {
        let modelled_s = self.device.arithmetic_s(flop, share) + self.device.traffic_s(bytes);
        Kernel::new(self.measured_s(name, shape, self.precision.operand_name()), modelled_s, flop, bytes)
    }

    fn measured_s(&self, name: &str, shape: &str, format: &str) -> Option<f64> {
        self.measured?.kernel_s(name, shape, format)
    }
}
