//! The engine of January 2023 (Michaelvll/skypilot-spot-strategy, commit 1c3697352b89), whose rules differ: no net
//! below the policies, what is asked for when the work is done is billed for a tick more, and the share of a slice
//! counts the tick before the slice as its own. Only its rows use it.

use super::super::SuiteResult;
use super::super::optimum_policy::Cell;
use super::super::prices::{Pair, shipped_pair};
use super::super::recorded::Recorded;
use super::super::shipped::Find;
use super::Compared;
use crate::policy::{Running, Standing, TimeSliced};
use crate::units::Span;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub struct Row {
    #[serde(flatten)]
    cell: Cell,
    strategy: String,
    cost_usd: f64,
    engine_ticks: u64,
    gap_seconds: f64,
}

/// Entry `policies/2023`.
pub fn entry(rows: &[Row], beside: Find<'_>) -> SuiteResult {
    let mut recorded = Recorded::new(beside);
    let flat = shipped_pair("flat");
    super::entry(
        "policies/2023",
        rows.iter().map(|row| {
            let Cell { trace, deadline_hours, start_offset_ticks, .. } = &row.cell;
            let name = format!("{trace} {} {deadline_hours} +{start_offset_ticks}", row.strategy);
            (name, compared(row, flat, &mut recorded))
        }),
    )
}

fn compared(row: &Row, flat: Option<Pair>, recorded: &mut Recorded<'_>) -> Result<Compared, String> {
    let cell = &row.cell;
    super::check_length(cell, row.gap_seconds)?;
    let pair = flat.ok_or("no flat prices")?;
    let ticks_max = 4 * (cell.deadline_hours * 3_600.0 / row.gap_seconds) as u64 + 8;
    let window = recorded.of(&cell.trace)?.window(cell.start_offset_ticks, ticks_max);
    let mut job = Job {
        spot: window.iter().flat_map(|&(ticks, spot)| (0..ticks).map(move |_| spot)).collect(),
        tick_s: row.gap_seconds,
        task_s: cell.task_hours * 3_600.0,
        deadline_s: cell.deadline_hours * 3_600.0,
        overhead_s: cell.restart_overhead_h * 3_600.0,
        done_s: Vec::new(),
    };
    let mut strategy = Strategy::of(&row.strategy, &job)?;
    let ran = job.run(&mut strategy)?;
    let of = |what: Running| ran.iter().filter(|running| **running == what).count() as f64;
    let hourly = of(Running::Spot) * pair.spot + of(Running::OnDemand) * pair.on_demand;
    let cost = hourly * row.gap_seconds / 3_600.0;
    let differs = (ran.len() as u64 != row.engine_ticks)
        .then(|| format!("{} ticks instead of {}", ran.len(), row.engine_ticks));
    Ok(Compared { error_usd: (cost - row.cost_usd).abs(), differs })
}

/// A job under way.
struct Job {
    /// Whether Spot can be had, from the start on.
    spot: Vec<bool>,
    tick_s: f64,
    task_s: f64,
    deadline_s: f64,
    overhead_s: f64,
    /// Work done, by tick, that of the tick before the first first.
    done_s: Vec<f64>,
}

impl Job {
    /// What ran in each tick, from the one before the first.
    fn run(&mut self, strategy: &mut Strategy) -> Result<Vec<Running>, String> {
        let (mut running, mut burning_s, mut ran) = (Running::Nothing, 0.0_f64, Vec::new());
        while ran.len() < self.spot.len() {
            let was_done = !ran.is_empty() && self.all_done_s() >= self.task_s;
            let tick = ran.len();
            let spot = self.spot.get(tick).copied().unwrap_or(false);
            ran.push(running);
            let mut worked = 0.0;
            if running != Running::Nothing {
                worked = (self.tick_s - burning_s).max(0.0);
                burning_s -= self.tick_s - worked;
                worked = worked.min(self.task_s - self.all_done_s());
            }
            self.done_s.push(worked);
            if running == Running::Spot && !spot {
                running = Running::Nothing;
            }
            if was_done {
                return Ok(ran);
            }
            let choice = strategy.choose(self, tick, running, spot);
            if choice == Running::Spot && !spot {
                return Err("asks for Spot where there is none".into());
            }
            if choice != Running::Nothing && choice != running {
                burning_s = self.overhead_s;
            }
            running = choice;
        }
        Err("the work is never done".into())
    }

    fn all_done_s(&self) -> f64 {
        self.done_s.iter().sum()
    }

    /// Work and one overhead, in whole ticks, seconds.
    fn needed_s(&self) -> f64 {
        ((self.task_s - self.all_done_s() + self.overhead_s) / self.tick_s).ceil() * self.tick_s
    }
}

/// What that engine ran.
enum Strategy {
    OnDemand,
    Greedy,
    Sliced {
        policy: TimeSliced,
        slice: u64,
        gain_s: f64,
    },
    /// Spot wherever it is; what it lacks, known from the start, On-Demand at the first ticks without.
    NoOverhead {
        on_demand_left_s: f64,
    },
}

impl Strategy {
    fn of(name: &str, job: &Job) -> Result<Self, String> {
        let sliced = |hours: u64, spread_gain| Self::Sliced {
            policy: TimeSliced {
                deadline: Span::from_secs_saturating(job.deadline_s),
                slice: Span::from_s(hours * 3_600),
                spread_gain,
            },
            slice: 0,
            gain_s: 0.0,
        };
        Ok(match name {
            "on_demand_2023" => Self::OnDemand,
            "strawman_2023" => Self::Greedy,
            "pair_amortize_1h" => sliced(1, false),
            "pair_amortize_4h" => sliced(4, false),
            "pair_amortize_4h_avg" => sliced(4, true),
            "ideal_no_overhead" => {
                let ticks = (job.deadline_s / job.tick_s).ceil() as usize;
                let spot = job.spot.iter().take(ticks).filter(|spot| **spot).count();
                Self::NoOverhead { on_demand_left_s: (job.task_s - spot as f64 * job.tick_s).max(0.0) }
            }
            other => return Err(format!("no policy for the strategy {other}")),
        })
    }

    fn choose(&mut self, job: &mut Job, tick: usize, running: Running, spot: bool) -> Running {
        let where_it_is = if spot { Running::Spot } else { Running::Nothing };
        let keeps = if running == Running::Spot { Running::Spot } else { Running::OnDemand };
        let left_s = job.deadline_s - tick as f64 * job.tick_s;
        let is_done = job.all_done_s() >= job.task_s;
        match self {
            Self::OnDemand if is_done => Running::Nothing,
            Self::OnDemand => Running::OnDemand,
            Self::Greedy => {
                if job.needed_s() >= left_s {
                    keeps
                } else {
                    where_it_is
                }
            }
            Self::Sliced { policy, slice, gain_s } => match standing(policy, slice, gain_s, job, tick) {
                None => Running::Nothing,
                Some(standing) => {
                    let spare_s = policy.spare_s(&standing, job.overhead_s, job.tick_s);
                    let late = job.needed_s() > left_s - job.tick_s;
                    if spare_s < job.tick_s || late { keeps } else { where_it_is }
                }
            },
            Self::NoOverhead { .. } if is_done => Running::Nothing,
            Self::NoOverhead { on_demand_left_s } if !spot && *on_demand_left_s > 0.0 => {
                *on_demand_left_s -= job.tick_s;
                Running::OnDemand
            }
            Self::NoOverhead { .. } => where_it_is,
        }
    }
}

/// How the job stands in its slice. After the last slice all is taken to be done.
fn standing(
    policy: &TimeSliced,
    slice: &mut u64,
    gain_s: &mut f64,
    job: &mut Job,
    tick: usize,
) -> Option<Standing> {
    let (slices, slice_s) = (policy.slices(), policy.slice.as_secs());
    let (share_s, ticks) = (job.task_s / slices as f64, (slice_s / job.tick_s).round() as usize);
    let now_s = tick as f64 * job.tick_s;
    if (*slice + 1) as f64 * slice_s - now_s < 1e-2 {
        *slice += 1;
        if *slice >= slices {
            job.done_s.push(job.task_s - job.all_done_s());
            return None;
        }
        let last: f64 = job.done_s[job.done_s.len().saturating_sub(ticks)..].iter().sum();
        *gain_s += last - share_s;
    }
    if *slice >= slices {
        return None;
    }
    let begin = *slice as usize * ticks;
    let in_slice: f64 = job.done_s.iter().skip(begin).sum();
    Some(Standing {
        share_left_s: share_s - in_slice,
        slice_left_s: ((*slice as usize + 1) * ticks) as f64 * job.tick_s - now_s,
        gain_s: *gain_s,
        slices_left: slices - *slice,
    })
}
