//! One replication over time: capacity, what the cluster does, progress, cost so far.

use super::Market;
use super::axis::Axis;
use super::drawing::{Drawing, Point, Rect, Stroke, simplified};
use super::frame::{TICK_STYLE, bottom_axis, page};
use super::number::TimeUnit;
use super::text::{Anchor, TextStyle, cleaned};
use super::theme::*;
use crate::experiment::timeline::OneRun;
use crate::report::number;
use crate::report::timeline::{amount, ended, unit};
use crate::sim::{End, Part};
use crate::units::SimTime;

/// Left edge of all rows, px: beside it stand their names and the ticks of their axes.
const ROWS_LEFT: f64 = 196.0;
const ROWS_TOP: f64 = 150.0;
/// Of more zones only the first have a strip.
const ZONES_MAX: usize = 4;
/// All strips of capacity together, px.
const CAPACITY: f64 = 40.0;
const CLUSTER: f64 = 52.0;
/// Lower edges of progress and cost, px.
const PROGRESS_BOTTOM: f64 = 436.0;
const COST_BOTTOM: f64 = 590.0;
/// Between two rows, px.
const ROW_GAP: f64 = 22.0;
/// A slice is drawn at least so wide, px.
const LEAST: f64 = 1.0;
/// From one save to the next that is drawn, px.
const SAVES_APART: f64 = 4.0;
/// Losses beyond these have neither line nor words.
const LOSSES_MAX: usize = 60;
const LEGEND_BASELINE: f64 = 695.0;
/// Within so many px of a curve nothing is lost by a straight line.
const TOLERANCE: f64 = 0.3;

const NAME_STYLE: TextStyle = TextStyle::semi_bold(TEXT_SIZE, INK);

/// The picture of one replication.
pub fn timeline(run: &OneRun, seed: u64) -> Drawing {
    let mut drawing = page(&title(run), &subtitle(run), &footer(run, seed));
    drawing.about = Some(run.index);
    let plot = Rect { left: ROWS_LEFT, top: ROWS_TOP, right: RIGHT_EDGE, bottom: COST_BOTTOM };
    let unit = TimeUnit::for_axis(run.outcome.elapsed.as_hours());
    let axis = Axis::linear(0.0, run.outcome.elapsed.as_hours() / unit.hours, (plot.left, plot.right), 10);
    let x = |at: SimTime| axis.place(at.since_submit().as_hours() / unit.hours);
    for (x, _) in axis.ticks() {
        drawing.line(vec![(x, plot.top), (x, plot.bottom)], Stroke::new(GRID, GRID_LINE));
    }
    let mut top = ROWS_TOP;
    if !run.zones.is_empty() {
        draw_capacity(&mut drawing, run, top, &x);
        top += CAPACITY + ROW_GAP;
    }
    draw_slices(&mut drawing, run, top, &x);
    let progress = Rect { top: top + CLUSTER + 2.0 * ROW_GAP, bottom: PROGRESS_BOTTOM, ..plot };
    draw_progress(&mut drawing, run, &progress, &x);
    draw_cost(&mut drawing, run, &Rect { top: PROGRESS_BOTTOM + 44.0, ..plot }, &x);
    draw_losses(&mut drawing, run, &Rect { top: top - 6.0, ..plot }, &progress, &x);
    bottom_axis(&mut drawing, &plot, &axis, &format!("Time since submit, {}", unit.sign), str::to_owned);
    draw_legend(&mut drawing, run);
    drawing
}

/// How much of the time was no training, and how much of that is billed.
fn title(run: &OneRun) -> String {
    let hours = |parts: &[Part]| -> f64 { parts.iter().map(|p| run.outcome.time.get(*p).as_hours()).sum() };
    let free = hours(&[Part::Queued, Part::Acquiring, Part::Provisioning]);
    let billed = hours(&[Part::Starting, Part::Restoring, Part::Lost, Part::Idle]);
    let elapsed = run.outcome.elapsed.as_hours();
    match (run.outcome.end, free + billed) {
        (End::Finished, waste) if waste < 0.01 * elapsed => {
            format!("This run trained nearly all of its {}", number::hours(elapsed))
        }
        (_, waste) => {
            let unbilled = if free > 0.0 {
                format!("; {} of that is not billed", number::hours(free))
            } else {
                ", all of it billed".to_owned()
            };
            format!("This run spent {} on interruptions and waiting{unbilled}", number::hours(waste))
        }
    }
}

fn subtitle(run: &OneRun) -> String {
    let number = number::count(run.replication);
    format!("One replication of {}, number {number}: {}", cleaned(&run.name), ended(run))
}

fn footer(run: &OneRun, seed: u64) -> String {
    let mut parts = vec![format!("replication {}, seed {seed}", number::count(run.replication))];
    if run.slices.iter().any(|slice| slice.part == Part::CheckpointStall) {
        parts.push("saves are drawn at least a pixel wide, not all where they are many".to_owned());
    }
    if run.zones.len() > ZONES_MAX {
        parts.push(format!("the first {ZONES_MAX} of {} zones", run.zones.len()));
    }
    parts.push("one run says how it may go, not how it goes".to_owned());
    parts.join(" · ")
}

/// The name of a row and what it shows, beside its middle.
fn name_row(drawing: &mut Drawing, middle: f64, name: &str, what: &str) {
    drawing.text(name, (LEFT_EDGE, middle - 3.0), Anchor::Start, NAME_STYLE);
    let style = TextStyle::regular(FOOTER_SIZE, MUTED);
    drawing.text(
        &style.shortened(what, ROWS_LEFT - LEFT_EDGE - 14.0),
        (LEFT_EDGE, middle + 16.0),
        Anchor::Start,
        style,
    );
}

fn draw_capacity(drawing: &mut Drawing, run: &OneRun, top: f64, x: &dyn Fn(SimTime) -> f64) {
    let shown = run.zones.len().min(ZONES_MAX);
    let what = match run.zones.as_slice() {
        [zone] => format!("Spot, {}", cleaned(&zone.name)),
        _ => format!("Spot, {shown} zones"),
    };
    name_row(drawing, top + CAPACITY / 2.0, "Capacity", &what);
    let pitch = CAPACITY / shown as f64;
    let gap = if shown > 1 { 2.0 } else { 0.0 };
    for (index, zone) in run.zones.iter().take(shown).enumerate() {
        let top = top + pitch * index as f64;
        let bottom = top + pitch - gap;
        for level in zone.levels.iter().filter(|level| level.nodes > 0) {
            let share = f64::from(level.nodes.min(run.nodes)) / f64::from(run.nodes);
            let (left, right) = (x(level.from), x(level.to));
            let area =
                Rect { left, right: right.max(left + LEAST), top: bottom - share * (bottom - top), bottom };
            drawing.bar(area, market_color(Market::Spot), 0.3);
        }
        drawing.line(vec![(ROWS_LEFT, bottom), (RIGHT_EDGE, bottom)], Stroke::new(AXIS, GRID_LINE));
    }
}

fn draw_slices(drawing: &mut Drawing, run: &OneRun, top: f64, x: &dyn Fn(SimTime) -> f64) {
    name_row(drawing, top + CLUSTER / 2.0, "Cluster", "what it does");
    let bottom = top + CLUSTER;
    let bar = |drawing: &mut Drawing, part: Part, from: f64, to: f64| {
        let area = Rect { left: from, right: to.max(from + LEAST), top, bottom };
        drawing.bar(area, color_of(part), 1.0);
    };
    // Slices of one kind that touch, saves between them left out, are one bar; saves lie over them.
    let mut open: Option<(Part, f64, f64)> = None;
    for slice in &run.slices {
        let (from, to) = (x(slice.from), x(slice.to));
        let is_hair = slice.part == Part::CheckpointStall && to - from < SAVES_APART;
        match &mut open {
            Some((_, _, end)) if is_hair => *end = to,
            Some((part, _, end)) if *part == slice.part => *end = to,
            _ => {
                if let Some((part, from, to)) = open.replace((slice.part, from, to)) {
                    bar(drawing, part, from, to);
                }
            }
        }
    }
    if let Some((part, from, to)) = open {
        bar(drawing, part, from, to);
    }
    let mut last = f64::NEG_INFINITY;
    for save in run.slices.iter().filter(|slice| slice.part == Part::CheckpointStall) {
        let (from, to) = (x(save.from), x(save.to));
        if from - last >= SAVES_APART {
            bar(drawing, Part::CheckpointStall, from, to);
            last = from;
        }
    }
}

fn color_of(part: Part) -> Color {
    let of = TIME_PARTS.iter().find(|time_part| time_part.index == part as usize);
    of.expect("every part has a colour").color
}

/// Grid lines and ticks of one of the small plots, its line, and a dot with words at the end.
fn draw_curve(drawing: &mut Drawing, area: &Rect, axis: &Axis, points: &[Point], color: Color, end: &str) {
    for (y, text) in axis.ticks() {
        drawing.line(vec![(area.left, y), (area.right, y)], Stroke::new(GRID, GRID_LINE));
        drawing.text(&text, (area.left - 10.0, y + 5.5), Anchor::End, TICK_STYLE);
    }
    drawing.line(simplified(points, TOLERANCE), Stroke::new(color, MEAN_LINE));
    if let Some(&(x, y)) = points.last() {
        drawing.dot((x, y), 5.0, color);
        drawing.text(end, (x, y - 13.0), Anchor::End, TextStyle::semi_bold(TEXT_SIZE, color));
    }
}

fn draw_progress(drawing: &mut Drawing, run: &OneRun, area: &Rect, x: &dyn Fn(SimTime) -> f64) {
    name_row(drawing, area.top + 14.0, "Progress", unit(run));
    let most = run.progress.iter().map(|(_, steps)| amount(run, *steps)).fold(0.0, f64::max);
    // Work is rounded up to whole steps: 20.0003 of 20 M samples need no further tick.
    let axis = Axis::linear(0.0, most / 1.001, (area.bottom, area.top), 2);
    let points: Vec<Point> =
        run.progress.iter().map(|&(at, steps)| (x(at), axis.place(amount(run, steps)))).collect();
    let end = if run.outcome.end == End::Finished { "done" } else { "not done" };
    draw_curve(drawing, area, &axis, &points, COMPUTING, end);
}

fn draw_cost(drawing: &mut Drawing, run: &OneRun, area: &Rect, x: &dyn Fn(SimTime) -> f64) {
    name_row(drawing, area.top + 14.0, "Cost", "so far, $");
    let most = run.spend.iter().map(|(_, usd)| usd.as_usd()).fold(0.0, f64::max);
    let axis = Axis::linear(0.0, most, (area.bottom, area.top), 2);
    let points: Vec<Point> = run.spend.iter().map(|(at, usd)| (x(*at), axis.place(usd.as_usd()))).collect();
    draw_curve(drawing, area, &axis, &points, INK, &number::usd(run.outcome.cost().as_usd()));
}

/// A dotted line at each loss that broke a gang, and beside it in the plot of progress what it took.
fn draw_losses(
    drawing: &mut Drawing,
    run: &OneRun,
    area: &Rect,
    progress: &Rect,
    x: &dyn Fn(SimTime) -> f64,
) {
    let style = TextStyle::semi_bold(TEXT_SIZE, color_of(Part::Lost));
    let baseline = progress.bottom - 9.0;
    let mut taken = progress.left;
    let broke = run.losses.iter().filter(|loss| loss.broke.is_some());
    for loss in broke.take(LOSSES_MAX) {
        let at = x(loss.at);
        let stroke = Stroke::new(color_of(Part::Lost), THIN_LINE);
        drawing.dashed(&[(at, area.top), (at, area.bottom)], DEADLINE_DASH, stroke);
        let words = match loss.lost.is_zero() {
            true => "nothing lost".to_owned(),
            false => format!("−{}", number::hours(loss.lost.as_hours())),
        };
        let room = style.room(&words);
        // Beside its line; not where the end of the curve has its words.
        let (left, anchor, from) = match at + 8.0 + room < progress.right - 60.0 {
            true => (at + 8.0, Anchor::Start, at + 8.0),
            false => (at - 8.0, Anchor::End, at - 8.0 - room),
        };
        if from >= taken {
            drawing.text(&words, (left, baseline), anchor, style);
            taken = from + room + 10.0;
        }
    }
}

/// The parts that occur.
fn draw_legend(drawing: &mut Drawing, run: &OneRun) {
    let style = TextStyle::regular(TEXT_SIZE, INK);
    let occurs = |part: &&TimePart| run.slices.iter().any(|slice| slice.part as usize == part.index);
    let parts: Vec<&TimePart> = TIME_PARTS.iter().filter(occurs).collect();
    let name = |part: &TimePart| match part.index {
        index if index == Part::Computing as usize => "training".to_owned(),
        index if index == Part::CheckpointStall as usize => "saving".to_owned(),
        _ => part.full_name(),
    };
    let width = |part: &&TimePart| 24.0 + style.room(&name(part));
    let all: f64 = parts.iter().map(width).sum();
    let gap = ((RIGHT_EDGE - LEFT_EDGE - all) / parts.len().max(1) as f64).min(30.0);
    let mut left = LEFT_EDGE;
    for part in parts {
        let bottom = LEGEND_BASELINE + 2.0;
        drawing.bar(Rect { left, right: left + 15.0, top: bottom - 15.0, bottom }, part.color, 1.0);
        drawing.text(&name(part), (left + 22.0, LEGEND_BASELINE), Anchor::Start, style);
        left += width(&part) + gap;
    }
}
