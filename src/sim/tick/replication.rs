//! One replication of a plan in tick mode.

use super::{Stretch, TickRules, Ticked, ticks};
use crate::policy::{
    AtTick, FallBackTicks, OnDemandOnly, Policy, Running, SlicedTicks, Slices, SpotOnly, TickJob,
};
use crate::pricing::{Beside, Ended, PriceWalk, Usage};
use crate::rng::Streams;
use crate::scenario::plan::{Market, Plan, TickMode};
use crate::sim::observer::{Fate, Observer, PhaseSpan, Stay, Trained};
use crate::sim::outcome::{End, Outcome, Part, TimeParts};
use crate::sim::supply::Supply;
use crate::units::{Money, SimTime, Span};

/// Runs replication number `replication` of `plan`, whose mode is `mode`. Of the two places of the price the first is for
/// the bill, the other for a look at it.
pub fn simulate_ticks<O: Observer>(
    plan: &Plan,
    mode: &TickMode,
    streams: &Streams,
    replication: u64,
    (prices, looked): (&mut PriceWalk, &mut PriceWalk),
    observer: &mut O,
) -> Outcome {
    let begin =
        |prices| Supply::begin(&plan.capacity, &plan.spot, plan.max_price, streams, replication, prices);
    begin(prices);
    let mut supply = begin(looked);
    let task = plan.work.step.total().times(plan.work.steps);
    let job = TickJob {
        tick_s: mode.tick.as_secs(),
        task_s: task.as_secs(),
        deadline_s: plan.deadline.map_or(f64::INFINITY, Span::as_secs),
        overhead_s: mode.overhead.as_secs(),
    };
    let ticks_max = plan.horizon.ns().div_ceil(mode.tick.ns());
    let rules = TickRules { job, engine_net: mode.engine_net, ticks_max };
    let mut books = Books::new(plan, mode, prices, observer);
    let nodes = plan.nodes;
    let spot = |tick: u64| look(&mut supply, looked, mode.tick, tick, nodes);
    let see = |stretch: &Stretch| books.take(stretch);
    let ran = run(&plan.policy, &rules, spot, see);
    books.close(task, &ran)
}

/// Whether so many nodes can be had in `tick`, and the first tick after it in which that may differ.
fn look(supply: &mut Supply<'_>, prices: &mut PriceWalk, length: Span, tick: u64, nodes: u32) -> (bool, u64) {
    supply.pass::<true>(SimTime::ZERO + length.times(tick), prices);
    let next = supply.next_change::<true>();
    let until =
        if next == SimTime::NEVER { u64::MAX } else { next.since_submit().ns().div_ceil(length.ns()) };
    (supply.level::<true>() >= nodes, until.max(tick + 1))
}

fn run(
    policy: &Policy,
    rules: &TickRules,
    spot: impl FnMut(u64) -> (bool, u64),
    see: impl FnMut(&Stretch),
) -> Ticked {
    fn with(
        mut policy: impl AtTick,
        rules: &TickRules,
        spot: impl FnMut(u64) -> (bool, u64),
        see: impl FnMut(&Stretch),
    ) -> Ticked {
        ticks(rules, &mut policy, spot, see)
    }
    match policy {
        Policy::SpotOnly => with(SpotOnly, rules, spot, see),
        Policy::OnDemandOnly => with(OnDemandOnly, rules, spot, see),
        Policy::Greedy(policy) => with(*policy, rules, spot, see),
        Policy::Thresholds(policy) => with(*policy, rules, spot, see),
        Policy::UniformProgress(policy) => with(*policy, rules, spot, see),
        Policy::TimeSliced(policy) => {
            with(SlicedTicks { policy, slices: Slices::default() }, rules, spot, see)
        }
        Policy::FallBack(policy) => with(FallBackTicks { policy, spot_since_s: None }, rules, spot, see),
    }
}

/// Stays, dollars and time parts as ticks go by.
struct Books<'a, O> {
    plan: &'a Plan,
    mode: &'a TickMode,
    prices: &'a mut PriceWalk,
    observer: &'a mut O,
    /// What runs, since when, and how much of it is start.
    stay: Option<(Market, SimTime)>,
    now: SimTime,
    time: TimeParts,
    starting: Span,
    worked: Span,
    spot_cost: Money,
    on_demand_cost: Money,
    running_node_ns: u128,
    attempts: u32,
}

impl<'a, O: Observer> Books<'a, O> {
    fn new(plan: &'a Plan, mode: &'a TickMode, prices: &'a mut PriceWalk, observer: &'a mut O) -> Self {
        Self {
            plan,
            mode,
            prices,
            observer,
            stay: None,
            now: SimTime::ZERO,
            time: TimeParts::default(),
            starting: Span::ZERO,
            worked: Span::ZERO,
            spot_cost: Money::ZERO,
            on_demand_cost: Money::ZERO,
            running_node_ns: 0,
            attempts: 0,
        }
    }

    fn take(&mut self, stretch: &Stretch) {
        let market = match stretch.running {
            Running::Nothing => None,
            Running::Spot => Some(Market::Spot),
            Running::OnDemand => Some(Market::OnDemand),
        };
        if stretch.is_new || market.is_none() {
            // Spot nodes that go where Spot can be had were given back.
            self.end_stay(
                if stretch.spot { Ended::Released } else { Ended::Reclaimed },
                Span::MAX,
                Span::ZERO,
            );
        }
        if let Some(market) = market
            && self.stay.is_none()
        {
            self.stay = Some((market, self.now));
            self.attempts += 1;
            if market == Market::Spot {
                self.observer.gang(0);
            }
        }
        let to = self.now + self.mode.tick.times(stretch.ticks);
        if market.is_none() {
            self.book(Part::Queued, self.now, to);
        }
        self.now = to;
    }

    /// Ends what runs, now; of its work no more than makes `most` in all is kept. So much of its start is `taken`
    /// for work.
    fn end_stay(&mut self, ended: Ended, most: Span, taken: Span) {
        let Some((market, from)) = self.stay.take() else { return };
        let ended = if market == Market::OnDemand { Ended::Released } else { ended };
        if ended == Ended::Reclaimed {
            self.observer.broken(self.now, true);
        }
        let length = self.now.since(from);
        let start = self.start_within(length).saturating_sub(taken);
        self.starting += start;
        self.observer.phase(PhaseSpan { part: Part::Starting, from, to: from + start });
        self.observer.phase(PhaseSpan { part: Part::Computing, from: from + start, to: self.now });
        self.tell_training(from + start, most);
        self.worked += length - start;
        let steps = self.worked.ns() / self.plan.work.step.total().ns().max(1);
        self.observer.kept(self.now, steps.min(self.plan.work.steps));
        let (tariff, total) = match market {
            Market::Spot => (&self.plan.spot, &mut self.spot_cost),
            Market::OnDemand => (&self.plan.on_demand, &mut self.on_demand_cost),
        };
        for slot in 0..self.plan.nodes {
            let bill = tariff.bill(self.prices, from, self.now, ended, |line| self.observer.line(line));
            *total += bill.cost;
            let (granted, provisioned, end) = (from, from, self.now);
            self.observer.stay(&Stay { slot, zone: 0, market, granted, provisioned, end, ended, bill });
        }
        self.running_node_ns += u128::from(length.ns()) * u128::from(self.plan.nodes);
    }

    fn book(&mut self, part: Part, from: SimTime, to: SimTime) {
        self.time.add(part, to.since(from));
        self.observer.phase(PhaseSpan { part, from, to });
    }

    /// How much of a stay's first `length` is start.
    fn start_within(&self, length: Span) -> Span {
        Span::from_ns(length.ns().min(self.mode.overhead.ns()))
    }

    /// Tells of what is worked from `from` until now, of which no more than makes `most` in all is kept.
    fn tell_training(&mut self, from: SimTime, most: Span) {
        if !O::SEES_TRAINING || from >= self.now {
            return;
        }
        let before = self.worked.ns().min(most.ns());
        let after = (self.worked + self.now.since(from)).ns().min(most.ns());
        let step_ns = self.plan.work.step.total().ns().max(1);
        let kept_until = from + Span::from_ns(after - before);
        let [was, is] = [before, after].map(|ns| self.parts_of(Span::from_ns(ns)));
        let mut parts = TimeParts::default();
        for part in [Part::Computing, Part::ExposedComm, Part::DataStall] {
            parts.add(part, is.get(part).saturating_sub(was.get(part)));
        }
        let steps = after / step_ns - before / step_ns;
        self.observer.trained(&Trained { from, to: kept_until, steps, fate: Fate::Kept, parts });
        self.observer.phase(PhaseSpan { part: Part::Idle, from: kept_until, to: self.now });
    }

    /// Ends all and gives the outcome of a job of `task`.
    fn close(mut self, task: Span, ran: &Ticked) -> Outcome {
        // The rules take a millisecond of an overhead, or of work, for none: it is taken off the start.
        let running = self.stay.map_or(Span::ZERO, |(_, from)| self.now.since(from));
        let start = self.start_within(running);
        let worked = self.worked + (running - start);
        let taken = if ran.is_done { task.saturating_sub(worked).min(start) } else { Span::ZERO };
        self.end_stay(Ended::Released, task, taken);
        let kept = self.worked.min(task);
        self.time = self.parts_of(kept).and(&self.time);
        self.time.add(Part::Starting, self.starting);
        // What is left of the last tick.
        self.time.add(Part::Idle, self.worked - kept);
        let preemptions = u32::try_from(ran.preemptions).unwrap_or(u32::MAX);
        Outcome {
            end: if ran.is_done { End::Finished } else { End::Censored },
            elapsed: self.now.since_submit(),
            time: self.time,
            spot_cost: self.spot_cost,
            on_demand_cost: self.on_demand_cost,
            beside: Beside::default(),
            usage: Usage::default(),
            running_node_ns: self.running_node_ns,
            absent_node_ns: 0,
            fewer_node_ns: 0,
            preemptions,
            failures: 0,
            nodes_lost: preemptions.saturating_mul(self.plan.nodes),
            attempts: self.attempts,
        }
    }

    /// Worked time by the parts of a step; what does not divide is computing.
    fn parts_of(&self, kept: Span) -> TimeParts {
        let step = &self.plan.work.step;
        let share = |part: Span| {
            let ns = u128::from(kept.ns()) * u128::from(part.ns()) / u128::from(step.total().ns().max(1));
            Span::from_ns(u64::try_from(ns).unwrap_or(u64::MAX))
        };
        let (exposed, stall) = (share(step.exposed_comm), share(step.data_stall));
        let mut parts = TimeParts::default();
        parts.add(Part::ExposedComm, exposed);
        parts.add(Part::DataStall, stall);
        parts.add(Part::Computing, kept.saturating_sub(exposed + stall));
        parts
    }
}
