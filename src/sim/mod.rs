//! One replication: the clock, the gang, the ledger and the outcome.
//!
//! Between two events everything is linear or cyclic, so a replication costs its events, not its
//! steps. [`simulate`] is generic over an [`Observer`]: `()` sees nothing and costs nothing, [`Ledger`]
//! keeps every stay and every phase.

mod booking;
mod credit;
mod detection;
mod elastic;
mod engine;
mod gang;
mod limits;
mod loss;
mod machine;
mod observer;
mod outcome;
mod save;
mod supply;
mod switch;
mod tick;
mod timeline;
mod trained;
mod usage;
mod zones;

pub use engine::{Scratch, simulate};
pub use observer::{Fate, Ledger, Observer, PhaseSpan, Stay, Trained};
pub use outcome::{BILLED, End, Outcome, PARTS, Part, Reason, TimeParts};
pub use supply::Supply;
pub use tick::{Stretch, TickRules, Ticked, ticks};
pub use timeline::{Break, Slice, Timeline};
