//! How far from the goal each value of a key is: a line with the band of its interval, the root and today.

use super::axis::Axis;
use super::drawing::{Drawing, Point as Place, Rect, Stroke};
use super::frame::{bottom_axis, left_axis, left_of_plot, page, title_fits};
use super::label::{Obstacles, places_about, places_around};
use super::series::with_times;
use super::text::{Anchor, TextStyle, cleaned};
use super::theme::*;
use crate::experiment::break_even::{Goal, Point, Root};
use crate::report::break_even::{BreakEvenView, Scale, everywhere, verdict};
use crate::report::number;
use crate::report::sweep::said;
use crate::stats::Interval;

const LABEL_STYLE: TextStyle = TextStyle::semi_bold(LABEL_SIZE, INK);
const SIDE_STYLE: TextStyle = TextStyle::regular(TEXT_SIZE, MUTED);
/// From the axis of values to what lies at its ends, px.
const INSET: f64 = 24.0;
/// The side of the goal that reaches farther is shown up to so many times as far as the other: what is near the
/// goal must not be squeezed by what is far from it.
const REACH: f64 = 3.0;

/// Difference from the goal against the key.
pub fn break_even(view: &BreakEvenView<'_>) -> Drawing {
    let subtitle = match view.goal {
        Goal::SameCost => {
            let (cluster, other) = names(view);
            format!("What {cluster} costs more per finished run than {other}, in pairs; band: 95 % interval")
        }
        Goal::Figure { name, value } => {
            format!("{name} of {} less {value}; band: its 95 % interval", names(view).0)
        }
    };
    let layout = Layout::of(view);
    let mut footer =
        vec![format!("n = {} a value, seed {}, same worlds", number::count(view.replications), view.seed)];
    if view.found.roots.iter().any(|root| root.low < root.before || root.high > root.behind) {
        footer.push("panel: values at which the band holds the goal".to_owned());
    }
    if layout.as_ref().is_some_and(|layout| layout.is_cut) {
        footer.push("the line goes on beyond the axis".to_owned());
    }
    let mut drawing = page(&title(view), &subtitle, &footer.join(" · "));
    if let Some(layout) = layout {
        layout.draw(&mut drawing, view);
    }
    drawing
}

/// The two clusters.
fn names(view: &BreakEvenView<'_>) -> (String, String) {
    let shown = |name: &str| with_times(&cleaned(name));
    (shown(view.cluster), view.against.map_or("the other".to_owned(), shown))
}

/// "Spot costs as much as On-Demand at mean 0.31 h [0.29, 0.33]", with as much of the key as there is room for.
fn title(view: &BreakEvenView<'_>) -> String {
    let scale = Scale::of(view.range);
    let (cluster, other) = names(view);
    let what = match view.goal {
        Goal::SameCost => format!("{cluster} costs as much as {other}"),
        Goal::Figure { name, value } => format!("{name} is {value}"),
    };
    match &view.found.roots[..] {
        [] if view.found.is_nothing() => verdict(view).join(" "),
        [] => match view.goal {
            Goal::SameCost => format!("{cluster} against {other}: {}", everywhere(view)),
            Goal::Figure { .. } => format!("{what} nowhere: {}", everywhere(view)),
        },
        [root] => {
            let (key, said) = (cleaned(view.key), cleaned(&said(view.key)));
            let at = scale.root(root, view.range);
            let shorter =
                if *view.goal == Goal::SameCost { format!("{cluster} breaks even") } else { what.clone() };
            // A long key as people say it.
            let with = |what: String| [&key, &said].map(|key| format!("{what} at {key} {at}"));
            let all = with(what).into_iter().chain(with(shorter));
            let all: Vec<String> = all.collect();
            let fitting = all.iter().find(|title| title_fits(title));
            fitting.or(all.last()).cloned().unwrap_or_default()
        }
        roots => format!("{what} at {} values", roots.len()),
    }
}

/// Both axes and what is drawn between them.
struct Layout {
    plot: Rect,
    x: Axis,
    y: Axis,
    scale: Scale,
    is_cut: bool,
    is_whole: bool,
}

impl Layout {
    /// `None` if nothing is known.
    fn of(view: &BreakEvenView<'_>) -> Option<Self> {
        let known: Vec<Interval> = view.found.grid().filter_map(|point| point.difference).collect();
        // Of values, not of intervals: one of few finished runs may reach anywhere.
        let low = known.iter().map(|d| d.value).fold(f64::INFINITY, f64::min).min(0.0);
        let high = known.iter().map(|d| d.value).fold(f64::NEG_INFINITY, f64::max).max(0.0);
        if known.is_empty() {
            return None;
        }
        let (reach_low, reach_high) = match low < 0.0 && high > 0.0 {
            true => (low.max(-REACH * high), high.min(-REACH * low)),
            false => (low, high),
        };
        let y = Axis::linear(reach_low, reach_high, (PLOT_BOTTOM, PLOT_TOP), 7);
        let left = left_of_plot(&y, |text| tick(view, text));
        let plot = Rect { left, top: PLOT_TOP, right: RIGHT_EDGE, bottom: PLOT_BOTTOM };
        let scale = Scale::of(view.range);
        let (from, to) = (view.range.from / scale.per, view.range.to / scale.per);
        let pixels = (plot.left + INSET, plot.right - INSET);
        let x = match view.range.is_log {
            true => Axis::logarithmic(from, to, pixels, 9),
            false => Axis::linear(from, to, pixels, 9),
        };
        let is_cut = reach_low > low || reach_high < high;
        Some(Self { plot, x, y, scale, is_cut, is_whole: view.range.is_whole })
    }

    fn x(&self, value: f64) -> f64 {
        self.x.place(value / self.scale.per)
    }

    fn draw(&self, drawing: &mut Drawing, view: &BreakEvenView<'_>) {
        let plot = self.plot;
        let is_open = |root: &&Root| root.low < root.before || root.high > root.behind;
        for root in view.found.roots.iter().filter(is_open) {
            let panel = Rect { left: self.x(root.low) - 1.0, right: self.x(root.high) + 1.0, ..plot };
            drawing.bar(panel, NEUTRAL, 0.45);
        }
        let title = match view.goal {
            Goal::SameCost => "Costs more by, $ per finished run".to_owned(),
            Goal::Figure { name, value } => format!("{name} less {value}"),
        };
        left_axis(drawing, &plot, &self.y, &title, |text| tick(view, text));
        let comma = if self.scale.unit.is_empty() { "" } else { ", " };
        let title = format!("{}{comma}{}", cleaned(view.key), self.scale.unit);
        bottom_axis(drawing, &plot, &self.x, &title, str::to_owned);
        let zero = self.y.place(0.0);
        drawing.line(vec![(plot.left, zero), (plot.right, zero)], Stroke::new(BOUND, 1.8));
        let mut obstacles = self.draw_line(drawing, view);
        obstacles.lines.push(vec![(plot.left, zero), (plot.right, zero)]);
        for (at, root) in view.found.roots.iter().enumerate() {
            // Between whole numbers there is no value, but a place for the dot.
            let place = ((self.x(root.before) + self.x(root.behind)) / 2.0, zero);
            drawing.mean_dot(place, INK, false);
            obstacles
                .boxes
                .push(Rect { left: place.0, right: place.0, top: place.1, bottom: place.1 }.grown(9.0));
            if at < 4 {
                let text = self.scale.root(root, view.range);
                self.label(drawing, place, &text, LABEL_STYLE, &mut obstacles);
            }
        }
        if let Some(today) = view.today.filter(|today| self.x.holds(today / self.scale.per)) {
            let x = self.x(today);
            drawing.dashed(&[(x, plot.top), (x, plot.bottom)], DEADLINE_DASH, Stroke::new(INK, 1.8));
            obstacles.lines.push(vec![(x, plot.top), (x, plot.bottom)]);
            let text = format!("the file's {}", self.scale.text(today));
            self.label(drawing, (x, plot.top + 14.0), &text, SIDE_STYLE, &mut obstacles);
        }
        self.draw_sides(drawing, view, zero, &mut obstacles);
    }

    /// The line and its band in pieces: where nothing is known, or the line leaves the axis, there is a gap.
    fn draw_line(&self, drawing: &mut Drawing, view: &BreakEvenView<'_>) -> Obstacles {
        let color = SERIES[0];
        let mut obstacles = Obstacles::default();
        for piece in view.found.points.split(|point| point.difference.is_none()) {
            let along = |of: fn(Interval) -> f64| {
                let place = |point: &Point| Some((self.x(point.value), of(point.difference?)));
                self.with_crossings(piece.iter().filter_map(place).collect())
            };
            let placed = |(x, value): (f64, f64)| (x, self.y.place(value));
            let band = along(|d| d.low).into_iter().chain(along(|d| d.high).into_iter().rev());
            let band: Vec<Place> = band.map(placed).collect();
            if band.len() < 4 {
                continue;
            }
            drawing.polygon(band.clone(), color, BAND_OPACITY);
            obstacles.areas.push(band);
            let means = along(|d| d.value);
            for run in means.split(|(_, value)| !self.y.holds(*value)).filter(|run| !run.is_empty()) {
                let line: Vec<Place> = run.iter().copied().map(placed).collect();
                match self.is_whole {
                    true => line.iter().for_each(|&place| drawing.dot(place, 4.5, color)),
                    false => drawing.line(line.clone(), Stroke::new(color, DATA_LINE)),
                }
                obstacles.lines.push(line);
            }
        }
        obstacles
    }

    /// The points with one more wherever the line between two passes an end of the axis; whole numbers are not
    /// joined.
    fn with_crossings(&self, points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
        let ends = [self.y.value_at(0.0), self.y.value_at(1.0)];
        let mut all: Vec<(f64, f64)> = Vec::new();
        for point in points {
            if let Some(&(x, value)) = all.last().filter(|_| !self.is_whole) {
                let crossing = |end: &f64| {
                    let share = (end - value) / (point.1 - value);
                    (share > 0.0 && share < 1.0).then_some((share, (x + share * (point.0 - x), *end)))
                };
                let mut crossings: Vec<(f64, (f64, f64))> = ends.iter().filter_map(crossing).collect();
                crossings.sort_by(|a, b| a.0.total_cmp(&b.0));
                all.extend(crossings.into_iter().map(|(_, crossing)| crossing));
            }
            all.push(point);
        }
        all
    }

    fn label(
        &self,
        drawing: &mut Drawing,
        at: Place,
        text: &str,
        style: TextStyle,
        obstacles: &mut Obstacles,
    ) {
        let size = (style.room(text), 24.0);
        let dot = Rect { left: at.0, right: at.0, top: at.1, bottom: at.1 }.grown(DOT_RADIUS);
        let near = places_about(&dot, size, &[6.0, 20.0, 44.0]);
        let places = near.into_iter().chain(places_around(at, size, &self.plot.grown(-4.0)));
        let Some(area) = obstacles.take_first_free(places, &self.plot) else { return };
        drawing.text_in(text, &area, 18.0, Anchor::Start, style);
    }

    /// What lies above and below the goal, in words at the right.
    fn draw_sides(
        &self,
        drawing: &mut Drawing,
        view: &BreakEvenView<'_>,
        zero: f64,
        obstacles: &mut Obstacles,
    ) {
        let (above, below) = match view.goal {
            Goal::SameCost => ("dearer", "cheaper"),
            Goal::Figure { .. } => ("above the goal", "below the goal"),
        };
        for (text, top) in [(above, zero - 32.0), (below, zero + 8.0)] {
            let width = SIDE_STYLE.room(text);
            let at = |left: f64| Rect { left, top, right: left + width, bottom: top + 22.0 };
            let places = [at(self.plot.right - width - 4.0), at(self.plot.left + 6.0)];
            if let Some(area) = obstacles.take_first_free(places, &self.plot) {
                drawing.text_in(text, &area, 17.0, Anchor::Start, SIDE_STYLE);
            }
        }
    }
}

fn tick(view: &BreakEvenView<'_>, text: &str) -> String {
    match (view.goal, text.strip_prefix('−')) {
        (Goal::Figure { .. }, _) => text.to_owned(),
        (Goal::SameCost, Some(size)) => format!("−${size}"),
        (Goal::SameCost, None) => format!("${text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout_tests::{check_texts, check_written};
    use super::*;
    use crate::experiment::break_even::{KeyRange, search};

    /// What is drawn of a difference between two ends, under its title.
    fn drawn(ends: (&str, &str), difference: impl Fn(f64) -> Option<Interval>) -> Drawing {
        let range = KeyRange::read(ends.0, ends.1, None).unwrap();
        let found = search::<()>(&range, &mut |value| Ok(difference(value))).unwrap();
        let view = BreakEvenView {
            name: "even",
            title: "When?",
            seed: 0,
            replications: 1_000,
            key: "capacity.renewal.uptime.exponential.mean",
            range: &range,
            today: Some(2.0 * range.from),
            cluster: "4x g5.2xlarge Spot",
            against: Some("1x g5.12xlarge On-Demand"),
            goal: &Goal::SameCost,
            found: &found,
        };
        let drawing = break_even(&view);
        check_texts(drawing.title(), &drawing);
        check_written(drawing.title(), &drawing);
        drawing
    }

    /// $40 h a mean uptime above $5: even at 8 h.
    #[test]
    fn the_title_says_where_and_drops_what_has_no_room() {
        let drawing = drawn(("1 h", "48 h"), |s| Some(Interval::around(40.0 * 3_600.0 / s - 5.0, 0.5)));
        assert!(drawing.title().starts_with("4× g5.2xlarge Spot breaks even at "), "{}", drawing.title());
        assert!(drawing.title().ends_with("mean 8.0 h [7.3, 8.9]"), "{}", drawing.title());
    }

    #[test]
    fn odd_answers_are_legible_too() {
        drawn(("1", "16"), |n| Some(Interval::around(3.5 - n, 0.0)));
        drawn(("1.0", "2.0"), |_| None);
        drawn(("1.0", "2.0"), |x| Some(Interval::around(x, 1e6)));
        drawn(("0.0", "10.0"), |x| Some(Interval::around((x - 2.0) * (x - 5.0) * (x - 8.0), 0.1)));
    }
}
