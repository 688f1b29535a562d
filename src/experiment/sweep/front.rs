//! The cheapest, the fastest, and what nothing else beats in both.

use super::{INVALID, SIMULATED, SweepRows};
use crate::stats::Interval;

/// What a row costs, dollars.
pub const COST: &str = "cost_per_finished_usd";
/// How long it takes in the mean of the runs that finish, hours.
pub const TIME: &str = "makespan_h_mean";

/// Share of replications that must finish before a row is on the front, and meet the deadline before it is called
/// reliable, as `run` has it. A mean of few finished runs is one of the lucky ones.
pub const RELIABLE: f64 = 0.9;

/// A row that finishes in some replications.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Its place among the rows.
    pub row: usize,
    /// Dollars per finished run.
    pub cost_usd: Interval,
    /// Mean hours of the finished.
    pub time_h: Interval,
    /// Replications behind it.
    pub replications: u64,
    /// Share of replications that finish.
    pub finishes: f64,
    /// Share of replications in time, where there is a deadline.
    pub in_time: Option<f64>,
    /// Whether it finishes in [`RELIABLE`] of replications and no other such row is at most as dear and at most as
    /// slow, but those that equal it and stand below it. Where no row finishes so often, all count.
    pub on_front: bool,
}

/// What a sweep found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// Rows with cost and time, the cheapest first; of equal ones the first of the table.
    pub points: Vec<Point>,
    /// Configurations that the scenario's rules refuse.
    pub invalid: usize,
    /// Rows that cannot meet their deadline.
    pub infeasible: usize,
    /// Rows none of whose replications finished.
    pub endless: usize,
    /// Most replications of a row.
    pub replications: u64,
}

impl Found {
    /// The cheapest row.
    pub fn cheapest(&self) -> Option<&Point> {
        self.points.first()
    }

    /// The fastest row of the front.
    pub fn fastest(&self) -> Option<&Point> {
        self.front().last()
    }

    /// How many rows finish too seldom to be on the front.
    pub fn unreliable(&self) -> usize {
        let seldom = self.points.iter().filter(|point| !point.is_reliable()).count();
        if seldom == self.points.len() { 0 } else { seldom }
    }

    /// The front, from the cheapest to the fastest.
    pub fn front(&self) -> impl Iterator<Item = &Point> {
        self.points.iter().filter(|point| point.on_front)
    }

    /// How many others may be as cheap as the cheapest.
    pub fn as_cheap(&self) -> usize {
        let Some(best) = self.cheapest() else { return 0 };
        self.points[1..].iter().filter(|point| point.may_cost_as_little_as(best)).count()
    }
}

impl Point {
    /// Whether it finishes often enough for its mean time to be compared.
    pub fn is_reliable(&self) -> bool {
        self.finishes >= RELIABLE
    }

    /// Whether its interval reaches as low as that of `best` reaches up. Both are taken as independent, though they met
    /// the same worlds, so the true answer may be no. Where hardly a run finished the interval reaches below 0 and
    /// tells nothing.
    pub fn may_cost_as_little_as(&self, best: &Self) -> bool {
        self.cost_usd.low <= best.cost_usd.high && (self.cost_usd.low >= 0.0 || best.cost_usd.low < 0.0)
    }
}

/// Sorts out the rows of a sweep by cost and time.
pub fn found(rows: &SweepRows) -> Found {
    let [finishes, in_time, replications] =
        ["finish_probability", "deadline_probability", "replications"].map(|name| rows.column(name));
    let of = |row: usize, column: Option<usize>| column.and_then(|at| rows.rows[row].figures[at]);
    let point = |row: usize| {
        Some(Point {
            row,
            cost_usd: rows.interval(&rows.rows[row], COST)?,
            time_h: rows.interval(&rows.rows[row], TIME)?,
            replications: of(row, replications).unwrap_or(0.0) as u64,
            finishes: of(row, finishes).unwrap_or(1.0),
            in_time: of(row, in_time),
            on_front: false,
        })
    };
    let with_status = |status: &str| rows.rows.iter().filter(|row| row.status == status).count();
    let mut points: Vec<Point> = (0..rows.rows.len()).filter_map(point).collect();
    mark_front(&mut points);
    let replications = (0..rows.rows.len()).filter_map(|row| of(row, replications)).fold(0.0, f64::max);
    Found {
        invalid: with_status(INVALID),
        infeasible: with_status("infeasible"),
        endless: with_status(SIMULATED).saturating_sub(points.len()),
        replications: replications as u64,
        points,
    }
}

/// Sorts by cost, then time, then place; what is faster than all that are cheaper is on the front. Of rows that are
/// equal in both, as where a key is of no concern to a cluster, it is the first.
fn mark_front(points: &mut [Point]) {
    let key = |point: &Point| (point.cost_usd.value, point.time_h.value);
    points.sort_by(|a, b| {
        let ((a_cost, a_time), (b_cost, b_time)) = (key(a), key(b));
        a_cost.total_cmp(&b_cost).then(a_time.total_cmp(&b_time)).then(a.row.cmp(&b.row))
    });
    let any_is_reliable = points.iter().any(Point::is_reliable);
    let mut fastest = f64::INFINITY;
    for point in points.iter_mut().filter(|point| point.is_reliable() || !any_is_reliable) {
        point.on_front = point.time_h.value < fastest;
        fastest = fastest.min(point.time_h.value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Costs and times of rows in their order; the last has none.
    fn table() -> SweepRows {
        let head = "configuration,k,cluster,status,replications,cost_per_finished_usd,\
            cost_per_finished_usd_ci_low,cost_per_finished_usd_ci_high,makespan_h_mean\n";
        let rows = [(5.0, 9.0), (4.0, 10.0), (4.0, 12.0), (6.0, 9.0), (7.0, 3.0), (5.0, 9.0)];
        let body = rows.iter().enumerate().fold(String::new(), |all, (n, (cost, time))| {
            all + &format!("{n},{n},c,simulated,100,{cost},{},{},{time}\n", cost - 1.0, cost + 0.5)
        });
        let rest = "6,6,c,simulated,100,,,,\n7,7,c,infeasible,,,,,\n8,8,,invalid,,,,,\n";
        SweepRows::read(format!("{head}{body}{rest}").as_bytes()).unwrap()
    }

    /// By hand: (4, 12) loses to (4, 10) at the same cost, (6, 9) to (5, 9) at the same time; (5, 9) is there twice.
    #[test]
    fn the_front_is_what_nothing_beats_in_both() {
        let found = found(&table());
        let front: Vec<usize> = found.front().map(|point| point.row).collect();
        assert_eq!(front, [1, 0, 4]);
        assert_eq!(found.cheapest().map(|point| point.row), Some(1));
        assert_eq!(found.fastest().map(|point| point.row), Some(4));
        // 4.5 is the cheapest's upper end: (4, 12) and both (5, 9) reach down to it, (6, 9) only to 5.
        assert_eq!(found.as_cheap(), 3);
        assert_eq!((found.endless, found.infeasible, found.invalid, found.replications), (1, 1, 1, 100));
    }

    /// A configuration in which 1 of 400 runs finishes, by luck sooner than any other.
    #[test]
    fn a_row_that_hardly_finishes_is_neither_fastest_nor_a_rival() {
        let text = "configuration,k,cluster,status,replications,finish_probability,cost_per_finished_usd,\
            cost_per_finished_usd_ci_low,cost_per_finished_usd_ci_high,makespan_h_mean\n\
            0,0,c,simulated,400,1,25,24,26,11\n1,1,c,simulated,400,0.0025,8049,-7766,23865,10.65\n";
        let found = found(&SweepRows::read(text.as_bytes()).unwrap());
        assert_eq!(found.fastest().map(|point| point.row), Some(0));
        assert_eq!((found.front().count(), found.unreliable(), found.as_cheap()), (1, 1, 0));
    }

    #[test]
    fn nothing_found_is_no_panic() {
        let none = found(&SweepRows::default());
        assert!(none.cheapest().is_none() && none.fastest().is_none() && none.as_cheap() == 0);
    }
}
