//! Capacity that is lost and comes back without memory, alike in zones that share their fate.

use super::correlation::{Correlation, Shares};
use super::hours::{Clock, HOURS, periodic_chances, up_chance_after};
use super::path::ANY;
use super::{Exponential, Kind, Law};
use crate::rng::{Source, Streams};
use crate::units::{SimTime, Span, Timestamp};

/// Where an on/off path begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Begin {
    /// As a job meets it that is submitted at a random moment of a long history.
    #[default]
    Stationary,
    /// Up.
    Up,
}

/// Mean spans of an on/off path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Means {
    /// Of those in which any number of nodes can be had; above 0.
    pub uptime: Span,
    /// Of those in which none can; above 0.
    pub gap: Span,
}

/// Factors on the rates of loss and of return by the hour of the week, UTC.
#[derive(Debug, Clone, PartialEq)]
pub struct Hours {
    /// Of loss.
    pub loss: Clock,
    /// Of return.
    pub back: Clock,
}

/// `[capacity.markov]` in its short form and `[capacity.diurnal]`: up until a loss that comes at a rate, then
/// down until a return that comes at a rate.
///
/// Correlated zones have up to three such processes each, of which one or two are common (see
/// [`Correlation::shares`]), and nodes while all are up. All come back at one rate μ and are lost at
/// λ = μ(1 − a)/a for availability a; the λs add up to 1/uptime. So uptimes are exponential and availability is
/// uptime/(uptime + gap), exactly. Factors of hours are the same for all processes; then uptimes are exact, and
/// correlation is as asked where factors are 1 and near it elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct OnOff {
    means: Means,
    correlation: Correlation,
    /// The key of the zone's region.
    region: u64,
    /// Law of uptimes, at factors of 1.
    uptime: Law,
    /// Those that are ever lost.
    layers: Vec<Layer>,
    begin: Begin,
    hours: Option<Hours>,
    /// When replications begin, in the week; `None`: each at a random instant.
    week_begin_ns: Option<u64>,
}

/// One process of a path.
#[derive(Debug, Clone, PartialEq)]
struct Layer {
    /// 0 the zone's own, 1 its region's, 2 that of all zones.
    index: u64,
    /// The key of the region, 0 for all zones; `None`: the zone's own.
    place: Option<u64>,
    loss_per_s: f64,
    return_per_s: f64,
    /// Chance of being up at the beginning of each hour of the week, or always.
    up_chances: Vec<f64>,
}

/// The most processes of a path.
const LAYERS_MAX: usize = 3;
const WEEK_NS: u64 = HOURS as u64 * 3_600_000_000_000;

/// The processes of one replication. They are kept as they will be after the path's next change.
#[derive(Debug, Clone)]
pub(super) struct OnOffWalk<'a> {
    path: &'a OnOff,
    draws: Draws,
    layers: [LayerWalk; LAYERS_MAX],
    /// Whether nodes can be had now.
    up: bool,
}

/// Whose luck a walk meets.
#[derive(Debug, Clone, Copy)]
struct Draws {
    streams: Streams,
    zone: u64,
    replication: u64,
    /// When the replication begins, in the week.
    week_begin_ns: u64,
}

#[derive(Debug, Clone, Copy)]
struct LayerWalk {
    up: bool,
    /// Changes so far.
    turn: u32,
    next: SimTime,
}

impl OnOff {
    /// From means, as they are where factors of `hours` are 1. `region` is the key of the zone's region.
    pub fn new(
        means: Means,
        correlation: Correlation,
        region: u64,
        begin: Begin,
        hours: Option<Hours>,
    ) -> Self {
        let (uptime_s, gap_s) = (means.uptime.as_secs(), means.gap.as_secs());
        let Shares { own, region: in_region, global } = correlation.shares(uptime_s / (uptime_s + gap_s));
        let shares = [(0, None, own), (1, Some(region), in_region), (2, Some(0), global)];
        let fails = |share: f64| ((1.0 - share) / share).max(0.0);
        let all: f64 = shares.iter().map(|(_, _, share)| fails(*share)).sum();
        let return_per_s = 1.0 / (uptime_s * all);
        // What rounding leaves of a process that is never lost is no process.
        let layers = shares.into_iter().filter(|(_, _, share)| fails(*share) > 1e-12 * all);
        let layers = layers.map(|(index, place, share)| {
            let loss_per_s = return_per_s * fails(share);
            let up_chances = match &hours {
                Some(hours) => periodic_chances(loss_per_s, return_per_s, &hours.loss, &hours.back),
                None => vec![share],
            };
            Layer { index, place, loss_per_s, return_per_s, up_chances }
        });
        let uptime = Exponential::new(means.uptime).expect("a mean uptime is above 0");
        let uptime = Law::new(Kind::Exponential(uptime), None).expect("only a cap can be refused");
        let layers = layers.collect();
        Self { means, correlation, region, uptime, layers, begin, hours, week_begin_ns: None }
    }

    /// The same with other mean spans.
    pub fn with_means(&self, means: Means) -> Self {
        let Self { correlation, region, begin, .. } = *self;
        let week_begin_ns = self.week_begin_ns;
        Self { week_begin_ns, ..Self::new(means, correlation, region, begin, self.hours.clone()) }
    }

    /// Lets replications begin at the hour of `instant`.
    pub fn submit_at(&mut self, instant: Timestamp) {
        let monday = Timestamp::EPOCH.unix_ns() - 3 * (WEEK_NS / 7) as i64;
        self.week_begin_ns = Some(instant.unix_ns().saturating_sub(monday).rem_euclid(WEEK_NS as i64) as u64);
    }

    /// Mean spans, at factors of 1.
    pub const fn means(&self) -> Means {
        self.means
    }

    /// Law of uptimes, at factors of 1.
    pub const fn uptime(&self) -> &Law {
        &self.uptime
    }

    /// Factors by the hour of the week, if rates change with it.
    pub const fn hours(&self) -> Option<&Hours> {
        self.hours.as_ref()
    }

    /// Where it begins.
    pub const fn begin_of_replications(&self) -> Begin {
        self.begin
    }

    /// Whether each replication begins at a random instant of the week: rates change with the hour, and
    /// nobody said when the job is submitted.
    pub const fn begins_at_any_hour(&self) -> bool {
        self.hours.is_some() && self.week_begin_ns.is_none()
    }

    /// How long after Monday's midnight, UTC, a replication begins: the same for all zones.
    pub fn week_begin(&self, streams: &Streams, replication: u64) -> Span {
        let ns = self.week_begin_ns.unwrap_or_else(|| match self.hours {
            None => 0,
            Some(_) => {
                let at = streams.stream(Source::WeekBegin, 0, replication, 0).open01();
                (at * WEEK_NS as f64) as u64
            }
        });
        Span::from_ns(ns)
    }

    /// Rate of loss while up, mean over the week, 1/s.
    pub fn loss_per_s(&self) -> f64 {
        let factor = self.hours.as_ref().map_or(1.0, |hours| hours.loss.mean_factor());
        factor / self.means.uptime.as_secs()
    }

    pub(super) fn begin(
        &self,
        streams: &Streams,
        zone: u64,
        replication: u64,
    ) -> (u32, SimTime, OnOffWalk<'_>) {
        let week_begin_ns = self.week_begin(streams, replication).ns();
        let draws = Draws { streams: *streams, zone, replication, week_begin_ns };
        let mut layers = [LayerWalk { up: true, turn: 0, next: SimTime::NEVER }; LAYERS_MAX];
        for (walk, layer) in layers.iter_mut().zip(&self.layers) {
            // Number 0 decides where it begins, the others how long it stays.
            walk.up = match self.begin {
                Begin::Up => true,
                Begin::Stationary => draws.uniform(layer, 0) < self.up_chance(layer, week_begin_ns),
            };
            walk.next = SimTime::ZERO + self.sojourn(layer, walk, SimTime::ZERO, &draws);
        }
        let up = layers.iter().all(|layer| layer.up);
        let mut walk = OnOffWalk { path: self, draws, layers, up };
        let next = walk.run_ahead();
        (walk.level(), next, walk)
    }

    fn up_chance(&self, layer: &Layer, week_ns: u64) -> f64 {
        let Some(hours) = &self.hours else { return layer.up_chances[0] };
        let (hour, into_ns) = (week_ns / 3_600_000_000_000, week_ns % 3_600_000_000_000);
        let hour = hour as usize;
        let (loss, back) = (hours.loss.factor(hour), hours.back.factor(hour));
        let into_s = Span::from_ns(into_ns).as_secs();
        up_chance_after(layer.up_chances[hour], into_s, layer.loss_per_s * loss, layer.return_per_s * back)
    }

    /// How long a process that has just changed stays as it is; not zero, so that none changes for ever at
    /// one instant.
    fn sojourn(&self, layer: &Layer, walk: &LayerWalk, now: SimTime, draws: &Draws) -> Span {
        let rate_per_s = if walk.up { layer.loss_per_s } else { layer.return_per_s };
        let u = draws.uniform(layer, 2 * u64::from(walk.turn) + 2 + u64::from(walk.up));
        let needed_s = -libm::log(u) / rate_per_s;
        let span_s = match &self.hours {
            None => needed_s,
            Some(hours) => {
                let clock = if walk.up { &hours.loss } else { &hours.back };
                let week_ns = draws.week_begin_ns.saturating_add(now.ns()) % WEEK_NS;
                clock.time_for(needed_s, Span::from_ns(week_ns).as_secs())
            }
        };
        Span::from_secs_saturating(span_s).max(Span::from_ns(1))
    }
}

impl Draws {
    /// A draw of its own for each number, so that a walk needs no state of a generator for each process.
    fn uniform(&self, layer: &Layer, number: u64) -> f64 {
        let place = layer.place.unwrap_or(self.zone);
        self.streams.stream(Source::OnOff, place, self.replication, layer.index << 60 | number).open01()
    }
}

impl OnOffWalk<'_> {
    fn level(&self) -> u32 {
        if self.up { ANY } else { 0 }
    }

    pub(super) fn peek_level(&self) -> u32 {
        if self.up { 0 } else { ANY }
    }

    pub(super) fn step(&mut self) -> (u32, SimTime) {
        self.up = !self.up;
        (self.level(), self.run_ahead())
    }

    /// Takes the processes to the instant at which the path stops being as it is now, and gives it.
    fn run_ahead(&mut self) -> SimTime {
        let layers = &mut self.layers[..self.path.layers.len()];
        loop {
            let earliest = layers.iter_mut().zip(&self.path.layers).min_by_key(|(walk, _)| walk.next);
            let Some((walk, layer)) = earliest else { return SimTime::NEVER };
            let at = walk.next;
            if at == SimTime::NEVER {
                return at;
            }
            (walk.up, walk.turn) = (!walk.up, walk.turn.saturating_add(1));
            walk.next = at + self.path.sojourn(layer, walk, at, &self.draws);
            if layers.iter().all(|walk| walk.up) != self.up {
                return at;
            }
        }
    }
}

#[cfg(test)]
#[path = "on_off_tests.rs"]
mod tests;
