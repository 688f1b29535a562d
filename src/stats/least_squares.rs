//! Least squares of a few parameters, with rows far off counting less.

/// A sum of squares to be made small.
pub trait LeastSquares {
    /// How many residuals there are.
    fn rows(&self) -> usize;

    /// Residual `row` at `parameters`, over its standard deviation.
    fn residual(&self, row: usize, parameters: &[f64]) -> f64;

    /// Whether residual `row` depends on parameter `column`: what does not is not evaluated.
    fn depends(&self, row: usize, column: usize) -> bool;

    /// Whether a large residual `row` is likely a row unlike the others, and then counts by its size
    /// instead of its square.
    fn is_robust(&self, row: usize) -> bool;
}

/// Step of a parameter for a derivative; residuals are smooth on the scale of a ten-thousandth.
const DERIVATIVE_STEP: f64 = 1e-4;
/// No parameter moves further in one iteration: a factor of two, where parameters are logarithms.
const MOVE_MAX: f64 = 0.7;
const MOVE_LAST: f64 = 1e-5;
/// Least share of a diagonal that must be left after its column's combination with the columns before.
const DEFINITE: f64 = 1e-9;
const ITERATIONS_MAX: usize = 60;

/// The parameters with the least sum, from `start`, by Gauss-Newton with Huber's weights (P. J. Huber,
/// Robust Estimation of a Location Parameter, Ann. Math. Statist. 35, 1964): a robust residual above one
/// standard deviation counts with its size. `None` where the residuals do not determine every parameter.
pub fn least_squares(problem: &impl LeastSquares, start: &[f64]) -> Option<Vec<f64>> {
    let mut parameters = start.to_vec();
    for _ in 0..ITERATIONS_MAX {
        let (matrix, right) = normal_equations(problem, &mut parameters);
        let step = solve(matrix, right)?;
        let largest = step.iter().fold(0.0, |largest: f64, move_| largest.max(move_.abs()));
        let share = if largest > MOVE_MAX { MOVE_MAX / largest } else { 1.0 };
        for (parameter, move_) in parameters.iter_mut().zip(&step) {
            *parameter += share * move_;
        }
        if largest < MOVE_LAST {
            break;
        }
    }
    Some(parameters)
}

/// Jᵀ W J and -Jᵀ W r.
fn normal_equations(problem: &impl LeastSquares, parameters: &mut [f64]) -> (Vec<Vec<f64>>, Vec<f64>) {
    let columns = parameters.len();
    let mut matrix = vec![vec![0.0; columns]; columns];
    let mut right = vec![0.0; columns];
    for row in 0..problem.rows() {
        let residual = problem.residual(row, parameters);
        let weight = if problem.is_robust(row) { 1.0 / residual.abs().max(1.0) } else { 1.0 };
        let mut slopes = Vec::new();
        for column in (0..columns).filter(|column| problem.depends(row, *column)) {
            let here = parameters[column];
            parameters[column] = here + DERIVATIVE_STEP;
            slopes.push((column, (problem.residual(row, parameters) - residual) / DERIVATIVE_STEP));
            parameters[column] = here;
        }
        for (i, a) in &slopes {
            right[*i] -= weight * a * residual;
            for (j, b) in &slopes {
                matrix[*i][*j] += weight * a * b;
            }
        }
    }
    (matrix, right)
}

/// Solves a symmetric, positive definite system by Cholesky's decomposition; `None` if it is not definite.
pub(super) fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let n = right.len();
    for j in 0..n {
        for i in j..n {
            let dot: f64 = (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum();
            let rest = matrix[i][j] - dot;
            if i == j && rest <= DEFINITE * matrix[i][i].abs() {
                return None;
            }
            matrix[i][j] = if i == j { rest.sqrt() } else { rest / matrix[j][j] };
        }
    }
    for i in 0..n {
        let dot: f64 = (0..i).map(|k| matrix[i][k] * right[k]).sum();
        right[i] = (right[i] - dot) / matrix[i][i];
    }
    for i in (0..n).rev() {
        let dot: f64 = (i + 1..n).map(|k| matrix[k][i] * right[k]).sum();
        right[i] = (right[i] - dot) / matrix[i][i];
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// y = a + b x through points, the last of which may be far off.
    struct Line(Vec<(f64, f64)>);

    impl LeastSquares for Line {
        fn rows(&self) -> usize {
            self.0.len()
        }

        fn residual(&self, row: usize, parameters: &[f64]) -> f64 {
            let (x, y) = self.0[row];
            parameters[0] + parameters[1] * x - y
        }

        fn depends(&self, _: usize, _: usize) -> bool {
            true
        }

        fn is_robust(&self, _: usize) -> bool {
            true
        }
    }

    /// Textbook regression by hand: points (0, 0.1), (1, 0.9), (2, 2.1), (3, 2.9) give 0.06 + 0.96 x.
    #[test]
    fn a_line_through_four_points_is_the_regression_line() {
        let line = Line(vec![(0.0, 0.1), (1.0, 0.9), (2.0, 2.1), (3.0, 2.9)]);
        let found = least_squares(&line, &[0.0, 0.0]).unwrap();
        assert!((found[0] - 0.06).abs() < 1e-9 && (found[1] - 0.96).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn a_point_far_off_pulls_by_one_standard_deviation() {
        let on_line = |x: f64| (x, 2.0 * x);
        let mut points: Vec<_> = (0..20).map(|i| on_line(f64::from(i))).collect();
        points.push((10.0, 1e6));
        let found = least_squares(&Line(points), &[0.0, 0.0]).unwrap();
        assert!((found[1] - 2.0).abs() < 0.01 && found[0].abs() < 0.1, "{found:?}");
    }

    #[test]
    fn parameters_that_no_row_tells_apart_are_refused() {
        assert_eq!(least_squares(&Line(vec![(1.0, 1.0)]), &[0.0, 0.0]), None);
    }
}
