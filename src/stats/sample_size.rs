//! How many samples bound a quantile.

/// Samples whose largest is, with `confidence`, an upper bound of the `p`-quantile whatever the law: the least n with
/// 1 - p^n ≥ `confidence`. Both in (0, 1). Source: S. Wilks (1941), Ann. Math. Stat. 12, 91-96.
pub fn samples_for_upper_bound(p: f64, confidence: f64) -> u64 {
    // A rounding of the last bit must not ask for one sample more.
    (libm::log1p(-confidence) / libm::log(p) - 1e-9).ceil().max(1.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0.95^58 is 0.051 and 0.95^59 0.048.
    #[test]
    fn sizes_are_those_of_the_books() {
        assert_eq!(samples_for_upper_bound(0.95, 0.95), 59);
        assert_eq!(samples_for_upper_bound(0.5, 0.75), 2);
    }
}
