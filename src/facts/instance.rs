//! What clouds rent.

use super::quantity;
use crate::units::{Bandwidth, Bytes, Price};
use serde::Deserialize;

/// Who rents the instance out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cloud {
    /// Amazon; prices of us-east-1.
    Aws,
    /// Google; prices of us-central1.
    Gcp,
    /// Microsoft; prices of East US.
    Azure,
}

/// Share of instances interrupted within a month, in the classes of the AWS Spot Advisor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum InterruptionBucket {
    /// Below 5 %.
    #[serde(rename = "<5%")]
    Below5,
    /// 5 to 10 %.
    #[serde(rename = "5-10%")]
    From5To10,
    /// 10 to 15 %.
    #[serde(rename = "10-15%")]
    From10To15,
    /// 15 to 20 %.
    #[serde(rename = "15-20%")]
    From15To20,
    /// Above 20 %, without an upper end.
    #[serde(rename = ">20%")]
    Above20,
}

impl InterruptionBucket {
    /// Every class, the rarest first.
    pub const ALL: [Self; 5] =
        [Self::Below5, Self::From5To10, Self::From10To15, Self::From15To20, Self::Above20];

    /// Lower and upper end of the class, shares from 0 to 1. The last class is open: 1 is its upper
    /// end, not its likely value.
    pub fn monthly_share(self) -> (f64, f64) {
        match self {
            Self::Below5 => (0.0, 0.05),
            Self::From5To10 => (0.05, 0.10),
            Self::From10To15 => (0.10, 0.15),
            Self::From15To20 => (0.15, 0.20),
            Self::Above20 => (0.20, 1.0),
        }
    }

    /// The class as the Spot Advisor writes it: `"15-20%"`.
    pub fn label(self) -> &'static str {
        match self {
            Self::Below5 => "<5%",
            Self::From5To10 => "5-10%",
            Self::From10To15 => "10-15%",
            Self::From15To20 => "15-20%",
            Self::Above20 => ">20%",
        }
    }
}

/// One `[[instance]]` of `data/instances.toml`. Prices are for one instance-hour, Linux, in the region
/// that [`Cloud`] names.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// As the cloud writes it, without `ml.`: `"g5.2xlarge"`.
    pub name: String,
    /// Who rents it out.
    pub cloud: Cloud,
    /// Virtual CPUs; on most types two are one core.
    pub vcpus: u32,
    /// Memory of the host.
    #[serde(rename = "memory_gib", deserialize_with = "quantity::gib")]
    pub memory: Bytes,
    /// Name of its accelerator, a [`super::Gpu`].
    pub gpu: String,
    /// How many of them.
    pub gpus: u32,
    /// Memory of each.
    #[serde(rename = "gpu_memory_gib", deserialize_with = "quantity::gib")]
    pub gpu_memory: Bytes,
    /// What joins the GPUs, in words that [`super::Interconnect`] lists; `"none"` for one GPU alone.
    pub intra_node_interconnect: String,
    /// Local drives.
    pub local_nvme_drives: Option<u32>,
    /// Local storage, all drives together.
    #[serde(rename = "local_nvme_gb", default, deserialize_with = "quantity::gb")]
    pub local_nvme: Option<Bytes>,
    /// Network rate in each direction that is always there.
    #[serde(rename = "network_baseline_gbit_per_s", deserialize_with = "quantity::gbit_per_s")]
    pub network_baseline: Bandwidth,
    /// Network rate in each direction while credits last.
    #[serde(rename = "network_burst_gbit_per_s", deserialize_with = "quantity::gbit_per_s")]
    pub network_burst: Bandwidth,
    /// Rate to network storage (EBS) that is always there.
    #[serde(rename = "ebs_baseline_mb_per_s", default, deserialize_with = "quantity::mb_per_s")]
    pub ebs_baseline: Option<Bandwidth>,
    /// Rate to network storage (EBS) while credits last.
    #[serde(rename = "ebs_burst_mb_per_s", default, deserialize_with = "quantity::mb_per_s")]
    pub ebs_burst: Option<Bandwidth>,
    /// Whether it can have Elastic Fabric Adapters; `None` outside AWS.
    pub efa: Option<bool>,
    /// On-Demand price on [`Self::on_demand_date`].
    #[serde(rename = "on_demand_usd_per_hour", deserialize_with = "quantity::usd_per_hour")]
    pub on_demand: Price,
    /// Day, or year, of the On-Demand price.
    pub on_demand_date: String,
    /// On-Demand price of 2026-07-20, where it was looked up again.
    #[serde(rename = "on_demand_2026_07_usd_per_hour", default, deserialize_with = "quantity::usd_per_hour")]
    pub on_demand_2026_07: Option<Price>,
    /// Price of `ml.` and this name for SageMaker training.
    #[serde(
        rename = "sagemaker_training_usd_per_hour",
        default,
        deserialize_with = "quantity::usd_per_hour"
    )]
    pub sagemaker_training: Option<Price>,
    /// When the SageMaker price held.
    pub sagemaker_date: Option<String>,
    /// Whether the SageMaker price was published, or follows from its ratio to EC2's.
    pub sagemaker_basis: Option<String>,
    /// Spot price of EC2 and its like, a 30-day average.
    #[serde(rename = "typical_spot_usd_per_hour", default, deserialize_with = "quantity::usd_per_hour")]
    pub typical_spot: Option<Price>,
    /// When the Spot price and the savings held.
    pub spot_date: Option<String>,
    /// Spot's discount from On-Demand, from 0 to 1.
    #[serde(rename = "spot_savings_pct", default, deserialize_with = "quantity::percent")]
    pub spot_savings: Option<f64>,
    /// Share of instances interrupted within a month.
    #[serde(rename = "spot_advisor_interruption_bucket")]
    pub interruption: Option<InterruptionBucket>,
    /// Day of [`Self::interruption`].
    pub advisor_date: Option<String>,
    /// What was read in documents, and what was not.
    pub confidence: String,
    /// Where the numbers come from.
    pub source: String,
}

/// An instance as a scenario names it: plain, or as SageMaker's (`ml.g5.2xlarge`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InstanceRef<'a> {
    /// The facts.
    pub instance: &'a Instance,
    /// Whether SageMaker rents it out, at its own price.
    pub sagemaker: bool,
}

impl InstanceRef<'_> {
    /// The name with its prefix, as the catalogue spells it: `"ml.g5.2xlarge"`.
    pub fn name(&self) -> String {
        if self.sagemaker { format!("ml.{}", self.instance.name) } else { self.instance.name.clone() }
    }

    /// On-Demand price per hour: SageMaker's for training, if that is meant. `None` if not known.
    pub fn on_demand(&self) -> Option<Price> {
        if self.sagemaker { self.instance.sagemaker_training } else { Some(self.instance.on_demand) }
    }

    /// When [`Self::on_demand`] held. `None` where that price is not known.
    pub fn on_demand_date(&self) -> Option<&str> {
        if self.sagemaker {
            self.instance.sagemaker_date.as_deref()
        } else {
            Some(&self.instance.on_demand_date)
        }
    }
}
