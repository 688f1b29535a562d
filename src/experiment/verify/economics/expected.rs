//! Rows of `vectors.csv` by recursion and closed form.

use super::super::relative::{Compared, Figure};
use super::row::{Row, number, parse_law};
use crate::analytic::{EqualSegments, Expected, Memoryless, Noticed, Renewal, Start, Uptime, gang_loss_rate};
use crate::capacity::{Exponential, Kind, Law};
use crate::units::Span;

/// Rows whose own figure is wrong, 2026-12-02: id, the figure, why. Whoever corrects the row is compared
/// again.
const ERRATA: [(&str, f64, &str); 1] = [(
    "v084",
    28_800.277_943_432_6,
    "the row integrates across jumps; exact rational arithmetic gives 28797.03125 s",
)];

/// A row of more segments would take minutes.
const SEGMENTS_MAX: u64 = 50_000;

/// The row's figures beside ours, or why they are not compared.
pub(super) fn compared(row: &Row) -> Compared {
    let known = ERRATA.iter().find(|(id, ..)| *id == row.id);
    if let Some((id, figure, why)) = known
        && (row.e_makespan_s / figure - 1.0).abs() < 1e-12
    {
        return Err(format!("{id}: {why}"));
    }
    match row.kind.as_str() {
        "renewal" => {
            let law = parse_law(&row.law).map_err(|error| format!("law {}: {error}", row.law))?;
            renewed(row, Uptime { law: &law, nodes: row.gang_n })
        }
        "shock_gang" => {
            let [own_rate, shock_rate, hit] = terms(row, "shock")?;
            let rate = gang_loss_rate(row.gang_n, own_rate, shock_rate, hit);
            let law = Exponential::new(Span::from_secs_saturating(1.0 / rate))
                .and_then(|law| Law::new(Kind::Exponential(law), None))
                .map_err(|error| format!("law {}: {error}", row.law))?;
            renewed(row, Uptime { law: &law, nodes: 1 })
        }
        "notice" => noticed(row),
        "deadline" => by_deadline(row),
        kind => Err(format!("kind {kind}: not known")),
    }
}

/// A job under renewals of gangs that last for `uptime`.
fn renewed(row: &Row, uptime: Uptime<'_>) -> Compared {
    let restart = Start::billed(row.restart_s);
    let job = Renewal {
        uptime,
        work_s: number(&row.work_s)?,
        interval_s: (row.interval_s > 0.0).then_some(row.interval_s),
        save_s: row.save_s,
        first_start: if row.restart_on_first == 1 { restart } else { Start::default() },
        restart,
        downtime_s: row.downtime_s,
        final_save: row.final_save == 1,
        durable_lag_s: row.durable_lag_s,
        free_before_s: row.free_if_killed_before_s,
        minimum_s: 0.0,
    };
    if job.segments() > SEGMENTS_MAX {
        return Err(format!("more than {SEGMENTS_MAX} segments: the recursion takes their square"));
    }
    let Expected { makespan_s, uptime_s, interruptions, billed_s, .. } = job.expected();
    let usd_per_h = f64::from(row.gang_n) * number(&row.price_usd_per_instance_h)?;
    Ok(vec![
        Figure::new(makespan_s, row.e_makespan_s),
        Figure::if_given(uptime_s, row.e_uptime_s),
        Figure::if_given(interruptions, row.e_interruptions),
        Figure::if_given(billed_s, row.e_billed_s),
        Figure::if_given(billed_s / 3_600.0 * usd_per_h, row.e_cost_usd),
    ])
}

fn noticed(row: &Row) -> Compared {
    let [rate] = terms(row, "exp")?;
    let job = Noticed {
        mean_uptime_s: 1.0 / (f64::from(row.gang_n) * rate),
        work_s: number(&row.work_s)?,
        restart_s: row.restart_s,
        downtime_s: row.downtime_s,
        lead_s: row.notice_s.ok_or("no notice_s")?,
        probability: row.notice_prob.ok_or("no notice_prob")?,
        save_s: row.save_s,
    };
    Ok(vec![Figure::new(job.makespan_s(), row.e_makespan_s)])
}

fn by_deadline(row: &Row) -> Compared {
    let [rate] = terms(row, "exp")?;
    let rate_per_s = f64::from(row.gang_n) * rate;
    let segments = (number(&row.work_s)? / row.interval_s).round();
    let segment_s = row.interval_s + row.save_s;
    let losses = Memoryless { mean_uptime_s: 1.0 / rate_per_s, restart_s: 0.0, downtime_s: row.downtime_s };
    let job = EqualSegments { rate_per_s, segments: segments as u64, segment_s, downtime_s: row.downtime_s };
    let deadline_s = row.deadline_s.ok_or("no deadline_s")?;
    let by = job.by(deadline_s).ok_or("too many losses before the deadline for doubles")?;
    Ok(vec![
        Figure::new(segments * losses.stretch_s(segment_s), row.e_makespan_s),
        Figure::if_given(by.chance, row.p_finish_by_deadline),
        Figure::if_given(by.spent_s, row.e_min_makespan_deadline_s),
    ])
}

/// The numbers of a law that is written `name:number:number...`.
fn terms<const N: usize>(row: &Row, name: &str) -> Result<[f64; N], String> {
    let unknown = || format!("law {}: not one of kind {}", row.law, row.kind);
    let numbers = row.law.strip_prefix(name).and_then(|rest| rest.strip_prefix(':')).ok_or_else(unknown)?;
    let numbers: Vec<f64> = numbers.split(':').map(number).collect::<Result<_, _>>()?;
    numbers.try_into().map_err(|_| unknown())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::verify::rows::read;

    #[test]
    fn a_row_of_absurdly_many_segments_is_told_not_solved() {
        let mut rows: Vec<Row> = read(super::super::ROWS).unwrap();
        let row = rows.iter_mut().find(|row| row.kind == "renewal" && row.interval_s > 0.0).unwrap();
        assert!(compared(row).is_ok());
        row.work_s = "1e300".to_owned();
        assert!(compared(row).is_err_and(|reason| reason.contains("segments")));
    }
}
