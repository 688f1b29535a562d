//! Sending less than all gradients: compression, and averaging parameters now and then instead.

/// The gradient of one parameter, as far as a compression cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matrix {
    /// Rows; 1 for a vector.
    pub rows: u64,
    /// Columns.
    pub columns: u64,
}

impl Matrix {
    /// Numbers in it.
    pub fn elements(self) -> u64 {
        self.rows * self.columns
    }
}

/// How gradients are made smaller on their way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// They are not.
    None,
    /// Cast to fp16 or bf16, reduced, and cast back.
    Half,
    /// Two factors of this rank in place of a matrix. Source: T. Vogels, S. Karimireddy, M. Jaggi,
    /// PowerSGD (2019), arXiv:1905.13727.
    PowerSgd {
        /// Columns of the factors, at least 1.
        rank: u32,
    },
}

impl Compression {
    /// Bytes sent over bytes of gradients, where a gradient has `element_bytes` a number.
    ///
    /// PowerSGD sends `r(m+k)` numbers for an m x k matrix and leaves alone what that would not make smaller,
    /// vectors among them.
    pub fn wire(self, gradients: &[Matrix], element_bytes: u32) -> f64 {
        match self {
            Self::None => 1.0,
            Self::Half => (2.0 / f64::from(element_bytes)).min(1.0),
            Self::PowerSgd { rank } => {
                let all: u64 = gradients.iter().map(|matrix| matrix.elements()).sum();
                let sent: u64 = gradients.iter().map(|matrix| factor_elements(*matrix, rank)).sum();
                if all == 0 { 1.0 } else { sent as f64 / all as f64 }
            }
        }
    }

    /// All-reduces of a bucket beyond the one that it needs anyway: PowerSGD reduces each factor, and the
    /// tensors that it leaves alone.
    pub fn extra_collectives(self) -> u32 {
        match self {
            Self::None | Self::Half => 0,
            Self::PowerSgd { .. } => 2,
        }
    }

    /// Times that each gradient is read or written in device memory for it: fp16 and bf16 cast there and back.
    pub fn memory_passes(self) -> u32 {
        match self {
            Self::Half => 2,
            Self::None | Self::PowerSgd { .. } => 0,
        }
    }
}

fn factor_elements(matrix: Matrix, rank: u32) -> u64 {
    (u64::from(rank) * (matrix.rows + matrix.columns)).min(matrix.elements())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: Matrix = Matrix { rows: 1000, columns: 1000 };

    #[test]
    fn half_precision_halves_fp32_and_leaves_fp16_alone() {
        assert_eq!(Compression::Half.wire(&[SQUARE], 4), 0.5);
        assert_eq!(Compression::Half.wire(&[SQUARE], 2), 1.0);
        assert_eq!(Compression::None.wire(&[SQUARE], 4), 1.0);
    }

    /// r(m+k)/(mk) = 4 x 2000 / 10^6.
    #[test]
    fn two_factors_stand_for_a_matrix() {
        assert_eq!(Compression::PowerSgd { rank: 4 }.wire(&[SQUARE], 4), 0.008);
    }

    /// 8,000 of 10^6 for the matrix, all 1,000 of the vector.
    #[test]
    fn vectors_are_sent_whole() {
        let vector = Matrix { rows: 1, columns: 1000 };
        let wire = Compression::PowerSgd { rank: 4 }.wire(&[SQUARE, vector], 4);
        assert!((wire - 9_000.0 / 1_001_000.0).abs() < 1e-15);
    }

    #[test]
    fn a_rank_too_high_sends_no_more_than_the_matrix() {
        assert_eq!(Compression::PowerSgd { rank: 4_000 }.wire(&[SQUARE], 4), 1.0);
    }
}
