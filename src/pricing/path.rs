//! How a price moves, and where it is in one replication.

use super::history::PriceHistory;
use super::mean_reverting::MeanReverting;
use crate::rng::{Source, Stream, Streams};
use crate::units::{Price, SimTime, Span};

/// How the price in a zone moves: a function of (seed, zone, replication) alone, so the same for all
/// clusters of the zone.
#[derive(Debug, Clone, PartialEq)]
pub enum PricePath {
    /// As it was recorded, or is written out in the scenario.
    History(PriceHistory),
    /// Around a mean.
    MeanReverting(MeanReverting),
}

/// A price path in one replication. Used again and again, it keeps its memory.
#[derive(Debug, Default)]
pub struct PriceWalk {
    /// How far into the capacity trace the replication begins.
    began_at: Span,
    /// Prices drawn so far, one for each step from submit on.
    drawn: Vec<Price>,
    deviation: Option<f64>,
    stream: Option<Stream>,
}

impl PriceWalk {
    /// Begins a replication that starts `began_at` into the capacity trace; `path`: how the price of the zone
    /// `zone` (see [`crate::rng::place_key`]) moves.
    #[inline]
    pub fn begin(
        &mut self,
        path: &PricePath,
        streams: &Streams,
        zone: u64,
        replication: u64,
        began_at: Span,
    ) {
        self.began_at = began_at;
        self.drawn.clear();
        self.deviation = None;
        self.stream = match path {
            PricePath::History(_) => None,
            PricePath::MeanReverting(_) => Some(streams.stream(Source::SpotPrice, zone, replication, 0)),
        };
    }

    /// The price of step `step`, all steps before it drawn.
    fn of_step(&mut self, law: &MeanReverting, step: u64) -> Price {
        let stream = self.stream.as_mut().expect("a walk is begun with the path that it is asked about");
        while self.drawn.len() as u64 <= step {
            let deviation = law.next(self.deviation, stream);
            self.deviation = Some(deviation);
            self.drawn.push(law.price(deviation));
        }
        usize::try_from(step).map_or(law.mean(), |step| self.drawn[step])
    }
}

impl PricePath {
    /// The price at `t`, and when it may change next.
    pub fn at(&self, walk: &mut PriceWalk, t: SimTime) -> (Price, SimTime) {
        match self {
            Self::History(history) => history.at(t, walk.began_at),
            Self::MeanReverting(law) => {
                let step = t.ns() / law.every().ns();
                (walk.of_step(law, step), SimTime::ZERO + law.every().times(step + 1))
            }
        }
    }

    /// The price to name where only one can be: a history's first, a law's mean.
    pub fn nominal(&self) -> Price {
        match self {
            Self::History(history) => history.first(),
            Self::MeanReverting(law) => law.mean(),
        }
    }

    /// No price is above this.
    pub fn highest(&self) -> Price {
        match self {
            Self::History(history) => history.highest(),
            Self::MeanReverting(law) => law.highest(),
        }
    }

    /// No price is below this.
    pub fn lowest(&self) -> Price {
        match self {
            Self::History(history) => history.lowest(),
            Self::MeanReverting(law) => law.lowest(),
        }
    }
}
