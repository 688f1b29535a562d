//! The catalogue's accelerators and software as the compute model takes them.

use crate::compute::{ActivationKind, Chip, Coefficients, Efficiency};
use crate::facts::{Catalogue, Gpu};

/// An accelerator by its data sheet.
pub fn chip(gpu: &Gpu) -> Chip {
    let tera = |tflops: f64| tflops * 1e12;
    Chip {
        bf16_flop_per_s: gpu.bf16_dense_tflops.map(tera),
        fp16_flop_per_s: tera(gpu.fp16_dense_tflops),
        tf32_flop_per_s: gpu.tf32_dense_tflops.map(tera),
        fp32_flop_per_s: tera(gpu.fp32_tflops),
        bandwidth_bytes_per_s: gpu.bandwidth.bytes_per_s(),
        tdp_w: gpu.tdp_w,
    }
}

/// The fitted numbers of the catalogue.
pub fn coefficients(catalogue: &Catalogue) -> Coefficients {
    let software = catalogue.software();
    let bytes = |kind: ActivationKind| {
        let found = software.activation.iter().find(|activation| activation.kind == kind.name());
        found.expect("a test of this module finds every kind").bytes
    };
    let efficiency =
        |gpu: &Gpu| Efficiency { compute: gpu.compute_efficiency, memory: gpu.memory_efficiency };
    Coefficients {
        framework_traffic: software.framework.iter().map(|f| (f.name.clone(), f.traffic)).collect(),
        score_traffic: software.score_traffic,
        wide_traffic: software.wide_traffic,
        tf32_share: software.tf32_share,
        activation_bytes: ActivationKind::ALL.map(|kind| (kind, bytes(kind))).into(),
        typical: Efficiency {
            compute: software.typical_compute_efficiency,
            memory: software.typical_memory_efficiency,
        },
        power_exponent: software.power_exponent,
        gpus: catalogue.gpus().map(|gpu| (gpu.name.clone(), efficiency(gpu))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_and_gpu_of_the_catalogue_has_its_numbers() {
        let catalogue = Catalogue::builtin();
        let coefficients = coefficients(catalogue);
        assert_eq!(coefficients.activation_bytes.len(), ActivationKind::ALL.len());
        assert_eq!(coefficients.gpus.len(), catalogue.gpus().count());
    }
}
