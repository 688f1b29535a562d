//! Times of kernels: each is checked, warmed up, and repeated until its median is known well enough.

use super::reference::{CheckError, check};
use super::{Backend, BackendError, Sensors, Task, Work, refusal};
use crate::stats::{order_statistic_ranks, sample_quantile};

/// How much work goes into a measurement, seconds by the clock on the wall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// How long the device is put to work before the first kernel, so that clocks and temperature settle.
    pub preload_s: f64,
    /// Least time on one kernel, by the device's timer.
    pub least_s: f64,
    /// Most time on one kernel; less where the whole would take longer than `total_s`.
    pub most_s: f64,
    /// Limit of the whole. Kernels that it leaves no time are run ten times, long ones three times, and
    /// their intervals say so.
    pub total_s: f64,
}

/// Half width of the 95 % interval of a median, share of it, at which repetition ends.
pub const ENOUGH: f64 = 0.01;
/// Least and most repetitions, whatever the time.
const REPETITIONS: (usize, usize) = (3, 10_000);
/// Repetitions without which an interval says nothing: the least that bound a median at 95 %.
const TRUSTED: usize = 10;
/// Where a repetition is longer than this, the fewest must do when the time is up.
const LONG_S: f64 = 10e-3;
/// A repetition is as many launches as take this long, so that timers and events do not count.
const REPETITION_S: f64 = 200e-6;
/// Launches of an empty kernel in one repetition. Source: section 5 of the reference's roofline model.
const EMPTY_LAUNCHES: u32 = 2_000;
const LAUNCHES_MAX: u32 = 2_000;
/// Repetitions that are thrown away after the check's one.
const WARM_UP: u32 = 3;
/// A repetition further than this many interquartile ranges beyond the upper quartile is an outlier.
const FAR: f64 = 3.0;

/// One kernel's time. Shares are of the median.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// The kernel.
    pub task: Task,
    /// Median over repetitions, seconds a launch.
    pub median_s: f64,
    /// Half the distance of the quartiles.
    pub spread: f64,
    /// Half the width of the 95 % interval of the median; `None` of too few repetitions.
    pub interval: Option<f64>,
    /// How often it was timed.
    pub repetitions: usize,
    /// Launches of one repetition.
    pub launches: u32,
    /// Repetitions far above the others. They count.
    pub outliers: usize,
    /// Largest error over its bound, of the numbers that were compared.
    pub error: f64,
    /// The device right after.
    pub sensors: Sensors,
}

/// What a measurement says while it goes on.
#[derive(Debug, Clone, PartialEq)]
pub enum News<'a> {
    /// A kernel begins: its place from 0, of how many.
    Begins(&'a Task, usize, usize),
    /// It cannot be run here, and why.
    Skipped(&'a Task, String),
}

/// Kernels that were measured, and those that were not with the reason.
pub type Measured = (Vec<Measurement>, Vec<(Task, String)>);

/// Measures `tasks` in their order. `clock` tells monotonic seconds; `said` hears what goes on and ends the measurement
/// by `false`, which gives `None`.
pub fn measure(
    backend: &mut dyn Backend,
    tasks: &[Task],
    effort: &Effort,
    clock: fn() -> f64,
    said: &mut dyn FnMut(News<'_>) -> bool,
) -> Result<Option<Measured>, CheckError> {
    let begin = clock();
    let (mut measured, mut skipped) = (Vec::new(), Vec::new());
    let mut able = Vec::new();
    for task in tasks {
        let Some(why) = refusal(backend, task) else {
            able.push(task);
            continue;
        };
        if !said(News::Skipped(task, why.clone())) {
            return Ok(None);
        }
        skipped.push((*task, why));
    }
    if effort.preload_s > 0.0 {
        preload(backend, &able, effort.preload_s, clock)?;
    }
    for (index, &task) in able.iter().enumerate() {
        if !said(News::Begins(task, index, able.len())) {
            return Ok(None);
        }
        let left = effort.total_s - (clock() - begin);
        let share = left / (able.len() - index) as f64;
        match one(backend, task, effort, clock() + share, clock) {
            Ok(measurement) => measured.push(measurement),
            Err(CheckError::Backend(error @ BackendError::Memory { .. })) => {
                let why = error.to_string();
                if !said(News::Skipped(task, why.clone())) {
                    return Ok(None);
                }
                skipped.push((*task, why));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Some((measured, skipped)))
}

/// Runs the largest product for a while.
fn preload(
    backend: &mut dyn Backend,
    tasks: &[&Task],
    seconds: f64,
    clock: fn() -> f64,
) -> Result<(), CheckError> {
    let Some(largest) = tasks.iter().max_by(|a, b| a.flop().total_cmp(&b.flop())) else { return Ok(()) };
    match backend.prepare(largest) {
        // It will be told when its turn comes.
        Err(BackendError::Memory { .. }) => return Ok(()),
        prepared => prepared?,
    }
    let end = clock() + seconds;
    while clock() < end {
        backend.run(10)?;
    }
    Ok(())
}

fn one(
    backend: &mut dyn Backend,
    task: &Task,
    effort: &Effort,
    end: f64,
    clock: fn() -> f64,
) -> Result<Measurement, CheckError> {
    let error = check(task, backend)?;
    // What the check took is taken from the time of this kernel, but not from the most that it may have.
    let end = end.min(clock() + effort.most_s);
    let launches = match task.work {
        Work::Launch => EMPTY_LAUNCHES,
        _ => {
            let once_s = backend.run(1)?.max(1e-9);
            (REPETITION_S / once_s).ceil().clamp(1.0, f64::from(LAUNCHES_MAX)) as u32
        }
    };
    // What is slow has been warmed by its check; to repeat it would take the time of others.
    if clock() < end {
        for _ in 0..WARM_UP {
            backend.run(launches)?;
        }
    }
    let mut times = Vec::new();
    let mut spent_s = 0.0;
    loop {
        let repetition_s = backend.run(launches)?;
        spent_s += repetition_s;
        times.push(repetition_s / f64::from(launches));
        let known = times.len() >= TRUSTED
            // To sort at every repetition would take longer than short ones do.
            && times.len().is_multiple_of(TRUSTED)
            && spent_s >= effort.least_s
            && Summary::of(&times).interval.is_some_and(|half| half <= ENOUGH);
        let least = if repetition_s > LONG_S { REPETITIONS.0 } else { TRUSTED };
        let late = times.len() >= least && clock() >= end;
        if known || late || times.len() >= REPETITIONS.1 {
            break;
        }
    }
    let Summary { median_s, spread, interval, outliers } = Summary::of(&times);
    let sensors = backend.sensors();
    let (task, repetitions) = (*task, times.len());
    Ok(Measurement { task, median_s, spread, interval, repetitions, launches, outliers, error, sensors })
}

/// What repetitions say together.
struct Summary {
    median_s: f64,
    spread: f64,
    interval: Option<f64>,
    outliers: usize,
}

impl Summary {
    fn of(times: &[f64]) -> Self {
        let mut sorted = times.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |p: f64| sample_quantile(&sorted, p).unwrap_or_default();
        let (low, median_s, high) = (at(0.25), at(0.5), at(0.75));
        let far = high + FAR * (high - low);
        let ranks = order_statistic_ranks(sorted.len() as u64, 0.5, 0.95);
        let interval = match ranks {
            (Some(lower), Some(upper)) => {
                let width = sorted[upper as usize - 1] - sorted[lower as usize - 1];
                Some(width / 2.0 / median_s)
            }
            _ => None,
        };
        Self {
            median_s,
            spread: (high - low) / 2.0 / median_s,
            interval,
            outliers: sorted.iter().filter(|&&time| time > far).count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BackendKind, DeviceInfo, Number, Rows};
    use super::*;
    use std::cell::Cell;

    thread_local! {
        static NOW: Cell<f64> = const { Cell::new(0.0) };
    }

    fn clock() -> f64 {
        NOW.get()
    }

    /// A device on which everything takes as long as its list says, one after the other and again.
    struct Played {
        info: DeviceInfo,
        once_s: Vec<f64>,
        next: usize,
        launched: u32,
    }

    impl Played {
        fn new(once_s: &[f64]) -> Self {
            NOW.set(0.0);
            let info = DeviceInfo {
                kind: BackendKind::Cpu,
                device: "played".into(),
                driver: None,
                library: None,
                timer: "none",
                software: false,
            };
            Self { info, once_s: once_s.to_vec(), next: 0, launched: 0 }
        }
    }

    impl Backend for Played {
        fn info(&self) -> &DeviceInfo {
            &self.info
        }
        fn refusal(&self, task: &Task) -> Option<String> {
            (task.number == Number::Fp16).then(|| "no fp16 here".into())
        }
        fn prepare(&mut self, task: &Task) -> Result<(), BackendError> {
            if let Work::Memcpy(needed) = task.work {
                return Err(BackendError::Memory { task: "memcpy".into(), needed, free: 1 });
            }
            Ok(())
        }
        fn run(&mut self, times: u32) -> Result<f64, BackendError> {
            let seconds = f64::from(times) * self.once_s[self.next % self.once_s.len()];
            self.next += 1;
            self.launched += times;
            NOW.set(NOW.get() + seconds);
            Ok(seconds)
        }
        fn output(&mut self, _: usize) -> Result<Vec<f32>, BackendError> {
            Ok(Vec::new())
        }
        fn sensors(&mut self) -> Sensors {
            Sensors::default()
        }
    }

    const EFFORT: Effort = Effort { preload_s: 0.0, least_s: 0.01, most_s: 1.0, total_s: 100.0 };
    const LAUNCH: Task = Task { work: Work::Launch, number: Number::Fp32 };

    fn measured(once_s: &[f64], effort: &Effort) -> Measurement {
        let mut played = Played::new(once_s);
        let (found, _) = measure(&mut played, &[LAUNCH], effort, clock, &mut |_| true).unwrap().unwrap();
        found[0].clone()
    }

    /// Ten repetitions of 2000 launches of 5 µs are 0.1 s, which is more than the least.
    #[test]
    fn a_steady_kernel_is_repeated_as_often_as_an_interval_needs() {
        let found = measured(&[5e-6], &EFFORT);
        assert_eq!((found.repetitions, found.launches), (10, 2_000));
        assert!((found.median_s - 5e-6).abs() < 1e-12 && found.spread < 1e-9);
        assert!(found.interval.unwrap() < 1e-9);
    }

    /// Half take 5 and half 6 µs: no median is known to 1 %, so the second that it may take is used up.
    #[test]
    fn an_unsteady_kernel_is_repeated_until_its_time_is_up() {
        let found = measured(&[5e-6, 6e-6, 6e-6, 5e-6, 5.5e-6], &EFFORT);
        assert!((80..=100).contains(&found.repetitions), "{}", found.repetitions);
        assert!(found.interval.unwrap() > ENOUGH);
    }

    #[test]
    fn outliers_are_counted_and_kept() {
        let mut times = vec![5e-6; 19];
        times.push(50e-6);
        let found = measured(&times, &Effort { least_s: 0.2, ..EFFORT });
        assert!(found.outliers >= 1);
        assert!((found.median_s - 5e-6).abs() < 1e-12);
    }

    /// A second a launch: the limit of the whole leaves three repetitions.
    #[test]
    fn the_whole_ends_in_time_and_says_how_little_is_known() {
        let found = measured(&[1e-2], &Effort { total_s: 1.0, ..EFFORT });
        assert_eq!(found.repetitions, 3);
        assert_eq!(found.interval, None);
    }

    #[test]
    fn what_cannot_be_run_is_left_out_with_the_reason() {
        let fp16 = Task { number: Number::Fp16, ..LAUNCH };
        let large = Task { work: Work::Memcpy(8), ..LAUNCH };
        let mut played = Played::new(&[1e-6]);
        let (found, skipped) =
            measure(&mut played, &[fp16, large, LAUNCH], &EFFORT, clock, &mut |_| true).unwrap().unwrap();
        assert_eq!(found.len(), 1);
        let reasons: Vec<&str> = skipped.iter().map(|(_, why)| why.as_str()).collect();
        assert_eq!(reasons, ["no fp16 here", "memcpy needs 8 bytes on the device, which has 1 free"]);
    }

    /// 2³² numbers are one more than a place of 32 bits can tell apart.
    #[test]
    fn what_no_backend_can_count_is_left_out_before_memory_is_taken() {
        let task = Task { work: Work::Gelu(Rows { rows: 1 << 16, width: 1 << 16 }), ..LAUNCH };
        let mut played = Played::new(&[1e-6]);
        let (_, skipped) = measure(&mut played, &[task], &EFFORT, clock, &mut |_| true).unwrap().unwrap();
        assert_eq!(skipped[0].1, "a buffer of 4294967296 numbers: at most 4294967295 are measured");
    }

    #[test]
    fn who_listens_can_end_it() {
        let mut played = Played::new(&[1e-6]);
        assert_eq!(measure(&mut played, &[LAUNCH], &EFFORT, clock, &mut |_| false).unwrap(), None);
    }

    /// What writes nothing where something is to be written is no time.
    #[test]
    fn a_kernel_without_results_is_an_error() {
        let task = Task { work: Work::Softmax(Rows { rows: 2, width: 2 }), ..LAUNCH };
        let mut played = Played::new(&[1e-6]);
        assert!(measure(&mut played, &[task], &EFFORT, clock, &mut |_| true).is_err());
    }
}
