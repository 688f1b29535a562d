//! The TOML files under `data/`, built into the program.

use super::{
    BurstTime, Catalogue, DdpCosts, Fabric, Gpu, Host, Instance, Interconnect, Model, NcclFigures, Placement,
    SocketDefaults, Software, Storage, Training,
};
use serde::Deserialize;
use std::collections::BTreeMap;

/// `[sources]` of a file: short key to the places it stands for.
type Sources = BTreeMap<String, Vec<String>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InstanceFile {
    sources: Sources,
    instance: Vec<Instance>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GpuFile {
    sources: Sources,
    gpu: Vec<Gpu>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelFile {
    sources: Sources,
    model: Vec<Model>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NetworkFile {
    sources: Sources,
    fabric: Vec<Fabric>,
    interconnect: Vec<Interconnect>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HostFile {
    sources: Sources,
    host: Vec<Host>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CreditFile {
    burst: BurstTime,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlacementFile {
    sources: Sources,
    placement: Vec<Placement>,
    sockets: SocketDefaults,
}

/// `date` and `source` are those of the whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FiguresFile {
    #[serde(rename = "date")]
    _date: String,
    #[serde(rename = "source")]
    _source: String,
    figures: Vec<NcclFigures>,
}

/// Reads all files.
pub(super) fn parse() -> Result<Catalogue, toml::de::Error> {
    let mut instances: InstanceFile = toml::from_str(include_str!("../../data/instances.toml"))?;
    let mut gpus: GpuFile = toml::from_str(include_str!("../../data/gpus.toml"))?;
    let mut models: ModelFile = toml::from_str(include_str!("../../data/models.toml"))?;
    let mut networks: NetworkFile = toml::from_str(include_str!("../../data/networks.toml"))?;
    let extras = toml::from_str(include_str!("../../data/extras.toml"))?;
    let regions = toml::from_str(include_str!("../../data/regions.toml"))?;
    let training: Training = toml::from_str(include_str!("../../data/training.toml"))?;
    let storage: Storage = toml::from_str(include_str!("../../data/storage.toml"))?;
    let advisor = toml::from_str(include_str!("../../data/advisor.toml"))?;
    let placement_scores = toml::from_str(include_str!("../../data/placement_scores.toml"))?;
    let mut hosts: HostFile = toml::from_str(include_str!("../../data/hosts.toml"))?;
    hosts.host.iter_mut().for_each(|h| spell_out(&mut h.source, &hosts.sources));
    let credits: CreditFile = toml::from_str(include_str!("../../data/credits.toml"))?;
    let mut placements: PlacementFile = toml::from_str(include_str!("../../data/placements.toml"))?;
    let ddp: DdpCosts = toml::from_str(include_str!("../../data/ddp.toml"))?;
    let software: Software = toml::from_str(include_str!("../../data/software.toml"))?;
    let figures: FiguresFile = toml::from_str(include_str!("../../data/nccl_figures.toml"))?;
    instances.instance.iter_mut().for_each(|i| spell_out(&mut i.source, &instances.sources));
    gpus.gpu.iter_mut().for_each(|g| spell_out(&mut g.source, &gpus.sources));
    models.model.iter_mut().for_each(|m| spell_out(&mut m.source, &models.sources));
    networks.fabric.iter_mut().for_each(|f| spell_out(&mut f.source, &networks.sources));
    networks.interconnect.iter_mut().for_each(|i| spell_out(&mut i.source, &networks.sources));
    placements.placement.iter_mut().for_each(|p| spell_out(&mut p.source, &placements.sources));
    spell_out(&mut placements.sockets.source, &placements.sources);
    Ok(Catalogue {
        instances: instances.instance,
        gpus: gpus.gpu,
        models: models.model,
        fabrics: networks.fabric,
        interconnects: networks.interconnect,
        extras,
        regions,
        hosts: hosts.host,
        training,
        storage,
        advisor,
        placement_scores,
        burst_time: credits.burst,
        placements: placements.placement,
        sockets: placements.sockets,
        ddp,
        software,
        nccl_figures: figures.figures,
    })
}

/// Replaces a key of `[sources]` by the places it stands for; a source written out stays.
fn spell_out(source: &mut String, sources: &Sources) {
    if let Some(places) = sources.get(source) {
        *source = places.join("; ");
    }
}
