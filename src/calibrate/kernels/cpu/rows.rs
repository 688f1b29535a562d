//! Kernels on rows, in fp32.

use super::super::{NORM_EPSILON, Rows};
use rayon::prelude::*;

/// Rows whose columns one thread sums.
const BLOCK: usize = 256;

pub(super) fn softmax(of: &Rows, x: &[f32], y: &mut [f32]) {
    let width = of.width as usize;
    x.par_chunks(width).zip(y.par_chunks_mut(width)).for_each(|(x, y)| {
        let most = x.iter().copied().fold(f32::MIN, f32::max);
        let mut sum = 0.0;
        for (x, y) in x.iter().zip(&mut *y) {
            *y = libm::expf(x - most);
            sum += *y;
        }
        y.iter_mut().for_each(|y| *y /= sum);
    });
}

pub(super) fn layer_norm(of: &Rows, [x, weight, bias]: [&[f32]; 3], [y, means, deviations]: [&mut [f32]; 3]) {
    let width = of.width as usize;
    x.par_chunks(width).zip(y.par_chunks_mut(width)).zip(means).zip(deviations).for_each(
        |(((x, y), mean_of), deviation_of)| {
            let n = width as f32;
            let mean = x.iter().sum::<f32>() / n;
            let variance = x.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / n;
            let deviation = 1.0 / (variance + NORM_EPSILON).sqrt();
            for (((x, y), weight), bias) in x.iter().zip(y).zip(weight).zip(bias) {
                *y = (x - mean) * deviation * weight + bias;
            }
            (*mean_of, *deviation_of) = (mean, deviation);
        },
    );
}

/// The gradient of the input, then in a second pass those of weight and bias.
pub(super) fn layer_norm_backward(
    of: &Rows,
    [x, weight, means, deviations, gradient]: [&[f32]; 5],
    [dx, dweight, dbias]: [&mut [f32]; 3],
) {
    let width = of.width as usize;
    let rows = x.par_chunks(width).zip(gradient.par_chunks(width)).zip(means).zip(deviations);
    rows.clone().zip(dx.par_chunks_mut(width)).for_each(|((((x, gradient), mean), deviation), dx)| {
        let n = width as f32;
        let (mut sum, mut along) = (0.0, 0.0);
        for ((x, gradient), weight) in x.iter().zip(gradient).zip(weight) {
            sum += gradient * weight;
            along += gradient * weight * (x - mean) * deviation;
        }
        for (((x, gradient), weight), dx) in x.iter().zip(gradient).zip(weight).zip(dx) {
            *dx = deviation * (gradient * weight - sum / n - (x - mean) * deviation * along / n);
        }
    });
    let parts: Vec<[Vec<f32>; 2]> = rows
        .chunks(BLOCK)
        .map(|rows| {
            let mut sums = [vec![0.0; width], vec![0.0; width]];
            let [dweight, dbias] = &mut sums;
            for (((x, gradient), mean), deviation) in rows {
                for (((x, gradient), dweight), dbias) in
                    x.iter().zip(gradient).zip(&mut *dweight).zip(&mut *dbias)
                {
                    *dweight += gradient * (x - mean) * deviation;
                    *dbias += gradient;
                }
            }
            sums
        })
        .collect();
    add_up(parts.iter().map(|[part, _]| part), dweight);
    add_up(parts.iter().map(|[_, part]| part), dbias);
}

pub(super) fn column_sum(of: &Rows, x: &[f32], sums: &mut [f32]) {
    let width = of.width as usize;
    let parts: Vec<Vec<f32>> = x
        .par_chunks(width * BLOCK)
        .map(|rows| {
            let mut sums = vec![0.0; width];
            add_up(rows.chunks(width), &mut sums);
            sums
        })
        .collect();
    add_up(parts.iter(), sums);
}

/// Sums of rows, column by column.
fn add_up<R: AsRef<[f32]>>(rows: impl Iterator<Item = R>, sums: &mut [f32]) {
    sums.fill(0.0);
    for row in rows {
        for (sum, number) in sums.iter_mut().zip(row.as_ref()) {
            *sum += number;
        }
    }
}
