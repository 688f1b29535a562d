//! One world as each policy goes through it: where it ran, and how far it got.

use super::Market as PlotMarket;
use super::axis::Axis;
use super::drawing::{Drawing, Point as Place, Rect, Stroke};
use super::frame::{TICK_STYLE, bottom_axis, page};
use super::policy_vs_deadline::look;
use super::text::{Anchor, TextStyle};
use super::theme::*;
use crate::experiment::curves::{PolicyRun, World};
use crate::report::number;

/// Left edge of the lanes, px.
const LANES_LEFT: f64 = 250.0;
const LANE: f64 = 22.0;
const PITCH: f64 = 33.0;
/// Upper edge of the plot of progress, px.
const PROGRESS_TOP: f64 = 452.0;
/// Room at the right for what a run cost, px.
const COSTS: f64 = 120.0;
/// A stay is drawn at least so wide, px.
const LEAST: f64 = 1.0;

/// The picture of `spotsim policies` for one world.
pub fn policy_runs(world: &World, seed: u64) -> Drawing {
    let subtitle = "Spot blue, On-Demand orange, nothing held: empty. Below: work done, dashed the even pace to the deadline";
    let deadline = number::chosen_hours(world.deadline_h);
    let footer = format!("{} · world {}, seed {seed}, deadline {deadline}", world.name, world.number);
    let mut drawing = page(&title(world), subtitle, &footer);
    let end_h = world.runs.iter().map(|run| run.end_h).fold(world.deadline_h, f64::max);
    let plot = Rect { left: LANES_LEFT, top: 128.0, right: RIGHT_EDGE - COSTS, bottom: PLOT_BOTTOM };
    let axis = Axis::spanning(0.0, end_h, (plot.left, plot.right), 8);
    draw_lanes(&mut drawing, world, &plot, &axis);
    draw_progress(&mut drawing, world, &plot, &axis);
    bottom_axis(&mut drawing, &plot, &axis, "Time since submit, h", str::to_owned);
    let x = axis.place(world.deadline_h);
    drawing.dashed(&[(x, plot.top), (x, plot.bottom)], DEADLINE_DASH, Stroke::new(INK, THIN_LINE));
    drawing.text(&format!("deadline {deadline}"), (x - 8.0, PROGRESS_TOP - 22.0), Anchor::End, TICK_STYLE);
    drawing
}

/// "In this world Greedy pays $24.10, Uniform Progress $21.00".
fn title(world: &World) -> String {
    let paid = |key: &str| {
        let run = world.runs.iter().find(|run| run.policy.key == key)?;
        let late = if run.met { "" } else { " and is late" };
        Some(format!("{} pays {}{late}", run.policy.title, number::usd(run.cost_usd)))
    };
    let told: Vec<String> = ["greedy", "uniform_progress"].into_iter().filter_map(paid).collect();
    format!("In one world {}", told.join(", "))
}

fn draw_lanes(drawing: &mut Drawing, world: &World, plot: &Rect, axis: &Axis) {
    let bar = |drawing: &mut Drawing, top: f64, (from, to): (f64, f64), color: Color, opacity: f64| {
        let (left, right) = (axis.place(from), axis.place(to));
        let area = Rect { left, right: right.max(left + LEAST), top, bottom: top + LANE };
        drawing.bar(area, color, opacity);
    };
    let label = |drawing: &mut Drawing, top: f64, text: &str, color: Color| {
        let style = TextStyle::semi_bold(TEXT_SIZE, color);
        drawing.text(text, (LEFT_EDGE, top + 17.0), Anchor::Start, style);
    };
    let top = plot.top + 6.0;
    label(drawing, top, "Spot can be had", INK);
    for &stretch in &world.capacity {
        bar(drawing, top, stretch, market_color(PlotMarket::Spot), 0.3);
    }
    for (index, run) in world.runs.iter().enumerate() {
        let top = top + PITCH * (index + 1) as f64;
        label(drawing, top, run.policy.title, look(run.policy.key).0);
        let line = top + LANE;
        drawing.line(vec![(plot.left, line), (plot.right, line)], Stroke::new(GRID, GRID_LINE));
        for &(from, to, market) in &run.held {
            bar(drawing, top, (from, to), market_color(market.into()), 1.0);
        }
        let late = if run.met { "" } else { ", late" };
        let cost = format!("{}{late}", number::usd(run.cost_usd));
        drawing.text(&cost, (plot.right + 14.0, top + 17.0), Anchor::Start, TICK_STYLE);
    }
}

fn draw_progress(drawing: &mut Drawing, world: &World, plot: &Rect, axis: &Axis) {
    let share = Axis::linear(0.0, 100.0, (plot.bottom, PROGRESS_TOP), 4);
    for (y, text) in share.ticks() {
        drawing.line(vec![(plot.left, y), (plot.right, y)], Stroke::new(GRID, GRID_LINE));
        drawing.text(&format!("{text} %"), (plot.left - 12.0, y + 6.0), Anchor::End, TICK_STYLE);
    }
    drawing.text(
        "Work done",
        (LEFT_EDGE, PROGRESS_TOP + 6.0),
        Anchor::Start,
        TextStyle::semi_bold(TEXT_SIZE, INK),
    );
    let pace = [(axis.place(0.0), share.place(0.0)), (axis.place(world.deadline_h), share.place(100.0))];
    drawing.dashed(&pace, FRONT_DASH, Stroke::new(AXIS, THIN_LINE));
    let place = |&(h, done): &(f64, f64)| -> Place { (axis.place(h), share.place(100.0 * done)) };
    for run in &world.runs {
        let (color, dash) = look(run.policy.key);
        let line: Vec<Place> =
            run.progress.iter().map(place).chain(end_of(run).as_ref().map(place)).collect();
        drawing.dashed(&line, dash, Stroke::new(color, 2.0));
    }
}

/// A run that ends waiting goes on flat to its end.
fn end_of(run: &PolicyRun) -> Option<(f64, f64)> {
    run.progress.last().map(|(_, share)| (run.end_h, *share))
}
