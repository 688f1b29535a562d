//! Trajectories of Morris: one input moves at a time.

use super::latin_hypercube::shuffle;
use super::{Words, below};

/// How far one step goes on the unit cube between `levels` levels: p/(2(p - 1)). `levels` is even, from 2.
pub fn level_step(levels: usize) -> f64 {
    levels as f64 / (2 * (levels - 1)) as f64
}

/// A walk over the grid {0, 1/(p-1), …, 1} in each dimension that moves every input once, up or down by
/// [`level_step`].
///
/// Source: M. D. Morris (1991), Technometrics 33, 161-174.
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectory {
    /// One point more than there are inputs.
    pub points: Vec<Vec<f64>>,
    /// Which input moves from each point to the next.
    pub moves: Vec<usize>,
}

impl Trajectory {
    /// A random one: where it begins, which way each input moves and in which order. `levels` is even, from 2: then
    /// every level is met as often.
    pub fn draw(dimensions: usize, levels: usize, words: Words<'_>) -> Self {
        debug_assert!(levels >= 2 && levels.is_multiple_of(2), "{levels} levels");
        let (half, last) = (levels / 2, (levels - 1) as f64);
        // From a level of the lower half to the one half of them higher, or back.
        let ends: Vec<(f64, f64)> = (0..dimensions)
            .map(|_| {
                let low = below(half, words());
                let (low, high) = (low as f64 / last, (low + half) as f64 / last);
                if words() >> 63 == 0 { (low, high) } else { (high, low) }
            })
            .collect();
        let mut moves: Vec<usize> = (0..dimensions).collect();
        shuffle(&mut moves, words);
        let mut at: Vec<f64> = ends.iter().map(|&(from, _)| from).collect();
        let mut points = vec![at.clone()];
        for &input in &moves {
            at[input] = ends[input].1;
            points.push(at.clone());
        }
        Self { points, moves }
    }
}

#[cfg(test)]
mod tests {
    use super::super::words;
    use super::*;

    #[test]
    fn each_input_moves_once_by_one_step_on_the_grid() {
        let mut word = words(1);
        for (dimensions, levels) in [(1, 2), (3, 4), (8, 8)] {
            for _ in 0..50 {
                let walk = Trajectory::draw(dimensions, levels, &mut word);
                let mut moved = walk.moves.clone();
                moved.sort_unstable();
                assert!(moved.into_iter().eq(0..dimensions));
                for (step, &input) in walk.moves.iter().enumerate() {
                    for i in 0..dimensions {
                        let change = (walk.points[step + 1][i] - walk.points[step][i]).abs();
                        let right = if i == input { level_step(levels) } else { 0.0 };
                        assert!((change - right).abs() < 1e-15);
                    }
                }
                let at = walk.points.iter().flatten().map(|u| u * (levels - 1) as f64);
                assert!(at.clone().all(|level| (level - level.round()).abs() < 1e-12));
            }
        }
    }

    /// 4,000 starts over four levels: χ² with 3 degrees of freedom is below 16.3 but once in 1,000.
    #[test]
    fn every_level_is_as_likely() {
        let mut word = words(2);
        let mut counts = [0.0_f64; 4];
        for _ in 0..4_000 {
            let walk = Trajectory::draw(1, 4, &mut word);
            counts[(walk.points[0][0] * 3.0).round() as usize] += 1.0;
        }
        let chi_squared: f64 = counts.iter().map(|n| (n - 1_000.0).powi(2) / 1_000.0).sum();
        assert!(chi_squared < 16.3, "{counts:?}");
    }
}
