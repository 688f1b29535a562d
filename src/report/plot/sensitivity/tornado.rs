//! A tornado: a bar an input, from the result at one end of its range to that at the other.

use super::super::Drawing;
use super::super::axis::Axis;
use super::super::drawing::{Rect, Stroke};
use super::super::frame::{TICK_STYLE, page};
use super::super::text::{Anchor, TextStyle, cleaned};
use super::super::theme::*;
use super::{NAME_STYLE, ROWS_LEFT, ROWS_MAX, ROWS_TOP, footer, rows};
use crate::experiment::sensitivity::{Bar, Finding};
use crate::report::sensitivity::{SensitivityView, level, result_name};
use crate::report::sweep::rounded;

const LOW: Color = SERIES[1];
const HIGH: Color = SERIES[0];
/// Beyond both ends of the axis a value of an input has room, px.
const END_ROOM: f64 = 120.0;
const END_STYLE: TextStyle = TextStyle::regular(FOOTER_SIZE, MUTED);

/// Bars about the result as the scenario has it, the widest first, each end named by the input's value there.
pub(super) fn tornado(view: &SensitivityView<'_>, finding: &Finding, base: f64, bars: &[Bar]) -> Drawing {
    let shown: Vec<&Bar> = bars.iter().take(ROWS_MAX).collect();
    let subtitle = format!(
        "{} as the scenario has it; each input alone at its 5th (teal) and its 95th percentile (purple)",
        level(&finding.result, base, view.replications)
    );
    let mut drawing = page(&title(view, finding, bars), &subtitle, &footer(view, finding, shown.len()));
    let ends = shown.iter().flat_map(|bar| [bar.at_low, bar.at_high]).chain([base]);
    let (least, most) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, m), x| (l.min(x), m.max(x)));
    if least >= most {
        return drawing;
    }
    let axis = Axis::linear(least, most, (ROWS_LEFT + END_ROOM, RIGHT_EDGE - END_ROOM), 6);
    let rows = rows(shown.len());
    let bottom = rows.last().map_or(ROWS_TOP, |row| row.bottom);
    // A page says itself what the footer says.
    drawing.page_bottom = bottom + 40.0;
    for (x, text) in ticks(&axis, &finding.result) {
        drawing.line(vec![(x, ROWS_TOP - 6.0), (x, bottom)], Stroke::new(GRID, GRID_LINE));
        drawing.text(&text, (x, bottom + 24.0), Anchor::Middle, TICK_STYLE);
    }
    let middle = axis.place(base);
    for (bar, row) in shown.iter().zip(&rows) {
        draw_row(&mut drawing, view, bar, row, &axis, middle);
        drawing.bar_spot(*row, told(view, finding, bar));
    }
    drawing.line(vec![(middle, ROWS_TOP - 6.0), (middle, bottom)], Stroke::new(INK, THIN_LINE));
    drawing
}

/// What a row stands for: the result with the input at both ends of its range.
fn told(view: &SensitivityView<'_>, finding: &Finding, bar: &Bar) -> Vec<String> {
    let input = &view.inputs[bar.input];
    let end = |value: &str, at: f64| {
        format!("{}: {}", cleaned(&rounded(value)), level(&finding.result, at, view.replications))
    };
    vec![cleaned(&input.name), end(&input.low, bar.at_low), end(&input.high, bar.at_high)]
}

/// Ticks with the sign of a dollar, or their unit.
fn ticks(axis: &Axis, result: &str) -> Vec<(f64, String)> {
    let has = |word: &str| result.split('_').any(|part| part == word);
    let of = |text: String| match (has("usd"), has("h")) {
        (true, _) => format!("${text}"),
        (_, true) => format!("{text} h"),
        _ => text,
    };
    axis.ticks().into_iter().map(|(x, text)| (x, of(text))).collect()
}

fn draw_row(
    drawing: &mut Drawing,
    view: &SensitivityView<'_>,
    bar: &Bar,
    row: &Rect,
    axis: &Axis,
    base: f64,
) {
    let input = &view.inputs[bar.input];
    let (middle, half) = ((row.top + row.bottom) / 2.0, (0.32 * row.height()).min(18.0));
    let name = NAME_STYLE.shortened(&cleaned(&input.name), ROWS_LEFT - LEFT_EDGE - 16.0);
    drawing.text(&name, (LEFT_EDGE, middle + 6.0), Anchor::Start, NAME_STYLE);
    let (low, high) = (axis.place(bar.at_low), axis.place(bar.at_high));
    // Where both ends lie on one side of today's value, each has half of the height.
    let same_side = (low - base) * (high - base) > 0.0;
    let ends = [(low, &input.low, LOW, -1.0), (high, &input.high, HIGH, 1.0)];
    for (x, value, color, side) in ends {
        let (top, bottom) = match (same_side, side < 0.0) {
            (false, _) => (middle - half, middle + half),
            (true, true) => (middle - half, middle - 0.6),
            (true, false) => (middle + 0.6, middle + half),
        };
        drawing.bar(Rect { left: x.min(base), top, right: x.max(base), bottom }, color, 1.0);
        let value = END_STYLE.shortened(&cleaned(&rounded(value)), END_ROOM - 12.0);
        let baseline = (top + bottom) / 2.0 + 5.0;
        let to_left = x < base || (x == base && side < 0.0);
        let (x, anchor) = if to_left { (x - 8.0, Anchor::End) } else { (x + 8.0, Anchor::Start) };
        drawing.text(&value, (x, baseline), anchor, END_STYLE);
    }
}

/// "uptime moves cost per finished run from $11.65 to $14.35".
fn title(view: &SensitivityView<'_>, finding: &Finding, bars: &[Bar]) -> String {
    let result = result_name(&finding.result);
    let cluster = cleaned(&finding.cluster);
    match bars.first().filter(|bar| bar.width() > 0.0) {
        None => format!("{cluster}: {result} moves with none of these inputs"),
        Some(bar) => {
            let (low, high) = (bar.at_low.min(bar.at_high), bar.at_low.max(bar.at_high));
            let [low, high] = [low, high].map(|value| level(&finding.result, value, view.replications));
            format!(
                "{cluster}: {} moves {result} from {low} to {high}",
                cleaned(&view.inputs[bar.input].name)
            )
        }
    }
}
