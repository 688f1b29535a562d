//! What is told of a cluster, by the names of design section 7.

use super::CONFIDENCE;
use super::by_zone::{ByZone, InZone};
use super::chunk::Replicated;
use super::cost::{CostByPart, cost_lines};
use super::foresight::Foresight;
use super::spread::Spread;
use super::tally::{REASONS, Tally};
use crate::analytic::{Theory, theory};
use crate::scenario::cluster::Cluster;
use crate::scenario::expect::Expectation;
use crate::scenario::plan::Market;
use crate::sim::{Outcome, PARTS, Part};
use crate::stats::{Counts, Interval, PairMoments, Quantiles, wilson};

/// Whether a cluster was simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Status {
    /// It was.
    #[default]
    Simulated,
    /// It cannot meet the deadline even without interruption.
    Infeasible,
}

/// A figure of a cluster's replications.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Estimate {
    /// Mean over replications.
    pub mean: Option<f64>,
    /// Standard deviation of replications.
    pub sd: Option<f64>,
    /// Interval of the mean.
    pub interval: Option<Interval>,
    /// Quantiles of replications; `None` where not reached.
    pub p05: Option<f64>,
    /// Median.
    pub p50: Option<f64>,
    /// 95 % of replications are at most this.
    pub p95: Option<f64>,
}

/// One cluster's results.
#[derive(Debug, Clone, Default)]
pub struct ClusterResult {
    /// Its name.
    pub name: String,
    /// What it rents.
    pub instance: String,
    /// How many.
    pub nodes: u32,
    /// Where.
    pub market: Market,
    /// Whether it was simulated.
    pub status: Status,
    /// Without queue and interruption, hours.
    pub ideal_h: f64,
    /// When it should be done, hours.
    pub deadline_h: Option<f64>,
    /// Replications.
    pub replications: u64,
    /// Those that finished.
    pub finished: u64,
    /// Those that the horizon cut.
    pub censored: u64,
    /// Those that a rule ended, by its key.
    pub gave_up: Vec<(&'static str, u64)>,
    /// Share that finished.
    pub finish_probability: Option<Interval>,
    /// Share that finished by the deadline.
    pub deadline_probability: Option<Interval>,
    /// Submit to finish, hours: mean of the finished, quantiles of all.
    pub makespan_h: Estimate,
    /// Bill of a replication.
    pub cost_usd: Estimate,
    /// Σ cost / Σ finished.
    pub cost_per_finished_usd: Option<Interval>,
    /// The same per million samples.
    pub cost_usd_per_msample: Option<Interval>,
    /// Share saved against itself On-Demand and uninterrupted.
    pub savings_vs_on_demand: Option<Interval>,
    /// Share saved against the baseline.
    pub savings_vs_baseline: Option<Interval>,
    /// Dollars saved per finished run against the baseline.
    pub saved_usd: Option<Interval>,
    /// Share of replications in which it finishes and costs less than the baseline.
    pub cheaper_probability: Option<Interval>,
    /// Hours longer than the baseline, where both finished.
    pub longer_h: Option<Interval>,
    /// Complete gangs broken by the provider.
    pub preemptions: Estimate,
    /// Complete gangs broken by hardware alone.
    pub failures: Estimate,
    /// Nodes lost.
    pub nodes_lost: Estimate,
    /// Complete gangs.
    pub attempts: Estimate,
    /// Complete gangs after the first.
    pub restarts: Estimate,
    /// While training.
    pub samples_per_s: Option<f64>,
    /// Kept computing over elapsed.
    pub goodput: Option<Interval>,
    /// Kept steps over the time since capacity was there.
    pub ettr: Option<Interval>,
    /// While training, as [`Self::samples_per_s`].
    pub mfu: Option<f64>,
    /// Compute, host copy, exposed communication and data stall of a step, ms; without burst credits.
    pub step_ms: Option<[f64; 4]>,
    /// What theory expects, where it reaches and every replication finished.
    pub theory: Option<Theory>,
    /// What perfect foresight would have paid; set by who asks for it.
    pub foresight: Option<Foresight>,
    /// Mean hours by part.
    pub time_h: [f64; PARTS.len()],
    /// Mean dollars by line.
    pub cost_lines: Vec<(&'static str, f64)>,
    /// Mean dollars by part.
    pub cost_by_part: CostByPart,
    /// How the only replication ended, if there is one.
    pub only: Option<Outcome>,
    /// What it did in each zone, where it may be in several.
    pub zones: Vec<ZoneResult>,
    /// Share by which quantiles may be off, beyond a million replications.
    pub quantile_error: Option<f64>,
    /// Skewness of the bills, and of the makespans of those that finished: how far means are from normal.
    pub skewness: [Option<f64>; 2],
}

/// Means over replications of what a cluster did on Spot in one of its zones, on one instance type.
#[derive(Debug, Clone, PartialEq)]
pub struct ZoneResult {
    /// Its name.
    pub zone: String,
    /// The instance type, where the cluster has several.
    pub instance: Option<String>,
    /// Complete gangs.
    pub attempts_mean: f64,
    /// Hours of running nodes.
    pub node_hours_mean: f64,
    /// Their bills.
    pub cost_usd_mean: f64,
}

const NS_PER_H: f64 = 3.6e12;
const NUSD: f64 = 1e9;

/// What `replicated` says of `cluster`.
pub fn summarise(cluster: &Cluster, replicated: &mut Replicated, status: Status) -> ClusterResult {
    let tally = &mut replicated.tally;
    let n = tally.replications;
    let makespan_h = of_spread(&tally.makespan, &mut tally.makespans, NS_PER_H);
    let cost_usd = of_spread(&tally.cost, &mut tally.costs, NUSD);
    let quantile_error = tally.costs.relative_error();
    let skewness = [tally.costs.skewness(), tally.makespans.skewness()];
    let cost_per_finished_usd = cost_per_finished(tally);
    let samples = cluster.job.global_batch.filter(|_| cluster.step.is_some());
    let msamples = samples.map(|batch| batch as f64 * cluster.plan.work.steps as f64 / 1e6);
    let on_demand = cluster.ideal.on_demand_cost.as_usd();
    let against = tally.against.as_ref();
    let part = |part: Part| tally.time[part as usize];
    let (computing, elapsed) = (part(Part::Computing), tally.time.iter().sum::<i128>());
    let stepping = computing + part(Part::ExposedComm) + part(Part::DataStall);
    let savings = against.and_then(|against| against.savings(tally));
    let step_s = cluster.plan.mean_step_s();
    ClusterResult {
        name: cluster.name.clone(),
        instance: cluster.instance.clone(),
        nodes: cluster.nodes,
        market: cluster.market,
        status,
        ideal_h: cluster.ideal.makespan.as_hours(),
        deadline_h: cluster.plan.deadline.map(|deadline| deadline.as_hours()),
        replications: n,
        finished: tally.finished,
        censored: tally.censored,
        gave_up: REASONS.iter().zip(tally.gave_up).map(|(reason, count)| (reason.name(), count)).collect(),
        finish_probability: wilson(tally.finished, n, CONFIDENCE),
        deadline_probability: cluster.plan.deadline.and_then(|_| wilson(tally.on_time, n, CONFIDENCE)),
        makespan_h,
        cost_usd,
        cost_per_finished_usd,
        cost_usd_per_msample: cost_per_finished_usd.zip(msamples).map(|(cost, m)| scaled(cost, 1.0 / m)),
        savings_vs_on_demand: cost_per_finished_usd
            .filter(|_| on_demand > 0.0)
            .map(|cost| complement(scaled(cost, 1.0 / on_demand))),
        savings_vs_baseline: savings.map(|savings| savings.share),
        saved_usd: savings.map(|savings| savings.usd),
        cheaper_probability: against.and_then(|against| wilson(against.cheaper, n, CONFIDENCE)),
        longer_h: against
            .and_then(|against| against.longer.mean_interval(CONFIDENCE))
            .map(|longer| scaled(longer, 1.0 / NS_PER_H)),
        preemptions: of_counts(&tally.preemptions),
        failures: of_counts(&tally.failures),
        nodes_lost: of_counts(&tally.nodes_lost),
        attempts: of_counts(&tally.attempts),
        restarts: of_counts(&tally.restarts),
        samples_per_s: samples.map(|batch| batch as f64 / step_s),
        goodput: ratio(&tally.computing_and_elapsed, computing, elapsed),
        ettr: ratio(&tally.stepping_and_schedulable, stepping, elapsed - part(Part::Queued)),
        mfu: cluster
            .step
            .as_ref()
            .and_then(|step| step.mfu.map(|mfu| mfu * cluster.plan.work.step.total().as_secs() / step_s)),
        step_ms: cluster.step.as_ref().map(|step| {
            let (parts, host_copy_s) = (&step.sustained.parts, step.gpu.host_copy_s);
            let compute_s = parts.computing.as_secs() - host_copy_s;
            [compute_s, host_copy_s, parts.exposed_comm.as_secs(), parts.data_stall.as_secs()]
                .map(|s| s * 1e3)
        }),
        theory: theory(&cluster.plan).ok().filter(|_| tally.finished == n && n > 0),
        foresight: None,
        time_h: tally.time.map(|ns| ns as f64 / n.max(1) as f64 / NS_PER_H),
        cost_lines: cost_lines(tally),
        cost_by_part: CostByPart::of(tally, cluster.nodes),
        only: replicated.only,
        zones: zones(cluster, &replicated.by_zone, n),
        quantile_error,
        skewness,
    }
}

/// What a cluster with several zones or instance types did in each; nothing of any other.
fn zones(cluster: &Cluster, by_zone: &ByZone, replications: u64) -> Vec<ZoneResult> {
    if cluster.plan.elsewhere.is_empty() {
        return Vec::new();
    }
    let n = replications.max(1) as f64;
    let never = InZone::default();
    let of = |index| {
        let (zone, instance) = cluster.place(index);
        let sums = by_zone.zones().get(index).unwrap_or(&never);
        ZoneResult {
            zone: zone.to_owned(),
            instance: (!cluster.fallbacks.is_empty()).then_some(instance),
            attempts_mean: sums.attempts as f64 / n,
            node_hours_mean: sums.running_node_ns as f64 / n / NS_PER_H,
            cost_usd_mean: sums.cost_nusd as f64 / n / NUSD,
        }
    };
    (0..=cluster.plan.elsewhere.len()).map(of).collect()
}

fn of_spread(spread: &Spread, quantiles: &mut Quantiles, unit: f64) -> Estimate {
    let mut quantile = |p| quantiles.quantile(p).map(|value| value / unit);
    Estimate {
        mean: spread.mean().map(|mean| mean / unit),
        sd: spread.sd().map(|sd| sd / unit),
        interval: spread.mean_interval(CONFIDENCE).map(|interval| scaled(interval, 1.0 / unit)),
        p05: quantile(0.05),
        p50: quantile(0.5),
        p95: quantile(0.95),
    }
}

fn of_counts(counts: &Counts) -> Estimate {
    Estimate {
        mean: counts.mean(),
        sd: counts.sd(),
        interval: counts.mean_interval(CONFIDENCE),
        p05: counts.quantile(0.05),
        p50: counts.quantile(0.5),
        p95: counts.quantile(0.95),
    }
}

/// Exact ratio of sums; a single replication has no interval but its own value.
fn cost_per_finished(tally: &Tally) -> Option<Interval> {
    if tally.finished == 0 {
        return None;
    }
    let value = tally.cost.sum() as f64 / tally.finished as f64 / NUSD;
    let margin = tally.cost_and_finish.ratio_interval(CONFIDENCE).map_or(0.0, |i| i.half_width() * 1e-6);
    Some(Interval::around(value, margin))
}

/// Exact ratio of two sums; the pairs behind them, in a coarser unit, give the interval.
fn ratio(pairs: &PairMoments, over: i128, under: i128) -> Option<Interval> {
    let margin = pairs.ratio_interval(CONFIDENCE).map_or(0.0, |interval| interval.half_width());
    (under != 0).then(|| Interval::around(over as f64 / under as f64, margin))
}

fn scaled(i: Interval, factor: f64) -> Interval {
    let (a, b) = (i.low * factor, i.high * factor);
    Interval { value: i.value * factor, low: a.min(b), high: a.max(b) }
}

fn complement(i: Interval) -> Interval {
    Interval { value: 1.0 - i.value, low: 1.0 - i.high, high: 1.0 - i.low }
}

/// One named number of a result; `None` where it does not exist or is not reached.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Its name, as in JSON and CSV.
    pub name: String,
    /// Its value.
    pub value: Option<f64>,
}

impl ClusterResult {
    /// Every number of the result by name, in the order of the outputs; hours by part are
    /// `time_h.queued` and so on, dollars by part `cost_usd_by_part.starting`.
    pub fn figures(&self) -> Vec<Figure> {
        let mut all = Figures(Vec::new());
        all.one("ideal_h", Some(self.ideal_h));
        all.one("deadline_h", self.deadline_h);
        all.one("replications", Some(self.replications as f64));
        all.interval("finish_probability", self.finish_probability);
        all.interval("deadline_probability", self.deadline_probability);
        all.estimate("makespan_h", &self.makespan_h);
        all.estimate("cost_usd", &self.cost_usd);
        all.interval("cost_per_finished_usd", self.cost_per_finished_usd);
        all.interval("cost_usd_per_msample", self.cost_usd_per_msample);
        all.interval("savings_vs_on_demand", self.savings_vs_on_demand);
        all.interval("savings_vs_baseline", self.savings_vs_baseline);
        all.interval("saved_usd", self.saved_usd);
        all.interval("cheaper_probability", self.cheaper_probability);
        all.interval("longer_h", self.longer_h);
        all.estimate("preemptions", &self.preemptions);
        all.estimate("failures", &self.failures);
        all.estimate("nodes_lost", &self.nodes_lost);
        all.estimate("attempts", &self.attempts);
        all.estimate("restarts", &self.restarts);
        all.one("samples_per_s", self.samples_per_s);
        all.interval("goodput", self.goodput);
        all.interval("ettr", self.ettr);
        all.one("mfu", self.mfu);
        all.one("step_ms", self.step_ms.map(|parts| parts.iter().sum()));
        let names = ["compute_ms", "host_copy_ms", "exposed_comm_ms", "data_stall_ms"];
        for (part, name) in names.into_iter().enumerate() {
            all.one(name, self.step_ms.map(|parts| parts[part]));
        }
        all.one("theory_makespan_h", self.theory.map(|theory| theory.makespan_h));
        // Theory knows instances only, so it stands beside the whole cost only where that is all.
        let instances_usd = self.theory.and_then(|theory| theory.instances_usd);
        all.one("theory_cost_usd", instances_usd.filter(|_| self.cost_by_part.other == 0.0));
        let bound_usd = self.foresight.map(|foresight| foresight.bound_usd);
        all.one("bound_usd_mean", bound_usd.map(|bound| bound.value));
        all.one("bound_usd_ci_low", bound_usd.map(|bound| bound.low));
        all.one("bound_usd_ci_high", bound_usd.map(|bound| bound.high));
        all.interval("above_bound", self.foresight.and_then(|foresight| foresight.above_bound));
        for ((_, name), hours) in PARTS.iter().zip(self.time_h) {
            all.one(&format!("time_h.{name}"), Some(hours));
        }
        for (name, usd) in self.cost_by_part.named() {
            all.one(&format!("cost_usd_by_part.{name}"), Some(usd));
        }
        all.0
    }

    /// Every interval over replications; those of perfect foresight are of a pass of their own.
    pub fn intervals_mut(&mut self) -> [&mut Option<Interval>; 18] {
        [
            &mut self.finish_probability,
            &mut self.deadline_probability,
            &mut self.makespan_h.interval,
            &mut self.cost_usd.interval,
            &mut self.cost_per_finished_usd,
            &mut self.cost_usd_per_msample,
            &mut self.savings_vs_on_demand,
            &mut self.savings_vs_baseline,
            &mut self.saved_usd,
            &mut self.cheaper_probability,
            &mut self.longer_h,
            &mut self.preemptions.interval,
            &mut self.failures.interval,
            &mut self.nodes_lost.interval,
            &mut self.attempts.interval,
            &mut self.restarts.interval,
            &mut self.goodput,
            &mut self.ettr,
        ]
    }

    /// A number of the result by its name.
    pub fn figure(&self, name: &str) -> Option<Option<f64>> {
        self.figures().into_iter().find(|figure| figure.name == name).map(|figure| figure.value)
    }
}

struct Figures(Vec<Figure>);

impl Figures {
    fn one(&mut self, name: &str, value: Option<f64>) {
        self.0.push(Figure { name: name.to_owned(), value });
    }

    fn interval(&mut self, name: &str, interval: Option<Interval>) {
        self.one(name, interval.map(|i| i.value));
        self.one(&format!("{name}_ci_low"), interval.map(|i| i.low));
        self.one(&format!("{name}_ci_high"), interval.map(|i| i.high));
    }

    fn estimate(&mut self, name: &str, of: &Estimate) {
        let (low, high) = of.interval.map_or((None, None), |i| (Some(i.low), Some(i.high)));
        for (suffix, value) in [
            ("mean", of.mean),
            ("sd", of.sd),
            ("ci_low", low),
            ("ci_high", high),
            ("p05", of.p05),
            ("p50", of.p50),
            ("p95", of.p95),
        ] {
            self.one(&format!("{name}_{suffix}"), value);
        }
    }
}

/// The names that expectations may have: those of every figure.
pub fn figure_names() -> Vec<String> {
    ClusterResult::default().figures().into_iter().map(|figure| figure.name).collect()
}

/// One sentence for each expectation that `result` does not meet.
pub fn check_expectations(result: &ClusterResult, expectations: &[Expectation]) -> Vec<String> {
    let check = |expectation: &Expectation| {
        let Expectation { result: name, min, max } = expectation;
        let bounds = match (min, max) {
            (Some(min), Some(max)) => format!("from {min} to {max}"),
            (Some(min), None) => format!("at least {min}"),
            (_, max) => format!("at most {}", max.unwrap_or(f64::INFINITY)),
        };
        match result.figure(name) {
            None => Some(format!("{}: there is no result `{name}`", result.name)),
            Some(None) => Some(format!("{}: `{name}` has no value, expected {bounds}", result.name)),
            Some(Some(value)) if min.is_some_and(|min| value < min) || max.is_some_and(|max| value > max) => {
                Some(format!("{}: `{name}` is {value}, expected {bounds}", result.name))
            }
            Some(Some(_)) => None,
        }
    };
    expectations.iter().filter_map(check).collect()
}
