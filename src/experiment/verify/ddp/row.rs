//! One published throughput.

use crate::network::Accumulation;
use serde::Deserialize;

/// What rows say where a figure is not stated.
const UNKNOWN: &str = "unknown";

/// A row of `ddp_scaling.csv`.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Row {
    pub model: String,
    pub instance: String,
    pub nodes: u32,
    pub gpus: u32,
    pub network: String,
    pub precision: String,
    pub batch_per_gpu: String,
    pub strategy: String,
    pub throughput: Option<f64>,
    #[serde(rename = "efficiency_vs_first_row_of_series")]
    pub efficiency: Option<f64>,
    #[serde(default)]
    pub source: String,
}

/// Samples of a GPU in one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Batch {
    /// In one micro-batch.
    pub samples: f64,
    /// Micro-batches to a step.
    pub micro_batches: u32,
}

impl Row {
    /// Refuses rows that say too little to be predicted.
    pub fn states_enough(&self) -> Result<(), String> {
        for (what, stated) in
            [("batch", &self.batch_per_gpu), ("precision", &self.precision), ("network", &self.network)]
        {
            if stated.trim().is_empty() || stated == UNKNOWN {
                return Err(format!("{what} not stated"));
            }
        }
        Ok(())
    }

    /// `128`, or `256 x accum 32/n`: 32 micro-batches shared by n nodes.
    pub fn batch(&self) -> Result<Batch, String> {
        let text = &self.batch_per_gpu;
        let unclear = || format!("batch `{text}` not understood");
        let (samples, accumulated) = match text.split_once(" x accum ") {
            None => (text.as_str(), "1"),
            Some((samples, shared)) => (samples, shared.strip_suffix("/n").ok_or_else(unclear)?),
        };
        let samples: f64 = samples.trim().parse().map_err(|_| unclear())?;
        let accumulated: u64 = accumulated.parse().map_err(|_| unclear())?;
        if !(samples.is_finite() && samples > 0.0) {
            return Err(unclear());
        }
        let micro_batches = Accumulation::micro_batches_for(accumulated, self.nodes, 1);
        Ok(Batch { samples, micro_batches: u32::try_from(micro_batches).map_err(|_| unclear())? })
    }

    /// GPUs of each node.
    pub fn gpus_per_node(&self) -> u32 {
        self.gpus / self.nodes
    }
}

/// Whether two rows differ in nothing but the number of nodes and GPUs.
pub(super) fn in_series(a: &Row, b: &Row) -> bool {
    a.model == b.model
        && a.instance == b.instance
        && a.network == b.network
        && a.precision == b.precision
        && a.batch_per_gpu == b.batch_per_gpu
        && a.strategy == b.strategy
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(nodes: u32, batch: &str) -> Row {
        Row {
            model: "BERT-large".into(),
            instance: "DGX A100".into(),
            nodes,
            gpus: 8 * nodes,
            network: "IB 8x200G".into(),
            precision: "amp".into(),
            batch_per_gpu: batch.into(),
            strategy: "DDP".into(),
            throughput: Some(1.0),
            efficiency: Some(1.0),
            source: String::new(),
        }
    }

    #[test]
    fn nodes_share_the_micro_batches() {
        let batch = |nodes| row(nodes, "256 x accum 32/n").batch().unwrap();
        assert_eq!(batch(1), Batch { samples: 256.0, micro_batches: 32 });
        assert_eq!(batch(32), Batch { samples: 256.0, micro_batches: 1 });
        assert_eq!(row(4, "128").batch(), Ok(Batch { samples: 128.0, micro_batches: 1 }));
    }

    #[test]
    fn a_batch_that_is_not_a_number_is_a_reason_to_skip() {
        assert!(row(1, "many").batch().is_err());
        assert_eq!(row(1, "").states_enough(), Err("batch not stated".into()));
        assert_eq!(
            Row { network: "unknown".into(), ..row(1, "8") }.states_enough(),
            Err("network not stated".into())
        );
    }
}
