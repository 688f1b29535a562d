//! Always the same time.

use crate::units::Span;

/// `constant`: every time is `value`, zero and endless ([`Span::MAX`]) included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Constant {
    value: Span,
}

impl Constant {
    /// Every time is `value`.
    pub const fn new(value: Span) -> Self {
        Self { value }
    }

    /// The time.
    pub const fn value(self) -> Span {
        self.value
    }

    /// 1 before the value, 0 from it on.
    pub fn survival(self, t_s: f64) -> f64 {
        if t_s < self.value.as_secs() { 1.0 } else { 0.0 }
    }

    /// The value, in seconds.
    pub fn quantile_upper(self, _u: f64) -> f64 {
        self.value.as_secs()
    }

    /// The value, in seconds.
    pub fn mean_s(self) -> f64 {
        self.value.as_secs()
    }

    /// The shorter of the value and `t_s`, in seconds.
    pub fn restricted_mean_s(self, t_s: f64) -> f64 {
        t_s.min(self.value.as_secs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_survives_up_to_its_value() {
        let law = Constant::new(Span::from_s(90));
        assert_eq!([law.survival(0.0), law.survival(89.9), law.survival(90.0)], [1.0, 1.0, 0.0]);
        assert_eq!([law.quantile_upper(0.1), law.mean_s()], [90.0, 90.0]);
        assert_eq!([law.restricted_mean_s(30.0), law.restricted_mean_s(1e9)], [30.0, 90.0]);
    }
}
