//! spotsim: a discrete-event simulator of Spot training economics. What does it cost, in dollars and
//! hours, to train a model on interruptible cloud GPUs, and how sure can you be?
//!
//! The way of a question through the library:
//!
//! 1. [`scenario`] reads a TOML file, with the facts of [`facts`], into a checked
//!    [`Scenario`](scenario::load::Scenario). Each of its clusters has a [`Plan`](scenario::plan::Plan):
//!    numbers, laws and rules, nothing left to look up.
//! 2. [`sim`] runs one replication of a plan. It costs its interruptions, not its steps: with a complete
//!    gang, [`checkpoint`] says in closed form where the job stands. [`capacity`] says when nodes can be
//!    had, [`policy`] when to leave Spot, [`pricing`] what a stay of a node costs.
//! 3. [`experiment`] runs many replications in parallel and sums them exactly; its
//!    [`ClusterResult`](experiment::ClusterResult) has the figures with their intervals.
//! 4. [`report`] turns results into tables, JSON, CSV and pictures; [`run`] is what the binary does, and
//!    the only room that touches files.
//!
//! Time is whole nanoseconds and money whole nano-dollars ([`units`]). Every random number comes from a
//! stream named by what it decides ([`rng`]): the same scenario and seed give the same answer on any
//! number of threads, and all clusters of a scenario meet the same world.
//!
//! # One replication
//!
//! ```
//! use spotsim::rng::Streams;
//! use spotsim::scenario::load::{Overrides, load};
//! use spotsim::sim::{End, Scratch, simulate};
//!
//! let file = "scenarios/smallest.toml";
//! let text = std::fs::read_to_string(file)?;
//! // The library opens no files: it is handed a function for those that a scenario names. Here none.
//! let loaded = load(file, text, &Overrides::default(), &|_| Err("no files here".to_owned()));
//! let scenario = loaded.scenario.expect("the scenario is right; else `loaded.problems` says why not");
//!
//! let spot = &scenario.clusters[0];
//! let streams = Streams::new(scenario.seed);
//! let outcome = simulate(&spot.plan, &streams, 0, &mut Scratch::default(), &mut ());
//!
//! assert_eq!(outcome.end, End::Finished);
//! assert_eq!(outcome.time.total(), outcome.elapsed); // every nanosecond is in one place
//! assert!(outcome.elapsed > spot.ideal.makespan); // interruptions took time ...
//! assert!(outcome.cost() < spot.ideal.on_demand_cost); // ... but less than Spot saved
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! A [`Ledger`](sim::Ledger) in place of `()` keeps every stay of a node and every phase.
//! `ARCHITECTURE.md` has the map, `docs/semantics.md` the rules, `docs/scenario.md` the input.

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
pub mod records;
pub mod report;
pub mod rng;
pub mod run;
pub mod scenario;
pub mod sim;
pub mod stats;
pub mod trace;
pub mod units;
