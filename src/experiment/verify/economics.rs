//! Expected makespan and cost under interruptions: the recursion of `analytic`, and the simulation.

use super::{SuiteResult, VerifyError, rows};
use crate::analytic::{Renewal, Uptime};
use crate::capacity::path::Path;
use crate::capacity::{
    Bathtub, Empirical, Exponential, Gamma, Kind, Law, LawError, Lognormal, Uniform, Weibull,
};
use crate::checkpoint::{Cycle, Every};
use crate::policy::Policy;
use crate::pricing::{Tariff, flat};
use crate::rng::Streams;
use crate::scenario::plan::{Capacity, Limits, NoticeSave, OnLoss, Plan, SavedOn, Start, StepParts, Work};
use crate::sim::{Scratch, simulate};
use crate::stats::Moments;
use crate::units::{Price, Span};
use rayon::prelude::*;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Rows computed at 40 digits for this project, 2026-12; columns explained in the file.
const ROWS: &str = include_str!("../../../data/verify/economics_vectors.csv");

/// Rows whose own figure is wrong, 2026-12-02: id, the figure, why. Whoever corrects the row is compared
/// again.
const ERRATA: [(&str, f64, &str); 1] = [(
    "v084",
    28_800.277_943_432_6,
    "the row integrates across jumps; exact rational arithmetic gives 28797.03125 s",
)];
/// A row further off than this fails; the rows have 15 digits.
const TOLERANCE_RELATIVE: f64 = 1e-9;
/// A row further off than this many standard errors fails.
const TOLERANCE_Z: f64 = 4.0;
/// Interruptions simulated for a row; replications follow from the expected number in each.
const INTERRUPTIONS: f64 = 2e6;
const REPLICATIONS_MIN: f64 = 500.0;
const REPLICATIONS_MAX: f64 = 20_000.0;
const SEED: u64 = 20_261_202;

/// One row of `vectors.csv`, as far as a simulation needs it.
#[derive(Debug, Clone, Deserialize)]
struct Row {
    id: String,
    kind: String,
    law: String,
    gang_n: u32,
    work_s: String,
    interval_s: f64,
    save_s: f64,
    restart_s: f64,
    downtime_s: f64,
    restart_on_first: u8,
    final_save: u8,
    durable_lag_s: f64,
    free_if_killed_before_s: f64,
    notice_s: Option<f64>,
    notice_prob: Option<f64>,
    price_usd_per_instance_h: String,
    e_makespan_s: f64,
    e_uptime_s: Option<f64>,
    e_interruptions: Option<f64>,
    e_billed_s: Option<f64>,
    e_cost_usd: Option<f64>,
}

/// Columns without which a file is not this suite's.
pub(super) const COLUMNS: [&str; 6] = ["id", "kind", "law", "gang_n", "work_s", "e_makespan_s"];

/// Entries `economics` and `economics/simulated`; `data` replaces the built-in rows.
pub(super) fn economics(data: Option<&str>) -> Result<Vec<SuiteResult>, VerifyError> {
    let rows: Vec<Row> = rows::read(data.unwrap_or(ROWS))?;
    if let Some(row) = rows.iter().find(|row| row.gang_n == 0 || row.e_makespan_s.is_nan()) {
        let row = format!("`{}`: gang_n must be at least 1 and e_makespan_s a number or inf", row.id);
        return Err(VerifyError::Row(row));
    }
    Ok(vec![closed_forms(&rows), simulated(&rows)])
}

/// Entry `economics`: every row of kind `renewal` by the recursion of `analytic`; `value` is the largest
/// relative error of a makespan, uptime, number of interruptions, billed time or cost.
fn closed_forms(rows: &[Row]) -> SuiteResult {
    let mut skipped = BTreeMap::new();
    let mut errors = Vec::new();
    for row in rows {
        match expected_error(row) {
            Ok(error) => errors.push((error, row.id.clone())),
            Err(reason) => *skipped.entry(reason).or_default() += 1,
        }
    }
    let worst = errors.iter().max_by(|a, b| a.0.total_cmp(&b.0));
    SuiteResult {
        suite: "economics",
        rows: errors.len(),
        skipped: skipped.into_iter().collect(),
        metric: "largest relative error",
        value: worst.map_or(f64::INFINITY, |(error, _)| *error),
        tolerance: TOLERANCE_RELATIVE,
        missed: Vec::new(),
        notes: worst.map(|(error, id)| format!("furthest off: {id}, {error:.1e}")).into_iter().collect(),
    }
}

/// The largest relative error of a row's figures.
fn expected_error(row: &Row) -> Result<f64, String> {
    only_renewal(row)?;
    if let Some((id, _, why)) = ERRATA
        .iter()
        .find(|(id, figure, _)| *id == row.id && relative_error(*figure, row.e_makespan_s) < 1e-12)
    {
        return Err(format!("{id}: {why}"));
    }
    let law = parse_law(&row.law).map_err(|error| format!("law {}: {error}", row.law))?;
    let price = number(&row.price_usd_per_instance_h)?;
    let expected = Renewal {
        uptime: Uptime { law: &law, nodes: row.gang_n },
        work_s: number(&row.work_s)?,
        interval_s: (row.interval_s > 0.0).then_some(row.interval_s),
        save_s: row.save_s,
        restart_s: row.restart_s,
        downtime_s: row.downtime_s,
        restart_on_first: row.restart_on_first == 1,
        final_save: row.final_save == 1,
        durable_lag_s: row.durable_lag_s,
        free_before_s: row.free_if_killed_before_s,
    }
    .expected();
    let cost = expected.billed_s * f64::from(row.gang_n) * price / 3_600.0;
    let figures = [
        (Some(row.e_makespan_s), expected.makespan_s),
        (row.e_uptime_s, expected.uptime_s),
        (row.e_interruptions, expected.interruptions),
        (row.e_billed_s, expected.billed_s),
        (row.e_cost_usd, cost),
    ];
    Ok(figures.into_iter().filter_map(|(right, ours)| Some(relative_error(ours, right?))).fold(0.0, f64::max))
}

/// |ours − right| / max(|right|, 10^-3); infinite equals infinite.
fn relative_error(ours: f64, right: f64) -> f64 {
    if ours == right { 0.0 } else { (ours - right).abs() / right.abs().max(1e-3) }
}

fn only_renewal(row: &Row) -> Result<(), String> {
    match row.kind.as_str() {
        "renewal" => Ok(()),
        kind => Err(format!("kind {kind}: not built yet")),
    }
}

/// Entry `economics/simulated`: every row of kind `renewal` or `notice` that the engine covers, by simulation;
/// `value` is the largest deviation of a mean makespan or cost in standard errors.
fn simulated(rows: &[Row]) -> SuiteResult {
    let mut skipped = BTreeMap::<String, usize>::new();
    let mut covered = Vec::new();
    for row in rows {
        match plan_of(row) {
            Ok(plan) => covered.push((row, plan)),
            Err(reason) => *skipped.entry(reason).or_default() += 1,
        }
    }
    let deviations: Vec<(f64, String)> = covered.par_iter().map(|(row, plan)| deviation(row, plan)).collect();
    let worst = deviations.iter().max_by(|a, b| a.0.total_cmp(&b.0));
    let mut notes = vec![format!(
        "two means a row, each normal in the limit: a false alarm above {TOLERANCE_Z} in {:.1} % of seeds",
        100.0 * (1.0 - libm::pow(1.0 - 6.334e-5, 2.0 * deviations.len() as f64)),
    )];
    notes.extend(worst.map(|(z, text)| format!("furthest off: {text}, {z:.2} standard errors")));
    SuiteResult {
        suite: "economics/simulated",
        rows: deviations.len(),
        skipped: skipped.into_iter().collect(),
        metric: "largest deviation, standard errors",
        value: worst.map_or(f64::INFINITY, |(z, _)| *z),
        tolerance: TOLERANCE_Z,
        missed: Vec::new(),
        notes,
    }
}

/// The row as a plan, or why the engine does not cover it.
fn plan_of(row: &Row) -> Result<Plan, String> {
    let notice = notice_of(row)?;
    if row.durable_lag_s > row.interval_s {
        return Err("saves that are uploaded at the same time: the engine uploads one after the other".into());
    }
    if !row.e_makespan_s.is_finite() {
        return Err("never finishes: no simulation can show that".into());
    }
    let law = parse_law(&row.law).map_err(|error| format!("law {}: {error}", row.law))?;
    let work: Span = format!("{} s", row.work_s).parse().map_err(|_| format!("work {}", row.work_s))?;
    let seconds = Span::from_secs_saturating;
    let price: Price =
        format!("{} USD/h", row.price_usd_per_instance_h).parse().map_err(|_| "price".to_owned())?;
    let every = (row.interval_s > 0.0).then(|| Every::Time(seconds(row.interval_s)));
    let step = StepParts { computing: Span::from_ns(1), ..StepParts::default() };
    let none = Law::constant(Span::ZERO);
    Ok(Plan {
        nodes: row.gang_n,
        on_loss: OnLoss::Release,
        policy: Policy::SpotOnly,
        work: Work { steps: work.ns(), step, burst: None },
        cycle: Cycle::new(step.total(), every, seconds(row.save_s), row.final_save == 1 && every.is_some())
            .with_upload(seconds(row.durable_lag_s), None),
        notice,
        saved_on: SavedOn::Store,
        start: Start {
            provision: none.clone(),
            start: Law::constant(seconds(row.restart_s)),
            restore: none.clone(),
            on_first: row.restart_on_first == 1,
        },
        capacity: Capacity {
            path: Path::Always,
            zone: 0,
            lifetime: Some(law),
            notice: None,
            acquire: Law::constant(seconds(row.downtime_s)),
            acquire_first: none,
            losses: Vec::new(),
        },
        spot: Tariff { free_if_reclaimed_before: seconds(row.free_if_killed_before_s), ..flat(price) },
        on_demand: flat(price),
        limits: Limits::default(),
        deadline: None,
        horizon: Span::MAX,
    })
}

/// The save at a notice of a row of kind `notice`, at which training stops.
fn notice_of(row: &Row) -> Result<Option<NoticeSave>, String> {
    match (row.kind.as_str(), row.notice_s, row.notice_prob) {
        ("notice", Some(notice_s), Some(probability)) => {
            let [ahead, save] = [notice_s, row.save_s].map(Span::from_secs_saturating);
            Ok(Some(NoticeSave { probability, ahead, save, late: false }))
        }
        _ => only_renewal(row).map(|()| None),
    }
}

/// `exp:rate_per_s`, `weibull:shape:scale_s`, `lognormal:mu:sigma`, `gamma:shape:scale_s`,
/// `uniform:a_s:b_s`, `atoms:x|y|z`, `bathtub:level:early_s:late_s:limit_s`, `cap:CAP_s@law`.
fn parse_law(text: &str) -> Result<Law, String> {
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

fn number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is not a number"))
}

/// The larger deviation of mean makespan and mean cost, in standard errors, and what it is of.
fn deviation(row: &Row, plan: &Plan) -> (f64, String) {
    let each = row.e_interruptions.unwrap_or(1.0).max(1.0);
    let replications = (INTERRUPTIONS / each).clamp(REPLICATIONS_MIN, REPLICATIONS_MAX) as u64;
    let (streams, mut scratch) = (Streams::new(SEED), Scratch::default());
    // Microseconds: the sum of squares of the longest rows would not fit in nanoseconds.
    let (mut makespan_us, mut cost_uusd) = (Moments::default(), Moments::default());
    for replication in 0..replications {
        let outcome = simulate(plan, &streams, replication, &mut scratch, &mut ());
        makespan_us.push(i64::try_from(outcome.elapsed.ns() / 1_000).unwrap_or(i64::MAX));
        cost_uusd.push(outcome.cost().nusd() / 1_000);
    }
    let makespan = z(&makespan_us, row.e_makespan_s * 1e6);
    let cost = row.e_cost_usd.map_or(0.0, |right| z(&cost_uusd, right * 1e6));
    if cost > makespan {
        (cost, format!("cost of {}", row.id))
    } else {
        (makespan, format!("makespan of {}", row.id))
    }
}

/// |mean − right| in standard errors; where nothing varies, whether they agree to a microunit in 10^9.
fn z(moments: &Moments, right: f64) -> f64 {
    let (mean, sd) = (moments.mean().unwrap_or(f64::NAN), moments.sd().unwrap_or(0.0));
    let error = sd / (moments.count() as f64).sqrt();
    let off = (mean - right).abs();
    match off / error {
        z if error > 0.0 => z,
        _ if off <= 1.0 + right.abs() * 1e-9 => 0.0,
        _ => f64::INFINITY,
    }
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
