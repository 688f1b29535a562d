//! Fused attention in fp32: the scores of one query at a time, never all of them.

use super::super::Heads;
use rayon::prelude::*;

pub(super) fn forward(heads: &Heads, qkv: [&[f32]; 3], output: &mut [f32], log_sums: &mut [f32]) {
    let [tokens, width] = [heads.tokens, heads.width].map(|size| size as usize);
    let size = tokens * width;
    output.par_chunks_mut(size).zip(log_sums.par_chunks_mut(tokens)).enumerate().for_each(
        |(head, (output, log_sums))| {
            let [q, k, v] = qkv.map(|of| &of[head * size..(head + 1) * size]);
            let mut shares = vec![0.0; tokens];
            for ((q, output), log_sum) in q.chunks(width).zip(output.chunks_mut(width)).zip(log_sums) {
                scores(q, k, &mut shares);
                let most = shares.iter().copied().fold(f32::MIN, f32::max);
                let sum: f32 = shares.iter().map(|score| libm::expf(score - most)).sum();
                *log_sum = most + libm::logf(sum);
                output.fill(0.0);
                for (score, v) in shares.iter().zip(v.chunks(width)) {
                    add(output, libm::expf(score - *log_sum), v);
                }
            }
        },
    );
}

/// Gradients of queries, keys and values.
pub(super) fn backward(
    heads: &Heads,
    [q, k, v, output, log_sums, gradient]: [&[f32]; 6],
    [dq, dk, dv]: [&mut [f32]; 3],
) {
    let [tokens, width] = [heads.tokens, heads.width].map(|size| size as usize);
    let size = tokens * width;
    let written = dq.par_chunks_mut(size).zip(dk.par_chunks_mut(size)).zip(dv.par_chunks_mut(size));
    written.enumerate().for_each(|(head, ((dq, dk), dv))| {
        let [q, k, v, output, gradient] =
            [q, k, v, output, gradient].map(|of| &of[head * size..(head + 1) * size]);
        let log_sums = &log_sums[head * tokens..(head + 1) * tokens];
        [&mut *dq, &mut *dk, &mut *dv].into_iter().for_each(|of| of.fill(0.0));
        let scale = 1.0 / (width as f32).sqrt();
        let mut shares = vec![0.0; tokens];
        for query in 0..tokens {
            let [q, output, gradient] =
                [q, output, gradient].map(|of| &of[query * width..(query + 1) * width]);
            scores(q, k, &mut shares);
            let mean = dot(gradient, output);
            for (key, score) in shares.iter().enumerate() {
                let at = key * width..(key + 1) * width;
                let share = libm::expf(score - log_sums[query]);
                add(&mut dv[at.clone()], share, gradient);
                let slope = scale * share * (dot(gradient, &v[at.clone()]) - mean);
                add(&mut dq[query * width..(query + 1) * width], slope, &k[at.clone()]);
                add(&mut dk[at], slope, q);
            }
        }
    });
}

/// Scaled products of a query with all keys.
fn scores(q: &[f32], keys: &[f32], scores: &mut [f32]) {
    let scale = 1.0 / (q.len() as f32).sqrt();
    for (k, score) in keys.chunks(q.len()).zip(scores) {
        *score = scale * dot(q, k);
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f32], times: f32, from: &[f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += times * from;
    }
}
