//! Samples made by worker processes of the host, and their way to the accelerator.

/// The data loading of one node. Source of its formulas: the reference's `dataloader.md`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loader {
    /// Physical cores of the node.
    pub cores: f64,
    /// Training processes on the node, one an accelerator.
    pub ranks: u32,
    /// Worker processes of all ranks of the node; with none, each rank loads between its steps.
    pub workers: u32,
    /// Samples of a rank and step.
    pub batch: u32,
    /// Time of one core to make a sample, seconds.
    pub item_s: f64,
    /// Time of one core to copy a sample into its batch, seconds.
    pub collate_s: f64,
    /// Bytes of a sample in its batch.
    pub sample_bytes: f64,
    /// Batches that each worker holds ready.
    pub prefetch: u32,
    /// Where samples are read from; `None` if the workers make them up.
    pub storage: Option<Storage>,
    /// What the host keeps for other work.
    pub host: HostShare,
}

/// The way from storage into the node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Storage {
    /// Bytes of a sample as stored.
    pub sample_bytes: f64,
    /// Rate that the node can read at: of the storage, or of the share of the network it comes over, bytes/s.
    pub bytes_per_s: f64,
}

/// How the cores of a node are shared between loading and all else.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HostShare {
    /// Cores that each rank's main process keeps busy: launching kernels, pageable copies.
    pub main_cores: f64,
    /// Cores that communication over sockets keeps busy.
    pub network_cores: f64,
    /// What the second thread of a core adds, in cores.
    pub smt_gain: f64,
}

/// What loading is limited by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoaderLimit {
    /// More workers would load more.
    Workers,
    /// The cores are busy.
    Cores,
    /// Samples cannot be read faster.
    Storage,
}

/// Share of the cores that loading gets however much else runs: the scheduler starves nobody. Ours; it binds
/// only where ranks and network want nearly every core.
const CORES_SHARE_MIN: f64 = 0.1;

impl Loader {
    /// Cores that the workers can use, second threads counted at their gain.
    pub fn effective_cores(&self) -> f64 {
        let left = self.cores - self.reserved_cores();
        left.max(self.cores * CORES_SHARE_MIN) * (1.0 + self.host.smt_gain)
    }

    /// Samples per second that the node's loader can make, and what keeps it from more.
    pub fn capacity(&self) -> (f64, LoaderLimit) {
        let loading = f64::from(if self.workers > 0 { self.workers } else { self.ranks });
        let cores = self.effective_cores();
        let (busy, limit) =
            if loading <= cores { (loading, LoaderLimit::Workers) } else { (cores, LoaderLimit::Cores) };
        let cpu = busy / self.sample_s();
        match self.storage {
            Some(storage) if storage.bytes_per_s / storage.sample_bytes < cpu => {
                (storage.bytes_per_s / storage.sample_bytes, LoaderLimit::Storage)
            }
            _ => (cpu, limit),
        }
    }

    /// Seconds that each step waits for its batches, if it takes `step_s` without waiting. Workers load
    /// during the step; without workers nothing does.
    pub fn stall_s(&self, step_s: f64) -> f64 {
        let load_s = f64::from(self.ranks) * f64::from(self.batch) / self.capacity().0;
        if self.workers > 0 { (load_s - step_s).max(0.0) } else { load_s }
    }

    /// Share of the loader's capacity that `samples_per_s` of the node take; above 1 it binds.
    pub fn load(&self, samples_per_s: f64) -> f64 {
        samples_per_s / self.capacity().0
    }

    /// Cores busy at this rate, communication and main processes included. Above [`Self::cores`], what
    /// communication gets of the host suffers too.
    pub fn busy_cores(&self, samples_per_s: f64) -> f64 {
        samples_per_s * self.sample_s() + self.reserved_cores()
    }

    /// Seconds from the workers' start to the first batch: all of them fill one at the same time.
    pub fn startup_s(&self) -> f64 {
        let crowding = (f64::from(self.workers) / self.effective_cores()).max(1.0);
        f64::from(self.batch) * self.sample_s() * crowding
    }

    /// Shared memory that the batches held ready take, bytes.
    pub fn shared_memory_bytes(&self) -> f64 {
        f64::from(self.workers) * f64::from(self.prefetch) * self.batch_bytes()
    }

    /// Bytes of one rank's batch.
    pub fn batch_bytes(&self) -> f64 {
        f64::from(self.batch) * self.sample_bytes
    }

    /// Seconds to copy a batch to the accelerator at `bytes_per_s`: 4 to 6 GB/s from pageable memory, 12 to
    /// 24 from pinned. All ranks copy at once; each has its own link.
    pub fn host_copy_s(&self, bytes_per_s: f64) -> f64 {
        self.batch_bytes() / bytes_per_s
    }

    fn sample_s(&self) -> f64 {
        self.item_s + self.collate_s
    }

    fn reserved_cores(&self) -> f64 {
        f64::from(self.ranks) * self.host.main_cores + self.host.network_cores
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The loader of the case that the project was born from: random tensors of 3 × 224 × 224 in fp32, on a
    /// g5.2xlarge (8 vCPU).
    const SEED: Loader = Loader {
        cores: 4.0,
        ranks: 1,
        workers: 8,
        batch: 128,
        item_s: 1.0e-3,
        collate_s: 0.3e-3,
        sample_bytes: 602_112.0,
        prefetch: 2,
        storage: None,
        host: HostShare { main_cores: 0.5, network_cores: 0.4, smt_gain: 0.25 },
    };
    const G5_4XLARGE: Loader = Loader { cores: 8.0, workers: 16, ..SEED };
    const G5_12XLARGE: Loader = Loader { cores: 24.0, workers: 48, ranks: 4, ..SEED };

    fn within(value: f64, right: f64, share: f64) {
        assert!((value / right - 1.0).abs() <= share, "{value}, not {right}");
    }

    /// The last table of `dataloader.md`, rounded as there: cores, samples/s, and load at 330/s a GPU.
    #[test]
    fn the_seed_nodes_load_as_in_the_reference() {
        for (loader, cores, samples_per_s, load) in
            [(SEED, 3.9, 3000.0, 0.11), (G5_4XLARGE, 8.9, 6800.0, 0.05), (G5_12XLARGE, 27.0, 21_000.0, 0.06)]
        {
            within(loader.effective_cores(), cores, 0.01);
            within(loader.capacity().0, samples_per_s, 0.012);
            within(loader.load(330.0 * f64::from(loader.ranks)), load, 0.07);
            assert_eq!(loader.capacity().1, LoaderLimit::Cores);
            assert_eq!(loader.stall_s(128.0 / 330.0), 0.0);
        }
    }

    /// "At 5-10 ms per sample per core the 2xlarge caps at 390-780/s."
    #[test]
    fn real_images_are_limited_by_the_cores() {
        let slow = Loader { item_s: 10e-3, collate_s: 0.0, ..SEED };
        within(slow.capacity().0, 390.0, 0.01);
        within(Loader { item_s: 5e-3, ..slow }.capacity().0, 780.0, 0.01);
    }

    /// A loader of 100 samples/s that must feed 128 in half a second: the rest of 1.28 s is waited.
    #[test]
    fn what_the_step_does_not_hide_is_waited() {
        let loader = Loader { workers: 1, item_s: 10e-3, collate_s: 0.0, ..SEED };
        assert!((loader.stall_s(0.5) - 0.78).abs() < 1e-12);
        assert_eq!(loader.capacity(), (100.0, LoaderLimit::Workers));
    }

    #[test]
    fn without_workers_loading_hides_behind_nothing() {
        let loader = Loader { workers: 0, ..SEED };
        assert!((loader.stall_s(10.0) - 128.0 * 1.3e-3).abs() < 1e-12);
    }

    /// 1 Gbit/s brings 1136 images of 110 kB.
    #[test]
    fn storage_can_be_the_limit() {
        let storage = Some(Storage { sample_bytes: 110e3, bytes_per_s: 125e6 });
        let (rate, limit) = Loader { storage, ..SEED }.capacity();
        within(rate, 1136.0, 0.001);
        assert_eq!(limit, LoaderLimit::Storage);
    }

    /// "1.23 GB at 8, 2.5 GB at 16, 7.4 GB at 48 workers."
    #[test]
    fn batches_held_ready_take_shared_memory() {
        within(SEED.shared_memory_bytes(), 1.23e9, 0.005);
        within(G5_4XLARGE.shared_memory_bytes(), 2.5e9, 0.02);
        within(G5_12XLARGE.shared_memory_bytes(), 7.4e9, 0.005);
    }

    /// "77 MB: 13 to 19 ms" at 6 and 4 GB/s.
    #[test]
    fn a_pageable_batch_is_copied_in_13_to_19_ms() {
        within(SEED.host_copy_s(6e9), 13e-3, 0.02);
        within(SEED.host_copy_s(4e9), 19e-3, 0.02);
    }

    /// 128 × 1.3 ms, while eight workers share 3.875 cores.
    #[test]
    fn the_first_batch_comes_when_all_workers_filled_one() {
        within(SEED.startup_s(), 0.1664 * 8.0 / 3.875, 1e-9);
    }

    /// 330 samples of 1.3 ms, half a core for the main process and 0.4 for the network.
    #[test]
    fn busy_cores_count_all_that_runs() {
        within(SEED.busy_cores(330.0), 0.429 + 0.9, 1e-9);
    }

    proptest! {
        #[test]
        fn more_workers_cores_or_time_never_wait_longer(
            workers in 1u32..64, cores in 1.0..64.0f64, step_s in 0.001..2.0f64, more in 1.0..4.0f64,
        ) {
            let loader = Loader { workers, cores, item_s: 8e-3, ..SEED };
            let stall = loader.stall_s(step_s);
            let wider = Loader { workers: workers * 2, ..loader };
            let bigger = Loader { cores: cores * more, ..loader };
            prop_assert!(wider.stall_s(step_s) <= stall);
            prop_assert!(bigger.stall_s(step_s) <= stall);
            prop_assert!(loader.stall_s(step_s * more) <= stall);
        }
    }
}
