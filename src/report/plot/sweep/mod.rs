//! The pictures of a sweep, chosen by its axes: lines along one, a heat map over two, dots of cost against
//! time and against each key for more.

mod heat;
mod key_axis;
mod key_panels;
mod lines;
mod scatter;

use super::Drawing;
use super::frame::{TITLE_ROOM, TITLE_STYLE};
use super::number::usd;
use super::series;
use super::text::cleaned;
use super::theme::{Color, Dash, market_color, series_dash};
use crate::experiment::sweep::{Point, SweepAxis, axes, is_grid};
use crate::report::number;
use crate::report::sweep::{SweepView, keys, place};
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

/// A cluster as it is drawn.
struct Series {
    /// As in the rows.
    id: String,
    /// As it is shown.
    name: String,
    color: Color,
    dash: Dash,
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
        let series = view.rows.clusters().into_iter().take(CLUSTERS_MAX).map(|id| {
            let known = view.markets.iter().find(|(name, _)| *name == id);
            let market = known.map_or(Market::Spot, |(_, market)| *market);
            let nth = &mut of_market[usize::from(market == Market::OnDemand)];
            *nth += 1;
            Series {
                name: series::with_times(&cleaned(&id)),
                id,
                color: market_color(market.into()),
                dash: series_dash(*nth - 1),
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

    /// "n = 1,000 a dot, seed 7 · …".
    fn footer(&self, what: &str, notes: Vec<String>) -> String {
        let n = number::count(self.view.found.replications);
        let mut parts = vec![format!("n = {n} a {what}, seed {}, same worlds", self.view.seed)];
        parts.extend(notes);
        let found = self.view.found;
        let count = |count: usize, what: &str| (count > 0).then(|| format!("{count} {what}, not drawn"));
        parts.extend(count(found.endless, "without a finished run"));
        parts.extend(count(found.infeasible, "infeasible"));
        parts.extend(count(found.invalid, "invalid"));
        parts.join(" · ")
    }

    /// The cheapest of some points, the cheapest first; or that none surely is.
    fn finding(&self, points: &[&Point]) -> String {
        let Some(best) = points.first() else { return "No configuration has a finished run".to_owned() };
        let as_cheap = points[1..].iter().filter(|point| point.cost_usd.low <= best.cost_usd.high).count();
        let at = self.place(best);
        let cost = usd(best.cost_usd.value);
        let others = match as_cheap {
            0 => return format!("Cheapest is {at}: {cost} per finished run"),
            1 => "one other".to_owned(),
            more => format!("{} others", number::count(more as u64)),
        };
        let title = format!("{at} is cheapest at {cost}, {others} not surely dearer");
        // The cluster stands in the subtitle too, or as a label.
        let values = at.split_once(" with ").map_or(at.as_str(), |(_, values)| values);
        let shorter = format!("{values}: cheapest at {cost}, {others} not surely dearer");
        for title in [title, shorter] {
            if TITLE_STYLE.room(&title) <= TITLE_ROOM {
                return title;
            }
        }
        // What matters first: the end of a long title is cut.
        format!("{cost}, not surely less than {others}: {at}")
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
