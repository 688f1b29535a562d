//! What tasks write, by plain loops in f64 over the same numbers.

use super::super::super::{ADAM, Begin, Format, Heads, NORM_EPSILON, Pass, Rows, Task, Values, Work};
use crate::compute::Product;

/// A buffer's place and what it should hold.
pub(super) type Expected = Vec<(usize, Vec<f64>)>;

pub(super) fn expected(task: &Task) -> Expected {
    let buffers = task.buffers();
    let input = |place: usize| -> Vec<f64> {
        let Begin::Values(values) = buffers[place].begin else {
            panic!("buffer {place} of {task:?} is no input");
        };
        (0..buffers[place].numbers as u32).map(|i| f64::from(values.at(i, Format::Fp32))).collect()
    };
    let each = |n: u64, f: &dyn Fn(usize) -> f64| (0..n as usize).map(f).collect::<Vec<f64>>();
    match task.work {
        Work::Gemm(pass, product) | Work::BatchedGemm(pass, product) => {
            vec![(2, matmul(pass, &product, &input(0), &input(1)))]
        }
        Work::Attention(heads) => {
            let (output, log_sums) = attention(&heads, &input(0), &input(1), &input(2));
            vec![(3, output), (4, log_sums)]
        }
        Work::AttentionBackward(heads) => {
            attention_backward(&heads, &[input(0), input(1), input(2)], &input(5))
        }
        Work::Softmax(rows) => vec![(1, softmax(&rows, &input(0)))],
        Work::LayerNorm(rows) => {
            let (x, weight, bias) = (input(0), input(1), input(2));
            let (means, reciprocals) = moments(&rows, &x);
            let width = rows.width as usize;
            let y = each(rows.numbers(), &|i| {
                (x[i] - means[i / width]) * reciprocals[i / width] * weight[i % width] + bias[i % width]
            });
            vec![(3, y), (4, means), (5, reciprocals)]
        }
        Work::LayerNormBackward(rows) => layer_norm_backward(&rows, &input(0), &input(1), &input(4)),
        Work::Gelu(rows) => {
            let x = input(0);
            vec![(1, each(rows.numbers(), &|i| x[i] * below(x[i])))]
        }
        Work::GeluBackward(rows) => {
            let (x, dy) = (input(0), input(1));
            let density = |x: f64| libm::exp(-x * x / 2.0) / (2.0 * std::f64::consts::PI).sqrt();
            vec![(2, each(rows.numbers(), &|i| dy[i] * (below(x[i]) + x[i] * density(x[i]))))]
        }
        Work::ResidualAdd(rows) => {
            let (branch, residual) = (input(0), input(1));
            vec![(2, each(rows.numbers(), &|i| branch[i] + residual[i]))]
        }
        Work::ColumnSum(rows) => {
            let (x, width) = (input(0), rows.width as usize);
            vec![(1, each(rows.width, &|c| x.iter().skip(c).step_by(width).sum()))]
        }
        Work::Adam(params) | Work::AdamForEach(params) => adam(params, input),
        Work::Memcpy(_) => vec![(1, input(0))],
        Work::HostCopy(bytes) | Work::HostCopyPinned(bytes) => {
            let values = Values { seed: 1, scale: 1.0, positive: false };
            vec![(0, each(bytes / 4, &|i| f64::from(values.at(i as u32, Format::Fp32))))]
        }
        Work::Launch => Vec::new(),
    }
}

fn below(x: f64) -> f64 {
    libm::erfc(-x / std::f64::consts::SQRT_2) / 2.0
}

fn matmul(pass: Pass, product: &Product, left: &[f64], right: &[f64]) -> Vec<f64> {
    let [m, n, k] = [product.m, product.n, product.k].map(|size| size as usize);
    let mut result = Vec::new();
    for batch in 0..product.batch as usize {
        let (left, right) = (&left[batch * m * k..], &right[batch * k * n..]);
        for row in 0..m {
            for column in 0..n {
                let a = |i| if pass == Pass::Wgrad { left[i * m + row] } else { left[row * k + i] };
                let b = |i| if pass == Pass::Forward { right[column * k + i] } else { right[i * n + column] };
                result.push((0..k).map(|i| a(i) * b(i)).sum());
            }
        }
    }
    result
}

fn softmax(rows: &Rows, x: &[f64]) -> Vec<f64> {
    let of_row = |row: &[f64]| {
        let sum: f64 = row.iter().map(|x| libm::exp(*x)).sum();
        row.iter().map(|x| libm::exp(*x) / sum).collect::<Vec<f64>>()
    };
    x.chunks(rows.width as usize).flat_map(of_row).collect()
}

/// Scores of all heads, scaled.
fn scores(heads: &Heads, q: &[f64], k: &[f64]) -> Vec<f64> {
    let Heads { batch, heads: count, tokens, width } = *heads;
    let product = Product { batch: batch * count, m: tokens, n: tokens, k: width };
    let scale = 1.0 / (width as f64).sqrt();
    matmul(Pass::Forward, &product, q, k).iter().map(|score| score * scale).collect()
}

fn attention(heads: &Heads, q: &[f64], k: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let Heads { batch, heads: count, tokens, width } = *heads;
    let scores = scores(heads, q, k);
    let weights = softmax(&Rows { rows: heads.rows(), width: tokens }, &scores);
    let product = Product { batch: batch * count, m: tokens, n: width, k: tokens };
    let output = matmul(Pass::Dgrad, &product, &weights, v);
    let log_sum = |row: &[f64]| libm::log(row.iter().map(|score| libm::exp(*score)).sum());
    (output, scores.chunks(tokens as usize).map(log_sum).collect())
}

fn attention_backward(heads: &Heads, inputs: &[Vec<f64>; 3], dy: &[f64]) -> Expected {
    let [q, k, v] = inputs;
    let Heads { batch, heads: count, tokens, width } = *heads;
    let weights = softmax(&Rows { rows: heads.rows(), width: tokens }, &scores(heads, q, k));
    let square = Product { batch: batch * count, m: tokens, n: tokens, k: width };
    let long = Product { batch: batch * count, m: tokens, n: width, k: tokens };
    let towards = matmul(Pass::Forward, &square, dy, v);
    let scale = 1.0 / (width as f64).sqrt();
    let slopes: Vec<f64> = weights
        .chunks(tokens as usize)
        .zip(towards.chunks(tokens as usize))
        .flat_map(|(weights, towards)| {
            let mean: f64 = weights.iter().zip(towards).map(|(w, t)| w * t).sum();
            weights.iter().zip(towards).map(move |(w, t)| w * (t - mean) * scale)
        })
        .collect();
    vec![
        (6, matmul(Pass::Dgrad, &long, &slopes, k)),
        (7, matmul(Pass::Wgrad, &long, &slopes, q)),
        (8, matmul(Pass::Wgrad, &long, &weights, dy)),
    ]
}

fn moments(rows: &Rows, x: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let width = rows.width as f64;
    let of_row = |row: &[f64]| {
        let mean = row.iter().sum::<f64>() / width;
        let variance = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / width;
        (mean, 1.0 / (variance + f64::from(NORM_EPSILON)).sqrt())
    };
    x.chunks(rows.width as usize).map(of_row).unzip()
}

fn layer_norm_backward(rows: &Rows, x: &[f64], weight: &[f64], dy: &[f64]) -> Expected {
    let (means, reciprocals) = moments(rows, x);
    let width = rows.width as usize;
    let (mut dx, mut dw, mut db) = (Vec::new(), vec![0.0; width], vec![0.0; width]);
    for row in 0..rows.rows as usize {
        let (x, dy) = (&x[row * width..][..width], &dy[row * width..][..width]);
        let normal: Vec<f64> = x.iter().map(|x| (x - means[row]) * reciprocals[row]).collect();
        let g: Vec<f64> = dy.iter().zip(weight).map(|(dy, weight)| dy * weight).collect();
        let mean = g.iter().sum::<f64>() / width as f64;
        let along = g.iter().zip(&normal).map(|(g, n)| g * n).sum::<f64>() / width as f64;
        for column in 0..width {
            dx.push((g[column] - mean - normal[column] * along) * reciprocals[row]);
            dw[column] += dy[column] * normal[column];
            db[column] += dy[column];
        }
    }
    vec![(5, dx), (6, dw), (7, db)]
}

fn adam(params: u64, input: impl Fn(usize) -> Vec<f64>) -> Expected {
    let (mut p, g, mut m, mut v) = (input(0), input(1), input(2), input(3));
    let (beta1, beta2) = (f64::from(ADAM.beta1), f64::from(ADAM.beta2));
    for i in 0..params as usize {
        m[i] = beta1 * m[i] + (1.0 - beta1) * g[i];
        v[i] = beta2 * v[i] + (1.0 - beta2) * g[i] * g[i];
        let m_hat = m[i] / (1.0 - beta1.powi(ADAM.update));
        let v_hat = v[i] / (1.0 - beta2.powi(ADAM.update));
        p[i] -= f64::from(ADAM.rate) * m_hat / (v_hat.sqrt() + f64::from(ADAM.epsilon));
    }
    vec![(0, p), (2, m), (3, v)]
}
