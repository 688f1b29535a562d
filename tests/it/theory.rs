//! Simulated means against closed forms for exponential losses (Daly 2006, Bougeret 2011).

use crate::run::scenario;
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

/// Every `economics` row that is covered: the recursion to 1e-9, the simulation within four standard
/// errors (family-wise false alarm 1.0 %, seed fixed).
#[test]
fn economics_rows_are_right() {
    let results = spotsim::experiment::verify::verify(Some("economics"), None).unwrap();
    assert_eq!(results.iter().map(|result| result.rows).collect::<Vec<_>>(), [70, 79], "{results:?}");
    assert!(results.iter().all(spotsim::experiment::verify::SuiteResult::pass), "{results:?}");
}
