//! `[[cluster]]`: one candidate, with the tables of the file and its own put over them.

use super::anatomy::{Anatomy, Calibrated, Form};
use super::assumed::Assumed;
use super::calibration::read_calibration;
use super::capacity::ReadFile;
use super::checkpoint::{Checkpoint, Saver, read_checkpoint, restore_time};
use super::compute::read_compute;
use super::echo::Echo;
use super::elastic::{Beside, elastic, sizes, without_credits};
use super::expect::{Expectation, read_expect};
use super::extras::Used;
use super::failures::read_failures;
use super::fallback::{check_fallback_tables, with_fallbacks};
use super::head::{Head, read_head};
use super::ideal::{Ideal, ideal, warn_of_limits};
use super::job::{Job, read_job};
use super::limits::read_limits;
use super::max_price::check_max_price;
use super::moves::moving;
use super::network::read_network;
use super::plan::{Capacity, Market, OnLoss, Plan, SavedOn, Zone};
use super::policy::{Decided, read_policy, warn_of_optimum};
use super::price_file::{Held, warn_held};
use super::pricing::Prices;
use super::problem::{Problem, Sink};
use super::reader::Reader;
use super::start::read_start;
use super::submit::echo_submit;
use super::tables::Tables;
use super::throughput::{Machines, Throughput};
use super::tick::in_ticks;
use super::tree::{MergeRules, Table};
use super::work::{StepTables, resolve_work};
use super::zones::{check_zone_tables, check_zones, read_capacities, read_prices};
use crate::facts::{Catalogue, InstanceRef};
use crate::policy::Policy;
use crate::units::Span;

/// The tables that a file gives for all its clusters and a cluster may override.
pub const SHARED: [&str; 11] = [
    "job",
    "compute",
    "network",
    "start",
    "checkpoint",
    "capacity",
    "failures",
    "pricing",
    "limits",
    "policy",
    "expect",
];

/// Keys of which one displaces the others.
const RIVALS: &[&[&str]] = &[
    &["checkpoint.every", "checkpoint.steps"],
    &["compute.step_time", "compute.samples_per_s", "compute.time_per_sample", "compute.efficiency"],
    &["network.bandwidth", "network.calibration"],
    &["job.batch_per_gpu", "job.global_batch"],
    &[
        "capacity.always",
        "capacity.renewal",
        "capacity.markov",
        "capacity.diurnal",
        "capacity.events",
        "capacity.trace",
        "capacity.bootstrap",
        "capacity.placement_score",
        "capacity.advisor",
    ],
    &["pricing.spot", "pricing.history", "pricing.mean_reverting"],
    &[
        "policy.spot_only",
        "policy.on_demand_only",
        "policy.greedy",
        "policy.thresholds",
        "policy.uniform_progress",
        "policy.time_sliced",
        "policy.fall_back",
    ],
];

/// How a cluster's tables go over the file's.
pub(super) const RULES: MergeRules<'_> = MergeRules {
    whole: &[
        "capacity",
        "policy",
        "failures.per_node",
        "start.provision",
        "start.start",
        "start.image",
        "start.framework",
        "start.rendezvous",
        "start.data",
        "start.warm_up",
        "start.restore",
        "start.detection",
        "start.reshard",
        "job.work",
        "job.model",
    ],
    rivals: RIVALS,
};

/// How `--set` goes over the file: a key at a time, so that `capacity.acquire` leaves the kind alone.
pub const SET_RULES: MergeRules<'_> = MergeRules { whole: &["job.work", "job.model"], rivals: RIVALS };

/// One candidate, resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    /// Its name in results.
    pub name: String,
    /// The instance as the catalogue spells it.
    pub instance: String,
    /// What its nodes are where that cannot be had, in this order.
    pub fallbacks: Vec<InstanceRef<'static>>,
    /// Nodes.
    pub nodes: u32,
    /// GPUs of all nodes.
    pub ranks: u32,
    /// Where it rents.
    pub market: Market,
    /// Zones in which it may be, in the order of [`Plan::elsewhere`] after the first, for each instance anew.
    pub zones: Vec<String>,
    /// What is trained.
    pub job: Job,
    /// One step, where the work has steps.
    pub step: Option<Anatomy>,
    /// What a step hangs on, for other numbers of nodes too.
    pub throughput: Throughput,
    /// How it is billed.
    pub prices: Prices,
    /// What the engine runs.
    pub plan: Plan,
    /// Time and money without queue, acquisition and interruption.
    pub ideal: Ideal,
    /// Bounds on its results.
    pub expect: Vec<Expectation>,
    /// Facts from the catalogue that the answer hangs on.
    pub assumed: Vec<Assumed>,
    /// Its effective keys.
    pub echo: Echo,
}

impl Cluster {
    /// Measured kernels that its step comes from, and what they changed.
    pub fn calibrated(&self) -> Option<(&Calibrated, String)> {
        let step = self.step.as_ref()?;
        match &step.form {
            Form::Calibrated(calibrated) => Some((calibrated, calibrated.words(step.gpu.compute_s()))),
            _ => None,
        }
    }

    /// Zone and instance of the entry `index` of [`Plan::zones`].
    pub fn place(&self, index: usize) -> (&str, String) {
        let fallback = (index / self.zones.len()).checked_sub(1).and_then(|nth| self.fallbacks.get(nth));
        let instance = fallback.map_or(self.instance.clone(), InstanceRef::name);
        (&self.zones[index % self.zones.len()], instance)
    }
}

/// What is the same for all clusters of a file.
pub struct Context<'a> {
    /// The file's tables.
    pub file: &'a Table,
    /// Where problems go.
    pub sink: &'a Sink,
    /// Facts.
    pub catalogue: &'static Catalogue,
    /// Reads files that the scenario names.
    pub read_file: &'a ReadFile<'a>,
    /// The length of a tick, in tick mode.
    pub tick: Option<Span>,
}

/// Reads one `[[cluster]]`.
pub fn read_cluster(own: &Table, context: &Context<'_>) -> Option<Cluster> {
    let before = context.sink.errors();
    let cluster = read_as(None, own, context)?;
    // What is wrong with the first instance would be said again of each further one.
    if context.sink.errors() > before { Some(cluster) } else { with_fallbacks(cluster, own, context) }
}

/// Reads a cluster as if its nodes were of the type `fallback` alone; `None`: of its first.
pub(super) fn read_as(
    fallback: Option<InstanceRef<'static>>,
    own: &Table,
    context: &Context<'_>,
) -> Option<Cluster> {
    let mut echo = Echo::default();
    // With a head that is wrong the rest is read all the same, so that every problem is said at once.
    let found = read_head(own, context, &mut echo);
    let known = found.is_some();
    let mut head = found.or_else(|| Head::stand_in(context.catalogue))?;
    let other_name = fallback.map(|instance| instance.name());
    if let Some(instance) = fallback {
        head.instance = instance;
        head.fallbacks.clear();
    }
    let machines = Machines { catalogue: context.catalogue, instance: head.instance, nodes: head.nodes };
    let tables = Tables { own, context, fallback: other_name.as_deref() };
    let zone_names: Vec<&str> = head.zones.names.iter().map(String::as_str).collect();
    check_zone_tables(own, &zone_names, context.sink);
    if fallback.is_none() {
        check_fallback_tables(own, &head.fallbacks, &zone_names, context.sink);
    }
    let mut assumed = Vec::new();

    let compute_table = tables.merged("compute");
    let compute = read_compute(tables.section(&compute_table, "compute", &mut echo));
    let job_table = tables.merged("job");
    let job = read_job(tables.section(&job_table, "job", &mut echo), &machines, compute.accumulate);
    let network_table = tables.merged("network");
    let network = tables.section(&network_table, "network", &mut echo);
    let network = read_network(network, &machines, context.read_file);
    let mut calibration_at = Reader::new(&compute_table, context.sink);
    let precision = job.as_ref().map(|job| job.precision);
    let calibration =
        read_calibration(&compute, precision, &mut calibration_at, &machines, context.read_file);
    let step_tables =
        StepTables { job: &job_table, compute: &compute_table, network: &network_table, sink: context.sink };
    let throughput = job.clone().map(|job| Throughput { machines, job, compute, network, calibration });
    let least_nodes = head.size.min_nodes.unwrap_or(head.nodes);
    let work = throughput.as_ref().and_then(|throughput| resolve_work(throughput, least_nodes, &step_tables));
    let work = work.map(|(work, step)| (without_credits(work, head.size, own, context), step));

    let checkpoint_table = tables.merged("checkpoint");
    let mut unsaid = Echo::default();
    let section = tables.section(&checkpoint_table, "checkpoint", &mut unsaid);
    let restore = restore_time(section, job.as_ref(), &machines);
    let start_table = tables.merged("start");
    let (start, reshard, pulls) =
        read_start(tables.section(&start_table, "start", &mut echo), restore, head.size);
    let submit = job.as_ref().and_then(|job| job.submit);
    let capacities = read_capacities(&tables, &head, submit, &job_table, &mut assumed, &mut echo);
    let capacity = capacities.first().cloned().flatten();
    let failures_table = tables.merged("failures");
    let failures = read_failures(tables.section(&failures_table, "failures", &mut echo));
    let checkpoint = throughput.as_ref().zip(work.as_ref()).and_then(|(throughput, (work, step))| {
        let section = tables.section(&checkpoint_table, "checkpoint", &mut echo);
        let spot_capacity = capacity.as_ref().filter(|_| head.market == Market::Spot);
        let failures = failures.as_ref();
        let (job, machines) = (&throughput.job, &machines);
        let reshard = head.size.min_nodes.map(|_| &reshard);
        let (step, start) = (step.as_ref(), &start);
        let several_regions = head.market == Market::Spot && head.zones.in_several_regions();
        let saver = Saver {
            job,
            work,
            machines,
            throughput,
            step,
            start,
            reshard,
            spot_capacity,
            failures,
            several_regions,
        };
        read_checkpoint(section, &saver)
    });
    let policy_table = tables.merged("policy");
    let deadline = job.as_ref().and_then(|job| job.deadline);
    let stored = checkpoint.as_ref().and_then(|checkpoint| checkpoint.stored);
    let moving = moving(&head.zones, stored.filter(|_| head.market == Market::Spot));
    let used = Used { stored, pulls, nodes: head.nodes, moving: moving.clone().ok().flatten() };
    let horizon = job.as_ref().map_or(Span::ZERO, |job| job.horizon);
    let prices = match known {
        true => read_prices(&tables, &head, &capacities, (submit, horizon), &used, &mut assumed, &mut echo),
        false => Vec::new(),
    };
    echo_submit(&mut echo, submit, capacity.as_ref(), &tables.in_zone("pricing", head.zones.first()));
    let policy_section = tables.section(&policy_table, "policy", &mut echo);
    let decided = read_policy(policy_section, &head, deadline, context.tick);
    let limits_table = tables.merged("limits");
    let own_limits: Vec<&str> = tables.own_keys("limits");
    let limits = read_limits(tables.section(&limits_table, "limits", &mut echo), head.market, &own_limits);
    let expect_table = tables.merged("expect");
    let expect = read_expect(tables.section(&expect_table, "expect", &mut echo));

    let prices = prices.into_iter().collect::<Option<Vec<Prices>>>()?;
    let capacities = capacities.into_iter().collect::<Option<Vec<Capacity>>>()?;
    let (job, throughput, (work, step)) = (job?, throughput?, work?);
    let (checkpoint, decided) = (checkpoint?, decided?);
    warn_of_optimum(&decided, &checkpoint_table, context.sink);
    let Decided { policy, engine_net, max_price, on_demand_nodes } = decided;
    let max_price = check_max_price(max_price, &prices, &head.zones.names, &policy_table, context.sink);
    assumed.extend(checkpoint.assumed.clone());
    match moving {
        Ok(moving) => assumed.extend(moving.map(|moving| moving.assumed)),
        Err(why) => assumed.push(Assumed::new("Moves", why)),
    }
    let place = Reader::new(&checkpoint_table, context.sink);
    check_local_saves(&checkpoint, &policy, (head.nodes, head.on_loss), &place);
    let beside = Beside {
        size: head.size,
        policy: &policy,
        cycle: &checkpoint.cycle,
        saved_on: checkpoint.saved_on,
        place,
    };
    let goes = beside.check() & check_zones(&head, &capacities, &prices, &checkpoint, &beside.place);
    let elastic = match head.size.min_nodes.filter(|_| goes) {
        Some(min_nodes) => {
            let sizes = sizes(&throughput, min_nodes, (&work, &checkpoint.cycle), &step_tables)?;
            Some(elastic(min_nodes, sizes, reshard))
        }
        None => None,
    };
    if let Some(step) = &step {
        throughput.say_assumed(step, &mut assumed);
    }
    let held: Vec<Held> = prices.iter().filter_map(|prices| prices.held.clone()).collect();
    let mut places = capacities.into_iter().zip(prices.iter().map(|prices| prices.spot.clone()));
    let (capacity, spot) = places.next()?;
    let elsewhere = places.map(|(capacity, spot)| Zone { machine: None, capacity, spot }).collect();
    let prices = prices.into_iter().next()?;
    let plan = Plan {
        nodes: head.nodes,
        on_loss: head.on_loss,
        elastic,
        spares: head.size.spares,
        policy,
        max_price,
        on_demand_nodes,
        tick: None,
        work,
        cycle: checkpoint.cycle,
        notice: checkpoint.notice,
        saved_on: checkpoint.saved_on,
        start,
        capacity,
        elsewhere,
        choose_zone: head.zones.choose,
        moves: used.moving.map(|moving| moving.moves),
        failures,
        spot,
        on_demand: prices.on_demand.clone(),
        extras: prices.extras.clone(),
        limits: limits?,
        deadline: job.deadline,
        horizon: job.horizon,
    };
    let plan = match context.tick {
        Some(tick) => in_ticks(plan, tick, engine_net, own, context.sink, &mut assumed)?,
        None => plan,
    };
    warn_of_limits(own, &plan, context.sink);
    for held in &held {
        warn_held(held, ideal(&plan).makespan, context.sink);
    }
    Some(Cluster {
        name: head.name,
        instance: head.instance.name(),
        fallbacks: head.fallbacks,
        nodes: head.nodes,
        ranks: machines.ranks(),
        market: head.market,
        zones: head.zones.names,
        ideal: ideal(&plan),
        job,
        step,
        throughput,
        prices,
        plan,
        expect,
        assumed,
        echo,
    })
}

/// Refuses saves on local drives where a policy leaves them behind, and warns where no loss spares them.
fn check_local_saves(
    checkpoint: &Checkpoint,
    policy: &Policy,
    (nodes, on_loss): (u32, OnLoss),
    place: &Reader<'_>,
) {
    let spared = on_loss == OnLoss::Keep && checkpoint.saved_on == SavedOn::FirstNode && nodes > 1;
    match policy {
        _ if checkpoint.saved_on == SavedOn::Store => {}
        policy if !matches!(policy, Policy::SpotOnly | Policy::OnDemandOnly) => place.refuse(
            format!("saves on local drives are gone when the policy `{}` leaves Spot", policy.name()),
            "write `to = \"s3\"` or `to = \"ebs\"`",
        ),
        Policy::SpotOnly if !spared => place.report(
            Problem::warning("saves on local drives are gone with their nodes: none outlives a loss")
                .at(place.place(), "`to = \"s3\"` and `to = \"ebs\"` do"),
        ),
        _ => {}
    }
}

/// Names of clusters must differ: results are found by them.
pub fn refuse_equal_names(clusters: &[Cluster], tables: &[&Table], sink: &Sink) {
    for (index, cluster) in clusters.iter().enumerate() {
        if clusters[..index].iter().any(|other| other.name == cluster.name) {
            let title = format!("two clusters are named \"{}\"", cluster.name);
            sink.report(Problem::error(title).at(tables[index].place, "results are told apart by name"));
        }
    }
}
