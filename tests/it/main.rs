//! One integration binary: it links once.
#![expect(clippy::unwrap_used, reason = "in a test a failed unwrap is a failed test")]

mod accounting;
mod calibration;
mod cases;
mod cases_jobs;
mod checkpoints;
mod common_random_numbers;
mod credits;
mod credits_walk;
mod determinism;
mod dollars;
mod elastic;
mod elastic_laws;
mod elastic_walk;
mod errors;
mod fuzz_jobs;
mod fuzz_prices;
mod gangs;
mod golden;
mod hostile;
mod laws;
mod mutation;
mod optimum;
mod policy;
mod price_cases;
mod price_replay;
mod prices;
mod published;
mod run;
mod semantics;
mod step;
mod theory;
mod tidy;
