//! Cost against time of all rows: the front as a step line, what another beats in both hollow.

use super::super::axis::Axis;
use super::super::drawing::{Drawing, Mark, Point as Place, Rect, Stroke};
use super::super::frame::{bottom_axis, left_axis, left_of_plot, page, title_fits};
use super::super::label::{Obstacles, places_about, places_around};
use super::super::number::{TimeUnit, usd};
use super::super::series;
use super::super::text::{Anchor, TextStyle, cleaned};
use super::super::theme::*;
use super::{SPOTS_MAX, Series, SweepData, told};
use crate::experiment::sweep::{Point, RELIABLE};
use crate::report::number;
use crate::report::sweep::values;

/// Dominated rows that are drawn; of more, every so many-th in the order of cost.
const DOTS_MAX: usize = 3_000;
/// Rows of the front whose values are written out.
const NAMED_MAX: usize = 5;
/// Width of a label, px.
const NAME_ROOM: f64 = 340.0;
/// Lines of a label for the values of the keys.
const VALUE_LINES: usize = 2;
/// Height of a line of a label and of the legend, px.
const LINE: f64 = 21.0;
const LEGEND_LINE: f64 = 26.0;
/// Where the legend's lines may begin: before it stands the title of the axis, px.
const LEGEND_LEFT: f64 = LEFT_EDGE + 330.0;
const LABEL_STYLE: TextStyle = TextStyle::semi_bold(TEXT_SIZE, INK);
const FIGURES_STYLE: TextStyle = TextStyle::regular(TEXT_SIZE, INK);

/// Cost per finished run against mean makespan, a dot a row.
pub(super) fn scatter(data: &SweepData<'_>) -> Drawing {
    let found = data.view.found;
    let points = &found.points;
    let dominated: Vec<&Point> = points.iter().filter(|point| !point.on_front).collect();
    let every = dominated.len().div_ceil(DOTS_MAX).max(1);
    let mut notes = vec!["whiskers: 95 % intervals".to_owned()];
    if every > 1 {
        notes.push(format!("one dominated row in {every} drawn"));
    }
    match found.unreliable() {
        0 => notes.extend(data.unfinished(&points.iter().collect::<Vec<_>>())),
        seldom => {
            let most = number::fixed(RELIABLE * 100.0, 0);
            notes.push(format!("{seldom} finish in < {most} %: not on the front"));
        }
    }
    let subtitle = "A mark a configuration and cluster; hollow: another is both cheaper and faster; dashed: Pareto front";
    let mut drawing = page(&title(data), subtitle, &data.footer("mark", notes));
    let shown: Vec<&Point> = dominated.into_iter().step_by(every).collect();
    let legend = legend(data);
    let layout = Layout::of(points, legend.len());
    left_axis(&mut drawing, &layout.plot, &layout.cost, "Cost per finished run, $", |text| {
        format!("${text}")
    });
    let axis = format!("Mean makespan of finished runs, {}", layout.unit.sign);
    bottom_axis(&mut drawing, &layout.plot, &layout.time, &axis, str::to_owned);
    for point in &shown {
        let center = layout.place(point);
        drawing.of(data.number(point));
        marker(&mut drawing, data.nth(point), center, 4.0, data.color(point));
        marker(&mut drawing, data.nth(point), center, 2.5, BACKGROUND);
        if shown.len() <= SPOTS_MAX {
            drawing.mouse_spot(center, 7.0, told(data, point));
        }
    }
    drawing.of(None);
    let front: Vec<&Point> = found.front().collect();
    let steps = layout.steps(&front);
    drawing.dashed(&steps, FRONT_DASH, Stroke::new(BOUND, 1.8));
    for point in &front {
        let (time, cost) = (point.time_h, point.cost_usd);
        drawing.of(data.number(point));
        let at = |time_h: f64, usd: f64| layout.at(time_h, usd);
        let stroke = Stroke::new(data.color(point), THIN_LINE);
        drawing.line(vec![at(time.low, cost.value), at(time.high, cost.value)], stroke);
        drawing.line(vec![at(time.value, cost.low), at(time.value, cost.high)], stroke);
        draw_front_marker(&mut drawing, data, &layout, point);
        drawing.spot(layout.place(point), 11.0, told(data, point));
    }
    drawing.of(None);
    let mut obstacles = Obstacles { lines: vec![steps], ..Obstacles::default() };
    let dot = |point: &&Point| about(layout.place(point), 7.0);
    obstacles.boxes.extend(front.iter().map(dot).chain(shown.iter().map(dot)));
    draw_legend(&mut drawing, &legend);
    for point in named(&front) {
        draw_label(&mut drawing, data, &layout, point, &mut obstacles);
    }
    drawing
}

/// A mark of the n-th cluster of a market: a dot, a square, a triangle, a diamond.
fn marker(drawing: &mut Drawing, nth: usize, center: Place, radius: f64, color: Color) {
    let corners: &[Place] = match nth % 4 {
        0 => return drawing.marks.push(Mark::Dot { center, radius, color }),
        1 => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        2 => &[(0.0, -1.3), (1.2, 0.8), (-1.2, 0.8)],
        _ => &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
    };
    let points = corners.iter().map(|(x, y)| (center.0 + x * radius, center.1 + y * radius));
    drawing.polygon(points.collect(), color, 1.0);
}

fn draw_front_marker(drawing: &mut Drawing, data: &SweepData<'_>, layout: &Layout, point: &Point) {
    let (nth, center) = (data.nth(point), layout.place(point));
    marker(drawing, nth, center, 7.2, BACKGROUND);
    marker(drawing, nth, center, 6.0, data.color(point));
}

/// "From $13.00 in 10.3 h to $40.00 in 4.00 h: 6 of 47 rows are on the front".
fn title(data: &SweepData<'_>) -> String {
    let found = data.view.found;
    let front: Vec<&Point> = found.front().collect();
    let [first, .., last] = front[..] else {
        let Some(best) = front.first() else { return "No configuration has a finished run".to_owned() };
        let told = format!("{} in {}", usd(best.cost_usd.value), number::hours(best.time_h.value));
        let full = format!("{} is both cheapest and fastest: {told}", data.place(best));
        return if title_fits(&full) { full } else { format!("One row is on the front, {told}") };
    };
    let told =
        |point: &Point| format!("{} in {}", usd(point.cost_usd.value), number::hours(point.time_h.value));
    let rows = number::count(found.points.len() as u64);
    format!("{} of {rows} rows are on the front, from {} to {}", front.len(), told(first), told(last))
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
    fn of(points: &[Point], legend_lines: usize) -> Self {
        let top = PLOT_TOP + LEGEND_LINE * legend_lines.saturating_sub(1) as f64;
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
        let cost = Axis::spanning(cheap, dear, (PLOT_BOTTOM, top), 6);
        let left = left_of_plot(&cost, |text| format!("${text}"));
        let plot = Rect { left, top, right: RIGHT_EDGE, bottom: PLOT_BOTTOM };
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

/// The clusters in lines that have room at the upper right, where there are several.
fn legend<'a>(data: &'a SweepData<'_>) -> Vec<Vec<(&'a Series, f64)>> {
    let mut lines: Vec<Vec<(&Series, f64)>> = Vec::new();
    let shown = if data.series.len() > 1 { &data.series[..] } else { &[] };
    let mut left = 0.0;
    for series in shown {
        let width = LABEL_STYLE.room(&LABEL_STYLE.shortened(&series.name, NAME_ROOM)) + 38.0;
        if left < width || lines.is_empty() {
            lines.push(Vec::new());
            left = RIGHT_EDGE - LEGEND_LEFT;
        }
        left -= width;
        lines.last_mut().expect("one was begun").push((series, width));
    }
    lines
}

fn draw_legend(drawing: &mut Drawing, lines: &[Vec<(&Series, f64)>]) {
    for (line, entries) in lines.iter().enumerate() {
        let y = PLOT_TOP - 27.0 + LEGEND_LINE * line as f64;
        let mut left = RIGHT_EDGE - entries.iter().map(|(_, width)| width).sum::<f64>() + 16.0;
        for (series, width) in entries {
            drawing.of(Some(series.number));
            marker(drawing, series.nth, (left + 8.0, y), 5.0, series.color);
            let style = TextStyle { color: series.color, ..LABEL_STYLE };
            let name = style.shortened(&series.name, NAME_ROOM);
            drawing.text(&name, (left + 20.0, y + 6.0), Anchor::Start, style);
            left += width;
        }
    }
    drawing.of(None);
}

/// What a label says of a row: its cluster, where there are several, its values, its figures.
fn label(data: &SweepData<'_>, layout: &Layout, point: &Point) -> Vec<(String, TextStyle)> {
    let mut lines = Vec::new();
    if let [_, _, ..] = data.series[..] {
        let name = series::with_times(&cleaned(&data.view.row(point).cluster));
        lines.push((LABEL_STYLE.shortened(&name, NAME_ROOM), LABEL_STYLE));
    }
    let mut told: Vec<String> = Vec::new();
    for part in values(data.view, point).split(", ") {
        match told.last_mut() {
            Some(last) if FIGURES_STYLE.room(&format!("{last}, {part}")) <= NAME_ROOM => {
                *last += &format!(", {part}");
            }
            _ => told.push(part.to_owned()),
        }
    }
    if told.len() > VALUE_LINES {
        told.truncate(VALUE_LINES);
        told.last_mut().expect("there are some").push_str(", …");
    }
    let told = told.iter().map(|line| FIGURES_STYLE.shortened(&cleaned(line), NAME_ROOM));
    lines.extend(told.map(|line| (line, FIGURES_STYLE)));
    let number = number::count(data.view.row(point).configuration);
    let figures =
        format!("{}, {}, no. {number}", usd(point.cost_usd.value), layout.unit.text(point.time_h.value));
    lines.push((figures, if lines.len() > 1 { FIGURES_STYLE } else { LABEL_STYLE }));
    lines
}

/// Names a row of the front beside its dot. The ends of the front may be named from afar, by a leader.
fn draw_label(
    drawing: &mut Drawing,
    data: &SweepData<'_>,
    layout: &Layout,
    point: &Point,
    obstacles: &mut Obstacles,
) {
    let found = data.view.found;
    let is_end = [found.cheapest(), found.fastest()].into_iter().flatten().any(|end| end.row == point.row);
    let lines = label(data, layout, point);
    let widest = lines.iter().map(|(line, style)| style.room(line)).fold(0.0, f64::max);
    let size = (widest, LINE * lines.len() as f64 + 2.0);
    let at = layout.place(point);
    let near = places_about(&about(at, 8.0), size, if is_end { &[6.0, 24.0, 50.0] } else { &[6.0, 16.0] });
    let far = if is_end { places_around(at, size, &layout.plot.grown(-6.0)) } else { Vec::new() };
    let bounds = Rect { top: layout.plot.top - 6.0, ..layout.plot };
    let Some(area) = obstacles.take_first_free(near.into_iter().chain(far), &bounds) else { return };
    drawing.of(data.number(point));
    let end = (at.0.clamp(area.left, area.right), at.1.clamp(area.top, area.bottom));
    if !about(at, 26.0).overlaps(&area) {
        drawing.line(vec![at, end], Stroke::new(AXIS, THIN_LINE));
        draw_front_marker(drawing, data, layout, point);
    }
    for (line, (text, style)) in lines.iter().enumerate() {
        drawing.text_in(text, &area, 17.0 + LINE * line as f64, Anchor::Start, *style);
    }
    drawing.of(None);
}
