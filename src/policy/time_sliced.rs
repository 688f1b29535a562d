//! An even pace by slices of time, each with its share of the work.

use super::{AtTick, Running, Stage, TickView, View};
use crate::units::{SimTime, Span};

/// `[policy.time_sliced]`: cuts the time to the deadline into slices, each to do an equal share of the work. Within
/// a slice it takes Spot where it can be had, and goes to On-Demand, to the slice's end, when what is left of the share
/// needs all that is left of the slice. Work done ahead or behind carries over (Wu et al., NSDI 2024, "Time
/// Sliced").
///
/// * `deadline`, since submit.
/// * `slice`, length of a slice.
/// * `spread_gain`: what carries over is spread over the slices left; else the next one has all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeSliced {
    /// When the job must be done, since submit.
    pub deadline: Span,
    /// How long a slice is.
    pub slice: Span,
    /// Whether what carries over is spread over the slices left.
    pub spread_gain: bool,
}

/// Where a job is in its slices.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Slices {
    /// The slice, from 0.
    index: u64,
    /// Work done when it began, seconds.
    done_before_s: f64,
    /// Work done more than the shares of all slices before, seconds.
    gain_s: f64,
}

/// A job's standing in a slice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// What is left of the slice's share of the work, seconds.
    pub share_left_s: f64,
    /// What is left of the slice, seconds.
    pub slice_left_s: f64,
    /// Work done ahead in the slices before, seconds.
    pub gain_s: f64,
    /// Slices left, this one included.
    pub slices_left: u64,
}

impl TimeSliced {
    /// Slices to the deadline.
    pub fn slices(&self) -> u64 {
        self.deadline.ns().div_ceil(self.slice.ns()).max(1)
    }

    /// Seconds of the slice that may pass before it must be On-Demand; below zero it is too late.
    pub fn spare_s(&self, standing: &Standing, overhead_s: f64, rounded_to_s: f64) -> f64 {
        let Standing { share_left_s, slice_left_s, gain_s, slices_left } = *standing;
        let mut need = share_left_s + overhead_s;
        if slices_left == 1 && rounded_to_s > 0.0 {
            need = (need / rounded_to_s).ceil() * rounded_to_s;
        }
        let gain = if self.spread_gain { gain_s / slices_left as f64 } else { gain_s };
        slice_left_s + gain - need
    }

    /// How a job stands that did `done_s` of `task_s` by `now_s`; `slices` is brought up to date.
    pub fn standing(&self, slices: &mut Slices, now_s: f64, done_s: f64, task_s: f64) -> Standing {
        let (count, slice_s) = (self.slices(), self.slice.as_secs());
        let share_s = task_s / count as f64;
        let index = ((now_s / slice_s) as u64).min(count - 1);
        if index > slices.index {
            let passed = (index - slices.index) as f64;
            slices.gain_s += done_s - slices.done_before_s - passed * share_s;
            (slices.index, slices.done_before_s) = (index, done_s);
        }
        Standing {
            share_left_s: share_s - (done_s - slices.done_before_s),
            slice_left_s: (index + 1) as f64 * slice_s - now_s,
            gain_s: slices.gain_s,
            slices_left: count - index,
        }
    }
}

impl TimeSliced {
    /// See [`super::Policy::leave_spot_at`]: with all that carries over in the next slice, the job must be on the way to
    /// the shares of all slices up to this one.
    pub fn leave_spot_at(&self, view: &View) -> SimTime {
        let net = view.net(self.deadline);
        let rests = view.stage == Stage::Waiting && !view.has_spot();
        if rests { net.min(self.must_work_at(view)) } else { net }
    }

    /// See [`super::Policy::leaves_on_demand`]: not before the end of the slice in which it was taken.
    pub fn leaves_on_demand(&self, view: &View) -> Option<Running> {
        if self.index_at(view.now) <= self.index_at(view.changed) || view.is_critical(self.deadline) {
            return None;
        }
        if view.has_spot() {
            return Some(Running::Spot);
        }
        (view.now < self.must_work_at(view)).then_some(Running::Nothing)
    }

    fn index_at(&self, t: SimTime) -> u64 {
        (t.since_submit().ns() / self.slice.ns()).min(self.slices() - 1)
    }

    /// The first instant, from now on, at which a job that does nothing must work for the share of its slice.
    fn must_work_at(&self, view: &View) -> SimTime {
        let (slices, slice_ns) = (u128::from(self.slices()), u128::from(self.slice.ns()));
        let (total_ns, done_ns) = (u128::from(view.total.ns()), u128::from(view.done().ns()));
        let restart_ns = u128::from(view.restart.ns());
        let here = u128::from(self.index_at(view.now));
        // The first slice by whose end more than what is done, less a restart, is due.
        let enough = (done_ns.saturating_sub(restart_ns) * slices) / total_ns.max(1);
        let slice = here.max(enough).min(slices - 1);
        let due_ns = total_ns * (slice + 1) / slices;
        let need_ns = (due_ns + restart_ns).saturating_sub(done_ns);
        let at_ns = ((slice + 1) * slice_ns).saturating_sub(need_ns).max(slice * slice_ns);
        (SimTime::ZERO + Span::from_ns(u64::try_from(at_ns).unwrap_or(u64::MAX))).max(view.now)
    }
}

/// A policy of slices with its memory.
#[derive(Debug, Clone, Copy)]
pub struct SlicedTicks<'a> {
    /// The policy.
    pub policy: &'a TimeSliced,
    /// Where the job is.
    pub slices: Slices,
}

impl AtTick for SlicedTicks<'_> {
    fn at_tick(&mut self, view: &TickView<'_>) -> Running {
        let job = view.job;
        let standing = self.policy.standing(&mut self.slices, view.now_s(), view.done_s(), job.task_s);
        let spare = self.policy.spare_s(&standing, job.overhead_s, job.tick_s);
        // The last slice may end after the deadline.
        if spare < job.tick_s || view.is_critical(1.0) {
            return if view.running == Running::Spot { Running::Spot } else { Running::OnDemand };
        }
        if view.spot { Running::Spot } else { Running::Nothing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10 h in slices of 1 h, 5 h of work: half an hour a slice.
    #[test]
    fn what_is_done_ahead_carries_over() {
        let h = |n: u64| Span::from_s(n * 3_600);
        let policy = TimeSliced { deadline: h(10), slice: h(1), spread_gain: false };
        let mut slices = Slices::default();
        let hour = 3_600.0;
        let at =
            |slices: &mut Slices, now, done| policy.standing(slices, now * hour, done * hour, 5.0 * hour);
        let standing = at(&mut slices, 0.25, 0.25);
        assert_eq!((standing.share_left_s, standing.slice_left_s), (0.25 * hour, 0.75 * hour));
        let standing = at(&mut slices, 1.0, 1.0);
        assert_eq!(
            (standing.share_left_s, standing.gain_s, standing.slices_left),
            (0.5 * hour, 0.5 * hour, 9)
        );
        // An hour of the slice and half an hour ahead, less half an hour of work and 6 min of overhead.
        assert!((policy.spare_s(&standing, 360.0, 0.0) - 0.9 * hour).abs() < 1e-9);
        let spread = TimeSliced { spread_gain: true, ..policy };
        assert!((spread.spare_s(&standing, 360.0, 0.0) - (0.4 + 0.5 / 9.0) * hour).abs() < 1e-9);
    }

    /// 8 h of work in ten slices of an hour, 2 h done, half an hour for a restart.
    #[test]
    fn a_job_that_rests_must_work_for_the_share_of_its_slice() {
        use crate::policy::view::tests::{h, view};
        let policy = TimeSliced { deadline: h(10.0), slice: h(1.0), spread_gain: false };
        let rests = View { restart: h(0.5), ..view(Stage::Waiting, 0.0) };
        // By 1 h 0.8 h + 0.5 h < 2 h; by 2 h 1.6 h + 0.5 h: 0.1 h are needed.
        assert_eq!(policy.leave_spot_at(&rests), SimTime::ZERO + h(1.9));
        let on_demand =
            |now| View { changed: SimTime::ZERO + h(1.9), ..View { now: SimTime::ZERO + h(now), ..rests } };
        assert_eq!(policy.leaves_on_demand(&on_demand(1.95)), None);
        // By 3 h 2.4 + 0.5 - 2 h are needed: from 2.1 h on.
        assert_eq!(policy.leaves_on_demand(&on_demand(2.05)), Some(Running::Nothing));
        assert_eq!(policy.leaves_on_demand(&on_demand(2.2)), None);
    }
}
