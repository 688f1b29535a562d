//! The published policies in the cells of `verify policies`: a job of 48 h, flat prices, 100 of trace, start and
//! overhead at each of four deadlines.

use super::{Curves, POLICIES, Raw};
use crate::experiment::verify::policies::{Cells, cells};

/// What the job takes with the overhead of 0.2 h that the published table divides by, hours.
const IDEAL_H: f64 = 48.2;

/// Strategies as the rows call them, in the order of the first of [`POLICIES`].
const STRATEGIES: [&str; 5] =
    ["only_spot", "strawman", "rc_threshold", "rc_threshold_keep", "rc_cr_threshold"];

/// Fewer cells of one deadline are none of the published table.
const CELLS: usize = 50;

/// The curves, or why the rows do not give them.
pub fn published() -> Result<Curves, String> {
    let cells: Vec<Cells> = cells(48.0, &STRATEGIES)?;
    let on_demand_usd = IDEAL_H * cells.first().ok_or("no cells")?.on_demand_usd_per_h;
    let mut all: Vec<f64> = cells.iter().map(|cell| cell.deadline_h).collect();
    all.sort_by(f64::total_cmp);
    // A few rows have a deadline of their own, which would be compared with other traces.
    let deadlines: Vec<f64> =
        all.chunk_by(|a, b| a == b).filter(|same| same.len() >= CELLS).map(|same| same[0]).collect();
    let raw = deadlines.iter().map(|&deadline_h| {
        let of: Vec<&Cells> = cells.iter().filter(|cell| cell.deadline_h == deadline_h).collect();
        let runs = (0..STRATEGIES.len()).map(|at| of.iter().map(|cell| (cell.costs_usd[at], true)).collect());
        Raw {
            deadline_h,
            runs: runs.collect(),
            bounds_usd: of.iter().filter_map(|cell| cell.bound_usd).collect(),
        }
    });
    let of_deadline = |deadline: &&f64| cells.iter().filter(|cell| cell.deadline_h == **deadline).count();
    let worlds = deadlines.first().iter().map(of_deadline).sum::<usize>() as u64;
    Ok(Curves {
        name: "published cells".to_owned(),
        is_published: true,
        ideal_h: IDEAL_H,
        on_demand_usd,
        worlds,
        deadlines: raw.map(|raw| raw.summed(Some(1))).collect(),
        policies: POLICIES[..STRATEGIES.len()].to_vec(),
    })
}
