//! `[[cluster]]`: one candidate, with the tables of the file and its own put over them.

use super::anatomy::Anatomy;
use super::capacity::{ReadFile, read_capacity};
use super::checkpoint::{Checkpoint, Saver, Stored, read_checkpoint, restore_time};
use super::compute::{read_calibration, read_compute};
use super::echo::{Echo, quoted};
use super::expect::{Expectation, read_expect};
use super::job::{Job, read_job};
use super::limits::read_limits;
use super::network::read_network;
use super::plan::{Market, OnLoss, Plan, SavedOn, Start};
use super::pricing::{Prices, read_pricing};
use super::problem::{Problem, Sink};
use super::reader::Reader;
use super::section::Section;
use super::throughput::{Machines, Throughput, resolve_work};
use super::tree::{Entry, MergeRules, Node, Table, Value, merge_over};
use crate::capacity::Law;
use crate::facts::{Catalogue, InstanceRef};
use crate::policy::{Greedy, Policy};
use crate::pricing::Ended;
use crate::rng::place_key;
use crate::units::{Money, Span};

/// The tables that a file gives for all its clusters and a cluster may override.
pub const SHARED: [&str; 10] =
    ["job", "compute", "network", "start", "checkpoint", "capacity", "pricing", "limits", "policy", "expect"];

/// Keys of which one displaces the others.
const RIVALS: &[&[&str]] = &[
    &["checkpoint.every", "checkpoint.steps"],
    &["compute.step_time", "compute.samples_per_s", "compute.time_per_sample", "compute.efficiency"],
    &["job.batch_per_gpu", "job.global_batch"],
    &["capacity.always", "capacity.renewal", "capacity.events", "capacity.trace"],
    &["policy.spot_only", "policy.on_demand_only", "policy.greedy"],
];

/// How a cluster's tables go over the file's.
const RULES: MergeRules<'_> = MergeRules {
    whole: &[
        "capacity",
        "policy",
        "start.provision",
        "start.start",
        "start.restore",
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
    /// Nodes.
    pub nodes: u32,
    /// GPUs of all nodes.
    pub ranks: u32,
    /// Where it rents.
    pub market: Market,
    /// What is trained.
    pub job: Job,
    /// One step, where the work has steps.
    pub step: Option<Anatomy>,
    /// What a step hangs on, for other numbers of nodes too.
    pub throughput: Throughput,
    /// How it is billed.
    pub prices: Prices,
    /// What its saves take up.
    pub stored: Stored,
    /// What the engine runs.
    pub plan: Plan,
    /// Time and money without queue, acquisition and interruption.
    pub ideal: Ideal,
    /// Bounds on its results.
    pub expect: Vec<Expectation>,
    /// Facts from the catalogue that the answer hangs on.
    pub assumed: Vec<String>,
    /// Its effective keys.
    pub echo: Echo,
}

/// A cluster's run if nothing ever got in its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ideal {
    /// Provision, start, work and saves, random spans at their means; nodes begin with full credits.
    pub makespan: Span,
    /// The same with random spans at their least: what no luck can beat.
    pub least: Span,
    /// Its bill at On-Demand prices.
    pub on_demand_cost: Money,
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
}

/// Reads one `[[cluster]]`.
pub fn read_cluster(own: &Table, context: &Context<'_>) -> Option<Cluster> {
    let mut echo = Echo::default();
    // With a head that is wrong the rest is read all the same, so that every problem is said at once.
    let found = read_head(own, context, &mut echo);
    let known = found.is_some();
    let head = found.or_else(|| Head::stand_in(context.catalogue))?;
    let machines = Machines { catalogue: context.catalogue, instance: head.instance, nodes: head.nodes };
    let tables = Tables { own, context };
    let mut assumed = Vec::new();

    let compute_table = tables.merged("compute");
    let compute = read_compute(tables.section(&compute_table, "compute", &mut echo));
    let job_table = tables.merged("job");
    let job = read_job(tables.section(&job_table, "job", &mut echo), &machines, compute.accumulate);
    let network_table = tables.merged("network");
    let network = read_network(tables.section(&network_table, "network", &mut echo), context.catalogue);
    let calibration_at = Reader::new(&compute_table, context.sink);
    let calibration = read_calibration(&compute, &calibration_at, &machines, context.read_file);
    let at = Reader::new(&job_table, context.sink);
    let throughput = job.clone().map(|job| Throughput { machines, job, compute, network, calibration });
    let work = throughput.as_ref().and_then(|throughput| resolve_work(throughput, &at));

    let checkpoint_table = tables.merged("checkpoint");
    let mut unsaid = Echo::default();
    let section = tables.section(&checkpoint_table, "checkpoint", &mut unsaid);
    let restore = restore_time(section, job.as_ref(), &machines);
    let start_table = tables.merged("start");
    let start = read_start(tables.section(&start_table, "start", &mut echo), restore);
    let capacity_table = tables.merged("capacity");
    let zone = place_key(&head.zone);
    let capacity =
        read_capacity(tables.section(&capacity_table, "capacity", &mut echo), zone, context.read_file);
    let checkpoint = job.as_ref().zip(work.as_ref()).and_then(|(job, (work, _))| {
        let section = tables.section(&checkpoint_table, "checkpoint", &mut echo);
        let market = head.market;
        let saver =
            Saver { job, work, machines: &machines, market, start: &start, capacity: capacity.as_ref() };
        read_checkpoint(section, &saver)
    });
    let pricing_table = tables.merged("pricing");
    let pricing = tables.section(&pricing_table, "pricing", &mut echo);
    let policy_table = tables.merged("policy");
    let deadline = job.as_ref().and_then(|job| job.deadline);
    let prices = known
        .then(|| read_pricing(pricing, &head.instance, head.market == Market::Spot, &mut assumed))
        .flatten();
    let policy = read_policy(tables.section(&policy_table, "policy", &mut echo), head.market, deadline);
    let limits_table = tables.merged("limits");
    let own_limits: Vec<&str> = tables.own_keys("limits");
    let limits = read_limits(tables.section(&limits_table, "limits", &mut echo), head.market, &own_limits);
    let expect_table = tables.merged("expect");
    let expect = read_expect(tables.section(&expect_table, "expect", &mut echo));

    let (job, throughput, (work, step), prices) = (job?, throughput?, work?, prices?);
    let (checkpoint, policy) = (checkpoint?, policy?);
    assumed.extend(checkpoint.assumed.clone());
    let place = Reader::new(&checkpoint_table, context.sink);
    check_local_saves(&checkpoint, &policy, (head.nodes, head.on_loss), &place);
    if let Some(step) = &step {
        throughput.say_assumed(step, &mut assumed);
    }
    let plan = Plan {
        nodes: head.nodes,
        on_loss: head.on_loss,
        policy,
        work,
        cycle: checkpoint.cycle,
        notice: checkpoint.notice,
        saved_on: checkpoint.saved_on,
        start,
        capacity: capacity?,
        spot: prices.spot,
        on_demand: prices.on_demand,
        limits: limits?,
        deadline: job.deadline,
        horizon: job.horizon,
    };
    warn_of_limits(own, &plan, context.sink);
    Some(Cluster {
        name: head.name,
        instance: head.instance.name(),
        nodes: head.nodes,
        ranks: machines.ranks(),
        market: head.market,
        ideal: ideal(&plan),
        job,
        step,
        throughput,
        prices,
        stored: checkpoint.stored,
        plan,
        expect,
        assumed,
        echo,
    })
}

/// The file's and the cluster's tables of one name.
struct Tables<'a> {
    own: &'a Table,
    context: &'a Context<'a>,
}

impl Tables<'_> {
    fn merged(&self, name: &str) -> Table {
        let only = |table: &Table| -> Table {
            let entry = table.entries.get(name).filter(|entry| matches!(entry.node.value, Value::Table(_)));
            let entries = entry.map(|entry: &Entry| (name.to_owned(), entry.clone())).into_iter().collect();
            Table { place: table.place, heading: table.heading.clone(), entries }
        };
        let both = merge_over(&only(self.context.file), &only(self.own), RULES);
        match both.entries.get(name).map(|entry| &entry.node) {
            Some(Node { value: Value::Table(table), .. }) => table.clone(),
            // What an absent table lacks is said at the cluster's heading.
            _ => Table {
                place: self.own.place,
                heading: format!("[{name}]"),
                entries: std::collections::BTreeMap::new(),
            },
        }
    }

    fn own_keys(&self, name: &str) -> Vec<&str> {
        match self.own.entries.get(name).map(|entry| &entry.node.value) {
            Some(Value::Table(table)) => table.entries.keys().map(String::as_str).collect(),
            _ => Vec::new(),
        }
    }

    fn section<'a, 'e>(&'a self, table: &'a Table, name: &str, echo: &'e mut Echo) -> Section<'a, 'e> {
        Section::new(Reader::new(table, self.context.sink), echo, name)
    }
}

struct Head {
    name: String,
    instance: InstanceRef<'static>,
    nodes: u32,
    market: Market,
    zone: String,
    on_loss: OnLoss,
}

impl Head {
    /// A plain machine in the place of one that could not be read.
    fn stand_in(catalogue: &'static Catalogue) -> Option<Self> {
        let instance = catalogue.instance("g5.xlarge")?;
        let (name, zone) = (String::new(), ANY_ZONE.to_owned());
        Some(Self { name, instance, nodes: 1, market: Market::Spot, zone, on_loss: OnLoss::Release })
    }
}

fn read_head(own: &Table, context: &Context<'_>, echo: &mut Echo) -> Option<Head> {
    let mut s = Section::new(Reader::new(own, context.sink), echo, "");
    s.reader.not_available("min_nodes", "elastic gangs come in a later version");
    s.reader.not_available("failures", "it comes with hardware failures");
    let name_field = s.reader.required("name", "name = \"4x g5.2xlarge Spot\"");
    let name = name_field.text().map(str::to_owned);
    if name.as_ref().is_some_and(|name| name.trim().is_empty()) {
        name_field.refuse_value("must not be empty");
    }
    let instance = read_instance(&mut s, context.catalogue);
    let nodes = s.reader.required("nodes", "nodes = 4").whole(1..=1_024_u32);
    let markets = [("spot", Market::Spot), ("on-demand", Market::OnDemand)];
    let market = s.reader.required("market", "market = \"spot\"").word(&markets);
    let zone = read_zone(&mut s);
    for (key, value) in [("name", name.as_deref().map(quoted)), ("nodes", nodes.map(|n| n.to_string()))] {
        if let Some(value) = value {
            s.echo(key, value, "");
        }
    }
    if let Some(market) = market {
        let word = markets.iter().find(|(_, m)| *m == market).map_or("", |(word, _)| word);
        s.echo("market", quoted(word), "");
    }
    let on_loss = s.word_or_first("on_loss", &[("release", OnLoss::Release), ("keep", OnLoss::Keep)]);
    for table in SHARED {
        let field = s.reader.field(table);
        if field.is_given() {
            field.table();
        }
    }
    s.reader.finish();
    Some(Head { name: name?, instance: instance?, nodes: nodes?, market: market?, zone: zone?, on_loss })
}

fn read_instance(s: &mut Section<'_, '_>, catalogue: &'static Catalogue) -> Option<InstanceRef<'static>> {
    let field = s.reader.required("instance", "instance = \"g5.2xlarge\"");
    let name = field.text()?;
    let Some(instance) = catalogue.instance(name) else {
        let nearest = catalogue.nearest_instance(name);
        let label = nearest.map_or(String::new(), |name| format!("did you mean \"{name}\"?"));
        let problem = Problem::error(format!("unknown instance `{name}`")).at(field.place(), label);
        s.reader.report(problem.help("`spotsim catalog instances` lists them"));
        return None;
    };
    s.echo("instance", quoted(&instance.name()), "");
    Some(instance)
}

/// Where a cluster rents when it does not say; all such clusters meet the same capacity.
const ANY_ZONE: &str = "any";

fn read_zone(s: &mut Section<'_, '_>) -> Option<String> {
    let field = s.reader.field("zones");
    if !field.is_given() {
        s.echo("zones", format!("[{}]", quoted(ANY_ZONE)), "");
        return Some(ANY_ZONE.to_owned());
    }
    let zones = field.list_of(|item| item.text().map(str::to_owned))?;
    match zones.as_slice() {
        [zone] => {
            s.echo("zones", format!("[{}]", quoted(zone)), "");
            Some(zone.clone())
        }
        [] => {
            field.refuse("`zones` is empty", "write zones = [\"us-east-1a\"]");
            None
        }
        _ => {
            field.refuse("several zones for one cluster are not available in this version", "name one");
            None
        }
    }
}

/// Reads `[start]`; `restore` is how long reading a save takes, where `[checkpoint]` tells.
fn read_start(mut s: Section<'_, '_>, restore: Option<Span>) -> Start {
    let none = Law::constant(Span::ZERO);
    let provision = s.law_or("provision", &none);
    let start = s.law_or("start", &none);
    let restore = s.law_or("restore", &Law::constant(restore.unwrap_or(Span::ZERO)));
    let on_first = s.flag_or("on_first", true);
    s.reader.finish();
    Start { provision, start, restore, on_first }
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
        Policy::Greedy(_) => place.refuse(
            "saves on local drives are gone when the policy `greedy` leaves Spot",
            "write `to = \"s3\"` or `to = \"ebs\"`",
        ),
        Policy::SpotOnly if !spared => place.report(
            Problem::warning("saves on local drives are gone with their nodes: none outlives a loss")
                .at(place.place(), "`to = \"s3\"` and `to = \"ebs\"` do"),
        ),
        _ => {}
    }
}

fn read_policy(mut s: Section<'_, '_>, market: Market, deadline: Option<Span>) -> Option<Policy> {
    for key in ["uniform_progress", "time_sliced", "thresholds", "fall_back", "mixed", "max_price"] {
        s.reader.not_available(key, "");
    }
    let natural = if market == Market::Spot { "spot_only" } else { "on_demand_only" };
    let found = s.reader.one_of("policy", &["spot_only", "on_demand_only", "greedy"]);
    if let Some((_, field)) = &found
        && let Some(inner) = field.table()
    {
        inner.finish();
    }
    let key = found.as_ref().map_or(natural, |(key, _)| key);
    s.echo(key, "{}", if found.is_some() { "" } else { "the cluster's market" });
    let policy = match (key, market, deadline) {
        ("on_demand_only", Market::OnDemand, _) => Some(Policy::OnDemandOnly),
        ("spot_only", Market::Spot, _) => Some(Policy::SpotOnly),
        ("greedy", Market::Spot, Some(deadline)) => Some(Policy::Greedy(Greedy { deadline })),
        // A file's policy is meant for its Spot clusters; On-Demand there is nothing to decide.
        (_, Market::OnDemand, _) => Some(Policy::OnDemandOnly),
        ("greedy", _, None) => {
            s.reader
                .refuse("the policy `greedy` needs a deadline to keep", "add `deadline = \"24 h\"` to [job]");
            None
        }
        _ => {
            s.reader.refuse("the policy `on_demand_only` needs market = \"on-demand\"", "");
            None
        }
    };
    s.reader.finish();
    policy
}

fn ideal(plan: &Plan) -> Ideal {
    let work = plan.uninterrupted();
    let bring_up = |span: &dyn Fn(&Law) -> f64, law: &Law| match plan.start.on_first {
        true => law.is_constant().unwrap_or_else(|| Span::from_secs_saturating(span(law))),
        false => Span::ZERO,
    };
    let mean = |law: &Law| law.mean_s();
    let least = |law: &Law| law.least_s();
    let start = &plan.start;
    let running = bring_up(&mean, &start.start) + work;
    let bill = plan.on_demand.bill(running, Ended::Released).cost;
    let nodes = i64::from(plan.nodes);
    Ideal {
        makespan: bring_up(&mean, &start.provision) + running,
        least: bring_up(&least, &start.provision) + bring_up(&least, &start.start) + work,
        on_demand_cost: Money::from_nusd(bill.nusd().saturating_mul(nodes)),
    }
}

/// Says before any simulation what no replication can do.
fn warn_of_limits(own: &Table, plan: &Plan, sink: &Sink) {
    let ideal = ideal(plan);
    let provision = if plan.start.on_first { plan.start.provision.mean_s() } else { 0.0 };
    let run = ideal.makespan.saturating_sub(Span::from_secs_saturating(provision));
    let h = |span: Span| format!("{:.2} h", span.as_hours());
    if let Some(max_run) = plan.limits.max_run.filter(|&max_run| run > max_run) {
        let title = format!(
            "the ideal run takes {}, {} more than max_run = {max_run}: no replication can finish",
            h(run),
            h(run - max_run)
        );
        sink.report(Problem::warning(title).at(own.place, "waiting longer does not help"));
    }
    if let Some(max_wait) = plan.limits.max_wait {
        if ideal.makespan > max_wait {
            let title = format!("the ideal run takes {}, more than max_wait = {max_wait}", h(ideal.makespan));
            sink.report(Problem::warning(title).at(own.place, "no replication can finish"));
        } else if (max_wait - ideal.makespan).times(10) < ideal.makespan {
            let slack = max_wait - ideal.makespan;
            let title = format!(
                "max_wait leaves {slack} over the ideal run; any longer wait or interruption ends it"
            );
            sink.report(Problem::warning(title).at(own.place, ""));
        }
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
