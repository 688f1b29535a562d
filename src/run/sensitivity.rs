//! `spotsim sensitivity`.

use super::files::Folder;
use super::input::{check_names, warn};
use super::manifest::manifest;
use super::points::{Points, Rows, Way, read_back};
use super::progress::now;
use super::reread::Reread;
use super::simulate::{thread_pool, write_plots};
use super::terminal::{answer, stderr_has_colour, stdout_has_colour};
use super::{Exit, Failure};
use crate::cli::{Format, SensitivityArgs, SensitivityMethod};
use crate::experiment::sensitivity::{Finding, Found, Method, Place, finding};
use crate::experiment::sweep::SweepRows;
use crate::report::sensitivity::{Input, Printed, SensitivityView};
use crate::report::{csv, html, json, number, plot, sensitivity, sweep as told};
use crate::scenario::load::Scenario;
use crate::scenario::template::{Change, Template};
use crate::scenario::uncertain::Uncertain;
use clap::ValueEnum;
use std::time::Instant;

/// Replications at each point, unless told otherwise: there are thousands of points.
const REPLICATIONS: u64 = 1_000;
/// The table of the points, without ending.
const POINTS: &str = "points";
/// The names of pictures begin so.
const PICTURES: &str = "sensitivity-";
/// Results that are told, unless others are asked for; the last where the job has a deadline.
const RESULTS: [&str; 3] = ["cost_per_finished_usd", "makespan_h_mean", "deadline_probability"];
/// A study of more points is a mistake.
const POINTS_MAX: usize = 1_000_000;

/// A study that can be made.
struct Study {
    method: Method,
    own: Scenario,
    /// As typed.
    file: String,
    warnings: String,
    results: Vec<String>,
    /// Only this cluster is told.
    cluster: Option<String>,
}

/// Tries many values of the uncertain keys and tells which of them the results hang on.
pub fn sensitivity(args: &SensitivityArgs, way: &Way<'_>) -> Result<Exit, Failure> {
    let begin = now();
    let reread = Reread::new(&args.scenario)?.replications_or(REPLICATIONS);
    let read_file = |name: &str| reread.named(name);
    let template = reread.template(&read_file);
    let mut study = Study::new(args, reread.file.clone(), &template)?;
    let places = study.places()?;
    study.check_ends(&template, &places)?;
    let pool = thread_pool(args.threads)?;
    let (values, resolve) = (
        |number: u64| study.values(&places[number as usize]),
        |number: u64| study.resolve(&template, &places[number as usize]),
    );
    let points = Points {
        command: "sensitivity",
        args: &args.scenario,
        options: options(args),
        own: &study.own,
        name: POINTS,
        noun: "points",
        resume: args.resume,
        keys: &study.keys(),
        count: places.len() as u64,
        resolve: &resolve,
        values: &values,
    };
    let mut folder = match points.rows(way, &args.output, &pool)? {
        Rows::All(folder) => folder,
        Rows::Less(exit) => return Ok(exit),
    };
    let rows = read_back(POINTS, &folder)?;
    study.conclude(args, &rows, pool.current_num_threads(), begin, &mut folder)
}

/// The options that decide what is told, beside those of the scenario.
fn options(args: &SensitivityArgs) -> Vec<String> {
    let method = args.method.to_possible_value();
    let method = method.iter().map(|method| format!("--method={}", method.get_name()));
    let sizes = [("samples", args.samples), ("trajectories", args.trajectories), ("levels", args.levels)];
    let sizes = sizes.into_iter().filter_map(|(name, size)| Some(format!("--{name}={}", size?)));
    let results = args.result.iter().map(|result| format!("--result={result}"));
    let cluster = args.cluster.iter().map(|cluster| format!("--cluster={cluster}"));
    method.chain(sizes).chain(results).chain(cluster).collect()
}

impl Study {
    fn new(args: &SensitivityArgs, file: String, template: &Template<'_>) -> Result<Self, Failure> {
        let (own, problems) = template.own();
        let colour = stderr_has_colour();
        let Some(own) = own else {
            return Err(Failure::Input(problems.errors().render(template.sources(), colour)));
        };
        if own.uncertain.is_empty() {
            return Err(Failure::Input(format!(
                "error: {file} has no [uncertain]: nothing to be sensitive to\n  = help: add a key with a law, such as \
                 \"checkpoint.stall\" = {{ uniform = {{ low = \"5 s\", high = \"20 s\" }} }}"
            )));
        }
        let warnings = problems.render(template.sources(), colour);
        let results = match args.result.is_empty() {
            false => args.result.clone(),
            true => {
                let has_deadline = own.clusters.iter().any(|cluster| cluster.plan.deadline.is_some());
                let count = if has_deadline { RESULTS.len() } else { RESULTS.len() - 1 };
                RESULTS[..count].iter().map(|name| (*name).to_owned()).collect()
            }
        };
        check_names("--result", "result", &results, &csv::figure_columns())?;
        let names: Vec<String> = own.clusters.iter().map(|cluster| cluster.name.clone()).collect();
        check_names("--cluster", "cluster", args.cluster.as_slice(), &names)?;
        let method = method(args)?;
        Ok(Self { method, own, file, warnings, results, cluster: args.cluster.clone() })
    }

    fn places(&self) -> Result<Vec<Place>, Failure> {
        let inputs = self.own.uncertain.len();
        let points = self.method.points(inputs);
        if points > POINTS_MAX {
            let points = number::count(points as u64);
            return Err(Failure::Input(format!("error: {points} points are more than 1,000,000")));
        }
        let places = self.method.places(inputs, self.own.seed);
        places.ok_or_else(|| {
            Failure::Input(format!("error: {inputs} keys are more than `--method sobol` can vary"))
        })
    }

    fn keys(&self) -> Vec<String> {
        self.own.uncertain.iter().map(|uncertain| uncertain.key.to_string()).collect()
    }

    /// The values of the keys as cells; empty where a key is as the scenario has it.
    fn values(&self, place: &Place) -> Vec<String> {
        let cell =
            |(uncertain, u): (&Uncertain, &Option<f64>)| u.map_or_else(String::new, |u| value(uncertain, u));
        self.own.uncertain.iter().zip(place).map(cell).collect()
    }

    /// The scenario at a point, with the same replications as at every other.
    fn resolve(&self, template: &Template<'_>, place: &Place) -> Result<Scenario, String> {
        let moved = self.own.uncertain.iter().zip(place);
        let changes: Vec<Change> = moved.filter_map(|(uncertain, u)| u.map(|u| uncertain.at(u))).collect();
        let (scenario, problems) = template.resolve(&changes);
        let mut scenario = scenario.ok_or_else(|| problems.render(template.sources(), false))?;
        scenario.until = None;
        Ok(scenario)
    }

    /// Tries each key at the least and the greatest share of its law that a point has, the others as the scenario has
    /// them: what is wrong there, such as a misspelt key, a missing unit or a value out of range, is told at once.
    fn check_ends(&mut self, template: &Template<'_>, places: &[Place]) -> Result<(), Failure> {
        for (nth, uncertain) in self.own.uncertain.iter().enumerate() {
            let shares = || places.iter().filter_map(|place| place[nth]);
            let ends = [(shares().fold(1.0, f64::min), "least"), (shares().fold(0.0, f64::max), "greatest")];
            let changes = ends.map(|(share, _)| uncertain.at(share));
            let mut found = Vec::new();
            for (change, (_, which)) in changes.iter().zip(ends) {
                let (scenario, problems) = template.resolve(std::slice::from_ref(change));
                found.push(scenario.ok_or_else(|| {
                    let text = problems.errors().render(template.sources(), stderr_has_colour());
                    let (text, value) = (text.trim_end(), change.value.value.as_cell());
                    let tried = format!("{} = {value}, the {which} value of its law here", change.key);
                    Failure::Input(format!("{text}\n  = tried: {tried}"))
                })?);
            }
            if changes[0] != changes[1] && found[0] == found[1] {
                self.warnings += &format!(
                    "warning: `{}` of [uncertain] changes nothing\n  = help: what a cluster says itself, or an option, \
                     takes its place\n",
                    uncertain.key
                );
            }
        }
        Ok(())
    }

    /// Writes and prints what the rows say.
    fn conclude(
        &self,
        args: &SensitivityArgs,
        rows: &SweepRows,
        threads: usize,
        begin: Instant,
        folder: &mut Folder,
    ) -> Result<Exit, Failure> {
        let findings = self.findings(rows)?;
        let inputs = self.inputs(rows);
        let view = SensitivityView {
            name: &self.own.name,
            title: &self.own.title,
            seed: self.own.seed,
            replications: self.own.replications,
            method: self.method,
            inputs: &inputs,
            findings: &findings,
        };
        let numbers = sensitivity::csv(&view);
        folder.write("sensitivity.csv", &numbers)?;
        let summary = json::to_bytes(&sensitivity::json(&view));
        folder.write("summary.json", &summary)?;
        let pictures = plot::sensitivity(&view);
        let named: Vec<(&str, plot::Drawing)> =
            pictures.iter().map(|(name, drawing)| (name.as_str(), drawing.clone())).collect();
        write_plots(&args.output.plots, &named, folder)?;
        let page = html::sensitivity(&self.own, &view, &options(args).join(" "), &named);
        folder.write("report.html", page.as_bytes())?;
        folder.remove_others("plots", |stem| stem.starts_with(PICTURES))?;
        let manifest = manifest(folder.path(), threads, begin.elapsed());
        folder.write("manifest.json", &json::to_bytes(&manifest))?;
        answer(&match args.output.format {
            Format::Json => String::from_utf8_lossy(&summary).into_owned(),
            Format::Csv => String::from_utf8_lossy(&numbers).into_owned(),
            Format::Table => sensitivity::table(
                &view,
                &Printed {
                    colour: stdout_has_colour(),
                    file: &self.file,
                    out: &folder.path().display().to_string(),
                    written: &folder.listing(),
                },
            ),
        })?;
        warn(&self.warnings);
        let nothing = findings.iter().all(|finding| matches!(finding.found, Found::Lacking { .. }));
        Ok(if nothing { Exit::Infeasible } else { Exit::Done })
    }

    fn findings(&self, rows: &SweepRows) -> Result<Vec<Finding>, Failure> {
        let told = self.own.clusters.iter().map(|cluster| cluster.name.as_str());
        let told = told.filter(|name| self.cluster.as_ref().is_none_or(|only| only == name));
        let mut all = Vec::new();
        for cluster in told {
            for result in &self.results {
                let found = finding(self.method, self.own.seed, rows, cluster, result);
                all.push(found.ok_or_else(|| Failure::Other(format!("{POINTS}.csv has not all points")))?);
            }
        }
        Ok(all)
    }

    fn inputs(&self, rows: &SweepRows) -> Vec<Input> {
        let (low, high) = self.method.range();
        let names = told::keys(rows);
        let all = self.own.uncertain.iter().zip(names);
        let input = |(uncertain, name): (&Uncertain, String)| Input {
            key: uncertain.key.to_string(),
            name,
            low: value(uncertain, low),
            high: value(uncertain, high),
            law: uncertain.text.clone(),
        };
        all.map(input).collect()
    }
}

fn value(uncertain: &Uncertain, u: f64) -> String {
    uncertain.at(u).value.value.as_cell()
}

/// The method with its sizes, of which each belongs to one method.
fn method(args: &SensitivityArgs) -> Result<Method, Failure> {
    let wrong = |what: &str, why: &str| Failure::Input(format!("error: `{what}`: {why}"));
    let foreign = |given: bool, what: &str, method: &str| match given {
        true => Err(wrong(what, &format!("belongs to `--method {method}`"))),
        false => Ok(()),
    };
    let is = |method| args.method == method;
    foreign(!is(SensitivityMethod::Sobol) && args.samples.is_some(), "--samples", "sobol")?;
    foreign(!is(SensitivityMethod::Morris) && args.trajectories.is_some(), "--trajectories", "morris")?;
    foreign(!is(SensitivityMethod::Morris) && args.levels.is_some(), "--levels", "morris")?;
    match args.method {
        SensitivityMethod::OneAtATime => Ok(Method::OneAtATime),
        SensitivityMethod::Sobol => match args.samples.unwrap_or(256) as usize {
            base @ 2.. => Ok(Method::Sobol { base }),
            base => Err(wrong(&format!("--samples {base}"), "must be at least 2")),
        },
        SensitivityMethod::Morris => {
            let (trajectories, levels) =
                (args.trajectories.unwrap_or(50) as usize, args.levels.unwrap_or(4) as usize);
            if trajectories < 2 {
                return Err(wrong(&format!("--trajectories {trajectories}"), "must be at least 2"));
            }
            if levels < 2 || !levels.is_multiple_of(2) || levels > 1_000 {
                return Err(wrong(&format!("--levels {levels}"), "must be an even number from 2 to 1,000"));
            }
            Ok(Method::Morris { trajectories, levels })
        }
    }
}
