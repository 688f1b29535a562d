//! Uniform Progress that never leaves its region, billed as the artifact of SkyNomad bills it.

use super::world::{Job, NONE_S, Region};

/// What ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ran {
    Nothing,
    Spot,
    OnDemand,
}

/// Cost in USD; `None` where the deadline is missed. The price of a tick is that of the tick after it, as the original
/// bills (nil where prices are constant).
pub fn stay_home(region: &Region, tick_s: f64, job: &Job) -> Option<f64> {
    let (mut burning_s, mut done_s) = (0.0_f64, 0.0_f64);
    let (mut ran, mut usd) = (Ran::Nothing, 0.0);
    for tick in 0.. {
        let spot = region.has_spot(tick);
        usd += match ran {
            Ran::Nothing => 0.0,
            Ran::Spot => region.spot_price(tick) * tick_s / 3600.0,
            Ran::OnDemand => region.on_demand_usd_per_h * tick_s / 3600.0,
        };
        if ran != Ran::Nothing {
            let worked_s = (tick_s - burning_s).max(0.0);
            burning_s -= tick_s - worked_s;
            if burning_s < NONE_S {
                burning_s = 0.0;
            }
            done_s += worked_s.min(job.task_s - done_s);
        }
        if job.task_s - done_s <= NONE_S {
            return Some(usd);
        }
        let now_s = tick as f64 * tick_s;
        if now_s >= job.deadline_s {
            return None;
        }
        let running = if ran == Ran::Spot && !spot { Ran::Nothing } else { ran };
        let next = next(job, tick_s, now_s, (running, ran), spot, burning_s, job.task_s - done_s);
        if next != Ran::Nothing && next != running {
            burning_s = job.overhead_s;
        }
        ran = next;
    }
    None
}

/// What runs in the tick that begins. `running`: now, and in the tick before.
fn next(
    job: &Job,
    tick_s: f64,
    now_s: f64,
    (running, ran): (Ran, Ran),
    spot: bool,
    burning_s: f64,
    left_s: f64,
) -> Ran {
    let time_left_s = ((job.deadline_s - now_s) / tick_s).floor() * tick_s;
    let critical =
        |overheads: f64| ((left_s + overheads * job.overhead_s) / tick_s).ceil() * tick_s >= time_left_s;
    let done_s = job.task_s - left_s;
    let behind = job.task_s - left_s - now_s * job.task_s / job.deadline_s < 0.0;
    let returns = (now_s + 2.0 * job.overhead_s) * job.task_s / job.deadline_s - done_s < 0.0;
    let mut next = match (spot, behind) {
        (true, _) => Ran::Spot,
        (false, true) => Ran::OnDemand,
        (false, false) => Ran::Nothing,
    };
    if running == Ran::OnDemand && (!spot || !returns) {
        next = Ran::OnDemand;
    }
    if critical(2.0) && running != Ran::Spot {
        next = Ran::OnDemand;
    }
    if critical(1.0) {
        // The engine's net looks at what ran before the boundary: what it keeps but is gone becomes On-Demand.
        let warm = ran == Ran::Spot && burning_s < NONE_S && spot;
        next = if warm { Ran::Spot } else { Ran::OnDemand };
    }
    next
}
