//! Hosts of the accelerators.

use serde::Deserialize;

/// One `[[host]]` of `data/hosts.toml`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Beginnings of the names of the instances that have it.
    pub instances: Vec<String>,
    /// Family of the host's processor.
    pub processor: HostProcessor,
    /// Sockets over which the accelerators are spread.
    pub sockets: u32,
    /// Network cards of a node, among which its rate is divided.
    pub nics: u32,
    /// When it was read.
    pub date: String,
    /// How far to trust it.
    pub confidence: String,
    /// Where it comes from.
    pub source: String,
}

/// Family of a host's processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostProcessor {
    /// Any of AMD's.
    Amd,
    /// Intel up to Broadwell.
    Broadwell,
    /// Intel Skylake, Cascade Lake, Ice Lake.
    Skylake,
    /// Intel Sapphire Rapids.
    SapphireRapids,
}

impl Host {
    /// How many letters of an instance's name it fits; 0 if none.
    pub(super) fn fits(&self, instance: &str) -> usize {
        let fitting = self.instances.iter().filter(|start| instance.starts_with(start.as_str()));
        fitting.map(String::len).max().unwrap_or(0)
    }
}
