//! The `[capacity]` table to paste, with what it was fitted on.

use super::words::{between, digits, law, range, span};
use crate::report::number::fixed;
use crate::report::text::inert;
use crate::trace::fit::{Best, ByHour, CalmStorm, Of, Study, Times};

/// The table of a study; only a comment where too little was seen.
pub fn paste(study: &Study) -> String {
    let mut lines = vec![format!("# Fitted by spotsim trace fit to {}", inert(&study.title))];
    if let Some((begin, end)) = study.window {
        lines.push(format!("# from {begin} to {end}"));
    }
    match &study.of {
        Of::Lifetimes(times) => {
            lines.extend(grounds("lifetimes", times));
            if study.best() == Best::Lifetime {
                lines.push("[capacity]".to_owned());
                lines.push("always = {}".to_owned());
                lines.extend(of_times(times).map(|law| format!("lifetime = {law}")));
            }
        }
        Of::Capacity { uptimes, gaps, calm_storm, by_hour } => {
            lines.extend(grounds("uptimes", uptimes));
            lines.extend(grounds("gaps", gaps));
            lines.extend(match (study.best(), calm_storm, by_hour) {
                (Best::CalmStorm, Some(chain), _) => markov(chain),
                (Best::ByHour, _, Some((loss, back))) => diurnal(loss, back),
                (Best::TooFew, ..) => vec!["# Too little was seen for a table of capacity.".to_owned()],
                _ => renewal(uptimes, gaps),
            });
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// What a law stands on, in comments.
fn grounds(what: &str, times: &Times) -> Vec<String> {
    let mut text = format!("# {what}: {} ended, {} cut off", times.complete, times.cut_off);
    if let Some(best) = times.best() {
        text += &format!("; {} fits best", best.fit.family.name());
        if let Some(next) = times.laws.get(1) {
            text += &format!(", {} next, AIC {} more", next.fit.family.name(), fixed(next.behind, 1));
        }
        if let Some(p) = best.p_value {
            text += &format!("; distance {}, p {}", fixed(best.distance, 3), fixed(p, 3));
        }
        return vec![text, format!("#   95 %: {}", range(&best.fit.parameters))];
    }
    if let Some((low, high)) = times.mean_range_s.filter(|_| times.alike_s.is_none()) {
        text += &match high {
            Some(high) => format!("; too few for a number: the mean lies between {}", between(low, high)),
            None => format!("; the mean is above {}", span(low)),
        };
    }
    vec![text]
}

fn of_times(times: &Times) -> Option<String> {
    let cap = times.cap().map(crate::units::Span::as_secs);
    let constant = times.alike_s.map(|alike| format!("\"{}\"", span(alike)));
    times.best().map(|best| law(&best.fit, cap)).or(constant)
}

fn renewal(uptimes: &Times, gaps: &Times) -> Vec<String> {
    let mut lines = vec!["[capacity.renewal]".to_owned()];
    lines.extend(of_times(uptimes).map(|law| format!("uptime = {law}")));
    lines.extend(of_times(gaps).map(|law| format!("gap = {law}")));
    lines.push("begin = \"stationary\"".to_owned());
    lines
}

/// Four states; whichever clock rings first is where it goes.
fn markov(chain: &CalmStorm) -> Vec<String> {
    let [loss_calm, loss_storm, back_calm, back_storm, to_storm, to_calm] =
        chain.means.map(|p| span(p.value));
    let state = |name: &str, nodes: &str, to: [(&str, &String); 2]| {
        let to: Vec<String> = to.iter().map(|(name, mean)| format!("{name} = \"{mean}\"")).collect();
        [
            String::new(),
            "[[capacity.markov.state]]".to_owned(),
            format!("name = \"{name}\""),
            format!("nodes = {nodes}"),
            format!("to = {{ {} }}", to.join(", ")),
        ]
    };
    let any = "\"any\"";
    let states = [
        state("calm_up", any, [("calm_down", &loss_calm), ("stormy_up", &to_storm)]),
        state("calm_down", "0", [("calm_up", &back_calm), ("stormy_down", &to_storm)]),
        state("stormy_up", any, [("stormy_down", &loss_storm), ("calm_up", &to_calm)]),
        state("stormy_down", "0", [("stormy_up", &back_storm), ("calm_down", &to_calm)]),
    ];
    let head = [
        "# Calm and stormy by turns, which explains the times better than laws do.".to_owned(),
        "[capacity.markov]".to_owned(),
        "begin = \"stationary\"".to_owned(),
    ];
    head.into_iter().chain(states.into_iter().flatten()).collect()
}

fn diurnal(loss: &ByHour, back: &ByHour) -> Vec<String> {
    let list = |by: &ByHour| by.factors.map(digits).join(", ");
    vec![
        "# Rates change with the hour of the day (UTC), which explains the times better than laws do."
            .to_owned(),
        "[capacity.diurnal]".to_owned(),
        format!("uptime = \"{}\"", span(loss.mean.value)),
        format!("gap = \"{}\"", span(back.mean.value)),
        format!("loss_by_hour = [{}]", list(loss)),
        format!("return_by_hour = [{}]", list(back)),
    ]
}
