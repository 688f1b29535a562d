//! One training step of every cluster, and of the same cluster with fewer nodes.

use crate::facts::InstanceRef;
use crate::scenario::anatomy::Anatomy;
use crate::scenario::cluster::Cluster;
use crate::scenario::load::Scenario;
use crate::scenario::plan::Market;

/// One cluster's step, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct StepResult {
    /// Its place among the clusters of the scenario, from 0.
    pub number: usize,
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

/// The step of each cluster whose work has steps, in the order of the scenario.
pub fn steps(scenario: &Scenario) -> Vec<StepResult> {
    scenario.clusters.iter().enumerate().filter_map(|(number, cluster)| step(number, cluster)).collect()
}

fn step(number: usize, cluster: &Cluster) -> Option<StepResult> {
    let anatomy = cluster.step.clone()?;
    Some(StepResult {
        number,
        name: cluster.name.clone(),
        instance: cluster.instance.clone(),
        market: cluster.market,
        model: cluster.job.model.as_ref().map(|model| model.name.clone()),
        precision: cluster.job.precision.name(),
        batch_per_gpu: cluster.job.batch_per_gpu,
        scaling: scaling(cluster, &anatomy),
        fixed_global_batch: cluster.job.fixed_global_batch,
        assumed: assumed(cluster),
        anatomy,
    })
}

/// What is taken for granted, and that the step is that of the first instance type.
fn assumed(cluster: &Cluster) -> Vec<String> {
    let others: Vec<String> = cluster.fallbacks.iter().map(InstanceRef::name).collect();
    let first = (!others.is_empty()).then(|| {
        format!(
            "the step is that on {}; where that cannot be had, it is another on {}",
            cluster.instance,
            others.join(", ")
        )
    });
    cluster.assumed.iter().map(|assumed| assumed.sentence.clone()).chain(first).collect()
}

/// The step with 1, 2, 4 and so on nodes up to the cluster's own; numbers that cannot be told (a batch that
/// does not fit, that does not divide) are left out.
fn scaling(cluster: &Cluster, own: &Anatomy) -> Vec<ScalePoint> {
    if !cluster.throughput.scales() {
        return Vec::new();
    }
    let powers = (0..u32::BITS).map(|i| 1 << i).take_while(|nodes| *nodes < cluster.nodes);
    let steps: Vec<Anatomy> = powers
        .filter_map(|nodes| cluster.throughput.step(nodes).ok())
        .chain(std::iter::once(own.clone()))
        .collect();
    let rate = |step: &Anatomy| step.samples_per_s(&step.sustained);
    let alone = steps.first().map_or(f64::NAN, |step| rate(step) / f64::from(step.nodes));
    let tariff = match cluster.market {
        Market::Spot => &cluster.prices.spot,
        Market::OnDemand => &cluster.prices.on_demand,
    };
    let usd_per_s = tariff.price.as_usd_per_hour() / 3_600.0;
    steps
        .iter()
        .map(|step| ScalePoint {
            nodes: step.nodes,
            step_ms: step.sustained.parts.total().as_secs() * 1e3,
            samples_per_s: rate(step),
            efficiency: rate(step) / (alone * f64::from(step.nodes)),
            usd_per_msample: (step.samples > 0.0)
                .then(|| usd_per_s * f64::from(step.nodes) * 1e6 / rate(step)),
        })
        .collect()
}
