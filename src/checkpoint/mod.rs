//! Room `checkpoint`.
