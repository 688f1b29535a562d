//! NVIDIA devices through the vendor's own libraries: matrix products by cuBLAS, the very library that PyTorch calls,
//! and kernels of our own, compiled by NVRTC, in place of PyTorch's others.
//!
//! Nothing of CUDA is needed to build: libraries are opened at run time, from folders that the caller names and then
//! from where the system looks. See `docs/calibration-cuda.md`.
//!
//! **Invariant:** only files of this folder are unsafe, each behind types that free what they hold.

mod backend;
mod cublas;
mod driver;
mod library;
mod memory;
mod nvml;
mod nvrtc;
mod prepared;
mod refusal;
mod source;
mod steps;
mod stream;

pub use backend::{Cuda, devices, open};

use super::BackendError;

#[cfg(test)]
mod tests;
