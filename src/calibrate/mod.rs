//! Measurements as numbers that a model can use: kernels on the device in front of us, and fabrics and training steps
//! that others measured.
//!
//! Of others it takes texts, never files: `run` opens them. What is wrong with a text is said as
//! [`scenario`](crate::scenario) says it of its own.

pub mod fabrics;
pub mod instance;
pub mod kernels;
pub mod nccl_tests;
pub mod network;
pub mod throughput;
