//! Matrix products in fp32.

use super::super::Pass;
use crate::compute::Product;
use rayon::prelude::*;

/// Columns of the right operand that are packed side by side, so that the inner loop reads them in a row.
const COLUMNS: usize = 16;
/// Rows of the result that are summed at once.
const ROWS: usize = 4;

/// `result = left · right`, the operands stored as `pass` says.
pub(super) fn product(pass: Pass, of: &Product, left: &[f32], right: &[f32], result: &mut [f32]) {
    let [m, n, k] = [of.m, of.n, of.k].map(|size| size as usize);
    for ((left, right), result) in left.chunks(m * k).zip(right.chunks(k * n)).zip(result.chunks_mut(m * n)) {
        one(pass, [m, n, k], left, right, result);
    }
}

fn one(pass: Pass, [m, n, k]: [usize; 3], left: &[f32], right: &[f32], result: &mut [f32]) {
    // Panels of k rows of 16 columns, the last one filled up with zeros.
    let mut panels = vec![0.0; n.div_ceil(COLUMNS) * COLUMNS * k];
    panels.par_chunks_mut(COLUMNS * k).enumerate().for_each(|(panel, packed)| {
        for (t, packed) in packed.chunks_mut(COLUMNS).enumerate() {
            for (j, packed) in (panel * COLUMNS..n).zip(packed) {
                *packed = if pass.right_transposed() { right[j * k + t] } else { right[t * n + j] };
            }
        }
    });
    result.par_chunks_mut(ROWS * n).enumerate().for_each(|(block, result)| {
        let rows = result.len() / n;
        let first = block * ROWS;
        // Four rows beside each other, zeros for those that are not there.
        let mut packed = vec![[0.0_f32; ROWS]; k];
        for (t, packed) in packed.iter_mut().enumerate() {
            for (i, packed) in packed.iter_mut().enumerate().take(rows) {
                let row = first + i;
                *packed = if pass.left_transposed() { left[t * m + row] } else { left[row * k + t] };
            }
        }
        for (panel, columns) in panels.chunks(COLUMNS * k).enumerate() {
            let sums = block_sums(&packed, columns);
            for (i, sums) in sums.iter().enumerate().take(rows) {
                for (j, sum) in (panel * COLUMNS..n).zip(sums) {
                    result[i * n + j] = *sum;
                }
            }
        }
    });
}

/// Sums of four rows by sixteen columns.
fn block_sums(rows: &[[f32; ROWS]], columns: &[f32]) -> [[f32; COLUMNS]; ROWS] {
    let mut sums = [[0.0; COLUMNS]; ROWS];
    for (row, columns) in rows.iter().zip(columns.chunks_exact(COLUMNS)) {
        for (left, sums) in row.iter().zip(&mut sums) {
            for (right, sum) in columns.iter().zip(sums) {
                *sum += left * right;
            }
        }
    }
    sums
}
