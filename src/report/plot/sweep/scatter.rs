//! Cost against time of all rows: the front as a step line, what another beats in both hollow.

use super::super::axis::Axis;
use super::super::drawing::{Drawing, Mark, Point as Place, Rect, Stroke};
use super::super::frame::{TICK_STYLE, bottom_axis, left_axis, left_of_plot, page};
use super::super::label::{Obstacles, places_about, places_around};
use super::super::number::{TimeUnit, usd};
use super::super::text::{Anchor, TextStyle};
use super::super::theme::*;
use super::SweepData;
use crate::experiment::sweep::Point;
use crate::report::number;

/// Dominated rows that are drawn; of more, every so many-th in the order of cost.
const DOTS_MAX: usize = 3_000;
/// Rows of the front whose values are written out.
const NAMED_MAX: usize = 5;
/// Width of a label, px.
const NAME_ROOM: f64 = 420.0;
const LABEL_STYLE: TextStyle = TextStyle::semi_bold(TEXT_SIZE, INK);
const FIGURES_STYLE: TextStyle = TextStyle::regular(TEXT_SIZE, INK);

/// Cost per finished run against mean makespan, a dot a row.
pub(super) fn scatter(data: &SweepData<'_>) -> Drawing {
    let found = data.view.found;
    let points = &found.points;
    let dominated: Vec<&Point> = points.iter().filter(|point| !point.on_front).collect();
    let every = dominated.len().div_ceil(DOTS_MAX).max(1);
    let mut notes = vec!["dashed: Pareto front of the means, whiskers: 95 % intervals".to_owned()];
    if every > 1 {
        notes.push(format!("one dominated row in {every} drawn"));
    }
    if points.iter().any(|point| point.finishes < 1.0) {
        let least = points.iter().map(|point| point.finishes).fold(1.0, f64::min);
        notes.push(format!("unfinished: up to {} %", number::percent(1.0 - least)));
    }
    let subtitle = "A dot a configuration and cluster; hollow: another is both cheaper and faster";
    let mut drawing = page(&title(data), subtitle, &data.footer("dot", notes));
    let shown: Vec<&Point> = dominated.into_iter().step_by(every).collect();
    let layout = Layout::of(points);
    left_axis(&mut drawing, &layout.plot, &layout.cost, "Cost per finished run, $", |text| {
        format!("${text}")
    });
    let axis = format!("Mean makespan of finished runs, {}", layout.unit.sign);
    bottom_axis(&mut drawing, &layout.plot, &layout.time, &axis, str::to_owned);
    for point in &shown {
        let center = layout.place(point);
        drawing.marks.push(Mark::Dot { center, radius: 4.0, color: data.color(point) });
        drawing.marks.push(Mark::Dot { center, radius: 2.6, color: BACKGROUND });
    }
    let front: Vec<&Point> = found.front().collect();
    let steps = layout.steps(&front);
    drawing.dashed(&steps, FRONT_DASH, Stroke::new(BOUND, 1.8));
    for point in &front {
        let (time, cost) = (point.time_h, point.cost_usd);
        let at = |time_h: f64, usd: f64| layout.at(time_h, usd);
        let stroke = Stroke::new(data.color(point), THIN_LINE);
        drawing.line(vec![at(time.low, cost.value), at(time.high, cost.value)], stroke);
        drawing.line(vec![at(time.value, cost.low), at(time.value, cost.high)], stroke);
        drawing.dot(layout.place(point), 6.0, data.color(point));
    }
    let mut obstacles = Obstacles { lines: vec![steps], ..Obstacles::default() };
    let dot = |point: &&Point| about(layout.place(point), 7.0);
    obstacles.boxes.extend(front.iter().map(dot).chain(shown.iter().map(dot)));
    draw_legend(&mut drawing, data, &layout, &mut obstacles);
    for point in named(&front) {
        draw_label(&mut drawing, data, &layout, point, &mut obstacles);
    }
    drawing
}

/// "From $13.00 in 10.3 h to $40.00 in 4.00 h: 6 of 47 rows are on the front".
fn title(data: &SweepData<'_>) -> String {
    let found = data.view.found;
    let (Some(best), Some(fastest)) = (found.cheapest(), found.fastest()) else {
        return "No configuration has a finished run".to_owned();
    };
    let told =
        |point: &Point| format!("{} in {}", usd(point.cost_usd.value), number::hours(point.time_h.value));
    let rows = number::count(found.points.len() as u64);
    let front: Vec<&Point> = found.front().collect();
    match front[..] {
        [_] => format!("{} is both cheapest and fastest: {}", data.place(best), told(best)),
        _ => format!("{} of {rows} are on the front, from {} to {}", front.len(), told(best), told(fastest)),
    }
}

/// The ends of the front and some between, evenly.
fn named<'p>(front: &[&'p Point]) -> Vec<&'p Point> {
    let last = front.len().saturating_sub(1);
    let wanted = NAMED_MAX.min(front.len());
    let mut places: Vec<usize> = (0..wanted).map(|at| at * last / wanted.saturating_sub(1).max(1)).collect();
    // The ends first: they find a place before the others.
    places.sort_by_key(|&at| at != 0 && at != last);
    places.dedup();
    places.into_iter().map(|at| front[at]).collect()
}

fn about(at: Place, margin: f64) -> Rect {
    Rect { left: at.0, top: at.1, right: at.0, bottom: at.1 }.grown(margin)
}

struct Layout {
    plot: Rect,
    unit: TimeUnit,
    time: Axis,
    cost: Axis,
}

impl Layout {
    fn of(points: &[Point]) -> Self {
        let ends = |of: fn(&Point) -> f64| {
            let all = points.iter().map(of);
            (all.clone().fold(f64::INFINITY, f64::min), all.fold(0.0, f64::max))
        };
        let (cheap, dear) = ends(|point| point.cost_usd.value);
        let (fast, slow) = ends(|point| point.time_h.value);
        let unit = if Axis::suits_logarithm(fast, slow) { TimeUnit::HOURS } else { TimeUnit::for_axis(slow) };
        // Some room, so that no dot stands upon an axis.
        let room =
            |low: f64, high: f64| ((low - 0.04 * (high - low)).max(low * 0.8), high + 0.04 * (high - low));
        let (cheap, dear) = room(cheap, dear);
        let (fast, slow) = room(fast / unit.hours, slow / unit.hours);
        let cost = Axis::spanning(cheap, dear, (PLOT_BOTTOM, PLOT_TOP), 6);
        let left = left_of_plot(&cost, |text| format!("${text}"));
        let plot = Rect { left, top: PLOT_TOP, right: RIGHT_EDGE, bottom: PLOT_BOTTOM };
        Self { plot, unit, time: Axis::spanning(fast, slow, (plot.left, plot.right), 9), cost }
    }

    fn at(&self, time_h: f64, usd: f64) -> Place {
        (self.time.place(time_h / self.unit.hours), self.cost.place(usd))
    }

    fn place(&self, point: &Point) -> Place {
        self.at(point.time_h.value, point.cost_usd.value)
    }

    /// From the fastest down to the cheapest, to the edges.
    fn steps(&self, front: &[&Point]) -> Vec<Place> {
        let mut steps: Vec<Place> = Vec::new();
        for point in front.iter().rev() {
            let (x, y) = self.place(point);
            let level = steps.last().map_or(self.plot.top, |&(_, level)| level);
            steps.extend([(x, level), (x, y)]);
        }
        steps.extend(steps.last().map(|&(_, level)| (self.plot.right, level)));
        steps
    }
}

/// Names of the clusters in their colours at the upper right, where markets differ.
fn draw_legend(drawing: &mut Drawing, data: &SweepData<'_>, layout: &Layout, obstacles: &mut Obstacles) {
    let mut right = layout.plot.right;
    if data.series.len() < 2 {
        return;
    }
    for series in data.series.iter().rev() {
        let name = TICK_STYLE.shortened(&series.name, 240.0);
        let style = TextStyle { color: series.color, ..LABEL_STYLE };
        let width = style.room(&name) + 22.0;
        if right - width < layout.plot.left + 330.0 {
            return;
        }
        let y = layout.plot.top - 27.0;
        drawing.dot((right - width + 8.0, y), 5.0, series.color);
        drawing.text(&name, (right - width + 20.0, y + 6.0), Anchor::Start, style);
        obstacles.boxes.push(Rect { left: right - width, top: y - 12.0, right, bottom: y + 12.0 });
        right -= width + 16.0;
    }
}

fn draw_label(
    drawing: &mut Drawing,
    data: &SweepData<'_>,
    layout: &Layout,
    point: &Point,
    obstacles: &mut Obstacles,
) {
    let name = LABEL_STYLE.shortened(&data.place(point), NAME_ROOM);
    let figures = format!("{}, {}", usd(point.cost_usd.value), layout.unit.text(point.time_h.value));
    let size = (LABEL_STYLE.room(&name).max(FIGURES_STYLE.room(&figures)), 44.0);
    let at = layout.place(point);
    let near = places_about(&about(at, 8.0), size, &[6.0, 24.0, 50.0, 80.0]);
    let places = near.into_iter().chain(places_around(at, size, &layout.plot.grown(-6.0)));
    let bounds = Rect { top: layout.plot.top - 6.0, ..layout.plot };
    let Some(area) = obstacles.take_first_free(places, &bounds) else { return };
    let near = |from: f64, low: f64, high: f64| from.clamp(low, high);
    let end = (near(at.0, area.left, area.right), near(at.1, area.top, area.bottom));
    if !about(at, 26.0).overlaps(&area) && obstacles.lets_pass((at, end), at) {
        drawing.line(vec![at, end], Stroke::new(AXIS, GRID_LINE));
    }
    drawing.text_in(&name, &area, 17.0, Anchor::Start, LABEL_STYLE);
    drawing.text_in(&figures, &area, 38.0, Anchor::Start, FIGURES_STYLE);
}
