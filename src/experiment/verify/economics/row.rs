//! Rows of `vectors.csv` and the laws in them.

use crate::capacity::{
    Bathtub, Empirical, Exponential, Gamma, Kind, Law, LawError, Lognormal, Uniform, Weibull,
};
use crate::units::Span;
use serde::Deserialize;

/// One row of `vectors.csv`; the file explains its columns.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Row {
    pub id: String,
    pub kind: String,
    pub law: String,
    pub gang_n: u32,
    pub work_s: String,
    pub interval_s: f64,
    pub save_s: f64,
    pub restart_s: f64,
    pub downtime_s: f64,
    pub restart_on_first: u8,
    pub final_save: u8,
    pub durable_lag_s: f64,
    pub free_if_killed_before_s: f64,
    pub notice_s: Option<f64>,
    pub notice_prob: Option<f64>,
    pub deadline_s: Option<f64>,
    pub price_usd_per_instance_h: String,
    pub e_makespan_s: f64,
    pub e_uptime_s: Option<f64>,
    pub e_interruptions: Option<f64>,
    pub e_billed_s: Option<f64>,
    pub e_cost_usd: Option<f64>,
    pub p_finish_by_deadline: Option<f64>,
    pub e_min_makespan_deadline_s: Option<f64>,
}

/// `exp:rate_per_s`, `weibull:shape:scale_s`, `lognormal:mu:sigma`, `gamma:shape:scale_s`,
/// `uniform:a_s:b_s`, `atoms:x|y|z`, `bathtub:level:early_s:late_s:limit_s`, `cap:CAP_s@law`.
pub(super) fn parse_law(text: &str) -> Result<Law, String> {
    if let Some((cap, inner)) = text.strip_prefix("cap:").and_then(|rest| rest.split_once('@')) {
        let inner = parse_law(inner)?;
        let cap = Span::from_secs_saturating(number(cap)?);
        return Law::new(inner.kind().clone(), Some(cap)).map_err(|error| error.to_string());
    }
    let (name, terms) = text.split_once(':').ok_or("no parameters")?;
    if name == "atoms" {
        let values: Result<Vec<Span>, String> =
            terms.split('|').map(|term| number(term).map(Span::from_secs_saturating)).collect();
        return law(Empirical::new(values?).map(Kind::Empirical));
    }
    let terms: Vec<f64> = terms.split(':').map(number).collect::<Result<_, _>>()?;
    let s = Span::from_secs_saturating;
    match (name, terms.as_slice()) {
        ("exp", &[rate]) => law(Exponential::new(s(1.0 / rate)).map(Kind::Exponential)),
        ("weibull", &[shape, scale]) => law(Weibull::new(shape, s(scale)).map(Kind::Weibull)),
        ("lognormal", &[mu, sigma]) => law(Lognormal::new(s(libm::exp(mu)), sigma).map(Kind::Lognormal)),
        ("gamma", &[shape, scale]) => law(Gamma::new(shape, s(scale)).map(Kind::Gamma)),
        ("uniform", &[low, high]) => law(Uniform::new(s(low), s(high)).map(Kind::Uniform)),
        ("bathtub", &[level, early, late, limit]) => {
            law(Bathtub::new(level, s(early), s(late), s(limit)).map(Kind::Bathtub))
        }
        _ => Err("not a law of this version".into()),
    }
}

fn law(kind: Result<Kind, LawError>) -> Result<Law, String> {
    kind.and_then(|kind| Law::new(kind, None)).map_err(|error| error.to_string())
}

pub(super) fn number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is not a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_are_read_as_the_file_writes_them() {
        assert!((parse_law("exp:1e-4").unwrap().mean_s() - 1e4).abs() < 1e-6);
        assert_eq!(parse_law("atoms:10|20").unwrap().mean_s(), 15.0);
        assert!(parse_law("cap:86400@exp:1e-5").unwrap().mean_s() < 86_400.0);
        assert!(parse_law("shock:1:2:3").is_err());
    }
}
