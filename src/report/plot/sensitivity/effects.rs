//! Elementary effects: how far each input moves the result, against how much that hangs on the others.

use super::super::Drawing;
use super::super::axis::Axis;
use super::super::drawing::{Rect, Stroke};
use super::super::frame::{bottom_axis, left_axis, left_of_plot, page};
use super::super::label::{Obstacles, places_about, places_around};
use super::super::text::{Anchor, TextStyle, cleaned};
use super::super::theme::*;
use super::{NAME_STYLE, ROWS_MAX, footer};
use crate::experiment::sensitivity::{Effects, Finding};
use crate::report::sensitivity::{SensitivityView, amount, result_name};

const NOTE_STYLE: TextStyle = TextStyle::regular(FOOTER_SIZE, MUTED);
const COLOR: Color = SERIES[0];
/// Inputs that move the result by less than this share of the most have no name.
const NAMED_FROM: f64 = 0.04;

/// A dot an input, its mean size to the right, its spread upwards; whiskers for the mean size.
pub(super) fn effects(view: &SensitivityView<'_>, finding: &Finding, found: &[Effects]) -> Drawing {
    let size = |input: usize| found[input].mean_size.value;
    let order: Vec<usize> = view.ranked(size).into_iter().take(ROWS_MAX).collect();
    let subtitle = "Mean size of the effect of going through an input's range, against how much that differs; near 0 without a name";
    let mut drawing =
        page(&title(view, finding, found, &order), subtitle, &footer(view, finding, order.len()));
    let right = order.iter().map(|&input| found[input].mean_size.interval().high).fold(0.0, f64::max);
    let top = order.iter().map(|&input| found[input].sd).fold(0.0, f64::max);
    if right <= 0.0 {
        return drawing;
    }
    let has = |word: &str| finding.result.split('_').any(|part| part == word);
    let tick = |text: &str| match (has("usd"), has("h")) {
        (true, _) => format!("${text}"),
        (_, true) => format!("{text} h"),
        _ => text.to_owned(),
    };
    // Nothing may differ at all: then the axis is as long as the other.
    let top = if top > 1e-9 * right { top } else { right };
    let spread = Axis::linear(0.0, top, (PLOT_BOTTOM, PLOT_TOP), 6);
    let plot =
        Rect { left: left_of_plot(&spread, tick), top: PLOT_TOP, right: RIGHT_EDGE, bottom: PLOT_BOTTOM };
    let sizes = Axis::linear(0.0, right, (plot.left, plot.right - 60.0), 8);
    left_axis(&mut drawing, &plot, &spread, "Spread of the effect (standard deviation)", tick);
    bottom_axis(&mut drawing, &plot, &sizes, "Mean size of the effect", tick);
    let mut obstacles = Obstacles::default();
    draw_equal(&mut drawing, &plot, &sizes, &spread, &mut obstacles);
    let place = |input: usize| (sizes.place(size(input)), spread.place(found[input].sd));
    for &input in &order {
        let interval = found[input].mean_size.interval();
        let (x, y) = place(input);
        let whisker = vec![(sizes.place(interval.low.max(0.0)), y), (sizes.place(interval.high), y)];
        drawing.line(whisker.clone(), Stroke::new(COLOR, THIN_LINE));
        drawing.mean_dot((x, y), COLOR, false);
        let told = [("mean size", interval.value), ("spread", found[input].sd)]
            .map(|(what, value)| format!("{what} {}", amount(&finding.result, value)));
        let name = [cleaned(&view.inputs[input].name)];
        drawing.spot((x, y), DOT_RADIUS + 5.0, name.into_iter().chain(told).collect());
        obstacles.lines.push(whisker);
        obstacles.boxes.push(Rect { left: x, top: y, right: x, bottom: y }.grown(DOT_RADIUS + 2.0));
    }
    // Dots that lie on each other at 0 would have their names anywhere.
    let named = order.iter().filter(|&&input| size(input) >= NAMED_FROM * right);
    for &input in named {
        let name = NAME_STYLE.shortened(&cleaned(&view.inputs[input].name), 300.0);
        let (x, y) = place(input);
        let dot = Rect { left: x, top: y, right: x, bottom: y }.grown(DOT_RADIUS);
        let label = (NAME_STYLE.room(&name), 24.0);
        let near = places_about(&dot, label, &[6.0, 20.0, 40.0, 70.0]);
        let places = near.into_iter().chain(places_around((x, y), label, &plot.grown(-6.0)));
        if let Some(area) = obstacles.take_first_free(places, &plot) {
            drawing.text_in(&name, &area, 18.0, Anchor::Start, NAME_STYLE);
        }
    }
    drawing
}

/// Where spread and size are equal: above it an input's effect changes its sign, or hangs on the others.
fn draw_equal(drawing: &mut Drawing, plot: &Rect, sizes: &Axis, spread: &Axis, obstacles: &mut Obstacles) {
    let most = sizes.value_at(1.0).min(spread.value_at(1.0));
    let line = [(sizes.place(0.0), spread.place(0.0)), (sizes.place(most), spread.place(most))];
    drawing.dashed(&line, FRONT_DASH, Stroke::new(BOUND, THIN_LINE));
    obstacles.lines.push(line.to_vec());
    let text = "above: hangs on the other inputs";
    let size = (NOTE_STYLE.room(text), 20.0);
    let end = Rect { left: line[1].0, top: line[1].1, right: line[1].0, bottom: line[1].1 };
    if let Some(area) = obstacles.take_first_free(places_about(&end, size, &[8.0, 16.0]), plot) {
        drawing.text_in(text, &area, 15.0, Anchor::Start, NOTE_STYLE);
    }
}

/// "Spot: cost per finished run moves most with uptime, $2.94 over its range".
fn title(view: &SensitivityView<'_>, finding: &Finding, found: &[Effects], order: &[usize]) -> String {
    let (cluster, result) = (cleaned(&finding.cluster), result_name(&finding.result));
    match order.first().filter(|&&input| found[input].mean_size.value > 0.0) {
        None => format!("{cluster}: {result} moves with none of these inputs"),
        Some(&input) => {
            let size = amount(&finding.result, found[input].mean_size.value);
            let name = cleaned(&view.inputs[input].name);
            format!("{cluster}: {result} moves most with {name}, {size}")
        }
    }
}
