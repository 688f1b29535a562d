//! Shares of the variance: two bars an input, with whiskers.

use super::super::Drawing;
use super::super::axis::Axis;
use super::super::drawing::{Rect, Stroke};
use super::super::frame::{TICK_STYLE, page};
use super::super::number::fixed;
use super::super::text::{Anchor, TextStyle, cleaned};
use super::super::theme::*;
use super::{ROWS_LEFT, ROWS_MAX, ROWS_TOP, footer, row_label, rows};
use crate::experiment::sensitivity::{Estimate, Finding, Indices};
use crate::report::sensitivity::{SensitivityView, result_name};

const TOTAL: Color = SERIES[0];
const FIRST: Color = SERIES[1];
/// Behind the longest bar a number has room, px.
const NUMBER_ROOM: f64 = 130.0;

/// ST above S1 for every input, the largest ST first.
pub(super) fn indices(view: &SensitivityView<'_>, finding: &Finding, found: &Indices) -> Drawing {
    let order: Vec<usize> =
        view.ranked(|input| found.total[input].value).into_iter().take(ROWS_MAX).collect();
    let subtitle = "Share of the variance between points: upper bar with all others (ST), lower alone (S1); 95 % intervals";
    let title = title(view, finding, found, &order);
    let mut drawing = page(&title, subtitle, &footer(view, finding, order.len()));
    let of_both = order.iter().flat_map(|&input| [found.total[input], found.first[input]]);
    let (least, most) = of_both.fold((0.0_f64, 0.0_f64), |(least, most), index| {
        let interval = index.interval();
        (least.min(interval.low), most.max(interval.high))
    });
    if most <= least {
        return drawing;
    }
    let axis = Axis::linear(least, most, (ROWS_LEFT, RIGHT_EDGE - NUMBER_ROOM), 6);
    let rows = rows(order.len());
    let bottom = rows.last().map_or(ROWS_TOP, |row| row.bottom);
    // A page says itself what the footer says.
    drawing.page_bottom = bottom + 40.0;
    for (x, text) in axis.ticks() {
        drawing.line(vec![(x, ROWS_TOP - 6.0), (x, bottom)], Stroke::new(GRID, GRID_LINE));
        drawing.text(&text, (x, bottom + 24.0), Anchor::Middle, TICK_STYLE);
    }
    let zero = axis.place(0.0);
    drawing.line(vec![(zero, ROWS_TOP - 6.0), (zero, bottom)], Stroke::new(AXIS, THIN_LINE));
    for (&input, row) in order.iter().zip(&rows) {
        row_label(&mut drawing, &view.inputs[input], row);
        let (middle, half) = ((row.top + row.bottom) / 2.0, 0.36 * row.height());
        let both = [(found.total[input], TOTAL, "ST"), (found.first[input], FIRST, "S1")];
        for (place, (index, color, name)) in both.into_iter().enumerate() {
            let top = middle - half + half * place as f64 + 0.6;
            bar(&mut drawing, &axis, index, (top, top + half - 1.2), color, name);
        }
        drawing.bar_spot(*row, told(view, input, found));
    }
    drawing
}

/// What a row stands for: both indices with their intervals.
fn told(view: &SensitivityView<'_>, input: usize, found: &Indices) -> Vec<String> {
    let with_interval = |name: &str, of: Estimate| {
        let interval = of.interval();
        let [value, low, high] = [interval.value, interval.low, interval.high].map(|x| fixed(x, 2));
        format!("{name} {value}, {low} to {high}")
    };
    vec![
        cleaned(&view.inputs[input].name),
        with_interval("ST", found.total[input]),
        with_interval("S1", found.first[input]),
    ]
}

fn bar(
    drawing: &mut Drawing,
    axis: &Axis,
    index: Estimate,
    (top, bottom): (f64, f64),
    color: Color,
    name: &str,
) {
    let (zero, end) = (axis.place(0.0), axis.place(index.value));
    drawing.bar(Rect { left: zero.min(end), top, right: zero.max(end), bottom }, color, 1.0);
    let (interval, middle) = (index.interval(), (top + bottom) / 2.0);
    let whisker = vec![(axis.place(interval.low), middle), (axis.place(interval.high), middle)];
    drawing.line(whisker, Stroke::new(INK, THIN_LINE));
    let style = TextStyle::semi_bold(FOOTER_SIZE.min(bottom - top + 1.0), color);
    let x = axis.place(interval.high).max(end).max(zero) + 8.0;
    drawing.text(
        &format!("{name} {}", fixed(index.value, 2)),
        (x, middle + 0.36 * style.size),
        Anchor::Start,
        style,
    );
}

/// "Spot: cost per finished run is driven by uptime (ST 0.64)".
fn title(view: &SensitivityView<'_>, finding: &Finding, found: &Indices, order: &[usize]) -> String {
    let (cluster, result) = (cleaned(&finding.cluster), result_name(&finding.result));
    match order.first().filter(|&&input| found.total[input].value > 0.0) {
        None => format!("{cluster}: {result} hangs on none of these inputs"),
        Some(&input) => {
            let (name, total) = (cleaned(&view.inputs[input].name), fixed(found.total[input].value, 2));
            format!("{cluster}: {result} is driven by {name} (ST {total})")
        }
    }
}
