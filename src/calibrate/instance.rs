//! NCCL's model of one instance's links, fitted to what was measured on such instances.

use crate::facts::Catalogue;
use crate::network::MeasuredFabric;
use crate::network::nccl::{FabricClass, FitError, OneFit, fit_one};
use crate::scenario::fabric::figures_of;
use crate::scenario::throughput::Machines;
use crate::scenario::topology::Links;
use crate::units::Bandwidth;

/// What a run says of the links of its instances.
#[derive(Debug, Clone, PartialEq)]
pub struct InstanceFit {
    /// The instance as the catalogue spells it.
    pub instance: String,
    /// The class of its fabric, whose figures the fit starts from.
    pub class: FabricClass,
    /// Figures, what they leave over by size, and how much that is.
    pub own: OneFit,
}

/// Why an instance has no fit.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum InstanceError {
    /// The catalogue lacks it.
    #[error("unknown instance")]
    Unknown {
        /// What may have been meant.
        nearest: Option<String>,
    },
    /// Its GPUs are not those that took part.
    #[error("GPUs of the instance: {has}, GPUs that took part on each node: {measured}")]
    OtherGpus {
        /// GPUs of the instance.
        has: u32,
        /// GPUs of each node that was measured.
        measured: u32,
    },
    /// NCCL's model of the links cannot be made.
    #[error("{0}")]
    Links(String),
    /// The sizes give no figures.
    #[error("{0}")]
    Fit(#[from] FitError),
}

impl InstanceError {
    /// What would help, if anything is known.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Unknown { nearest: Some(name) } => Some(format!("did you mean `{name}`?")),
            Self::Unknown { nearest: None } => {
                Some("`spotsim catalog instances` lists those that are known".to_owned())
            }
            Self::OtherGpus { .. } => {
                Some("name the instance that was measured, or leave `--instance` out for a line".to_owned())
            }
            Self::Links(_) | Self::Fit(_) => None,
        }
    }
}

/// Fits the figures of NCCL's model of `fabric.nodes` instances called `name` to the times of `fabric`. `link` is the
/// rate of all NICs of a node together, one direction, if it is not the catalogue's.
pub fn fit_instance(
    fabric: &MeasuredFabric,
    name: &str,
    link: Option<Bandwidth>,
) -> Result<InstanceFit, InstanceError> {
    let catalogue = Catalogue::builtin();
    let Some(instance) = catalogue.instance(name) else {
        return Err(InstanceError::Unknown { nearest: catalogue.nearest_instance(name) });
    };
    let facts = instance.instance;
    if facts.gpus != fabric.gpus_per_node {
        return Err(InstanceError::OtherGpus { has: facts.gpus, measured: fabric.gpus_per_node });
    }
    // As a scenario does: NCCL looks at the card while it has its credits.
    let (always, burst) = (facts.network_baseline, facts.network_burst);
    let nic = link.unwrap_or(if burst < always { always } else { burst });
    let machines = Machines { catalogue, instance, nodes: fabric.nodes };
    let links = Links::of(&machines, None, (fabric.nodes > 1).then_some(nic))
        .map_err(|untold| InstanceError::Links(untold.title))?;
    let rows: Vec<(u64, f64)> =
        fabric.sizes.iter().filter_map(|size| Some((size.bytes, size.mean_us()? / 1e6))).collect();
    let own = fit_one(&links.nccl, &figures_of(catalogue, links.class), &rows)?;
    Ok(InstanceFit { instance: instance.name(), class: links.class, own })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::nccl::Calibrated;
    use crate::network::{MeasuredLine, MeasuredSize};

    fn fabric(nodes: u32, gpus_per_node: u32, times: &[(u64, f64)]) -> MeasuredFabric {
        let size =
            |&(bytes, us): &(u64, f64)| MeasuredSize { bytes, out_of_place_us: Some(us), in_place_us: None };
        MeasuredFabric {
            device: String::new(),
            class: "cuda".into(),
            library: "NCCL".into(),
            date: "2026-12-02".into(),
            nodes,
            gpus_per_node,
            bus_bandwidth_gb_per_s: 1.0,
            fit: MeasuredLine { latency_us: 1.0, bus_bandwidth_gb_per_s: 1.0, spread: 0.0, spread_max: 0.0 },
            sizes: times.iter().map(size).collect(),
        }
    }

    fn links(name: &str, nodes: u32) -> Links {
        let catalogue = Catalogue::builtin();
        let instance = catalogue.instance(name).unwrap();
        let nic = instance.instance.network_burst;
        Links::of(&Machines { catalogue, instance, nodes }, None, Some(nic)).unwrap()
    }

    /// Times that the class's own figures give leave nothing to fit.
    #[test]
    fn times_of_the_class_give_the_figures_of_the_class() {
        let links = links("g5.2xlarge", 4);
        let class = figures_of(Catalogue::builtin(), links.class);
        let model = Calibrated::new(links.nccl, class);
        let times: Vec<_> = [12, 16, 20, 24, 28]
            .map(|power| (1 << power, model.all_reduce(1 << power).time_s * 1e6))
            .to_vec();
        let found = fit_instance(&fabric(4, 1, &times), "G5.2xlarge", None).unwrap();
        assert_eq!((found.instance.as_str(), found.class), ("g5.2xlarge", FabricClass::Tcp));
        assert!(found.own.spread < 1e-6, "{found:?}");
        assert!((found.own.fit.efficiency / class.efficiency - 1.0).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn an_instance_with_other_gpus_is_refused_with_both_figures() {
        let error = fit_instance(&fabric(4, 8, &[]), "g5.2xlarge", None).unwrap_err();
        assert_eq!(error.to_string(), "GPUs of the instance: 1, GPUs that took part on each node: 8");
    }

    #[test]
    fn a_mistyped_instance_is_told_its_nearest() {
        let error = fit_instance(&fabric(4, 8, &[]), "p4d.24xlarg", None).unwrap_err();
        assert_eq!(error.help().unwrap(), "did you mean `p4d.24xlarge`?");
    }
}
