//! How a training step runs on its host.

use super::Estimate;
use serde::Deserialize;

/// The constants of `data/training.toml`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Training {
    /// Host time to launch one kernel, seconds.
    pub kernel_launch_s: Estimate,
    /// Kernels of one transformer block in a step.
    pub kernels_per_block: Estimate,
    /// The same where a compiler joined elementwise operations.
    pub kernels_per_block_compiled: Estimate,
    /// Kernels of a step outside the blocks.
    pub kernels_other: Estimate,
    /// From pageable host memory to the accelerator, bytes/s.
    pub host_copy_pageable_bytes_per_s: Estimate,
    /// From pinned host memory to the accelerator, bytes/s.
    pub host_copy_pinned_bytes_per_s: Estimate,
    /// Accelerator memory taken before training, bytes.
    pub device_reserved_bytes: Estimate,
    /// Time of one core to make one sample, seconds.
    pub sample_item_s: Estimate,
    /// Time of one core to copy one sample into its batch, seconds.
    pub sample_collate_s: Estimate,
    /// Batches that each worker of the loader holds ready.
    pub prefetch_batches: Estimate,
    /// vCPU of one physical core.
    pub vcpus_per_core: Estimate,
    /// What the second thread of a busy core adds, in cores.
    pub smt_gain: Estimate,
    /// Cores that the main process of each rank keeps busy.
    pub main_process_cores: Estimate,
    /// Cores that communication over sockets keeps busy.
    pub network_cores: Estimate,
}

impl Training {
    /// Every constant with its key, in the order of the file.
    pub fn constants(&self) -> [(&'static str, &Estimate); 14] {
        [
            ("kernel_launch_s", &self.kernel_launch_s),
            ("kernels_per_block", &self.kernels_per_block),
            ("kernels_per_block_compiled", &self.kernels_per_block_compiled),
            ("kernels_other", &self.kernels_other),
            ("host_copy_pageable_bytes_per_s", &self.host_copy_pageable_bytes_per_s),
            ("host_copy_pinned_bytes_per_s", &self.host_copy_pinned_bytes_per_s),
            ("device_reserved_bytes", &self.device_reserved_bytes),
            ("sample_item_s", &self.sample_item_s),
            ("sample_collate_s", &self.sample_collate_s),
            ("prefetch_batches", &self.prefetch_batches),
            ("vcpus_per_core", &self.vcpus_per_core),
            ("smt_gain", &self.smt_gain),
            ("main_process_cores", &self.main_process_cores),
            ("network_cores", &self.network_cores),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::super::Catalogue;

    #[test]
    fn every_constant_lies_in_its_range() {
        for (key, constant) in Catalogue::builtin().training().constants() {
            assert!(constant.low <= constant.value && constant.value <= constant.high, "{key}");
        }
    }

    #[test]
    fn every_constant_says_where_it_comes_from() {
        for (key, constant) in Catalogue::builtin().training().constants() {
            assert!(!constant.source.is_empty() && !constant.confidence.is_empty(), "{key}");
            assert!(constant.date.starts_with("20"), "{key}");
        }
    }

    /// The centre that the reference calculates its nodes with: 0.9 cores kept, a quarter gained, 1.3 ms.
    #[test]
    fn the_loader_has_the_constants_of_the_reference() {
        let training = Catalogue::builtin().training();
        assert!((training.main_process_cores.value + training.network_cores.value - 0.9).abs() < 1e-12);
        assert_eq!(training.smt_gain.value, 0.25);
        assert!((training.sample_item_s.value + training.sample_collate_s.value - 1.3e-3).abs() < 1e-12);
    }
}
