//! Room `analytic`.
