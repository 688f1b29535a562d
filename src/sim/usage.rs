//! What is billed beside the instances: rules 48 to 52.
//!
//! Most plans bill nothing there, so what counts is kept out of the engine's loop.

use super::engine::{Attempt, Left, Replication};
use super::observer::Observer;
use crate::checkpoint::{Cycle, Pace, Written};
use crate::pricing::{Beside, Usage, volume_billed};
use crate::scenario::plan::Extras;
use crate::units::{SimTime, Span};

/// Counts of a replication under way.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counted {
    /// All that is known before the end.
    so_far: Usage,
    /// Saves that were durable while fewer than `keep` were stored: a later one takes the place of one of
    /// them, and the store stays as full.
    kept: u64,
    /// Sum of the instants at which they were durable, ns.
    kept_at_ns: u128,
    /// The first grant.
    held_since: Option<SimTime>,
    /// When the newest gang was complete.
    gang_at: Option<SimTime>,
}

impl Counted {
    /// What was used if the replication ends at `end`, and what it costs.
    #[cold]
    pub fn bill(&self, extras: &Extras, end: SimTime) -> (Usage, Beside) {
        let held = self.held_since.map_or(Span::ZERO, |since| end.since(since));
        let usage = Usage {
            save_ns: u128::from(self.kept) * u128::from(end.ns()) - self.kept_at_ns,
            held_ns: u128::from(volume_billed(held).ns()),
            ..self.so_far
        };
        (usage, Beside::of(&extras.charges, &usage))
    }

    /// Counts the start of one node, if it pulls anything then (rule 51).
    pub fn count_start(&mut self, pulls: bool) {
        self.so_far.nodes_started += u64::from(pulls);
    }

    /// Counts the stay of a node in slot `index`.
    #[cold]
    pub fn stay(&mut self, index: usize, granted: SimTime, end: SimTime, extras: &Extras) {
        self.held_since = Some(self.held_since.map_or(granted, |since| since.min(granted)));
        if index >= extras.save_volumes as usize {
            self.so_far.volume_ns += u128::from(volume_billed(end.since(granted)).ns());
        }
    }
}

impl<O: Observer, const FULL: bool, const LONE: bool> Replication<'_, O, FULL, LONE> {
    /// Counts the nodes that start for the first time in the gang that is complete now (rule 51).
    #[cold]
    pub(super) fn count_starts(&mut self) {
        let before = self.counted.gang_at.replace(self.now);
        if self.attempts == 1 && !self.plan.start.on_first {
            return;
        }
        let is_new = |granted: SimTime| before.is_none_or(|before| granted > before);
        let nodes = self.slots.iter().filter_map(|slot| slot.node());
        self.counted.so_far.nodes_started += nodes.filter(|node| is_new(node.granted)).count() as u64;
    }

    /// Counts the restore of an attempt that ends now, and the way of its save (rules 49 and 58).
    #[cold]
    pub(super) fn count_restore(&mut self, attempt: Attempt) {
        let begins = self.counted.kept > 0 && attempt.begun + attempt.starting < self.now;
        self.counted.so_far.restores += u64::from(begins);
        if let Some(step) = self.way_of_save().filter(|_| attempt.begun + attempt.starting < self.now) {
            self.counted.so_far.moves[step.price] += 1;
        }
    }

    /// Counts the saves of an attempt that ends now (rule 48).
    #[cold]
    pub(super) fn count_saves(
        &mut self,
        extras: &Extras,
        attempt: Attempt,
        cycle: &Cycle<impl Pace>,
        left: Left,
    ) {
        let Attempt { training_at, steps, .. } = attempt;
        let ahead = self.notice().map_or(Span::ZERO, |notice| notice.ahead);
        let counted = &mut self.counted;
        if self.now <= training_at && !matches!(left, Left::Done) {
            return;
        }
        let trained = self.now.since(training_at);
        let (written, last) = match left {
            Left::Done => (cycle.written_in_all(steps), cycle.ends_with_save()),
            Left::Durable => (cycle.written(trained, steps), false),
            Left::Noticed(kept) => (cycle.written_before_notice(kept, trained.saturating_sub(ahead)), true),
        };
        let Written { begun, durable } = written;
        counted.so_far.saves += begun + u64::from(last);
        let stored = durable.min(extras.keep - counted.kept);
        counted.kept += stored;
        counted.kept_at_ns += u128::from(stored) * u128::from(training_at.ns()) + cycle.durable_ns(stored);
        // The save at the end, or at a notice: durable now.
        if last && counted.kept < extras.keep {
            counted.kept += 1;
            counted.kept_at_ns += u128::from(self.now.ns());
        }
    }
}
