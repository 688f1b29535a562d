//! The least cost with the whole future known, over whole ticks: a (re)start burns its overhead in whole ticks.

use super::Decide;
use super::world::{Job, Kind, Tick, World};

/// What runs in a tick: nothing before the first start, nothing with the save in a region, or an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Fresh,
    Idle(usize),
    Runs(usize, Kind),
}

/// A plan, a mode for each tick.
#[derive(Debug)]
pub(super) struct Optimum {
    plan: Vec<Mode>,
}

/// A place in the program: a mode, ticks still to burn, ticks of work done.
#[derive(Debug, Clone, Copy)]
struct State {
    mode: usize,
    burn: usize,
    done: usize,
    usd: f64,
}

/// One step from a mode to another.
#[derive(Debug, Clone, Copy)]
struct Switch {
    to: usize,
    burn: usize,
    usd: f64,
}

/// No state yet.
const NONE: u32 = u32::MAX;

impl Optimum {
    /// Of plans that cost the same, the one whose states were met first.
    pub fn plan(world: &World, job: &Job) -> Self {
        let ticks = (job.deadline_s / world.tick_s).floor() as usize;
        let work = (job.task_s / world.tick_s).ceil() as usize;
        let modes = modes(world.regions.len());
        let switches = switches(world, job, &modes);
        let most_usd = most_usd(world, job, work);
        let burns = switches.iter().flatten().map(|switch| switch.burn).max().unwrap_or(0).max(1);
        let mut place = vec![NONE; modes.len() * burns * (work + 1)];
        let key = |state: &State| (state.mode * burns + state.burn) * (work + 1) + state.done;
        let mut now = vec![State { mode: 0, burn: 0, done: 0, usd: 0.0 }];
        let mut layers: Vec<Vec<(u32, u32)>> = Vec::with_capacity(ticks);
        for tick in 0..ticks {
            let costs: Vec<Option<f64>> = modes.iter().map(|mode| tick_usd(world, *mode, tick)).collect();
            let mut next: Vec<State> = Vec::new();
            let mut layer: Vec<(u32, u32)> = Vec::new();
            let mut offer = |state: State, from: usize| {
                // Work that can no longer be done in time.
                if state.done + (ticks - tick - 1) < work {
                    return;
                }
                let place = &mut place[key(&state)];
                if *place == NONE {
                    *place = next.len() as u32;
                    layer.push((state.mode as u32, from as u32));
                    next.push(state);
                } else if state.usd < next[*place as usize].usd {
                    next[*place as usize].usd = state.usd;
                    layer[*place as usize].1 = from as u32;
                }
            };
            for (from, state) in now.iter().enumerate().filter(|(_, state)| state.usd <= most_usd) {
                if let Some(usd) = costs[state.mode] {
                    let works = state.burn == 0 && matches!(modes[state.mode], Mode::Runs(..));
                    let done = (state.done + usize::from(works)).min(work);
                    let stays =
                        State { burn: state.burn.saturating_sub(1), done, usd: state.usd + usd, ..*state };
                    offer(stays, from);
                }
                for switch in &switches[state.mode] {
                    let Some(usd) = costs[switch.to] else { continue };
                    let usd = state.usd + usd + switch.usd;
                    if usd <= most_usd {
                        let works = switch.burn == 0 && matches!(modes[switch.to], Mode::Runs(..));
                        let done = (state.done + usize::from(works)).min(work);
                        let burn = switch.burn.saturating_sub(1);
                        offer(State { mode: switch.to, burn, done, usd }, from);
                    }
                }
            }
            for state in &next {
                place[key(state)] = NONE;
            }
            layers.push(layer);
            now = next;
        }
        Self { plan: trace_back(&modes, &layers, &now, work) }
    }
}

/// The modes of the cheapest end, followed back; On-Demand in the first region where nothing meets the deadline.
fn trace_back(modes: &[Mode], layers: &[Vec<(u32, u32)>], ends: &[State], work: usize) -> Vec<Mode> {
    let mut best: Option<(f64, usize)> = None;
    for (index, end) in ends.iter().enumerate().filter(|(_, end)| end.done >= work) {
        if best.is_none_or(|(usd, _)| end.usd < usd) {
            best = Some((end.usd, index));
        }
    }
    let Some((_, mut index)) = best else {
        return vec![Mode::Runs(0, Kind::OnDemand); layers.len()];
    };
    let mut plan = Vec::with_capacity(layers.len());
    for layer in layers.iter().rev() {
        let (mode, from) = layer[index];
        plan.push(modes[mode as usize]);
        index = from as usize;
    }
    plan.reverse();
    plan
}

fn modes(regions: usize) -> Vec<Mode> {
    let idle = (0..regions).map(Mode::Idle);
    let on_demand = (0..regions).map(|region| Mode::Runs(region, Kind::OnDemand));
    let spot = (0..regions).map(|region| Mode::Runs(region, Kind::Spot));
    std::iter::once(Mode::Fresh).chain(idle).chain(on_demand).chain(spot).collect()
}

/// What On-Demand costs where it is cheapest, from the first tick to the end.
fn most_usd(world: &World, job: &Job, work: usize) -> f64 {
    let cheapest =
        world.regions.iter().map(|region| region.on_demand_usd_per_h).fold(f64::INFINITY, f64::min);
    let burn = (job.overhead_s / world.tick_s).ceil();
    cheapest * (world.tick_s / 3600.0) * (burn + work as f64)
}

/// What a tick in the mode costs; `None` where Spot cannot be had.
fn tick_usd(world: &World, mode: Mode, tick: usize) -> Option<f64> {
    let hours = world.tick_s / 3600.0;
    match mode {
        Mode::Fresh | Mode::Idle(_) => Some(0.0),
        Mode::Runs(region, Kind::OnDemand) => Some(world.regions[region].on_demand_usd_per_h * hours),
        Mode::Runs(region, Kind::Spot) => {
            let region = &world.regions[region];
            region.has_spot(tick).then(|| region.spot_price(tick) * hours)
        }
    }
}

/// From each mode, those that may follow, with what the change takes.
fn switches(world: &World, job: &Job, modes: &[Mode]) -> Vec<Vec<Switch>> {
    let begin = |from: Option<usize>, region: usize| {
        let step = from.map_or_else(Default::default, |from| world.moves[from][region]);
        let extra_h = if from.is_some_and(|from| from != region) { step.extra_s / 3600.0 } else { 0.0 };
        let burn = (job.overhead_s / 3600.0 + extra_h) * 3600.0 / world.tick_s;
        let plain = job.overhead_s / world.tick_s;
        let burn = if extra_h > 0.0 { burn.ceil() } else { plain.ceil() };
        (burn as usize, if from == Some(region) { 0.0 } else { step.usd })
    };
    let to = |from: Mode, (index, next): (usize, Mode)| {
        let at = match from {
            Mode::Fresh => None,
            Mode::Idle(region) | Mode::Runs(region, _) => Some(region),
        };
        let (burn, usd) = match next {
            Mode::Runs(region, _) => begin(at, region),
            Mode::Idle(region) if matches!(from, Mode::Runs(..)) && at == Some(region) => (0, 0.0),
            _ => return None,
        };
        (from != next).then_some(Switch { to: index, burn, usd })
    };
    let all = |from: &Mode| modes.iter().copied().enumerate().filter_map(|next| to(*from, next)).collect();
    modes.iter().map(all).collect()
}

impl Decide for Optimum {
    fn decide(&mut self, tick: &mut Tick<'_>) {
        match self.plan.get(tick.number) {
            Some(&Mode::Runs(region, kind)) => {
                if tick.active != Some((region, kind)) {
                    tick.try_begin(region, kind);
                }
            }
            _ => tick.give_back(),
        }
    }
}
