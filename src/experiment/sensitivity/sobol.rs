//! Sobol' indices: shares of a result's variance that inputs make alone, with others, and in pairs.

use super::Estimate;
use super::bootstrap::margins;
use crate::rng::{Source, Streams};
use crate::stats::points::SobolSequence;

/// Saltelli's design: for each of `base` points of twice as many dimensions as there are inputs, its first half A, A
/// with one input from its second half B in turn (AB_1 … AB_k), with `second_order` also B with one input from A
/// (BA_1 … BA_k), and B.
///
/// Source: A. Saltelli (2002), Comput. Phys. Commun. 145, 280-297, and Saltelli et al. (2010), 181, 259-270.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SobolDesign {
    /// Inputs, at least one.
    pub inputs: usize,
    /// Base points; a power of two keeps the balance of the sequence.
    pub base: usize,
    /// Whether pairs are wanted too, at nearly twice the price.
    pub second_order: bool,
}

/// Indices of every input, and of every pair where the design has them.
#[derive(Debug, Clone, PartialEq)]
pub struct Indices {
    /// S1: what fixing the input would take off the variance.
    pub first: Vec<Estimate>,
    /// ST: what would be left if all but the input were fixed.
    pub total: Vec<Estimate>,
    /// S2 in the order of [`pairs`]: what two inputs make together beyond what each makes alone.
    pub second: Vec<Estimate>,
}

/// The pairs of so many inputs: (0, 1), (0, 2), …, (1, 2), ….
pub fn pairs(inputs: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..inputs).flat_map(move |j| (j + 1..inputs).map(move |k| (j, k)))
}

impl SobolDesign {
    /// Points for each base point.
    pub const fn block(&self) -> usize {
        if self.second_order { 2 * self.inputs + 2 } else { self.inputs + 2 }
    }

    /// Points in all.
    pub const fn points(&self) -> usize {
        self.base * self.block()
    }

    /// The points on the unit cube, over the scrambled Sobol' sequence of the seed; `None` for more inputs than the
    /// sequence has dimensions for.
    pub fn scrambled(&self, seed: u64) -> Option<Vec<Vec<f64>>> {
        let sequence = SobolSequence::new(2 * self.inputs)?;
        let key = Streams::new(seed).stream(Source::Scramble, 0, 0, 0).bits();
        Some(self.over(|number| sequence.scrambled(number, key)))
    }

    /// The points over any sequence of twice as many dimensions as there are inputs.
    pub fn over(&self, sequence: impl Fn(u64) -> Vec<f64>) -> Vec<Vec<f64>> {
        (0..self.base as u64).flat_map(|number| self.points_of(&sequence(number))).collect()
    }

    fn points_of(&self, base: &[f64]) -> Vec<Vec<f64>> {
        let (a, b) = base.split_at(self.inputs);
        let with = |of: &[f64], other: &[f64], input: usize| {
            let mut point = of.to_vec();
            point[input] = other[input];
            point
        };
        let mut points = vec![a.to_vec()];
        points.extend((0..self.inputs).map(|input| with(a, b, input)));
        if self.second_order {
            points.extend((0..self.inputs).map(|input| with(b, a, input)));
        }
        points.push(b.to_vec());
        points
    }

    /// The indices from one output for each point, with margins from base points drawn again by `seed`. Of a
    /// constant output all are 0. `None` unless there are as many outputs as points, at least one block.
    ///
    /// Estimators as in SALib 1.6.0 (MIT): outputs are standardised; S1 = mean(B (AB_j - A))/V, ST = mean((A - AB_j)²)
    /// /2V, S2 = mean(BA_j AB_k - A B)/V - S1_j - S1_k, V the variance of A and B together (divisor n).
    pub fn indices(&self, outputs: &[f64], seed: u64) -> Option<Indices> {
        if outputs.len() != self.points() || outputs.is_empty() {
            return None;
        }
        let outputs = standardised(outputs);
        let all: Vec<usize> = (0..self.base).collect();
        let values = self.figures(&outputs, &all);
        let margins = margins(self.base, seed, |chosen| self.figures(&outputs, chosen));
        let estimates: Vec<Estimate> =
            values.iter().zip(margins).map(|(&value, margin)| Estimate { value, margin }).collect();
        let (first, rest) = estimates.split_at(self.inputs);
        let (total, second) = rest.split_at(self.inputs);
        Some(Indices { first: first.to_vec(), total: total.to_vec(), second: second.to_vec() })
    }

    /// S1 of every input, ST of every input, S2 of every pair, over the chosen base points.
    fn figures(&self, outputs: &[f64], chosen: &[usize]) -> Vec<f64> {
        let (k, block, count) = (self.inputs, self.block(), chosen.len() as f64);
        let at = |base: usize, place: usize| outputs[base * block + place];
        let mean = |f: &dyn Fn(usize) -> f64| chosen.iter().map(|&base| f(base)).sum::<f64>() / count;
        let (a, b) = (|base| at(base, 0), |base| at(base, block - 1));
        let centre = mean(&|base| 0.5 * (a(base) + b(base)));
        let variance = mean(&|base| 0.5 * ((a(base) - centre).powi(2) + (b(base) - centre).powi(2)));
        let share = |part: f64| if variance > 0.0 { part / variance } else { 0.0 };
        let ab = |base, input: usize| at(base, 1 + input);
        let ba = |base, input: usize| at(base, 1 + k + input);
        let first: Vec<f64> =
            (0..k).map(|j| share(mean(&|base| b(base) * (ab(base, j) - a(base))))).collect();
        let total = (0..k).map(|j| share(0.5 * mean(&|base| (a(base) - ab(base, j)).powi(2))));
        let pairs = pairs(if self.second_order { k } else { 0 });
        let second = pairs.map(|(i, j)| {
            let both = mean(&|base| ba(base, i) * ab(base, j) - a(base) * b(base));
            share(both) - first[i] - first[j]
        });
        first.iter().copied().chain(total).chain(second).collect()
    }
}

/// Less their mean, over their standard deviation with divisor n; zeros where all are equal.
fn standardised(outputs: &[f64]) -> Vec<f64> {
    let (least, most) =
        outputs.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, m), &y| (l.min(y), m.max(y)));
    if least == most {
        return vec![0.0; outputs.len()];
    }
    let count = outputs.len() as f64;
    let mean = outputs.iter().sum::<f64>() / count;
    let sd = (outputs.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>() / count).sqrt();
    outputs.iter().map(|y| (y - mean) / sd).collect()
}

#[cfg(test)]
mod unit {
    use super::*;

    /// One base point (a, b) = ((1, 2), (3, 4)) by hand.
    #[test]
    fn a_block_takes_one_input_at_a_time_from_the_other_half() {
        let design = SobolDesign { inputs: 2, base: 1, second_order: true };
        let right = [[1.0, 2.0], [3.0, 2.0], [1.0, 4.0], [1.0, 4.0], [3.0, 2.0], [3.0, 4.0]];
        assert_eq!(design.over(|_| vec![1.0, 2.0, 3.0, 4.0]), right);
        assert_eq!(SobolDesign { second_order: false, ..design }.points(), 4);
    }

    #[test]
    fn a_constant_output_hangs_on_nothing() {
        let design = SobolDesign { inputs: 2, base: 4, second_order: true };
        let indices = design.indices(&[0.1; 24], 0).unwrap();
        let nothing = Estimate { value: 0.0, margin: 0.0 };
        assert_eq!(indices.first, [nothing; 2]);
        assert_eq!(indices.total, [nothing; 2]);
        assert_eq!(indices.second, [nothing]);
        assert_eq!(design.indices(&[0.0; 23], 0), None);
    }
}
