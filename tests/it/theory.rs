//! Simulated means against closed forms for exponential losses (Daly 2006, Bougeret 2011).

use crate::run::scenario;
use spotsim::analytic::{OutOfDomain, theory};
use spotsim::rng::Streams;
use spotsim::scenario::plan::Plan;
use spotsim::sim::{End, Scratch, simulate};
use spotsim::stats::Moments;

const MEAN_UPTIME_S: f64 = 36_000.0;
const REPLICATIONS: u64 = 100_000;
/// Two-sided 99.9 % of the normal: of the 26 means below a false alarm in 2.6 % of seeds.
const Z: f64 = 3.2905;

/// Mean makespan in seconds with its standard error.
fn mean_makespan_s(plan: &Plan) -> (f64, f64) {
    let (streams, mut scratch, mut us) = (Streams::new(1), Scratch::default(), Moments::default());
    for replication in 0..REPLICATIONS {
        let outcome = simulate(plan, &streams, replication, &mut scratch, &mut ());
        assert_eq!(outcome.end, End::Finished);
        us.push(i64::try_from(outcome.elapsed.ns() / 1_000).unwrap());
    }
    (us.mean().unwrap() / 1e6, us.sd().unwrap() / 1e6 / (REPLICATIONS as f64).sqrt())
}

fn plan(work_s: f64, restart_s: f64, capacity: &str, checkpoint: &str) -> Plan {
    let text = format!(
        r#"
schema = 1
name = "theory"
job = {{ work = {{ ideal_time = "{work_s} s" }}, horizon = "100000 d" }}
start = {{ start = "{restart_s} s", on_first = false }}
{checkpoint}
pricing = {{ rule = "flat", on_demand = "1 USD/h", spot = "1 USD/h" }}
capacity = {capacity}
[[cluster]]
name = "c"
instance = "g5.xlarge"
nodes = 1
market = "spot"
"#
    );
    scenario(&text).clusters[0].plan.clone()
}

fn check(work: f64, restart: f64, gap: f64, capacity: &str, checkpoint: &str, right_s: f64) {
    let (mean, error) = mean_makespan_s(&plan(work, restart, capacity, checkpoint));
    assert!(
        (mean - right_s).abs() <= Z * error,
        "W {work} R {restart} D {gap}, {capacity}: {mean} s, right is {right_s} s, standard error {error}"
    );
}

fn lifetime(gap: f64) -> String {
    format!(
        r#"{{ lifetime = {{ exponential = {{ mean = "{MEAN_UPTIME_S} s" }} }}, acquire = "{gap} s", acquire_first = "0 s" }}"#
    )
}

fn renewal(gap: f64) -> String {
    format!(
        r#"{{ renewal = {{ uptime = {{ exponential = {{ mean = "{MEAN_UPTIME_S} s" }} }}, gap = "{gap} s" }} }}"#
    )
}

/// e^{λR}(1/λ + D)(e^{λW} − 1), the first try without R: as one node's lifetime with acquisition D and as a fresh path with gap D.
#[test]
fn makespan_without_saves_is_the_closed_form() {
    for work in [0.5, 1.0, 2.0] {
        for restart in [0.0, 0.5] {
            for gap in [0.0, 1.0] {
                let (w, r, d): (f64, f64, f64) = (work, restart, gap);
                let right = libm::exp(r) * (1.0 + d) * libm::expm1(w) * MEAN_UPTIME_S;
                let s = |x: f64| x * MEAN_UPTIME_S;
                check(s(w), s(r), s(d), &lifetime(s(d)), "", right);
                check(s(w), s(r), s(d), &renewal(s(d)), "", right);
            }
        }
    }
}

/// n segments of τ + C, the last without its save: (n − 1) E(τ + C) + E(τ) with
/// E(s) = e^{λR}(1/λ + D)(e^{λs} − 1).
#[test]
fn makespan_with_saves_is_the_sum_over_segments() {
    let (n, tau, save, r, d): (f64, f64, f64, f64, f64) = (6.0, 0.25, 0.02, 0.1, 0.3);
    let segment = |s: f64| libm::exp(r) * (1.0 + d) * libm::expm1(s);
    let right = MEAN_UPTIME_S * ((n - 1.0) * segment(tau + save) + segment(tau));
    let s = |x: f64| x * MEAN_UPTIME_S;
    let checkpoint = format!(r#"checkpoint = {{ every = "{} s", stall = "{} s" }}"#, s(tau), s(save));
    check(s(n * tau), s(r), s(d), &lifetime(s(d)), &checkpoint, right);
    check(s(n * tau), s(r), s(d), &renewal(s(d)), &checkpoint, right);
}

/// Every `economics` row that is covered: the formulas to 1e-9, the simulation within four standard
/// errors (family-wise false alarm 1.1 %, seed fixed).
#[test]
fn economics_rows_are_right() {
    let results = spotsim::experiment::verify::verify(Some("economics"), None, &|_, _| None).unwrap();
    assert_eq!(results.iter().map(|result| result.rows).collect::<Vec<_>>(), [148, 86], "{results:?}");
    assert!(results.iter().all(spotsim::experiment::verify::SuiteResult::pass), "{results:?}");
}

#[test]
fn optimum_rows_are_right() {
    let results = spotsim::experiment::verify::verify(Some("optimum"), None, &|_, _| None).unwrap();
    assert_eq!((results.len(), results[0].rows, results[0].skipped_rows()), (1, 37, 0));
    assert!(results[0].pass(), "{results:?}");
}

/// A day of work with a save every half hour under the tables given.
fn day(nodes: u32, capacity: &str, pricing: &str, cluster: &str) -> Plan {
    let text = format!(
        r#"
schema = 1
name = "theory"
job = {{ work = {{ ideal_time = "24 h" }}, horizon = "100000 d" }}
start = {{ provision = "3 min", start = "90 s", restore = "5 min" }}
checkpoint = {{ every = "30 min", stall = "1 min" }}
pricing = {{ {pricing}, on_demand = "1 USD/h", spot = "0.4 USD/h" }}
capacity = {capacity}
[[cluster]]
name = "c"
instance = "g5.xlarge"
nodes = {nodes}
market = "spot"
{cluster}
"#
    );
    scenario(&text).clusters[0].plan.clone()
}

/// Mean makespan and cost, simulated, within the interval around `theory`; each of the eight means below
/// is outside in one of 1,000 seeds.
fn check_theory(plan: &Plan) {
    let right = theory(plan).unwrap();
    let (streams, mut scratch) = (Streams::new(3), Scratch::default());
    let (mut us, mut uusd) = (Moments::default(), Moments::default());
    for replication in 0..20_000 {
        let outcome = simulate(plan, &streams, replication, &mut scratch, &mut ());
        us.push(i64::try_from(outcome.elapsed.ns() / 1_000).unwrap());
        uusd.push(outcome.cost().nusd() / 1_000);
    }
    for (what, simulated, right) in
        [("makespan", us, right.makespan_h * 3.6e9), ("cost", uusd, right.instances_usd.unwrap() * 1e6)]
    {
        let (mean, sd) = (simulated.mean().unwrap(), simulated.sd().unwrap());
        let error = sd / (simulated.count() as f64).sqrt();
        let off = (mean - right) / error;
        assert!(off.abs() <= Z, "{what}: {mean}, right is {right}, {off} standard errors off");
    }
}

const WEIBULL: &str = r#"{ weibull = { shape = 0.6, scale = "4 h" } }"#;

#[test]
fn one_node_with_a_falling_hazard_comes_to_what_theory_says() {
    let acquire = r#"{ lognormal = { median = "10 min", sigma = 1.0 } }"#;
    let capacity = format!("{{ lifetime = {WEIBULL}, acquire = {acquire} }}");
    check_theory(&day(1, &capacity, r#"rule = "ec2""#, ""));
}

/// EC2 takes one node, free in its first hour; the three released are billed, a minute at least.
#[test]
fn a_gang_of_which_one_node_is_lost_comes_to_what_theory_says() {
    let capacity = format!(r#"{{ lifetime = {WEIBULL}, acquire = "10 min", acquire_first = "1 min" }}"#);
    check_theory(&day(4, &capacity, r#"rule = "ec2""#, ""));
}

#[test]
fn a_gang_that_is_lost_as_a_whole_comes_to_what_theory_says() {
    let gap = r#"{ lognormal = { median = "20 min", sigma = 1.2 } }"#;
    let capacity = format!("{{ renewal = {{ uptime = {WEIBULL}, gap = {gap} }} }}");
    check_theory(&day(8, &capacity, r#"rule = "ec2""#, r#"on_loss = "keep""#));
    check_theory(&day(8, &capacity, r#"rule = "flat""#, ""));
}

#[test]
fn what_theory_does_not_cover_it_declines() {
    let lifetime = |rest: &str| format!("{{ lifetime = {WEIBULL}{rest} }}");
    let of = |nodes, capacity: &str, cluster| theory(&day(nodes, capacity, r#"rule = "ec2""#, cluster));
    let varies = r#", acquire = { exponential = { mean = "5 min" } }"#;
    assert_eq!(of(2, &lifetime(varies), ""), Err(OutOfDomain::Start));
    assert_eq!(of(2, &lifetime(""), r#"on_loss = "keep""#), Err(OutOfDomain::Survivors));
    assert_eq!(of(2, &lifetime(""), "limits = { max_restarts = 9 }"), Err(OutOfDomain::Limits));
    assert_eq!(of(2, "{}", ""), Err(OutOfDomain::NoLosses));
    let every_second = r#"checkpoint = { every = "1 s", stall = "1 ms" }"#;
    assert_eq!(of(2, &lifetime(""), every_second), Err(OutOfDomain::TooManySegments));
    let stationary =
        format!(r#"{{ renewal = {{ uptime = {WEIBULL}, gap = "1 h", begin = "stationary" }} }}"#);
    assert_eq!(of(2, &stationary, ""), Err(OutOfDomain::Losses));
}
