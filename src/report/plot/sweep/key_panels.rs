//! Cost against each key in a panel of its own.

use super::super::axis::Axis;
use super::super::drawing::{Drawing, Mark, Rect, Stroke};
use super::super::frame::{TICK_STYLE, page};
use super::super::number::fixed;
use super::super::text::{Anchor, TextStyle, cleaned};
use super::super::theme::*;
use super::key_axis::KeyAxis;
use super::{SPOTS_MAX, Series, SweepData, told};
use crate::experiment::sweep::Point;

/// Panels in one picture.
const PANELS_MAX: usize = 6;
/// Dots in one panel; of more, every so many-th in the order of cost.
const DOTS_MAX: usize = 1_500;
/// Parts of a key's range of about equally many dots, whose means are compared.
const PARTS: usize = 8;
/// Ticks along a key in a panel; those that would touch are left out.
const TICKS_MAX: usize = 6;
const NAME_STYLE: TextStyle = TextStyle::semi_bold(TEXT_SIZE, INK);
/// Height of a panel's name above it, px.
const NAME: f64 = 30.0;

/// From this ratio of the dearest to the cheapest on, costs stand on a logarithmic axis, and it is the variance of
/// their logarithm that keys tell: else a few dear dots would be all that is seen.
const LOGARITHMIC_FROM: f64 = 4.0;

/// The cluster with the cheapest row among those whose cost differs; else the first.
fn drawn<'a>(data: &'a SweepData<'_>) -> Option<&'a Series> {
    let least_of_varying = |series: &&Series| {
        let points = data.points(series);
        let (first, last) = (points.first()?.cost_usd.value, points.last()?.cost_usd.value);
        (first < last).then_some(first)
    };
    let varying = data.series.iter().filter_map(|series| Some((series, least_of_varying(&series)?)));
    let cheapest = varying.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(series, _)| series);
    cheapest.or(data.series.first())
}

/// Cost per finished run of one cluster against each key that differs, the keys that tell most of it first.
pub(super) fn panels(data: &SweepData<'_>, varying: &[usize]) -> Drawing {
    let Some(series) = drawn(data) else {
        return page("No configuration has a finished run", "", &data.footer("dot", Vec::new()));
    };
    let points = data.points(series);
    let costs = || points.iter().map(|point| point.cost_usd.value);
    let (low, high) = (costs().fold(f64::INFINITY, f64::min), costs().fold(0.0, f64::max));
    let by_ratio = low > 0.0 && high / low >= LOGARITHMIC_FROM;
    let outputs: Vec<f64> = costs().map(|cost| if by_ratio { libm::log(cost) } else { cost }).collect();
    let told_by = |key: usize| told_by(data, key, &points, &outputs);
    let mut told: Vec<(usize, f64)> = varying.iter().map(|&key| (key, told_by(key))).collect();
    told.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut notes = vec!["ring: cheapest".to_owned()];
    let counted = |count: usize, what: &str| match count {
        0 => None,
        1 => Some(format!("1 {what}")),
        more => Some(format!("{more} {what}s")),
    };
    let others = data.view.rows.clusters().len().saturating_sub(1);
    let more = [counted(told.len().saturating_sub(PANELS_MAX), "key"), counted(others, "cluster")];
    let more: Vec<String> = more.into_iter().flatten().collect();
    if !more.is_empty() {
        notes.push(format!("{} more not drawn", more.join(" and ")));
    }
    notes.extend(data.unfinished(&points));
    let every = points.len().div_ceil(DOTS_MAX).max(1);
    if every > 1 {
        notes.push(format!("one dot in {every} drawn"));
    }
    notes.push(format!("%: between {PARTS} parts of a range"));
    let variance = if by_ratio { "variance of log cost" } else { "variance of cost" };
    let title = match told.first() {
        Some((key, share)) if *share > 0.0 => {
            format!(
                "{} alone tells {} % of the {variance}",
                cleaned(&data.keys[*key]),
                fixed(share * 100.0, 0)
            )
        }
        _ => "No key alone tells the cost".to_owned(),
    };
    let subtitle =
        format!("Dollars per finished run of {} against each key; a dot a configuration", series.name);
    let mut drawing = page(&title, &subtitle, &data.footer("dot", notes));
    drawing.about = Some(series.number);
    told.truncate(PANELS_MAX);
    let shown: Vec<&Point> = points.iter().copied().step_by(every).collect();
    if shown.is_empty() {
        return drawing;
    }
    for (at, (key, share)) in told.iter().enumerate() {
        let plot = area(at, told.len());
        let axis = if by_ratio { Axis::logarithmic } else { Axis::linear };
        let cost = axis(low, high, (plot.bottom, plot.top), 4);
        draw_panel(&mut drawing, data, (*key, *share), &plot, &cost, &shown, series);
    }
    drawing
}

/// Share of the variance of the points' outputs between parts of a key's range, adjusted for the number of parts: ε² of
/// T. Kelley (1935), Proc. Natl. Acad. Sci. 21, 554-559; at least 0.
fn told_by(data: &SweepData<'_>, key: usize, points: &[&Point], outputs: &[f64]) -> f64 {
    let axis = &data.axes[key];
    let mut pairs: Vec<(f64, f64)> =
        points.iter().zip(outputs).map(|(point, output)| (axis.at[point.row], *output)).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Few different values are parts of their own; many are cut where equally many dots lie on either side.
    let few = axis.values.len() <= PARTS;
    let part = |at: usize| {
        if few { axis.values.partition_point(|(v, _)| *v < pairs[at].0) } else { at * PARTS / pairs.len() }
    };
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    let all: Vec<f64> = pairs.iter().map(|(_, cost)| *cost).collect();
    let middle = mean(&all);
    let total: f64 = all.iter().map(|cost| (cost - middle) * (cost - middle)).sum();
    let mut parts: Vec<Vec<f64>> = vec![Vec::new(); PARTS];
    (0..pairs.len()).for_each(|at| parts[part(at)].push(pairs[at].1));
    parts.retain(|part| !part.is_empty());
    let within: f64 = parts
        .iter()
        .map(|part| {
            let middle = mean(part);
            part.iter().map(|cost| (cost - middle) * (cost - middle)).sum::<f64>()
        })
        .sum();
    let (n, k) = (all.len() as f64, parts.len() as f64);
    if n <= k || total <= 0.0 { 0.0 } else { (1.0 - within / (n - k) * (n - 1.0) / total).max(0.0) }
}

/// The place of one panel of so many.
fn area(at: usize, of: usize) -> Rect {
    let columns = if of == 4 { 2 } else { of.clamp(1, 3) };
    let lines = of.div_ceil(columns);
    let (width, height) = ((RIGHT_EDGE - LEFT_EDGE) / columns as f64, (HEIGHT - 52.0 - 116.0) / lines as f64);
    let (left, top) = (LEFT_EDGE + (at % columns) as f64 * width, 116.0 + (at / columns) as f64 * height);
    Rect { left: left + 66.0, top: top + NAME + 8.0, right: left + width - 24.0, bottom: top + height - 44.0 }
}

fn draw_panel(
    drawing: &mut Drawing,
    data: &SweepData<'_>,
    (key, share): (usize, f64),
    plot: &Rect,
    cost: &Axis,
    points: &[&Point],
    series: &Series,
) {
    let axis = &data.axes[key];
    let x = KeyAxis::of(axis, (plot.left + 10.0, plot.right - 10.0), TICKS_MAX);
    for (y, text) in cost.ticks() {
        drawing.line(vec![(plot.left, y), (plot.right, y)], Stroke::new(GRID, GRID_LINE));
        drawing.text(&format!("${text}"), (plot.left - 8.0, y + 6.0), Anchor::End, TICK_STYLE);
    }
    let stroke = Stroke::new(AXIS, THIN_LINE);
    drawing.line(vec![(plot.left, plot.bottom), (plot.right, plot.bottom)], stroke);
    let ticks = x.ticks();
    let room = plot.width() / ticks.len().max(1) as f64 - 6.0;
    let mut free = f64::NEG_INFINITY;
    for (at, text) in ticks {
        let text = TICK_STYLE.shortened(&text, room.max(44.0));
        let half = TICK_STYLE.room(&text) / 2.0;
        drawing.line(vec![(at, plot.bottom), (at, plot.bottom + 5.0)], stroke);
        if at - half > free {
            drawing.text(&text, (at, plot.bottom + 24.0), Anchor::Middle, TICK_STYLE);
            free = at + half + 4.0;
        }
    }
    let figures = if share > 0.0 { format!("{} %", fixed(share * 100.0, 0)) } else { "0 %".to_owned() };
    let room = plot.right - plot.left + 58.0 - TICK_STYLE.room(&figures) - 12.0;
    let name = NAME_STYLE.shortened(&x.title(&cleaned(&data.keys[key])), room);
    drawing.text(&name, (plot.left - 58.0, plot.top - 18.0), Anchor::Start, NAME_STYLE);
    drawing.text(&figures, (plot.right, plot.top - 18.0), Anchor::End, TICK_STYLE);
    for (nth, point) in points.iter().enumerate() {
        // Dots of one word lie side by side, by a fixed pattern.
        let aside = if x.is_continuous() { 0.0 } else { ((nth * 7) % 23) as f64 - 11.0 };
        let center = (x.place(axis.at[point.row]) + aside, cost.place(point.cost_usd.value));
        drawing.marks.push(Mark::Dot { center, radius: 3.4, color: BACKGROUND });
        drawing.marks.push(Mark::Dot { center, radius: 2.6, color: series.color });
        if points.len() <= SPOTS_MAX {
            drawing.mouse_spot(center, 6.0, told(data, point));
        }
    }
    if let Some(best) = points.first() {
        let center = (x.place(axis.at[best.row]), cost.place(best.cost_usd.value));
        drawing.mean_dot(center, INK, true);
        drawing.dot(center, 3.0, series.color);
    }
}
