//! Rows of `vectors.csv` by simulation.

use super::super::SuiteResult;
use super::super::rows::covered;
use super::row::{Row, number, parse_law};
use crate::capacity::Law;
use crate::capacity::path::Path;
use crate::capacity::shock::Shock;
use crate::checkpoint::{Cycle, Every};
use crate::policy::Policy;
use crate::pricing::{Tariff, flat};
use crate::rng::Streams;
use crate::scenario::plan::{
    Capacity, ChooseZone, Limits, NoticeSave, OnLoss, Plan, SavedOn, Start, StepParts, Work,
};
use crate::sim::{Scratch, simulate};
use crate::stats::Moments;
use crate::units::{Price, Span};
use rayon::prelude::*;

/// A row further off than this many standard errors fails.
const TOLERANCE_Z: f64 = 4.0;
/// Interruptions simulated for a row; replications follow from the expected number in each.
const INTERRUPTIONS: f64 = 2e6;
/// No row is simulated that has a longer time in it, 31 years: sums of such stay far below what can be counted.
const LONGEST_S: f64 = 1e9;
const REPLICATIONS_MIN: f64 = 500.0;
const REPLICATIONS_MAX: f64 = 20_000.0;
const SEED: u64 = 20_261_202;

/// Entry `economics/simulated`: every row of kind `renewal`, `notice` or `shock_gang` that the engine covers, by simulation;
/// `value` is the largest deviation of a mean makespan or cost in standard errors.
pub(super) fn simulated(rows: &[Row]) -> SuiteResult {
    let (covered, skipped) = covered(rows.iter().map(|row| Ok((row, plan_of(row)?))));
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
        skipped,
        metric: "largest, standard errors",
        value: worst.map_or(f64::INFINITY, |(z, _)| *z),
        tolerance: TOLERANCE_Z,
        missed: Vec::new(),
        notes,
    }
}

/// The row as a plan, or why the engine does not cover it.
fn plan_of(row: &Row) -> Result<Plan, String> {
    let (lifetime, shocks) = match row.kind.as_str() {
        "shock_gang" => parse_shock(&row.law)?,
        "renewal" | "notice" => {
            let law = parse_law(&row.law).map_err(|error| format!("law {}: {error}", row.law))?;
            (Some(law), Vec::new())
        }
        kind => return Err(format!("kind {kind}: by formula only")),
    };
    if row.durable_lag_s > row.interval_s {
        return Err("saves that are uploaded at the same time: the engine uploads one after the other".into());
    }
    if !row.e_makespan_s.is_finite() {
        return Err("never finishes: no simulation can show that".into());
    }
    let spans = [row.interval_s, row.save_s, row.restart_s, row.downtime_s, row.durable_lag_s];
    if spans.iter().any(|&span| span > LONGEST_S) {
        return Err(format!("a time above {LONGEST_S:e} s: by formula only"));
    }
    let work: Span = format!("{} s", row.work_s).parse().map_err(|_| format!("work {}", row.work_s))?;
    if work.as_secs() > LONGEST_S {
        return Err(format!("a time above {LONGEST_S:e} s: by formula only"));
    }
    let seconds = Span::from_secs_saturating;
    let price: Price =
        format!("{} USD/h", row.price_usd_per_instance_h).parse().map_err(|_| "price".to_owned())?;
    let every = (row.interval_s > 0.0).then(|| Every::Time(seconds(row.interval_s)));
    let step = StepParts { computing: Span::from_ns(1), ..StepParts::default() };
    let none = Law::constant(Span::ZERO);
    Ok(Plan {
        nodes: row.gang_n,
        on_loss: OnLoss::Release,
        elastic: None,
        spares: None,
        policy: Policy::SpotOnly,
        max_price: None,
        on_demand_nodes: 0,
        tick: None,
        work: Work { steps: work.ns(), step, burst: None },
        cycle: Cycle::new(step.total(), every, seconds(row.save_s), row.final_save == 1 && every.is_some())
            .with_upload(seconds(row.durable_lag_s), None),
        notice: notice_of(row),
        saved_on: SavedOn::Store,
        start: Start {
            provision: none.clone(),
            start: Law::constant(seconds(row.restart_s)),
            phases: Vec::new(),
            restore: none.clone(),
            detection: none.clone(),
            on_first: row.restart_on_first == 1,
        },
        capacity: Capacity {
            path: Path::Always,
            zone: 0,
            lifetime,
            notice: None,
            acquire: Law::constant(seconds(row.downtime_s)),
            acquire_first: none,
            losses: Vec::new(),
            shocks,
        },
        elsewhere: Vec::new(),
        choose_zone: ChooseZone::First,
        moves: None,
        failures: None,
        spot: Tariff { free_if_reclaimed_before: seconds(row.free_if_killed_before_s), ..flat(price) },
        on_demand: flat(price),
        extras: None,
        limits: Limits::default(),
        deadline: None,
        horizon: Span::MAX,
    })
}

/// The save at a notice, at which training stops.
fn notice_of(row: &Row) -> Option<NoticeSave> {
    let (notice_s, probability) = (row.notice_s?, row.notice_prob?);
    let [ahead, save] = [notice_s, row.save_s].map(Span::from_secs_saturating);
    Some(NoticeSave { probability, ahead, save, late: false })
}

/// `shock:own_rate:shock_rate:hit`, rates per second, either of them possibly 0: a node's own lifetime, and
/// shocks.
fn parse_shock(text: &str) -> Result<(Option<Law>, Vec<Shock>), String> {
    let terms = text.strip_prefix("shock:").ok_or_else(|| format!("law {text}: no shocks"))?;
    let terms: Vec<f64> = terms.split(':').map(number).collect::<Result<_, _>>()?;
    let &[own, rate, hit] = terms.as_slice() else {
        return Err(format!("law {text}: not three terms"));
    };
    let exponential = |rate: f64| parse_law(&format!("exp:{rate:e}"));
    let lifetime = (own > 0.0).then(|| exponential(own)).transpose()?;
    let between = (rate > 0.0).then(|| exponential(rate)).transpose()?;
    Ok((lifetime, between.map(|between| Shock { between, hit, place: 0 }).into_iter().collect()))
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
    use crate::experiment::verify::rows::read;

    #[test]
    fn a_row_with_a_time_beyond_counting_is_left_out() {
        let mut rows: Vec<Row> = read(super::super::ROWS).unwrap();
        let row = rows.iter_mut().find(|row| row.kind == "renewal" && row.interval_s > 0.0).unwrap();
        assert!(plan_of(row).is_ok());
        row.restart_s = 1e308;
        assert!(plan_of(row).is_err_and(|reason| reason.contains("by formula only")));
    }
}
