//! A study of a scenario's uncertain keys: its points, and what the rows of its table say.

use super::one_at_a_time_design;
use super::{Bar, Effects, Indices, SobolDesign, morris_design, morris_effects, noise_share, tornado};
use crate::experiment::CONFIDENCE;
use crate::experiment::sweep::{SweepRow, SweepRows};
use crate::stats::special::normal_quantile;

/// Ends of the grid of Morris as quantiles: laws without ends have no value at 0 and 1.
const GRID_ENDS: (f64, f64) = (0.01, 0.99);

/// How the inputs are varied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Shares of the variance, over so many base points of the scrambled Sobol' sequence.
    Sobol {
        /// Base points; from 2.
        base: usize,
    },
    /// Elementary effects.
    Morris {
        /// Random walks; from 2.
        trajectories: usize,
        /// Levels of each input; even, from 2.
        levels: usize,
    },
    /// Each input at both ends of its range, the others as the scenario has them.
    OneAtATime,
}

/// For each input the share of its law at which it stands, in (0, 1); `None` where it is as the scenario has it.
pub type Place = Vec<Option<f64>>;

impl Method {
    /// Points of a study.
    pub const fn points(self, inputs: usize) -> usize {
        match self {
            Self::Sobol { base } => self.design(inputs, base).points(),
            Self::Morris { trajectories, .. } => trajectories * (inputs + 1),
            Self::OneAtATime => 2 * inputs + 1,
        }
    }

    const fn design(self, inputs: usize, base: usize) -> SobolDesign {
        SobolDesign { inputs, base, second_order: true }
    }

    /// Where the inputs stand at each point; `None` for more inputs than the Sobol' sequence has dimensions for.
    pub fn places(self, inputs: usize, seed: u64) -> Option<Vec<Place>> {
        let all = |point: &[f64]| point.iter().map(|&u| Some(u)).collect::<Place>();
        Some(match self {
            Self::Sobol { base } => {
                self.design(inputs, base).scrambled(seed)?.iter().map(|point| all(point)).collect()
            }
            Self::Morris { trajectories, levels } => {
                let (low, high) = GRID_ENDS;
                let within =
                    |point: &Vec<f64>| all(&point.iter().map(|u| low + u * (high - low)).collect::<Vec<_>>());
                morris_design(inputs, trajectories, levels, seed)
                    .iter()
                    .flat_map(|walk| &walk.points)
                    .map(within)
                    .collect()
            }
            Self::OneAtATime => {
                let own = vec![None; inputs];
                let moved = one_at_a_time_design(inputs).map(|(input, u)| {
                    let mut place = own.clone();
                    place[input] = Some(u);
                    place
                });
                [own.clone()].into_iter().chain(moved).collect()
            }
        })
    }

    /// Ends of an input's range as quantiles, for people.
    pub const fn range(self) -> (f64, f64) {
        match self {
            Self::Morris { .. } => GRID_ENDS,
            _ => (0.05, 0.95),
        }
    }
}

/// What a study found about one result of one cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The cluster.
    pub cluster: String,
    /// The result, by its name as a figure.
    pub result: String,
    /// Share of the variance that is noise of the replications, at most; `None` without intervals.
    pub noise: Option<f64>,
    /// What it hangs on.
    pub found: Found,
}

/// What a result hangs on.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// Shares of its variance.
    Sobol(Indices),
    /// Effects of every input.
    Morris(Vec<Effects>),
    /// The result as the scenario has it, and bars, the widest first.
    OneAtATime {
        /// The result today.
        base: f64,
        /// A bar an input.
        bars: Vec<Bar>,
    },
    /// Nothing, since so many points have no such figure.
    Lacking {
        /// Points without it.
        points: usize,
        /// The first of them.
        first: u64,
    },
}

/// What the rows of a complete study say about a result of a cluster. `None` if rows are missing.
pub fn finding(method: Method, seed: u64, rows: &SweepRows, cluster: &str, result: &str) -> Option<Finding> {
    let inputs = rows.keys.len();
    let of_cluster: Vec<&SweepRow> = rows.rows.iter().filter(|row| row.cluster == cluster).collect();
    let named =
        |found, noise| Some(Finding { cluster: cluster.to_owned(), result: result.to_owned(), noise, found });
    // A configuration that is refused has a row without a cluster, so its number is what is lacking.
    let points = method.points(inputs) as u64;
    let at = |number: u64| {
        let place = of_cluster.binary_search_by_key(&number, |row| row.configuration).ok()?;
        rows.interval(of_cluster[place], result)
    };
    let figures: Vec<_> = (0..points).map(at).collect();
    let lacking: Vec<u64> =
        (0..points).zip(&figures).filter(|(_, figure)| figure.is_none()).map(|(n, _)| n).collect();
    if let Some(&first) = lacking.first() {
        return named(Found::Lacking { points: lacking.len(), first }, None);
    }
    let figures: Vec<_> = figures.into_iter().flatten().collect();
    let outputs: Vec<f64> = figures.iter().map(|figure| figure.value).collect();
    let z = normal_quantile(0.5 + 0.5 * CONFIDENCE);
    let errors: Vec<f64> = figures.iter().map(|figure| figure.half_width() / z).collect();
    let found = match method {
        Method::Sobol { base } => Found::Sobol(method.design(inputs, base).indices(&outputs, seed)?),
        Method::Morris { trajectories, levels } => {
            let design = morris_design(inputs, trajectories, levels, seed);
            Found::Morris(morris_effects(&design, levels, &outputs, seed)?)
        }
        Method::OneAtATime => Found::OneAtATime { base: *outputs.first()?, bars: tornado(&outputs[1..]) },
    };
    let is_known = errors.iter().any(|&error| error > 0.0);
    let noise = is_known.then(|| noise_share(&outputs, &errors));
    named(found, noise)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table of `5 + x1 + 2 x2` with ± 0.196 about each, for every point of a method.
    fn rows(method: Method) -> SweepRows {
        let places = method.places(2, 3).unwrap();
        let value = |place: &Place| 5.0 + place[0].unwrap_or(0.5) + 2.0 * place[1].unwrap_or(0.5);
        let row = |(number, place): (usize, &Place)| SweepRow {
            configuration: number as u64,
            values: vec![String::new(); 2],
            cluster: "a".to_owned(),
            status: "simulated".to_owned(),
            figures: [0.0, -0.195_996_398_454_005, 0.195_996_398_454_005]
                .map(|off| Some(value(place) + off))
                .to_vec(),
        };
        SweepRows {
            keys: vec!["x1".to_owned(), "x2".to_owned()],
            figures: ["y_mean", "y_ci_low", "y_ci_high"].map(str::to_owned).to_vec(),
            rows: places.iter().enumerate().map(row).collect(),
        }
    }

    fn found(method: Method) -> Finding {
        finding(method, 3, &rows(method), "a", "y_mean").unwrap()
    }

    /// Variances 1/12 and 4/12: a fifth and four fifths. Standard errors of 0.1 are 0.01 of 5/12.
    #[test]
    fn shares_of_the_variance_come_from_the_rows() {
        let finding = found(Method::Sobol { base: 256 });
        let Found::Sobol(indices) = &finding.found else { panic!("{finding:?}") };
        for (index, right) in indices.total.iter().zip([0.2, 0.8]) {
            assert!((index.value - right).abs() < 0.02, "{indices:?}");
        }
        assert!((finding.noise.unwrap() - 0.024).abs() < 0.002, "{finding:?}");
    }

    #[test]
    fn effects_are_by_the_range_of_the_grid() {
        let finding = found(Method::Morris { trajectories: 4, levels: 4 });
        let Found::Morris(effects) = &finding.found else { panic!("{finding:?}") };
        assert!((effects[0].mean - 0.98).abs() < 1e-12 && (effects[1].mean_size.value - 1.96).abs() < 1e-12);
    }

    #[test]
    fn a_tornado_stands_about_the_scenario_as_it_is() {
        let finding = found(Method::OneAtATime);
        let Found::OneAtATime { base, bars } = &finding.found else { panic!("{finding:?}") };
        assert_eq!((*base, bars[0].input), (6.5, 1));
        assert!((bars[0].at_low - 5.6).abs() < 1e-12 && (bars[0].at_high - 7.4).abs() < 1e-12);
    }

    #[test]
    fn points_without_the_figure_are_counted() {
        let method = Method::OneAtATime;
        let mut rows = rows(method);
        rows.rows[2].figures[0] = None;
        rows.rows.pop();
        let found = finding(method, 3, &rows, "a", "y_mean").unwrap().found;
        assert_eq!(found, Found::Lacking { points: 2, first: 2 });
    }
}
