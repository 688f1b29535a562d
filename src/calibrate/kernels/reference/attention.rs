//! Right values of attention and of its gradients.

use super::super::{Heads, Number};
use super::rows::FP32_WORK;
use super::{Input, Right, last_place, spread};

/// Heads that are compared, of all samples, and tokens of each.
const HEADS: u64 = 4;
const TOKENS: u64 = 12;

/// Roundings on the way: probabilities and their gradients are rounded to the operands' format before they are
/// multiplied, in fp32 their exponentials are a few last places off.
fn work(number: Number) -> f64 {
    match number {
        Number::Bf16 | Number::Fp16 => last_place(number),
        // Products of tensor cores, both factors rounded to 11 bits.
        Number::Tf32 => 2.0_f64.powi(-9),
        Number::Fp32 => FP32_WORK,
    }
}

/// One head of one sample: its queries, keys and values.
struct Head {
    tokens: usize,
    width: usize,
    /// Place of its first number.
    begin: u64,
    q: Vec<f64>,
    k: Vec<f64>,
    v: Vec<f64>,
}

impl Head {
    fn new(heads: &Heads, index: u64, [q, k, v]: [Input; 3]) -> Self {
        let begin = index * heads.tokens * heads.width;
        let all = |of: Input| (0..heads.tokens * heads.width).map(|i| of.at(begin + i)).collect();
        let (tokens, width) = (heads.tokens as usize, heads.width as usize);
        Self { tokens, width, begin, q: all(q), k: all(k), v: all(v) }
    }

    /// One over the root of the width.
    fn scale(&self) -> f64 {
        1.0 / (self.width as f64).sqrt()
    }

    fn token<'a>(&self, of: &'a [f64], index: usize) -> &'a [f64] {
        &of[index * self.width..(index + 1) * self.width]
    }

    /// Probabilities of a query over all keys, and the logarithm of its sum of exponentials.
    fn probabilities(&self, query: usize) -> (Vec<f64>, f64) {
        let scores: Vec<f64> = (0..self.tokens)
            .map(|key| self.scale() * dot(self.token(&self.q, query), self.token(&self.k, key)))
            .collect();
        let most = scores.iter().copied().fold(f64::MIN, f64::max);
        let sum: f64 = scores.iter().map(|score| libm::exp(score - most)).sum();
        let log_sum = most + libm::log(sum);
        (scores.iter().map(|score| libm::exp(score - log_sum)).collect(), log_sum)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A sum of terms whose factors were rounded on the way; errors add up as the root of the sum of squares, six of
/// them to be safe.
fn sum(terms: impl Iterator<Item = f64>, number: Number) -> Right {
    let (value, energy) = terms.fold((0.0, 0.0), |(sum, squares), term| (sum + term, squares + term * term));
    let bound = last_place(number) * f64::abs(value) + 6.0 * work(number) * f64::sqrt(energy);
    Right { value, bound }
}

/// Buffer 3 is the output, 4 the logarithms of sums.
pub(super) fn forward(heads: &Heads, number: Number, qkv: [Input; 3], buffer: usize) -> Vec<(u64, Right)> {
    let mut all = Vec::new();
    for index in spread(heads.batch * heads.heads, HEADS) {
        let head = Head::new(heads, index, qkv);
        for query in spread(heads.tokens, TOKENS) {
            let (shares, log_sum) = head.probabilities(query as usize);
            if buffer == 4 {
                let bound = 4.0 * FP32_WORK * (1.0 + log_sum.abs());
                all.push((index * heads.tokens + query, Right { value: log_sum, bound }));
                continue;
            }
            all.extend((0..head.width).map(|column| {
                let terms = shares.iter().enumerate().map(|(t, p)| p * head.v[t * head.width + column]);
                let place = head.begin + query * heads.width + column as u64;
                (place, sum(terms, number))
            }));
        }
    }
    all
}

/// Buffers 6, 7 and 8: gradients of queries, keys and values.
pub(super) fn backward(
    heads: &Heads,
    number: Number,
    [q, k, v, gradient]: [Input; 4],
    buffer: usize,
) -> Vec<(u64, Right)> {
    let mut all = Vec::new();
    for index in spread(heads.batch * heads.heads, HEADS) {
        let head = Head::new(heads, index, [q, k, v]);
        let gradient: Vec<f64> =
            (0..heads.tokens * heads.width).map(|i| gradient.at(head.begin + i)).collect();
        let (tokens, width) = (head.tokens, head.width);
        // The output is rounded before it is multiplied by its gradient: an error that all keys of a query share.
        let mut shared_errors = vec![0.0; tokens];
        // By query and key: probabilities, and gradients of the scores.
        let shares: Vec<Vec<f64>> = (0..tokens).map(|query| head.probabilities(query).0).collect();
        let slopes: Vec<Vec<f64>> = (0..tokens)
            .map(|query| {
                let of_shares: Vec<f64> = (0..tokens)
                    .map(|key| dot(head.token(&gradient, query), head.token(&head.v, key)))
                    .collect();
                let mean = dot(&shares[query], &of_shares);
                let terms = (0..width).map(|column| {
                    let output: f64 =
                        (0..tokens).map(|key| shares[query][key] * head.v[key * width + column]).sum();
                    let term = output * gradient[query * width + column];
                    term * term
                });
                shared_errors[query] = 3.0 * work(number) * f64::sqrt(terms.sum());
                (0..tokens).map(|key| shares[query][key] * (of_shares[key] - mean)).collect()
            })
            .collect();
        for token in spread(heads.tokens, TOKENS) {
            let at = token as usize;
            all.extend((0..width).map(|column| {
                let number_of = |of: &[f64], t: usize| of[t * width + column];
                let others = 0..tokens;
                let scale = head.scale();
                let (right, shared) = match buffer {
                    6 => {
                        let mean: f64 = others.clone().map(|t| shares[at][t] * number_of(&head.k, t)).sum();
                        let terms = others.map(|t| scale * slopes[at][t] * number_of(&head.k, t));
                        (sum(terms, number), scale * shared_errors[at] * mean.abs())
                    }
                    7 => {
                        let part = |t: usize| shares[t][at] * shared_errors[t] * number_of(&head.q, t).abs();
                        let shared: f64 = others.clone().map(part).sum();
                        let terms = others.map(|t| scale * slopes[t][at] * number_of(&head.q, t));
                        (sum(terms, number), scale * shared)
                    }
                    _ => (sum(others.map(|t| shares[t][at] * number_of(&gradient, t)), number), 0.0),
                };
                let right = Right { bound: right.bound + shared, ..right };
                (head.begin + token * heads.width + column as u64, right)
            }));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::super::{Format, Values};
    use super::*;

    fn input(seed: u32) -> Input {
        Input { values: Values { seed, scale: 1.0, positive: false }, format: Format::Fp32 }
    }

    /// Two tokens of width 1 by hand: probabilities are logistic in the difference of two scores.
    #[test]
    fn two_tokens_share_by_a_logistic() {
        let heads = Heads { batch: 1, heads: 1, tokens: 2, width: 1 };
        let (q, k, v) = (input(1), input(2), input(3));
        let share = 1.0 / (1.0 + libm::exp(q.at(0) * (k.at(1) - k.at(0))));
        let right = share * v.at(0) + (1.0 - share) * v.at(1);
        let ours = forward(&heads, Number::Fp32, [q, k, v], 3)[0].1;
        assert!((ours.value - right).abs() < 1e-12);
    }

    /// The output weighted by its gradient.
    fn weighted(head: &Head, gradient: Input) -> f64 {
        let of_query = |query: usize| {
            let (shares, _) = head.probabilities(query);
            let output =
                |c: usize| (0..head.tokens).map(|t| shares[t] * head.v[t * head.width + c]).sum::<f64>();
            (0..head.width).map(|c| output(c) * gradient.at((query * head.width + c) as u64)).sum::<f64>()
        };
        (0..head.tokens).map(of_query).sum()
    }

    /// Gradients are slopes: moving one number by 1e-6 moves the weighted sum of the output by as much as its
    /// gradient says. Central difference, error of second order.
    #[test]
    fn gradients_are_slopes() {
        let heads = Heads { batch: 1, heads: 1, tokens: 5, width: 3 };
        let inputs = [input(1), input(2), input(3)];
        let gradient = input(4);
        let change: [fn(&mut Head) -> &mut Vec<f64>; 3] = [|h| &mut h.q, |h| &mut h.k, |h| &mut h.v];
        for (buffer, of) in (6..).zip(change) {
            let moved = |by: f64| {
                let mut head = Head::new(&heads, 0, inputs);
                of(&mut head)[4] += by;
                weighted(&head, gradient)
            };
            let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
            let [q, k, v] = inputs;
            let rights = backward(&heads, Number::Fp32, [q, k, v, gradient], buffer);
            let ours = rights.iter().find(|(place, _)| *place == 4).unwrap().1.value;
            assert!((ours - slope).abs() < 1e-8, "{buffer}: {ours} {slope}");
        }
    }
}
