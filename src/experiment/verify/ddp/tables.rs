//! What rows leave unsaid: layer sizes, machines, the training code, causes of misses.

use super::row::Row;
use crate::experiment::verify::{VerifyError, rows};
use crate::network::Gradient;
use crate::units::Bytes;
use serde::Deserialize;

const MODELS: &str = include_str!("../../../../data/verify/ddp_models.csv");
const MACHINES: &str = include_str!("../../../../data/verify/ddp_machines.csv");
const CODES: &str = include_str!("../../../../data/verify/ddp_codes.csv");
const CAUSES: &str = include_str!("../../../../data/verify/ddp_causes.csv");

/// Tensors that become ready one after the other.
#[derive(Debug, Deserialize)]
struct LayerGroup {
    model: String,
    units_per_sample: f64,
    elements: u64,
    tensors: u32,
    backward_share: f64,
}

/// A machine, by words in its name.
#[derive(Debug, Deserialize)]
pub(super) struct Machine {
    words: String,
    /// Compute capability times 10.
    pub sm: u32,
    /// The hosts' processors, in the words of `network::nccl`.
    pub cpu: String,
    /// Links between the GPUs of a node, in the same words.
    pub intra: String,
    /// Memory of one GPU, GB/s.
    pub memory_gb_per_s: f64,
}

/// How the training code of a series exchanges gradients.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Code {
    model: String,
    source: String,
    after_backward: u8,
    /// Size of every bucket, MiB; PyTorch's limits where empty.
    pub fusion_mib: Option<u64>,
    gradient_bytes_amp: u64,
}

impl Code {
    /// PyTorch's `DistributedDataParallel` as it comes, with `torch.autocast` for mixed precision.
    fn usual() -> Self {
        Self {
            model: String::new(),
            source: String::new(),
            after_backward: 0,
            fusion_mib: None,
            gradient_bytes_amp: 4,
        }
    }

    /// Whether gradients are reduced while the backward pass goes on.
    pub fn overlaps(&self) -> bool {
        self.after_backward == 0
    }

    /// Bytes of one gradient element.
    pub fn gradient_bytes(&self, precision: &str) -> u64 {
        match precision {
            "amp" => self.gradient_bytes_amp,
            "fp16" | "bf16" | "bf16/fp16" => 2,
            _ => 4,
        }
    }
}

#[derive(Debug, Deserialize)]
struct Cause {
    model: String,
    instance: String,
    precision: String,
    cause: String,
}

/// Parameters of a model, in the order in which their gradients become ready.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layers {
    /// Units of throughput to a sample.
    pub units_per_sample: f64,
    /// Elements of each tensor, and the share of the backward pass done when it is ready.
    tensors: Vec<(u64, f64)>,
}

impl Layers {
    /// Parameters.
    pub fn parameters(&self) -> u64 {
        self.tensors.iter().map(|(elements, _)| elements).sum()
    }

    /// Gradients of `element_bytes` a parameter.
    pub fn gradients(&self, element_bytes: u64) -> Vec<Gradient> {
        self.tensors
            .iter()
            .map(|&(elements, ready)| Gradient { bytes: Bytes::new(elements * element_bytes), ready })
            .collect()
    }
}

/// All tables.
#[derive(Debug)]
pub(super) struct Tables {
    models: Vec<LayerGroup>,
    machines: Vec<Machine>,
    codes: Vec<Code>,
    causes: Vec<Cause>,
}

impl Tables {
    /// Those that are built in.
    pub fn read() -> Result<Self, VerifyError> {
        Ok(Self {
            models: rows::read(MODELS)?,
            machines: rows::read(MACHINES)?,
            codes: rows::read(CODES)?,
            causes: rows::read(CAUSES)?,
        })
    }

    /// The layers of the model whose name begins a row's; of several the longest.
    pub fn layers(&self, model: &str) -> Result<Layers, String> {
        let name = self.models.iter().map(|group| group.model.as_str());
        let name = name.filter(|name| model.starts_with(name)).max_by_key(|name| name.len());
        let name = name.ok_or_else(|| format!("layer sizes of {model} not known"))?;
        let mut layers = Layers { units_per_sample: 1.0, tensors: Vec::new() };
        let mut done = 0.0;
        for group in self.models.iter().filter(|group| group.model == name) {
            layers.units_per_sample = group.units_per_sample;
            for tensor in 1..=group.tensors {
                let share = f64::from(tensor) / f64::from(group.tensors);
                layers
                    .tensors
                    .push((group.elements / u64::from(group.tensors), done + share * group.backward_share));
            }
            done += group.backward_share;
        }
        Ok(layers)
    }

    /// The machine of a row.
    pub fn machine(&self, instance: &str) -> Result<&Machine, String> {
        let found = self.machines.iter().find(|machine| instance.contains(&machine.words));
        found.ok_or_else(|| format!("machine {instance} not known"))
    }

    /// The training code of a row.
    pub fn code(&self, row: &Row) -> Code {
        let fits = |code: &&Code| row.model.contains(&code.model) && row.source.contains(&code.source);
        self.codes.iter().find(fits).cloned().unwrap_or_else(Code::usual)
    }

    /// Why a row may be far off.
    pub fn cause(&self, row: &Row) -> &str {
        let fits = |cause: &&Cause| {
            row.model.contains(&cause.model)
                && row.instance.contains(&cause.instance)
                && row.precision.contains(&cause.precision)
        };
        self.causes.iter().find(fits).map_or("no cause known", |cause| cause.cause.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// torchvision's resnet50 and resnet101, VGG-16; 110 M and 336 M of the BERT paper with heads.
    #[test]
    fn layers_add_up_to_the_published_sizes() {
        let tables = Tables::read().unwrap();
        for (model, millions) in [
            ("ResNet-50 v1.5", 25.557),
            ("ResNet-101", 44.549),
            ("VGG-16", 138.358),
            ("BERT-base (OneFlow)", 110.106),
            ("BERT-large phase 1 seq128", 336.226),
        ] {
            let found = tables.layers(model).unwrap().parameters() as f64 / 1e6;
            assert!((found - millions).abs() < 0.002, "{model}: {found}");
        }
    }

    #[test]
    fn the_last_gradient_ends_every_backward_pass() {
        let tables = Tables::read().unwrap();
        for group in &tables.models {
            let gradients = tables.layers(&group.model).unwrap().gradients(4);
            assert!((gradients.last().unwrap().ready - 1.0).abs() < 0.001, "{}", group.model);
        }
    }

    #[test]
    fn a_model_without_layer_sizes_is_a_reason_to_skip() {
        assert!(Tables::read().unwrap().layers("unnamed DDP job").is_err());
    }
}
