//! Cost against the chance to be in time: a dot a candidate, the choice marked.

use super::axis::Axis;
use super::drawing::{Drawing, Mark, Point, Rect, Stroke};
use super::frame::{bottom_axis, left_axis, left_of_plot, page};
use super::label::{Obstacles, places_about, places_around};
use super::number::{fixed, usd};
use super::series;
use super::text::{Anchor, TextStyle};
use super::theme::*;
use crate::experiment::plan::{Chosen, Verdict};
use crate::report::number;
use crate::report::plan::cluster_of;
use crate::scenario::load::Scenario;
use crate::stats::Interval;

const LABEL_STYLE: TextStyle = TextStyle::semi_bold(LABEL_SIZE, INK);
const OTHER_STYLE: TextStyle = TextStyle::regular(TEXT_SIZE, INK);
const PANEL_STYLE: TextStyle = TextStyle::regular(TEXT_SIZE, MUTED);
/// Height of a label of two lines, px.
const LABEL_HEIGHT: f64 = 46.0;
/// From the axes to what lies at their ends, px.
const INSET: f64 = 24.0;
/// Candidates that are named; the others are dots.
const NAMED_MAX: usize = 6;
/// Width of a name, px.
const NAME_ROOM: f64 = 300.0;
/// Right end of the axis: most dots lie near it, and their labels beside them.
const PLOT_RIGHT: f64 = WIDTH - 340.0;

/// A candidate that was simulated.
struct Shown {
    index: usize,
    /// Its cluster in the file, by its place among those.
    of: Option<usize>,
    name: String,
    color: Color,
    verdict: Verdict,
    /// Per cent.
    share: Interval,
    /// The same in words.
    in_time: String,
    /// Dollars.
    cost: Interval,
}

/// Mean bill against the share of replications on time.
pub fn cost_vs_probability(scenario: &Scenario, chosen: &Chosen) -> Drawing {
    let shown: Vec<Shown> = (0..chosen.candidates.len()).filter_map(|i| shown(scenario, chosen, i)).collect();
    let subtitle = "A dot a candidate: mean bill against the share of replications that meet the deadline";
    let footer = format!(
        "n = {}, fewer where dropped, seed {} · whiskers: 95 % intervals · hollow: too often late · dashed: least \
         bill for each share",
        number::count(chosen.replications),
        scenario.seed
    );
    let mut drawing = page(&title(scenario, chosen, &shown), subtitle, &footer);
    if let Some(layout) = Layout::of(&shown, scenario.terms.probability * 100.0) {
        draw(&mut drawing, chosen, &shown, &layout);
    }
    drawing
}

fn shown(scenario: &Scenario, chosen: &Chosen, index: usize) -> Option<Shown> {
    let (cluster, judged) = (&scenario.clusters[index], &chosen.candidates[index]);
    let (share, cost) = (judged.deadline_probability?, judged.cost_usd?);
    let market = cluster.market.into();
    Some(Shown {
        index,
        of: cluster_of(scenario, index),
        name: series::without_market(&cluster.name, market),
        color: market_color(market),
        verdict: judged.verdict,
        share: Interval { value: share.value * 100.0, low: share.low * 100.0, high: share.high * 100.0 },
        in_time: number::share_value(&share, judged.replications),
        cost,
    })
}

impl Shown {
    /// What its dot stands for.
    fn told(&self) -> Vec<String> {
        let range = match self.cost.low < self.cost.high {
            true => format!(", mean in {} to {}", usd(self.cost.low), usd(self.cost.high)),
            false => String::new(),
        };
        let (cost, share) = (usd(self.cost.value), &self.in_time);
        vec![self.name.clone(), format!("{cost} a run{range}"), format!("in time in {share} %")]
    }

    /// The name of its cluster in the file.
    fn base(&self) -> &str {
        self.name.split_once(", ").map_or(self.name.as_str(), |(base, _)| base)
    }
}

/// "Cheapest in time: 4× g5.4xlarge, every 5 min, $16.94 a run".
fn title(scenario: &Scenario, chosen: &Chosen, shown: &[Shown]) -> String {
    let asked = fixed(scenario.terms.probability * 100.0, 1);
    let asked = asked.trim_end_matches(".0");
    match shown.iter().find(|one| chosen.best == Some(one.index)) {
        Some(best) => {
            let seems = if chosen.sure { "Cheapest in time" } else { "Not certain, perhaps" };
            format!("{seems}: {}, {}", best.name, usd(best.cost.value))
        }
        None => format!("No candidate is in time in {asked} % of replications"),
    }
}

/// The plotted area with its axes.
struct Layout {
    plot: Rect,
    share: Axis,
    cost: Axis,
    /// Where often enough begins, px.
    asked: f64,
    asked_per_cent: f64,
}

impl Layout {
    fn of(shown: &[Shown], asked_per_cent: f64) -> Option<Self> {
        let lows = shown.iter().map(|one| one.share.low).chain([asked_per_cent]);
        let low = lows.fold(100.0, f64::min);
        let cheapest = shown.iter().map(|one| one.cost.low).fold(f64::INFINITY, f64::min);
        let dearest = shown.iter().map(|one| one.cost.high).fold(f64::NEG_INFINITY, f64::max);
        if !cheapest.is_finite() || !dearest.is_finite() {
            return None;
        }
        let margin = (0.08 * (dearest - cheapest)).max(0.02 * dearest);
        let (bottom, top) = ((cheapest - margin).max(0.0), dearest + margin);
        let cost = Axis::linear(bottom, top, (PLOT_BOTTOM - INSET, PLOT_TOP), 6);
        let left = left_of_plot(&cost, |text| format!("${text}"));
        let plot = Rect { left, top: PLOT_TOP, right: PLOT_RIGHT, bottom: PLOT_BOTTOM };
        let low = (low - 0.1 * (100.0 - low)).max(0.0);
        let share = Axis::linear(low, 100.0, (plot.left + INSET, plot.right - INSET), 8);
        let asked = share.place(asked_per_cent);
        Some(Self { plot, share, cost, asked, asked_per_cent })
    }

    fn place(&self, one: &Shown) -> Point {
        (self.share.place(one.share.value), self.cost.place(one.cost.value))
    }
}

fn draw(drawing: &mut Drawing, chosen: &Chosen, shown: &[Shown], layout: &Layout) {
    let plot = layout.plot;
    drawing.bar(Rect { right: layout.asked, ..plot }, PANEL, 1.0);
    left_axis(drawing, &plot, &layout.cost, "Mean bill of a run, $", |text| format!("${text}"));
    bottom_axis(drawing, &plot, &layout.share, "In time, % of replications", str::to_owned);
    let rule = vec![(layout.asked, plot.top), (layout.asked, plot.bottom)];
    drawing.dashed(&rule, DEADLINE_DASH, Stroke::new(INK, 1.8));
    let mut obstacles = Obstacles { lines: vec![rule], ..Obstacles::default() };
    let front = front(shown, layout);
    drawing.dashed(&front, FRONT_DASH, Stroke::new(BOUND, 1.8));
    obstacles.lines.push(front);
    for one in shown {
        drawing.of(one.of);
        let (x, y) = layout.place(one);
        let across = vec![(layout.share.place(one.share.low), y), (layout.share.place(one.share.high), y)];
        let along = vec![(x, layout.cost.place(one.cost.low)), (x, layout.cost.place(one.cost.high))];
        for whisker in [across, along] {
            drawing.line(whisker.clone(), Stroke::new(one.color, THIN_LINE));
            obstacles.lines.push(whisker);
        }
    }
    // The choice last, so that it lies on top.
    let is_best = |one: &&Shown| chosen.best == Some(one.index);
    for one in shown.iter().filter(|one| !is_best(one)).chain(shown.iter().filter(is_best)) {
        let at = layout.place(one);
        drawing.of(one.of);
        if chosen.best == Some(one.index) {
            for (radius, color) in [(DOT_RADIUS + 7.0, INK), (DOT_RADIUS + 4.5, BACKGROUND)] {
                drawing.marks.push(Mark::Dot { center: at, radius, color });
            }
        }
        drawing.mean_dot(at, one.color, one.verdict == Verdict::Misses);
        drawing.spot(at, DOT_RADIUS + 5.0, one.told());
        let dot = Rect { left: at.0, top: at.1, right: at.0, bottom: at.1 };
        obstacles.boxes.push(dot.grown(DOT_RADIUS + 2.0));
    }
    drawing.of(None);
    let text = format!("in time in {} % or more", fixed(layout.asked_per_cent, 1).trim_end_matches(".0"));
    let (x, anchor) = match layout.asked + 10.0 + PANEL_STYLE.room(&text) < RIGHT_EDGE {
        true => (layout.asked + 10.0, Anchor::Start),
        false => (layout.asked - 10.0, Anchor::End),
    };
    let text = if anchor == Anchor::End { format!("{text} →") } else { text };
    drawing.text(&text, (x, plot.top - 8.0), anchor, PANEL_STYLE);
    for one in named(chosen, shown, layout) {
        label(drawing, chosen, one, layout, &mut obstacles);
    }
}

/// The least bill for each share in time: a step line through the candidates that no other one beats in both.
fn front(shown: &[Shown], layout: &Layout) -> Vec<Point> {
    let beats = |other: &Shown, one: &Shown| {
        other.share.value >= one.share.value && other.cost.value < one.cost.value
    };
    let mut free: Vec<&Shown> =
        shown.iter().filter(|one| !shown.iter().any(|other| beats(other, one))).collect();
    free.sort_by(|a, b| a.share.value.total_cmp(&b.share.value));
    let mut steps: Vec<Point> = Vec::new();
    for one in free {
        let (x, y) = layout.place(one);
        steps.push((steps.last().map_or(layout.plot.left, |&(x, _)| x), y));
        steps.push((x, y));
    }
    steps
}

/// The choice, the runner-up, the most reliable, and the cheapest of each cluster of the file; of dots that lie
/// upon one another the first.
fn named<'a>(chosen: &Chosen, shown: &'a [Shown], layout: &Layout) -> Vec<&'a Shown> {
    let told = [chosen.best, chosen.runner_up, chosen.most_reliable];
    let rank = |one: &Shown| told.iter().position(|told| *told == Some(one.index)).unwrap_or(told.len());
    let mut all: Vec<&Shown> = shown.iter().collect();
    all.sort_by(|a, b| rank(a).cmp(&rank(b)).then(a.cost.value.total_cmp(&b.cost.value)));
    let mut named: Vec<&Shown> = Vec::new();
    for one in all {
        let (x, y) = layout.place(one);
        let apart = |other: &&Shown| {
            let (other_x, other_y) = layout.place(other);
            (x - other_x).abs().max((y - other_y).abs()) > 2.0 * DOT_RADIUS
        };
        let first_of_cluster = named.iter().all(|other| other.base() != one.base());
        if (rank(one) < told.len() || first_of_cluster) && named.iter().all(apart) && named.len() < NAMED_MAX
        {
            named.push(one);
        }
    }
    named
}

/// Names a candidate beside its dot, where there is room.
fn label(drawing: &mut Drawing, chosen: &Chosen, one: &Shown, layout: &Layout, obstacles: &mut Obstacles) {
    let best = chosen.best == Some(one.index);
    let style = if best { LABEL_STYLE } else { OTHER_STYLE };
    let name = style.shortened(one.base(), NAME_ROOM);
    let differs = one.name.split_once(", ").map_or(String::new(), |(_, differs)| format!("{differs}: "));
    let figures = format!("{differs}{}, {} %", usd(one.cost.value), one.in_time);
    let size = (style.room(&name).max(OTHER_STYLE.room(&figures)), LABEL_HEIGHT);
    let at = layout.place(one);
    let dot = Rect { left: at.0, top: at.1, right: at.0, bottom: at.1 }.grown(DOT_RADIUS);
    let near = places_about(&dot, size, &[8.0, 20.0, 40.0, 70.0]);
    let places = near.into_iter().chain(places_around(at, size, &layout.plot.grown(-6.0)));
    let Some(area) = obstacles.take_first_free(places, &Rect { right: RIGHT_EDGE, ..layout.plot }) else {
        return;
    };
    drawing.of(one.of);
    // At the right edge a label leans to its dot.
    let anchor = if area.right < at.0 { Anchor::End } else { Anchor::Start };
    drawing.text_in(&name, &area, 18.0, anchor, style);
    drawing.text_in(&figures, &area, 40.0, anchor, OTHER_STYLE);
    drawing.of(None);
}
