//! Cost over two keys: a cell a configuration, the cheapest ringed, what cannot be crossed out.

use super::super::drawing::{Drawing, Rect, Stroke};
use super::super::frame::{TICK_STYLE, page};
use super::super::number::usd;
use super::super::text::{Anchor, TextStyle};
use super::super::theme::*;
use super::{SPOTS_MAX, Series, SweepData, told};
use crate::experiment::sweep::{INVALID, Point};

/// Cells along a side: with more they are too small to be told apart.
const SIDE_MAX: usize = 60;
/// Cells along a side up to which each has its figure.
const FIGURES_MAX: usize = 12;
/// Shades follow the costs as long as the middle cost is between these shares of the way from the cheapest to the
/// dearest: beyond, half of the cells would look alike.
const MIDDLE: std::ops::RangeInclusive<f64> = 0.25..=0.75;
/// Shades up to this share carry dark text: there it has more contrast than white.
const LIGHT_UNTIL: f64 = 0.8;
const CELL_STYLE: TextStyle = TextStyle::regular(FOOTER_SIZE, INK);
/// Where the rows' labels begin to be cut, px.
const ROWS: f64 = 240.0;
/// Left end of the colour bar, px.
const BAR: f64 = WIDTH - 170.0;

/// Whether cells are large enough.
pub(super) fn fits(data: &SweepData<'_>, keys: [usize; 2]) -> bool {
    keys.iter().all(|&key| data.axes[key].values.len() <= SIDE_MAX)
}

/// A map a cluster whose cost differs; of several they are numbered from 1.
pub(super) fn maps(data: &SweepData<'_>, keys: [usize; 2]) -> Vec<(String, Drawing)> {
    // The key with more values lies along the wider side.
    let wide = data.axes[keys[1]].values.len() >= data.axes[keys[0]].values.len();
    let [across, up] = if wide { [keys[1], keys[0]] } else { keys };
    let differs = |series: &&Series| {
        let points = data.points(series);
        let ends = (points.first(), points.last());
        matches!(ends, (Some(first), Some(last)) if first.cost_usd.value < last.cost_usd.value)
    };
    let mut shown: Vec<&Series> = data.series.iter().filter(differs).collect();
    if shown.is_empty() {
        shown.extend(data.series.first());
    }
    let single = shown.len() == 1;
    let name = |at: usize| if single { "sweep-heat".to_owned() } else { format!("sweep-heat-{}", at + 1) };
    shown.iter().enumerate().map(|(at, series)| (name(at), map(data, series, across, up))).collect()
}

/// The plotted area, its cells, and the shades of costs.
struct Map<'a> {
    data: &'a SweepData<'a>,
    across: usize,
    up: usize,
    plot: Rect,
    shades: Shades,
}

/// From costs to shades: 0 for the cheapest, 1 for the dearest.
struct Shades {
    /// In order.
    costs: Vec<f64>,
    by_rank: bool,
}

impl Shades {
    fn of(points: &[&Point]) -> Self {
        let costs: Vec<f64> = points.iter().map(|point| point.cost_usd.value).collect();
        let all = Self { costs, by_rank: false };
        let by_rank =
            all.costs.get(all.costs.len() / 2).is_some_and(|middle| !MIDDLE.contains(&all.share(*middle)));
        Self { by_rank, ..all }
    }

    fn ends(&self) -> (f64, f64) {
        self.costs.first().copied().zip(self.costs.last().copied()).unwrap_or((0.0, 1.0))
    }

    fn share(&self, cost: f64) -> f64 {
        let (low, high) = self.ends();
        let share = match self.by_rank {
            true => self.costs.partition_point(|other| *other < cost) as f64 / (self.costs.len() - 1) as f64,
            false => (cost - low) / (high - low),
        };
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }

    fn cost_at(&self, share: f64) -> f64 {
        let (low, high) = self.ends();
        match self.by_rank {
            true => self.costs[(share * (self.costs.len() - 1) as f64).round() as usize],
            false => low + share * (high - low),
        }
    }
}

impl Map<'_> {
    fn cell(&self, row: usize) -> Rect {
        let (across, up) = (&self.data.axes[self.across], &self.data.axes[self.up]);
        let edge = |from: f64, length: f64, at: usize, of: usize| from + length * at as f64 / of as f64;
        let (column, line) = (across.rank(row), up.values.len() - 1 - up.rank(row));
        let x = |at| edge(self.plot.left, self.plot.width(), at, across.values.len());
        let y = |at| edge(self.plot.top, self.plot.height(), at, up.values.len());
        Rect { left: x(column), top: y(line), right: x(column + 1) - 1.2, bottom: y(line + 1) - 1.2 }
    }
}

/// From nearly white to the blue of Spot, alike in every theme: one hue whose lightness falls evenly, for every eye.
fn shade(share: f64) -> Color {
    let [red, green, blue] = [(240.0, 0.0), (247.0, 113.0), (252.0, 178.0)]
        .map(|(from, to): (f64, f64)| (from + (to - from) * share).round() as u8);
    Color { red, green, blue }
}

fn map(data: &SweepData<'_>, series: &Series, across: usize, up: usize) -> Drawing {
    let points = data.points(series);
    let labels = data.axes[up].values.iter().map(|value| TICK_STYLE.room(&data.value(up, value)));
    let left = (LEFT_EDGE + labels.fold(0.0, f64::max) + 14.0).clamp(PLOT_LEFT, ROWS);
    let plot = Rect { left, top: PLOT_TOP, right: BAR - 40.0, bottom: PLOT_BOTTOM };
    let map = Map { data, across, up, plot, shades: Shades::of(&points) };
    let subtitle = format!("Dollars per finished run of {}; a cell a configuration", series.name);
    let mut notes = vec!["thick ring: cheapest, thin: not surely dearer".to_owned()];
    let others: Vec<&str> =
        data.series.iter().filter(|other| other.id != series.id).map(|other| other.name.as_str()).collect();
    if let ([other], true) = (&others[..], others.len() == 1) {
        let costs = data.series.iter().find(|s| s.name == *other).map(|s| data.points(s));
        if let Some((first, last)) = costs.as_ref().and_then(|p| Some((p.first()?, p.last()?))) {
            let [first, last] = [first, last].map(|point| usd(point.cost_usd.value));
            let range = if first == last { first } else { format!("{first} to {last}") };
            notes.push(format!("{other}: {range}"));
        }
    }
    notes.extend(data.unfinished(&points));
    let n = crate::report::number::count(data.view.found.replications);
    notes.insert(0, format!("n = {n} a cell, seed {}, same worlds", data.view.seed));
    let mut drawing = page(&data.finding(&points), &subtitle, &notes.join(" · "));
    drawing.about = Some(series.number);
    draw_axes(&mut drawing, &map);
    draw_cells(&mut drawing, &map, series, &points);
    draw_bar(&mut drawing, &map);
    draw_legend(&mut drawing, &map, series);
    drawing
}

fn draw_axes(drawing: &mut Drawing, map: &Map<'_>) {
    let (plot, data) = (map.plot, map.data);
    let (columns, lines) = (&data.axes[map.across].values, &data.axes[map.up].values);
    let (width, height) = (plot.width() / columns.len() as f64, plot.height() / lines.len() as f64);
    let text = |key: usize, value: &(f64, String)| data.value(key, value);
    let widest = columns.iter().map(|value| TICK_STYLE.room(&text(map.across, value))).fold(0.0, f64::max);
    // Labels that would touch are left out evenly.
    let every = libm::ceil((widest.min(120.0) + 8.0) / width).max(1.0) as usize;
    for (at, value) in columns.iter().enumerate().step_by(every) {
        let x = plot.left + (at as f64 + 0.5) * width;
        let text = TICK_STYLE.shortened(&text(map.across, value), (every as f64 * width - 8.0).max(20.0));
        drawing.text(&text, (x, plot.bottom + 24.0), Anchor::Middle, TICK_STYLE);
    }
    let every = libm::ceil(24.0 / height).max(1.0) as usize;
    for (at, value) in lines.iter().enumerate().step_by(every) {
        let y = plot.bottom - (at as f64 + 0.5) * height;
        let text = TICK_STYLE.shortened(&text(map.up, value), plot.left - LEFT_EDGE - 12.0);
        drawing.text(&text, (plot.left - 12.0, y + 6.0), Anchor::End, TICK_STYLE);
    }
    let title = TICK_STYLE.shortened(&data.head(map.across), plot.width());
    drawing.text(&title, (plot.right, plot.bottom + 54.0), Anchor::End, TICK_STYLE);
    let title = TICK_STYLE.shortened(&data.head(map.up), plot.width());
    drawing.text(&title, (LEFT_EDGE, plot.top - 22.0), Anchor::Start, TICK_STYLE);
}

fn draw_cells(drawing: &mut Drawing, map: &Map<'_>, series: &Series, points: &[&Point]) {
    let data = map.data;
    for (row, cells) in data.view.rows.rows.iter().enumerate() {
        let own = cells.cluster == series.id || cells.status == INVALID;
        if own && !points.iter().any(|point| point.row == row) {
            cross_out(drawing, map.cell(row), &cells.status);
        }
    }
    let [columns, lines] = [map.across, map.up].map(|key| data.axes[key].values.len());
    let texts: Vec<String> = points.iter().map(|point| usd(point.cost_usd.value)).collect();
    let widest = texts.iter().map(|text| CELL_STYLE.room(text)).fold(0.0, f64::max);
    let width = map.plot.width() / columns as f64 - 6.0;
    let with_figures = columns <= FIGURES_MAX && lines <= FIGURES_MAX && widest <= width;
    for (point, text) in points.iter().zip(&texts) {
        let (cell, share) = (map.cell(point.row), map.shades.share(point.cost_usd.value));
        drawing.bar(cell, shade(share), 1.0);
        if points.len() <= SPOTS_MAX {
            drawing.bar_spot(cell, told(data, point));
        }
        if with_figures {
            let style =
                TextStyle { color: if share > LIGHT_UNTIL { ON_DARK } else { ON_LIGHT }, ..CELL_STYLE };
            let middle = ((cell.left + cell.right) / 2.0, (cell.top + cell.bottom) / 2.0 + 5.0);
            drawing.text(text, middle, Anchor::Middle, style);
        }
    }
    let Some(best) = points.first() else { return };
    let as_cheap = points[1..].iter().filter(|point| point.may_cost_as_little_as(best));
    for point in as_cheap {
        ring(drawing, map.cell(point.row).grown(-2.0), THIN_LINE);
    }
    ring(drawing, map.cell(best.row).grown(-1.0), 3.5);
}

fn ring(drawing: &mut Drawing, area: Rect, width: f64) {
    let Rect { left, top, right, bottom } = area;
    let around = vec![(left, top), (right, top), (right, bottom), (left, bottom), (left, top - width / 2.0)];
    drawing.line(around, Stroke::new(ON_LIGHT, width));
}

/// Infeasible: one diagonal; no finished run: two; refused by the scenario's rules: a grey one.
fn cross_out(drawing: &mut Drawing, cell: Rect, status: &str) {
    drawing.bar(cell, PANEL, 1.0);
    let Rect { left, top, right, bottom } = cell.grown(-2.0);
    let color = if status == INVALID { AXIS } else { WARNING };
    drawing.line(vec![(left, bottom), (right, top)], Stroke::new(color, THIN_LINE));
    if status == crate::experiment::sweep::SIMULATED {
        drawing.line(vec![(left, top), (right, bottom)], Stroke::new(color, THIN_LINE));
    }
}

fn draw_bar(drawing: &mut Drawing, map: &Map<'_>) {
    const STEPS: usize = 40;
    // So that no seam shows between two shades.
    const OVERLAP: f64 = 0.7;
    let (top, bottom) = (PLOT_TOP, PLOT_TOP + 250.0);
    let y = |share: f64| bottom + share * (top - bottom);
    for step in 0..STEPS {
        let [from, to] = [step, step + 1].map(|at| at as f64 / STEPS as f64);
        let area = Rect { left: BAR, top: y(to), right: BAR + 22.0, bottom: y(from) + OVERLAP };
        drawing.bar(area, shade((from + to) / 2.0), 1.0);
    }
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        drawing.text(
            &usd(map.shades.cost_at(share)),
            (BAR + 32.0, y(share) + 6.0),
            Anchor::Start,
            TICK_STYLE,
        );
    }
    let title = if map.shades.by_rank { "$, by rank" } else { "$" };
    drawing.text(title, (BAR, top - 22.0), Anchor::Start, TICK_STYLE);
}

/// What crossed cells are, of those that are there.
fn draw_legend(drawing: &mut Drawing, map: &Map<'_>, series: &Series) {
    let rows = &map.data.view.rows.rows;
    let own = |status: &str| rows.iter().any(|row| row.status == status && row.cluster == series.id);
    let points = map.data.points(series);
    let simulated = rows
        .iter()
        .filter(|row| row.status == crate::experiment::sweep::SIMULATED && row.cluster == series.id);
    let kinds = [
        (own("infeasible"), "infeasible", "infeasible"),
        (simulated.count() > points.len(), crate::experiment::sweep::SIMULATED, "no run ends"),
        (rows.iter().any(|row| row.status == INVALID), INVALID, "invalid"),
    ];
    let mut top = PLOT_TOP + 290.0;
    for (_, status, text) in kinds.into_iter().filter(|(is_there, _, _)| *is_there) {
        cross_out(drawing, Rect { left: BAR, top, right: BAR + 22.0, bottom: top + 22.0 }, status);
        drawing.text(text, (BAR + 32.0, top + 17.0), Anchor::Start, TICK_STYLE);
        top += 32.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Interval;

    fn shades(costs: &[f64]) -> Shades {
        let point = |&cost: &f64| Point {
            row: 0,
            cost_usd: Interval { value: cost, low: cost, high: cost },
            time_h: Interval { value: 1.0, low: 1.0, high: 1.0 },
            replications: 100,
            finishes: 1.0,
            in_time: None,
            on_front: false,
        };
        let points: Vec<Point> = costs.iter().map(point).collect();
        Shades::of(&points.iter().collect::<Vec<_>>())
    }

    #[test]
    fn one_dear_corner_does_not_take_all_shades() {
        let even = shades(&[10.0, 20.0, 30.0, 40.0, 50.0]);
        assert!(!even.by_rank);
        assert_eq!((even.share(20.0), even.cost_at(0.75)), (0.25, 40.0));
        let skewed = shades(&[10.0, 11.0, 12.0, 13.0, 1_000.0]);
        assert!(skewed.by_rank);
        assert_eq!((skewed.share(11.0), skewed.share(13.0), skewed.cost_at(0.75)), (0.25, 0.75, 13.0));
    }

    #[test]
    fn equal_costs_have_one_shade() {
        let skewed = shades(&[1.0, 1.0, 1.0, 1.0, 9.0]);
        assert_eq!((skewed.share(1.0), skewed.share(9.0)), (0.0, 1.0));
        assert_eq!(shades(&[1.0]).share(1.0), 0.0);
        assert_eq!(shades(&[]).cost_at(0.5), 0.5);
    }
}
