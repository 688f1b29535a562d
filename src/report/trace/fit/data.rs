//! Fitted laws as JSON and CSV.

use super::paste::paste;
use crate::report::json::{number, to_bytes};
use crate::trace::fit::{Best, Judged, Of, Parameter, Study, Times};
use serde_json::{Value, json};

/// `{schema, studies}`; times in seconds, a figure that does not exist is null.
pub fn json(studies: &[Study]) -> Vec<u8> {
    to_bytes(&json!({ "schema": 1, "studies": studies.iter().map(study).collect::<Vec<_>>() }))
}

fn study(study: &Study) -> Value {
    let candidates = study.candidates();
    let processes =
        candidates.iter().map(|(best, aic)| json!({ "process": word(*best), "aic": number(Some(*aic)) }));
    let (uptimes, gaps, lifetimes, chain, hours) = match &study.of {
        Of::Lifetimes(all) => (None, None, Some(times(all)), None, None),
        Of::Capacity { uptimes, gaps, calm_storm, by_hour } => (
            Some(times(uptimes)),
            Some(times(gaps)),
            None,
            calm_storm.as_ref().map(|chain| chain.means.iter().map(parameter).collect::<Vec<_>>()),
            by_hour.as_ref().map(|(loss, back)| {
                [("loss", loss), ("return", back)].map(|(name, by)| {
                    json!({
                        "rate_of": name,
                        "mean": parameter(&by.mean),
                        "factors_by_hour": by.factors,
                        "p_value": number(Some(by.p_value)),
                    })
                })
            }),
        ),
    };
    json!({
        "title": study.title,
        "begin": study.window.map(|(begin, _)| begin.to_string()),
        "end": study.window.map(|(_, end)| end.to_string()),
        "best": word(study.best()),
        "processes": processes.collect::<Vec<_>>(),
        "uptimes": uptimes,
        "gaps": gaps,
        "lifetimes": lifetimes,
        "calm_storm": chain,
        "by_hour": hours,
        "capacity_toml": paste(study),
    })
}

const fn word(best: Best) -> &'static str {
    match best {
        Best::Renewal => "renewal",
        Best::CalmStorm => "markov",
        Best::ByHour => "diurnal",
        Best::Lifetime => "lifetime",
        Best::TooFew => "too_few",
    }
}

fn times(times: &Times) -> Value {
    json!({
        "complete": times.complete,
        "cut_off": times.cut_off,
        "mean_low_s": number(times.mean_range_s.map(|(low, _)| low)),
        "mean_high_s": number(times.mean_range_s.and_then(|(_, high)| high)),
        "laws": times.laws.iter().map(law).collect::<Vec<_>>(),
    })
}

fn law(law: &Judged) -> Value {
    json!({
        "law": law.fit.family.name(),
        "ln_likelihood": number(Some(law.fit.ln_likelihood)),
        "aic": number(Some(law.fit.aic())),
        "aic_more": number(Some(law.behind)),
        "distance": number(Some(law.distance)),
        "p_value": number(law.p_value),
        "parameters": law.fit.parameters.iter().map(parameter).collect::<Vec<_>>(),
    })
}

fn parameter(p: &Parameter) -> Value {
    json!({
        "name": if p.is_time { format!("{}_s", p.name) } else { p.name.to_owned() },
        "value": number(Some(p.value)),
        "low": number(Some(p.low)),
        "high": number(Some(p.high)),
    })
}

/// A row for each number of each law.
pub fn csv(studies: &[Study]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let head = [
        "title",
        "times",
        "complete",
        "cut_off",
        "law",
        "aic_more",
        "distance",
        "p_value",
        "parameter",
        "value",
        "low",
        "high",
    ];
    let mut rows = vec![head.map(str::to_owned)];
    for study in studies {
        let kinds = match &study.of {
            Of::Lifetimes(times) => vec![("lifetimes", times)],
            Of::Capacity { uptimes, gaps, .. } => vec![("uptimes", uptimes), ("gaps", gaps)],
        };
        for (kind, times) in kinds {
            for law in &times.laws {
                rows.extend(law.fit.parameters.iter().map(|p| row(study, kind, times, law, p)));
            }
        }
    }
    for row in rows {
        writer.write_record(row).expect("memory can always be written");
    }
    writer.into_inner().expect("memory can always be written")
}

fn row(study: &Study, kind: &str, times: &Times, law: &Judged, p: &Parameter) -> [String; 12] {
    let name = if p.is_time { format!("{}_s", p.name) } else { p.name.to_owned() };
    [
        study.title.clone(),
        kind.to_owned(),
        times.complete.to_string(),
        times.cut_off.to_string(),
        law.fit.family.name().to_owned(),
        law.behind.to_string(),
        law.distance.to_string(),
        law.p_value.map_or(String::new(), |p| p.to_string()),
        name,
        p.value.to_string(),
        p.low.to_string(),
        p.high.to_string(),
    ]
}
