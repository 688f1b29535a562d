//! Shocks: events of a zone or region that take several nodes at once.

use super::Law;
use crate::rng::{Source, Stream, Streams};
use crate::units::SimTime;

/// One `[[capacity.shock]]`: shocks come at random, and each takes each held node with chance `hit`,
/// whatever happens to the others. Exponential times between shocks with mean m and n nodes of lifetimes
/// with rate λ give a gang the hazard nλ + (1 − (1 − hit)^n)/m (Marshall and Olkin 1967, J. Am. Stat.
/// Assoc. 62, 30-44, the shock model with one hit probability).
#[derive(Debug, Clone, PartialEq)]
pub struct Shock {
    /// From one shock to the next.
    pub between: Law,
    /// Chance that a shock takes a node that is held, above 0 and up to 1.
    pub hit: f64,
    /// Where shocks are the same: the key of the zone or of its region.
    pub place: u64,
}

/// The shocks of one entry as one replication meets them. Times and hits are functions of (seed,
/// place, replication, entry, number of the shock, slot) alone, so every cluster meets the same.
#[derive(Debug, Clone)]
pub struct ShockWalk {
    times: Stream,
    next: SimTime,
    /// The entry in the upper 16 bits, the number of the next shock below.
    index: u64,
}

/// Bits for the number of a shock within its entry.
const NUMBER_BITS: u32 = 48;

impl Shock {
    /// The walk of one replication; `entry` is the place in the list of shocks, from 0.
    pub fn walk(&self, streams: &Streams, replication: u64, entry: u64) -> ShockWalk {
        let times = streams.stream(Source::Shock, self.place, replication, entry);
        let mut walk = ShockWalk { times, next: SimTime::ZERO, index: entry << NUMBER_BITS };
        walk.next = walk.next + self.between.sample(&mut walk.times);
        walk
    }

    /// The walks of all shocks of a zone, in place of `walks`.
    #[inline]
    pub fn begin_all(shocks: &[Self], walks: &mut Vec<ShockWalk>, streams: &Streams, replication: u64) {
        walks.clear();
        walks.extend(shocks.iter().zip(0..).map(|(shock, entry)| shock.walk(streams, replication, entry)));
    }
}

impl ShockWalk {
    /// When the next shock comes.
    #[inline]
    pub const fn next_at(&self) -> SimTime {
        self.next
    }

    /// Whether the next shock takes each slot's node, from slot 0 on; `zone` is the zone of the nodes.
    pub fn hits(
        &self,
        shock: &Shock,
        streams: &Streams,
        zone: u64,
        replication: u64,
    ) -> impl Iterator<Item = bool> + use<> {
        let mut stream = streams.stream(Source::ShockHit, zone, replication, self.index);
        let hit = shock.hit;
        std::iter::repeat_with(move || stream.open01() < hit)
    }

    /// Goes on to the shock after the next.
    pub fn pass(&mut self, shock: &Shock) {
        self.next = self.next + shock.between.sample(&mut self.times);
        self.index += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capacity::{Exponential, Kind};
    use crate::rng::place_key;
    use crate::units::Span;

    fn shock(place: &str) -> Shock {
        let between = Exponential::new(Span::from_s(100)).unwrap();
        Shock {
            between: Law::new(Kind::Exponential(between), None).unwrap(),
            hit: 0.4,
            place: place_key(place),
        }
    }

    /// The first `n` shocks of entry `entry` seen from `zone`: when, and whether slots 0 and 1 are hit.
    fn first(n: usize, shock: &Shock, zone: &str, entry: u64) -> Vec<(SimTime, [bool; 2])> {
        let streams = Streams::new(1);
        let mut walk = shock.walk(&streams, 0, entry);
        let mut all = Vec::new();
        for _ in 0..n {
            let mut hits = walk.hits(shock, &streams, place_key(zone), 0);
            all.push((walk.next_at(), [hits.next().unwrap(), hits.next().unwrap()]));
            walk.pass(shock);
        }
        all
    }

    /// Times have mean 100 s and sd 100 s, hits chance 0.4 and the pair 0.16: each mean of 40,000 within
    /// 4.5 standard errors (a false alarm in about 50,000, seed fixed).
    #[test]
    fn shocks_come_at_their_rate_and_hit_nodes_independently() {
        let n = 40_000;
        let all = first(n, &shock("a"), "a", 0);
        let near = |mean: f64, right: f64, sd: f64| (mean - right).abs() < 4.5 * sd / (n as f64).sqrt();
        let share = |hit: &dyn Fn(&[bool; 2]) -> bool| {
            all.iter().filter(|(_, slots)| hit(slots)).count() as f64 / n as f64
        };
        assert!(near(all[n - 1].0.since_submit().as_secs() / n as f64, 100.0, 100.0));
        assert!(near(share(&|hits| hits[0]), 0.4, 0.49));
        assert!(near(share(&|hits| hits[0] && hits[1]), 0.16, 0.37));
    }

    #[test]
    fn zones_of_a_region_share_its_shocks_but_not_their_hits() {
        let (a, b) = (first(50, &shock("r"), "a", 0), first(50, &shock("r"), "b", 0));
        assert!(a.iter().zip(&b).all(|(a, b)| a.0 == b.0));
        assert!(a.iter().zip(&b).any(|(a, b)| a.1 != b.1));
    }

    #[test]
    fn entries_of_one_place_are_apart() {
        assert_ne!(first(1, &shock("a"), "a", 0)[0].0, first(1, &shock("a"), "a", 1)[0].0);
    }
}
