//! The highest point of a smooth function of a few parameters, and how sharply it falls off there.

use super::least_squares::solve;

/// A highest point.
#[derive(Debug, Clone, PartialEq)]
pub struct Peak {
    /// Where it is.
    pub at: Vec<f64>,
    /// The function there.
    pub value: f64,
    /// Minus the second derivatives there. Of a log-likelihood: the observed information, whose inverse
    /// approximates the covariance of the estimates (B. Efron and D. V. Hinkley, Biometrika 65, 1978).
    pub information: Vec<Vec<f64>>,
}

/// Half step of a central difference. Parameters are logarithms or the like, so that their scale is 1;
/// the derivatives are then off by about a millionth.
const STEP: f64 = 1e-3;
/// No parameter moves further in one iteration.
const MOVE_MAX: f64 = 1.0;
/// The climb ends where the next step promises to gain less than this.
const GAIN_LAST: f64 = 1e-10;
/// And where none is gained although it promises more, as differences are not derivatives, what may be
/// missing: an estimate is then off by less than a twentieth of its standard deviation.
const GAIN_LOST: f64 = 1e-3;
const ITERATIONS_MAX: usize = 200;
const HALVINGS_MAX: usize = 30;

impl Peak {
    /// Climbs from `start` by Newton's method, with second derivatives by central differences, shifted to
    /// be definite where they are not, and steps halved until they gain. `None` where `f` is not finite at
    /// `start` or the climb comes to no definite peak.
    pub fn of(f: impl Fn(&[f64]) -> f64, start: &[f64]) -> Option<Self> {
        let mut at = start.to_vec();
        let mut value = f(&at);
        if !value.is_finite() {
            return None;
        }
        for _ in 0..ITERATIONS_MAX {
            let (slope, information) = derivatives(&f, &at, value)?;
            let step = uphill(&information, &slope)?;
            let gain: f64 = 0.5 * step.iter().zip(&slope).map(|(a, b)| a * b).sum::<f64>();
            if gain < GAIN_LAST {
                return Self { at, value, information }.definite();
            }
            let largest = step.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
            let mut share = if largest > MOVE_MAX { MOVE_MAX / largest } else { 1.0 };
            let mut next = None;
            for _ in 0..HALVINGS_MAX {
                let there: Vec<f64> = at.iter().zip(&step).map(|(x, dx)| x + share * dx).collect();
                let higher = f(&there);
                if higher > value {
                    next = Some((there, higher));
                    break;
                }
                share *= 0.5;
            }
            match next {
                Some(found) => (at, value) = found,
                None if gain < GAIN_LOST => return Self { at, value, information }.definite(),
                None => return None,
            }
        }
        None
    }

    /// Covariance of the estimates: the inverse of [`Self::information`].
    pub fn covariance(&self) -> Option<Vec<Vec<f64>>> {
        let n = self.at.len();
        (0..n)
            .map(|column| {
                let unit = (0..n).map(|row| if row == column { 1.0 } else { 0.0 }).collect();
                solve(self.information.clone(), unit)
            })
            .collect()
    }

    fn definite(self) -> Option<Self> {
        self.covariance().is_some().then_some(self)
    }
}

/// Gradient and minus the second derivatives; `None` where a neighbour is not finite.
fn derivatives(f: &impl Fn(&[f64]) -> f64, at: &[f64], value: f64) -> Option<(Vec<f64>, Vec<Vec<f64>>)> {
    let n = at.len();
    let mut point = at.to_vec();
    let mut slope = vec![0.0; n];
    let mut information = vec![vec![0.0; n]; n];
    let mut sides = vec![(0.0, 0.0); n];
    for i in 0..n {
        point[i] = at[i] + STEP;
        let above = f(&point);
        point[i] = at[i] - STEP;
        let below = f(&point);
        point[i] = at[i];
        sides[i] = (above, below);
        slope[i] = (above - below) / (2.0 * STEP);
        information[i][i] = (2.0 * value - above - below) / (STEP * STEP);
    }
    for i in 0..n {
        for j in 0..i {
            // Two corners are enough, beside the points already known (Abramowitz and Stegun 25.3.27).
            point[i] = at[i] + STEP;
            point[j] = at[j] + STEP;
            let above = f(&point);
            point[i] = at[i] - STEP;
            point[j] = at[j] - STEP;
            let below = f(&point);
            point[i] = at[i];
            point[j] = at[j];
            let edges = sides[i].0 + sides[i].1 + sides[j].0 + sides[j].1;
            let mixed = (above + below + 2.0 * value - edges) / (2.0 * STEP * STEP);
            information[i][j] = -mixed;
            information[j][i] = -mixed;
        }
    }
    let is_finite = slope.iter().chain(information.iter().flatten()).all(|x| x.is_finite());
    is_finite.then_some((slope, information))
}

/// Newton's step, or between it and the steepest ascent where the function does not bend down.
fn uphill(information: &[Vec<f64>], slope: &[f64]) -> Option<Vec<f64>> {
    let size = information.iter().flatten().fold(1e-6, |size: f64, x| size.max(x.abs()));
    let mut shift = 0.0;
    for _ in 0..12 {
        let mut matrix = information.to_vec();
        for (i, row) in matrix.iter_mut().enumerate() {
            row[i] += shift;
        }
        if let Some(step) = solve(matrix, slope.to_vec()) {
            return Some(step);
        }
        shift = if shift == 0.0 { 1e-4 * size } else { 4.0 * shift };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The function of Rosenbrock (1960), turned over: highest at (1, 1), where minus its second
    /// derivatives are 802, -400, 200 by hand.
    #[test]
    fn the_top_of_a_bent_ridge_is_found() {
        let ridge = |x: &[f64]| {
            let (along, across) = (1.0 - x[0], x[1] - x[0] * x[0]);
            -(along * along + 100.0 * across * across)
        };
        let peak = Peak::of(ridge, &[-1.2, 1.0]).unwrap();
        assert!(peak.at.iter().all(|x| (x - 1.0).abs() < 2e-3), "{peak:?}");
        for (row, right) in peak.information.iter().zip([[802.0, -400.0], [-400.0, 200.0]]) {
            for (ours, right) in row.iter().zip(right) {
                assert!((ours - right).abs() < 0.5, "{peak:?}");
            }
        }
    }

    #[test]
    fn a_slope_without_a_top_has_no_peak() {
        assert_eq!(Peak::of(|x: &[f64]| x[0], &[0.0]), None);
        assert_eq!(Peak::of(|_: &[f64]| f64::NAN, &[0.0]), None);
    }
}
