//! Room `pricing`.
