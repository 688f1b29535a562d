//! What every task's buffers hold after it, by plain loops in double precision.

use spotsim::calibrate::kernels::{ADAM, Begin, Format, Heads, NORM_EPSILON, Pass, Rows, Task, Values, Work};
use spotsim::compute::Product;

type Numbers = Vec<f64>;

/// All buffers of a task, in its order, after it ran once. Those that it does not write hold what they began with.
pub fn expected(task: &Task) -> Vec<Numbers> {
    let mut all: Vec<Numbers> = task
        .buffers()
        .iter()
        .map(|buffer| {
            let number = |place: u64| match buffer.begin {
                Begin::Values(values) => f64::from(values.at(place as u32, buffer.format)),
                Begin::Poison | Begin::Forward => 0.0,
            };
            (0..buffer.numbers).map(number).collect()
        })
        .collect();
    match &task.work {
        Work::Gemm(pass, product) | Work::BatchedGemm(pass, product) => multiply(&mut all, *pass, product),
        Work::Attention(heads) => attention(&mut all, heads),
        Work::AttentionBackward(heads) => attention_backward(&mut all, heads),
        Work::Softmax(rows) => softmax(&mut all, rows),
        Work::LayerNorm(rows) => layer_norm(&mut all, rows),
        Work::LayerNormBackward(rows) => layer_norm_backward(&mut all, rows),
        Work::Gelu(_) => all[1] = all[0].iter().map(|x| x * chance(*x)).collect(),
        Work::GeluBackward(_) => {
            all[2] = all[0].iter().zip(&all[1]).map(|(x, dy)| dy * (chance(*x) + x * density(*x))).collect();
        }
        Work::ResidualAdd(_) => all[2] = all[0].iter().zip(&all[1]).map(|(a, b)| a + b).collect(),
        Work::ColumnSum(rows) => {
            for (at, x) in all[0].clone().iter().enumerate() {
                all[1][at % rows.width as usize] += x;
            }
        }
        Work::Memcpy(_) => all[1] = all[0].clone(),
        Work::Adam(_) | Work::AdamForEach(_) => adam(&mut all),
        Work::HostCopy(_) | Work::HostCopyPinned(_) => {
            let values = Values { seed: 1, scale: 1.0, positive: false };
            let numbers = all[0].len() as u32;
            all[0] = (0..numbers).map(|at| f64::from(values.at(at, Format::Fp32))).collect();
        }
        Work::Launch => {}
    }
    all
}

fn multiply(all: &mut [Numbers], pass: Pass, product: &Product) {
    let [m, n, k, batch] = [product.m, product.n, product.k, product.batch].map(|size| size as usize);
    for b in 0..batch {
        for i in 0..m {
            for j in 0..n {
                let mut sum = 0.0;
                for l in 0..k {
                    let left = if pass == Pass::Wgrad { l * m + i } else { i * k + l };
                    let right = if pass == Pass::Forward { j * k + l } else { l * n + j };
                    sum += all[0][b * m * k + left] * all[1][b * k * n + right];
                }
                all[2][(b * m + i) * n + j] = sum;
            }
        }
    }
}

/// Weights of one head, and of each query the logarithm of its sum.
fn weights(all: &[Numbers], heads: &Heads, head: usize) -> (Numbers, Numbers) {
    let (tokens, width) = (heads.tokens as usize, heads.width as usize);
    let at = |buffer: usize, token: usize| {
        let begin = (head * tokens + token) * width;
        &all[buffer][begin..begin + width]
    };
    let (mut weights, mut log_sums) = (Vec::new(), Vec::new());
    for i in 0..tokens {
        let score =
            |j| at(0, i).iter().zip(at(1, j)).map(|(a, b)| a * b).sum::<f64>() / (width as f64).sqrt();
        let scores: Numbers = (0..tokens).map(score).collect();
        let sum: f64 = scores.iter().map(|score| libm::exp(*score)).sum();
        weights.extend(scores.iter().map(|score| libm::exp(*score) / sum));
        log_sums.push(libm::log(sum));
    }
    (weights, log_sums)
}

fn attention(all: &mut [Numbers], heads: &Heads) {
    let (tokens, width) = (heads.tokens as usize, heads.width as usize);
    for head in 0..(heads.batch * heads.heads) as usize {
        let (weights, log_sums) = weights(all, heads, head);
        for i in 0..tokens {
            for c in 0..width {
                let value = |j: usize| weights[i * tokens + j] * all[2][(head * tokens + j) * width + c];
                all[3][(head * tokens + i) * width + c] = (0..tokens).map(value).sum();
            }
            all[4][head * tokens + i] = log_sums[i];
        }
    }
}

/// By the chain rule: of values `Pᵀ dO`, of weights `dP = dO Vᵀ`, of scores `P (dP - sum of P dP)`.
fn attention_backward(all: &mut [Numbers], heads: &Heads) {
    attention(all, heads);
    let (tokens, width) = (heads.tokens as usize, heads.width as usize);
    for head in 0..(heads.batch * heads.heads) as usize {
        let (weights, _) = weights(all, heads, head);
        let place = |token: usize, c: usize| (head * tokens + token) * width + c;
        for i in 0..tokens {
            let slope =
                |j: usize| -> f64 { (0..width).map(|c| all[5][place(i, c)] * all[2][place(j, c)]).sum() };
            let slopes: Numbers = (0..tokens).map(slope).collect();
            let mean: f64 = (0..tokens).map(|j| weights[i * tokens + j] * slopes[j]).sum();
            for j in 0..tokens {
                let weight = weights[i * tokens + j];
                let score = weight * (slopes[j] - mean) / (width as f64).sqrt();
                for c in 0..width {
                    let (q, k, dy) = (all[0][place(i, c)], all[1][place(j, c)], all[5][place(i, c)]);
                    all[6][place(i, c)] += score * k;
                    all[7][place(j, c)] += score * q;
                    all[8][place(j, c)] += weight * dy;
                }
            }
        }
    }
}

fn softmax(all: &mut [Numbers], rows: &Rows) {
    for (x, y) in all[0].clone().chunks(rows.width as usize).zip(all[1].chunks_mut(rows.width as usize)) {
        let sum: f64 = x.iter().map(|x| libm::exp(*x)).sum();
        for (x, y) in x.iter().zip(y) {
            *y = libm::exp(*x) / sum;
        }
    }
}

fn moments(row: &[f64]) -> (f64, f64) {
    let mean = row.iter().sum::<f64>() / row.len() as f64;
    let variance = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / row.len() as f64;
    (mean, 1.0 / (variance + f64::from(NORM_EPSILON)).sqrt())
}

fn layer_norm(all: &mut [Numbers], rows: &Rows) {
    let width = rows.width as usize;
    for row in 0..rows.rows as usize {
        let (mean, reciprocal) = moments(&all[0][row * width..(row + 1) * width]);
        (all[4][row], all[5][row]) = (mean, reciprocal);
        for c in 0..width {
            all[3][row * width + c] = (all[0][row * width + c] - mean) * reciprocal * all[1][c] + all[2][c];
        }
    }
}

fn layer_norm_backward(all: &mut [Numbers], rows: &Rows) {
    let width = rows.width as usize;
    for row in 0..rows.rows as usize {
        let x = all[0][row * width..(row + 1) * width].to_vec();
        let dy = all[4][row * width..(row + 1) * width].to_vec();
        let (mean, reciprocal) = moments(&x);
        (all[2][row], all[3][row]) = (mean, reciprocal);
        let normal: Numbers = x.iter().map(|x| (x - mean) * reciprocal).collect();
        let slope: Numbers = dy.iter().zip(&all[1]).map(|(dy, weight)| dy * weight).collect();
        let sum = slope.iter().sum::<f64>() / width as f64;
        let product = slope.iter().zip(&normal).map(|(a, b)| a * b).sum::<f64>() / width as f64;
        for c in 0..width {
            all[5][row * width + c] = reciprocal * (slope[c] - sum - normal[c] * product);
            all[6][c] += dy[c] * normal[c];
            all[7][c] += dy[c];
        }
    }
}

/// D. P. Kingma and J. Ba (2015), algorithm 1.
fn adam(all: &mut [Numbers]) {
    let [rate, beta1, beta2, epsilon] = [ADAM.rate, ADAM.beta1, ADAM.beta2, ADAM.epsilon].map(f64::from);
    let update = f64::from(ADAM.update);
    let [correction1, correction2] = [beta1, beta2].map(|beta| 1.0 - libm::pow(beta, update));
    for i in 0..all[0].len() {
        let gradient = all[1][i];
        all[2][i] = beta1 * all[2][i] + (1.0 - beta1) * gradient;
        all[3][i] = beta2 * all[3][i] + (1.0 - beta2) * gradient * gradient;
        all[0][i] -= rate * (all[2][i] / correction1) / ((all[3][i] / correction2).sqrt() + epsilon);
    }
}

/// The normal distribution's chance below x.
fn chance(x: f64) -> f64 {
    0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
}

fn density(x: f64) -> f64 {
    libm::exp(-0.5 * x * x) / (2.0 * std::f64::consts::PI).sqrt()
}
