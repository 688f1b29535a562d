//! Share of runs finished by a given time, with a band, the deadline and a table.

use super::axis::Axis;
use super::drawing::{Drawing, Point, Rect, Stroke, simplified};
use super::ecdf_labels::{draw_label, place};
use super::frame::{begin, bottom_axis, deadline_text, left_axis};
use super::number::{TimeUnit, fixed};
use super::probability_table::Table;
use super::series::{Series, left_out, quantile, series};
use super::text::{Anchor, TextStyle};
use super::theme::*;
use super::{PlotData, finding};

/// The axis ends where this share of the finished runs of every cluster are done.
const AXIS_END: f64 = 0.995;
/// The band holds the whole curve with this confidence.
const CONFIDENCE: f64 = 0.95;
/// More bands than this would hide each other.
const MOST_BANDS: usize = 6;
/// A level piece of a curve shorter than this is not drawn as a step, px.
const LEAST_STEP: f64 = 1.5;
/// Shares at which a curve tells its time, per cent.
const TOLD_PER_CENT: [u8; 11] = [5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95];
/// About a point of a curve that tells its figures, px.
const SPOT_RADIUS: f64 = 11.0;
const DEADLINE_STYLE: TextStyle = TextStyle::regular(TEXT_SIZE, INK);

/// Share of replications finished by a given time, a curve a cluster; an unfinished run counts as never.
pub fn makespan_ecdf(data: &PlotData) -> Drawing {
    let series = series(data);
    let curves: Vec<Curve<'_>> = series.iter().map(Curve::of).collect();
    let scale = Scale::about(&curves, data.deadline_h);
    let mut drawing = begin(
        data,
        &finding::finishing(data, &series),
        "Share of replications finished by a given time; an unfinished run counts as never",
        &notes(data, &curves, scale.as_ref()),
    );
    let Some(scale) = scale else { return drawing };
    let table = Table::of(data, &series);
    let wide = Layout::new(&scale, data.deadline_h, RIGHT_EDGE);
    let (layout, labels, table_area) = match place(&wide, &curves, &table) {
        Some((labels, area)) => (wide, labels, area),
        // No room within: the table stands beside the plot.
        None => {
            let left = RIGHT_EDGE - table.width();
            let area = Rect { left, top: PLOT_TOP, right: RIGHT_EDGE, bottom: PLOT_TOP + table.height() };
            (Layout::new(&scale, data.deadline_h, left - 40.0), Vec::new(), Some(area))
        }
    };
    draw_plot(&mut drawing, &layout, &curves);
    for (curve, label) in curves.iter().zip(&labels) {
        draw_label(&mut drawing, curve.series, label);
    }
    if let Some(area) = table_area {
        table.draw(&mut drawing, &area);
    }
    drawing
}

/// A cluster with its makespans in order, unfinished ones at +∞, hours.
pub(super) struct Curve<'a> {
    pub(super) series: &'a Series<'a>,
    pub(super) makespans: Vec<f64>,
}

impl<'a> Curve<'a> {
    fn of(series: &'a Series<'a>) -> Self {
        Self { series, makespans: series.makespans_h() }
    }

    pub(super) fn finished(&self) -> &[f64] {
        &self.makespans[..self.makespans.partition_point(|hours| hours.is_finite())]
    }

    fn share_by(&self, hours: f64) -> f64 {
        self.makespans.partition_point(|&makespan| makespan <= hours) as f64
            / self.makespans.len().max(1) as f64
    }

    /// Half the height of the band that holds the whole curve: Dvoretzky, Kiefer and Wolfowitz (1956)
    /// with Massart's constant (1990), sqrt(ln(2 / α) / 2n).
    fn band(&self) -> f64 {
        let n = self.series.cluster.replications.max(1) as f64;
        (libm::log(2.0 / (1.0 - CONFIDENCE)) / (2.0 * n)).sqrt()
    }
}

/// The time axis without its place in the picture.
struct Scale {
    axis: Axis,
    unit: TimeUnit,
}

impl Scale {
    /// `None` if nothing finished and there is no deadline.
    fn about(curves: &[Curve<'_>], deadline_h: Option<f64>) -> Option<Self> {
        let ends = curves.iter().filter_map(|curve| quantile(curve.finished(), AXIS_END));
        let end = ends.reduce(f64::max).or(deadline_h).filter(|_| !curves.is_empty())?;
        // Some time beyond a deadline that is near, so that its zone is seen.
        let end = match deadline_h {
            Some(deadline) if deadline <= 3.0 * end => end.max(deadline * 1.15),
            _ => end,
        };
        let unit = TimeUnit::for_axis(end);
        Some(Self { axis: Axis::linear(0.0, end / unit.hours, (0.0, 1.0), 12), unit })
    }
}

fn notes(data: &PlotData, curves: &[Curve<'_>], scale: Option<&Scale>) -> Vec<String> {
    let Some(scale) = scale else { return Vec::new() };
    let widest = curves.iter().map(Curve::band).fold(0.0, f64::max);
    let points = fixed(widest * 100.0, if widest < 0.1 { 1 } else { 0 });
    let shown = if curves.len() > MOST_BANDS { ", not drawn" } else { "" };
    let mut notes = vec![format!("95 % band of a whole curve (DKW) ±{points} points{shown}")];
    let longest = curves.iter().filter_map(|curve| curve.finished().last().copied()).reduce(f64::max);
    if let Some(longest) = longest.filter(|hours| !scale.axis.holds(hours / scale.unit.hours)) {
        notes.push(format!("longest run {}", scale.unit.text(longest)));
    }
    if let Some(deadline) = data.deadline_h.filter(|hours| !scale.axis.holds(hours / scale.unit.hours)) {
        notes.push(format!("{}, off the axis", deadline_text(deadline)));
    }
    notes.extend(left_out(data));
    notes
}

/// The plotted area with its axes.
pub(super) struct Layout {
    pub(super) plot: Rect,
    time: Axis,
    share: Axis,
    unit: TimeUnit,
    /// Where the deadline lies, px, and its text, if it lies on the axis.
    pub(super) deadline: Option<(f64, String)>,
    pub(super) deadline_h: Option<f64>,
}

impl Layout {
    fn new(scale: &Scale, deadline_h: Option<f64>, right: f64) -> Self {
        let plot = Rect { left: PLOT_LEFT, top: PLOT_TOP, right, bottom: PLOT_BOTTOM };
        let time = scale.axis.between((plot.left, plot.right));
        let share = Axis::linear(0.0, 100.0, (plot.bottom, plot.top), 5);
        let on_axis = |hours: &f64| time.holds(hours / scale.unit.hours);
        let deadline = deadline_h
            .filter(on_axis)
            .map(|hours| (time.place(hours / scale.unit.hours), deadline_text(hours)));
        Self { plot, time, share, unit: scale.unit, deadline, deadline_h }
    }

    pub(super) fn place(&self, hours: f64, share: f64) -> Point {
        (self.time.place(hours / self.unit.hours), self.share.place(share * 100.0))
    }

    /// The box of the deadline's text, beside the lower end of its rule.
    pub(super) fn deadline_area(&self) -> Option<(Rect, Anchor)> {
        let (x, text) = self.deadline.as_ref()?;
        let width = DEADLINE_STYLE.room(text);
        let fits = x + 10.0 + width < self.plot.right;
        let (left, anchor) = if fits { (x + 10.0, Anchor::Start) } else { (x - 10.0 - width, Anchor::End) };
        let bottom = self.plot.bottom - 10.0;
        Some((Rect { left, top: bottom - 18.0, right: left + width, bottom }, anchor))
    }
}

/// The curve as a line: steps where they can be seen, else through the ends of the steps.
pub(super) fn steps(layout: &Layout, curve: &Curve<'_>) -> Vec<Point> {
    let n = curve.makespans.len() as f64;
    let mut points: Vec<Point> = Vec::new();
    for (index, &hours) in curve.finished().iter().enumerate() {
        if !layout.time.holds(hours / layout.unit.hours) {
            break;
        }
        let (x, y) = layout.place(hours, (index + 1) as f64 / n);
        let (last_x, last_y) = *points.last().unwrap_or(&(f64::NEG_INFINITY, layout.plot.bottom));
        if x - last_x > LEAST_STEP {
            points.push((x, last_y));
        }
        points.push((x, y));
    }
    let level = points.last().map_or(layout.plot.bottom, |point| point.1);
    if points.is_empty() {
        points.push((layout.plot.left, level));
    }
    points.push((layout.plot.right, level));
    simplified(&points, 0.3)
}

fn draw_plot(drawing: &mut Drawing, layout: &Layout, curves: &[Curve<'_>]) {
    let lines: Vec<Vec<Point>> = curves.iter().map(|curve| steps(layout, curve)).collect();
    if let Some((x, _)) = layout.deadline {
        drawing.bar(Rect { left: x, ..layout.plot }, PANEL, 1.0);
    }
    left_axis(drawing, &layout.plot, &layout.share, "Share finished", |text| format!("{text} %"));
    let title = format!("Time since submit, {}", layout.unit.sign);
    bottom_axis(drawing, &layout.plot, &layout.time, &title, str::to_owned);
    if let (Some((x, text)), Some((area, anchor))) = (&layout.deadline, layout.deadline_area()) {
        let rule = [(*x, layout.plot.top - 8.0), (*x, layout.plot.bottom)];
        drawing.dashed(&rule, DEADLINE_DASH, Stroke::new(INK, 1.8));
        let at = if anchor == Anchor::Start { area.left } else { area.right };
        drawing.text(text, (at, area.bottom - 4.0), anchor, DEADLINE_STYLE);
    }
    for (curve, line) in curves.iter().zip(&lines).filter(|_| curves.len() <= MOST_BANDS) {
        let band = curve.band() * layout.plot.height();
        let shifted = |by: f64| {
            line.iter().map(move |&(x, y)| (x, (y + by).clamp(layout.plot.top, layout.plot.bottom)))
        };
        let outline: Vec<Point> = shifted(-band).chain(shifted(band).rev()).collect();
        drawing.of(curve.series.number());
        drawing.polygon(outline, curve.series.color, BAND_OPACITY);
    }
    for (curve, line) in curves.iter().zip(&lines) {
        drawing.of(curve.series.number());
        drawing.dashed(line, curve.series.dash, Stroke::new(curve.series.color, DATA_LINE));
    }
    if let Some(deadline) = layout.deadline_h.filter(|_| layout.deadline.is_some()) {
        for curve in curves {
            drawing.of(curve.series.number());
            let share = curve.share_by(deadline);
            if share > 0.0 && share < 1.0 {
                drawing.mean_dot(layout.place(deadline, share), curve.series.color, false);
            }
        }
    }
    drawing.of(None);
    draw_spots(drawing, layout, curves);
}

/// Spots along the curves: when a share of the runs is done, and what share by the deadline.
fn draw_spots(drawing: &mut Drawing, layout: &Layout, curves: &[Curve<'_>]) {
    for curve in curves {
        drawing.of(curve.series.number());
        let mut spot = |hours: f64, share: f64, by: String, focusable: bool| {
            if layout.time.holds(hours / layout.unit.hours) {
                let percent = fixed(share * 100.0, 1);
                let told = format!("{percent} % are done by {by}");
                let (at, told) = (layout.place(hours, share), vec![curve.series.name.clone(), told]);
                match focusable {
                    true => drawing.spot(at, SPOT_RADIUS, told),
                    false => drawing.mouse_spot(at, SPOT_RADIUS, told),
                }
            }
        };
        for percent in TOLD_PER_CENT {
            let share = f64::from(percent) / 100.0;
            if let Some(hours) = quantile(&curve.makespans, share).filter(|hours| hours.is_finite()) {
                // A third of the runs may end at one time.
                let reached = curve.share_by(hours);
                spot(hours, reached, layout.unit.text(hours), percent == 50 || percent == 95);
            }
        }
        if let Some(deadline) = layout.deadline_h {
            spot(deadline, curve.share_by(deadline), deadline_text(deadline), true);
        }
    }
    drawing.of(None);
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    /// sqrt(ln 40 / 20,000) = 1.358 %.
    #[test]
    fn the_band_of_ten_thousand_runs_is_known() {
        let mut data = sample::three_clusters();
        data.clusters[0].replications = 10_000;
        let series = series(&data);
        assert!((Curve::of(&series[0]).band() - 0.013_581).abs() < 1e-6);
    }

    #[test]
    fn a_curve_passes_through_the_shares_of_its_runs_and_ends_below_one() {
        let mut data = sample::three_clusters();
        data.deadline_h = None;
        let run = |elapsed_h, finished| super::super::Run { elapsed_h, finished, cost_usd: 1.0 };
        data.clusters[0].runs = vec![run(2.0, true), run(4.0, true), run(9.0, false), run(6.0, true)];
        data.clusters.truncate(1);
        let series = series(&data);
        let curve = Curve::of(&series[0]);
        let scale = Scale::about(std::slice::from_ref(&curve), None).unwrap();
        let layout = Layout::new(&scale, None, RIGHT_EDGE);
        let line = steps(&layout, &curve);
        let expected: Vec<Point> =
            [(2.0, 0.0), (2.0, 0.25), (4.0, 0.25), (4.0, 0.5), (6.0, 0.5), (6.0, 0.75)]
                .into_iter()
                .map(|(hours, share)| layout.place(hours, share))
                .collect();
        assert_eq!(line[..6], expected);
        assert_eq!([curve.share_by(1.9), curve.share_by(2.0), curve.share_by(100.0)], [0.0, 0.25, 0.75]);
    }
}
