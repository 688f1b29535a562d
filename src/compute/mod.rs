//! Room `compute`.
