//! Least squares by steps, where each step solves a symmetric system.

/// Steps at most; a fit takes 10 to 40.
const STEPS_MAX: usize = 80;
/// Tries of ever shorter steps.
const TRIES_MAX: usize = 10;
/// A step that lowers the cost by less than this share of it is the last.
const SETTLED: f64 = 1e-9;

/// What a point costs, and the parts of the quadratic that touches the cost there.
#[derive(Debug, Clone)]
pub(super) struct Quadratic {
    pub cost: f64,
    /// Half the gradient.
    pub gradient: Vec<f64>,
    /// Half the (Gauss-Newton) second derivatives, row by row; positive definite.
    pub curvature: Vec<f64>,
}

impl Quadratic {
    pub(super) fn zero(unknowns: usize) -> Self {
        Self { cost: 0.0, gradient: vec![0.0; unknowns], curvature: vec![0.0; unknowns * unknowns] }
    }
}

/// The point of least cost near `start`. K. Levenberg (1944), D. Marquardt (1963): steps between steepest descent and
/// Gauss-Newton, as long as the cost falls.
pub(super) fn least(start: Vec<f64>, quadratic: impl Fn(&[f64]) -> Quadratic) -> Vec<f64> {
    let mut at = start;
    let mut here = quadratic(&at);
    let mut damping = 1e-2;
    for _ in 0..STEPS_MAX {
        let mut next = None;
        for _ in 0..TRIES_MAX {
            let step = damped_step(&here, damping);
            let there: Vec<f64> = at.iter().zip(&step).map(|(at, step)| at - step).collect();
            let found = quadratic(&there);
            if found.cost < here.cost {
                next = Some((there, found));
                break;
            }
            damping *= 4.0;
        }
        let Some((there, found)) = next else { break };
        let settled = here.cost - found.cost < SETTLED * here.cost;
        (at, here) = (there, found);
        damping = (damping / 4.0).max(1e-6);
        if settled {
            break;
        }
    }
    at
}

/// Solves `(curvature + damping × its diagonal) step = gradient` by Cholesky's decomposition.
fn damped_step(quadratic: &Quadratic, damping: f64) -> Vec<f64> {
    let n = quadratic.gradient.len();
    let mut lower = quadratic.curvature.clone();
    for i in 0..n {
        lower[i * n + i] *= 1.0 + damping;
    }
    for column in 0..n {
        for row in column..n {
            let known: f64 = (0..column).map(|k| lower[row * n + k] * lower[column * n + k]).sum();
            let rest = lower[row * n + column] - known;
            lower[row * n + column] =
                if row == column { rest.sqrt() } else { rest / lower[column * n + column] };
        }
    }
    let mut step = quadratic.gradient.clone();
    for i in 0..n {
        let known: f64 = (0..i).map(|k| lower[i * n + k] * step[k]).sum();
        step[i] = (step[i] - known) / lower[i * n + i];
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|k| lower[k * n + i] * step[k]).sum();
        step[i] = (step[i] - known) / lower[i * n + i];
    }
    step
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H. Rosenbrock (1960): 100 (y − x²)² + (1 − x)², least at (1, 1).
    #[test]
    fn the_bottom_of_rosenbrocks_valley_is_found() {
        let valley = |at: &[f64]| {
            let (r, s) = (10.0 * (at[1] - at[0] * at[0]), 1.0 - at[0]);
            let (rx, ry, sx) = (-20.0 * at[0], 10.0, -1.0);
            Quadratic {
                cost: r * r + s * s,
                gradient: vec![rx * r + sx * s, ry * r],
                curvature: vec![rx * rx + sx * sx, rx * ry, rx * ry, ry * ry],
            }
        };
        let found = least(vec![-1.2, 1.0], valley);
        assert!((found[0] - 1.0).abs() < 1e-6 && (found[1] - 1.0).abs() < 1e-6, "{found:?}");
    }
}
