//! One market, whatever comes.

use super::{AtTick, Running, TickView};

/// `[policy.spot_only]`: Spot, however long it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpotOnly;

/// `[policy.on_demand_only]`: On-Demand from the first to the last second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnDemandOnly;

impl AtTick for SpotOnly {
    #[inline]
    fn at_tick(&mut self, view: &TickView<'_>) -> Running {
        if view.spot { Running::Spot } else { Running::Nothing }
    }

    #[inline]
    fn holds(&self, _: &TickView<'_>, _: Running) -> u64 {
        u64::MAX
    }
}

impl AtTick for OnDemandOnly {
    #[inline]
    fn at_tick(&mut self, _: &TickView<'_>) -> Running {
        Running::OnDemand
    }

    #[inline]
    fn holds(&self, _: &TickView<'_>, _: Running) -> u64 {
        u64::MAX
    }
}
