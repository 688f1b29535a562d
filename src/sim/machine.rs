//! How the gang trains on the instance type that it has (docs/semantics.md, rules 90 to 94).

use super::engine::Replication;
use super::observer::Observer;
use crate::capacity::Law;
use crate::checkpoint::Cycle;
use crate::scenario::plan::{Burst, Machine, Market, NoticeSave, StepParts};
use crate::units::Span;

impl<'a, O: Observer, const FULL: bool, const LONE: bool> Replication<'a, O, FULL, LONE> {
    /// What differs from the first instance type; On-Demand nodes are of the first.
    #[inline]
    pub(super) fn other_machine(&self) -> Option<&'a Machine> {
        if FULL && self.market == Market::Spot { self.machine } else { None }
    }

    #[inline]
    pub(super) fn market(&self) -> Market {
        if LONE { Market::Spot } else { self.market }
    }

    #[inline]
    pub(super) fn step(&self) -> &'a StepParts {
        self.other_machine().map_or(&self.plan.work.step, |machine| &machine.step)
    }

    #[inline]
    pub(super) fn burst(&self) -> Option<&'a Burst> {
        if LONE {
            return None;
        }
        self.other_machine().map_or(self.plan.work.burst.as_ref(), |machine| machine.burst.as_ref())
    }

    #[inline]
    pub(super) fn cycle(&self) -> &'a Cycle {
        self.other_machine().map_or(&self.plan.cycle, |machine| &machine.cycle)
    }

    #[inline]
    pub(super) fn restore(&self) -> &'a Law {
        self.other_machine().map_or(&self.plan.start.restore, |machine| &machine.restore)
    }

    #[inline]
    pub(super) fn notice(&self) -> Option<NoticeSave> {
        self.other_machine().map_or(self.plan.notice, |machine| machine.notice)
    }

    /// Burst training that a new node of another type can pay for.
    #[inline]
    pub(super) fn full_credit(&self) -> Option<Span> {
        let machine = self.other_machine()?;
        Some(machine.burst.map_or(Span::ZERO, |burst| burst.full))
    }
}
