//! Laws fitted to the uptimes of a zone.

use super::family::Family;
use super::fitted::Fit;
use super::observed::Sample;

/// With fewer ends than this a law is no answer.
pub const ENOUGH: u64 = 6;

/// Laws without a limit, fitted to one sample.
#[derive(Debug, Clone, PartialEq)]
pub struct UptimeFits {
    /// In the order of [`Family::UNLIMITED`]; those that could not be fitted are left out.
    pub fits: Vec<Fit>,
}

impl UptimeFits {
    /// The law with the least AIC.
    pub fn best(&self) -> Option<&Fit> {
        self.fits.iter().min_by(|a, b| a.aic().total_cmp(&b.aic()))
    }

    /// The law of one kind.
    pub fn get(&self, family: Family) -> Option<&Fit> {
        self.fits.iter().find(|fit| fit.family == family)
    }

    /// How much worse than the best the law of one kind is, in AIC; below 2 is a tie.
    pub fn behind(&self, family: Family) -> Option<f64> {
        Some(self.get(family)?.aic() - self.best()?.aic())
    }
}

/// Fits every law without a limit; `None` with fewer than [`ENOUGH`] ends.
pub fn uptime_laws(sample: &Sample) -> Option<UptimeFits> {
    if sample.complete() < ENOUGH {
        return None;
    }
    let fits: Vec<Fit> = Family::UNLIMITED.iter().filter_map(|&family| Fit::of(family, sample)).collect();
    (!fits.is_empty()).then_some(UptimeFits { fits })
}
