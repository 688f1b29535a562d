//! Labels and table of the makespan curves: where there is room between them.

use super::drawing::{Drawing, Point, Rect};
use super::label::Obstacles;
use super::makespan_ecdf::{Curve, Layout, steps};
use super::probability_table::Table;
use super::series::{Series, quantile};
use super::text::{Anchor, TextStyle};
use super::theme::*;

const LABEL_HEIGHT: f64 = 40.0;
/// A label in the plot may be this wide, px.
const LABEL_WIDTH: f64 = 270.0;

/// Where a label stands, and towards which side it leans.
pub(super) struct Label {
    area: Rect,
    anchor: Anchor,
}

/// Places for all labels and, where there is a deadline, for the table; else for the table alone, which
/// is then the legend; `None` if not even that has a place.
pub(super) fn place(
    layout: &Layout,
    curves: &[Curve<'_>],
    table: &Table,
) -> Option<(Vec<Label>, Option<Rect>)> {
    let mut lines: Vec<Vec<Point>> = curves.iter().map(|curve| steps(layout, curve)).collect();
    lines.extend(layout.deadline.iter().map(|(x, _)| vec![(*x, layout.plot.top), (*x, layout.plot.bottom)]));
    let obstacles = || {
        let boxes = layout.deadline_area().map(|(area, _)| area).into_iter().collect();
        Obstacles { boxes, lines: lines.clone(), areas: Vec::new() }
    };
    let mut around = obstacles();
    let labels: Option<Vec<Label>> =
        curves.iter().map(|curve| place_label(layout, curve, &mut around)).collect();
    match labels {
        Some(labels) if layout.deadline_h.is_none() => return Some((labels, None)),
        Some(labels) => {
            if let Some(area) = place_table(layout, table, &mut around) {
                return Some((labels, Some(area)));
            }
        }
        None => {}
    }
    place_table(layout, table, &mut obstacles()).map(|area| (Vec::new(), Some(area)))
}

fn place_label(layout: &Layout, curve: &Curve<'_>, around: &mut Obstacles) -> Option<Label> {
    let name = name_style(curve.series).room(&shown_name(curve.series));
    let width = name.max(market_style(curve.series).room(second_line(curve.series)));
    let area = around.take_first_free(label_places(layout, curve, width), &layout.plot)?;
    // It leans towards its curve.
    let share = (layout.plot.bottom - (area.top + area.bottom) / 2.0) / layout.plot.height();
    let passed = quantile(&curve.makespans, share).filter(|hours| hours.is_finite());
    let curve_x = passed.map_or(layout.plot.right, |hours| layout.place(hours, 0.0).0);
    let anchor = if area.left > curve_x { Anchor::Start } else { Anchor::End };
    Some(Label { area, anchor })
}

/// From the lower right upwards and to the left.
fn place_table(layout: &Layout, table: &Table, around: &mut Obstacles) -> Option<Rect> {
    let (width, height) = (table.width(), table.height());
    let places = (0..20).flat_map(|row| (0..30).map(move |column| (f64::from(row), f64::from(column)))).map(
        |(row, column)| {
            let top = layout.plot.bottom - 60.0 - height - row * 16.0;
            let left = layout.plot.right - 24.0 - width - column * 24.0;
            Rect { left, top, right: left + width, bottom: top + height }
        },
    );
    around.take_first_free(places, &layout.plot)
}

/// Places beside the curve, at some of the heights that it passes.
fn label_places(layout: &Layout, curve: &Curve<'_>, width: f64) -> Vec<Rect> {
    let most = curve.finished().len() as f64 / curve.makespans.len().max(1) as f64;
    let mut places = Vec::new();
    for share in [0.6, 0.45, 0.3, 0.75, 0.2, 0.88, 0.1] {
        let Some(hours) = quantile(&curve.makespans, share * most).filter(|hours| hours.is_finite()) else {
            // Nothing finished: above the flat line.
            let (top, left) = (layout.plot.bottom - LABEL_HEIGHT - 14.0, layout.plot.right - width - 10.0);
            let shift = share * layout.plot.width();
            places.push(Rect {
                left: left - shift,
                top,
                right: left + width - shift,
                bottom: top + LABEL_HEIGHT,
            });
            continue;
        };
        let (x, y) = layout.place(hours, share * most);
        for gap in [16.0, 30.0, 50.0] {
            for left in [x + gap, x - gap - width] {
                let top = y - LABEL_HEIGHT / 2.0;
                places.push(Rect { left, top, right: left + width, bottom: top + LABEL_HEIGHT });
            }
        }
    }
    places
}

fn name_style(series: &Series<'_>) -> TextStyle {
    TextStyle::semi_bold(LABEL_SIZE, series.color)
}

fn market_style(series: &Series<'_>) -> TextStyle {
    TextStyle::regular(TEXT_SIZE, series.color)
}

fn shown_name(series: &Series<'_>) -> String {
    name_style(series).shortened(&series.short_name, LABEL_WIDTH)
}

/// The market, unless the name says it.
fn second_line<'a>(series: &'a Series<'_>) -> &'a str {
    if series.short_name == series.name { "" } else { series.market() }
}

pub(super) fn draw_label(drawing: &mut Drawing, series: &Series<'_>, label: &Label) {
    drawing.of(series.number());
    let at = if label.anchor == Anchor::Start { label.area.left } else { label.area.right };
    drawing.text(&shown_name(series), (at, label.area.top + 15.0), label.anchor, name_style(series));
    drawing.text(second_line(series), (at, label.area.top + 36.0), label.anchor, market_style(series));
    drawing.of(None);
}
