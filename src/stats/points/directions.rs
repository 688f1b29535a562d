//! Direction numbers of the Sobol' sequence.

/// Bits of a coordinate, and the most bits of a point's number.
pub(super) const BITS: usize = 52;

/// Joe and Kuo's table; source and licence stand in the file.
const TABLE: &str = include_str!("../../../data/sobol_directions.csv");

/// The directions of the first `dimensions` dimensions; `None` beyond the table.
///
/// Direction k of a dimension is m_k/2^k, with m_k by the recurrence of the dimension's primitive polynomial x^s +
/// a_1 x^(s-1) + … + 1: m_k = 2 a_1 m_(k-1) ⊕ 2² a_2 m_(k-2) ⊕ … ⊕ 2^s m_(k-s) ⊕ m_(k-s).
pub(super) fn directions(dimensions: usize) -> Option<Vec<[u64; BITS]>> {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#')).skip(1);
    let directions: Vec<_> =
        rows.take(dimensions).map(|row| of_row(row).expect("the table is whole")).collect();
    (directions.len() == dimensions).then_some(directions)
}

/// Of a row `dimension,polynomial,m`.
fn of_row(row: &str) -> Option<[u64; BITS]> {
    let mut cells = row.split(',').skip(1);
    let polynomial: u64 = cells.next()?.parse().ok()?;
    let first: Vec<u64> = cells.next()?.split(' ').map(|m| m.parse().ok()).collect::<Option<_>>()?;
    let degree = 63 - polynomial.leading_zeros() as usize;
    let mut m = [1; BITS];
    if degree > 0 {
        m[..degree].copy_from_slice(first.get(..degree)?);
        for k in degree..BITS {
            m[k] = (1..=degree).fold(m[k - degree], |sum, i| {
                let coefficient = (polynomial >> (degree - i)) & 1;
                sum ^ (coefficient * m[k - i]) << i
            });
        }
    }
    let mut directions = [0; BITS];
    for (k, (direction, m)) in directions.iter_mut().zip(m).enumerate() {
        *direction = m << (BITS - 1 - k);
    }
    Some(directions)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// m_k is odd and below 2^k in every dimension, else a coordinate would not be a permutation of its strata.
    #[test]
    fn each_direction_begins_at_its_own_bit() {
        let all = directions(1_024).unwrap();
        for (dimension, directions) in all.iter().enumerate() {
            for (k, direction) in directions.iter().enumerate() {
                assert_eq!(direction.trailing_zeros() as usize, BITS - 1 - k, "{dimension} {k}");
                assert!(direction >> BITS == 0, "{dimension} {k}");
            }
        }
        assert!(directions(1_025).is_none());
    }
}
