//! Uniform Progress as the strategies of several regions ask for it: a kind of instance, before it is known where.

use super::world::{Kind, NONE_S, Tick};

/// What is wanted in the tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wish {
    /// `None`: wait.
    pub kind: Option<Kind>,
    /// Whether On-Demand is given up because the job is ahead of the line, against the net.
    pub is_ahead: bool,
}

/// What Uniform Progress wants with `running`, where Spot can be had or not.
pub(super) fn wish(tick: &Tick<'_>, running: Option<Kind>, spot: bool) -> Wish {
    let job = tick.job;
    let (now_s, left_s) = (tick.now_s(), tick.left_s());
    let done_s = job.task_s - left_s;
    let ahead_s = job.task_s - left_s - now_s * job.task_s / job.deadline_s;
    let short_of_return_s = (now_s + 2.0 * job.overhead_s) * job.task_s / job.deadline_s - done_s;
    let mut kind = match (spot, ahead_s < 0.0) {
        (true, _) => Some(Kind::Spot),
        (false, true) => Some(Kind::OnDemand),
        (false, false) => None,
    };
    let on_demand = running == Some(Kind::OnDemand);
    if on_demand && (!spot || short_of_return_s >= 0.0) {
        kind = Some(Kind::OnDemand);
    }
    // On one region's Uniform Progress this is ≥: here On-Demand may be left at exactly two overheads.
    if tick.needed_s(2.0) > tick.time_left_s() && running != Some(Kind::Spot) {
        kind = Some(Kind::OnDemand);
    }
    if tick.is_critical() {
        let warm = running == Some(Kind::Spot) && tick.burning_s < NONE_S;
        kind = Some(if warm { Kind::Spot } else { Kind::OnDemand });
        if job.overhead_s == 0.0 && spot {
            kind = Some(Kind::Spot);
        }
    }
    let is_ahead = on_demand && spot && kind == Some(Kind::OnDemand) && short_of_return_s < 0.0;
    Wish { kind: if is_ahead { Some(Kind::Spot) } else { kind }, is_ahead }
}

impl Tick<'_> {
    /// On-Demand in `region`, else where the newest save lies, else in the first.
    pub fn begin_on_demand(&mut self, region: Option<usize>) {
        let region = region.or(self.saved_in).unwrap_or(0);
        self.try_begin(region, Kind::OnDemand);
    }

    /// Spot in the first of `ranked` that gives it; each attempt is told to `seen`.
    pub fn begin_spot(&mut self, ranked: &[usize], mut seen: impl FnMut(usize, bool)) -> Option<usize> {
        ranked.iter().copied().find(|&region| {
            let success = self.try_begin(region, Kind::Spot);
            seen(region, success);
            success
        })
    }
}
