//! What the replications of one cluster add up to.

use super::CONFIDENCE;
use super::spread::{Spread, coarse};
use crate::pricing::GROUPS;
use crate::sim::{End, Outcome, PARTS, Reason};
use crate::stats::special::student_t_quantile;
use crate::stats::{Counts, Interval, PairMoments, Quantiles};
use crate::units::Span;
use serde::{Deserialize, Serialize};

/// Sums over replications of one cluster. All of them are whole numbers, so any split of the
/// replications over threads and shards gives the same bits.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Replications.
    pub replications: u64,
    /// Those that finished.
    pub finished: u64,
    /// Those that the horizon cut.
    pub censored: u64,
    /// Those that a rule ended, in the order of `sim::Reason`.
    pub gave_up: [u64; REASONS.len()],
    /// Those that finished by the deadline, if there is one.
    pub on_time: u64,
    /// Submit to finish of finished replications, ns.
    pub makespan: Spread,
    /// Bill of every replication, nano-dollars.
    pub cost: Spread,
    /// The Spot part of it, nano-dollars.
    pub spot_cost: i128,
    /// The On-Demand part of it, nano-dollars.
    pub on_demand_cost: i128,
    /// What is billed beside instances, by group, nano-dollars.
    pub beside: [i128; GROUPS.len()],
    /// Time of running nodes, ns.
    pub running_node_ns: i128,
    /// Node time by which survivors that hang fall short of whole gangs, ns.
    pub absent_node_ns: i128,
    /// Node time by which gangs that train with fewer nodes fall short of whole ones, ns.
    pub fewer_node_ns: i128,
    /// Complete gangs broken by the provider.
    pub preemptions: Counts,
    /// Complete gangs broken by hardware alone.
    pub failures: Counts,
    /// Nodes lost.
    pub nodes_lost: Counts,
    /// Complete gangs.
    pub attempts: Counts,
    /// Complete gangs after the first.
    pub restarts: Counts,
    /// Elapsed time by part, ns.
    pub time: [i128; PARTS.len()],
    /// (cost in micro-dollars, 1 if finished).
    pub cost_and_finish: PairMoments,
    /// (kept computing, elapsed), microseconds.
    pub computing_and_elapsed: PairMoments,
    /// (kept steps, elapsed since capacity was there), microseconds.
    pub stepping_and_schedulable: PairMoments,
    /// Makespans in ns, unfinished at infinity.
    pub makespans: Quantiles,
    /// Bills in nano-dollars.
    pub costs: Quantiles,
    /// Against the baseline cluster in the same worlds.
    pub against: Option<Against>,
}

/// All rules that can end a replication.
pub const REASONS: [Reason; 5] = [
    Reason::MaxRun,
    Reason::MaxWait,
    Reason::MaxRestarts,
    Reason::AttemptsWithoutProgress,
    Reason::TooManyEvents,
];

/// A cluster and the baseline, replication by replication.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Against {
    /// (our cost, its cost), micro-dollars.
    pub costs: PairMoments,
    /// (our cost in micro-dollars, 1 if it finished).
    pub cost_and_its_finish: PairMoments,
    /// (1 if we finished, its cost in micro-dollars).
    pub finish_and_its_cost: PairMoments,
    /// (1 if we finished, 1 if it did).
    pub finishes: PairMoments,
    /// (its cost in micro-dollars, 1 if it finished).
    pub its_cost_and_finish: PairMoments,
    /// Its bills, nano-dollars.
    pub its_cost: i128,
    /// Replications in which we finished and cost less.
    pub cheaper: u64,
    /// Our makespan less its, ns, where both finished.
    pub longer: Spread,
}

/// What of a replication two clusters are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Its bill, nano-dollars.
    pub cost_nusd: i64,
    /// Submit to end, ns.
    pub elapsed_ns: i64,
    /// Whether the work was done.
    pub finished: bool,
}

impl Seen {
    fn of(outcome: &Outcome) -> Self {
        let finished = outcome.end == End::Finished;
        Self { cost_nusd: outcome.cost().nusd(), elapsed_ns: ns(outcome.elapsed), finished }
    }
}

/// A makespan of a replication that did not finish.
const NEVER: u64 = u64::MAX;

fn us(span: Span) -> i64 {
    i64::try_from(span.ns() / 1_000).expect("584 years are fewer than 2^63 microseconds")
}

fn ns(span: Span) -> i64 {
    i64::try_from(span.ns()).unwrap_or(i64::MAX)
}

impl Tally {
    /// Makes room for so many replications.
    pub fn reserve(&mut self, replications: usize) {
        self.makespans.reserve(replications);
        self.costs.reserve(replications);
    }

    /// Takes one more replication, and the baseline's outcome in the same world.
    pub fn push(&mut self, outcome: &Outcome, deadline: Option<Span>, baseline: Option<&Outcome>) {
        self.replications += 1;
        let finished = outcome.end == End::Finished;
        match outcome.end {
            End::Finished => {
                self.finished += 1;
                self.makespan.push(ns(outcome.elapsed));
            }
            End::Censored => self.censored += 1,
            End::GaveUp(reason) => self.gave_up[reason as usize] += 1,
        }
        self.on_time += u64::from(deadline.is_some_and(|deadline| outcome.meets(deadline)));
        let cost = outcome.cost().nusd();
        self.cost.push(cost);
        self.spot_cost += i128::from(outcome.spot_cost.nusd());
        self.on_demand_cost += i128::from(outcome.on_demand_cost.nusd());
        for (sum, cost) in self.beside.iter_mut().zip(outcome.beside.groups()) {
            *sum += i128::from(cost.nusd());
        }
        self.running_node_ns += outcome.running_node_ns as i128;
        self.absent_node_ns += outcome.absent_node_ns as i128;
        self.fewer_node_ns += outcome.fewer_node_ns as i128;
        self.preemptions.push(outcome.preemptions);
        self.failures.push(outcome.failures);
        self.nodes_lost.push(outcome.nodes_lost);
        self.attempts.push(outcome.attempts);
        self.restarts.push(outcome.attempts.saturating_sub(1));
        for (sum, span) in self.time.iter_mut().zip(outcome.time.spans()) {
            *sum += i128::from(span.ns());
        }
        self.cost_and_finish.push(coarse(cost), i64::from(finished));
        self.computing_and_elapsed.push(us(outcome.kept_computing()), us(outcome.elapsed));
        self.stepping_and_schedulable.push(us(outcome.kept_stepping()), us(outcome.schedulable()));
        self.makespans.push(if finished { outcome.elapsed.ns() } else { NEVER });
        self.costs.push(u64::try_from(cost).unwrap_or(0));
        if let Some(other) = baseline {
            self.against.get_or_insert_default().push(outcome, other);
        }
    }

    /// Makes ready to be kept as a part of a run of `whole` replications.
    pub fn prepare(&mut self, whole: u64) {
        self.makespans.prepare(whole);
        self.costs.prepare(whole);
    }

    /// Takes the bill of one more replication, and whether it finished: all that [`Against::savings`] asks for.
    pub(super) fn take(&mut self, seen: Seen) {
        self.cost.push(seen.cost_nusd);
        self.cost_and_finish.push(coarse(seen.cost_nusd), i64::from(seen.finished));
    }

    /// Takes all replications of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.replications += other.replications;
        self.finished += other.finished;
        self.censored += other.censored;
        self.gave_up.iter_mut().zip(other.gave_up).for_each(|(sum, more)| *sum += more);
        self.on_time += other.on_time;
        self.makespan.merge(&other.makespan);
        self.cost.merge(&other.cost);
        self.spot_cost += other.spot_cost;
        self.on_demand_cost += other.on_demand_cost;
        self.beside.iter_mut().zip(other.beside).for_each(|(sum, more)| *sum += more);
        self.running_node_ns += other.running_node_ns;
        self.absent_node_ns += other.absent_node_ns;
        self.fewer_node_ns += other.fewer_node_ns;
        self.preemptions.merge(&other.preemptions);
        self.failures.merge(&other.failures);
        self.nodes_lost.merge(&other.nodes_lost);
        self.attempts.merge(&other.attempts);
        self.restarts.merge(&other.restarts);
        self.time.iter_mut().zip(other.time).for_each(|(sum, more)| *sum += more);
        self.cost_and_finish.merge(&other.cost_and_finish);
        self.computing_and_elapsed.merge(&other.computing_and_elapsed);
        self.stepping_and_schedulable.merge(&other.stepping_and_schedulable);
        self.makespans.merge(&other.makespans);
        self.costs.merge(&other.costs);
        if let Some(other) = &other.against {
            self.against.get_or_insert_default().merge(other);
        }
    }
}

impl Against {
    fn push(&mut self, ours: &Outcome, its: &Outcome) {
        self.take(Seen::of(ours), Seen::of(its));
    }

    /// Takes one more replication of both.
    pub(super) fn take(&mut self, ours: Seen, its: Seen) {
        let (cost, its_cost) = (coarse(ours.cost_nusd), coarse(its.cost_nusd));
        let (finished, it_finished) = (i64::from(ours.finished), i64::from(its.finished));
        self.costs.push(cost, its_cost);
        self.cost_and_its_finish.push(cost, it_finished);
        self.finish_and_its_cost.push(finished, its_cost);
        self.finishes.push(finished, it_finished);
        self.its_cost_and_finish.push(its_cost, it_finished);
        self.its_cost += i128::from(its.cost_nusd);
        self.cheaper += u64::from(ours.finished && ours.cost_nusd < its.cost_nusd);
        if ours.finished && its.finished {
            self.longer.push(ours.elapsed_ns - its.elapsed_ns);
        }
    }

    fn merge(&mut self, other: &Self) {
        self.costs.merge(&other.costs);
        self.cost_and_its_finish.merge(&other.cost_and_its_finish);
        self.finish_and_its_cost.merge(&other.finish_and_its_cost);
        self.finishes.merge(&other.finishes);
        self.its_cost_and_finish.merge(&other.its_cost_and_finish);
        self.its_cost += other.its_cost;
        self.cheaper += other.cheaper;
        self.longer.merge(&other.longer);
    }

    /// What is saved per finished run against the baseline, in dollars and as a share, each with its
    /// interval by the delta method. With r_c = Σc/Σf ours and r_b = Σb/Σg its, replication i moves
    /// `r_b − r_c` by `(b_i − r_b g_i)/ḡ − (c_i − r_c f_i)/f̄`, and `1 − r_c/r_b` by
    /// `((r_c/r_b)(b_i − r_b g_i)/ḡ − (c_i − r_c f_i)/f̄)/r_b`; the variances follow from the covariances
    /// of the four. `None` where either never finishes; a single pair has no interval but the value.
    pub fn savings(&self, tally: &Tally) -> Option<Savings> {
        let (own, its) = (&tally.cost_and_finish, &self.its_cost_and_finish);
        let per_finished =
            |nusd: i128, finished: i128| (finished > 0).then(|| nusd as f64 / finished as f64 / NUSD);
        let ours = per_finished(tally.cost.sum(), own.y().sum())?;
        let base = per_finished(self.its_cost, its.y().sum()).filter(|&base| base > 0.0)?;
        let (f, g) = (own.y().mean()?, its.y().mean()?);
        let n = own.x().count();
        // Weights of c, f, b, g, costs in micro-dollars.
        let weights = |of_base: f64| [-1e-6 / f, ours / f, of_base * 1e-6 / g, -of_base * base / g];
        let margin = |weights: [f64; 4]| {
            let error = self.variance(own, weights).map_or(0.0, |variance| (variance / n as f64).sqrt());
            if n > 1 { student_t_quantile(0.5 + 0.5 * CONFIDENCE, (n - 1) as f64) * error } else { 0.0 }
        };
        Some(Savings {
            usd: Interval::around(base - ours, margin(weights(1.0))),
            share: Interval::around(1.0 - ours / base, margin(weights(ours / base)) / base),
        })
    }

    /// Variance of a weighted sum of (our cost, our finish, its cost, its finish).
    fn variance(&self, own: &PairMoments, weights: [f64; 4]) -> Option<f64> {
        let its = &self.its_cost_and_finish;
        let covariances = [
            [
                own.x().variance()?,
                own.covariance()?,
                self.costs.covariance()?,
                self.cost_and_its_finish.covariance()?,
            ],
            [0.0, own.y().variance()?, self.finish_and_its_cost.covariance()?, self.finishes.covariance()?],
            [0.0, 0.0, its.x().variance()?, its.covariance()?],
            [0.0, 0.0, 0.0, its.y().variance()?],
        ];
        let mut variance = 0.0;
        for i in 0..4 {
            for j in i..4 {
                let twice = if i == j { 1.0 } else { 2.0 };
                variance += twice * weights[i] * weights[j] * covariances[i][j];
            }
        }
        Some(variance.max(0.0))
    }
}

/// Nano-dollars per dollar.
const NUSD: f64 = 1e9;

/// What a cluster saves per finished run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Savings {
    /// Dollars.
    pub usd: Interval,
    /// Share of the baseline's cost.
    pub share: Interval,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pricing::{Beside, Usage};
    use crate::sim::TimeParts;
    use crate::units::Money;

    fn outcome(dollars: i64, finished: bool) -> Outcome {
        Outcome {
            end: if finished { End::Finished } else { End::Censored },
            elapsed: Span::from_s(10),
            time: TimeParts::default(),
            spot_cost: Money::from_nusd(dollars * 1_000_000_000),
            on_demand_cost: Money::ZERO,
            beside: Beside::default(),
            usage: Usage::default(),
            running_node_ns: 0,
            absent_node_ns: 0,
            fewer_node_ns: 0,
            preemptions: 0,
            failures: 0,
            nodes_lost: 0,
            attempts: 1,
        }
    }

    /// A bill in dollars, and whether it was for a finished run.
    type Try = (i64, bool);

    fn tally(pairs: &[(Try, Try)]) -> Tally {
        let mut tally = Tally::default();
        for &((cost, finished), (its_cost, it_finished)) in pairs {
            tally.push(&outcome(cost, finished), None, Some(&outcome(its_cost, it_finished)));
        }
        tally
    }

    /// One of four finishes at 3 dollars a try, so it costs 12 per finished run, against 10: a loss of 2
    /// dollars or 20 %, though each try is cheaper.
    #[test]
    fn tries_that_do_not_finish_save_nothing() {
        let tally = tally(&[
            ((3, true), (10, true)),
            ((3, false), (10, true)),
            ((3, false), (10, true)),
            ((3, false), (10, true)),
        ]);
        let against = tally.against.as_ref().unwrap();
        let savings = against.savings(&tally).unwrap();
        assert!((savings.usd.value + 2.0).abs() < 1e-12 && (savings.share.value + 0.2).abs() < 1e-12);
        assert_eq!(against.cheaper, 1);
    }

    /// With both always finished the interval is that of the paired difference: 4, 6, 8 dollars saved.
    #[test]
    fn where_all_finish_dollars_saved_are_the_paired_difference() {
        let tally = tally(&[((6, true), (10, true)), ((4, true), (10, true)), ((3, true), (11, true))]);
        let savings = tally.against.as_ref().unwrap().savings(&tally).unwrap();
        let paired = tally.against.as_ref().unwrap().costs.difference().mean_interval(CONFIDENCE).unwrap();
        assert!((savings.usd.value - 6.0).abs() < 1e-12);
        assert!((savings.usd.half_width() - paired.half_width() * 1e-6).abs() < 1e-9);
    }
}
