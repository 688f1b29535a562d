//! Room `facts`.
