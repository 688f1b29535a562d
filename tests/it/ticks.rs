//! Taking many ticks at once must change nothing.

use spotsim::policy::{
    AtTick, FallBack, FallBackTicks, Greedy, OnDemandOnly, Running, SlicedTicks, Slices, SpotOnly,
    Thresholds, TickJob, TickView, TimeSliced, UniformProgress,
};
use spotsim::rng::{Source, Stream, Streams};
use spotsim::sim::{Stretch, TickRules, Ticked, ticks};
use spotsim::units::Span;

/// A policy that is asked in every tick.
struct EveryTick<P>(P);

impl<P: AtTick> AtTick for EveryTick<P> {
    fn at_tick(&mut self, view: &TickView<'_>) -> Running {
        self.0.at_tick(view)
    }
}

/// First ticks at which Spot comes and goes, in turn; the first state is `starts`.
struct World {
    starts: bool,
    changes: Vec<u64>,
}

impl World {
    fn draw(draws: &mut Stream, ticks: u64) -> Self {
        let starts = draws.open01() < 0.5;
        let mean = 1.0 + 60.0 * draws.open01().powi(3);
        let (mut at, mut changes) = (0, Vec::new());
        while at < ticks {
            at += 1 + below(draws, (2.0 * mean) as u64);
            changes.push(at);
        }
        Self { starts, changes }
    }

    /// Whether Spot is there in `tick`, and until when that holds.
    fn look(&self, tick: u64) -> (bool, u64) {
        let passed = self.changes.partition_point(|at| *at <= tick);
        (self.starts == passed.is_multiple_of(2), self.changes.get(passed).copied().unwrap_or(u64::MAX))
    }
}

fn below(draws: &mut Stream, n: u64) -> u64 {
    (draws.open01() * n as f64) as u64
}

/// A job in whole seconds, or in thousandths of them. Ticks are of a second and more: work left is compared to a thousandth
/// of one, so that of ticks of a few ms the last digit of a sum decides.
fn draw_job(draws: &mut Stream) -> TickJob {
    let unit = if draws.open01() < 0.5 { 1.0 } else { 1e-3 };
    let tick = if unit == 1.0 { 1 + below(draws, 900) } else { 1_000 + below(draws, 900_000) };
    let task = 1 + below(draws, tick * 300);
    let overhead = match below(draws, 4) {
        0 => 0,
        1 => below(draws, tick),
        2 => tick * below(draws, 4),
        _ => below(draws, tick * 5),
    };
    let slack = 1.0 + draws.open01();
    let deadline = ((task + overhead) as f64 * slack) as u64 + tick * below(draws, 3);
    let seconds = |n: u64| n as f64 * unit;
    TickJob {
        tick_s: seconds(tick),
        task_s: seconds(task),
        deadline_s: seconds(deadline.max(1)),
        overhead_s: seconds(overhead),
    }
}

/// What ran, tick by tick: what, whether it was new, whether Spot was there.
fn run(rules: &TickRules, world: &World, mut policy: impl AtTick) -> (Ticked, Vec<(Running, bool, bool)>) {
    let mut ran = Vec::new();
    let see = |stretch: &Stretch| {
        for k in 0..stretch.ticks {
            ran.push((stretch.running, stretch.is_new && k == 0, stretch.spot));
        }
    };
    let out = ticks(rules, &mut policy, |tick| world.look(tick), see);
    (out, ran)
}

fn same<P: AtTick + Copy>(name: &str, case: u64, rules: &TickRules, world: &World, policy: P) {
    let (at_once, skipped) = run(rules, world, policy);
    let (by_one, each) = run(rules, world, EveryTick(policy));
    // Sums in another order differ in their last digits.
    let off = (at_once.left_s - by_one.left_s).abs();
    let at_once = Ticked { left_s: by_one.left_s, ..at_once };
    assert!(at_once == by_one && off < 1e-6, "{name} {case}: {at_once:?}, {by_one:?}, {rules:?}");
    assert!(skipped == each, "{name} {case}: {rules:?}");
}

#[test]
fn ticks_taken_at_once_are_those_taken_one_by_one() {
    let streams = Streams::new(7);
    for case in 0..20_000 {
        let mut draws = streams.stream(Source::Path, 0, case, 0);
        let job = draw_job(&mut draws);
        let ticks_max = 1_500;
        let rules = TickRules { job, engine_net: draws.open01() < 0.5, ticks_max };
        let world = World::draw(&mut draws, ticks_max);
        let deadline = Span::from_secs_saturating(job.deadline_s);
        let dwell = Span::ZERO;
        let length = |ticks: f64| Span::from_secs_saturating(ticks * job.tick_s);
        let ahead = 3.0 * draws.open01();
        let keep_on_demand = draws.open01() < 0.5;
        let sliced = TimeSliced { deadline, slice: length(7.5), spread_gain: keep_on_demand };
        let back = FallBack { return_after: length(5.0 * draws.open01()), dwell };
        same("spot only", case, &rules, &world, SpotOnly);
        same("on-demand only", case, &rules, &world, OnDemandOnly);
        same("greedy", case, &rules, &world, Greedy { deadline });
        same("thresholds", case, &rules, &world, Thresholds { deadline, keep_on_demand, dwell });
        same("uniform progress", case, &rules, &world, UniformProgress { deadline, ahead });
        let slices = Slices::default();
        same("time sliced", case, &rules, &world, SlicedTicks { policy: &sliced, slices });
        same("fall back", case, &rules, &world, FallBackTicks { policy: &back, spot_since_s: None });
    }
}

/// 8 h of work by 12 h 30 min in slices of 5 h, without Spot: the third slice ends after the deadline, so it is the deadline
/// that says when On-Demand must go on (`W1 > D - t - g` of the published rule).
#[test]
fn a_slice_that_ends_after_the_deadline_does_not_cost_it() {
    let (h, tick_s) = (3_600.0, 600.0);
    let job = TickJob { tick_s, task_s: 8.0 * h, deadline_s: 12.5 * h, overhead_s: 1_200.0 };
    let rules = TickRules { job, engine_net: false, ticks_max: 1_000 };
    let policy =
        TimeSliced { deadline: Span::from_s(45_000), slice: Span::from_s(18_000), spread_gain: false };
    let never = World { starts: false, changes: Vec::new() };
    let (out, _) = run(&rules, &never, SlicedTicks { policy: &policy, slices: Slices::default() });
    assert!(out.is_done && out.ticks <= 75, "{out:?}");
}
