//! The table beneath the stacked hours, which is also their legend: a column a cluster, or a row a
//! cluster where they are many.

use super::drawing::{Drawing, Rect, Stroke};
use super::number::{TimeUnit, fixed, share};
use super::series::Series;
use super::text::{Anchor, TextStyle};
use super::theme::*;
use super::time_parts::{BARS_LEFT, present_parts};

/// Up to so many clusters have a column each.
pub(super) const MOST_COLUMNS: usize = 4;
const ROW: f64 = 24.6;
const SWATCH: f64 = 15.0;
/// From the left edge to a part's name, px.
const NAME_LEFT: f64 = LEFT_EDGE + 26.0;

const HEAD_STYLE: TextStyle = TextStyle::regular(TEXT_SIZE, MUTED);
const NAME_STYLE: TextStyle = TextStyle::regular(TEXT_SIZE, INK);
const AMOUNT_STYLE: TextStyle = NAME_STYLE.tabular();
const SHARE_STYLE: TextStyle = TextStyle::regular(15.0, MUTED).tabular();
const SMALL_AMOUNT_STYLE: TextStyle = TextStyle::regular(FOOTER_SIZE, INK).tabular();
const SMALL_HEAD_STYLE: TextStyle = TextStyle::regular(FOOTER_SIZE, MUTED);

/// A row a part, a column a cluster: hours and their share.
pub(super) fn draw_columns(drawing: &mut Drawing, series: &[Series<'_>], unit: TimeUnit, head: f64) {
    let kinds_width = 190.0;
    let column = (RIGHT_EDGE - BARS_LEFT - kinds_width) / series.len() as f64;
    let right = |index: usize| BARS_LEFT + kinds_width + column * (index + 1) as f64;
    drawing.text(
        &format!("Mean, {} (share of the whole)", unit.sign),
        (LEFT_EDGE, head),
        Anchor::Start,
        HEAD_STYLE,
    );
    for (index, series) in series.iter().enumerate() {
        let style = TextStyle::semi_bold(TEXT_SIZE, series.color);
        let name = style.shortened(&series.short_name, column - 10.0);
        drawing.text(&name, (right(index), head), Anchor::End, style);
    }
    let rule = Stroke::new(AXIS, GRID_LINE);
    drawing.line(vec![(LEFT_EDGE, head + 11.0), (RIGHT_EDGE, head + 11.0)], rule);
    let mut kind_above = "";
    for (row, part) in present_parts(series).enumerate() {
        let baseline = head + 36.0 + ROW * row as f64;
        let top = baseline - 13.0;
        let swatch = Rect { left: LEFT_EDGE, top, right: LEFT_EDGE + SWATCH, bottom: top + SWATCH };
        drawing.bar(swatch, part.color, 1.0);
        drawing.text(&part.full_name(), (NAME_LEFT, baseline), Anchor::Start, NAME_STYLE);
        if part.kind != kind_above {
            drawing.text(part.kind, (BARS_LEFT, baseline), Anchor::Start, HEAD_STYLE);
            kind_above = part.kind;
        }
        for (index, series) in series.iter().enumerate() {
            let hours = series.cluster.time_h[part.index];
            if hours == 0.0 {
                drawing.text("–", (right(index) - 64.0, baseline), Anchor::End, HEAD_STYLE);
                continue;
            }
            drawing.text(&amount(hours, unit), (right(index) - 64.0, baseline), Anchor::End, AMOUNT_STYLE);
            let text = share(hours / series.elapsed_h());
            drawing.text(&text, (right(index), baseline), Anchor::End, SHARE_STYLE);
        }
    }
}

/// A row a cluster, a column a part: hours.
pub(super) fn draw_rows(drawing: &mut Drawing, series: &[Series<'_>], unit: TimeUnit, head: f64, pitch: f64) {
    let parts: Vec<&TimePart> = present_parts(series).collect();
    let left = LEFT_EDGE + 150.0;
    let column = (RIGHT_EDGE - left) / parts.len().max(1) as f64;
    drawing.text(&format!("Mean, {}", unit.sign), (LEFT_EDGE, head + 14.0), Anchor::Start, SMALL_HEAD_STYLE);
    let right = |index: usize| left + column * (index + 1) as f64;
    for (index, part) in parts.iter().enumerate() {
        let [first, second] = part.name;
        let (upper, lower) = if second.is_empty() { ("", first) } else { (first, second) };
        drawing.text(upper, (right(index), head - 3.0), Anchor::End, SMALL_HEAD_STYLE);
        drawing.text(lower, (right(index), head + 14.0), Anchor::End, SMALL_HEAD_STYLE);
        let swatch =
            Rect { left: right(index) - 30.0, top: head + 20.0, right: right(index), bottom: head + 26.0 };
        drawing.bar(swatch, part.color, 1.0);
    }
    let room = 150.0 + column * 0.2;
    for (row, series) in series.iter().enumerate() {
        let baseline = head + 42.0 + pitch.min(22.0) * row as f64;
        let style = TextStyle::semi_bold(FOOTER_SIZE, series.color);
        drawing.text(&style.shortened(&series.short_name, room), (LEFT_EDGE, baseline), Anchor::Start, style);
        for (index, part) in parts.iter().enumerate() {
            let hours = series.cluster.time_h[part.index];
            let text = if hours == 0.0 { "–".to_owned() } else { amount(hours, unit) };
            drawing.text(&text, (right(index), baseline), Anchor::End, SMALL_AMOUNT_STYLE);
        }
    }
}

/// Hours in the unit of the axis; what is there but rounds to nothing is `< 0.01`.
fn amount(hours: f64, unit: TimeUnit) -> String {
    let value = hours / unit.hours;
    if value > 0.0 && value < 0.005 {
        return "< 0.01".to_owned();
    }
    fixed(value, if value < 99.995 { 2 } else { 1 })
}
