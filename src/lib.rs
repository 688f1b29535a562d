//! spotsim: a discrete-event simulator of Spot training economics.

pub mod analytic;
pub mod calibrate;
pub mod capacity;
pub mod checkpoint;
pub mod cli;
pub mod compute;
pub mod experiment;
pub mod facts;
pub mod network;
pub mod policy;
pub mod pricing;
pub mod report;
pub mod rng;
pub mod run;
pub mod scenario;
pub mod sim;
pub mod stats;
pub mod trace;
pub mod units;
