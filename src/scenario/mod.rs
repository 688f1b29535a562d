//! A scenario file, read, checked and resolved.
//!
//! [`load`](load::load) turns TOML into a [`Scenario`](load::Scenario) of [`Cluster`](cluster::Cluster)s,
//! each with the [`Plan`](plan::Plan) that the engine runs: numbers, laws and rules, no strings. Every
//! default is written in this room, and every problem of a file is reported at once, with its place.
//!
//! * a spanned tree and a typed reader over it: [`source`], [`tree`], [`assign`], [`reader`], [`field`],
//!   [`range`], [`problem`];
//! * one file a table of the scenario, on top of [`section`], which reads and echoes for `show`.

mod amount;
pub mod anatomy;
pub mod assign;
pub mod assumed;
mod calibration;
mod candidates;
pub mod capacity;
pub mod checkpoint;
pub mod cluster;
mod collectives;
pub mod compute;
mod data_loader;
pub mod echo;
mod elastic;
mod exchange;
pub mod expect;
mod extras;
pub mod fabric;
mod failures;
mod fallback;
pub mod field;
mod gpu_time;
mod head;
pub mod ideal;
pub mod input;
mod interval;
pub mod job;
mod keyed;
mod law;
mod limits;
pub mod load;
mod max_price;
pub mod model;
pub mod moves;
mod network;
pub mod notice;
pub mod plan;
pub mod policy;
mod price_file;
mod price_path;
mod price_series;
pub mod pricing;
pub mod problem;
pub mod range;
mod rate_card;
pub mod reader;
mod recorded;
pub mod reference;
pub mod sampling;
mod saved_state;
pub mod section;
mod shock;
mod size;
pub mod source;
pub mod speed;
mod start;
mod submit;
pub mod sweep;
mod tables;
pub mod template;
pub mod terms;
pub mod throughput;
mod tick;
pub mod topology;
mod trace;
pub mod tree;
pub mod uncertain;
pub mod until;
mod upload;
pub mod uptime;
mod work;
mod zones;
