//! What jobs that ran on Spot came to: attempts, interruptions, time by phase, node-hours, the bill.

use crate::facts::Catalogue;
use crate::records::{Job, JobEnd, PhaseKind, Stay, Stays};
use crate::units::{Money, Price, Span, Timestamp};

/// What one job came to.
#[derive(Debug, Clone, PartialEq)]
pub struct JobStats {
    /// The job.
    pub job: Job,
    /// How often it was begun on nodes.
    pub attempts: u32,
    /// Attempts that ended because the provider, or the scheduler, took the nodes.
    pub preemptions: u32,
    /// Attempts that ended because a node broke.
    pub node_failures: u32,
    /// Time by phase, in the order of [`PhaseKind::ALL`].
    pub time: [Span; PhaseKind::ALL.len()],
    /// How often it waited for nodes, and how long in all.
    pub waits: (u32, Span),
    /// From its submit to its end.
    pub wall: Span,
    /// Nodes times the time for which it used them, summed.
    pub node_time: Span,
    /// What of [`Self::node_time`] lies in attempts that did not complete. Not all of it is lost: that
    /// depends on what was saved.
    pub early_node_time: Span,
    /// Times of training, each to an interruption or to an end that is none.
    pub uptimes: Vec<Stay>,
    /// What was paid less than On-Demand would have cost, from 0 to 1, where the service says what it bills.
    pub saving: Option<f64>,
    /// On-Demand price of one node, and whose it is.
    pub price: Option<(Price, PriceOf)>,
    /// What it cost.
    pub bill: Bill,
    /// What its node time costs On-Demand.
    pub on_demand: Option<Money>,
}

/// Where a price comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PriceOf {
    /// The user.
    Given,
    /// The catalogue.
    Catalogue,
}

/// What a job cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bill {
    /// Billable time times nodes times the On-Demand price: the Spot discount is inside the billable time.
    Known(Money),
    /// It never had a node.
    NothingRan,
    /// The file does not say what is billable.
    NotSaid,
    /// No price is known of its instance.
    NoPrice,
}

/// What all jobs came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// As in [`JobStats`].
    pub attempts: u64,
    /// As in [`JobStats`].
    pub preemptions: u64,
    /// As in [`JobStats`].
    pub node_failures: u64,
    /// As in [`JobStats`].
    pub node_time: Span,
    /// As in [`JobStats`].
    pub early_node_time: Span,
}

/// What each job came to, at `price` or at the On-Demand price of the catalogue.
pub fn job_stats(jobs: Vec<Job>, price: Option<Price>, catalogue: &Catalogue) -> Vec<JobStats> {
    let of_catalogue =
        |job: &Job| catalogue.instance(&job.instance).and_then(|instance| instance.on_demand());
    jobs.into_iter()
        .map(|job| {
            let price = match price {
                Some(price) => Some((price, PriceOf::Given)),
                None => of_catalogue(&job).map(|price| (price, PriceOf::Catalogue)),
            };
            one(job, price)
        })
        .collect()
}

fn one(job: Job, price: Option<(Price, PriceOf)>) -> JobStats {
    let mut stats = JobStats {
        attempts: 0,
        preemptions: 0,
        node_failures: 0,
        time: [Span::ZERO; PhaseKind::ALL.len()],
        waits: (0, Span::ZERO),
        wall: job.ended().since(job.submitted()).unwrap_or_default(),
        node_time: Span::ZERO,
        early_node_time: Span::ZERO,
        uptimes: job.uptimes().collect(),
        saving: saving(&job),
        price,
        bill: bill(&job, price.map(|(price, _)| price)),
        on_demand: None,
        job,
    };
    let mut of_attempt = Span::ZERO;
    for phase in &stats.job.phases {
        stats.time[phase.kind as usize] += phase.span;
        if phase.kind.waits() {
            stats.waits = (stats.waits.0 + 1, stats.waits.1 + phase.span);
        }
        if phase.kind.uses_nodes() {
            let used = phase.span.times(phase.nodes.into());
            of_attempt += used;
            stats.node_time += used;
        }
        if let Some(end) = phase.ended {
            stats.attempts += 1;
            stats.preemptions += u32::from(end == JobEnd::Preempted);
            stats.node_failures += u32::from(end == JobEnd::NodeFailed);
            if !matches!(end, JobEnd::Completed | JobEnd::Going) {
                stats.early_node_time += of_attempt;
            }
            of_attempt = Span::ZERO;
        }
    }
    let nodes = nodes(&stats.job);
    // The service's own count of the time goes before ours, as that is what it would bill.
    let paid = stats.job.training_time.map_or(stats.node_time, |time| time.times(nodes));
    stats.on_demand = price.map(|(price, _)| price.cost(paid));
    stats
}

/// Nodes of a job, the most where they changed.
fn nodes(job: &Job) -> u64 {
    job.phases.iter().map(|phase| u64::from(phase.nodes)).max().unwrap_or(0)
}

/// One less billable over training time, as SageMaker reports it.
fn saving(job: &Job) -> Option<f64> {
    let (training, billable) = (job.training_time?, job.billable?);
    (!training.is_zero()).then(|| 1.0 - billable.ns() as f64 / training.ns() as f64)
}

fn bill(job: &Job, price: Option<Price>) -> Bill {
    match (job.billable, price) {
        (Some(billable), Some(price)) => Bill::Known(price.cost(billable.times(nodes(job)))),
        (Some(_), None) => Bill::NoPrice,
        (None, _) if job.phases.iter().all(|phase| phase.kind.waits()) => Bill::NothingRan,
        (None, _) => Bill::NotSaid,
    }
}

/// The sums over all jobs.
pub fn totals(jobs: &[JobStats]) -> Totals {
    jobs.iter().fold(Totals::default(), |sum, job| Totals {
        attempts: sum.attempts + u64::from(job.attempts),
        preemptions: sum.preemptions + u64::from(job.preemptions),
        node_failures: sum.node_failures + u64::from(job.node_failures),
        node_time: sum.node_time + job.node_time,
        early_node_time: sum.early_node_time + job.early_node_time,
    })
}

/// The up-times of jobs as stays, for a law to be fitted to: an interruption ends one, anything else cuts it
/// off. Each is of a whole gang, so the law is that of the first loss among its nodes.
pub fn uptimes(jobs: &[Job]) -> Stays {
    let mut stays: Vec<Stay> =
        jobs.iter().flat_map(Job::uptimes).filter(|stay| !stay.span.is_zero()).collect();
    stays.sort_by_key(|stay| stay.from);
    let start = stays.first().map_or(Timestamp::EPOCH, |stay| stay.from);
    let end = stays.iter().map(|stay| stay.from + stay.span).max().unwrap_or(start);
    Stays { start, end, stays }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{Content, How, ReadError, Recording, StayEnd, sagemaker, slurm};

    fn stats(read: Result<Recording, ReadError>, price: Option<&str>) -> Vec<JobStats> {
        let Content::Jobs(jobs) = read.unwrap().content else { panic!("no jobs") };
        job_stats(jobs, price.map(|price| price.parse().unwrap()), Catalogue::builtin())
    }

    fn time_s(stats: &JobStats, kind: PhaseKind) -> f64 {
        stats.time[kind as usize].as_secs()
    }

    fn cents(money: Option<Money>) -> Option<i64> {
        money.map(|money| (money.nusd() + 5_000_000) / 10_000_000)
    }

    /// [`PhaseKind::ALL`] has each kind at its own number.
    #[test]
    fn phases_are_counted_under_their_names() {
        for (index, kind) in PhaseKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, index);
        }
    }

    #[test]
    fn case_11_a_finished_job_is_billed_its_billable_seconds_once() {
        let text = include_str!("../../tests/cases/11-describe-training-job.json");
        for price in [Some("7.09 USD/h"), None] {
            let job = &stats(sagemaker::read(text), price)[0];
            assert!((job.saving.unwrap() - 0.65).abs() < 1e-4);
            let Bill::Known(bill) = job.bill else { panic!("{:?}", job.bill) };
            assert_eq!((cents(Some(bill)), cents(job.on_demand)), (Some(2_539), Some(7_255)));
            assert_eq!((job.attempts, job.preemptions, job.node_failures), (3, 2, 0));
            assert_eq!((job.waits, job.wall), ((2, Span::from_s(2_472)), Span::from_s(21_651)));
            let kinds =
                [PhaseKind::Training, PhaseKind::Downloading, PhaseKind::Starting, PhaseKind::Uploading];
            assert_eq!(kinds.map(|kind| time_s(job, kind)), [17_982.0, 385.0, 759.0, 53.0]);
            assert_eq!(job.node_time, Span::from_s(2 * 18_420));
        }
    }

    #[test]
    fn case_11_a_job_that_never_ran_costs_nothing() {
        let text = include_str!("../../tests/cases/11-describe-never-started.json");
        let job = &stats(sagemaker::read(text), None)[0];
        assert_eq!(job.bill, Bill::NothingRan);
        assert_eq!((job.waits, job.attempts), ((1, Span::from_s(72_000)), 0));
        assert_eq!((job.saving, job.node_time), (None, Span::ZERO));
    }

    #[test]
    fn case_13_node_hours_are_of_all_attempts() {
        let text = include_str!("../../tests/cases/13-sacct.txt");
        let all = stats(slurm::read(text, &How::default()), None);
        let figures = |job: &JobStats| {
            let four = |span: Span| (span.as_hours() * 1e4).round() / 1e4;
            let counts = (job.attempts, job.preemptions, job.node_failures);
            (counts, four(job.node_time), four(job.early_node_time), job.job.outcome)
        };
        assert_eq!(figures(&all[0]), ((3, 1, 1), 111.3667, 11.0222, JobEnd::Completed));
        assert_eq!(figures(&all[1]), ((1, 0, 0), 6.0, 0.0, JobEnd::Completed));
        assert_eq!(figures(&all[2]), ((1, 0, 0), 0.6667, 0.6667, JobEnd::Cancelled));
        assert_eq!(all[0].waits, (3, Span::from_s(2_680)));
        assert_eq!(all[0].wall, Span::from_s(28 * 3_600 + 35 * 60 + 10));
        assert_eq!((all[0].bill, all[0].on_demand), (Bill::NotSaid, None));
        let sums = totals(&all);
        assert_eq!((sums.attempts, sums.preemptions, sums.node_failures), (5, 1, 1));
    }

    #[test]
    fn up_times_of_all_jobs_are_stays_in_the_order_of_time() {
        let text = include_str!("../../tests/cases/13-sacct.txt");
        let Content::Jobs(jobs) = slurm::read(text, &How::default()).unwrap().content else {
            panic!("no jobs")
        };
        let stays = uptimes(&jobs);
        assert_eq!(stays.stays.iter().filter(|stay| stay.ended == StayEnd::Lost).count(), 2);
        assert!(stays.stays.is_sorted_by_key(|stay| stay.from));
        assert_eq!(stays.end.to_string(), "2026-02-11T12:35:10Z");
    }
}
