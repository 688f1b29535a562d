//! Number formats of a training step.

/// Arithmetic of the matrix products, and how the rest is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Autocast to bfloat16, fp32 parameters.
    AmpBf16,
    /// Autocast to float16, fp32 parameters.
    AmpFp16,
    /// fp32 storage, TensorFloat-32 products.
    Tf32,
    /// fp32 throughout.
    Fp32,
    /// bfloat16 throughout, parameters too; no autocast.
    Bf16,
    /// float16 throughout, parameters too; no autocast.
    Fp16,
}

impl Precision {
    /// Every one, with its spelling in scenarios and results; the first is the default.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("amp-bf16", Self::AmpBf16),
        ("amp-fp16", Self::AmpFp16),
        ("tf32", Self::Tf32),
        ("fp32", Self::Fp32),
        ("bf16", Self::Bf16),
        ("fp16", Self::Fp16),
    ];

    /// Its spelling in scenarios and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::AmpBf16 => "amp-bf16",
            Self::AmpFp16 => "amp-fp16",
            Self::Tf32 => "tf32",
            Self::Fp32 => "fp32",
            Self::Bf16 => "bf16",
            Self::Fp16 => "fp16",
        }
    }

    /// Whether fp32 parameters and residuals are cast for each product.
    pub fn is_autocast(self) -> bool {
        matches!(self, Self::AmpBf16 | Self::AmpFp16)
    }

    /// Bytes of one number that goes into a matrix product.
    pub fn operand_bytes(self) -> f64 {
        match self {
            Self::AmpBf16 | Self::AmpFp16 | Self::Bf16 | Self::Fp16 => 2.0,
            Self::Tf32 | Self::Fp32 => 4.0,
        }
    }

    /// Bytes of one stored parameter, and of its gradient.
    pub fn weight_bytes(self) -> f64 {
        if self.is_autocast() { 4.0 } else { self.operand_bytes() }
    }

    /// Format of the numbers that go into a matrix product, as calibration files write it.
    pub fn operand_name(self) -> &'static str {
        match self {
            Self::AmpBf16 | Self::Bf16 => "bf16",
            Self::AmpFp16 | Self::Fp16 => "fp16",
            Self::Tf32 => "tf32",
            Self::Fp32 => "fp32",
        }
    }

    /// Format in which those numbers lie in memory, as calibration files write it.
    pub fn stored_name(self) -> &'static str {
        if self == Self::Tf32 { "fp32" } else { self.operand_name() }
    }

    /// Format of the stored parameters, as calibration files write it.
    pub fn weight_name(self) -> &'static str {
        if self.weight_bytes() < 4.0 { self.operand_name() } else { "fp32" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_precision_has_one_name() {
        for (name, precision) in Precision::NAMES {
            assert_eq!(precision.name(), name);
        }
    }

    #[test]
    fn autocast_halves_operands_but_not_parameters() {
        assert_eq!(Precision::AmpBf16.operand_bytes(), 2.0);
        assert_eq!(Precision::AmpBf16.weight_bytes(), 4.0);
        assert_eq!(Precision::Bf16.weight_bytes(), 2.0);
        assert_eq!(Precision::Tf32.operand_bytes(), 4.0);
    }
}
