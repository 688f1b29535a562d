//! Where time goes: stacked hours a cluster, with a table beneath.

use super::PlotData;
use super::axis::Axis;
use super::drawing::{Drawing, Rect, Stroke};
use super::finding::where_time_goes;
use super::frame::{TICK_STYLE, begin};
use super::number::{TimeUnit, share, usd};
use super::series::{Series, left_out, series};
use super::text::{Anchor, TextStyle};
use super::theme::*;
use super::time_table::{MOST_COLUMNS, draw_columns, draw_rows};

/// Where bars and the kinds of time in the table begin, px.
pub(super) const BARS_LEFT: f64 = 276.0;
const BARS_TOP: f64 = 122.0;
/// Height of all bars together where clusters are few enough for a column each.
const BARS_HEIGHT: f64 = 204.0;
/// Where the text behind the longest bar has room, px.
const BARS_RIGHT: f64 = RIGHT_EDGE - 90.0;
/// Parts below this share have no number in the bar; the table has it.
const NAMED_FROM: f64 = 0.03;
const GAP: f64 = 1.2;

/// Mean elapsed time of a run, split into eleven parts that add up to it.
pub fn time_parts(data: &PlotData) -> Drawing {
    let series = series(data);
    let mut drawing = begin(
        data,
        &where_time_goes(&series),
        "Mean elapsed time of all runs, finished or not, split so that every second is in exactly one place",
        &notes(data, &series),
    );
    let longest = series.iter().map(Series::elapsed_h).fold(0.0, f64::max);
    if series.is_empty() || !longest.is_finite() || longest <= 0.0 {
        return drawing;
    }
    let unit = TimeUnit::for_axis(longest);
    let few = series.len() <= MOST_COLUMNS;
    let pitch = match series.len() as f64 {
        n if few => (BARS_HEIGHT / n).min(68.0),
        n => (228.0 / n).min(32.0),
    };
    let bottom = BARS_TOP + pitch * series.len() as f64;
    // The scale ends with the longest bar: ticks stand within, the bar's total behind it.
    let hours = longest / unit.hours;
    let scale = |value: f64| BARS_LEFT + value / hours * (BARS_RIGHT - BARS_LEFT);
    draw_scale(&mut drawing, hours, &scale, bottom, unit);
    for (index, series) in series.iter().enumerate() {
        let top = BARS_TOP + pitch * index as f64;
        drawing.of(series.number());
        let row = Rect { left: BARS_LEFT, top, right: BARS_RIGHT, bottom: top + pitch };
        draw_bar(&mut drawing, series, &row, &|h| scale(h / unit.hours), unit);
        if few {
            draw_tall_label(&mut drawing, series, &row);
        } else {
            draw_flat_label(&mut drawing, series, &row);
        }
    }
    drawing.of(None);
    drawing.page_bottom = bottom + 40.0;
    if few {
        draw_columns(&mut drawing, &series, unit, bottom + 70.0);
    } else {
        draw_rows(&mut drawing, &series, unit, bottom + 60.0, pitch);
    }
    drawing
}

fn notes(data: &PlotData, series: &[Series<'_>]) -> Vec<String> {
    let absent: Vec<String> = absent_parts(series).map(|part| part.full_name()).collect();
    let absent = match absent.as_slice() {
        _ if series.is_empty() => None,
        [] => None,
        [one] => Some(format!("{one} is 0 for all and left out")),
        [names @ .., last] => Some(format!("{} and {last} are 0 for all and left out", names.join(", "))),
    };
    absent.into_iter().chain(left_out(data)).collect()
}

/// The parts that are 0 for every cluster.
fn absent_parts<'a>(series: &'a [Series<'_>]) -> impl Iterator<Item = &'static TimePart> + 'a {
    TIME_PARTS.iter().filter(|part| series.iter().all(|s| s.cluster.time_h[part.index] == 0.0))
}

/// The parts that some cluster spends time in, in the order of the stack.
pub(super) fn present_parts<'a>(series: &'a [Series<'_>]) -> impl Iterator<Item = &'static TimePart> + 'a {
    TIME_PARTS.iter().filter(|part| series.iter().any(|s| s.cluster.time_h[part.index] != 0.0))
}

fn draw_scale(drawing: &mut Drawing, longest: f64, scale: &dyn Fn(f64) -> f64, bottom: f64, unit: TimeUnit) {
    let axis = Axis::linear(0.0, longest, (0.0, 1.0), 6);
    for (share, text) in axis.ticks() {
        let value = axis.value_at(share);
        if value <= longest * (1.0 + 1e-9) {
            let x = scale(value);
            drawing.line(vec![(x, BARS_TOP), (x, bottom)], Stroke::new(GRID, GRID_LINE));
            drawing.text(&text, (x, bottom + 21.0), Anchor::Middle, TICK_STYLE);
        }
    }
    drawing.text(unit.sign, (RIGHT_EDGE, bottom + 21.0), Anchor::End, TICK_STYLE);
}

fn draw_bar(
    drawing: &mut Drawing,
    series: &Series<'_>,
    row: &Rect,
    scale: &dyn Fn(f64) -> f64,
    unit: TimeUnit,
) {
    let margin = 0.16 * row.height();
    let (top, bottom) = (row.top + margin, row.bottom - margin);
    let size = TEXT_SIZE.min((bottom - top) * 0.9);
    let baseline = (top + bottom) / 2.0 + 0.36 * size;
    let total = series.elapsed_h();
    let mut before = 0.0;
    for part in &TIME_PARTS {
        let hours = series.cluster.time_h[part.index];
        let (left, right) = (scale(before), scale(before + hours));
        before += hours;
        // A part too thin for the gap keeps its width.
        let end = if right - left > 2.0 * GAP { right - GAP } else { right };
        drawing.bar(Rect { left, top, right: end, bottom }, part.color, 1.0);
        let told = format!("{} {}, {}", part.full_name(), unit.text(hours), share(hours / total));
        drawing.bar_spot(Rect { left, top, right, bottom }, vec![series.name.clone(), told]);
        let style = TextStyle::semi_bold(size, part.text);
        let text = unit.text(hours);
        let fits = style.room(&text) + 8.0 < end - left;
        if size >= FOOTER_SIZE && fits && hours >= NAMED_FROM * total {
            drawing.text(&text, ((left + end) / 2.0, baseline), Anchor::Middle, style);
        }
    }
    let style = TextStyle::semi_bold(LABEL_SIZE.min(size.max(FOOTER_SIZE) + 1.0), INK);
    drawing.text(&unit.text(total), (scale(total) + 10.0, baseline), Anchor::Start, style);
}

/// Name, and beneath it market and cost.
fn draw_tall_label(drawing: &mut Drawing, series: &Series<'_>, row: &Rect) {
    let room = BARS_LEFT - LEFT_EDGE - 4.0;
    let middle = (row.top + row.bottom) / 2.0;
    let name = TextStyle::semi_bold(LABEL_SIZE, series.color);
    drawing.text(&name.shortened(&series.short_name, room), (LEFT_EDGE, middle - 4.0), Anchor::Start, name);
    let cost =
        series.cluster.cost_per_finished_usd.map_or("never finished".to_owned(), |cost| usd(cost.value));
    let style = TextStyle::regular(TEXT_SIZE, INK);
    let text = style.shortened(&format!("{} · {cost}", series.market()), room);
    drawing.text(&text, (LEFT_EDGE, middle + 17.0), Anchor::Start, style);
}

/// Name only.
fn draw_flat_label(drawing: &mut Drawing, series: &Series<'_>, row: &Rect) {
    let room = BARS_LEFT - LEFT_EDGE - 4.0;
    let style = TextStyle::semi_bold(FOOTER_SIZE, series.color);
    let baseline = (row.top + row.bottom) / 2.0 + 5.0;
    drawing.text(&style.shortened(&series.name, room), (LEFT_EDGE, baseline), Anchor::Start, style);
}
