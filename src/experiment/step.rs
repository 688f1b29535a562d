//! One training step of every cluster, and of the same cluster with fewer nodes.

use crate::scenario::anatomy::Anatomy;
use crate::scenario::plan::Market;

/// One cluster's step, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct StepResult {
    /// The cluster's name.
    pub name: String,
    /// Its instance, as the catalogue spells it.
    pub instance: String,
    /// Where it rents.
    pub market: Market,
    /// The model's name, where the scenario names one.
    pub model: Option<String>,
    /// Arithmetic, as the scenario spells it.
    pub precision: &'static str,
    /// Samples per GPU and step.
    pub batch_per_gpu: Option<f64>,
    /// The step.
    pub anatomy: Anatomy,
    /// The same with 1, 2, 4 and so on nodes, the cluster's own number last; at the sustained pace.
    pub scaling: Vec<ScalePoint>,
    /// Whether [`Self::scaling`] keeps the samples of a step (`global_batch`) or those of a GPU.
    pub fixed_global_batch: bool,
    /// Facts and assumptions behind it, a sentence each.
    pub assumed: Vec<String>,
}

/// The step with another number of nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScalePoint {
    /// Nodes.
    pub nodes: u32,
    /// One step, milliseconds.
    pub step_ms: f64,
    /// Samples per second over all ranks.
    pub samples_per_s: f64,
    /// Samples per second over those of one node times the nodes.
    pub efficiency: f64,
    /// What a million samples cost without interruptions, at the market's price.
    pub usd_per_msample: Option<f64>,
}
