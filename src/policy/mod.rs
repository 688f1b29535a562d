//! Room `policy`.
