//! Every second is in one place and every dollar has a line: 10,000 random scenarios.

use crate::run::scenario;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use spotsim::pricing::{Ended, Usage};
use spotsim::rng::Streams;
use spotsim::scenario::plan::{Burst, Market, Plan, SavedOn, StepParts};
use spotsim::sim::{
    BILLED, End, Ledger, Outcome, Part, PhaseSpan, Scratch, Stay, TimeParts, Timeline, simulate,
};
use spotsim::units::{SimTime, Span};

const SCENARIOS: usize = 10_000;
const SEED: u64 = 3;

/// A scenario from chance: every law, kind, rule, limit and policy of this version can occur.
fn draw(rng: &mut Xoshiro256PlusPlus) -> String {
    let mut one = |options: &[&str]| options[rng.random_range(0..options.len())].to_owned();
    let laws = [
        "\"0 s\"",
        "\"7 min\"",
        "{ exponential = { mean = \"20 min\" } }",
        "{ weibull = { shape = 0.6, mean = \"1 h\", cap = \"4 h\" } }",
        "{ lognormal = { median = \"5 min\", sigma = 1.0 } }",
        "{ gamma = { shape = 2.0, mean = \"10 min\" } }",
        "{ uniform = { low = \"1 s\", high = \"30 min\" } }",
        "{ empirical = [\"1 min\", \"10 min\", \"1 h\"] }",
    ];
    let positive = &laws[1..];
    let path = match one(&["always", "renewal", "events"]).as_str() {
        "renewal" => format!(
            "renewal = {{ uptime = {}, gap = {}, begin = \"{}\" }}",
            one(positive),
            one(&laws),
            one(&["fresh", "stationary"])
        ),
        "events" => {
            let levels = one(&["{ at = \"10 min\", nodes = 1 }", "{ at = \"0 s\", nodes = 2 }"]);
            let more = one(&["{ at = \"1 h\", nodes = 5 }", "{ at = \"70 min\", lose = [0, 2] }"]);
            format!("events = [{levels}, {more}, {{ at = \"70 min\", lose = [1] }}]")
        }
        _ => "always = {}".to_owned(),
    };
    let law = one(positive);
    let lifetime = one(&["", &format!("lifetime = {law}")]);
    let law = one(positive);
    let failures = one(&["", "", &format!("failures.per_node = {law}")]);
    let shocks =
        "shock = [{ mean = \"40 min\", hit = 0.5 }, { mean = \"3 h\", hit = 1.0, scope = \"region\" }]";
    let shock = one(&["", "", shocks]);
    let law = one(&laws);
    let phases = one(&["", &format!("image = {law}, warm_up = \"1 min\", ")]);
    let checkpoint = one(&[
        "",
        "checkpoint = { every = \"10 min\", stall = \"20 s\" }",
        "checkpoint = { every = \"1 s\", stall = \"0 s\" }",
        "checkpoint = { every = \"37 min\", stall = \"3 min\", final_save = true }",
        "checkpoint = { final_save = true, stall = \"1 min\" }",
        "checkpoint = { every = \"3 min\", mode = \"async\", stall = \"5 s\", upload = \"7 min\", final_save = true }",
        "checkpoint = { steps = 100, mode = \"async\", stall = \"0 s\", upload = \"50 s\", on_notice = \"late\" }",
        "checkpoint = { every = \"10 min\", stall = \"20 s\", on_notice = true }",
        "checkpoint = { on_notice = \"late\", stall = \"90 s\" }",
        "checkpoint = { every = \"10 min\", stall = \"20 s\", to = \"local\" }",
        "checkpoint = { every = \"2 min\", stall = \"2 s\", to = \"local\", mode = \"sharded\", on_notice = true }",
        "checkpoint = { every = \"10 min\", stall = \"20 s\", size = \"1.04 GB\", to = \"s3\", keep = 2 }",
        "checkpoint = { every = \"10 min\", stall = \"20 s\", size = \"1.04 GB\", to = \"s3\", on_notice = true }",
        "checkpoint = { every = \"3 min\", mode = \"async\", stall = \"5 s\", upload = \"7 min\", size = \"9 GB\", to = \"s3\", store_in = \"other-region\", final_save = true }",
        "checkpoint = { steps = 900, stall = \"9 s\", size = \"777 MB\", to = \"ebs\", mode = \"sharded\" }",
    ]);
    let notice = one(&["lead = \"2 min\"", "lead = \"30 s\", probability = 0.6, poll = \"5 s\""]);
    let compute = one(&[
        "job.work = { ideal_time = \"2 h\" }",
        "job.work = \"4001 steps\"\ncompute.step_time = \"1.3 s\"",
        "job.work = \"2 M samples\"\njob.model = \"vit_base_patch16_224\"\njob.batch_per_gpu = 64",
    ]);
    // An ideal time has no steps to count.
    let checkpoint = match compute.contains("ideal_time") {
        true => checkpoint
            .replace(" steps = 100,", " every = \"130 s\",")
            .replace(" steps = 900,", " every = \"20 min\","),
        false => checkpoint,
    };
    let limits = one(&[
        "",
        "limits = { max_wait = \"3 h\" }",
        "limits = { max_run = \"100 min\" }",
        "limits = { max_restarts = 3 }",
        "limits = { attempts_without_progress = 2 }",
    ]);
    let nodes = one(&["1", "2", "3", "5"]);
    let kind = one(&["on_loss = \"release\"", "on_loss = \"keep\"", "min_nodes", "spares", "both"]);
    let mut size = kind.clone();
    if matches!(kind.as_str(), "min_nodes" | "both") {
        let fewest = one(&["1", "2", "3", "5"]);
        size = format!("min_nodes = {}", (&fewest).min(&nodes));
    }
    if matches!(kind.as_str(), "spares" | "both") {
        let spares = format!("spares = {}\nspares_are = \"{}\"", one(&["1", "3"]), one(&["warm", "cold"]));
        size = if kind == "both" { format!("{size}\n{spares}") } else { spares };
    }
    let reshard = format!("reshard = {}, reshard_from = \"{}\"", one(&laws), one(&["save", "memory"]));
    let rigid = kind.starts_with("on_loss");
    let refused = |words: &str| !rigid && checkpoint.contains(words);
    let checkpoint = if refused("local") || refused("async") { String::new() } else { checkpoint };
    let greedy = match rigid && !checkpoint.contains("local") {
        true => "policy.greedy = {}\njob.deadline = \"5 h\"",
        false => "",
    };
    let others = [
        "thresholds = {}",
        "thresholds = { keep_on_demand = true, dwell = \"9 min\" }",
        "uniform_progress = {}",
        "time_sliced = { slice = \"40 min\" }",
        "fall_back = { return_after = \"7 min\" }",
    ]
    .map(|policy| greedy.replace("greedy = {}", policy));
    let [a, b, c, d, e] = others.each_ref().map(String::as_str);
    let policy = one(&["", greedy, a, b, c, d, e]);
    let (rule, prices) = match one(&["ec2", "flat", "sagemaker", "gcp", "azure"]).as_str() {
        "sagemaker" => ("sagemaker", "on_demand = \"3.1 USD/h\", savings = 0.37"),
        "ec2" => ("ec2", "on_demand = \"3.1 USD/h\", spot = \"0.987654321 USD/h\""),
        "gcp" => ("gcp", "on_demand = \"3.1 USD/h\", spot = \"0.7 USD/h\""),
        "azure" => ("azure", "on_demand = \"3.1 USD/h\", spot = \"0.7 USD/h\""),
        _ => ("flat", "on_demand = \"3.1 USD/h\", spot = \"1 USD/h\""),
    };
    let list = "history = [{ at = \"0 s\", spot = \"0.9 USD/h\" }, { at = \"47 min\", spot = \"1.7 USD/h\" }, { at = \"3 h\", spot = \"0.333333333 USD/h\" }]";
    let drawn = "mean_reverting = { mean = \"0.9 USD/h\", sd = 0.3, half_life = \"5 h\", every = \"13 min\"";
    let course = one(&["", list, &format!("{drawn} }}"), &format!("{drawn}, at_most = \"0.95 USD/h\" }}")]);
    let taken = one(&["in-effect", "hour-start"]);
    let changing = match rule == "sagemaker" || course.is_empty() {
        true => String::new(),
        false => format!(", {course}, taken = \"{taken}\""),
    };
    let several = rigid && !checkpoint.contains("ebs");
    let zones = if several { one(&["", "first", "cheapest"]) } else { String::new() };
    let (zones, of_zone) = match zones.as_str() {
        "" => (String::new(), String::new()),
        choose => {
            let law = one(positive);
            let life = one(&["", &format!("lifetime = {law}, ")]);
            let capacity = one(&[
                "always = {}",
                "renewal = { uptime = \"50 min\", gap = { exponential = { mean = \"20 min\" } } }",
                "events = [{ at = \"10 min\", nodes = 2 }, { at = \"40 min\", lose = [1] }]",
                "shock = [{ mean = \"1 h\", hit = 0.7 }]",
            ]);
            let price = match rule {
                "sagemaker" => "savings = 0.5",
                _ if changing.is_empty() => "spot = \"0.9 USD/h\"",
                _ => {
                    "history = [{ at = \"0 s\", spot = \"2 USD/h\" }, { at = \"30 min\", spot = \"0.1 USD/h\" }]"
                }
            };
            let acquire = one(&laws);
            (
                format!("zones = [\"us-east-1a\", \"us-east-1b\", \"z\"]\nchoose_zone = \"{choose}\""),
                format!(
                    "[zone.z]\ncapacity = {{ {life}acquire = {acquire}, notice = {{ {notice} }}, {capacity} }}\n\
                     [zone.us-east-1b]\npricing = {{ {price} }}\n"
                ),
            )
        }
    };
    // A maximum that no constant price of these is above.
    let max_price = one(&["", "policy.max_price = \"1 USD/h\"", "policy.max_price = \"1.1 USD/h\""]);
    let max_price = if rule == "sagemaker" { "" } else { &max_price };
    let anchors = one(&["", "1", "2"]);
    let fits =
        rigid && !anchors.is_empty() && anchors < nodes && (zones.is_empty() || kind.contains("release"));
    let anchors = if fits { format!("policy.on_demand_nodes = {anchors}") } else { String::new() };
    let may_fall_back = rigid && !fits && !checkpoint.contains("local") && !compute.contains("ideal_time");
    let kind = if may_fall_back { one(&["", "first", "cheapest"]) } else { String::new() };
    let (fallbacks, of_fallback) = match kind.as_str() {
        "" => (String::new(), String::new()),
        choose => {
            let choose =
                if zones.is_empty() { format!("choose_zone = \"{choose}\"\n") } else { String::new() };
            let pace = one(&["2.1 s", "700 ms"]);
            let speed = match compute.contains("step_time") {
                true => format!("compute = {{ step_time = \"{pace}\" }}\n"),
                false => String::new(),
            };
            let capacity = one(&[
                "always = {}",
                "renewal = { uptime = \"50 min\", gap = \"20 min\" }",
                "events = [{ at = \"30 min\", nodes = 1 }, { at = \"2 h\", nodes = 5 }]",
            ]);
            let restore = one(positive);
            let price = match rule {
                "sagemaker" => "on_demand = \"2.2 USD/h\"",
                _ if changing.is_empty() => "spot = \"0.6 USD/h\"",
                _ => {
                    "history = [{ at = \"0 s\", spot = \"0.6 USD/h\" }, { at = \"1 h\", spot = \"0.2 USD/h\" }]"
                }
            };
            (
                format!("fallback_instances = [\"g5.2xlarge\"]\n{choose}"),
                format!(
                    "[fallback.\"g5.2xlarge\"]\n{speed}start = {{ restore = {restore} }}\npricing = {{ {price} }}\n\
                     capacity = {{ notice = {{ {notice} }}, {capacity} }}\n"
                ),
            )
        }
    };
    let volume = one(&["", "", ", volume = \"100 GB\""]);
    let pulls = one(&["", "", "image_size = \"8 GB\", image_from = \"other-zone\", "]);
    format!(
        r#"
schema = 1
name = "random"
job.horizon = "{horizon}"
{compute}
{checkpoint}
{limits}
{policy}
{max_price}
{anchors}
{failures}
start = {{ {phases}{pulls}{reshard}, detection = {detection}, provision = {provision}, start = {start}, restore = {restore}, on_first = {on_first} }}
pricing = {{ rule = "{rule}", {prices}{changing}{volume} }}
[capacity]
{path}
{lifetime}
{shock}
notice = {{ {notice} }}
acquire = {acquire}
{of_zone}{of_fallback}[[cluster]]
name = "spot"
instance = "g5.xlarge"
nodes = {nodes}
market = "spot"
{size}
{zones}
{fallbacks}
[[cluster]]
name = "on-demand"
instance = "g5.xlarge"
nodes = {nodes}
market = "on-demand"
{size}
"#,
        horizon = one(&["9 h", "2 d"]),
        detection = one(&[laws[0], laws[0], laws[2]]),
        provision = one(&laws),
        start = one(&laws),
        restore = one(&laws),
        on_first = one(&["true", "false"]),
        acquire = one(&laws),
    )
}

#[test]
fn seconds_and_dollars_add_up_in_ten_thousand_random_scenarios() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mut scratch = Scratch::default();
    for number in 0..SCENARIOS {
        let text = draw(&mut rng);
        for mut cluster in scenario(&text).clusters {
            if number % 2 == 1 && cluster.plan.elastic.is_none() && cluster.plan.spares.is_none() {
                give_credits(&mut cluster.plan);
            }
            let mut ledger = Ledger::default();
            let streams = Streams::new(number as u64);
            let outcome = simulate(&cluster.plan, &streams, 0, &mut scratch, &mut ledger);
            let fault = check(&cluster.plan, &ledger, &outcome);
            assert_eq!(fault, None, "scenario {number}, cluster {}:\n{text}\n{outcome:?}", cluster.name);
            let mut timeline = Timeline::default();
            let seen = simulate(&cluster.plan, &streams, 0, &mut scratch, &mut timeline);
            assert_eq!(seen, outcome, "who looks changes nothing");
            let fault = check_timeline(&cluster.plan, &timeline, &ledger, &outcome);
            assert_eq!(fault, None, "scenario {number}, cluster {}:\n{text}\n{outcome:?}", cluster.name);
        }
    }
}

/// Credits for 10 min in which a step takes the shorter half of the time, if it can be halved.
fn give_credits(plan: &mut Plan) {
    let step = plan.work.step.total().ns();
    let step = StepParts { computing: Span::from_ns(step.div_ceil(2)), ..StepParts::default() };
    plan.work.burst = Some(Burst { step, full: Span::from_s(600), earn: 0.7 });
}

/// The first thing that does not add up.
fn check(plan: &Plan, ledger: &Ledger, outcome: &Outcome) -> Option<&'static str> {
    let mut at = 0;
    for phase in &ledger.phases {
        if phase.from.ns() != at {
            return Some("phases leave a hole or overlap");
        }
        at = phase.to.ns();
    }
    if at != outcome.elapsed.ns() {
        return Some("phases do not end where the replication does");
    }
    if outcome.time.total() != outcome.elapsed {
        return Some("time parts do not add up to elapsed");
    }
    let stays: i64 = ledger.stays.iter().map(|stay| stay.bill.cost.nusd()).sum();
    let charges = plan.extras.iter().flat_map(|extras| &extras.charges);
    let beside: i64 = charges.map(|charge| charge.cost(&outcome.usage).nusd()).sum();
    if stays + beside != outcome.cost().nusd() {
        return Some("ledger lines do not add up to the cost");
    }
    let lost = ledger.stays.iter().filter(|stay| stay.ended != Ended::Released).count();
    if lost != outcome.nodes_lost as usize {
        return Some("stays that we did not end are not the nodes lost");
    }
    check_node_time(plan, ledger, outcome)
        .or_else(|| check_stays(plan, ledger))
        .or_else(|| check_lines(plan, ledger))
        .or_else(|| check_training(plan, ledger, outcome))
}

/// The first thing of a timeline that does not agree with the outcome.
fn check_timeline(
    plan: &Plan,
    timeline: &Timeline,
    ledger: &Ledger,
    outcome: &Outcome,
) -> Option<&'static str> {
    let mut at = SimTime::ZERO;
    let mut time = TimeParts::default();
    for slice in &timeline.slices {
        if slice.from != at || slice.to <= at {
            return Some("slices leave a hole or overlap");
        }
        if slice.parts.total() != slice.to.since(slice.from) {
            return Some("the parts of a slice are not its length");
        }
        if slice.part != Part::Computing
            && slice.parts.get(slice.part) != slice.parts.total()
            && slice.steps == 0
        {
            return Some("a slice is not what it is called");
        }
        at = slice.to;
        time = time.and(&slice.parts);
    }
    if at.since_submit() != outcome.elapsed {
        return Some("slices do not end where the replication does");
    }
    if time != outcome.time {
        return Some("slices are not the time parts");
    }
    let breaks = |by_provider| timeline.breaks.iter().filter(|b| b.by_provider == by_provider).count();
    if (breaks(true), breaks(false)) != (outcome.preemptions as usize, outcome.failures as usize) {
        return Some("breaks are not the preemptions and failures");
    }
    if timeline.progress.windows(2).any(|pair| pair[0].0 > pair[1].0) {
        return Some("progress goes back in time");
    }
    let made = timeline.progress.last().map_or(0, |(_, steps)| *steps);
    if outcome.end == End::Finished && made != plan.work.steps {
        return Some("progress does not end with all steps");
    }
    (timeline.ledger.stays != ledger.stays).then_some("a timeline has other stays than a ledger")
}

/// Running node time is that of complete gangs, of survivors that hang, and of nodes whose gang gathers; and
/// volumes are there as long as their nodes, or from the first grant to the end.
fn check_node_time(plan: &Plan, ledger: &Ledger, outcome: &Outcome) -> Option<&'static str> {
    let running = |stay: &Stay| (stay.end.ns() as i128) - (stay.provisioned.ns() as i128);
    let all: i128 = ledger.stays.iter().map(running).filter(|ns| *ns > 0).sum();
    if all != outcome.running_node_ns as i128 {
        return Some("running node time is not that of the stays");
    }
    let within = |phase: &PhaseSpan, stay: &Stay| {
        let (from, to) = (phase.from.max(stay.provisioned).ns(), phase.to.min(stay.end).ns());
        i128::from(to.saturating_sub(from))
    };
    let gathering = [Part::Queued, Part::Acquiring, Part::Provisioning];
    let gathers = ledger.phases.iter().filter(|phase| gathering.contains(&phase.part));
    let idle: i128 = gathers.flat_map(|phase| ledger.stays.iter().map(|stay| within(phase, stay))).sum();
    let in_gangs = BILLED.iter().map(|part| i128::from(outcome.time.get(*part).ns())).sum::<i128>();
    let fewer = (outcome.absent_node_ns + outcome.fewer_node_ns) as i128;
    let left = all - i128::from(plan.nodes) * in_gangs + fewer;
    // Nodes beside a gang are idle too.
    let beside = plan.elastic.is_some() || plan.spares.is_some();
    if left < idle || left > idle && !beside {
        return Some("node time of a gathering gang is not what is left");
    }
    let Some(extras) = &plan.extras else {
        return (outcome.usage != Usage::default()).then_some("something is counted that is not billed");
    };
    let minute = |ns: u64| if ns == 0 { 0 } else { u128::from(ns.max(60_000_000_000)) };
    let volumes = ledger.stays.iter().filter(|stay| stay.slot >= extras.save_volumes);
    let volume_ns: u128 = volumes.map(|stay| minute(stay.end.since(stay.granted).ns())).sum();
    let first = ledger.stays.iter().map(|stay| stay.granted).min();
    let held_ns = first.map_or(0, |first| minute(outcome.elapsed.ns() - first.ns()));
    let usage = &outcome.usage;
    if (usage.volume_ns, usage.held_ns) != (volume_ns, held_ns) {
        return Some("volumes are not billed for as long as they exist");
    }
    let most = u128::from(usage.saves.min(extras.keep)) * u128::from(outcome.elapsed.ns());
    let joins = plan.elastic.is_some();
    if usage.save_ns > most || usage.restores > u64::from(outcome.attempts) && !joins {
        return Some("more is stored or restored than was saved");
    }
    let one_type = plan.machines().next().is_none();
    if one_type
        && plan.notice.is_none()
        && plan.work.burst.is_none()
        && plan.saved_on == SavedOn::Store
        && !joins
    {
        let right = saves(plan, extras.keep, ledger, outcome);
        if (usage.saves, usage.save_ns) != right {
            return Some("saves are not those of the attempts, one by one");
        }
    }
    (usage.nodes_started > ledger.stays.len() as u64).then_some("more nodes start than are held")
}

/// Saves begun, and the time for which the first `keep` durable ones are stored, ns: each save of each attempt
/// looked at by itself.
fn saves(plan: &Plan, keep: u64, ledger: &Ledger, outcome: &Outcome) -> (u64, u128) {
    let end = outcome.elapsed;
    let (mut begun, mut kept_steps, mut durable_at) = (0, 0, Vec::new());
    for phase in ledger.phases.iter().filter(|phase| phase.part == Part::Computing) {
        let (steps, from) = (plan.work.steps - kept_steps, phase.from);
        for save in (1..).map_while(|k| plan.cycle.save(k, steps)) {
            let begins = from + save.ends.saturating_sub(plan.cycle.stall() + plan.cycle.upload());
            if begins >= phase.to && from + save.ends > phase.to {
                break;
            }
            begun += 1;
            if from + save.ends <= phase.to {
                durable_at.push((from + save.ends).since_submit());
                kept_steps = plan.work.steps - steps + save.steps;
            }
        }
    }
    if outcome.end == End::Finished && plan.cycle.ends_with_save() {
        begun += 1;
        durable_at.push(end);
    }
    let stored = durable_at.iter().take(usize::try_from(keep).unwrap_or(usize::MAX));
    (begun, stored.map(|at| u128::from((end - *at).ns())).sum())
}

/// The lines of a stay whose price changes follow each other from its begin, each price × time, and add up to it.
fn check_lines(plan: &Plan, ledger: &Ledger) -> Option<&'static str> {
    let mut lines = ledger.lines.iter().peekable();
    for (index, stay) in ledger.stays.iter().enumerate() {
        let spot = plan.zones().nth(stay.zone as usize).map(|(_, spot)| spot);
        let changes = stay.market == Market::Spot && spot.is_some_and(|spot| spot.changing.is_some());
        let (mut at, mut nusd, mut billed) = (stay.provisioned.ns(), 0, 0);
        while let Some((_, line)) = lines.next_if(|(of, _)| *of == index) {
            if line.from.ns() != at || line.price.cost(line.billed) != line.cost {
                return Some("a line does not follow the one before, or is not price × time");
            }
            (at, billed) = (at + line.billed.ns(), billed + line.billed.ns());
            nusd += line.cost.nusd();
        }
        if changes && (nusd, billed) != (stay.bill.cost.nusd(), stay.bill.billed.ns()) {
            return Some("lines do not add up to their stay");
        }
    }
    lines.next().map(|_| "a line without a stay")
}

fn check_stays(plan: &Plan, ledger: &Ledger) -> Option<&'static str> {
    for slot in 0..plan.slots() {
        let mut free_from = 0;
        for stay in ledger.stays.iter().filter(|stay| stay.slot == slot) {
            if stay.granted.ns() < free_from || stay.end < stay.granted {
                return Some("a slot holds two nodes at once");
            }
            free_from = stay.end.ns();
        }
    }
    for stay in &ledger.stays {
        let spot = || plan.zones().nth(stay.zone as usize).map(|(_, spot)| spot);
        let tariff = if stay.market == Market::Spot { spot() } else { Some(&plan.on_demand) };
        let Some(tariff) = tariff else { return Some("a stay is in no zone of its cluster") };
        let billed = match stay.provisioned <= stay.end {
            true => tariff.billed(stay.end.since(stay.provisioned), stay.ended),
            false => Span::ZERO,
        };
        if billed != stay.bill.billed {
            return Some("a stay is not billed for as long as its rule says");
        }
        if tariff.changing.is_none() && tariff.price.cost(billed) != stay.bill.cost {
            return Some("a stay is not billed by its rule");
        }
        let held = if stay.provisioned <= stay.end { stay.end.since(stay.provisioned) } else { Span::ZERO };
        let plain = tariff.minimum.is_zero() && tariff.free_if_reclaimed_before.is_zero();
        if plain && billed != held {
            return Some("billed node-seconds are not the held ones");
        }
    }
    None
}

/// While a gang brings up or trains, as many nodes as it needs are provisioned from first to last.
fn check_training(plan: &Plan, ledger: &Ledger, outcome: &Outcome) -> Option<&'static str> {
    let complete = [Part::Starting, Part::Restoring, Part::Computing];
    for phase in ledger.phases.iter().filter(|phase| complete.contains(&phase.part)) {
        let covers = |stay: &&Stay| stay.provisioned <= phase.from && phase.to <= stay.end;
        if ledger.stays.iter().filter(covers).count() < plan.least_nodes() as usize {
            return Some("a gang trains without one of its nodes");
        }
    }
    let kept = outcome.kept_stepping().ns();
    let lengths = (plan.least_nodes()..=plan.nodes).map(|nodes| plan.at_size(nodes).step.total().ns());
    let machines = plan.machines();
    let lengths = lengths.chain(machines.map(|machine| machine.step.total().ns()));
    let (shortest, longest) =
        lengths.fold((u64::MAX, 0), |(low, high), step| (low.min(step), high.max(step)));
    if kept > longest * plan.work.steps {
        return Some("more is kept than there was to do");
    }
    let done = outcome.end == End::Finished && plan.work.burst.is_none();
    (done && kept < shortest * plan.work.steps).then_some("less is kept than there was to do")
}
