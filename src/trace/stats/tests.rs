//! Figures derived by hand; the numbers of cases are those of the project's reference cases.

use super::*;
use crate::records::{Label, Stay, StayEnd, Stays};
use crate::units::Timestamp;

fn at(seconds: u64) -> Timestamp {
    "2026-03-02T00:00:00Z".parse::<Timestamp>().unwrap() + Span::from_s(seconds)
}

/// Seconds and nodes of each stretch.
fn capacity(counts: bool, stretches: &[(u64, u32)]) -> Capacity {
    let stretch = |&(s, nodes): &(u64, u32)| Stretch { span: Span::from_s(s), nodes: Some(nodes) };
    let stretches = stretches.iter().map(stretch).collect();
    Capacity { label: Label::default(), start: at(0), counts, stretches }
}

fn stats(capacity: &Capacity, gang: u32) -> ZoneStats {
    zone_stats(capacity, Some(Span::from_s(600)), false, gang)
}

fn near(value: Option<f64>, right: f64) -> bool {
    value.is_some_and(|value| (value - right).abs() < 1e-9)
}

/// Case 04: three uptimes whose end was seen, 12, 20 and 15 ticks, mean 9400 s; begin and end were seen of two.
#[test]
fn the_first_run_is_dropped_and_the_last_is_cut_off() {
    let ticks = [(12, 1), (3, 0), (20, 1), (5, 0), (15, 1), (1, 0), (4, 1)].map(|(n, up)| (n * 600, up));
    let zone = stats(&capacity(false, &ticks), 1);
    assert!(near(Some(zone.duration_h), 10.0) && near(zone.availability, 0.85));
    assert_eq!((zone.preemptions, zone.up.complete), (3, 2));
    assert!(near(zone.up.mean_h, 35.0 / 2.0 / 6.0) && near(zone.up.max_h, 20.0 / 6.0));
    assert!(near(zone.ended_up_h_mean, 9_400.0 / 3_600.0) && near(zone.cut_off_up_h, 2_400.0 / 3_600.0));
    assert!(near(zone.down.median_h, 0.5));
    let survival = zone.survival.unwrap();
    assert_eq!((survival.ended, survival.cut_off), (2, 1));
    assert!(near(Some(survival.steps[1].1), 0.5) && near(Some(survival.steps[2].1), 0.0));
}

#[test]
fn the_wrong_polarity_shows_in_the_availability_alone() {
    let wrong = [(12, 0), (3, 1), (20, 0), (5, 1), (15, 0), (1, 1), (4, 0)].map(|(n, up)| (n * 600, up));
    let zone = stats(&capacity(false, &wrong), 1);
    assert!(near(zone.availability, 0.15) && zone.preemptions == 3 && zone.mostly_down());
}

/// Case 05: 4 nodes, 3 from 3600 s, 4 from 4200 s, one replaced at 9000 s, 2 from 12600 s, 3 from 13200 s, 4 from 14400 s.
#[test]
fn a_group_of_nodes_is_counted_by_moments_and_by_gangs() {
    let stay = |node: &str, from: u64, to: u64, ended| Stay {
        node: node.to_owned(),
        zone: String::new(),
        from: at(from),
        span: Span::from_s(to - from),
        ended,
    };
    let (lost, cut) = (StayEnd::Lost, StayEnd::CutOff);
    let stays = vec![
        stay("a", 0, 3_600, lost),
        stay("b", 0, 9_000, lost),
        stay("c", 0, 12_600, lost),
        stay("d", 0, 12_600, lost),
        stay("e", 4_200, 18_000, cut),
        stay("f", 9_000, 18_000, cut),
        stay("g", 13_200, 18_000, cut),
        stay("h", 14_400, 18_000, cut),
    ];
    let found = stays_stats(&Stays { start: at(0), end: at(18_000), stays }, Some(4), None);
    assert!(near(Some(found.counts.node_h), 69_000.0 / 3_600.0));
    assert!(near(found.counts.mean, 69_000.0 / 18_000.0) && found.counts.min == Some(2));
    assert_eq!((found.counts.loss.nodes, found.counts.loss.moments), (4, 3));
    let gang = found.gang.unwrap();
    assert!(near(Some(gang.share), 15_600.0 / 18_000.0));
    assert_eq!(gang.hit, 3);
}

/// Case 06.
#[test]
fn counts_give_time_at_each_size_and_nodes_lost() {
    let levels = [(1_800, 6), (3_600, 4), (3_600, 6), (1_800, 2), (3_600, 6)];
    let counts = stats(&capacity(true, &levels), 1).counts.unwrap();
    assert!(near(counts.mean, 5.0) && near(Some(counts.node_h), 20.0));
    let least = |k: u32| counts.at_least.iter().find(|at| at.0 == k).map(|at| at.1);
    assert!(near(least(4), 0.875) && near(least(5), 0.625) && near(least(6), 0.625));
    assert_eq!((counts.loss.nodes, counts.loss.moments, counts.loss.max), (6, 2, 4));
}

/// Case 09.
#[test]
fn a_zone_that_is_always_up_has_no_mean_uptime() {
    let zone = stats(&capacity(false, &[(43_200, 1)]), 1);
    assert_eq!((zone.preemptions, zone.up.mean_h, zone.hours.range), (0, None, Some(0.0)));
    assert!(zone.constant() && near(Some(zone.looked_h), 12.0));
}

#[test]
fn a_hole_ends_a_run_and_begins_none() {
    let mut holed = capacity(false, &[(600, 0), (1_200, 1), (600, 1), (600, 1), (600, 0)]);
    holed.stretches[2].nodes = None;
    let zone = stats(&holed, 1);
    assert_eq!((zone.up.complete, zone.preemptions, zone.runs.len()), (0, 1, 4));
    assert!(near(zone.availability, 0.6));
}

/// Kaplan and Meier's way by hand: 1 · 2/3 at 1 h; one cut at 2 h; then 0 at 3 h.
#[test]
fn a_cut_time_leaves_the_risk_without_a_step() {
    let times = [(1, true), (2, false), (3, true)].map(|(h, ended)| (Span::from_s(h * 3_600), ended));
    let steps = kaplan_meier(times).unwrap().steps;
    assert_eq!(steps.len(), 3);
    assert!(near(Some(steps[1].1), 2.0 / 3.0) && near(Some(steps[2].1), 0.0));
    assert_eq!(kaplan_meier([]), None);
}

#[test]
fn opposite_zones_have_a_correlation_of_minus_one() {
    let up = stats(&capacity(false, &[(600, 1), (600, 0)]), 1);
    let down = stats(&capacity(false, &[(600, 0), (600, 1)]), 1);
    let named = |mut zone: ZoneStats, name: &str| {
        zone.label.zone = name.to_owned();
        zone
    };
    let found =
        correlations(&[named(up.clone(), "us-east-1a"), named(down, "us-east-1b"), named(up, "eu-1a")]);
    assert!(near(found[0].same_region, -1.0) && near(found[0].other_region, 1.0));
    assert_eq!(found[2].same_region, None);
}

/// Up from 12:00 to 24:00 each day: the first harmonic of a square wave of height 1 is 2/π.
#[test]
fn half_days_have_the_harmonic_of_a_square_wave() {
    let days = [(43_200, 0), (43_200, 1)].repeat(10);
    let hours = stats(&capacity(false, &days), 1).hours;
    assert!(near(hours.amplitude, 2.0 / std::f64::consts::PI));
    assert_eq!((hours.range, hours.peak_hour), (Some(1.0), Some(12)));
}
