//! Cost above, time below, along one key: a line a cluster with the band of its interval.

use super::super::axis::Axis;
use super::super::drawing::{Drawing, Point as Place, Rect, Stroke};
use super::super::frame::{TICK_STYLE, left_axis, left_of_plot, page};
use super::super::label::{Obstacles, column, places_about};
use super::super::number::{TimeUnit, usd};
use super::super::text::{Anchor, TextStyle, cleaned};
use super::super::theme::*;
use super::key_axis::KeyAxis;
use super::{Series, SweepData, told};
use crate::experiment::sweep::Point;
use crate::report::sweep::readable;
use crate::stats::Interval;

const NAME_STYLE: TextStyle = TextStyle::semi_bold(LABEL_SIZE, INK);
const BEST_STYLE: TextStyle = TextStyle::regular(TEXT_SIZE, INK);
/// Width of the names at the right at most, px.
const NAMES_MAX: f64 = 300.0;
/// Lower edge of the upper panel and upper edge of the lower one, px.
const PANELS: (f64, f64) = (374.0, 444.0);
/// From the axes to what lies at their ends, px.
const INSET: f64 = 24.0;

/// One panel: which figure, between which heights.
struct Panel {
    plot: Rect,
    axis: Axis,
    /// Figures in one of the axis.
    per: f64,
    of: fn(&Point) -> Interval,
}

impl Panel {
    fn y(&self, value: f64) -> f64 {
        self.axis.place(value / self.per)
    }
}

/// Cost per finished run and mean makespan against the only key that differs.
pub(super) fn lines(data: &SweepData<'_>, key: usize) -> Drawing {
    let all: Vec<&Point> = data.view.found.points.iter().collect();
    if all.is_empty() {
        return page(&data.finding(&all), "", &data.footer("dot", Vec::new()));
    }
    let time_most = all.iter().map(|point| point.time_h.high).fold(0.0, f64::max);
    let unit = TimeUnit::for_axis(time_most);
    let axis = |of: fn(&Point) -> Interval, per: f64, pixels: (f64, f64)| {
        let ends = || all.iter().map(|point| of(point));
        let low = ends().map(|i| i.low).fold(f64::INFINITY, f64::min);
        let high = ends().map(|i| i.high).fold(f64::NEG_INFINITY, f64::max);
        Axis::spanning(low / per, high / per, pixels, 5)
    };
    let cost = axis(|point| point.cost_usd, 1.0, (PANELS.0, PLOT_TOP));
    let time = axis(|point| point.time_h, unit.hours, (PLOT_BOTTOM, PANELS.1));
    let marks = match data.axes[key].is_numeric() {
        true => "a line a cluster, a dot a configuration, bands",
        false => "a dot a configuration, lines",
    };
    let subtitle = format!("By {}: {marks}: 95 % interval of the mean", cleaned(&data.keys[key]));
    let begin = [cost.value_at(0.0), time.value_at(0.0)].map(|begin| begin == 0.0);
    let begins = match begin {
        [true, true] => None,
        [false, false] => Some("axes do not begin at 0"),
        [true, false] => Some("the time axis does not begin at 0"),
        [false, true] => Some("the cost axis does not begin at 0"),
    };
    let notes = ["ring: cheapest".to_owned()].into_iter().chain(begins.map(str::to_owned));
    let notes = notes.chain(data.unfinished(&all)).collect();
    let mut drawing = page(&data.finding(&all), &subtitle, &data.footer("dot", notes));
    let left = left_of_plot(&cost, |text| format!("${text}")).max(left_of_plot(&time, str::to_owned));
    let names = data.series.iter().map(|series| NAME_STYLE.room(&series.name) + 14.0).fold(0.0, f64::max);
    let right = RIGHT_EDGE - names.min(NAMES_MAX);
    let plot = |top, bottom| Rect { left, top, right, bottom };
    let panels = [
        Panel { plot: plot(PLOT_TOP, PANELS.0), axis: cost, per: 1.0, of: |point| point.cost_usd },
        Panel { plot: plot(PANELS.1, PLOT_BOTTOM), axis: time, per: unit.hours, of: |point| point.time_h },
    ];
    left_axis(&mut drawing, &panels[0].plot, &panels[0].axis, "Cost per finished run, $", |text| {
        format!("${text}")
    });
    let title = format!("Mean makespan of finished runs, {}", unit.sign);
    left_axis(&mut drawing, &panels[1].plot, &panels[1].axis, &title, str::to_owned);
    let x = KeyAxis::of(&data.axes[key], (left + INSET, right - INSET), 9);
    draw_key_axis(&mut drawing, &panels, &x, &data.keys[key]);
    for panel in &panels {
        draw_series(&mut drawing, data, key, &x, panel);
    }
    draw_best(&mut drawing, data, key, &x, &panels[0]);
    drawing
}

fn draw_key_axis(drawing: &mut Drawing, panels: &[Panel; 2], x: &KeyAxis, key: &str) {
    let stroke = Stroke::new(AXIS, THIN_LINE);
    for panel in panels {
        let plot = panel.plot;
        drawing.line(vec![(plot.left, plot.bottom), (plot.right, plot.bottom)], stroke);
    }
    let bottom = panels[1].plot.bottom;
    let ticks = x.ticks();
    let room = panels[1].plot.width() / ticks.len().max(1) as f64 - 8.0;
    for (at, text) in ticks {
        for panel in panels {
            drawing.line(vec![(at, panel.plot.bottom), (at, panel.plot.bottom + 6.0)], stroke);
        }
        drawing.text(&TICK_STYLE.shortened(&text, room), (at, bottom + 28.0), Anchor::Middle, TICK_STYLE);
    }
    let title = TICK_STYLE.shortened(&x.title(key), panels[1].plot.width());
    drawing.text(&title, (panels[1].plot.right, bottom + 56.0), Anchor::End, TICK_STYLE);
}

/// Every cluster's line in pieces: where a configuration has no figure there is a gap.
fn draw_series(drawing: &mut Drawing, data: &SweepData<'_>, key: usize, x: &KeyAxis, panel: &Panel) {
    let mut ends: Vec<(f64, &Series)> = Vec::new();
    for series in &data.series {
        let points = data.points(series);
        drawing.of(Some(series.number));
        let axis = &data.axes[key];
        let mut pieces: Vec<Vec<&Point>> = vec![Vec::new()];
        for (value, _) in &axis.values {
            match points.iter().find(|point| axis.at[point.row] == *value) {
                Some(point) => pieces.last_mut().expect("there is always one").push(point),
                None => pieces.push(Vec::new()),
            }
        }
        let at = |point: &Point, value: f64| (x.place(axis.at[point.row]), panel.y(value));
        for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
            let along = |of: fn(Interval) -> f64| {
                piece.iter().map(|point| at(point, of((panel.of)(point)))).collect::<Vec<Place>>()
            };
            let mean = along(|i| i.value);
            if x.is_continuous() {
                let band = along(|i| i.low).into_iter().chain(along(|i| i.high).into_iter().rev());
                drawing.polygon(band.collect(), series.color, BAND_OPACITY);
                drawing.dashed(&mean, series.dash, Stroke::new(series.color, MEAN_LINE));
            } else {
                for (low, high) in along(|i| i.low).into_iter().zip(along(|i| i.high)) {
                    drawing.line(vec![low, high], Stroke::new(series.color, THIN_LINE));
                }
            }
            for (&place, point) in mean.iter().zip(piece) {
                drawing.dot(place, 4.5, series.color);
                drawing.mouse_spot(place, 9.0, told(data, point));
            }
            if let Some(&(_, y)) = mean.last() {
                ends.retain(|(_, other)| other.id != series.id);
                ends.push((y, series));
            }
        }
    }
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let wanted: Vec<f64> = ends.iter().map(|(y, _)| y - 12.0).collect();
    let tops = column(&wanted, 26.0, panel.plot.top - 8.0, panel.plot.bottom + 8.0);
    for ((_, series), top) in ends.iter().zip(tops) {
        drawing.of(Some(series.number));
        let style = TextStyle { color: series.color, ..NAME_STYLE };
        let name = style.shortened(&series.name, RIGHT_EDGE - panel.plot.right - 12.0);
        drawing.text(&name, (panel.plot.right + 10.0, top + 18.0), Anchor::Start, style);
    }
    drawing.of(None);
}

/// A ring about the cheapest, with its figure where there is room.
fn draw_best(drawing: &mut Drawing, data: &SweepData<'_>, key: usize, x: &KeyAxis, panel: &Panel) {
    let Some(best) = data.view.found.cheapest() else { return };
    let axis = &data.axes[key];
    let (at, y) = (x.place(axis.at[best.row]), panel.y(best.cost_usd.value));
    drawing.of(data.number(best));
    drawing.mean_dot((at, y), data.color(best), true);
    drawing.dot((at, y), 3.0, data.color(best));
    let text = format!("{} at {}", usd(best.cost_usd.value), readable(&axis.values[axis.rank(best.row)].1));
    let mut obstacles = Obstacles::default();
    for series in &data.series {
        let points = data.points(series);
        let place = |point: &&Point| (x.place(axis.at[point.row]), panel.y(point.cost_usd.value));
        let mut line: Vec<Place> = points.iter().map(place).collect();
        line.sort_by(|a, b| a.0.total_cmp(&b.0));
        obstacles.lines.push(line);
    }
    let ring = Rect { left: at, top: y, right: at, bottom: y }.grown(11.0);
    let places = places_about(&ring, (BEST_STYLE.room(&text), 20.0), &[5.0, 13.0]);
    // Without a free place the title alone says it.
    if let Some(area) = obstacles.take_first_free(places, &panel.plot.grown(-3.0)) {
        drawing.text_in(&text, &area, 15.0, Anchor::Start, BEST_STYLE);
    }
    drawing.of(None);
}
