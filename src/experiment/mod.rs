//! Room `experiment`.
