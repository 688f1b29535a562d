//! Uniform Progress that never leaves its region, billed as the artifact of SkyNomad bills it.

use super::world::{Job, Region};
use crate::policy::{Running, TickJob, UniformProgress};
use crate::sim::{TickRules, ticks};
use crate::units::Span;

/// Restarts by which it must be ahead, as published.
const AHEAD: f64 = 2.0;

/// Cost in USD; `None` where the deadline is missed. The price of a tick is that of the tick after it, as the original
/// bills (nil where prices are constant).
pub fn stay_home(region: &Region, tick_s: f64, job: &Job) -> Option<f64> {
    let Job { task_s, deadline_s, overhead_s, .. } = *job;
    let rules = TickRules {
        job: TickJob { tick_s, task_s, deadline_s, overhead_s },
        engine_net: true,
        ticks_max: (deadline_s / tick_s) as u64 + 1,
    };
    let mut policy = UniformProgress { deadline: Span::from_secs_saturating(deadline_s), ahead: AHEAD };
    let mut usd_per_h = 0.0;
    let spot = |tick: u64| (region.has_spot(tick as usize), tick + 1);
    let ran = ticks(&rules, &mut policy, spot, |stretch| {
        usd_per_h += match stretch.running {
            Running::Nothing => 0.0,
            Running::OnDemand => stretch.ticks as f64 * region.on_demand_usd_per_h,
            Running::Spot => {
                (1..=stretch.ticks).map(|after| region.spot_price((stretch.tick + after) as usize)).sum()
            }
        };
    });
    ran.is_done.then_some(usd_per_h * tick_s / 3_600.0)
}
