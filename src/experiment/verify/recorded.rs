//! Recordings that rows name, cut into ticks.

use super::Find;
use super::shipped::recording;
use crate::records::Content;
use crate::units::Span;
use std::collections::BTreeMap;

/// When a zone has what is wanted.
#[derive(Debug, Clone)]
pub(super) struct InTicks {
    /// How often the recorder looked.
    pub tick: Span,
    /// Ticks with what is wanted, and without, in turn.
    runs: Vec<(u64, bool)>,
    /// The tick at which each ends.
    ends: Vec<u64>,
}

impl InTicks {
    fn new(tick: Span, runs: Vec<(u64, bool)>) -> Self {
        let ends = runs.iter().scan(0, |end, (length, _)| {
            *end += length;
            Some(*end)
        });
        Self { tick, ends: ends.collect(), runs }
    }

    /// Ticks of the recording.
    pub fn len(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Whether there is what is wanted in a tick, and the first tick after it in which that may differ. After the end
    /// of the recording there is nothing.
    pub fn at(&self, tick: u64) -> (bool, u64) {
        let after = self.ends.partition_point(|end| *end <= tick);
        match (self.runs.get(after), self.ends.get(after)) {
            (Some((_, up)), Some(end)) => (*up, *end),
            _ => (false, u64::MAX),
        }
    }

    /// The runs of `ticks` ticks from tick `begin` on; after the end of the recording there is nothing.
    pub fn window(&self, begin: u64, ticks: u64) -> Vec<(u64, bool)> {
        let (mut skip, mut left) = (begin, ticks);
        let mut window = Vec::new();
        for &(length, up) in self.runs.iter().chain(std::iter::once(&(u64::MAX, false))) {
            let skipped = skip.min(length);
            let taken = (length - skipped).min(left);
            (skip, left) = (skip - skipped, left - taken);
            if taken > 0 {
                window.push((taken, up));
            }
        }
        window
    }
}

/// Recordings as they are asked for, each read once.
pub(super) struct Recorded<'a> {
    beside: Find<'a>,
    known: BTreeMap<String, InTicks>,
}

impl<'a> Recorded<'a> {
    /// None yet; `beside` gives those that are not shipped.
    pub fn new(beside: Find<'a>) -> Self {
        Self { beside, known: BTreeMap::new() }
    }

    /// The recording `SET/ZONE`: up where there is a node, or with `@gangT` at least T.
    pub fn of(&mut self, name: &str) -> Result<&InTicks, String> {
        if !self.known.contains_key(name) {
            let read = read(name, self.beside)?;
            self.known.insert(name.to_owned(), read);
        }
        Ok(&self.known[name])
    }
}

fn read(name: &str, beside: Find<'_>) -> Result<InTicks, String> {
    let (set, zone) = name.split_once('/').ok_or("a trace is named SET/ZONE")?;
    let (zone, gang) = zone.split_once("@gang").map_or((zone, None), |(zone, gang)| (zone, Some(gang)));
    let least: u32 = gang.unwrap_or("1").parse().map_err(|_| "`@gang` takes a number of nodes".to_owned())?;
    let recording = recording(set, zone, gang.is_some(), beside)?;
    let tick = recording.about.sample.filter(|tick| *tick > Span::ZERO).ok_or("the trace has no ticks")?;
    let Content::Capacity(series) = recording.content else { return Err("the trace has no capacity".into()) };
    let series = series.first().ok_or("the trace has no capacity")?;
    let up = |nodes: Option<u32>| nodes.is_some_and(|nodes| nodes >= least);
    let runs = series.stretches.iter().map(|stretch| (stretch.span.ns() / tick.ns(), up(stretch.nodes)));
    Ok(InTicks::new(tick, runs.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_begins_inside_a_run_and_may_pass_the_end() {
        let of_zone = InTicks::new(Span::from_s(60), vec![(3, true), (2, false), (4, true)]);
        assert_eq!(of_zone.window(1, 5), [(2, true), (2, false), (1, true)]);
        assert_eq!(of_zone.window(5, 9), [(4, true), (5, false)]);
        assert_eq!(of_zone.window(9, 0), []);
        assert_eq!(
            [2, 3, 8, 9].map(|tick| of_zone.at(tick)),
            [(true, 3), (false, 5), (true, 9), (false, u64::MAX)]
        );
    }

    #[test]
    fn a_gang_needs_its_nodes_at_once() {
        let mut recorded = Recorded::new(&|_, _| None);
        let up = |recorded: &mut Recorded<'_>, name| -> u64 {
            let of_zone = recorded.of(name).unwrap();
            of_zone.runs.iter().filter(|(_, up)| *up).map(|(ticks, _)| ticks).sum()
        };
        let one = up(&mut recorded, "aws-2023-08-27-v100-16node/us-east-2b");
        let all = up(&mut recorded, "aws-2023-08-27-v100-16node/us-east-2b@gang16");
        assert!(0 < all && all < one, "{all} of {one}");
        assert!(recorded.of("aws-2023-08-27-v100-16node/mars").is_err());
    }
}
