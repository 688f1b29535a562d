//! Amazon SageMaker managed training.

use super::Tariff;
use crate::units::Price;

/// Billable seconds × On-Demand price: managed Spot shows its discount as `savings`, the share of
/// training seconds that are not billed. No minimum and no free hour are documented.
/// Source: SageMaker DescribeTrainingJob, `BillableTimeInSeconds`.
///
/// `None` unless `savings` is from 0 to 1.
pub fn sagemaker(on_demand: Price, savings: f64) -> Option<Tariff> {
    on_demand.discounted(savings).map(super::flat)
}

/// The savings that SageMaker reports for a job, per cent: `(1 − billable / training) × 100`; negative
/// where more seconds were billed than trained. Source: SageMaker DescribeTrainingJob.
pub fn savings_reported(training_s: f64, billable_s: f64) -> f64 {
    (1.0 - billable_s / training_s) * 100.0
}
