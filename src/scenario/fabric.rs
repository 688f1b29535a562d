//! The catalogue's figures of fabrics as NCCL's model takes them.

use crate::facts::Catalogue;
use crate::network::nccl::{FabricClass, FabricFit};

/// The figures of a class.
pub fn figures_of(catalogue: &Catalogue, class: FabricClass) -> FabricFit {
    let figures = catalogue.nccl_figures().find(|figures| figures.class == class.name());
    let figures = figures.expect("a test of `calibrate` finds the figures of every class");
    FabricFit {
        latency_factor: figures.latency_factor,
        hop_us: figures.hop_us.unwrap_or(0.0),
        efficiency: figures.efficiency,
        rate_max_gb_per_s: figures.rate_max_gb_per_s,
    }
}
