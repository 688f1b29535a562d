//! Right values of kernels that work on rows.

use super::super::{NORM_EPSILON, Number, Rows};
use super::{Input, PLACES, Right, last_place, rounded, spread};

/// Relative error of exponentials and roots as GPUs have them in fp32, with some additions: 2⁻¹⁶.
pub(super) const FP32_WORK: f64 = 1.0 / 65_536.0;

/// Rows of which every number is compared.
fn whole_rows(rows: &Rows) -> Vec<u64> {
    spread(rows.rows, (PLACES / rows.width).max(8))
}

fn row(of: Input, rows: &Rows, index: u64) -> Vec<f64> {
    (0..rows.width).map(|column| of.at(index * rows.width + column)).collect()
}

pub(super) fn softmax(rows: &Rows, x: Input) -> Vec<(u64, Right)> {
    let mut all = Vec::new();
    for index in whole_rows(rows) {
        let x = row(x, rows, index);
        let most = x.iter().copied().fold(f64::MIN, f64::max);
        let powers: Vec<f64> = x.iter().map(|x| libm::exp(x - most)).collect();
        let sum: f64 = powers.iter().sum();
        all.extend(powers.iter().enumerate().map(|(column, power)| {
            let value = power / sum;
            (index * rows.width + column as u64, Right { value, bound: FP32_WORK * value })
        }));
    }
    all
}

/// Mean and reciprocal standard deviation of a row.
fn normal(x: &[f64]) -> (f64, f64) {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let variance = x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
    (mean, 1.0 / (variance + f64::from(NORM_EPSILON)).sqrt())
}

/// Buffers 3, 4 and 5: results, means, reciprocal deviations.
pub(super) fn layer_norm(rows: &Rows, [x, weight, bias]: [Input; 3], buffer: usize) -> Vec<(u64, Right)> {
    let mut all = Vec::new();
    for index in whole_rows(rows) {
        let x = row(x, rows, index);
        let (mean, deviation) = normal(&x);
        match buffer {
            3 => all.extend(x.iter().enumerate().map(|(column, x)| {
                let column = column as u64;
                let scaled = (x - mean) * deviation * weight.at(column);
                let value = scaled + bias.at(column);
                let bound = FP32_WORK * (scaled.abs() + bias.at(column).abs() + (mean * deviation).abs());
                (index * rows.width + column, Right { value, bound })
            })),
            4 => all.push((index, Right { value: mean, bound: FP32_WORK * (mean.abs() + 1.0) })),
            _ => all.push((index, Right { value: deviation, bound: FP32_WORK * deviation })),
        }
    }
    all
}

/// Buffers 5, 6 and 7: gradients of the input, of the weight and of the bias.
pub(super) fn layer_norm_backward(
    rows: &Rows,
    [x, weight, gradient]: [Input; 3],
    buffer: usize,
) -> Vec<(u64, Right)> {
    if buffer == 5 {
        return input_gradient(rows, [x, weight, gradient]);
    }
    // (mean, deviation) of every row, as each column needs all of them.
    let norms: Vec<(f64, f64)> = (0..rows.rows).map(|index| normal(&row(x, rows, index))).collect();
    spread(rows.width, 64)
        .into_iter()
        .map(|column| {
            let terms = norms.iter().enumerate().map(|(index, (mean, deviation))| {
                let place = index as u64 * rows.width + column;
                let scale = if buffer == 6 { (x.at(place) - mean) * deviation } else { 1.0 };
                gradient.at(place) * scale
            });
            (column, sum(terms, Number::Fp32))
        })
        .collect()
}

fn input_gradient(rows: &Rows, [x, weight, gradient]: [Input; 3]) -> Vec<(u64, Right)> {
    let mut all = Vec::new();
    for index in whole_rows(rows) {
        let x = row(x, rows, index);
        let (mean, deviation) = normal(&x);
        let scaled: Vec<f64> = row(gradient, rows, index)
            .iter()
            .enumerate()
            .map(|(column, gradient)| gradient * weight.at(column as u64))
            .collect();
        let n = x.len() as f64;
        let mean_gradient = scaled.iter().sum::<f64>() / n;
        let along = scaled.iter().zip(&x).map(|(g, x)| g * (x - mean) * deviation).sum::<f64>() / n;
        all.extend(x.iter().zip(&scaled).enumerate().map(|(column, (x, gradient))| {
            let unit = (x - mean) * deviation;
            let value = deviation * (gradient - mean_gradient - unit * along);
            let size = gradient.abs() + mean_gradient.abs() + (unit * along).abs() + 1.0;
            (index * rows.width + column as u64, Right { value, bound: FP32_WORK * deviation * size })
        }));
    }
    all
}

pub(super) fn column_sum(rows: &Rows, number: Number, x: Input) -> Vec<(u64, Right)> {
    spread(rows.width, 64)
        .into_iter()
        .map(|column| {
            let terms = (0..rows.rows).map(|index| x.at(index * rows.width + column));
            let Right { value, bound } = sum(terms, Number::Fp32);
            (column, rounded(value, number, bound))
        })
        .collect()
}

/// A sum in fp32, in any order.
fn sum(terms: impl Iterator<Item = f64>, number: Number) -> Right {
    let (mut value, mut energy, mut count) = (0.0, 0.0, 0_u64);
    for term in terms {
        value += term;
        energy += term * term;
        count += 1;
    }
    let size = energy.sqrt();
    let sums = 2.0 * count as f64 * 2.0_f64.powi(-24) * size;
    Right { value, bound: last_place(number) * f64::abs(value) + sums + FP32_WORK * size }
}
