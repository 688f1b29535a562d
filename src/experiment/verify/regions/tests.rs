use super::*;

/// Two regions with ticks of an hour: one at $1 whose Spot goes after two, the other at $2 that always has some. Between
/// them a save costs `traffic_usd`, and half an hour where moves take time.
fn world(traffic_usd: f64, moves_take_time: bool) -> World {
    let region = |ticks, usd, on_demand_usd_per_h, group| Region {
        spot: vec![true; ticks],
        spot_usd_per_h: vec![usd; 12],
        on_demand_usd_per_h,
        group,
    };
    let there = Move { extra_s: 1_800.0, usd: traffic_usd };
    let moves = vec![vec![Move::default(), there], vec![there, Move::default()]];
    let regions = vec![region(2, 1.0, 10.0, 0), region(12, 2.0, 8.0, 1)];
    World { tick_s: 3_600.0, regions, moves, moves_take_time, probe_s: 60.0 }
}

fn job(deadline_h: f64, overhead_h: f64) -> Job {
    Job { task_s: 4.0 * 3_600.0, deadline_s: deadline_h * 3_600.0, overhead_s: overhead_h * 3_600.0 }
}

fn run(world: &World, deadline_h: f64, overhead_h: f64, strategy: Strategy) -> Moved {
    move_about(world, &job(deadline_h, overhead_h), strategy).unwrap()
}

/// Half an hour and an hour of work for $2 in the one, then 0.5, 1 and 1 h for $6 in the other, and $3 of traffic. A move
/// that takes half an hour more wants another hour.
#[test]
fn a_job_goes_where_spot_is() {
    let found = run(&world(3.0, false), 10.0, 0.5, Strategy::Failover);
    assert_eq!((found.usd, found.traffic_usd, found.last_tick_usd), (11.0, 3.0, 2.0));
    assert_eq!((found.moves, found.ticks), (1, 5));
    let slower = run(&world(3.0, true), 10.0, 0.5, Strategy::Failover);
    assert_eq!((slower.usd, slower.ticks), (13.0, 6));
}

/// The same, and one probe of the second region at submit; those of the first find nothing, and are free.
#[test]
fn a_probe_that_finds_spot_is_billed_for_a_minute() {
    let found = run(&world(3.0, false), 10.0, 0.5, Strategy::Probing);
    assert!((found.usd - 11.0 - 2.0 / 60.0).abs() < 1e-12, "{found:?}");
    // Hourly: at submit and after an hour.
    let found = run(&world(3.0, false), 10.0, 0.5, Strategy::Score);
    assert!((found.usd - 11.0 - 4.0 / 60.0).abs() < 1e-12, "{found:?}");
    assert!((found.probes_usd - 4.0 / 60.0).abs() < 1e-12);
}

/// Five hours are left and five are needed: On-Demand where it is cheapest, from the first tick to the last.
#[test]
fn the_net_takes_the_cheapest_on_demand() {
    for strategy in [Strategy::Failover, Strategy::Probing, Strategy::Score] {
        let found = run(&world(3.0, false), 5.0, 0.5, strategy);
        assert_eq!((found.usd, found.ticks), (40.0, 5));
    }
}

/// All four hours at $2 are $8; two at each are $6 and the traffic. Where the way takes half an hour, the plan counts a
/// whole one more, at $2.
#[test]
fn the_optimum_moves_only_where_it_pays() {
    for (traffic_usd, extra_s, usd) in [(3.0, 0.0, 8.0), (1.0, 0.0, 7.0), (1.0, 1_800.0, 8.0)] {
        let mut world = world(traffic_usd, false);
        for step in world.moves.iter_mut().flatten() {
            step.extra_s = extra_s;
        }
        assert_eq!(run(&world, 10.0, 0.0, Strategy::Optimum).usd, usd);
    }
}

/// Nothing that a policy does costs less than the least cost, where all of it comes in whole ticks.
#[test]
fn no_strategy_is_below_the_optimum() {
    for (traffic_usd, deadline_h) in [(0.0, 7.0), (0.5, 8.0), (2.0, 9.0), (5.0, 12.0)] {
        let world = world(traffic_usd, false);
        let least = run(&world, deadline_h, 1.0, Strategy::Optimum).usd;
        for strategy in [Strategy::Failover, Strategy::Probing, Strategy::Score] {
            let usd = run(&world, deadline_h, 1.0, strategy).usd;
            assert!(usd >= least - 1e-9, "{strategy:?}: {usd} < {least}");
        }
    }
}

/// Four hours, each billed at the price of the hour after it.
#[test]
fn a_job_that_stays_home_pays_the_price_of_the_next_tick() {
    let region = Region {
        spot: vec![true; 12],
        spot_usd_per_h: vec![1.0, 5.0, 1.0, 1.0, 1.0, 9.0],
        on_demand_usd_per_h: 10.0,
        group: 0,
    };
    assert_eq!(stay_home(&region, 3_600.0, &job(10.0, 0.0)), Some(8.0));
}
