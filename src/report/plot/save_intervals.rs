//! Makespan or cost against the interval between saves: theory as a line, simulations as dots.

use super::Market;
use super::axis::Axis;
use super::drawing::{Drawing, Point as Place, Rect, Stroke};
use super::frame::{bottom_axis, left_axis, left_of_plot, page};
use super::label::{Obstacles, places_about, places_around};
use super::number::{TimeUnit, fixed, usd};
use super::series;
use super::text::{Anchor, TextStyle};
use super::theme::*;
use crate::experiment::optimum::{Basis, FLAT_WITHIN, Least, Optimum, Point};
use crate::report::number;
use crate::stats::Interval;

const LABEL_STYLE: TextStyle = TextStyle::semi_bold(LABEL_SIZE, INK);
const FIGURES_STYLE: TextStyle = TextStyle::regular(TEXT_SIZE, INK);
const PANEL_STYLE: TextStyle = TextStyle::regular(TEXT_SIZE, MUTED);
/// Height of a label of two lines, px.
const LABEL_HEIGHT: f64 = 46.0;
/// From the axis of intervals to what lies at its ends, px.
const INSET: f64 = 24.0;

/// One cluster's makespan, or cost, against the interval between its saves.
pub fn save_intervals(found: &Optimum, replications: u64, seed: u64) -> Drawing {
    let (what, of) = match found.least {
        Least::Makespan => ("Mean makespan", "makespan"),
        Least::Cost => ("Mean cost", "cost"),
    };
    let subtitle = match found.basis {
        Basis::Theory => format!("{what} against the work between two saves: line by theory, dots simulated"),
        Basis::Simulation(_) => format!("{what} against the work between two saves, simulated"),
    };
    let mut drawing = page(&title(found), &subtitle, &footer(found, of, replications, seed));
    if let Some(layout) = Layout::of(found) {
        draw(&mut drawing, found, &layout);
    }
    drawing
}

/// "Spot: best every 14.0 min, within 1 % from 7.3 min to 26.2 min".
fn title(found: &Optimum) -> String {
    let interval = |s: f64| number::hours(s / 3_600.0);
    let best = match found.points[found.best].interval_s {
        Some(s) => format!("best every {}", interval(s)),
        None => "best without a save".to_owned(),
    };
    let (shortest, longest) = (interval(found.flat.shortest_s), interval(found.flat.longest_s));
    let within = fixed(FLAT_WITHIN * 100.0, 0);
    let name = series::without_market(&found.name, Market::Spot);
    format!("{name}: {best}, within {within} % from {shortest} to {longest}")
}

fn footer(found: &Optimum, of: &str, replications: u64, seed: u64) -> String {
    let mut parts = vec![format!("n = {} a dot, seed {seed}", number::count(replications))];
    let endless = found.points.iter().filter(|p| p.interval_s.is_some() && value(found, p).is_none()).count();
    if endless > 0 {
        let intervals =
            if endless == 1 { "1 interval does".to_owned() } else { format!("{endless} intervals do") };
        parts.push(format!("{intervals} not always finish, not drawn"));
    }
    if found.points.iter().any(|point| point.interval_s.is_none()) {
        parts.push("no save at all: not drawn".to_owned());
    }
    parts.push("whiskers: 95 % interval of the mean".to_owned());
    parts.push(format!("the {of} axis does not begin at 0"));
    parts.join(" · ")
}

/// The mean that a dot shows.
fn simulated(found: &Optimum, point: &Point) -> Option<Interval> {
    let means = point.simulated?;
    Some(match found.least {
        Least::Makespan => means.makespan_h,
        Least::Cost => means.cost_usd,
    })
}

/// What a point comes to: by theory where that tells the best, else its dot.
fn value(found: &Optimum, point: &Point) -> Option<f64> {
    match found.basis {
        Basis::Theory => point.theory.map(|theory| theory.makespan_h).filter(|h| h.is_finite()),
        Basis::Simulation(_) => simulated(found, point).map(|mean| mean.value),
    }
}

/// The plotted area with its axes.
struct Layout {
    plot: Rect,
    interval: Axis,
    interval_unit: TimeUnit,
    value: Axis,
    value_unit: Option<TimeUnit>,
}

impl Layout {
    /// `None` if nothing that can be drawn always finishes.
    fn of(found: &Optimum) -> Option<Self> {
        let saving = || found.points.iter().filter(|point| point.interval_s.is_some());
        let drawn = || saving().filter(|point| value(found, point).is_some());
        let intervals_h: Vec<f64> = drawn().filter_map(|p| p.interval_s).map(|s| s / 3_600.0).collect();
        let ends =
            saving().filter_map(|point| simulated(found, point)).flat_map(|mean| [mean.low, mean.high]);
        let values: Vec<f64> = drawn().filter_map(|point| value(found, point)).chain(ends).collect();
        let (shortest, longest) = least_and_most(&intervals_h)?;
        // A single interval has some room about it.
        let (shortest, longest) = match shortest < longest {
            true => (shortest, longest),
            false => (shortest / 2.0, longest * 2.0),
        };
        let (low, high) = least_and_most(&values)?;
        let interval_unit = TimeUnit::for_axis((shortest * longest).sqrt());
        let value_unit = (found.least == Least::Makespan).then(|| TimeUnit::for_axis(high));
        let scale = value_unit.map_or(1.0, |unit| unit.hours);
        let (top, bottom) = (PLOT_TOP, PLOT_BOTTOM);
        let value = Axis::linear(low / scale, high / scale, (bottom, top), 6);
        let left = left_of_plot(&value, |text| tick(text, value_unit));
        let plot = Rect { left, top, right: RIGHT_EDGE, bottom };
        let pixels = (plot.left + INSET, plot.right - INSET);
        let hours = interval_unit.hours;
        let interval = Axis::logarithmic(shortest / hours, longest / hours, pixels, 9);
        Some(Self { plot, interval, interval_unit, value, value_unit })
    }

    fn x(&self, interval_s: f64) -> f64 {
        self.interval.place(interval_s / 3_600.0 / self.interval_unit.hours)
    }

    fn y(&self, value: f64) -> f64 {
        self.value.place(value / self.value_unit.map_or(1.0, |unit| unit.hours))
    }
}

fn least_and_most(values: &[f64]) -> Option<(f64, f64)> {
    let least = values.iter().copied().reduce(f64::min)?;
    Some((least, values.iter().copied().reduce(f64::max)?))
}

fn tick(text: &str, unit: Option<TimeUnit>) -> String {
    if unit.is_some() { text.to_owned() } else { format!("${text}") }
}

fn draw(drawing: &mut Drawing, found: &Optimum, layout: &Layout) {
    let plot = layout.plot;
    let color = market_color(Market::Spot);
    let (left, right) = (layout.x(found.flat.shortest_s), layout.x(found.flat.longest_s));
    let panel = Rect { left, right, ..plot };
    drawing.bar(panel, PANEL, 1.0);
    let title =
        layout.value_unit.map_or("Mean cost, $".to_owned(), |unit| format!("Mean makespan, {}", unit.sign));
    left_axis(drawing, &plot, &layout.value, &title, |text| tick(text, layout.value_unit));
    let title = format!("Work between two saves, {}", layout.interval_unit.sign);
    bottom_axis(drawing, &plot, &layout.interval, &title, str::to_owned);
    let curve: Vec<Place> = found
        .curve
        .iter()
        .filter(|(_, makespan_h)| makespan_h.is_finite())
        .map(|&(interval_s, makespan_h)| (layout.x(interval_s), layout.y(makespan_h)))
        .collect();
    if curve.len() > 1 {
        drawing.line(curve.clone(), Stroke::new(color, DATA_LINE));
    }
    let mut obstacles = Obstacles { lines: vec![curve], ..Obstacles::default() };
    for point in &found.points {
        let (Some(interval_s), Some(mean)) = (point.interval_s, simulated(found, point)) else { continue };
        let x = layout.x(interval_s);
        let whisker = vec![(x, layout.y(mean.low)), (x, layout.y(mean.high))];
        drawing.line(whisker.clone(), Stroke::new(color, THIN_LINE));
        let at = (x, layout.y(mean.value));
        let is_own = point == &found.points[found.own];
        drawing.mean_dot(at, color, is_own && found.own != found.best);
        obstacles.lines.push(whisker);
        obstacles
            .boxes
            .push(Rect { left: at.0, top: at.1, right: at.0, bottom: at.1 }.grown(DOT_RADIUS + 2.0));
    }
    let text = format!("within {} % of the best", fixed(FLAT_WITHIN * 100.0, 0));
    if PANEL_STYLE.room(&text) < panel.width() {
        drawing.text(&text, ((left + right) / 2.0, plot.top + 22.0), Anchor::Middle, PANEL_STYLE);
        obstacles.boxes.push(Rect { bottom: plot.top + 30.0, ..panel });
    }
    let marked = if found.own == found.best { vec![found.best] } else { vec![found.best, found.own] };
    for index in marked {
        draw_label(drawing, found, layout, index, &mut obstacles);
    }
}

/// Names the best point, or the file's own, beside it.
fn draw_label(
    drawing: &mut Drawing,
    found: &Optimum,
    layout: &Layout,
    index: usize,
    obstacles: &mut Obstacles,
) {
    let point = &found.points[index];
    let (Some(interval_s), Some(value)) = (point.interval_s, value(found, point)) else { return };
    let interval = number::hours(interval_s / 3_600.0);
    let name = match (index == found.best, index == found.own) {
        (true, true) => format!("best and the file's: {interval}"),
        (true, false) => format!("best: {interval}"),
        _ => format!("the file's: {interval}"),
    };
    let amount = match found.least {
        Least::Makespan => number::hours(value),
        Least::Cost => usd(value),
    };
    let more = found.more(point).map(|share| format!(", +{} %", fixed(share.max(0.0) * 100.0, 1)));
    let figures = format!("{amount}{}", more.filter(|_| index != found.best).unwrap_or_default());
    let size = (LABEL_STYLE.room(&name).max(FIGURES_STYLE.room(&figures)), LABEL_HEIGHT);
    let at = (layout.x(interval_s), layout.y(value));
    let dot = Rect { left: at.0, top: at.1, right: at.0, bottom: at.1 }.grown(DOT_RADIUS);
    let near = places_about(&dot, size, &[8.0, 30.0, 60.0, 90.0]);
    let places = near.into_iter().chain(places_around(at, size, &layout.plot.grown(-6.0)));
    let Some(area) = obstacles.take_first_free(places, &layout.plot) else { return };
    drawing.text_in(&name, &area, 18.0, Anchor::Start, LABEL_STYLE);
    drawing.text_in(&figures, &area, 40.0, Anchor::Start, FIGURES_STYLE);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytic::{FlatRange, OutOfDomain};
    use crate::experiment::optimum::Simulated;

    fn point(interval_s: Option<f64>, makespan_h: Option<f64>) -> Point {
        let simulated = makespan_h
            .map(|h| Simulated { makespan_h: Interval::around(h, 0.1), cost_usd: Interval::around(h, 0.1) });
        Point { interval_s, theory: None, simulated }
    }

    fn found(points: Vec<Point>, best: usize, own: usize) -> Optimum {
        Optimum {
            name: "4x g5.2xlarge Spot".to_owned(),
            points,
            best,
            own,
            curve: Vec::new(),
            flat: FlatRange { shortest_s: 600.0, longest_s: 1_200.0 },
            basis: Basis::Simulation(OutOfDomain::Start),
            least: Least::Makespan,
            unlimited: false,
            billed_beside: false,
            formulas: None,
        }
    }

    #[test]
    fn the_title_says_the_best_and_how_flat_it_is() {
        let points = vec![point(Some(300.0), Some(12.0)), point(Some(900.0), Some(11.0))];
        let drawing = save_intervals(&found(points, 1, 0), 2_000, 0);
        assert_eq!(
            drawing.title(),
            "4× g5.2xlarge: best every 15.0 min, within 1 % from 10.0 min to 20.0 min"
        );
    }

    #[test]
    fn no_text_lies_on_another() {
        let points =
            [300.0, 600.0, 900.0, 1_000.0].map(|s| point(Some(s), Some(11.0 + s / 1_000.0))).to_vec();
        let areas = save_intervals(&found(points, 2, 3), 2_000, 0).text_areas();
        for (index, (text, area)) in areas.iter().enumerate() {
            let other = areas[..index].iter().find(|(_, other)| other.overlaps(area));
            assert!(other.is_none(), "{text} lies on {other:?}");
        }
    }

    #[test]
    fn what_is_not_drawn_is_said() {
        let points = vec![point(Some(300.0), Some(12.0)), point(Some(900.0), None), point(None, Some(20.0))];
        let drawing = save_intervals(&found(points, 0, 1), 2_000, 0);
        let texts: Vec<String> = drawing.text_areas().into_iter().map(|(text, _)| text).collect();
        let said = |part: &str| texts.iter().any(|text| text.contains(part));
        assert!(said("1 interval does not always finish, not drawn"), "{texts:?}");
        assert!(said("no save at all: not drawn"), "{texts:?}");
        assert!(said("best: 5.0 min") && !said("the file's"), "{texts:?}");
    }
}
