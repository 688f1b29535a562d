//! Morris' elementary effects: which inputs matter at all, at the price of few points.

use super::Estimate;
use super::bootstrap::{margins, sd};
use crate::rng::{Source, Streams};
use crate::stats::points::{Trajectory, level_step};

/// What one input does, in units of the result over the input's whole range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effects {
    /// Mean effect: near 0 where ups and downs cancel.
    pub mean: f64,
    /// Mean size of the effect, by which inputs are ranked.
    pub mean_size: Estimate,
    /// Standard deviation of the effect (n - 1): how much it hangs on where the other inputs stand.
    pub sd: f64,
}

/// So many random trajectories over `levels` levels; an even number of them, from 2.
pub fn morris_design(inputs: usize, trajectories: usize, levels: usize, seed: u64) -> Vec<Trajectory> {
    (0..trajectories as u64)
        .map(|number| {
            let mut stream = Streams::new(seed).stream(Source::Points, 1, number, 0);
            Trajectory::draw(inputs, levels, &mut || stream.bits())
        })
        .collect()
}

/// Effects of every input from one output for each point of each trajectory, in their order, with margins from
/// trajectories drawn again by `seed`. `None` unless there are as many outputs as points, of at least one trajectory.
///
/// An effect is (y(x + Δ e_i) - y(x))/Δ on the unit cube, Δ = p/(2(p - 1)). Source: M. D. Morris (1991), Technometrics
/// 33, 161-174; the size: F. Campolongo et al. (2007), Environ. Modell. Softw. 22, 1509-1518.
pub fn morris_effects(
    design: &[Trajectory],
    levels: usize,
    outputs: &[f64],
    seed: u64,
) -> Option<Vec<Effects>> {
    let inputs = design.first()?.moves.len();
    if outputs.len() != design.len() * (inputs + 1) {
        return None;
    }
    let step = level_step(levels);
    let walks = design.iter().zip(outputs.chunks(inputs + 1));
    // By trajectory, then by input.
    let effects: Vec<Vec<f64>> = walks
        .map(|(walk, outputs)| {
            let mut effects = vec![0.0; inputs];
            for (at, &input) in walk.moves.iter().enumerate() {
                let up = (walk.points[at + 1][input] - walk.points[at][input]).signum();
                effects[input] = up * (outputs[at + 1] - outputs[at]) / step;
            }
            effects
        })
        .collect();
    let count = effects.len() as f64;
    let sizes = |chosen: &[usize]| -> Vec<f64> {
        (0..inputs)
            .map(|input| chosen.iter().map(|&walk| effects[walk][input].abs()).sum::<f64>() / count)
            .collect()
    };
    let all: Vec<usize> = (0..effects.len()).collect();
    let margins = margins(effects.len(), seed, sizes);
    let estimates = sizes(&all).into_iter().zip(margins).enumerate();
    Some(
        estimates
            .map(|(input, (value, margin))| Effects {
                mean: effects.iter().map(|walk| walk[input]).sum::<f64>() / count,
                mean_size: Estimate { value, margin },
                sd: sd(effects.iter().map(|walk| walk[input])),
            })
            .collect(),
    )
}
