//! Closed forms and recursions: the second opinion on `sim`.
//!
//! Nothing here draws a number. Times are seconds, since these are formulas over reals.
//!
//! [`Renewal`] takes any law of uptimes; what else is here, but for [`Renewal::best_interval`], is for
//! losses at a constant rate. [`theory`] says what a cluster of a scenario should come to.

mod best_interval;
mod breakeven;
mod deadline;
mod ettr;
mod expected;
mod foresight;
mod gang;
mod memoryless;
mod notice;
mod optimum;
mod plan;
mod renewal;
mod uptime;

pub use best_interval::{BestInterval, FlatRange};
pub use breakeven::{BreakEven, Cadence};
pub use deadline::{ByDeadline, EqualSegments};
pub use ettr::useful_share;
pub use expected::Expected;
pub use foresight::{Optimum, Prices, Runs, Stretch, Task, least_cost, least_cost_bound};
pub use gang::{Scaled, Scaling, gang_loss_rate};
pub use memoryless::Memoryless;
pub use notice::Noticed;
pub use optimum::{best_segments, daly_first_order_interval_s, daly_interval_s, young_interval_s};
pub use plan::{OutOfDomain, Theory, in_domain, theory};
pub use renewal::{Renewal, SEGMENTS_MAX, Start};
pub use uptime::Uptime;
