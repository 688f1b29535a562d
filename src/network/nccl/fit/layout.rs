//! Which unknowns make up the figures of a class.

use super::super::calibrated::FabricFit;
use super::super::fabric::{FabricClass, Pool};

/// How far a class's figure strays from its pool's: standard deviation of the logarithm, for latency factor, hop,
/// efficiency and rate limit.
const STRAY: [f64; FabricFit::COUNT] = [0.4, 0.7, 0.25, 0.5];
/// Weight of beliefs beside rows. Less or more by half moves the left-out error by a tenth of a point.
const BELIEF_WEIGHT: f64 = 0.05;

/// Unknowns: the logarithm of each pool over its belief, then for each class those of its four figures over its
/// pools. All are 0 at the beliefs.
pub(super) const UNKNOWNS: usize = Pool::COUNT + FabricClass::ALL.len() * FabricFit::COUNT;

/// Where the unknowns of one figure stand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub pool: usize,
    pub own: usize,
}

/// The unknowns of each figure of a class; `None` where it has no such figure.
pub(super) fn places(class: FabricClass) -> [Option<Place>; FabricFit::COUNT] {
    let pools = class.pools();
    std::array::from_fn(|figure| {
        let own = Pool::COUNT + class as usize * FabricFit::COUNT + figure;
        pools[figure].map(|pool| Place { pool: pool as usize, own })
    })
}

/// The figures of a class.
pub(super) fn figures(class: FabricClass, unknowns: &[f64]) -> FabricFit {
    let pools = class.pools();
    let places = places(class);
    let logs = std::array::from_fn(|figure| match (pools[figure], places[figure]) {
        (Some(pool), Some(place)) => libm::log(pool.belief().0) + unknowns[place.pool] + unknowns[place.own],
        _ => 0.0,
    });
    FabricFit::from_logs(logs, pools.map(|pool| pool.is_some()))
}

/// What the square of each unknown costs.
pub(super) fn belief_costs() -> Vec<f64> {
    let mut costs = vec![BELIEF_WEIGHT; UNKNOWNS];
    for class in FabricClass::ALL {
        for (figure, (pool, place)) in class.pools().into_iter().zip(places(class)).enumerate() {
            if let (Some(pool), Some(place)) = (pool, place) {
                let sd = pool.belief().1;
                costs[place.pool] = BELIEF_WEIGHT / (sd * sd);
                costs[place.own] = BELIEF_WEIGHT / (STRAY[figure] * STRAY[figure]);
            }
        }
    }
    costs
}
