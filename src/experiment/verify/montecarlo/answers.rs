//! Our answer to each kind of row.

use super::given::{Given, MODULUS, uniforms};
use crate::analytic::{gang_loss_rate, useful_share};
use crate::stats::special::beta_regularized;
use crate::stats::{
    Interval, Moments, PairMoments, Running, clopper_pearson, first_narrow_enough, order_statistic_ranks,
    product_limit, restricted_mean, sample_quantile, samples_for_relative, samples_for_upper_bound,
    survival_quantile, wilson,
};
use serde_json::{Value, json};

/// The longest sample that a stopping rule is tried on.
const SAMPLES_MAX: usize = 1_000_000;
const DAY_S: f64 = 86_400.0;

type Answer = Result<Value, String>;

/// The figures of a row by name, those that do not exist null; the reason where its kind is not covered.
pub(super) fn answer(kind: &str, given: &Given) -> Answer {
    match kind {
        "mean_ci_t" => mean(&given.list("x")?.into_iter().collect(), given, Running::student_interval),
        "mean_ci_z" => mean(&given.list("x")?.into_iter().collect(), given, Running::normal_interval),
        "wilson" => share(given, wilson),
        "clopper_pearson" => share(given, clopper_pearson),
        "quantile_ranks" => ranks(given),
        "quantile_type7" => {
            let p = given.number("p")?;
            if !(0.0..=1.0).contains(&p) {
                return Err("input `p`: from 0 to 1".into());
            }
            Ok(json!({ "q": sample_quantile(&given.list("x")?, p) }))
        }
        "kaplan_meier" => survival(given),
        "naive_mean_of_finished" => finished(given),
        "sequential_stop_z" => stop(given),
        "batch_means_ci_t" => batches(given),
        "lcg" => {
            let us = uniforms(given.count_below("seed", MODULUS)?).take(given.count("n")? as usize);
            Ok(json!({ "u": us.collect::<Vec<f64>>() }))
        }
        "paired_difference_crn" | "paired_difference_independent" => paired(given),
        "antithetic_pairs_ci_t" => antithetic(given),
        "cost_per_finished_run" => cost(given),
        "sample_size_relative" => {
            let n =
                samples_for_relative(positive(given, "rel")?, positive(given, "cv")?, given.confidence()?);
            Ok(json!({ "n": n }))
        }
        "wilks_one_sided_n" => {
            Ok(json!({ "n": samples_for_upper_bound(given.share("p")?, given.confidence()?) }))
        }
        "ettr_meta" => ettr(given),
        "gang_rate" => {
            let rate = |name| given.number(name);
            let nodes = u32::try_from(given.count("n")?).map_err(|_| "too many nodes")?;
            let hit = rate("hit_probability")?;
            if !(0.0..=1.0).contains(&hit) {
                return Err("input `hit_probability`: from 0 to 1".into());
            }
            let rate = gang_loss_rate(nodes, rate("own_rate_per_s")?, rate("shock_rate_per_s")?, hit);
            Ok(json!({ "rate_per_s": rate }))
        }
        _ => Err(format!("kind {kind}: not known")),
    }
}

fn positive(given: &Given, name: &str) -> Result<f64, String> {
    let number = given.number(name)?;
    if number > 0.0 { Ok(number) } else { Err(format!("input `{name}`: above 0")) }
}

fn ends(interval: Option<Interval>) -> (Option<f64>, Option<f64>) {
    (interval.map(|interval| interval.low), interval.map(|interval| interval.high))
}

fn mean(all: &Running, given: &Given, interval: impl Fn(&Running, f64) -> Option<Interval>) -> Answer {
    let (lo, hi) = ends(interval(all, given.confidence()?));
    Ok(json!({ "mean": all.mean(), "sd": all.sd(), "lo": lo, "hi": hi }))
}

fn share(given: &Given, interval: impl Fn(u64, u64, f64) -> Option<Interval>) -> Answer {
    let (k, n) = (given.count("k")?, given.count("n")?);
    if k > n {
        return Err("more successes than trials".into());
    }
    let (lo, hi) = ends(interval(k, n, given.confidence()?));
    Ok(json!({ "lo": lo, "hi": hi }))
}

/// Ranks, and the chance P(l ≤ Bin(n, p) < u) that the order statistics with these ranks hold the quantile.
fn ranks(given: &Given) -> Answer {
    let (n, p) = (given.count("n")?, given.share("p")?);
    if n == 0 {
        return Err("no samples".into());
    }
    let (l, u) = order_statistic_ranks(n, p, given.confidence()?);
    let at_least = |k: u64| beta_regularized(k as f64, (n - k) as f64 + 1.0, p);
    let coverage = l.map_or(1.0, at_least) - u.map_or(0.0, at_least);
    Ok(json!({ "l": l, "u": u, "coverage": coverage }))
}

fn survival(given: &Given) -> Answer {
    let times = given.times()?;
    let steps = product_limit(&times);
    let longest = times.iter().map(|(time, _)| *time).fold(0.0, f64::max);
    let rows: Vec<Value> =
        steps.iter().map(|step| json!([step.time, step.at_risk, step.ended, step.share])).collect();
    Ok(json!({
        "steps": rows,
        "rmst_to_max": restricted_mean(&steps, longest),
        "median": survival_quantile(&steps, 0.5),
        "p90": survival_quantile(&steps, 0.9),
    }))
}

fn finished(given: &Given) -> Answer {
    let times = given.times()?;
    let finished: Running = times.iter().filter(|(_, finished)| *finished).map(|(time, _)| *time).collect();
    let horizon = times.iter().map(|(time, _)| *time).fold(0.0, f64::max);
    let share = finished.count() as f64 / times.len() as f64;
    Ok(json!({ "mean_finished": finished.mean(), "finish_probability": share, "horizon": horizon }))
}

fn stop(given: &Given) -> Answer {
    let formula = given.formula("sample")?;
    let sample = given.uniforms()?.skip(formula.shift).take(SAMPLES_MAX).map(|u| formula.at(u));
    let confidence = given.confidence()?;
    let stopped = first_narrow_enough(sample, positive(given, "rel")?, confidence, given.count("nmin")?);
    let interval = stopped.and_then(|all| all.normal_interval(confidence));
    Ok(json!({
        "n": stopped.map(|all| all.count()),
        "mean": stopped.and_then(|all| all.mean()),
        "half_width": interval.map(|interval| interval.half_width()),
    }))
}

fn batches(given: &Given) -> Answer {
    let (n, batches) = (given.count("n")? as usize, given.count("batches")? as usize);
    if batches == 0 || !n.is_multiple_of(batches) || n == 0 {
        return Err("as many samples in each batch".into());
    }
    let formula = given.formula("sample")?;
    let sample: Vec<f64> = given.uniforms()?.skip(formula.shift).take(n).map(|u| formula.at(u)).collect();
    let means: Running = sample
        .chunks(n / batches)
        .filter_map(|batch| batch.iter().copied().collect::<Running>().mean())
        .collect();
    let (lo, hi) = ends(means.student_interval(given.confidence()?));
    Ok(json!({ "mean": means.mean(), "sd_of_batches": means.sd(), "lo": lo, "hi": hi }))
}

fn paired(given: &Given) -> Answer {
    let (a, b, n) = (given.formula("a")?, given.formula("b")?, given.count("n")? as usize);
    let us: Vec<f64> =
        given.uniforms()?.take(n.saturating_add(a.shift.max(b.shift)).min(SAMPLES_MAX)).collect();
    let pairs = us.iter().skip(a.shift).zip(us.iter().skip(b.shift)).take(n);
    mean(&pairs.map(|(one, other)| a.at(*one) - b.at(*other)).collect(), given, Running::student_interval)
}

/// One observation a pair of -ln(1 - u) and -ln u.
fn antithetic(given: &Given) -> Answer {
    let pairs = given.uniforms()?.take(given.count("pairs")? as usize);
    let all = pairs.map(|u| -0.5 * (libm::log1p(-u) + libm::log(u))).collect();
    mean(&all, given, Running::student_interval)
}

/// Σ cost/Σ finished in nano-dollars, and the lower mean of those that finished.
fn cost(given: &Given) -> Answer {
    let (costs, finished) = (given.list("cost_usd")?, given.list("finished")?);
    if costs.len() != finished.len() {
        return Err("as many costs as ends".into());
    }
    let (mut all, mut of_finished) = (PairMoments::default(), Moments::default());
    for (cost, finished) in costs.iter().zip(finished) {
        let nanos = (cost * 1e9).round() as i64;
        let finished = i64::from(finished != 0.0);
        all.push(nanos, finished);
        if finished == 1 {
            of_finished.push(nanos);
        }
    }
    let usd = |nanos: Option<f64>| nanos.map(|nanos| nanos * 1e-9);
    let (lo, hi) = ends(all.ratio_interval(given.confidence()?));
    Ok(json!({
        "ratio": usd(all.ratio()),
        "mean_cost_of_finished": usd(of_finished.mean()),
        "lo": usd(lo),
        "hi": usd(hi),
    }))
}

fn ettr(given: &Given) -> Answer {
    let share = useful_share(
        given.number("nodes")?,
        given.number("failures_per_node_day")? / DAY_S,
        given.number("u0_s")?,
        positive(given, "interval_s")?,
        given.number("save_stall_s")?,
    );
    Ok(json!({ "ettr": share }))
}
