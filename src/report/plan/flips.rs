//! Where the answer flips, in sentences.

use super::{name, number};
use crate::experiment::plan::{Chosen, RateFlip, RateFlips};
use crate::scenario::load::Scenario;

/// A sentence for the Spot price and one for the rate of interruption.
pub(super) fn sentences(scenario: &Scenario, chosen: &Chosen) -> Vec<String> {
    let mut told = Vec::new();
    if chosen.best.is_none() {
        return told;
    }
    for flip in &chosen.price_flips {
        told.push(format!(
            "at {} times the present Spot prices {} is as cheap (on the same replications: a bill is a line in \
             the Spot price)",
            number::with_interval(&flip.factor, 2),
            name(scenario, flip.candidate)
        ));
    }
    if scenario.clusters.iter().any(|cluster| cluster.plan.max_price.is_some()) {
        told.push(
            "for other Spot prices nothing can be told: a candidate's maximum price looks at them".to_owned(),
        );
    } else if chosen.price_flips.is_empty() {
        told.push("at no Spot price does another candidate that meets the deadline cost less".to_owned());
    }
    match chosen.rate_flips {
        Some(RateFlips::Found { fewer, more }) => {
            let flips = [fewer, more].into_iter().flatten();
            told.extend(flips.map(|flip| rate(scenario, flip)));
            if fewer.is_none() && more.is_none() {
                told.push("with 1/16 to 16 times as many interruptions the choice stays".to_owned());
            }
        }
        Some(RateFlips::Undefined(index, why)) => told.push(format!(
            "for other rates of interruption nothing can be told ({}: {why})",
            name(scenario, index)
        )),
        Some(RateFlips::Tied) => {
            told.push(
                "for the rate of interruption the candidates are too near one another to tell".to_owned(),
            );
        }
        Some(RateFlips::Stopped) | None => {}
    }
    told
}

fn rate(scenario: &Scenario, flip: RateFlip) -> String {
    let factor = number::fixed(flip.factor, 2);
    match flip.candidate {
        Some(index) => format!(
            "with about {factor} times as many interruptions {} becomes the choice (simulated anew)",
            name(scenario, index)
        ),
        None => format!(
            "with about {factor} times as many interruptions no candidate meets the deadline any more"
        ),
    }
}
