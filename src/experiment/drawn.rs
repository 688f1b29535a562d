//! Replications of which each has values of its own for the uncertain keys.

use super::CONFIDENCE;
use super::result::{ClusterResult, summarise};
use super::{Replicated, Status};
use crate::rng::{Source, Streams, place_key};
use crate::scenario::load::Scenario;
use crate::scenario::sampling::{BATCHES, Sampling};
use crate::scenario::template::Template;
use crate::stats::Interval;
use crate::stats::points::{SobolSequence, antithetic};
use crate::stats::special::student_t_quantile;

/// Makes the scenario of each replication.
pub struct Draw<'a> {
    template: &'a Template<'a>,
    scenario: &'a Scenario,
    /// For Sobol' points.
    sequence: Option<SobolSequence>,
}

impl<'a> Draw<'a> {
    /// Of the uncertain keys of `scenario`, which was read from `template`; or why not.
    pub fn new(template: &'a Template<'a>, scenario: &'a Scenario) -> Result<Self, String> {
        let dimensions = scenario.uncertain.len();
        let sequence = match scenario.sampling {
            Sampling::Sobol => Some(SobolSequence::new(dimensions).ok_or_else(|| {
                format!("there are no Sobol' points of {dimensions} keys: sample at random")
            })?),
            _ => None,
        };
        let draw = Self { template, scenario, sequence };
        draw.try_ends().map(|()| draw)
    }

    /// Tries each key, the others as the scenario has them, at values beyond which one draw of as many as there are
    /// replications, or as a rule asks for at least, is to be expected at either end: a law that reaches beyond
    /// what the key can be would end the run after much of it is done.
    fn try_ends(&self) -> Result<(), String> {
        let most = self.scenario.replications;
        let count = self.scenario.until.as_ref().map_or(most, |until| until.first_look(most));
        let rare = 1.0 / count.max(2) as f64;
        for (one, u) in self.scenario.uncertain.iter().flat_map(|one| [(one, rare), (one, 1.0 - rare)]) {
            let change = one.at(u);
            let (scenario, problems) = self.template.resolve(std::slice::from_ref(&change));
            if scenario.is_none() {
                let (key, value) = (&change.key, change.value.value.as_cell());
                let why = problems.errors().render(self.template.sources(), false);
                return Err(format!(
                    "{key} = {value} is no scenario, and one of {count} replications may draw it\n{}\n  = help: narrow \
                     the law, or cut it off with `min` and `max`",
                    why.trim_end()
                ));
            }
        }
        Ok(())
    }

    /// Where replication `number` lies on the unit cube: in the order of the keys, each in (0, 1).
    pub fn point(&self, number: u64) -> Vec<f64> {
        let streams = Streams::new(self.scenario.seed);
        let random = |nth: u64| -> Vec<f64> {
            // Keyed by its name, so that another key moves no value of this one.
            let of = |key: &str| streams.stream(Source::Uncertain, place_key(key), nth, 0).open01();
            self.scenario.uncertain.iter().map(|one| of(&one.key.to_string())).collect()
        };
        match (self.scenario.sampling, &self.sequence) {
            (Sampling::Antithetic, _) if number % 2 == 1 => antithetic(&random(number / 2)),
            (Sampling::Antithetic, _) => random(number / 2),
            (Sampling::Sobol, Some(sequence)) => {
                let size = self.scenario.replications / BATCHES;
                let key = streams.stream(Source::Uncertain, 0, number / size, 1).bits();
                sequence.scrambled(number % size, key)
            }
            _ => random(number),
        }
    }

    /// The scenario of replication `number`, or what is wrong with its values.
    pub fn scenario(&self, number: u64) -> Result<Scenario, String> {
        let at = self.point(number);
        let changes: Vec<_> = self.scenario.uncertain.iter().zip(at).map(|(one, u)| one.at(u)).collect();
        let (scenario, problems) = self.template.resolve(&changes);
        let same = scenario.filter(|drawn| drawn.clusters.len() == self.scenario.clusters.len());
        same.ok_or_else(|| {
            let values =
                changes.iter().map(|change| format!("{} = {}", change.key, change.value.value.as_cell()));
            let values = values.collect::<Vec<_>>().join(", ");
            let why = problems.errors().render(self.template.sources(), false);
            format!("replication {number} has no scenario, with {values}\n{why}")
        })
    }
}

/// Puts intervals in place that tell the error from batch to batch: Student's over the figures of [`BATCHES`]
/// independent ones, each a list with one cluster's replications. A share of which all batches say 0, or 1, keeps its own.
pub fn tell_error_by_batches(
    result: &mut ClusterResult,
    scenario: &Scenario,
    cluster: usize,
    batches: &mut [Vec<Replicated>],
) {
    let mut of_batches: Vec<ClusterResult> = batches
        .iter_mut()
        .map(|batch| summarise(&scenario.clusters[cluster], &mut batch[cluster], Status::Simulated))
        .collect();
    let mut values: Vec<Vec<Option<f64>>> = vec![Vec::new(); result.intervals_mut().len()];
    for batch in &mut of_batches {
        for (values, interval) in values.iter_mut().zip(batch.intervals_mut()) {
            values.push(interval.map(|interval| interval.value));
        }
    }
    for (interval, values) in result.intervals_mut().into_iter().zip(values) {
        let known: Option<Vec<f64>> = values.into_iter().collect();
        if let (Some(interval), Some(values)) = (interval.as_mut(), known) {
            *interval = over_batches(interval, &values);
        }
    }
}

fn over_batches(whole: &Interval, values: &[f64]) -> Interval {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    if values.len() < 2 || (squares == 0.0 && whole.half_width() > 0.0 && (mean == 0.0 || mean == 1.0)) {
        return *whole;
    }
    let error = (squares / (n - 1.0) / n).sqrt();
    Interval::around(whole.value, student_t_quantile(0.5 + 0.5 * CONFIDENCE, n - 1.0) * error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::load::Overrides;
    use crate::stats::Moments;

    fn with_draw(sampling: &str, check: impl Fn(&Draw<'_>)) {
        let text = format!(
            r#"
schema = 1
name = "drawn"
job = {{ work = {{ ideal_time = "1 h" }}, horizon = "9 d" }}
start = {{ start = "10 min" }}
pricing = {{ rule = "flat", on_demand = "1 USD/h" }}
simulation = {{ replications = 32768, sampling = "{sampling}" }}
uncertain."start.start" = {{ uniform = {{ low = "0 min", high = "60 min" }} }}
[[cluster]]
name = "c"
instance = "g5.xlarge"
nodes = 1
market = "on-demand"
"#
        );
        let template = Template::parse("a.toml", text, &Overrides::default(), &|_| Err("none".into()));
        let (scenario, problems) = template.own();
        let scenario = scenario.unwrap_or_else(|| panic!("{}", problems.render(template.sources(), false)));
        check(&Draw::new(&template, &scenario).unwrap());
    }

    /// Variance of the mean of -ln u over two neighbours, in millionths.
    fn variance_of_pairs(draw: &Draw<'_>) -> f64 {
        let at = |number| -libm::log(draw.point(number)[0]);
        let mut pairs = Moments::default();
        (0..16_384).for_each(|nth| pairs.push((0.5e6 * (at(2 * nth) + at(2 * nth + 1))) as i64));
        pairs.variance().unwrap() / 1e12
    }

    /// 1/2 of two independent ones, 1 - π²/12 = 0.1775 of opposite ones (spec 4.5): the spread of either estimate
    /// over seeds is below 0.015, so 0.07 is more than four of them; false alarm 1e-5.
    #[test]
    fn opposite_points_have_less_variance_where_the_answer_is_monotone() {
        with_draw("random", |draw| assert!((variance_of_pairs(draw) - 0.5).abs() < 0.07));
        let right = 1.0 - std::f64::consts::PI * std::f64::consts::PI / 12.0;
        with_draw("antithetic", |draw| assert!((variance_of_pairs(draw) - right).abs() < 0.07));
    }

    #[test]
    fn each_replication_has_its_own_value() {
        with_draw("sobol", |draw| {
            let start = |number| draw.scenario(number).unwrap().clusters[0].plan.start.start.clone();
            assert_ne!(start(0), start(1));
            assert_eq!(start(7), start(7));
        });
    }
}
