//! What a step hangs on that a scenario does not give: facts of the catalogue, for `assumed` in the answer.

use super::anatomy::{Anatomy, Form};
use super::compute::Given;
use super::echo::first_clause;
use super::network::AllReduceGiven;
use super::throughput::Throughput;

impl Throughput {
    /// Says in `assumed` what the step hangs on that the scenario does not give.
    pub(super) fn say_assumed(&self, step: &Anatomy, assumed: &mut Vec<String>) {
        self.say_compute(step, assumed);
        // A whole step given outright has the exchange in it.
        if step.ranks > 1 && self.scales() {
            self.say_network(step, assumed);
        }
    }

    fn say_compute(&self, step: &Anatomy, assumed: &mut Vec<String>) {
        let gpu = self.machines.catalogue.gpu_of(self.machines.instance.instance);
        match (&step.form, self.compute.given) {
            (Form::Given, _) => {}
            (Form::Calibrated(calibrated), _) => {
                assumed.push(format!("{}: {}", gpu.name, calibrated.words(step.gpu.compute_s())));
            }
            (_, Some(Given::Efficiency(_))) => {}
            (form, _) => {
                let what = if *form == Form::Light { "counts of the model" } else { "each operation" };
                let rows = match gpu.efficiency_rows {
                    0 => String::new(),
                    rows => format!("fitted to {rows} measured steps, "),
                };
                assumed.push(format!(
                    "{}: {:.2} of the peak and {:.2} of the memory bandwidth for {what} ({rows}{}, confidence {})",
                    gpu.name,
                    gpu.compute_efficiency,
                    gpu.memory_efficiency,
                    gpu.efficiency_date,
                    first_clause(&gpu.efficiency_confidence),
                ));
            }
        }
    }

    fn say_network(&self, step: &Anatomy, assumed: &mut Vec<String>) {
        let catalogue = self.machines.catalogue;
        let instance = self.machines.instance.instance;
        match &self.network.given {
            Some(AllReduceGiven::Measured(measured)) => return assumed.push(measured.words()),
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
            assumed.push(format!(
                "{}: NCCL all-reduces {between} at {:.2} GB/s of bus bandwidth ({algorithm}, {protocol}{spread})",
                instance.name,
                bus.bytes_per_s() / 1e9,
            ));
        }
        if let Some(lasts) = step.burst_lasts {
            let time = catalogue.burst_time();
            assumed.push(format!(
                "{}: burst credits last {:.1} h of training, then {} ({}, confidence {})",
                instance.name,
                lasts.as_hours(),
                self.network.baseline.unwrap_or(instance.network_baseline),
                time.date,
                first_clause(&time.confidence),
            ));
        }
    }
}
