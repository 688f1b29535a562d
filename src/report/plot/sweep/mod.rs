//! The pictures of a sweep, chosen by its axes: lines along one, a heat map over two, dots of cost against
//! time and against each key for more.

mod heat;
mod key_axis;
mod key_panels;
mod lines;
mod scatter;

use super::Drawing;
use super::frame::title_fits;
use super::number::usd;
use super::series;
use super::text::cleaned;
use super::theme::{Color, Dash, market_color, series_dash};
use crate::experiment::sweep::{Point, SweepAxis, axes, is_grid};
use crate::report::number;
use crate::report::sweep::{KeyUnit, SweepView, keys, place, values};
use crate::scenario::plan::Market;

/// Clusters that are told apart in one picture.
const CLUSTERS_MAX: usize = 6;

/// Every picture of a sweep by the name of its file, without an ending; all names begin with `sweep`.
pub fn sweep(view: &SweepView<'_>) -> Vec<(String, Drawing)> {
    let data = SweepData::new(view);
    let mut pictures = Vec::new();
    let varying: Vec<usize> = (0..data.axes.len()).filter(|&key| data.axes[key].values.len() > 1).collect();
    match varying[..] {
        [key] if data.is_grid => pictures.push(("sweep-lines".to_owned(), lines::lines(&data, key))),
        [a, b] if data.is_grid && heat::fits(&data, [a, b]) => pictures.extend(heat::maps(&data, [a, b])),
        [] => {}
        _ => pictures.push(("sweep-keys".to_owned(), key_panels::panels(&data, &varying))),
    }
    if view.found.points.len() > 1 {
        pictures.push(("sweep-front".to_owned(), scatter::scatter(&data)));
    }
    pictures
}

/// "2 others not surely dearer" than the first of some points; empty if it is surely the cheapest.
fn others(points: &[&Point]) -> String {
    let Some((best, rest)) = points.split_first() else { return String::new() };
    match rest.iter().filter(|point| point.may_cost_as_little_as(best)).count() {
        0 => String::new(),
        1 => "one other not surely dearer".to_owned(),
        more => format!("{} others not surely dearer", number::count(more as u64)),
    }
}

/// Configurations whose marks tell their figures in a page; of more, those of the front alone.
const SPOTS_MAX: usize = 400;

/// What a mark of a sweep stands for: cluster, values, figures.
fn told(data: &SweepData<'_>, point: &Point) -> Vec<String> {
    let (row, cost, time) = (data.view.row(point), point.cost_usd, point.time_h);
    let to =
        |low: String, high: String| if low == high { String::new() } else { format!(" ({low} to {high})") };
    let mut told = vec![series::with_times(&cleaned(&row.cluster))];
    told.extend(values(data.view, point).split(", ").map(cleaned).filter(|value| !value.is_empty()));
    told.push(format!("{}{} per finished run", usd(cost.value), to(usd(cost.low), usd(cost.high))));
    let hours = number::hours;
    told.push(format!("{}{}", hours(time.value), to(hours(time.low), hours(time.high))));
    told.push(format!("no. {}", number::count(row.configuration)));
    told
}

/// A cluster as it is drawn.
struct Series {
    /// As in the rows.
    id: String,
    /// As it is shown.
    name: String,
    color: Color,
    dash: Dash,
    /// Its place among the clusters of its market, from 0.
    nth: usize,
    /// Its place among all clusters of the rows.
    number: usize,
}

/// A sweep with what all its pictures need.
struct SweepData<'a> {
    view: &'a SweepView<'a>,
    axes: Vec<SweepAxis>,
    /// Short names of the keys.
    keys: Vec<String>,
    is_grid: bool,
    series: Vec<Series>,
}

impl<'a> SweepData<'a> {
    fn new(view: &'a SweepView<'a>) -> Self {
        let axes = axes(view.rows);
        let is_grid = is_grid(view.rows, &axes);
        let mut of_market = [0, 0];
        let series = view.rows.clusters().into_iter().take(CLUSTERS_MAX).enumerate().map(|(number, id)| {
            let known = view.markets.iter().find(|(name, _)| *name == id);
            let market = known.map_or(Market::Spot, |(_, market)| *market);
            let nth = &mut of_market[usize::from(market == Market::OnDemand)];
            *nth += 1;
            Series {
                name: series::with_times(&cleaned(&id)),
                id,
                color: market_color(market.into()),
                dash: series_dash(*nth - 1),
                nth: *nth - 1,
                number,
            }
        });
        Self { view, keys: keys(view.rows), is_grid, series: series.collect(), axes }
    }

    /// The points of a cluster, the cheapest first.
    fn points(&self, series: &Series) -> Vec<&Point> {
        self.view.found.points.iter().filter(|point| self.view.row(point).cluster == series.id).collect()
    }

    /// The look of a point's cluster.
    fn color(&self, point: &Point) -> Color {
        market_color(self.view.market(self.view.row(point)).into())
    }

    /// Place of a point's cluster among those of its market, from 0.
    fn nth(&self, point: &Point) -> usize {
        let id = &self.view.row(point).cluster;
        self.series.iter().find(|series| series.id == *id).map_or(0, |series| series.nth)
    }

    /// A point's cluster among all of the rows.
    fn number(&self, point: &Point) -> Option<usize> {
        let id = &self.view.row(point).cluster;
        self.series.iter().find(|series| series.id == *id).map(|series| series.number)
    }

    /// A key with the unit of its values: "uptime mean, h".
    fn head(&self, key: usize) -> String {
        let name = cleaned(&self.keys[key]);
        KeyUnit::of(&self.axes[key]).map_or(name.clone(), |unit| unit.head(&name))
    }

    /// A value of a key without the unit that [`Self::head`] has.
    fn value(&self, key: usize, (value, text): &(f64, String)) -> String {
        KeyUnit::of(&self.axes[key]).map_or_else(|| cleaned(text), |unit| unit.text(*value))
    }

    /// "n = 1,000 a dot, seed 7 · …".
    fn footer(&self, what: &str, notes: Vec<String>) -> String {
        let n = number::count(self.view.found.replications);
        let mut parts = vec![format!("n = {n} a {what}, seed {}, same worlds", self.view.seed)];
        parts.extend(notes);
        let found = self.view.found;
        let kinds = [
            (found.endless, "without a finished run"),
            (found.infeasible, "infeasible"),
            (found.invalid, "invalid"),
        ];
        let missing = kinds.into_iter().filter(|(count, _)| *count > 0);
        let missing: Vec<String> = missing.map(|(count, what)| format!("{count} {what}")).collect();
        if !missing.is_empty() {
            parts.push(format!("not drawn: {}", missing.join(", ")));
        }
        parts.join(" · ")
    }

    /// The cheapest of some points, the cheapest first, as fully as a title has room for.
    fn finding(&self, points: &[&Point]) -> String {
        let Some(best) = points.first() else { return "No configuration has a finished run".to_owned() };
        let cost = usd(best.cost_usd.value);
        // The cluster stands in the subtitle too, or as a label.
        let (at, values) = (self.place(best), series::with_times(&values(self.view, best)));
        let others = others(points);
        let full = match others.as_str() {
            "" => format!("Cheapest is {at}: {cost} per finished run"),
            others => format!("{at} is cheapest at {cost}, {others}"),
        };
        let titles = [full, format!("Cheapest at {values}: {cost}")];
        let rest = format!("The cheapest of {} costs {cost}", number::count(points.len() as u64));
        titles.into_iter().find(|title| title_fits(title)).unwrap_or(rest)
    }

    /// "unfinished: up to 8.2 %", where a run is.
    fn unfinished(&self, points: &[&Point]) -> Option<String> {
        let least = points.iter().map(|point| point.finishes).fold(1.0, f64::min);
        (least < 1.0).then(|| format!("unfinished: up to {} %", number::percent(1.0 - least)))
    }

    /// `Spot with nodes = 2`.
    fn place(&self, point: &Point) -> String {
        series::with_times(&place(self.view, point))
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout_tests::{check_texts, check_written};
    use super::*;
    use crate::experiment::sweep::{SweepRows, found};
    use crate::report::sweep::fixture;

    fn names(rows: &SweepRows) -> Vec<String> {
        let found = found(rows);
        let pictures = sweep(&fixture::view(rows, &found));
        for (name, drawing) in &pictures {
            check_texts(name, drawing);
            check_written(name, drawing);
        }
        pictures.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn the_axes_choose_the_pictures_and_all_are_legible() {
        assert_eq!(names(&fixture::line()), ["sweep-lines", "sweep-front"]);
        assert_eq!(names(&fixture::grid()), ["sweep-heat", "sweep-front"]);
        assert_eq!(names(&fixture::sampled()), ["sweep-keys", "sweep-front"]);
        assert!(names(&SweepRows::default()).is_empty());
    }
}
