//! Cost against time: mean dots, 90 % regions, the Pareto front of the means, the deadline.

use super::axis::Axis;
use super::cost_labels::{Labels, deadline_label, figures_style};
use super::drawing::{Drawing, Point, Rect, Stroke};
use super::frame::{begin, bottom_axis, deadline_text, left_axis, left_of_plot};
use super::number::{TimeUnit, usd};
use super::series::{Series, left_out, series};
use super::theme::*;
use super::{Interval, PlotData, density, finding};

/// With more clusters than this, shapes of dominated ones would hide the others.
pub(super) const MOST_SHAPES: usize = 6;
/// A deadline this many times beyond the data is not drawn, so that it does not squeeze them.
const DEADLINE_REACH: f64 = 2.0;
/// Half the bar of perfect foresight, px.
const BOUND_BAR: f64 = 9.0;

/// Cost per finished run against makespan, a dot a cluster, with the region that holds 90 % of its
/// finished runs.
pub fn cost_vs_time(data: &PlotData) -> Drawing {
    let series = series(data);
    let title = finding::cost_against_time(data, &series);
    let crowded = series.len() > MOST_SHAPES;
    let with_shape = |s: &Series<'_>| !(crowded && s.cluster.dominated);
    let clouds: Vec<Cloud<'_>> = series.iter().filter_map(|s| Cloud::of(s, with_shape(s))).collect();
    let subtitle = "Each dot is a mean, each shape holds 90 % of the finished runs of a cluster";
    let mut notes = notes(data, series.len() - clouds.len());
    if clouds.is_empty() {
        return begin(data, &title, subtitle, &notes);
    }
    let scale = Scale::about(&clouds, data.deadline_h);
    let wide = Layout::new(&scale, data.deadline_h, RIGHT_EDGE);
    let labels = Labels::place(&wide, &clouds);
    let (layout, labels) = if labels.all_placed() {
        (wide, labels)
    } else {
        // A label found no place: the plot makes room for a column of labels with leaders.
        let narrow = Layout::new(&scale, data.deadline_h, WIDTH - Labels::COLUMN);
        let labels = Labels::place(&narrow, &clouds);
        (narrow, labels)
    };
    if crowded {
        notes.push("shapes of dominated clusters not drawn".to_owned());
    }
    if clouds.iter().any(|cloud| !layout.whiskers(cloud).is_empty()) {
        notes.push("whiskers: 95 % interval of the mean".to_owned());
    }
    if let Some(hours) = data.deadline_h.filter(|_| layout.deadline.is_none()) {
        notes.push(format!("{} is off the axis", deadline_text(hours)));
    }
    if clouds.iter().any(|cloud| cloud.bound().is_some()) {
        notes.push("bar: perfect foresight, by the deadline".to_owned());
    }
    if clouds.len() > 1 && !labels.name_the_front() {
        notes.push("dashed: Pareto front of the means".to_owned());
    }
    let mut drawing = begin(data, &title, subtitle, &notes);
    draw(&mut drawing, &layout, &clouds);
    labels.draw(&mut drawing, &layout, &clouds);
    drawing
}

/// Clusters that cannot be shown here, and those beyond the number that can.
fn notes(data: &PlotData, unfinished: usize) -> Vec<String> {
    let never = match unfinished {
        0 => None,
        1 => Some("1 cluster never finished".to_owned()),
        n => Some(format!("{n} clusters never finished")),
    };
    never.into_iter().chain(left_out(data)).collect()
}

/// A cluster with its means and region, in hours and dollars.
pub(super) struct Cloud<'a> {
    pub(super) series: &'a Series<'a>,
    pub(super) time: Interval,
    pub(super) cost: Interval,
    region: Vec<Vec<Point>>,
}

impl<'a> Cloud<'a> {
    /// `None` if no run finished.
    fn of(series: &'a Series<'a>, with_shape: bool) -> Option<Self> {
        let (time, cost) = (series.cluster.makespan_h_mean?, series.cluster.cost_per_finished_usd?);
        if !time.value.is_finite() || !cost.value.is_finite() {
            return None;
        }
        let finished = series.cluster.runs.iter().filter(|run| run.finished && with_shape);
        let points: Vec<Point> = finished.map(|run| (run.elapsed_h, run.cost_usd)).collect();
        Some(Self { series, time, cost, region: density::region(&points) })
    }

    fn mean(&self) -> Point {
        (self.time.value, self.cost.value)
    }

    /// What perfect foresight would have paid, below the mean.
    fn bound(&self) -> Option<Point> {
        self.series.cluster.bound_usd.map(|usd| (self.time.value, usd))
    }
}

/// Both axes, without their places in the picture.
struct Scale {
    unit: TimeUnit,
    time: Axis,
    cost: Axis,
}

impl Scale {
    fn about(clouds: &[Cloud<'_>], deadline_h: Option<f64>) -> Self {
        let points = clouds.iter().flat_map(|cloud| {
            cloud.region.iter().flatten().copied().chain([cloud.mean()]).chain(cloud.bound())
        });
        let bounds = Rect::about(points).expect("a cloud has a mean");
        let (mut low, mut high) = (bounds.left, bounds.right);
        let near = |d: &f64| *d <= high * DEADLINE_REACH && *d * DEADLINE_REACH >= low;
        if let Some(deadline) = deadline_h.filter(near) {
            (low, high) = (low.min(deadline), high.max(deadline));
        }
        let unit = if Axis::suits_logarithm(low, high) { TimeUnit::HOURS } else { TimeUnit::for_axis(high) };
        let (low, high) = spacious(low / unit.hours, high / unit.hours);
        let (bottom, top) = spacious(bounds.top, bounds.bottom);
        Self {
            unit,
            time: Axis::spanning(low, high, (0.0, 1.0), 8),
            cost: Axis::spanning(bottom, top, (0.0, 1.0), 6),
        }
    }
}

/// The range with a margin, so that no dot stands upon an axis, and wide enough that a small spread looks
/// small.
fn spacious(low: f64, high: f64) -> (f64, f64) {
    let margin = (0.04 * (high - low)).max(0.1 * high - 0.5 * (high - low));
    (if low > margin { low - margin } else { low }, high + margin)
}

/// The plotted area with its axes.
pub(super) struct Layout {
    pub(super) plot: Rect,
    unit: TimeUnit,
    time: Axis,
    cost: Axis,
    /// Where the deadline lies, px, and its text, if it lies on the axis.
    pub(super) deadline: Option<(f64, String)>,
}

impl Layout {
    fn new(scale: &Scale, deadline_h: Option<f64>, right: f64) -> Self {
        let left = left_of_plot(&scale.cost, |text| format!("${text}"));
        let plot = Rect { left, top: PLOT_TOP, right, bottom: PLOT_BOTTOM };
        let time = scale.time.between((plot.left, plot.right));
        let on_axis = |hours: &f64| time.holds(hours / scale.unit.hours);
        let deadline = deadline_h
            .filter(on_axis)
            .map(|hours| (time.place(hours / scale.unit.hours), deadline_text(hours)));
        Self { plot, unit: scale.unit, time, cost: scale.cost.between((plot.bottom, plot.top)), deadline }
    }

    fn place(&self, (hours, dollars): Point) -> Point {
        (self.time.place(hours / self.unit.hours), self.cost.place(dollars))
    }

    /// A time in the unit of the axis; in its own where the axis spans many.
    pub(super) fn time_text(&self, hours: f64) -> String {
        let unit = if self.time.is_logarithmic() { TimeUnit::for_axis(hours) } else { self.unit };
        unit.text(hours)
    }

    /// What the dot of a cluster stands for: name, means with their intervals, and where it is known what perfect
    /// foresight would have paid.
    fn told(&self, cloud: &Cloud<'_>) -> Vec<String> {
        let (cost, time) = (cloud.cost, cloud.time);
        let interval = |of: Interval, text: &dyn Fn(f64) -> String| match of.low < of.high {
            true => format!("{}, mean in {} to {}", text(of.value), text(of.low), text(of.high)),
            false => text(of.value),
        };
        let mut told = vec![
            cloud.series.name.clone(),
            format!("cost {}", interval(cost, &usd)),
            format!("makespan {}", interval(time, &|hours| self.time_text(hours))),
        ];
        told.extend(cloud.series.unfinished());
        told.extend(cloud.bound().map(|(_, bound)| format!("perfect foresight {}", usd(bound))));
        told
    }

    pub(super) fn dot(&self, cloud: &Cloud<'_>) -> Point {
        self.place(cloud.mean())
    }

    /// The outlines of a region; none if it is little more than its dot.
    pub(super) fn outlines(&self, cloud: &Cloud<'_>) -> Vec<Vec<Point>> {
        let place = |outline: &Vec<Point>| outline.iter().map(|&point| self.place(point)).collect();
        let outlines: Vec<Vec<Point>> = cloud.region.iter().map(place).collect();
        let small = |area: Rect| area.width().max(area.height()) < 5.0 * DOT_RADIUS;
        if Rect::about(outlines.iter().flatten().copied()).is_none_or(small) { Vec::new() } else { outlines }
    }

    /// The whiskers of a mean, where they are longer than its dot: time, then cost.
    pub(super) fn whiskers(&self, cloud: &Cloud<'_>) -> Vec<Vec<Point>> {
        let (x, y) = self.dot(cloud);
        let (left, top) = self.place((cloud.time.low, cloud.cost.high));
        let (right, bottom) = self.place((cloud.time.high, cloud.cost.low));
        let time = (right - left > 2.0 * DOT_RADIUS).then(|| vec![(left, y), (right, y)]);
        let cost = (bottom - top > 2.0 * DOT_RADIUS).then(|| vec![(x, bottom), (x, top)]);
        time.into_iter().chain(cost).collect()
    }

    /// From the dot down to what perfect foresight would have paid.
    pub(super) fn to_bound(&self, cloud: &Cloud<'_>) -> Option<[Point; 2]> {
        cloud.bound().map(|bound| [self.dot(cloud), self.place(bound)])
    }

    /// The step line of the means that no other mean beats in both time and cost.
    pub(super) fn pareto_front(&self, clouds: &[Cloud<'_>]) -> Vec<Point> {
        let free = clouds.iter().filter(|cloud| !cloud.series.cluster.dominated);
        let mut means: Vec<Point> = free.map(|cloud| self.dot(cloud)).collect();
        means.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
        let mut steps: Vec<Point> = Vec::new();
        for (x, y) in means {
            match steps.last() {
                None => steps.push((x, self.plot.top)),
                // Lower in the picture is cheaper.
                Some(&(_, level)) if y > level => steps.push((x, level)),
                Some(_) => continue,
            }
            steps.push((x, y));
        }
        if let Some(&(_, level)) = steps.last() {
            steps.push((self.plot.right, level));
        }
        steps
    }
}

fn draw(drawing: &mut Drawing, layout: &Layout, clouds: &[Cloud<'_>]) {
    left_axis(drawing, &layout.plot, &layout.cost, "Cost per finished run, $", |text| format!("${text}"));
    let title = format!("Makespan of finished runs, {}", layout.unit.sign);
    bottom_axis(drawing, &layout.plot, &layout.time, &title, str::to_owned);
    if let (Some((x, text)), Some((area, anchor))) = (&layout.deadline, deadline_label(layout)) {
        let rule = [(*x, layout.plot.top), (*x, layout.plot.bottom)];
        drawing.dashed(&rule, DEADLINE_DASH, Stroke::new(INK, 1.8));
        drawing.text_in(text, &area, 14.0, anchor, figures_style());
    }
    for cloud in clouds {
        drawing.of(cloud.series.number());
        for outline in layout.outlines(cloud) {
            let closed: Vec<Point> = outline.iter().chain(outline.first()).copied().collect();
            drawing.polygon(outline, cloud.series.color, FILL_OPACITY);
            let stroke = Stroke { color: cloud.series.color, width: THIN_LINE, opacity: OUTLINE_OPACITY };
            drawing.line(closed, stroke);
        }
    }
    drawing.of(None);
    if clouds.len() > 1 {
        drawing.dashed(&layout.pareto_front(clouds), FRONT_DASH, Stroke::new(BOUND, 1.8));
    }
    for (cloud, line) in clouds.iter().filter_map(|cloud| Some((cloud, layout.to_bound(cloud)?))) {
        drawing.of(cloud.series.number());
        let (x, y) = line[1];
        drawing.dashed(&line, FRONT_DASH, Stroke::new(BOUND, THIN_LINE));
        drawing.line(vec![(x - BOUND_BAR, y), (x + BOUND_BAR, y)], Stroke::new(BOUND, 1.8));
    }
    for cloud in clouds {
        drawing.of(cloud.series.number());
        for whisker in layout.whiskers(cloud) {
            drawing.line(whisker, Stroke::new(cloud.series.color, THIN_LINE));
        }
        drawing.mean_dot(layout.dot(cloud), cloud.series.color, cloud.series.cluster.dominated);
        drawing.spot(layout.dot(cloud), DOT_RADIUS + 5.0, layout.told(cloud));
    }
    drawing.of(None);
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn with_clouds<T>(data: &PlotData, check: impl FnOnce(&[Cloud<'_>]) -> T) -> T {
        let series = series(data);
        check(&series.iter().filter_map(|s| Cloud::of(s, true)).collect::<Vec<_>>())
    }

    #[test]
    fn the_front_goes_down_by_steps_through_what_is_not_dominated() {
        with_clouds(&sample::five_clusters(), |clouds| {
            let layout = Layout::new(&Scale::about(clouds, None), None, RIGHT_EDGE);
            let front = layout.pareto_front(clouds);
            let free = clouds.iter().filter(|cloud| !cloud.series.cluster.dominated).count();
            assert_eq!(front.len(), 2 * free + 1);
            assert!(front.windows(2).all(|pair| pair[1].0 >= pair[0].0 && pair[1].1 >= pair[0].1));
        });
    }

    #[test]
    fn a_far_deadline_does_not_squeeze_the_data() {
        with_clouds(&sample::three_clusters(), |clouds| {
            let at =
                |hours| Layout::new(&Scale::about(clouds, Some(hours)), Some(hours), RIGHT_EDGE).deadline;
            assert!(at(12.0).is_some() && at(500.0).is_none() && at(0.1).is_none());
        });
    }

    #[test]
    fn the_axis_reaches_down_to_perfect_foresight() {
        let mut data = sample::three_clusters();
        data.clusters[0].bound_usd = Some(1.0);
        with_clouds(&data, |clouds| {
            let layout = Layout::new(&Scale::about(clouds, None), None, RIGHT_EDGE);
            let lines: Vec<[Point; 2]> = clouds.iter().filter_map(|cloud| layout.to_bound(cloud)).collect();
            assert!(lines.len() == 1 && lines[0][0].1 < lines[0][1].1 && lines[0][1].1 <= layout.plot.bottom);
        });
    }

    #[test]
    fn a_small_spread_looks_small() {
        let (low, high) = spacious(31.30, 31.55);
        assert!(low < 29.0 && high > 34.0, "{low} to {high}");
        assert_eq!(spacious(0.0, 0.0), (0.0, 0.0));
        assert!(spacious(0.01, 10.0).0 > 0.0);
    }
}
