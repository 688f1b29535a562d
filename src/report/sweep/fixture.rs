//! Sweeps made up for tests: figures by simple rules, so that the best is known.

use super::SweepView;
use crate::experiment::sweep::{Found, SweepRows};
use crate::scenario::plan::Market;
use std::sync::LazyLock;

static MARKETS: LazyLock<Vec<(String, Market)>> =
    LazyLock::new(|| vec![("Spot".to_owned(), Market::Spot), ("On-Demand".to_owned(), Market::OnDemand)]);

/// Columns behind `status`.
const FIGURES: &str = "replications,finish_probability,deadline_probability,cost_per_finished_usd,\
    cost_per_finished_usd_ci_low,cost_per_finished_usd_ci_high,makespan_h_mean,makespan_h_ci_low,makespan_h_ci_high";

pub(in crate::report) fn view<'a>(rows: &'a SweepRows, found: &'a Found) -> SweepView<'a> {
    let title = "Which of them?";
    SweepView { name: "f", title, seed: 7, rows, found, markets: &MARKETS, calibrations: &[] }
}

fn figures(cost: f64, time: f64) -> String {
    let ends = |of: f64| format!("{of},{},{}", of * 0.98, of * 1.02);
    format!("1000,1,0.97,{},{}", ends(cost), ends(time))
}

/// Nodes 1 to 8 by six intervals; the cheapest at 2 nodes and 30 min, $13; one invalid, one infeasible column.
pub(in crate::report) fn grid() -> SweepRows {
    let mut text = format!("configuration,cluster.Spot.nodes,checkpoint.every,cluster,status,{FIGURES}\n");
    let mut number = 0;
    for nodes in [1.0_f64, 2.0, 4.0, 8.0] {
        for every in [5.0_f64, 10.0, 15.0, 30.0, 60.0, 120.0] {
            let start = format!("{number},{nodes},{every} min");
            number += 1;
            if nodes == 8.0 && every == 5.0 {
                text += &format!("{start},,invalid,,,,,,,,,\n");
                continue;
            }
            let off = libm::log2(nodes / 2.0).abs() + libm::log2(every / 30.0).abs();
            let spot = if nodes == 1.0 && every > 60.0 {
                "infeasible,,,,,,,,,".to_owned()
            } else {
                format!("simulated,{}", figures(13.0 * (1.0 + 0.2 * off), 20.0 / nodes + every / 120.0))
            };
            text += &format!("{start},Spot,{spot}\n");
            text += &format!("{start},On-Demand,simulated,{}\n", figures(40.0, 4.0));
        }
    }
    SweepRows::read(text.as_bytes()).expect("it is as it should be")
}

/// Mean uptime from half an hour to two days against a steady baseline.
pub(in crate::report) fn line() -> SweepRows {
    let mut text = format!("configuration,capacity.renewal.uptime,cluster,status,{FIGURES}\n");
    for (number, hours) in [0.5_f64, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 48.0].into_iter().enumerate() {
        let (cost, time) = (12.0 + 9.0 / hours, 9.0 + 11.0 / hours);
        text += &format!("{number},{hours} h,Spot,simulated,{}\n", figures(cost, time));
        text += &format!("{number},{hours} h,On-Demand,simulated,{}\n", figures(20.0, 8.0));
    }
    SweepRows::read(text.as_bytes()).expect("it is as it should be")
}

/// Two hundred points in three keys, one of them words, none a grid.
pub(in crate::report) fn sampled() -> SweepRows {
    let mut text =
        format!("configuration,capacity.uptime,start.restore,pricing.rule,cluster,status,{FIGURES}\n");
    for number in 0..200_u32 {
        let turn = |step: f64| (f64::from(number) * step).fract();
        let (a, b) = (turn(0.618_033_988_7), turn(0.754_877_666_2));
        let rule = ["ec2", "flat", "gcp"][number as usize % 3];
        let (uptime, restore) = (1.0 + 23.0 * a, 1.0 + 19.0 * b);
        let cost = 10.0 + 20.0 / uptime + 0.2 * restore + f64::from(number % 3);
        let time = 6.0 + 3.0 / uptime + restore / 10.0 * a;
        let start = format!("{number},{uptime} h,{restore} min,{rule}");
        text += &format!("{start},Spot,simulated,{}\n", figures(cost, time));
        text += &format!("{start},On-Demand,simulated,{}\n", figures(32.0, 6.5));
    }
    SweepRows::read(text.as_bytes()).expect("it is as it should be")
}
