//! How long one step computes, and what it needs for it: time, memory and input.
//!
//! Takes a model's and a device's numbers; knows no network and no clock, and names only in the rows of
//! measured steps that [`fit`] takes.
//!
//! "The reference" in this room is the model of a ViT training step made for this project, 2026-12-02: a
//! roofline for each operation, its constants set by hand from the list of operations with the measured
//! rates of `huggingface/pytorch-image-models:results/` in sight; and `dataloader.md` beside it, on what
//! the host does. `docs/verification.md` says how they are checked.

mod between;
mod calibration;
mod coefficients;
mod covered;
mod device;
mod elementwise;
pub mod fit;
mod input;
pub mod kernel;
mod light;
mod measured;
mod memory;
mod named_vit;
mod operation;
mod precision;
mod recipe;
mod roofline;
mod step;
mod timer;
mod update;
mod vit;

pub use between::Evidence;
pub use calibration::{CALIBRATION_SCHEMA, Calibration, CalibrationError, Class, Library, MeasuredKernel};
pub use coefficients::{ActivationKind, Chip, Coefficients, Efficiency};
pub use covered::Covered;
pub use device::{Device, Product};
pub use input::{HostShare, Loader, LoaderLimit, Storage};
pub use light::{LightModel, bytes_per_activation, light_step};
pub use measured::{Case, CaseModel, MeasuredRow};
pub use memory::{MemoryNeed, Sharding, light_memory, vit_memory};
pub use operation::{Group, Operation};
pub use precision::Precision;
pub use recipe::{Launches, Optimizer, Recipe};
pub use roofline::vit_step;
pub use step::{ComputeStep, Form};
#[cfg(test)]
pub(crate) use vit::tests::BASE_16;
pub use vit::{Tensor, VitShape};
