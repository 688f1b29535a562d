//! Clusters as they are shown: cleaned names, one colour a market, one dash a cluster.

use super::number::fixed;
use super::text::cleaned;
use super::theme::{Color, Dash, market_color, series_dash};
use super::{Interval, Market, PlotCluster, PlotData};

/// More clusters than this are not legible in one picture.
pub(super) const MOST_SHOWN: usize = 12;

/// One cluster that is shown.
#[derive(Debug, Clone)]
pub(super) struct Series<'a> {
    pub(super) cluster: &'a PlotCluster,
    /// Its name with its market: "4× g5.2xlarge Spot".
    pub(super) name: String,
    /// Its name without its market, unless another cluster is then named alike: "4× g5.2xlarge".
    pub(super) short_name: String,
    pub(super) color: Color,
    pub(super) dash: Dash,
    pub(super) is_baseline: bool,
}

impl Series<'_> {
    /// Its cluster among those of the scenario.
    pub(super) fn number(&self) -> Option<usize> {
        Some(self.cluster.number)
    }

    /// Its market in words.
    pub(super) fn market(&self) -> &'static str {
        market_name(self.cluster.market)
    }

    /// "unfinished: 3.1 %", or nothing if all finished.
    pub(super) fn unfinished(&self) -> Option<String> {
        unfinished(self.cluster.finish_probability)
    }

    /// Mean elapsed hours of all replications: the sum of the parts.
    pub(super) fn elapsed_h(&self) -> f64 {
        self.cluster.time_h.iter().sum()
    }

    /// Hours of all replications, unfinished ones at +∞, in order.
    pub(super) fn makespans_h(&self) -> Vec<f64> {
        sorted(self.cluster.runs.iter().map(|run| if run.finished { run.elapsed_h } else { f64::INFINITY }))
    }

    /// Dollars of all replications, in order.
    pub(super) fn costs_usd(&self) -> Vec<f64> {
        sorted(self.cluster.runs.iter().map(|run| run.cost_usd).filter(|cost| cost.is_finite()))
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.filter(|value| !value.is_nan()).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// The value that a share of the sorted values do not exceed; `None` if there are none.
pub(super) fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = libm::ceil(share * sorted.len() as f64).max(1.0) as usize;
    sorted.get(rank - 1).copied()
}

fn unfinished(finish: Interval) -> Option<String> {
    let percent = (1.0 - finish.value) * 100.0;
    match percent {
        p if p.is_nan() || p <= 0.0 => None,
        p if p < 0.05 => Some("unfinished: < 0.1 %".to_owned()),
        p if p >= 99.95 => Some("never finished".to_owned()),
        p => Some(format!("unfinished: {} %", fixed(p, 1))),
    }
}

/// A market in words.
pub(super) fn market_name(market: Market) -> &'static str {
    match market {
        Market::Spot => "Spot",
        Market::OnDemand => "On-Demand",
    }
}

/// The clusters to show in the order given: all, or the baseline and the cheapest up to [`MOST_SHOWN`].
pub(super) fn series(data: &PlotData) -> Vec<Series<'_>> {
    let cost = |index: &usize| {
        let cluster = &data.clusters[*index];
        let unfinished = cluster.cost_per_finished_usd.is_none();
        (unfinished, cluster.cost_per_finished_usd.unwrap_or(cluster.cost_usd_mean).value)
    };
    let mut shown: Vec<usize> = (0..data.clusters.len()).collect();
    shown.sort_by(|a, b| {
        let ((a_none, a_cost), (b_none, b_cost)) = (cost(a), cost(b));
        let first = |index: &usize| data.baseline != Some(*index);
        (first(a), a_none).cmp(&(first(b), b_none)).then(a_cost.total_cmp(&b_cost))
    });
    shown.truncate(MOST_SHOWN);
    shown.sort_unstable();
    let shorts: Vec<String> =
        shown.iter().map(|&index| &data.clusters[index]).map(|c| without_market(&c.name, c.market)).collect();
    let mut of_market = [0, 0];
    shown
        .iter()
        .zip(&shorts)
        .map(|(&index, short)| {
            let cluster = &data.clusters[index];
            let nth = &mut of_market[usize::from(cluster.market == Market::OnDemand)];
            *nth += 1;
            let market = market_name(cluster.market);
            // "On-Demand" or "Spot with a safety net" says its market already.
            let named = short.to_ascii_lowercase().contains(&market.to_ascii_lowercase());
            let name = if named { short.clone() } else { format!("{short} {market}") };
            let alone = shorts.iter().filter(|other| *other == short).count() == 1;
            let short_name = if alone { short.clone() } else { name.clone() };
            Series {
                cluster,
                name,
                short_name,
                color: market_color(cluster.market),
                dash: series_dash(*nth - 1),
                is_baseline: data.baseline == Some(index),
            }
        })
        .collect()
}

/// What is said of clusters that are not shown.
pub(super) fn left_out(data: &PlotData) -> Option<String> {
    let more = data.clusters.len().checked_sub(MOST_SHOWN).filter(|&more| more > 0)?;
    Some(format!("{more} dearer clusters not shown"))
}

/// The name, cleaned, with "×" behind a count and without its market at the end.
pub(super) fn without_market(name: &str, market: Market) -> String {
    let name = cleaned(name);
    let market = market_name(market);
    let end = name.len().saturating_sub(market.len());
    let name = match (name.get(..end), name.get(end..)) {
        (Some(stem), Some(end)) if stem.ends_with(' ') && end.eq_ignore_ascii_case(market) => stem.trim_end(),
        _ => name.as_str(),
    };
    if name.is_empty() { "unnamed".to_owned() } else { with_times(name) }
}

/// `text` with "×" behind a count that it begins with.
pub(super) fn with_times(text: &str) -> String {
    let count = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    match text[count..].strip_prefix("x ") {
        Some(rest) if count > 0 => format!("{}× {rest}", &text[..count]),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn names(data: &PlotData) -> Vec<(String, String)> {
        series(data).into_iter().map(|s| (s.name, s.short_name)).collect()
    }

    #[test]
    fn names_say_the_market_once_and_count_with_a_times_sign() {
        let mut data = sample::three_clusters();
        data.clusters[0].name = "1x g5.12xlarge on-demand".to_owned();
        data.clusters[1].name = "g5.4xlarge".to_owned();
        data.clusters[2].name = "Spot".to_owned();
        let expected = [
            ("1× g5.12xlarge On-Demand", "1× g5.12xlarge"),
            ("g5.4xlarge Spot", "g5.4xlarge"),
            ("Spot", "Spot"),
        ];
        assert_eq!(names(&data), expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }

    #[test]
    fn a_short_name_of_two_clusters_keeps_its_market() {
        let mut data = sample::three_clusters();
        data.clusters[0].name = "4x g5.4xlarge".to_owned();
        data.clusters[1].name = "4x g5.4xlarge Spot".to_owned();
        let shorts: Vec<String> = series(&data).into_iter().map(|s| s.short_name).collect();
        assert_eq!(shorts, ["4× g5.4xlarge On-Demand", "4× g5.4xlarge Spot", "4× g5.2xlarge"]);
    }

    #[test]
    fn of_many_clusters_the_baseline_and_the_cheapest_are_shown() {
        let data = sample::many_clusters(30);
        let shown = series(&data);
        assert_eq!(shown.len(), MOST_SHOWN);
        assert!(shown[0].is_baseline);
        assert_eq!(left_out(&data).as_deref(), Some("18 dearer clusters not shown"));
        assert_eq!(left_out(&sample::three_clusters()), None);
    }

    #[test]
    fn a_quantile_is_a_value_that_occurred() {
        let values = [1.0, 2.0, 3.0, 4.0];
        assert_eq!([0.0, 0.5, 0.51, 1.0].map(|q| quantile(&values, q)), [1.0, 2.0, 3.0, 4.0].map(Some));
        assert_eq!(quantile(&[], 0.5), None);
    }
}
