//! Roots of monotone functions.

/// Steps that even halving a bracket of doubles cannot need.
const STEPS_MAX: usize = 2_200;
/// Newton's method squares its relative error, so a step this small leaves nothing to correct.
const STEP_LAST: f64 = 1e-9;

/// Where a rising function passes zero between `low` and `high`, to about the precision of its values.
///
/// `f` gives value and slope. Newton's step is taken where it stays inside the bracket and is at most
/// half the step before, else the middle of the bracket. Where `f` has no zero inside, what is returned
/// is within a rounding of the nearer end.
pub fn rising_root(low: f64, high: f64, start: f64, f: impl Fn(f64) -> (f64, f64)) -> f64 {
    let (mut low, mut high) = (low, high);
    let mut x = start.clamp(low, high);
    let mut step = high - low;
    for _ in 0..STEPS_MAX {
        let (value, slope) = f(x);
        if value == 0.0 {
            return x;
        }
        if value < 0.0 {
            low = x;
        } else {
            high = x;
        }
        let newton = x - value / slope;
        let middle = low + 0.5 * (high - low);
        let is_newton = newton > low && newton < high && (newton - x).abs() <= 0.5 * step;
        let next = if is_newton { newton } else { middle };
        step = (next - x).abs();
        let tolerance = if is_newton { STEP_LAST } else { f64::EPSILON };
        if next == low || next == high || step <= tolerance * next.abs() {
            return next;
        }
        x = next;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_found_from_any_start() {
        for start in [0.0, 0.1, 1.4, 9.9, 10.0] {
            let root = rising_root(0.0, 10.0, start, |x| (x * x - 2.0, 2.0 * x));
            assert!((root - std::f64::consts::SQRT_2).abs() < 1e-15, "from {start}: {root}");
        }
    }

    #[test]
    fn a_slope_that_misleads_is_survived() {
        let root = rising_root(-50.0, 100.0, 99.0, |x| (libm::tanh(x - 3.0), 0.0));
        assert!((root - 3.0).abs() < 1e-14, "{root}");
    }

    #[test]
    fn without_a_zero_the_answer_is_the_nearer_end() {
        assert!((rising_root(1.0, 2.0, 1.5, |x| (x, 1.0)) - 1.0).abs() < 1e-15);
        assert!((rising_root(1.0, 2.0, 1.5, |x| (x - 3.0, 1.0)) - 2.0).abs() < 1e-15);
    }
}
