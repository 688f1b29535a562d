//! Mean cost of policies against the deadline, over what perfect foresight pays.

use super::axis::Axis;
use super::drawing::{Drawing, Point as Place, Rect, Stroke};
use super::frame::{TICK_STYLE, bottom_axis, left_axis, page};
use super::label::column;
use super::number::fixed;
use super::text::{Anchor, TextStyle};
use super::theme::*;
use crate::experiment::curves::{Curves, Deadline};
use crate::report::{curves as words, number};

/// Room for the labels at the right, px.
const LABELS: f64 = 262.0;
/// Height of a label of two lines, px.
const LABEL_HEIGHT: f64 = 46.0;

/// The picture of `spotsim policies`.
pub fn policy_vs_deadline(curves: &Curves, seed: u64) -> Drawing {
    let job = match curves.is_published {
        true => "Mean cost of a 48 h job on recorded Spot traces".to_owned(),
        false => format!("Mean cost of {}", curves.name),
    };
    let subtitle = format!("{job}, as a share of the On-Demand bill; bands: 95 % intervals");
    let mut drawing = page(&words::finding(curves), &subtitle, &footer(curves, seed));
    if let Some(layout) = Layout::of(curves) {
        layout.draw(&mut drawing, curves);
    }
    drawing
}

fn footer(curves: &Curves, seed: u64) -> String {
    let worlds = number::count(curves.worlds);
    let bound = "dashed: the least that meets the deadline";
    let late = curves.deadlines.iter().flat_map(|deadline| &deadline.points).any(|point| point.met < 1.0);
    let bound = if late { format!("hollow: late at times · {bound}") } else { bound.to_owned() };
    match curves.is_published {
        true => format!(
            "{worlds} of trace, start and overhead at each deadline, the same for all policies · {bound}"
        ),
        false => format!("n = {worlds} worlds, the same for all policies, seed {seed} · {bound}"),
    }
}

/// Colour and dash of a policy.
pub(super) fn look(key: &str) -> (Color, Dash) {
    match key {
        "spot_only" => (market_color(super::Market::Spot), SOLID),
        "greedy" => (SERIES[1], SOLID),
        "thresholds" => (SERIES[2], SOLID),
        "thresholds_keep" => (SERIES[2], series_dash(1)),
        "uniform_progress" => (SERIES[0], SOLID),
        "time_sliced" => (SERIES[0], series_dash(1)),
        _ => (SERIES[1], series_dash(1)),
    }
}

struct Layout {
    plot: Rect,
    deadline: Axis,
    /// Shares, per cent.
    share: Axis,
}

impl Layout {
    fn of(curves: &Curves) -> Option<Self> {
        let (first, last) = (curves.deadlines.first()?.deadline_h, curves.deadlines.last()?.deadline_h);
        let (first, last) = if first < last { (first, last) } else { (0.9 * first, 1.1 * first) };
        let percent = |usd: f64| usd / curves.on_demand_usd * 100.0;
        let bounds =
            curves.deadlines.iter().filter_map(|deadline| deadline.bound_usd).map(|bound| bound.value);
        let points = curves.deadlines.iter().flat_map(|deadline| &deadline.points);
        let ends = points.flat_map(|point| [point.cost_usd.low, point.cost_usd.high]);
        let all: Vec<f64> = bounds.chain(ends).map(percent).filter(|x| x.is_finite()).collect();
        let low = all.iter().copied().reduce(f64::min)?;
        let high = all.iter().copied().reduce(f64::max)?;
        let plot = Rect { left: PLOT_LEFT, top: PLOT_TOP, right: RIGHT_EDGE - LABELS, bottom: PLOT_BOTTOM };
        let deadline = Axis::spanning(first, last, (plot.left + 30.0, plot.right - 24.0), 8);
        let share = Axis::linear((low - 5.0).max(0.0), high, (plot.bottom, plot.top), 7);
        Some(Self { plot, deadline, share })
    }

    fn place(&self, curves: &Curves, deadline: &Deadline, usd: f64) -> Place {
        (self.deadline.place(deadline.deadline_h), self.share.place(usd / curves.on_demand_usd * 100.0))
    }

    fn draw(&self, drawing: &mut Drawing, curves: &Curves) {
        self.draw_impossible(drawing, curves);
        left_axis(drawing, &self.plot, &self.share, "Cost, % of On-Demand", |text| format!("{text} %"));
        let title = format!("Deadline, h (uninterrupted: {})", number::hours(curves.ideal_h));
        bottom_axis(drawing, &self.plot, &self.deadline, &title, str::to_owned);
        for (at, policy) in curves.policies.iter().enumerate() {
            let (color, _) = look(policy.key);
            let of = |value: fn(&crate::stats::Interval) -> f64| {
                let point = move |deadline: &Deadline| {
                    self.place(curves, deadline, value(&deadline.points[at].cost_usd))
                };
                curves.deadlines.iter().map(point).collect::<Vec<Place>>()
            };
            let band: Vec<Place> =
                of(|i| i.low).into_iter().chain(of(|i| i.high).into_iter().rev()).collect();
            drawing.polygon(band, color, 0.4 * BAND_OPACITY);
        }
        for (at, policy) in curves.policies.iter().enumerate() {
            let (color, dash) = look(policy.key);
            let mean = |deadline: &Deadline| self.place(curves, deadline, deadline.points[at].cost_usd.value);
            let line: Vec<Place> = curves.deadlines.iter().map(mean).collect();
            drawing.dashed(&line, dash, Stroke::new(color, MEAN_LINE));
            for (point, deadline) in line.into_iter().zip(&curves.deadlines) {
                drawing.dot(point, 4.5, color);
                if deadline.points[at].met < 1.0 {
                    drawing.dot(point, 1.4, BACKGROUND);
                }
            }
        }
        self.draw_labels(drawing, curves);
    }

    /// The area below the bound.
    fn draw_impossible(&self, drawing: &mut Drawing, curves: &Curves) {
        let bound = curves
            .deadlines
            .iter()
            .filter_map(|deadline| Some(self.place(curves, deadline, deadline.bound_usd?.value)));
        let bound: Vec<Place> = bound.collect();
        let (Some(first), Some(last)) = (bound.first(), bound.last()) else { return };
        let floor = [(last.0, self.plot.bottom), (first.0, self.plot.bottom)];
        drawing.polygon(bound.iter().copied().chain(floor).collect(), PANEL, 1.0);
        drawing.dashed(&bound, FRONT_DASH, Stroke::new(BOUND, MEAN_LINE));
        let below = (first.0 + 40.0, self.plot.bottom - 22.0);
        drawing.text("no run that meets the deadline can be here", below, Anchor::Start, TICK_STYLE);
    }

    /// Names at the right ends, apart from each other.
    fn draw_labels(&self, drawing: &mut Drawing, curves: &Curves) {
        let Some(last) = curves.deadlines.last() else { return };
        let met = |at: usize| {
            let missed = 1.0 - last.points[at].met;
            (missed > 0.0).then(|| format!("late in {} %", fixed(missed * 100.0, 1)))
        };
        let mut labels: Vec<(f64, String, Option<String>, Color)> = curves
            .policies
            .iter()
            .zip(&last.points)
            .enumerate()
            .map(|(at, (policy, point))| {
                let share = fixed(point.cost_usd.value / curves.on_demand_usd * 100.0, 0);
                let y = self.place(curves, last, point.cost_usd.value).1;
                (y, format!("{} {share} %", policy.title), met(at), look(policy.key).0)
            })
            .collect();
        if let Some(bound) = last.bound_usd {
            let share = fixed(bound.value / curves.on_demand_usd * 100.0, 0);
            let y = self.place(curves, last, bound.value).1;
            labels.push((y, format!("Perfect foresight {share} %"), None, BOUND));
        }
        labels.sort_by(|a, b| a.0.total_cmp(&b.0));
        let height = if labels.iter().any(|label| label.2.is_some()) { LABEL_HEIGHT } else { 26.0 };
        let wanted: Vec<f64> = labels.iter().map(|label| label.0 - 13.0).collect();
        let tops = column(&wanted, height, self.plot.top - 20.0, self.plot.bottom + 20.0);
        let x = self.plot.right + 22.0;
        for ((y, name, more, color), top) in labels.into_iter().zip(tops) {
            let leader = vec![(self.deadline.place(last.deadline_h) + 7.0, y), (x - 5.0, top + 13.0)];
            drawing.line(leader, Stroke { color, width: 1.0, opacity: 0.5 });
            drawing.text(&name, (x, top + 19.0), Anchor::Start, TextStyle::semi_bold(LABEL_SIZE, color));
            if let Some(more) = more {
                drawing.text(&more, (x, top + 39.0), Anchor::Start, TICK_STYLE);
            }
        }
    }
}
