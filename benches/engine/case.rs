//! The scenarios that are timed.

use spotsim::capacity::path::Path;
use spotsim::capacity::{Kind, Law};
use spotsim::scenario::load::{Overrides, Scenario, load};
use spotsim::scenario::plan::Plan;

/// 48 h of work on one Spot node, a save of 60 s after every 15 min of it, 300 s to come back, about
/// nine preemptions.
const JOB: &str = r#"
schema = 1
name = "bench"

[job]
work = { ideal_time = "48 h" }
horizon = "300 d"

[start]
provision = "0 s"
start = "0 s"
restore = "300 s"

[checkpoint]
every = "15 min"
stall = "60 s"

[pricing]
rule = "flat"
on_demand = "1.212 USD/h"
spot = "0.4543 USD/h"

[[cluster]]
name = "one node"
instance = "g5.2xlarge"
nodes = 1
market = "spot"
zones = ["us-east-1a"]
"#;

/// Eight nodes that live for 4 h, of which the survivors wait for the missing.
const GANG: &str = r#"
schema = 1
name = "bench-gang"

[job]
work = { ideal_time = "48 h" }
horizon = "300 d"

[start]
provision = { exponential = { mean = "2 min" } }
start = "30 s"
restore = "60 s"

[checkpoint]
every = "15 min"
stall = "60 s"

[capacity]
lifetime = { exponential = { mean = "4 h" } }
acquire = { exponential = { mean = "2 min" } }

[pricing]
rule = "flat"
on_demand = "1.212 USD/h"
spot = "0.4543 USD/h"

[[cluster]]
name = "eight nodes"
instance = "g5.2xlarge"
nodes = 8
market = "spot"
zones = ["us-east-1a"]
on_loss = "keep"
"#;

/// How capacity of the job's one node comes and goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum World {
    /// The zone has capacity and has none, in turn.
    Renewal,
    /// The zone always has capacity; the node is lost when its lifetime ends.
    Lifetime,
}

/// The job in a world where capacity lasts for a time of law `lasts` and is missing for 15 min in the
/// mean.
pub fn job(world: World, lasts: &str) -> Scenario {
    let missing = r#"{ exponential = { mean = "15 min" } }"#;
    let capacity = match world {
        World::Renewal => format!("[capacity.renewal]\nuptime = {lasts}\ngap = {missing}\n"),
        World::Lifetime => format!("[capacity]\nlifetime = {lasts}\nacquire = {missing}\n"),
    };
    read(&(JOB.to_owned() + &capacity))
}

/// Eight nodes that are lost and replaced all the time.
pub fn gang() -> Scenario {
    read(GANG)
}

/// The plan of the scenario's only cluster.
pub fn plan(scenario: &Scenario) -> &Plan {
    &scenario.clusters[0].plan
}

/// The laws of how long capacity lasts and how long it is missing.
pub fn laws(plan: &Plan) -> (&Law, &Law) {
    match (&plan.capacity.path, &plan.capacity.lifetime) {
        (Path::Renewal(renewal), None) => (&renewal.uptime, &renewal.gap),
        (Path::Always, Some(lifetime)) => (lifetime, &plan.capacity.acquire),
        (path, lifetime) => panic!("no bench has {path:?} with {lifetime:?}"),
    }
}

/// Scale in seconds and inverse shape of a Weibull law, or the mean and 1 of an exponential one.
pub fn scale_and_inverse_shape(law: &Law) -> (f64, f64) {
    match law.kind() {
        Kind::Exponential(exponential) => (exponential.mean_s(), 1.0),
        Kind::Weibull(weibull) => (weibull.scale_s(), 1.0 / weibull.shape()),
        kind => panic!("no bench draws from {kind:?}"),
    }
}

fn read(text: &str) -> Scenario {
    let no_file = |name: &str| Err(format!("{name} is not read in a bench"));
    let loaded = load("bench", text.to_owned(), &Overrides::default(), &no_file);
    loaded.scenario.unwrap_or_else(|| panic!("{}", loaded.problems.render(&loaded.sources, false)))
}
