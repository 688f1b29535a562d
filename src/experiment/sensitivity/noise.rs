//! How much of what differs between points is the chance of their replications.

/// The share of the outputs' variance that the noise of the replications behind each makes at most: the mean of the
/// squared standard errors over the variance (divisor n - 1). Not above 1; 0 of outputs that do not vary.
///
/// At most: where every point has the same replications, what chance does to all of them alike does not move the
/// variance between them, but stands in every standard error.
pub fn noise_share(outputs: &[f64], standard_errors: &[f64]) -> f64 {
    let count = outputs.len() as f64;
    let mean = outputs.iter().sum::<f64>() / count;
    let variance = outputs.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>() / (count - 1.0);
    let noise = standard_errors.iter().map(|se| se * se).sum::<f64>() / standard_errors.len() as f64;
    if variance > 0.0 { (noise / variance).min(1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The variance of 1, 2, 3, 4 is 5/3; that of errors of 0.5 is 0.25.
    #[test]
    fn noise_is_a_share_of_the_variance() {
        assert!((noise_share(&[1.0, 2.0, 3.0, 4.0], &[0.5; 4]) - 0.15).abs() < 1e-15);
        assert_eq!(noise_share(&[1.0, 1.1], &[5.0; 2]), 1.0);
        assert_eq!(noise_share(&[1.0, 1.0], &[0.1; 2]), 0.0);
    }
}
