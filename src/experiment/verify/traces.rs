//! Figures of the shipped traces against those made elsewhere from the originals.

use super::shipped::{Find, SHIPPED, recording};
use super::{SuiteResult, VerifyError, rows};
use crate::records::{Content, Recording, Stays};
use crate::trace::fit::{Family, Sample, uptime_laws};
use crate::trace::runs::observed_stays;
use crate::trace::stats::{
    Correlation, Counts, Lengths, StaysStats, ZoneStats, correlations, stays_stats, zone_stats,
};
use std::collections::BTreeMap;

/// Made from the originals, 2026-12-02; explained in the file.
const ROWS: &str = include_str!("../../../data/verify/trace_stats.csv");

/// Columns without which a file is not this suite's.
pub(super) const COLUMNS: [&str; 4] = ["trace", "duration_h", "availability", "preempt_per_up_hour"];

/// The figures of one row.
#[derive(Debug, Clone, Default)]
struct Figures {
    /// By column.
    numbers: BTreeMap<&'static str, Option<f64>>,
    /// The name of the best law.
    law: Option<&'static str>,
    /// Its numbers, as the rows name them.
    params: Vec<(&'static str, f64)>,
}

impl Figures {
    /// Whether every number of `mu_ln_h=-0.901;sigma=0.972` is right.
    fn params_agree(&self, text: &str) -> bool {
        text.split(';').all(|term| {
            let Some((name, number)) = term.split_once('=') else { return false };
            let ours = self.params.iter().find(|(known, _)| *known == name).map(|(_, ours)| *ours);
            // Of a logarithm 1 % of what it is the logarithm of.
            let is_log = name == "mu_ln_h";
            let exp =
                |text: &str| text.parse::<f64>().map_or(String::new(), |log| libm::exp(log).to_string());
            let near = if is_log { within(&exp(number), ours.map(libm::exp)) } else { within(number, ours) };
            agrees(number, ours) || near
        })
    }
}

/// A recording that looked every 195 s held each of its probes for about 650 s: nothing shorter shows in it.
const HELD_PROBE: (f64, f64) = (195.0, 650.0);
/// Numbers of a fitted law are right within this share too.
const FIT_WITHIN: f64 = 0.01;

/// Entry `traces`: the share of the cells that are not empty and wrong.
pub(super) fn traces(data: Option<&str>, beside: Find<'_>) -> Result<Vec<SuiteResult>, VerifyError> {
    let given: Vec<BTreeMap<String, String>> = rows::read(data.unwrap_or(ROWS))?;
    let mut seen = Seen { beside, sets: BTreeMap::new() };
    let (mut compared, mut cells) = (0, 0_usize);
    let mut wrong = Vec::new();
    let mut skipped = BTreeMap::<String, usize>::new();
    for row in &given {
        let name = row.get("trace").map_or("", String::as_str);
        let figures = match seen.figures(name, &given) {
            Ok(figures) => figures,
            Err(reason) => {
                *skipped.entry(reason).or_default() += 1;
                continue;
            }
        };
        compared += 1;
        for (column, text) in row.iter().filter(|(column, text)| *column != "trace" && !text.is_empty()) {
            cells += 1;
            let ours = figures.numbers.get(column.as_str()).copied().flatten();
            let right = match column.as_str() {
                "best_uptime_law" => figures.law.is_some_and(|law| law == text),
                "best_params" => figures.params_agree(text),
                "weibull_shape" => agrees(text, ours) || within(text, ours),
                _ => agrees(text, ours),
            };
            if !right {
                let ours = match column.as_str() {
                    "best_uptime_law" => figures.law.unwrap_or("nothing").to_owned(),
                    "best_params" => format!("{:?}", figures.params),
                    _ => ours.map_or("nothing".to_owned(), |ours| format!("{ours:.5}")),
                };
                wrong.push(format!("{name}, {column}: {text} wanted, {ours} found"));
            }
        }
    }
    let value = if cells > 0 { wrong.len() as f64 / cells as f64 } else { f64::INFINITY };
    let mut notes = vec![format!("{cells} cells compared")];
    notes.extend(wrong.into_iter().take(10));
    Ok(vec![SuiteResult {
        suite: "traces",
        rows: compared,
        skipped: skipped.into_iter().collect(),
        metric: "share of wrong cells",
        value,
        tolerance: 0.0,
        missed: Vec::new(),
        notes,
    }])
}

/// A number is right within one unit of its last digit; `event` says that nothing was sampled.
fn agrees(text: &str, ours: Option<f64>) -> bool {
    let Ok(right) = text.parse::<f64>() else { return text == "event" && ours.is_none() };
    let decimals = text.split_once('.').map_or(0, |(_, part)| part.len()) as i32;
    let unit = libm::pow(10.0, -f64::from(decimals));
    ours.is_some_and(|ours| (ours - right).abs() <= unit * (1.0 + 1e-9))
}

/// Whether a number is right within 1 %.
fn within(text: &str, ours: Option<f64>) -> bool {
    let right = text.parse::<f64>().ok();
    right.zip(ours).is_some_and(|(right, ours)| (ours - right).abs() <= FIT_WITHIN * right.abs())
}

/// `us-east-2b@ge8` is a zone and the nodes that it takes to be up.
fn zone_and_gang(name: &str) -> (&str, u32) {
    let (zone, gang) = name.split_once("@ge").unwrap_or((name, "1"));
    (zone, gang.parse().unwrap_or(1))
}

/// Zones of one recording that the rows name, each with its correlation.
type Set = Vec<(String, ZoneStats, Correlation)>;

struct Seen<'a> {
    beside: Find<'a>,
    sets: BTreeMap<(String, Option<u32>), Set>,
}

impl Seen<'_> {
    fn figures(&mut self, name: &str, rows: &[BTreeMap<String, String>]) -> Result<Figures, String> {
        let (set, zone) = name.split_once('/').ok_or("a trace is named SET/ZONE")?;
        let counts = zone.contains("@ge");
        let (zone, gang) = zone_and_gang(zone);
        if let Ok(Recording { content: Content::Stays(stays), .. }) =
            recording(set, zone, counts, self.beside)
        {
            return Ok(of_stays(&stays_stats(&stays, None, None), &stays));
        }
        let key = (set.to_owned(), if counts { Some(gang) } else { None });
        if !self.sets.contains_key(&key) {
            let found = self.set(set, key.1, rows)?;
            self.sets.insert(key.clone(), found);
        }
        let found = self.sets[&key].iter().find(|(known, ..)| known == zone);
        let (_, stats, correlation) = found.ok_or("no trace of that name")?;
        Ok(of_zone(stats, correlation))
    }

    /// All zones of a set that the rows name: correlations are with each other.
    fn set(&self, set: &str, gang: Option<u32>, rows: &[BTreeMap<String, String>]) -> Result<Set, String> {
        let named = rows.iter().filter_map(|row| row.get("trace")?.strip_prefix(set)?.strip_prefix('/'));
        let shipped = SHIPPED.iter().filter_map(|(name, _)| name.strip_prefix(set)?.strip_prefix('-'));
        // The name of a set may begin another's.
        let shipped = shipped.filter(|zone| !zone.starts_with("600s-") && !zone.starts_with("preemption-"));
        let mut names: Vec<&str> = named.map(|zone| zone_and_gang(zone).0).chain(shipped).collect();
        names.sort_unstable();
        names.dedup();
        let mut zones = Vec::new();
        for &zone in &names {
            let recording = recording(set, zone, gang.is_some(), self.beside)?;
            let Content::Capacity(series) = &recording.content else { continue };
            let about = &recording.about;
            for one in series {
                let mut stats = zone_stats(one, about.sample, about.start_assumed, gang.unwrap_or(1));
                stats.label.zone = zone.to_owned();
                zones.push(stats);
            }
        }
        let together = correlations(&zones);
        Ok(zones.into_iter().zip(together).map(|(zone, c)| (zone.label.zone.clone(), zone, c)).collect())
    }
}

fn of_zone(zone: &ZoneStats, correlation: &Correlation) -> Figures {
    let (up, down) = (&zone.up, &zone.down);
    let mut numbers = BTreeMap::from([
        ("duration_h", Some(zone.duration_h)),
        ("gap_s", zone.sample.map(|span| span.as_secs())),
        ("availability", zone.availability),
        ("preemptions", Some(zone.preemptions as f64)),
        ("preempt_per_up_hour", zone.preemptions_per_up_h()),
        ("mean_down_h", down.mean_h),
        ("median_down_h", down.median_h),
        ("one_tick_up_share", zone.one_sample_share),
        ("hour_range", zone.hours.range),
        ("diurnal_amp", zone.hours.amplitude),
        ("peak_hour_utc", zone.hours.peak_hour.map(f64::from)),
        ("corr_same_region", correlation.same_region),
        ("corr_other_region", correlation.other_region),
    ]);
    numbers.extend(of_lengths(up));
    numbers.extend(zone.counts.iter().flat_map(of_counts));
    numbers.extend(zone.counts.iter().map(|counts| ("all_or_none_share", counts.all_or_none_share)));
    let sample_s = zone.sample.map_or(0.0, |sample| sample.as_secs());
    let half_s = 0.5 * if sample_s == HELD_PROBE.0 { HELD_PROBE.1 } else { sample_s };
    let ups = zone.runs.iter().filter(|run| run.up);
    fitted(numbers, &Sample::new(ups.filter_map(|run| run.observed(half_s))))
}

/// The figures with those of the laws fitted to `sample`.
fn fitted(mut numbers: BTreeMap<&'static str, Option<f64>>, sample: &Sample) -> Figures {
    let Some(fits) = uptime_laws(sample) else { return Figures { numbers, ..Figures::default() } };
    let columns = ["daic_exp", "daic_weibull", "daic_lognormal", "daic_gamma"];
    numbers.extend(columns.into_iter().zip(Family::UNLIMITED).map(|(c, family)| (c, fits.behind(family))));
    let weibull = fits.get(Family::Weibull);
    numbers.insert("weibull_shape", weibull.map(|fit| libm::exp(fit.point()[0])));
    let Some(best) = fits.best() else { return Figures { numbers, ..Figures::default() } };
    let value = |index: usize| best.parameters[index].value;
    let params = match best.family {
        Family::Exponential => vec![("mean_h", value(0) / 3_600.0)],
        Family::Lognormal => vec![("mu_ln_h", libm::log(value(0) / 3_600.0)), ("sigma", value(1))],
        _ => vec![("shape", value(0)), ("scale_h", value(1) / 3_600.0)],
    };
    Figures { numbers, law: Some(best.family.name()), params }
}

fn of_stays(stays: &StaysStats, all: &Stays) -> Figures {
    let mut numbers = BTreeMap::from([
        ("duration_h", Some(stays.duration_h)),
        ("preemptions", Some(stays.lost as f64)),
        ("preempt_per_up_hour", stays.lost_per_up_h()),
    ]);
    numbers.extend(of_lengths(&stays.up));
    numbers.extend(of_counts(&stays.counts));
    fitted(numbers, &Sample::new(observed_stays(all)))
}

fn of_lengths(up: &Lengths) -> [(&'static str, Option<f64>); 4] {
    [
        ("mean_up_h", up.mean_h),
        ("median_up_h", up.median_h),
        ("max_up_h", up.max_h),
        ("complete_up_runs", Some(up.complete as f64)),
    ]
}

fn of_counts(counts: &Counts) -> [(&'static str, Option<f64>); 6] {
    let loss = &counts.loss;
    [
        ("mean_count", counts.mean),
        ("loss_events", Some(loss.moments as f64)),
        ("nodes_lost", Some(loss.nodes as f64)),
        ("mean_loss", loss.mean()),
        ("max_loss", Some(f64::from(loss.max))),
        ("share_lost_in_ge6", loss.many_share()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_of_the_shipped_traces_is_right() {
        let entry = traces(None, &|_, _| None).unwrap().remove(0);
        assert_eq!((entry.rows, entry.skipped_rows()), (54, 0), "{:?}", entry.skipped);
        assert!(entry.value == 0.0, "{:?}", entry.notes);
    }

    #[test]
    fn a_number_is_right_within_one_unit_of_its_last_digit() {
        assert!(agrees("0.281", Some(0.2820)) && !agrees("0.281", Some(0.2821)));
        assert!(agrees("253", Some(253.0)) && !agrees("253", None));
        assert!(agrees("event", None) && !agrees("event", Some(195.0)));
    }

    #[test]
    fn a_row_of_no_shipped_trace_is_looked_for_beside_the_file() {
        let rows = "trace,duration_h,availability,preempt_per_up_hour\nmine/a,2.00,0.5000,\n";
        let text = "# sample_s: 600\nstart,duration_s,nodes\n2026-01-01T00:00:00Z,3600,1\n2026-01-01T01:00:00Z,3600,0\n";
        let beside = |set: &str, zone: &str| (set == "mine" && zone == "a").then(|| text.to_owned());
        let entry = traces(Some(rows), &beside).unwrap().remove(0);
        assert_eq!((entry.rows, entry.value), (1, 0.0), "{:?}", entry.notes);
        let entry = traces(Some(rows), &|_, _| None).unwrap().remove(0);
        assert_eq!((entry.rows, entry.skipped_rows()), (0, 1));
    }
}
