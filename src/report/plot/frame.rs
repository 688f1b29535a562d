//! What all plots have about the data: title, subtitle, footer, axes, deadline.

use super::PlotData;
use super::axis::Axis;
use super::drawing::{Drawing, Rect, Stroke};
use super::number::chosen_time;
use super::text::{Anchor, TextStyle, cleaned};
use super::theme::*;

pub(super) const TICK_STYLE: TextStyle = TextStyle::regular(TEXT_SIZE, MUTED);
pub(super) const TITLE_STYLE: TextStyle = TextStyle::semi_bold(TITLE_SIZE, INK);
const SUBTITLE_STYLE: TextStyle = TextStyle::regular(SUBTITLE_SIZE, MUTED);
const FOOTER_STYLE: TextStyle = TextStyle::regular(FOOTER_SIZE, MUTED);
/// For a title, px: in a wide font it may reach into the right margin.
pub(super) const TITLE_ROOM: f64 = WIDTH - 8.0 - LEFT_EDGE;
/// For subtitle and footer, px.
const ROOM: f64 = RIGHT_EDGE - LEFT_EDGE;
/// From an axis to its tick labels, px.
const TICK_GAP: f64 = 12.0;

/// A picture with its three lines of text and no data.
pub(super) fn begin(data: &PlotData, title: &str, subtitle: &str, notes: &[String]) -> Drawing {
    page(title, subtitle, &footer(data, notes, ROOM))
}

/// How a title is set: a long one a little smaller.
fn title_style(title: &str) -> TextStyle {
    const SMALLER: TextStyle = TextStyle::semi_bold(22.0, INK);
    if TITLE_STYLE.room(title) <= TITLE_ROOM { TITLE_STYLE } else { SMALLER }
}

/// Whether a title is not cut.
pub(super) fn title_fits(title: &str) -> bool {
    title_style(title).room(title) <= TITLE_ROOM
}

/// The same with a footer of one's own; what is too long is cut.
pub(super) fn page(title: &str, subtitle: &str, footer: &str) -> Drawing {
    let style = title_style(title);
    let title = style.shortened(title, TITLE_ROOM);
    let (marks, spots) = (Vec::new(), Vec::new());
    let mut drawing = Drawing { title: title.clone(), marks, spots, about: None, page_bottom: HEIGHT - 10.0 };
    drawing.bar(Rect { left: 0.0, top: 0.0, right: WIDTH, bottom: HEIGHT }, BACKGROUND, 1.0);
    drawing.text(&title, (LEFT_EDGE, 60.0), Anchor::Start, style);
    let subtitle = SUBTITLE_STYLE.shortened(subtitle, ROOM);
    drawing.text(&subtitle, (LEFT_EDGE, 93.0), Anchor::Start, SUBTITLE_STYLE);
    let footer = FOOTER_STYLE.shortened(footer, ROOM);
    drawing.text(&footer, (LEFT_EDGE, 730.0), Anchor::Start, FOOTER_STYLE);
    drawing
}

/// The scenario's title, if the conditions and notes leave room for it, and these.
fn footer(data: &PlotData, notes: &[String], room: f64) -> String {
    let mut parts = vec![cleaned(&data.footer)];
    parts.extend_from_slice(notes);
    parts.retain(|part| !part.is_empty());
    let conditions = parts.join(" · ");
    let title = cleaned(&data.title);
    let left = room - FOOTER_STYLE.room(&format!(" · {conditions}"));
    // Less than most of a title says nothing.
    if title.is_empty() || left < 0.6 * FOOTER_STYLE.room(&title) {
        return FOOTER_STYLE.shortened(&conditions, room);
    }
    format!("{} · {conditions}", FOOTER_STYLE.shortened(&title, left))
}

/// Where the plotted area begins so that the longest tick label of its left axis has room, px.
pub(super) fn left_of_plot(axis: &Axis, label: impl Fn(&str) -> String) -> f64 {
    let widest = axis.ticks().iter().map(|(_, text)| TICK_STYLE.room(&label(text))).fold(0.0, f64::max);
    PLOT_LEFT.max(LEFT_EDGE + widest + TICK_GAP)
}

/// Grid lines and labels of the left axis, and its title flat above.
pub(super) fn left_axis(
    drawing: &mut Drawing,
    plot: &Rect,
    axis: &Axis,
    title: &str,
    label: impl Fn(&str) -> String,
) {
    for (y, text) in axis.ticks() {
        drawing.line(vec![(plot.left, y), (plot.right, y)], Stroke::new(GRID, GRID_LINE));
        drawing.text(&label(&text), (plot.left - TICK_GAP, y + 6.0), Anchor::End, TICK_STYLE);
    }
    drawing.text(title, (LEFT_EDGE, plot.top - 22.0), Anchor::Start, TICK_STYLE);
}

/// Line, ticks and labels of the bottom axis, and its title right-aligned beneath.
pub(super) fn bottom_axis(
    drawing: &mut Drawing,
    plot: &Rect,
    axis: &Axis,
    title: &str,
    label: impl Fn(&str) -> String,
) {
    let stroke = Stroke::new(AXIS, THIN_LINE);
    drawing.line(vec![(plot.left, plot.bottom), (plot.right, plot.bottom)], stroke);
    for (x, text) in axis.ticks() {
        drawing.line(vec![(x, plot.bottom), (x, plot.bottom + 6.0)], stroke);
        drawing.text(&label(&text), (x, plot.bottom + 28.0), Anchor::Middle, TICK_STYLE);
    }
    drawing.text(title, (plot.right, plot.bottom + 56.0), Anchor::End, TICK_STYLE);
}

/// The text beside the deadline's line.
pub(super) fn deadline_text(hours: f64) -> String {
    format!("deadline {}", chosen_time(hours))
}
