//! Time of kernels: as measured where they were, else as modelled.

use super::{Calibration, Device, Evidence, Precision, Product};

/// One kernel on the device.
pub(super) struct Kernel {
    /// Seconds that it takes.
    pub s: f64,
    /// The same if measured in its shape, else 0.
    pub measured_s: f64,
    /// The same if between measured shapes, else 0.
    pub between_s: f64,
    /// Arithmetic of its matrix products, FLOP.
    pub flop: f64,
    /// Bytes that it reads and writes.
    pub bytes: f64,
}

impl Kernel {
    fn new(known: Option<(f64, Evidence)>, modelled_s: f64, flop: f64, bytes: f64) -> Self {
        let of = |evidence| known.filter(|(_, of)| *of == evidence).map_or(0.0, |(s, _)| s);
        let s = known.map_or(modelled_s, |(s, _)| s);
        Self { s, measured_s: of(Evidence::Measured), between_s: of(Evidence::Between), flop, bytes }
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
    /// A matrix product, which calibration files know under `name`.
    pub(super) fn product(&self, name: &str, product: Product) -> Kernel {
        let number_bytes = self.precision.operand_bytes();
        Kernel::new(
            self.known(name, &product.shape(), self.precision.operand_name()),
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
        Kernel::new(self.known(name, shape, format), self.device.traffic_s(bytes), 0.0, bytes)
    }

    /// A kernel of a calibration file whose arithmetic, at `share` of the peak, and traffic follow each other.
    pub(super) fn mixed(&self, name: &str, shape: &str, flop: f64, share: f64, bytes: f64) -> Kernel {
        let modelled_s = self.device.arithmetic_s(flop, share) + self.device.traffic_s(bytes);
        Kernel::new(self.known(name, shape, self.precision.operand_name()), modelled_s, flop, bytes)
    }

    fn known(&self, name: &str, shape: &str, format: &str) -> Option<(f64, Evidence)> {
        self.measured?.kernel(name, shape, format)
    }
}
