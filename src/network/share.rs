//! One network interface shared by flows that want different amounts of it.

/// One user of the interface: gradients, the input stream, an upload.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flow {
    /// Bytes per second that it would take; infinite for one that takes what it can get.
    pub demand: f64,
    /// Bytes per second that it cannot exceed, as its connections are limited; infinite for no limit.
    pub cap: f64,
}

impl Flow {
    /// What it would take of an interface of its own, bytes per second.
    pub fn wanted(&self) -> f64 {
        self.demand.min(self.cap).max(0.0)
    }
}

/// Bytes per second that each flow gets of an interface of `capacity`: max-min fair, as long-lived TCP
/// connections of equal round-trip time come near. Nobody gets more than wanted, and nobody less than another
/// unless it wants less. The shares add up to the capacity, or to all that is wanted if that is less.
///
/// Source: D. Bertsekas, R. Gallager, Data Networks, 2nd ed. (1992), section 6.5.2.
pub fn fair_shares(capacity: f64, flows: &[Flow]) -> Vec<f64> {
    let mut modest_first: Vec<usize> = (0..flows.len()).collect();
    modest_first.sort_by(|&a, &b| flows[a].wanted().total_cmp(&flows[b].wanted()));
    let mut left = capacity.max(0.0);
    let mut shares = vec![0.0; flows.len()];
    for (served, &index) in modest_first.iter().enumerate() {
        let equal_part = left / (flows.len() - served) as f64;
        shares[index] = flows[index].wanted().min(equal_part);
        left -= shares[index];
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: f64 = f64::INFINITY;

    fn shares(capacity: f64, flows: &[(f64, f64)]) -> Vec<f64> {
        let flows: Vec<Flow> = flows.iter().map(|&(demand, cap)| Flow { demand, cap }).collect();
        fair_shares(capacity, &flows)
    }

    /// The textbook's way: the modest 2 is met in full, and what is left is halved.
    #[test]
    fn what_the_modest_leave_is_shared_equally() {
        assert_eq!(shares(10.0, &[(ALL, ALL), (2.0, ALL), (8.0, ALL)]), [4.0, 2.0, 4.0]);
    }

    #[test]
    fn a_cap_binds_like_a_demand() {
        assert_eq!(shares(25.0, &[(ALL, 5.0), (ALL, ALL)]), [5.0, 20.0]);
    }

    #[test]
    fn a_link_that_is_wide_enough_gives_all_that_is_wanted() {
        assert_eq!(shares(10.0, &[(2.0, ALL), (0.0, ALL), (3.0, 1.0)]), [2.0, 0.0, 1.0]);
        assert_eq!(shares(10.0, &[]), [0.0; 0]);
    }

    fn any_flows() -> impl Strategy<Value = Vec<(f64, f64)>> {
        let rate = || prop_oneof![0.0..1e10_f64, Just(ALL)];
        prop::collection::vec((rate(), rate()), 1..8)
    }

    proptest! {
        #[test]
        fn shares_use_the_link_up_or_meet_every_demand(capacity in 0.0..1e10_f64, flows in any_flows()) {
            let wanted: f64 = flows.iter().map(|(demand, cap)| demand.min(*cap)).sum();
            let given: f64 = shares(capacity, &flows).iter().sum();
            prop_assert!((given - wanted.min(capacity)).abs() <= 1e-9 * (1.0 + capacity));
        }

        #[test]
        fn nobody_gets_more_than_wanted_or_allowed(capacity in 0.0..1e10_f64, flows in any_flows()) {
            for (share, (demand, cap)) in shares(capacity, &flows).iter().zip(&flows) {
                prop_assert!(*share >= 0.0 && share <= demand && share <= cap);
            }
        }

        #[test]
        fn who_gets_less_than_another_wanted_no_more(capacity in 0.0..1e10_f64, flows in any_flows()) {
            let given = shares(capacity, &flows);
            let most = given.iter().copied().fold(0.0, f64::max);
            for (share, (demand, cap)) in given.iter().zip(&flows) {
                prop_assert!(*share >= most * (1.0 - 1e-9) || *share >= demand.min(*cap));
            }
        }
    }
}
