//! The computing of one training step, taken apart.

use super::{Device, Group, Operation};

/// How a step's time was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// From each operation of the model's shape.
    PerOperation,
    /// From the model's counts alone: multiply-accumulates, activations and parameters.
    Light,
}

/// What one training step computes on one accelerator.
#[derive(Debug, Clone, PartialEq)]
pub struct ComputeStep {
    /// How its time was made.
    pub form: Form,
    /// Its operations.
    pub operations: Vec<Operation>,
    /// Seconds of forward.
    pub forward_s: f64,
    /// Seconds of backward: what gradients can hide behind.
    pub backward_s: f64,
    /// Seconds of the update.
    pub optimizer_s: f64,
    /// Whether the host launches kernels slower than the device computes them. The three times are then
    /// those of launching, shared out as the device's.
    pub launch_bound: bool,
    /// Model arithmetic, FLOP: six for each multiply-accumulate of forward.
    pub flop: f64,
}

impl ComputeStep {
    /// Joins operations into a step that launches `launches` kernels: the device and the host work side
    /// by side, and the slower decides.
    pub(super) fn new(
        form: Form,
        mut operations: Vec<Operation>,
        launches: f64,
        device: &Device,
        flop: f64,
    ) -> Self {
        // A compiler or a precision may leave nothing of some.
        operations.retain(|o| o.total_s() > 0.0);
        let device_s: f64 = operations.iter().map(Operation::total_s).sum();
        let launch_s = launches * device.launch_s;
        let stretch = if device_s > 0.0 { (launch_s / device_s).max(1.0) } else { 1.0 };
        let sum = |part: fn(&Operation) -> f64| operations.iter().map(part).sum::<f64>() * stretch;
        Self {
            forward_s: sum(|o| o.forward_s),
            backward_s: sum(|o| o.backward_s),
            optimizer_s: sum(|o| o.optimizer_s),
            form,
            operations,
            launch_bound: launch_s > device_s,
            flop,
        }
    }

    /// Seconds of the step's computing.
    pub fn total_s(&self) -> f64 {
        self.forward_s + self.backward_s + self.optimizer_s
    }

    /// Seconds that the device itself needs, launches aside.
    pub fn device_s(&self) -> f64 {
        self.operations.iter().map(Operation::total_s).sum()
    }

    /// Seconds of a group's operations on the device, launches aside.
    pub fn group_s(&self, group: Group) -> f64 {
        self.operations.iter().filter(|o| o.group == group).map(Operation::total_s).sum()
    }

    /// Share of the device's time that was measured in the very shapes of the step, from 0 to 1.
    pub fn measured_share(&self) -> f64 {
        self.share(|operation| operation.measured_s)
    }

    /// Share of the device's time that lies between measured shapes, from 0 to 1.
    pub fn between_share(&self) -> f64 {
        self.share(|operation| operation.between_s)
    }

    fn share(&self, part: fn(&Operation) -> f64) -> f64 {
        let device_s = self.device_s();
        if device_s > 0.0 { self.operations.iter().map(part).sum::<f64>() / device_s } else { 0.0 }
    }
}
