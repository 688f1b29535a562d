//! Compute time of a step from operations and an efficiency.

/// The first, lightest form: operations ÷ (peak × efficiency). What a step does besides matrix
/// products is inside the efficiency, so it holds for the model and batch that it was derived from
/// and is an estimate for others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ByFlops {
    /// FLOP of forward and backward for one sample (6 × multiply-accumulates of forward).
    pub train_flop_per_sample: f64,
    /// Samples per GPU and step.
    pub batch_per_gpu: f64,
    /// Dense peak of the precision, FLOP/s.
    pub peak_flop_per_s: f64,
    /// Share of the peak that a whole step reaches, above 0.
    pub efficiency: f64,
}

/// Forward is one of a training step's three equal passes, backward two of them
/// (6 = 2 + 4 FLOP per multiply-accumulate).
const BACKWARD_SHARE: f64 = 2.0 / 3.0;

impl ByFlops {
    /// Seconds that one step computes.
    pub fn step_s(&self) -> f64 {
        self.train_flop_per_sample * self.batch_per_gpu / (self.peak_flop_per_s * self.efficiency)
    }

    /// Seconds of it that backward takes: what gradients can hide behind.
    pub fn backward_s(&self) -> f64 {
        self.step_s() * BACKWARD_SHARE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The derived centre of 345 samples/s of ViT-B/16 (105.4 GFLOP) on an A10G of 70 TFLOP/s.
    #[test]
    fn the_seed_rate_comes_back_from_its_efficiency() {
        let efficiency = 345.0 * 105.4e9 / 70e12;
        let form = ByFlops {
            train_flop_per_sample: 105.4e9,
            batch_per_gpu: 128.0,
            peak_flop_per_s: 70e12,
            efficiency,
        };
        assert!((128.0 / form.step_s() - 345.0).abs() < 1e-9);
        assert!((form.backward_s() / form.step_s() - 2.0 / 3.0).abs() < 1e-12);
    }
}
