//! What a step hangs on that a scenario does not give: facts of the catalogue, for `assumed` in the answer.

use super::anatomy::{Anatomy, Form};
use super::compute::Given;
use super::echo::first_clause;
use super::network::AllReduceGiven;
use super::throughput::Throughput;

/// One thing that an answer hangs on: a sentence, and the same as a row of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assumed {
    /// All of it, for people.
    pub sentence: String,
    /// What it is of: "On-Demand price".
    pub what: &'static str,
    /// The sentence, or the part of it that says how much.
    pub value: String,
    /// Where it comes from; empty where the sentence says it or nothing does.
    pub source: String,
    /// When it was so; empty where the sentence says it or nothing does.
    pub date: String,
    /// How far to trust it; empty where the sentence says it or nothing does.
    pub confidence: String,
}

impl Assumed {
    /// One whose row is its sentence.
    pub(super) fn new(what: &'static str, sentence: impl Into<String>) -> Self {
        let sentence = sentence.into();
        Self { value: sentence.clone(), sentence, what, ..Self::default() }
    }

    /// The same with how much, from where and of when in columns of their own.
    pub(super) fn with(
        self,
        value: impl Into<String>,
        source: impl Into<String>,
        date: impl Into<String>,
    ) -> Self {
        Self { value: value.into(), source: source.into(), date: date.into(), ..self }
    }

    /// The same with how far to trust it.
    pub(super) fn trusted(self, confidence: &str) -> Self {
        Self { confidence: first_clause(confidence).to_owned(), ..self }
    }
}

impl Throughput {
    /// Says in `assumed` what the step hangs on that the scenario does not give.
    pub(super) fn say_assumed(&self, step: &Anatomy, assumed: &mut Vec<Assumed>) {
        self.say_compute(step, assumed);
        // A whole step given outright has the exchange in it.
        if step.ranks > 1 && self.scales() {
            self.say_network(step, assumed);
        }
    }

    fn say_compute(&self, step: &Anatomy, assumed: &mut Vec<Assumed>) {
        let gpu = self.machines.catalogue.gpu_of(self.machines.instance.instance);
        match (&step.form, self.compute.given) {
            (Form::Given, _) => {}
            (Form::Calibrated(calibrated), _) => {
                let words = calibrated.words(step.gpu.compute_s());
                assumed.push(Assumed::new("Compute", format!("{}: {words}", gpu.name)));
            }
            (_, Some(Given::Efficiency(_))) => {}
            (form, _) => {
                let what = if *form == Form::Light { "counts of the model" } else { "each operation" };
                let rows = match gpu.efficiency_rows {
                    0 => String::new(),
                    rows => format!("fitted to {rows} measured steps, "),
                };
                let value = format!(
                    "{}: {:.2} of the peak and {:.2} of the memory bandwidth for {what}",
                    gpu.name, gpu.compute_efficiency, gpu.memory_efficiency,
                );
                let (date, confidence) = (&gpu.efficiency_date, first_clause(&gpu.efficiency_confidence));
                let sentence = format!("{value} ({rows}{date}, confidence {confidence})");
                let source = &gpu.efficiency_source;
                assumed.push(
                    Assumed::new("Compute", sentence)
                        .with(value, source, date)
                        .trusted(&gpu.efficiency_confidence),
                );
            }
        }
    }

    fn say_network(&self, step: &Anatomy, assumed: &mut Vec<Assumed>) {
        let catalogue = self.machines.catalogue;
        let instance = self.machines.instance.instance;
        match &self.network.given {
            Some(AllReduceGiven::Measured(measured)) => {
                return assumed.push(Assumed::new("Network", measured.words()));
            }
            Some(AllReduceGiven::Bandwidth(_)) => return,
            None => {}
        }
        let fastest = step.burst.as_ref().unwrap_or(&step.sustained);
        if let Some((bus, (algorithm, protocol))) = fastest.bus_bandwidth.zip(fastest.choice) {
            let between = if step.nodes > 1 { "between nodes" } else { "inside the node" };
            let class = fastest.fabric.unwrap_or_default();
            let figures = catalogue.nccl_figures().find(|figures| figures.class == class);
            let spread = figures.map_or(String::new(), |figures| {
                format!(
                    "; eight of ten unseen systems of class {class} take {:.2} to {:.2} of the time",
                    figures.time_low, figures.time_high
                )
            });
            let value = format!(
                "{}: NCCL all-reduces {between} at {:.2} GB/s of bus bandwidth",
                instance.name,
                bus.bytes_per_s() / 1e9,
            );
            let sentence = format!("{value} ({algorithm}, {protocol}{spread})");
            let source =
                format!("NCCL's tuning model, fitted to nccl-tests ({algorithm}, {protocol}{spread})");
            let confidence = figures.map_or("", |figures| figures.confidence.as_str());
            assumed.push(Assumed::new("Network", sentence).with(value, source, "").trusted(confidence));
        }
        if let Some(lasts) = step.burst_lasts {
            let time = catalogue.burst_time();
            let value = format!(
                "{}: burst credits last {:.1} h of training, then {}",
                instance.name,
                lasts.as_hours(),
                self.network.baseline.unwrap_or(instance.network_baseline),
            );
            let sentence = format!("{value} ({}, confidence {})", time.date, first_clause(&time.confidence));
            let source = first_clause(&time.source);
            assumed.push(
                Assumed::new("Burst credits", sentence)
                    .with(value, source, &time.date)
                    .trusted(&time.confidence),
            );
        }
    }
}
