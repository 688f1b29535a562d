//! The titles of the plots: a finding with its number, made from the figures by rule.

use super::frame::{TITLE_ROOM, TITLE_STYLE};
use super::number::{TimeUnit, chosen_time, fixed, probability, share, usd};
use super::series::{Series, quantile};
use super::theme::{TIME_PARTS, TimePart};
use super::{Interval, PlotData};

/// A cluster is a choice for a deadline if this share of its runs meets it.
const RELIABLE: f64 = 0.9;
/// Time besides computing below this share is nothing to speak of.
const WORTH_NAMING: f64 = 0.05;

/// The cheapest cluster per finished run, of those that meet the deadline in 90 % of runs if there is one.
fn choice<'a, 'b>(data: &PlotData, series: &'b [Series<'a>]) -> Option<&'b Series<'a>> {
    candidates(data, series).min_by(|a, b| cost(a).value.total_cmp(&cost(b).value))
}

fn candidates<'a, 'b>(data: &PlotData, series: &'b [Series<'a>]) -> impl Iterator<Item = &'b Series<'a>> {
    let has_deadline = data.deadline_h.is_some();
    series
        .iter()
        .filter(|s| s.cluster.cost_per_finished_usd.is_some())
        .filter(move |s| !has_deadline || s.cluster.deadline_probability.is_some_and(|p| p.value >= RELIABLE))
}

/// Cost per finished run, or the mean cost where none finished.
fn cost(series: &Series<'_>) -> Interval {
    series.cluster.cost_per_finished_usd.unwrap_or(series.cluster.cost_usd_mean)
}

/// A title about a cluster, whose name is cut so that the number at the end is not.
fn titled(series: &Series<'_>, sentence: impl Fn(&str) -> String) -> String {
    let left = TITLE_ROOM - TITLE_STYLE.room(&sentence(""));
    sentence(&TITLE_STYLE.shortened(&series.name, left))
}

/// Why nothing can be said of finished runs: there are no clusters, or none finished.
fn nothing_finished(data: &PlotData, series: &[Series<'_>]) -> Option<String> {
    if series.is_empty() {
        return Some("Nothing to show: no cluster was simulated".to_owned());
    }
    if series.iter().all(|s| s.cluster.cost_per_finished_usd.is_none()) {
        return Some(format!("No run finished by the horizon of {}", chosen_time(data.horizon_h)));
    }
    None
}

/// That no cluster meets the deadline in 90 % of runs, and which comes nearest, if that is so.
fn nobody_in_time(data: &PlotData, series: &[Series<'_>]) -> Option<String> {
    let deadline = data.deadline_h?;
    if candidates(data, series).next().is_some() {
        return None;
    }
    let best = series
        .iter()
        .filter_map(|s| Some((s, s.cluster.deadline_probability?)))
        .max_by(|a, b| a.1.value.total_cmp(&b.1.value));
    let by = chosen_time(deadline);
    Some(match best {
        Some((best, p)) if p.value > 0.0 => {
            let p = probability(p);
            titled(best, |name| format!("No cluster is reliably done by {by}; best: {name}, in {p}"))
        }
        _ => format!("No run was done by {by}"),
    })
}

/// What the choice saves against the baseline, or against the next cheapest.
pub(super) fn cost_against_time(data: &PlotData, series: &[Series<'_>]) -> String {
    if let Some(title) = nothing_finished(data, series).or_else(|| nobody_in_time(data, series)) {
        return title;
    }
    let best = choice(data, series).expect("a run finished, and in time if there is a deadline");
    let baseline = series.iter().find(|s| s.is_baseline && s.cluster.cost_per_finished_usd.is_some());
    match baseline {
        Some(baseline) if !best.is_baseline => against_baseline(best, baseline),
        _ => against_next(data, series, best),
    }
}

fn against_baseline(best: &Series<'_>, baseline: &Series<'_>) -> String {
    let (ours, theirs) = (cost(best), cost(baseline));
    if ours.low > theirs.high && theirs.value > 0.0 {
        let more = share(ours.value / theirs.value - 1.0);
        return titled(best, |name| format!("{name} meets the deadline for {more} more"));
    }
    if ours.high >= theirs.low {
        return not_sure(best, "the baseline", theirs);
    }
    let saved = share(1.0 - ours.value / theirs.value);
    let time = match (best.cluster.makespan_h_mean, baseline.cluster.makespan_h_mean) {
        (Some(ours), Some(theirs)) if ours.low > theirs.high => {
            format!("for {} more", hours_text(ours.value - theirs.value))
        }
        (Some(ours), Some(theirs)) if ours.high < theirs.low => {
            format!("and is done {} sooner", hours_text(theirs.value - ours.value))
        }
        _ => "in about the same time".to_owned(),
    };
    titled(best, |name| format!("{name} cuts the bill by {saved} {time}"))
}

/// That the cost of the choice and another cost have overlapping intervals.
fn not_sure(best: &Series<'_>, other: &str, theirs: Interval) -> String {
    let (ours, theirs) = (usd(cost(best).value), usd(theirs.value));
    titled(best, |name| format!("{name} is not surely cheaper: {ours}, {other} {theirs}"))
}

fn against_next(data: &PlotData, series: &[Series<'_>], best: &Series<'_>) -> String {
    let next = candidates(data, series)
        .filter(|s| !std::ptr::eq(*s, best))
        .min_by(|a, b| cost(a).value.total_cmp(&cost(b).value));
    let ours = cost(best);
    match next {
        Some(next) if cost(next).low <= ours.high => not_sure(best, "the next", cost(next)),
        Some(next) if ours.value > 0.0 => {
            let more = share(cost(next).value / ours.value - 1.0);
            let ours = usd(ours.value);
            titled(best, |name| format!("{name} is cheapest at {ours}; the next costs {more} more"))
        }
        _ => {
            let time = best.cluster.makespan_h_mean;
            let takes = time.map_or(String::new(), |time| format!(" and takes {}", hours_text(time.value)));
            let costs = usd(ours.value);
            titled(best, |name| format!("{name} costs {costs}{takes}"))
        }
    }
}

fn hours_text(hours: f64) -> String {
    TimeUnit::for_axis(hours).text(hours)
}

/// How surely the choice meets the deadline, or by when half of its runs are done.
pub(super) fn finishing(data: &PlotData, series: &[Series<'_>]) -> String {
    if let Some(title) = nothing_finished(data, series).or_else(|| nobody_in_time(data, series)) {
        return title;
    }
    let best = choice(data, series).expect("a run finished, and in time if there is a deadline");
    if let (Some(deadline), Some(p)) = (data.deadline_h, best.cluster.deadline_probability) {
        let (by, p) = (chosen_time(deadline), probability(p));
        return titled(best, |name| format!("By {by}, {name} has finished in {p} of runs"));
    }
    match quantile(&best.makespans_h(), 0.5) {
        Some(median) if median.is_finite() => {
            let median = hours_text(median);
            titled(best, |name| format!("Half of the runs of {name} finish by {median}"))
        }
        _ => {
            let p = probability(best.cluster.finish_probability);
            titled(best, |name| format!("{name} finishes in {p} of runs by the horizon"))
        }
    }
}

/// What 95 % of the runs of the choice cost at most, or how often it costs more than the baseline.
pub(super) fn bill(data: &PlotData, series: &[Series<'_>]) -> String {
    let cheapest = || series.iter().min_by(|a, b| cost(a).value.total_cmp(&cost(b).value));
    let Some(best) = choice(data, series).or_else(cheapest) else {
        return "Nothing to show: no cluster was simulated".to_owned();
    };
    let costs = best.costs_usd();
    let (Some(low), Some(high)) = (quantile(&costs, 0.05), quantile(&costs, 0.95)) else {
        let mean = usd(best.cluster.cost_usd_mean.value);
        return titled(best, |name| format!("{name} costs {mean} on average"));
    };
    if usd(low) == usd(high) {
        let high = usd(high);
        return titled(best, |name| format!("{name} costs {high} in nearly every run"));
    }
    let at_most = |name: &str| format!("95 % of runs of {name} cost at most {}", usd(high));
    let Some(baseline) = series.iter().find(|s| s.is_baseline && !best.is_baseline) else {
        return titled(best, at_most);
    };
    let usual = cost(baseline).value;
    let dearer = costs.iter().filter(|&&c| c > usual).count() as f64 / costs.len() as f64;
    if dearer > 0.05 {
        let dearer = share(dearer);
        return titled(best, |name| format!("{name} costs more than the baseline in {dearer} of runs"));
    }
    titled(best, |name| format!("{}; baseline {}", at_most(name), usd(usual)))
}

/// The largest time besides computing, and whose it is.
pub(super) fn where_time_goes(series: &[Series<'_>]) -> String {
    let parts = series.iter().flat_map(|s| TIME_PARTS[1..].iter().map(move |part| (s, part)));
    let largest = parts.max_by(|a, b| {
        let hours = |(s, part): &(&Series<'_>, &TimePart)| s.cluster.time_h[part.index];
        hours(a).total_cmp(&hours(b))
    });
    let Some((slowest, part)) = largest else {
        return "Nothing to show: no cluster was simulated".to_owned();
    };
    if series.iter().all(|s| s.elapsed_h() <= 0.0) {
        return "No cluster spent any time".to_owned();
    }
    let computing = |s: &Series<'_>| s.cluster.time_h[TIME_PARTS[0].index] / s.elapsed_h();
    let least = series.iter().map(computing).fold(1.0, f64::min);
    if least >= 1.0 - WORTH_NAMING {
        return format!(
            "Every cluster computes for at least {} of its time",
            share(libm::floor(least * 100.0) / 100.0)
        );
    }
    let (hours, total) = (slowest.cluster.time_h[part.index], slowest.elapsed_h());
    let unit = TimeUnit::for_axis(total);
    let spent = fixed(hours / unit.hours, if total / unit.hours < 99.5 { 2 } else { 1 });
    let spends = format!("spends {spent} of its {} {}", unit.text(total), part.doing);
    titled(slowest, |name| format!("{name} {spends}"))
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::super::series::series;
    use super::*;

    fn interval(value: f64, half: f64) -> Option<Interval> {
        Some(Interval { value, low: value - half, high: value + half })
    }

    /// A hand-made case: $31.12 in 4.41 h against $18.35 in 7.25 h is 41 % less for 2.84 h more.
    fn two() -> PlotData {
        let mut data = sample::three_clusters();
        data.clusters.truncate(2);
        data.deadline_h = None;
        data.clusters[0].cost_per_finished_usd = interval(31.12, 0.01);
        data.clusters[0].makespan_h_mean = interval(4.41, 0.01);
        data.clusters[1].cost_per_finished_usd = interval(18.35, 0.05);
        data.clusters[1].makespan_h_mean = interval(7.25, 0.05);
        data
    }

    fn cost_title(data: &PlotData) -> String {
        cost_against_time(data, &series(data))
    }

    #[test]
    fn a_saving_is_stated_with_its_price_in_hours() {
        let mut data = two();
        assert_eq!(cost_title(&data), "4× g5.4xlarge Spot cuts the bill by 41 % for 2.84 h more");
        data.clusters[1].makespan_h_mean = interval(4.41, 0.05);
        assert_eq!(cost_title(&data), "4× g5.4xlarge Spot cuts the bill by 41 % in about the same time");
    }

    #[test]
    fn overlapping_intervals_are_no_finding() {
        let mut data = two();
        data.clusters[1].cost_per_finished_usd = interval(31.0, 0.2);
        let expected = "4× g5.4xlarge Spot is not surely cheaper: $31.00, the baseline $31.12";
        assert_eq!(cost_title(&data), expected);
    }

    #[test]
    fn without_a_baseline_the_cheapest_is_compared_with_the_next() {
        let mut data = two();
        data.baseline = None;
        assert_eq!(cost_title(&data), "4× g5.4xlarge Spot is cheapest at $18.35; the next costs 70 % more");
        data.clusters.truncate(1);
        assert_eq!(cost_title(&data), "1× g5.12xlarge On-Demand costs $31.12 and takes 4.41 h");
    }

    #[test]
    fn who_misses_the_deadline_is_no_choice() {
        let mut data = two();
        data.deadline_h = Some(7.0);
        data.clusters[0].deadline_probability = interval(0.5, 0.01);
        data.clusters[1].deadline_probability = interval(0.6, 0.01);
        let expected = "No cluster is reliably done by 7 h; best: 4× g5.4xlarge Spot, in 60.0 %";
        assert_eq!(cost_title(&data), expected);
        data.clusters[0].deadline_probability = interval(1.0, 0.0);
        let expected = "1× g5.12xlarge On-Demand costs $31.12 and takes 4.41 h";
        assert_eq!(cost_title(&data), expected);
    }

    #[test]
    fn nothing_finished_is_said() {
        let mut data = two();
        data.clusters.iter_mut().for_each(|cluster| cluster.cost_per_finished_usd = None);
        assert_eq!(cost_title(&data), "No run finished by the horizon of 7 d");
        data.clusters.clear();
        assert_eq!(cost_title(&data), "Nothing to show: no cluster was simulated");
    }

    #[test]
    fn the_largest_time_besides_computing_is_named() {
        let mut data = two();
        data.clusters[1].time_h = [1.0, 0.0, 0.0, 0.0, 0.0, 4.0, 4.5, 0.0, 0.0, 0.5, 0.0];
        let title = where_time_goes(&series(&data));
        assert_eq!(title, "4× g5.4xlarge Spot spends 4.50 of its 10.00 h waiting for the network");
        data.clusters
            .iter_mut()
            .for_each(|c| c.time_h = [0.0, 0.0, 0.0, 0.0, 0.0, 9.7, 0.3, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(where_time_goes(&series(&data)), "Every cluster computes for at least 97 % of its time");
    }
}
