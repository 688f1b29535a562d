//! The cheapest, the fastest, and what nothing else beats in both.

use super::{INVALID, SIMULATED, SweepRows};
use crate::stats::Interval;

/// What a row costs, dollars.
pub const COST: &str = "cost_per_finished_usd";
/// How long it takes in the mean of the runs that finish, hours.
pub const TIME: &str = "makespan_h_mean";

/// A row that finishes in some replications.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Its place among the rows.
    pub row: usize,
    /// Dollars per finished run.
    pub cost_usd: Interval,
    /// Mean hours of the finished.
    pub time_h: Interval,
    /// Share of replications that finish.
    pub finishes: f64,
    /// Share of replications in time, where there is a deadline.
    pub in_time: Option<f64>,
    /// Whether no other is at most as dear and at most as slow, but those that equal it and stand below it.
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

    /// The fastest row; of equally fast ones the cheapest.
    pub fn fastest(&self) -> Option<&Point> {
        self.points
            .iter()
            .reduce(|best, other| if other.time_h.value < best.time_h.value { other } else { best })
    }

    /// The front, from the cheapest to the fastest.
    pub fn front(&self) -> impl Iterator<Item = &Point> {
        self.points.iter().filter(|point| point.on_front)
    }

    /// How many others may be as cheap as the cheapest: their intervals reach as low as its own reaches up.
    pub fn as_cheap(&self) -> usize {
        let Some(best) = self.cheapest() else { return 0 };
        self.points[1..].iter().filter(|point| point.cost_usd.low <= best.cost_usd.high).count()
    }
}

/// Sorts out the rows of a sweep by cost and time.
pub fn found(rows: &SweepRows) -> Found {
    let [finishes, in_time] = ["finish_probability", "deadline_probability"].map(|name| rows.column(name));
    let of = |row: usize, column: Option<usize>| column.and_then(|at| rows.rows[row].figures[at]);
    let point = |row: usize| {
        Some(Point {
            row,
            cost_usd: rows.interval(&rows.rows[row], COST)?,
            time_h: rows.interval(&rows.rows[row], TIME)?,
            finishes: of(row, finishes).unwrap_or(1.0),
            in_time: of(row, in_time),
            on_front: false,
        })
    };
    let with_status = |status: &str| rows.rows.iter().filter(|row| row.status == status).count();
    let mut points: Vec<Point> = (0..rows.rows.len()).filter_map(point).collect();
    mark_front(&mut points);
    let replications = rows.column("replications");
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
    let mut fastest = f64::INFINITY;
    for point in points {
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

    #[test]
    fn nothing_found_is_no_panic() {
        let none = found(&SweepRows::default());
        assert!(none.cheapest().is_none() && none.fastest().is_none() && none.as_cheap() == 0);
    }
}
