//! What a stay of one node costs, and by which rule.
//!
//! Takes prices and lengths of time; knows no catalogue, no clock and no cluster. Each provider's
//! rule is one file that fills in a [`Tariff`].

mod ec2;
mod flat;
mod sagemaker;

pub use ec2::ec2;
pub use flat::flat;
pub use sagemaker::sagemaker;

use crate::units::{Money, Price, Span};

/// Which rule turns a stay into dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Price × time.
    Flat,
    /// EC2 per second, with its minimum and its free first hour.
    Ec2,
    /// SageMaker training: On-Demand price less the savings.
    SageMaker,
}

/// Who ended a stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The provider took the node.
    Reclaimed,
    /// We gave the node back, or the job was done.
    Released,
}

/// How the stays of one market are billed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tariff {
    /// Price of one instance.
    pub price: Price,
    /// A stay that we end is billed for at least this long.
    pub minimum: Span,
    /// A stay that the provider ends before this age is free.
    pub free_if_reclaimed_before: Span,
}

/// What one stay comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bill {
    /// Seconds charged, as a span.
    pub billed: Span,
    /// Exact price × billed time, rounded once.
    pub cost: Money,
}

impl Tariff {
    /// The bill of a stay of length `stay`, counted from the end of provisioning.
    #[inline]
    pub fn bill(&self, stay: Span, ended: Ended) -> Bill {
        let billed = match ended {
            Ended::Reclaimed if stay < self.free_if_reclaimed_before => Span::ZERO,
            Ended::Reclaimed => stay,
            Ended::Released => stay.max(self.minimum),
        };
        Bill { billed, cost: self.price.cost(billed) }
    }
}
