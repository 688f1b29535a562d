//! What a policy sees at a tick, and the safety nets of tick mode.

/// What runs during a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Running {
    /// Nothing.
    #[default]
    Nothing,
    /// Spot nodes.
    Spot,
    /// On-Demand nodes.
    OnDemand,
}

/// A job in tick mode: seconds, all finite and not negative, the tick positive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TickJob {
    /// Length of a tick.
    pub tick_s: f64,
    /// All work.
    pub task_s: f64,
    /// When it should be done, since submit.
    pub deadline_s: f64,
    /// What each new instance burns before it works.
    pub overhead_s: f64,
}

/// What is known at the begin of a tick.
#[derive(Debug, Clone, Copy)]
pub struct TickView<'a> {
    /// The job.
    pub job: &'a TickJob,
    /// The tick that begins, from 0.
    pub tick: u64,
    /// What runs still: Spot nodes that were just lost do not.
    pub running: Running,
    /// What [`Self::running`] still has to burn, seconds.
    pub burning_s: f64,
    /// Work left, seconds.
    pub left_s: f64,
    /// Whether Spot can be had in this tick.
    pub spot: bool,
}

impl TickView<'_> {
    /// Seconds since submit.
    #[inline]
    pub fn now_s(&self) -> f64 {
        self.tick as f64 * self.job.tick_s
    }

    /// Work done, seconds.
    #[inline]
    pub fn done_s(&self) -> f64 {
        self.job.task_s - self.left_s
    }

    /// Work that would be done by now at the even pace that meets the deadline, seconds.
    #[inline]
    pub fn line_s(&self, now_s: f64) -> f64 {
        now_s * self.job.task_s / self.job.deadline_s
    }

    /// Whether the work left and so many overheads need all whole ticks that are left.
    #[inline]
    pub fn is_critical(&self, overheads: f64) -> bool {
        let TickJob { tick_s, deadline_s, overhead_s, .. } = *self.job;
        let needed = (self.left_s + overheads * overhead_s) / tick_s;
        // ⌈needed⌉ ≥ ⌊left⌋ without rounding functions, which cost most of a tick.
        needed > floor((deadline_s - self.now_s()) / tick_s) - 1.0
    }

    /// Ticks, that of the view included, for which the work left and so many overheads surely leave a tick to spare
    /// if nothing is done; one or two fewer than there are.
    #[inline]
    pub fn calm_ticks(&self, overheads: f64) -> u64 {
        let TickJob { tick_s, deadline_s, overhead_s, .. } = *self.job;
        let spare_s = deadline_s - self.now_s() - self.left_s - overheads * overhead_s;
        ticks_within(spare_s, tick_s)
    }

    /// How long the net's On-Demand holds: once it needs all that is left it does so to the end, but without an
    /// overhead it goes to Spot where that is.
    #[inline]
    pub fn on_demand_to_the_end(&self) -> u64 {
        if self.is_critical(2.0) && self.job.overhead_s > 0.0 { u64::MAX } else { 1 }
    }

    /// Ticks until a job that works gains `behind_s` on the even pace; fewer than there are.
    #[inline]
    pub fn ticks_to_gain(&self, behind_s: f64) -> u64 {
        let share = self.job.task_s / self.job.deadline_s;
        ticks_within(behind_s / (1.0 - share), self.job.tick_s)
    }

    /// Ticks until a job that rests falls behind the even pace; fewer than there are.
    #[inline]
    pub fn ticks_to_fall_behind(&self) -> u64 {
        let at_s = self.done_s() * self.job.deadline_s / self.job.task_s;
        ticks_within(at_s - self.now_s(), self.job.tick_s)
    }

    /// Whether Spot nodes run that have burnt their overhead.
    #[inline]
    fn is_warm_on_spot(&self) -> bool {
        self.running == Running::Spot && self.burning_s < BURNT_S
    }

    /// The safety net of the published policies over a policy's own choice: On-Demand, from off Spot, while two
    /// overheads still fit; at the last tick for one, warm Spot nodes or On-Demand (Wu et al., NSDI 2024).
    #[inline]
    pub fn with_safety_net(&self, choice: Running) -> Running {
        let mut choice = choice;
        if self.running != Running::Spot && self.is_critical(2.0) {
            choice = Running::OnDemand;
        }
        if self.is_critical(1.0) {
            choice = if self.is_warm_on_spot() { Running::Spot } else { Running::OnDemand };
            if self.job.overhead_s == 0.0 && self.spot {
                choice = Running::Spot;
            }
        }
        choice
    }
}

/// Chooses what runs in each tick.
pub trait AtTick {
    /// What is to run in the tick that begins; Spot where it is not to be had is nothing.
    fn at_tick(&mut self, view: &TickView<'_>) -> Running;

    /// For how many ticks, that of `view` included, `choice` surely stays the choice if Spot stays as it is and
    /// what runs is warm. Too few costs time, too many is wrong. A policy that must see every tick says 1.
    fn holds(&self, _view: &TickView<'_>, _choice: Running) -> u64 {
        1
    }
}

/// An overhead left of less than this is none, seconds.
pub const BURNT_S: f64 = 1e-3;

/// Whole ticks that surely fit into a time, with three to spare; at least one.
#[inline]
pub(super) fn ticks_within(time_s: f64, tick_s: f64) -> u64 {
    // The cast takes what is below zero or no number for zero.
    ((time_s / tick_s) as u64).saturating_sub(3).max(1)
}

/// ⌊x⌋ of what fits an `i64`.
#[inline]
fn floor(x: f64) -> f64 {
    let whole = x as i64 as f64;
    if whole > x { whole - 1.0 } else { whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOB: TickJob = TickJob { tick_s: 600.0, task_s: 7_200.0, deadline_s: 10_300.0, overhead_s: 720.0 };

    fn view(tick: u64, running: Running, left_s: f64) -> TickView<'static> {
        TickView { job: &JOB, tick, running, burning_s: 0.0, left_s, spot: true }
    }

    /// 10,300 s are 17 whole ticks, as 17 1/6 are rounded down. 7,200 + 720 s need 14 of them, so tick 3 is
    /// critical; with two overheads 15, so tick 2 is.
    #[test]
    fn whole_ticks_count() {
        let critical = |tick, overheads| view(tick, Running::Nothing, 7_200.0).is_critical(overheads);
        assert!(!critical(2, 1.0) && critical(3, 1.0));
        assert!(!critical(1, 2.0) && critical(2, 2.0));
    }

    #[test]
    fn the_net_keeps_warm_spot_nodes_and_leaves_the_rest() {
        let caught = |tick, running| view(tick, running, 7_200.0).with_safety_net(Running::Spot);
        assert_eq!(caught(1, Running::Nothing), Running::Spot);
        assert_eq!(caught(2, Running::Nothing), Running::OnDemand);
        assert_eq!(caught(2, Running::Spot), Running::Spot);
        assert_eq!(caught(3, Running::Spot), Running::Spot);
        let cold = TickView { burning_s: 1.0, ..view(3, Running::Spot, 7_200.0) };
        assert_eq!(cold.with_safety_net(Running::Spot), Running::OnDemand);
    }

    #[test]
    fn a_number_below_zero_is_rounded_down_too() {
        assert_eq!([floor(2.0), floor(1.5), floor(-0.5), floor(-2.0)], [2.0, 1.0, -1.0, -2.0]);
    }
}
