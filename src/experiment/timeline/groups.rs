//! A replication in few words: gathering a gang, an attempt with it, and so on.

use super::OneRun;
use crate::scenario::plan::Market;
use crate::sim::{Part, Slice, TimeParts};
use crate::units::SimTime;

/// What lies between two changes that a reader wants to see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The number of the attempt, from 1; none while a gang gathers.
    pub attempt: Option<u32>,
    /// From.
    pub from: SimTime,
    /// To.
    pub to: SimTime,
    /// Where its time went.
    pub parts: TimeParts,
    /// Where the first node of an attempt was rented, and the number of its zone.
    pub place: Option<(Market, u32)>,
}

impl OneRun {
    /// All of it, in order and without a hole. What an elastic gang does between two losses is one attempt.
    pub fn groups(&self) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let mut attempts = 0;
        for slice in &self.slices {
            let trains = !gathers(slice);
            let begins = match groups.last() {
                None => true,
                Some(last) => last.attempt.is_some() != trains || trains && self.begins_anew(slice),
            };
            if begins {
                attempts += u32::from(trains);
                groups.push(Group {
                    attempt: trains.then_some(attempts),
                    from: slice.from,
                    to: slice.to,
                    parts: TimeParts::default(),
                    place: if trains { self.place_at(slice.from) } else { None },
                });
            }
            if let Some(group) = groups.last_mut() {
                group.to = slice.to;
                group.parts = group.parts.and(&slice.parts);
            }
        }
        groups
    }

    /// Whether an attempt begins with `slice`, right after one that ended then: a loss, or another market.
    fn begins_anew(&self, slice: &Slice) -> bool {
        let hangs = slice.part == Part::Lost;
        let broken = self.losses.iter().any(|loss| loss.at == slice.from && loss.broke.is_some());
        broken && !hangs || self.place_at(slice.from) != self.place_at_end_before(slice.from)
    }

    /// Where the first node that is there from `at` on was rented.
    fn place_at(&self, at: SimTime) -> Option<(Market, u32)> {
        let stays = self.tracks.iter().flat_map(|track| &track.stays).map(|node| node.stay);
        stays.filter(|stay| stay.granted <= at && at < stay.end).map(|stay| (stay.market, stay.zone)).next()
    }

    fn place_at_end_before(&self, at: SimTime) -> Option<(Market, u32)> {
        self.place_at(SimTime::from_ns(at.ns().saturating_sub(1)))
    }
}

/// Whether the gang is not complete.
fn gathers(slice: &Slice) -> bool {
    matches!(slice.part, Part::Queued | Part::Acquiring | Part::Provisioning)
}
