//! Training in the order in which it happened: steps, saves, steps.
//!
//! The engine never asks for this: it is for who looks at one replication.

use super::cycle::Cycle;
use super::pace::Pace;
use crate::units::Span;

/// Of more saves than this the first are one piece with the steps between them.
const SAVES_MAX: u64 = 2_000;

/// A stretch of training; instants are counted from the first step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// From.
    pub from: Span,
    /// To.
    pub to: Span,
    /// How much of it steps stand still for saves: nothing, all of it, or where many saves are one piece a part.
    pub stall: Span,
    /// Steps made before it.
    pub before: u64,
    /// Steps made when it ends; one that is part-done then is not.
    pub made: u64,
}

impl<P: Pace> Cycle<P> {
    /// What `elapsed` of training was, for a job of `steps` more steps, without a hole. Of an attempt that made
    /// just `made` steps and then stood still for its last save, give these.
    pub fn pieces(&self, elapsed: Span, steps: u64, made: Option<u64>) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut add = |from: Span, to: Span, stall: Span, before, made| {
            if from < to {
                pieces.push(Piece { from, to, stall, before, made });
            }
        };
        let most = made.unwrap_or(steps);
        // A save after the last of these steps is the one that is made anyway.
        let happens = |k: u64| {
            let begins = self.stalled_until(k).saturating_sub(self.stall());
            (made.is_none() || self.step_of_save(k) < most) && begins < elapsed
        };
        let (mut saves, mut beyond) = (0, self.saves_within(steps) + 1);
        while beyond - saves > 1 {
            let middle = saves + (beyond - saves) / 2;
            if happens(middle) { saves = middle } else { beyond = middle }
        }
        let (mut at, mut done) = (Span::ZERO, 0);
        let together = saves.saturating_sub(SAVES_MAX);
        if together > 0 {
            (at, done) = (self.stalled_until(together), self.step_of_save(together));
            add(Span::ZERO, at, self.stall().times(together), 0, done);
        }
        for k in together + 1..=saves {
            let after = self.step_of_save(k);
            let begins = at + (self.stepping(after) - self.stepping(done));
            add(at, begins, Span::ZERO, done, after);
            let ends = (begins + self.stall()).min(elapsed);
            add(begins, ends, ends.saturating_sub(begins), after, after);
            (at, done) = (ends, after);
        }
        let stops = (at + (self.stepping(most) - self.stepping(done))).min(elapsed);
        let stepped = self.stepping(done) + stops.saturating_sub(at);
        let whole = self.steps_within(stepped).min(most);
        add(at, stops, Span::ZERO, done, whole);
        add(stops, elapsed, elapsed.saturating_sub(stops), whole, whole);
        pieces
    }

    /// Steps that are whole after so much time in steps.
    fn steps_within(&self, stepping: Span) -> u64 {
        self.pace().steps_covering(stepping.ns().saturating_add(1)) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::Every;

    const fn ns(ns: u64) -> Span {
        Span::from_ns(ns)
    }

    fn told(pieces: &[Piece]) -> Vec<(u64, u64, u64, u64, u64)> {
        let tell = |p: &Piece| (p.from.ns(), p.to.ns(), p.stall.ns(), p.before, p.made);
        pieces.iter().map(tell).collect()
    }

    /// Steps of 10 ns, saves of 3 ns due each 25 ns: after steps 3, 5 and 8 (rule 12).
    fn cycle() -> Cycle {
        Cycle::new(ns(10), Some(Every::Time(ns(25))), ns(3), false)
    }

    #[test]
    fn a_broken_attempt_ends_within_a_step_or_a_save() {
        let first = [(0, 30, 0, 0, 3), (30, 33, 3, 3, 3)];
        let in_a_step = [first[0], first[1], (33, 47, 0, 3, 4)];
        assert_eq!(told(&cycle().pieces(ns(47), 100, None)), in_a_step);
        let in_a_save = [first[0], first[1], (33, 53, 0, 3, 5), (53, 54, 1, 5, 5)];
        assert_eq!(told(&cycle().pieces(ns(54), 100, None)), in_a_save);
        assert_eq!(told(&cycle().pieces(ns(0), 100, None)), []);
    }

    /// The save that is due after the last step is not made; one at the end is.
    #[test]
    fn a_whole_job_ends_with_its_last_step_or_with_a_save() {
        assert_eq!(told(&cycle().pieces(ns(33), 3, Some(3))), [(0, 30, 0, 0, 3), (30, 33, 3, 3, 3)]);
        assert_eq!(told(&cycle().pieces(ns(30), 3, Some(3))), [(0, 30, 0, 0, 3)]);
    }

    /// Three steps are made, and the save at the end is under way.
    #[test]
    fn a_job_may_be_broken_in_its_last_save() {
        let cycle = Cycle::new(ns(10), None, ns(3), true);
        assert_eq!(told(&cycle.pieces(ns(32), 3, None)), [(0, 30, 0, 0, 3), (30, 32, 2, 3, 3)]);
    }

    /// Two steps are made, then the save at a notice takes 7 ns until the loss.
    #[test]
    fn steps_stand_still_from_the_save_at_a_notice_on() {
        assert_eq!(told(&cycle().pieces(ns(27), 100, Some(2))), [(0, 20, 0, 0, 2), (20, 27, 7, 2, 2)]);
    }

    /// 10 ns steps each followed by 1 ns of save: the first saves are one piece of a tenth as much stall as steps.
    #[test]
    fn of_very_many_saves_the_first_are_one_piece() {
        let often = Cycle::new(ns(10), Some(Every::Steps(1)), ns(1), false);
        let pieces = often.pieces(ns(11 * 5_000), 1_000_000, None);
        assert_eq!(told(&pieces[..2]), [(0, 33_000, 3_000, 0, 3_000), (33_000, 33_010, 0, 3_000, 3_001)]);
        assert_eq!(pieces.len(), 1 + 2 * 2_000);
        assert_eq!(pieces.last().map(|p| (p.to.ns(), p.made)), Some((55_000, 5_000)));
    }

    /// Two steps of 4 ns, then steps of 10 ns; a save each 8 ns: after steps 2, 3 and 4.
    #[test]
    fn a_burst_comes_first() {
        let cycle = Cycle::new(ns(10), Some(Every::Time(ns(8))), ns(1), false).with_burst(ns(4), 2);
        let expected =
            [(0, 8, 0, 0, 2), (8, 9, 1, 2, 2), (9, 19, 0, 2, 3), (19, 20, 1, 3, 3), (20, 24, 0, 3, 3)];
        assert_eq!(told(&cycle.pieces(ns(24), 100, None)), expected);
    }
}
