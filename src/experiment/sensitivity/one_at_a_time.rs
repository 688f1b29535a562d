//! One input at a time: what each end of its range does to the result while the others stay where they are.

/// Ends of an input's range as quantiles: the 5th and the 95th percentile.
const ENDS: [f64; 2] = [0.05, 0.95];

/// One input's bar of a tornado.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bar {
    /// Its number.
    pub input: usize,
    /// The result at the low end of the input's range.
    pub at_low: f64,
    /// The result at the high end.
    pub at_high: f64,
}

impl Bar {
    /// The width: how far apart the results at both ends are.
    pub fn width(&self) -> f64 {
        (self.at_high - self.at_low).abs()
    }
}

/// Points of the design beside the base: for each input in turn, the quantile at its low end and at its high end.
pub fn one_at_a_time_design(inputs: usize) -> impl Iterator<Item = (usize, f64)> {
    (0..inputs).flat_map(|input| ENDS.map(|u| (input, u)))
}

/// Bars, the widest first and the earlier input first where two are as wide, from the outputs of
/// [`one_at_a_time_design`] in its order. Interactions do not show in them.
pub fn tornado(outputs: &[f64]) -> Vec<Bar> {
    let ends = outputs.chunks_exact(2).enumerate();
    let mut bars: Vec<Bar> =
        ends.map(|(input, ends)| Bar { input, at_low: ends[0], at_high: ends[1] }).collect();
    bars.sort_by(|a, b| b.width().total_cmp(&a.width()));
    bars
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_bar_stands_first() {
        let bars = tornado(&[9.0, 11.0, 14.0, 8.0, 11.0, 9.0]);
        assert_eq!(bars.iter().map(|bar| bar.input).collect::<Vec<_>>(), [1, 0, 2]);
        assert_eq!(bars[0], Bar { input: 1, at_low: 14.0, at_high: 8.0 });
        assert!(one_at_a_time_design(2).eq([(0, 0.05), (0, 0.95), (1, 0.05), (1, 0.95)]));
    }
}
