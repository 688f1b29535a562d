//! Laws fitted to recorded times, by maximum likelihood.

mod bathtub;
mod by_hour;
mod calm_storm;
#[cfg(test)]
mod coverage;
mod family;
mod fitted;
mod goodness;
mod observed;
mod study;
mod uniform;
mod uptime;

pub use by_hour::ByHour;
pub use calm_storm::{CalmStorm, Step};
pub use family::Family;
pub use fitted::{Fit, Parameter};
pub use goodness::{ROUNDS, distance, p_value};
pub use observed::{Observed, Sample};
pub use study::{Best, Judged, Of, Study, Times};
pub use uptime::{ENOUGH, UptimeFits, uptime_laws};
