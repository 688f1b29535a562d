//! Room `capacity`.
