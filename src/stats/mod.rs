//! Statistics of replications: exact moments, quantiles, intervals and the functions behind them.
//!
//! Sums are integers, so a result does not depend on how the replications were split among threads or
//! shards. Where a figure does not exist (the mean of nothing, a quantile at infinity) it is `None`.

mod counts;
mod interval;
#[cfg(test)]
pub mod ks;
mod least_squares;
mod moments;
mod pair;
mod peak;
pub mod points;
mod product_limit;
mod quantile;
mod root;
mod running;
mod sample_size;
pub mod special;
mod stopping;

pub use counts::Counts;
pub use interval::{Interval, clopper_pearson, order_statistic_ranks, wilson};
pub use least_squares::{LeastSquares, least_squares};
pub use moments::Moments;
pub use pair::PairMoments;
pub use peak::Peak;
pub use product_limit::{SurvivalStep, product_limit, restricted_mean, survival_quantile};
pub use quantile::{QuantileInterval, Quantiles};
pub use root::rising_root;
pub use running::{Running, sample_quantile};
pub use sample_size::{first_narrow_enough, samples_for_relative, samples_for_upper_bound};
pub use stopping::is_precise;
