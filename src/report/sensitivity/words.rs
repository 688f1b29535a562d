//! Results and findings in words.

use super::super::number;
use super::{SensitivityView, text};
use crate::experiment::CONFIDENCE;
use crate::experiment::sensitivity::{Finding, Found, Indices};
use crate::stats::wilson;

/// Inputs told in a sentence.
const TOLD_MAX: usize = 3;
/// Inputs below this share of the variance, or of the largest effect, are not told.
const TOLD_FROM: f64 = 0.1;
/// From this share of noise on indices say little.
const MOSTLY_NOISE: f64 = 0.5;

/// A result as people name it.
pub(in crate::report) fn result_name(result: &str) -> String {
    match result {
        "cost_per_finished_usd" => "cost per finished run".to_owned(),
        "cost_usd_mean" => "mean cost".to_owned(),
        "makespan_h_mean" => "mean makespan".to_owned(),
        "deadline_probability" => "the chance to be in time".to_owned(),
        "finish_probability" => "the chance to finish".to_owned(),
        other => other.to_owned(),
    }
}

/// A result's value with its unit: `$18.35`, `7.25 h`, `41.0 %`.
pub(in crate::report) fn amount(result: &str, value: f64) -> String {
    let has = |word: &str| result.split('_').any(|part| part == word);
    if has("usd") {
        number::usd(value)
    } else if has("h") {
        number::hours(value)
    } else if ["probability", "savings", "goodput", "ettr", "mfu"].into_iter().any(has) {
        format!("{} %", number::fixed(value * 100.0, 1))
    } else {
        number::fixed(value, number::decimals([value]))
    }
}

/// The same of a result itself, not of a difference: what happened in all or in none of `n` replications is told by
/// its bound, `> 99.6 %`.
pub(in crate::report) fn level(result: &str, value: f64, n: u64) -> String {
    let of_all = if value >= 1.0 { n } else { 0 };
    let is_bound = result.split('_').any(|part| part == "probability") && (value >= 1.0 || value <= 0.0);
    match wilson(of_all, n, CONFIDENCE).filter(|_| is_bound) {
        Some(share) => format!("{} %", number::share_value(&share, n)),
        None => amount(result, value),
    }
}

/// A share with its sign: `3.1 %`.
pub(in crate::report) fn percent_of(share: f64) -> String {
    format!("{} %", number::percent(share))
}

/// The finding of a cluster and result.
pub fn sentence(view: &SensitivityView<'_>, finding: &Finding) -> String {
    let subject = format!("{}: {}", text::name(&finding.cluster), result_name(&finding.result));
    let name = |input: usize| text::name(&view.inputs[input].name);
    let result = &finding.result;
    match &finding.found {
        Found::Lacking { points, first } => {
            let of = number::count(view.points() as u64);
            let them = number::count(*points as u64);
            format!(
                "{subject} does not exist at {them} of {of} points, the first of them {first}: narrow the ranges, or ask for \
                 another --result."
            )
        }
        Found::Sobol(indices) => format!("{subject} {}", driven(view, finding, indices)),
        Found::Morris(effects) => {
            let size = |input: usize| effects[input].mean_size.value;
            let ranked = view.ranked(size);
            let most = ranked.first().map_or(0.0, |&input| size(input));
            if most == 0.0 {
                return format!("{subject} does not move with any of these inputs.");
            }
            let told = ranked.into_iter().filter(|&input| size(input) >= TOLD_FROM * most).take(TOLD_MAX);
            let told: Vec<String> =
                told.map(|input| format!("{} ({})", name(input), amount(result, size(input)))).collect();
            format!("{subject} moves most with {}{}.", text::listed(told, TOLD_MAX), noise(finding))
        }
        Found::OneAtATime { base, bars } => match bars.first().filter(|bar| bar.width() > 0.0) {
            None => format!("{subject} does not move with any of these inputs."),
            Some(bar) => {
                let (low, high) = (bar.at_low.min(bar.at_high), bar.at_low.max(bar.at_high));
                let [low, high, base] =
                    [low, high, *base].map(|value| level(result, value, view.replications));
                format!(
                    "{subject}, {base} as the scenario has it, goes from {low} to {high} with {}.",
                    name(bar.input)
                )
            }
        },
    }
}

/// "is driven by uptime (ST 0.61) and restore (0.22); interactions make 0.07."
fn driven(view: &SensitivityView<'_>, finding: &Finding, indices: &Indices) -> String {
    let total = |input: usize| indices.total[input].value;
    let ranked = view.ranked(total);
    let Some(&first) = ranked.first().filter(|&&input| total(input) > 0.0) else {
        return "does not hang on any of these inputs.".to_owned();
    };
    if finding.noise.is_some_and(|noise| noise > MOSTLY_NOISE) {
        let share = percent_of(finding.noise.unwrap_or(1.0));
        return format!(
            "varies between points little more than by chance (noise up to {share}): more --replications would tell what \
             drives it."
        );
    }
    let told =
        ranked.iter().copied().filter(|&input| input == first || total(input) >= TOLD_FROM).take(TOLD_MAX);
    let told = told.enumerate().map(|(place, input)| {
        let label = if place == 0 { "ST " } else { "" };
        format!("{} ({label}{})", text::name(&view.inputs[input].name), number::fixed(total(input), 2))
    });
    let told = text::listed(told.collect(), TOLD_MAX);
    let together = 1.0 - indices.first.iter().map(|index| index.value).sum::<f64>();
    let together = match together >= TOLD_FROM / 2.0 {
        true => format!("; inputs together make {} beyond what each makes alone", number::fixed(together, 2)),
        false => String::new(),
    };
    format!("is driven by {told}{together}{}.", noise(finding))
}

/// Noise that should not go unsaid.
fn noise(finding: &Finding) -> String {
    match finding.noise {
        Some(noise) if noise >= 0.01 => format!("; noise up to {}", percent_of(noise)),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wilson's interval of 1,000 of 1,000 begins at 1/(1 + z²/1,000) = 0.99617, told with the digits that stay true.
    #[test]
    fn a_chance_of_one_is_told_by_its_bound() {
        assert_eq!(level("deadline_probability", 1.0, 1_000), "> 99.6 %");
        assert_eq!(level("deadline_probability", 0.5, 1_000), "50.0 %");
        assert_eq!(level("cost_usd_mean", 1.0, 1_000), "$1.00");
    }

    #[test]
    fn values_have_the_unit_of_their_result() {
        let told = [
            amount("cost_per_finished_usd", 18.349),
            amount("cost_usd_mean", -1.5),
            amount("makespan_h_p95", 7.25),
            amount("deadline_probability", 0.9314),
            amount("preemptions_mean", 3.456),
        ];
        assert_eq!(told, ["$18.35", "−$1.50", "7.25 h", "93.1 %", "3.46"]);
    }
}
