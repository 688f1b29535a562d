//! Fabrics and training steps measured by others, as numbers that a model can use.
//!
//! Takes texts, never files: `run` opens them. What is wrong with a text is said as
//! [`scenario`](crate::scenario) says it of its own.

pub mod fabrics;
pub mod instance;
pub mod nccl_tests;
pub mod network;
pub mod throughput;
