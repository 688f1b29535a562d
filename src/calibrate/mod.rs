//! Room `calibrate`.
