//! The search against all schedules there are.

use super::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The least cost over every assignment of nothing, Spot and On-Demand to each unit, at the Spot prices given.
fn brute_force(spot: &[Option<f64>], task: Task, on_demand: f64) -> Option<f64> {
    /// `last`: 0 nothing, 1 Spot, 2 On-Demand.
    fn from(
        spot: &[Option<f64>],
        task: Task,
        price: f64,
        last: u8,
        active: u64,
        starts: u64,
        cost: f64,
    ) -> f64 {
        let Some((&now, later)) = spot.split_first() else {
            return if active >= task.needed(starts) { cost } else { f64::INFINITY };
        };
        let mut best = from(later, task, price, 0, active, starts, cost);
        if let Some(now) = now {
            let starts = starts + u64::from(last != 1);
            best = best.min(from(later, task, price, 1, active + 1, starts, cost + now));
        }
        let starts = starts + u64::from(last != 2);
        best.min(from(later, task, price, 2, active + 1, starts, cost + price))
    }
    let least = from(spot, task, on_demand, 0, 0, 0, 0.0);
    least.is_finite().then_some(least)
}

fn instance(rng: &mut Xoshiro256PlusPlus) -> (Vec<bool>, Task) {
    let units = rng.random_range(4..=11);
    let stay = rng.random_range(0.2..0.9);
    let mut up = rng.random_bool(0.5);
    let draw = |rng: &mut Xoshiro256PlusPlus| {
        up ^= !rng.random_bool(stay);
        up
    };
    let ups = std::iter::repeat_with(|| ()).take(units).scan(draw, |draw, ()| Some(draw(rng))).collect();
    let unit = 10;
    let work = rng.random_range(1..=unit * units as u64);
    (ups, Task { work, overhead: rng.random_range(0..=25), unit })
}

#[test]
fn it_is_the_least_of_all_schedules() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut met = 0;
    for number in 0..200 {
        let (ups, task) = instance(&mut rng);
        let prices = Prices { spot: rng.random_range(0.0..1.2), on_demand: 1.0 };
        let spot: Vec<Option<f64>> = ups.iter().map(|up| up.then_some(prices.spot)).collect();
        let runs: Vec<(u64, bool)> = ups.iter().map(|&up| (1, up)).collect();
        let ours = least_cost(&runs, task, prices).map(|best| best.cost(prices.spot, prices.on_demand));
        let right = brute_force(&spot, task, prices.on_demand);
        let near = ours.zip(right).is_some_and(|(ours, right)| (ours - right).abs() < 1e-9);
        assert!(near || (ours, right) == (None, None), "{number}: {ours:?} for {right:?}: {ups:?} {task:?}");
        met += usize::from(near);
    }
    assert!(met > 100, "only {met} can be done at all");
}

#[test]
fn the_bound_of_moving_prices_is_never_above_a_schedule_and_often_near() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
    let (mut sum, mut right_sum) = (0.0, 0.0);
    for number in 0..200 {
        let (ups, task) = instance(&mut rng);
        let spot: Vec<Option<f64>> = ups.iter().map(|up| up.then(|| rng.random_range(0.1..1.3))).collect();
        let stretches: Vec<Stretch> = spot.iter().map(|&spot| Stretch::paid(1, spot)).collect();
        let ours = least_cost_bound(&stretches, task, 1.0);
        let right = brute_force(&spot, task, 1.0);
        assert_eq!(ours.is_some(), right.is_some(), "{number}");
        let (Some(ours), Some(right)) = (ours, right) else { continue };
        assert!(ours <= right + 1e-9, "{number}: {ours} for {right}: {spot:?} {task:?}");
        (sum, right_sum) = (sum + ours, right_sum + right);
    }
    assert!(sum > 0.8 * right_sum, "{sum} for {right_sum}");
}

/// 4 h of work, Spot from 1 h to 3 h and from 4 h to 6 h, the deadline. Two starts on Spot run 4 h of the 4.5 h that they
/// need; a third start, of On-Demand in one of the holes, makes it 4.75 h, so that 0.75 h are bought.
#[test]
fn a_case_by_hand() {
    let quarters = |hours: f64| (4.0 * hours) as u64;
    let runs = [(quarters(1.0), false), (quarters(2.0), true), (quarters(1.0), false), (quarters(2.0), true)];
    let task = Task { work: 16, overhead: 1, unit: 1 };
    let best = least_cost(&runs, task, Prices { spot: 1.0, on_demand: 3.0 }).unwrap();
    assert_eq!(best, Optimum { spot: 16, on_demand: 3, starts: 3 });
}

#[test]
fn too_late_is_none_and_no_work_costs_nothing() {
    let task = Task { work: 10, overhead: 1, unit: 1 };
    let prices = Prices { spot: 1.0, on_demand: 3.0 };
    assert_eq!(least_cost(&[(10, true)], task, prices), None);
    let all = Optimum { spot: 11, on_demand: 0, starts: 1 };
    assert_eq!(least_cost(&[(11, true)], task, prices), Some(all));
    let nothing = Optimum { spot: 0, on_demand: 0, starts: 0 };
    assert_eq!(least_cost(&[], Task { work: 0, ..task }, prices), Some(nothing));
}

/// 6 units of work, Spot at 1 for 8 units, On-Demand at 3. Paid, that is 6; if what is begun in the last 4 is free, it is
/// the 2 units before them that are paid, or fewer by a start: each needs a unit.
#[test]
fn spot_that_is_taken_back_young_is_free_where_it_is_begun() {
    let tail = |free_if_fresh| Stretch { length: 4, spot: Some(1.0), free_if_fresh };
    let bound = |stretches: &[Stretch], overhead| {
        least_cost_bound(stretches, Task { work: 6, overhead, unit: 1 }, 3.0).unwrap()
    };
    let paid = Stretch::paid(4, Some(1.0));
    assert!((bound(&[paid, tail(false)], 0) - 6.0).abs() < 1e-9);
    assert!((bound(&[paid, tail(true)], 0) - 2.0).abs() < 1e-9);
    // One start and 7 paid units, or two and 4 paid beside 4 that are free: a mixture of 4 and of nothing at all.
    let least = bound(&[paid, tail(true)], 1);
    assert!(least <= 4.0 + 1e-9 && least > 2.0, "{least}");
}
