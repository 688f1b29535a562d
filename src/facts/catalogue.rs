//! All facts together, and how to find one.

use super::{
    Advisor, BurstTime, Cloud, DdpCosts, Extras, Fabric, Gpu, Host, Instance, InstanceRef, Interconnect,
    Model, NcclFigures, Placement, PlacementScores, Regions, SocketDefaults, Software, Storage, Training,
    calibrations, files,
};
use std::sync::LazyLock;

/// What SageMaker puts before the name of an instance.
const SAGEMAKER_PREFIX: &str = "ml.";
/// A name is suggested when at most so many letters differ.
const EDITS_MAX: usize = 2;

/// All facts that come with the program.
#[derive(Debug, Clone, PartialEq)]
pub struct Catalogue {
    pub(super) instances: Vec<Instance>,
    pub(super) gpus: Vec<Gpu>,
    pub(super) models: Vec<Model>,
    pub(super) fabrics: Vec<Fabric>,
    pub(super) interconnects: Vec<Interconnect>,
    pub(super) extras: Extras,
    pub(super) regions: Regions,
    pub(super) hosts: Vec<Host>,
    pub(super) training: Training,
    pub(super) storage: Storage,
    pub(super) advisor: Advisor,
    pub(super) placement_scores: PlacementScores,
    pub(super) burst_time: BurstTime,
    pub(super) placements: Vec<Placement>,
    pub(super) sockets: SocketDefaults,
    pub(super) ddp: DdpCosts,
    pub(super) software: Software,
    pub(super) nccl_figures: Vec<NcclFigures>,
}

impl Catalogue {
    /// The facts under `data/` when the program was built.
    pub fn builtin() -> &'static Self {
        static BUILTIN: LazyLock<Catalogue> = LazyLock::new(|| {
            files::parse().expect("the files under data/ are parsed by the tests of this room")
        });
        &BUILTIN
    }

    /// Every instance, in the order of the file.
    pub fn instances(&self) -> impl Iterator<Item = &Instance> {
        self.instances.iter()
    }

    /// Every accelerator, in the order of the file.
    pub fn gpus(&self) -> impl Iterator<Item = &Gpu> {
        self.gpus.iter()
    }

    /// Every model, in the order of the file.
    pub fn models(&self) -> impl Iterator<Item = &Model> {
        self.models.iter()
    }

    /// Every fabric between nodes, in the order of the file.
    pub fn fabrics(&self) -> impl Iterator<Item = &Fabric> {
        self.fabrics.iter()
    }

    /// Every interconnect inside a node, in the order of the file.
    pub fn interconnects(&self) -> impl Iterator<Item = &Interconnect> {
        self.interconnects.iter()
    }

    /// Prices beside instances.
    pub fn extras(&self) -> &Extras {
        &self.extras
    }

    /// What it takes to move bytes from one region to another.
    pub fn regions(&self) -> &Regions {
        &self.regions
    }

    /// How a training step runs on its host.
    pub fn training(&self) -> &Training {
        &self.training
    }

    /// How fast nodes reach what checkpoints are saved on.
    pub fn storage(&self) -> &Storage {
        &self.storage
    }

    /// How the classes of AWS's Spot Advisor are read.
    pub const fn advisor(&self) -> &Advisor {
        &self.advisor
    }

    /// How AWS's Spot placement scores are read.
    pub const fn placement_scores(&self) -> &PlacementScores {
        &self.placement_scores
    }

    /// How long burst credits of a network last.
    pub const fn burst_time(&self) -> &BurstTime {
        &self.burst_time
    }

    /// What training software moves and reaches.
    pub fn software(&self) -> &Software {
        &self.software
    }

    /// What NCCL's model is adjusted by, for every class of fabrics in the order of the file.
    pub fn nccl_figures(&self) -> impl Iterator<Item = &NcclFigures> {
        self.nccl_figures.iter()
    }

    /// The instance of this name, in any case. `ml.` before the name of an AWS instance means SageMaker's.
    pub fn instance(&self, name: &str) -> Option<InstanceRef<'_>> {
        let (sagemaker, plain) = split_prefix(name);
        self.rentable(sagemaker)
            .find(|i| i.name.eq_ignore_ascii_case(plain))
            .map(|instance| InstanceRef { instance, sagemaker })
    }

    /// The accelerator of this name, in any case.
    pub fn gpu(&self, name: &str) -> Option<&Gpu> {
        self.gpus.iter().find(|g| g.name.eq_ignore_ascii_case(name))
    }

    /// The model of this name, in any case.
    pub fn model(&self, name: &str) -> Option<&Model> {
        self.models.iter().find(|m| m.name.eq_ignore_ascii_case(name))
    }

    /// Name and text of every calibration file that is built in.
    pub fn calibrations(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        calibrations::all()
    }

    /// The text of the calibration file of this name, in any case.
    pub fn calibration(&self, name: &str) -> Option<&'static str> {
        self.calibrations().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, text)| text)
    }

    /// The fabric of this name, in any case.
    pub fn fabric(&self, name: &str) -> Option<&Fabric> {
        self.fabrics.iter().find(|f| f.name.eq_ignore_ascii_case(name))
    }

    /// Every placement of nodes, the closest first.
    pub fn placements(&self) -> impl Iterator<Item = &Placement> {
        self.placements.iter()
    }

    /// The placement of this name, in any case.
    pub fn placement(&self, name: &str) -> Option<&Placement> {
        self.placements.iter().find(|p| p.name.eq_ignore_ascii_case(name))
    }

    /// Connections that NCCL opens to a peer.
    pub fn sockets(&self) -> &SocketDefaults {
        &self.sockets
    }

    /// What exchanging gradients costs beside the bytes.
    pub fn ddp(&self) -> &DdpCosts {
        &self.ddp
    }

    /// The accelerator that a catalogued instance has.
    pub fn gpu_of(&self, instance: &Instance) -> &Gpu {
        self.gpu(&instance.gpu).expect("a test of this room finds the GPU of every instance")
    }

    /// What stands around the GPUs of an instance.
    pub fn host_of(&self, instance: &Instance) -> &Host {
        let fits = |host: &&Host| host.fits(&instance.name);
        self.hosts
            .iter()
            .max_by_key(fits)
            .filter(|host| fits(host) > 0)
            .expect("a test of this room finds the host of every instance")
    }

    /// The fabric between instances of this type.
    pub fn fabric_between(&self, instance: &Instance) -> &Fabric {
        self.fabrics
            .iter()
            .find(|f| f.instances.iter().any(|start| instance.name.starts_with(start)))
            .or_else(|| self.fabrics.iter().find(|f| f.instances.is_empty()))
            .expect("a test of this room finds the fabric of every instance")
    }

    /// The interconnect between the GPUs of an instance; `None` where there is only one.
    pub fn interconnect_inside(&self, instance: &Instance) -> Option<&Interconnect> {
        self.interconnects
            .iter()
            .find(|i| instance.gpus > 1 && i.interconnects.contains(&instance.intra_node_interconnect))
    }

    /// The instance that may have been meant, with its `ml.` if `name` has it; `None` if none is near.
    pub fn nearest_instance(&self, name: &str) -> Option<String> {
        let (sagemaker, plain) = split_prefix(name);
        let instance = nearest(plain, self.rentable(sagemaker).map(|i| i.name.as_str()))?;
        Some(if sagemaker { format!("{SAGEMAKER_PREFIX}{instance}") } else { instance.to_owned() })
    }

    /// The accelerator that may have been meant; `None` if none is near.
    pub fn nearest_gpu(&self, name: &str) -> Option<&str> {
        nearest(name, self.gpus.iter().map(|g| g.name.as_str()))
    }

    /// The model that may have been meant; `None` if none is near.
    pub fn nearest_model(&self, name: &str) -> Option<&str> {
        nearest(name, self.models.iter().map(|m| m.name.as_str()))
    }

    /// All instances, or those that SageMaker could rent out.
    fn rentable(&self, sagemaker: bool) -> impl Iterator<Item = &Instance> {
        self.instances.iter().filter(move |i| !sagemaker || i.cloud == Cloud::Aws)
    }
}

/// Whether a name begins with SageMaker's prefix, and the rest of it.
fn split_prefix(name: &str) -> (bool, &str) {
    match name.split_at_checked(SAGEMAKER_PREFIX.len()) {
        Some((prefix, plain)) if prefix.eq_ignore_ascii_case(SAGEMAKER_PREFIX) => (true, plain),
        _ => (false, name),
    }
}

/// The first of the names with the fewest edits from `name`, if few. Of a short name at most half the
/// letters may differ, else `L4` would be offered for any two letters.
fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    let edits_max = EDITS_MAX.min(wanted.chars().count() / 2);
    names
        .map(|candidate| (strsim::levenshtein(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|&(edits, _)| edits <= edits_max)
        .min_by_key(|&(edits, _)| edits)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Price;

    fn price(name: &str) -> Option<Price> {
        Catalogue::builtin().instance(name).unwrap().on_demand()
    }

    fn usd(text: &str) -> Option<Price> {
        Some(text.parse().unwrap())
    }

    /// Rows of the tables that the files were made from.
    #[test]
    fn every_row_is_read() {
        let catalogue = files::parse().unwrap();
        assert_eq!(catalogue.instances().count(), 69);
        assert_eq!(catalogue.gpus().count(), 25);
        assert_eq!(catalogue.models().count(), 48);
    }

    #[test]
    fn names_are_unique_in_any_case() {
        let catalogue = Catalogue::builtin();
        for names in [
            catalogue.instances().map(|i| i.name.to_lowercase()).collect::<Vec<_>>(),
            catalogue.gpus().map(|g| g.name.to_lowercase()).collect(),
            catalogue.models().map(|m| m.name.to_lowercase()).collect(),
            catalogue.fabrics().map(|f| f.name.to_lowercase()).collect(),
        ] {
            let unique: std::collections::BTreeSet<_> = names.iter().collect();
            assert_eq!(unique.len(), names.len());
        }
    }

    /// A mistyped key of `[sources]` would stay as it is; a place has a slash or a blank.
    #[test]
    fn every_fact_says_where_it_comes_from() {
        let catalogue = Catalogue::builtin();
        let instances = catalogue.instances().map(|i| (&i.name, &i.source));
        let gpus = catalogue.gpus().map(|g| (&g.name, &g.source));
        let models = catalogue.models().map(|m| (&m.name, &m.source));
        let fabrics = catalogue.fabrics().map(|f| (&f.name, &f.source));
        let interconnects = catalogue.interconnects().map(|i| (&i.name, &i.source));
        let placements = catalogue.placements().map(|p| (&p.name, &p.source));
        let networks = fabrics.chain(interconnects).chain(placements);
        for (name, source) in instances.chain(gpus).chain(models).chain(networks) {
            assert!(source.contains(['/', ' ']), "{name}: {source}");
        }
    }

    /// AWS's published prices: EC2 in us-east-1 on 2023-12-11, SageMaker training of the same time.
    #[test]
    fn sagemaker_and_ec2_have_prices_of_their_own() {
        assert_eq!(price("g5.2xlarge"), usd("1.212 USD/h"));
        assert_eq!(price("ml.g5.2xlarge"), usd("1.515 USD/h"));
        assert_eq!(price("ml.g5.12xlarge"), usd("7.09 USD/h"));
        assert_eq!(Catalogue::builtin().instance("ML.G5.2xlarge").unwrap().name(), "ml.g5.2xlarge");
    }

    #[test]
    fn a_price_that_is_not_known_is_none() {
        assert_eq!(price("ml.p5.4xlarge"), None);
        assert_eq!(price("p5.4xlarge"), usd("6.88 USD/h"));
    }

    #[test]
    fn sagemaker_rents_out_aws_instances_only() {
        assert!(Catalogue::builtin().instance("ml.a2-highgpu-1g").is_none());
        assert!(Catalogue::builtin().instance("a2-highgpu-1g").is_some());
    }

    /// the project's case 20.
    #[test]
    fn upper_case_names_are_accepted() {
        assert_eq!(Catalogue::builtin().instance("P3.2XLARGE").unwrap().instance.name, "p3.2xlarge");
    }

    /// the project's case 20.
    #[test]
    fn near_names_are_suggested_and_far_ones_are_not() {
        let catalogue = Catalogue::builtin();
        assert!(catalogue.instance("p4d.24xlarg").is_none());
        assert_eq!(catalogue.nearest_instance("p4d.24xlarg").as_deref(), Some("p4d.24xlarge"));
        assert_eq!(catalogue.nearest_instance("ml.g5.2xlrage").as_deref(), Some("ml.g5.2xlarge"));
        assert_eq!(catalogue.nearest_instance("m99.huge"), None);
        assert_eq!(catalogue.nearest_gpu("A10GX"), Some("A10G"));
        assert_eq!(catalogue.nearest_gpu("xy"), None);
        assert_eq!(catalogue.nearest_model("vit_base_patch_16_224"), Some("vit_base_patch16_224"));
    }

    #[test]
    fn every_instance_has_its_gpu_and_its_links() {
        let catalogue = Catalogue::builtin();
        for instance in catalogue.instances() {
            assert!(catalogue.host_of(instance).nics > 0);
            assert!(catalogue.gpu_of(instance).memory_efficiency > 0.0);
            assert!(!catalogue.fabric_between(instance).wire.is_empty());
            let inside = catalogue.interconnect_inside(instance);
            assert_eq!(inside.is_some(), instance.gpus > 1, "{}", instance.name);
            let class = inside.map(|inside| inside.nccl.as_str());
            let figures = |class| catalogue.nccl_figures().any(|figures| figures.class == class);
            assert!(class.is_none_or(figures), "{}", instance.name);
        }
    }

    /// AWS: 10 Gbit/s a flow in a cluster placement group, 5 outside; a zone border costs a hop 0.3 to 0.5 ms.
    #[test]
    fn the_wider_nodes_are_spread_the_less_a_flow_carries() {
        let placements: Vec<_> = Catalogue::builtin()
            .placements()
            .map(|p| (p.name.as_str(), p.single_flow.bytes_per_s() * 8e-9, p.hop_latency_us))
            .collect();
        let expected = [("cluster-group", 10.0, 0.0), ("same-zone", 5.0, 50.0), ("across-zones", 5.0, 400.0)];
        assert_eq!(placements, expected);
    }

    #[test]
    fn every_estimate_lies_in_its_range() {
        let ddp = Catalogue::builtin().ddp();
        for estimate in
            [&ddp.launch_s, &ddp.contention_between_nodes, &ddp.contention_inside_node, &ddp.straggler_sigma]
        {
            assert!(estimate.low <= estimate.value && estimate.value <= estimate.high, "{estimate:?}");
        }
    }
}
