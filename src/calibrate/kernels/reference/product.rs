//! Right values of matrix products.

use super::super::{Number, Pass};
use super::{Input, Right, last_place, spread};
use crate::compute::Product;

/// Rows and columns whose crossings are compared.
const ROWS: u64 = 32;
const COLUMNS: u64 = 64;

/// Crossings of some rows and columns; of a batch, those of its first, middle and last product.
pub(super) fn rights(
    pass: Pass,
    product: &Product,
    number: Number,
    [left, right]: [Input; 2],
) -> Vec<(u64, Right)> {
    let Product { m, n, k, batch } = *product;
    let mut all = Vec::new();
    for of_batch in spread(batch, 3) {
        let (left_begin, right_begin) = (of_batch * m * k, of_batch * k * n);
        let columns: Vec<(u64, Vec<f64>)> = spread(n, COLUMNS)
            .into_iter()
            .map(|j| {
                let at = |t| if pass.right_transposed() { j * k + t } else { t * n + j };
                (j, (0..k).map(|t| right.at(right_begin + at(t))).collect())
            })
            .collect();
        for i in spread(m, ROWS) {
            let at = |t| if pass.left_transposed() { t * m + i } else { i * k + t };
            let row: Vec<f64> = (0..k).map(|t| left.at(left_begin + at(t))).collect();
            for (j, column) in &columns {
                all.push((of_batch * m * n + i * n + j, of(&row, column, number)));
            }
        }
    }
    all
}

/// One sum of products.
///
/// Its error: the result is rounded; so may be parts of the sum where the library splits it, each about as large as
/// the root of the sum of squares; sums of fp32 lose up to a last place of the partial sum at each of k additions,
/// toward zero in tensor cores; and tf32 rounds both factors to 11 bits.
pub(super) fn of(row: &[f64], column: &[f64], number: Number) -> Right {
    let terms = row.iter().zip(column).map(|(a, b)| a * b);
    let (value, energy) = terms.fold((0.0, 0.0), |(sum, squares), term| (sum + term, squares + term * term));
    let size = energy.sqrt();
    let sums = 2.0 * row.len() as f64 * 2.0_f64.powi(-24) * size;
    let operands =
        if number == Number::Tf32 { 2.0_f64.powi(-9) * (f64::abs(value) + 4.0 * size) } else { 0.0 };
    let result = last_place(number) * (f64::abs(value) + 4.0 * size);
    Right { value, bound: result + sums + operands }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_slice_is_beyond_the_bound() {
        let row: Vec<f64> = (0..768).map(|t| f64::from(t % 7) / 7.0 - 0.4).collect();
        let column: Vec<f64> = (0..768).map(|t| f64::from(t % 11) / 11.0 - 0.4).collect();
        let whole = of(&row, &column, Number::Bf16);
        let less = of(&row[..736], &column[..736], Number::Bf16);
        assert!((whole.value - less.value).abs() > whole.bound);
    }

    /// Rounding the exact sum to bf16 is the least that every backend does.
    #[test]
    fn the_rounded_sum_is_within_the_bound() {
        let (row, column) = (vec![0.3; 64], vec![0.7; 64]);
        let right = of(&row, &column, Number::Bf16);
        let rounded = f64::from(f32::from_bits((right.value as f32).to_bits() & 0xffff_0000));
        assert!((rounded - right.value).abs() <= right.bound);
    }
}
