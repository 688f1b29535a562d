//! Amazon EC2, Linux, per second.

use super::{Tariff, flat};
use crate::units::{Price, Span};

/// Each stay that we end is billed for at least a minute.
/// Source: EC2 per-second billing, 2017-10-02.
const MINIMUM: Span = Span::from_s(60);

/// Spot that the provider reclaims in its first hour is free; at 3,600 s all of it is charged.
/// Source: EC2 User Guide "Billing for interrupted Spot Instances".
const FREE_HOUR: Span = Span::from_s(3_600);

/// EC2's rule at a constant price. `spot` brings the free first hour.
pub fn ec2(price: Price, spot: bool) -> Tariff {
    let free_if_reclaimed_before = if spot { FREE_HOUR } else { Span::ZERO };
    Tariff { minimum: MINIMUM, free_if_reclaimed_before, ..flat(price) }
}

/// EC2's rule by the hour: SUSE, and everything before 2017-10-02. A broken hour is free if reclaimed, else
/// charged in full. Source: EC2 User Guide "Billing for interrupted Spot Instances".
pub fn ec2_hourly(price: Price) -> Tariff {
    Tariff { whole_hours: true, ..flat(price) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pricing::Ended::{Reclaimed, Released};
    use crate::pricing::PriceWalk;
    use crate::units::SimTime;

    fn check(spot: bool, stay_s: u64, ended: super::super::Ended, billed_s: u64) {
        let end = SimTime::ZERO + Span::from_s(stay_s);
        let bill = ec2("3.6 USD/h".parse().unwrap(), spot).bill(
            &mut PriceWalk::default(),
            SimTime::ZERO,
            end,
            ended,
            |_| {},
        );
        assert_eq!(bill.billed, Span::from_s(billed_s));
        assert_eq!(bill.cost.nusd(), i64::try_from(billed_s).unwrap() * 1_000_000);
    }

    #[test]
    fn the_first_hour_is_free_only_when_reclaimed() {
        check(true, 3_599, Reclaimed, 0);
        check(true, 3_600, Reclaimed, 3_600);
        check(true, 3_599, Released, 3_599);
        check(false, 100, Reclaimed, 100);
    }

    #[test]
    fn a_stay_that_we_end_is_at_least_a_minute() {
        check(true, 0, Released, 60);
        check(true, 59, Released, 60);
        check(false, 61, Released, 61);
        check(true, 0, Reclaimed, 0);
    }
}
