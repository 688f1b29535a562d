//! How long uptimes or stays last: survival curves, and laws fitted to them.

use super::Market;
use super::axis::Axis;
use super::drawing::{Drawing, Point, Rect, Stroke, simplified};
use super::frame::{bottom_axis, left_axis, page};
use super::number::TimeUnit;
use super::text::{Anchor, TextStyle};
use super::theme::*;
use crate::report::number;
use crate::report::trace::stats::Described;
use crate::trace::fit::Fit;
use crate::trace::stats::{Pooled, Survival};

const LEGEND_STYLE: TextStyle = TextStyle::regular(TEXT_SIZE, INK);
const LAW_DASH: Dash = &[9.0, 5.0];
const MEMORYLESS_DASH: Dash = &[2.5, 5.0];
/// Points of a law's curve.
const POINTS: usize = 200;
/// How far a curve may be from its simplified form, px.
const TOLERANCE: f64 = 0.3;

/// Share that lasts longer, against time; `None` where nothing was seen to begin.
pub fn survival(found: &Described) -> Option<Drawing> {
    let pooled = found.pooled.as_ref()?;
    let curve = &pooled.survival;
    let shortest = curve.steps.get(1).map_or(curve.longest_h, |(h, _)| *h);
    let low = (0.5 * shortest).max(1e-4 * curve.longest_h);
    let unit = TimeUnit::for_axis((low * curve.longest_h).sqrt());
    let plot = Rect { left: PLOT_LEFT, top: PLOT_TOP, right: RIGHT_EDGE, bottom: PLOT_BOTTOM };
    let high = curve.longest_h.max(2.0 * low);
    let x = Axis::logarithmic(low / unit.hours, high / unit.hours, (plot.left, plot.right), 9);
    let y = Axis::linear(0.0, 100.0, (plot.bottom, plot.top), 6);
    let mut drawing = page(&title(found, pooled), &subtitle(found), &footer(curve));
    let of = if found.zones.is_empty() { "stays" } else { "uptimes" };
    left_axis(&mut drawing, &plot, &y, &format!("Share of {of} that last longer"), |text| {
        format!("{text} %")
    });
    bottom_axis(&mut drawing, &plot, &x, &format!("Length, {}", unit.sign), str::to_owned);
    let at = |h: f64, share: f64| (x.place(h / unit.hours), y.place(100.0 * share));
    draw_band(&mut drawing, curve, at);
    let others = found.zones.iter().filter_map(|(_, zone, _)| zone.survival.as_ref());
    if found.zones.len() > 1 {
        for other in others {
            let stroke = Stroke { opacity: 0.8, ..Stroke::new(NEUTRAL, THIN_LINE) };
            drawing.line(simplified(&steps(other, at), TOLERANCE), stroke);
        }
    }
    drawing
        .line(simplified(&steps(curve, at), TOLERANCE), Stroke::new(market_color(Market::Spot), DATA_LINE));
    let mut law = |fit: &Fit, dash: Dash, color: Color| {
        let points = (0..=POINTS).map(|k| {
            let h = x.value_at(k as f64 / POINTS as f64) * unit.hours;
            at(h, fit.survival(3_600.0 * h))
        });
        let points: Vec<Point> = simplified(&points.collect::<Vec<_>>(), TOLERANCE);
        drawing.dashed(&points, dash, Stroke::new(color, MEAN_LINE));
    };
    if let Some(fit) = &pooled.exponential {
        law(fit, MEMORYLESS_DASH, BOUND);
    }
    if let Some(fit) =
        pooled.best.as_ref().filter(|fit| Some(fit.family) != pooled.exponential.as_ref().map(|e| e.family))
    {
        law(fit, LAW_DASH, market_color(Market::OnDemand));
    }
    draw_legend(&mut drawing, found, pooled, &plot);
    Some(drawing)
}

/// Corners of the curve, from the left edge on.
fn steps(curve: &Survival, at: impl Fn(f64, f64) -> Point) -> Vec<Point> {
    let mut points = Vec::with_capacity(2 * curve.steps.len());
    let mut before = 1.0;
    for &(h, share) in &curve.steps {
        points.push(at(h, before));
        points.push(at(h, share));
        before = share;
    }
    points.push(at(curve.longest_h, before));
    points
}

fn draw_band(drawing: &mut Drawing, curve: &Survival, at: impl Fn(f64, f64) -> Point) {
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    let mut before = (1.0, 1.0);
    for (&(h, _), &(low, high)) in curve.steps.iter().zip(&curve.intervals) {
        lower.extend([at(h, before.0), at(h, low)]);
        upper.extend([at(h, before.1), at(h, high)]);
        before = (low, high);
    }
    lower.push(at(curve.longest_h, before.0));
    upper.push(at(curve.longest_h, before.1));
    let (mut points, mut back) = (simplified(&upper, TOLERANCE), simplified(&lower, TOLERANCE));
    back.reverse();
    points.extend(back);
    drawing.polygon(points, market_color(Market::Spot), BAND_OPACITY);
}

fn title(found: &Described, pooled: &Pooled) -> String {
    let what = if found.zones.is_empty() { "stays" } else { "uptimes" };
    let median = pooled.survival.steps.iter().find(|(_, share)| *share <= 0.5).map(|(h, _)| *h);
    let median = median.map_or_else(
        || format!("More than half of the {what} outlast the recording"),
        |h| format!("Half of the {what} last {} or longer", number::hours(h)),
    );
    match (&pooled.best, &pooled.exponential) {
        (Some(best), Some(exponential)) if exponential.aic() - best.aic() >= 2.0 => {
            format!("{median}; a {} law fits best", best.family.name())
        }
        (Some(_), Some(_)) => format!("{median}; a law without memory fits them"),
        _ => format!("{median}; too few ends to fit a law"),
    }
}

fn subtitle(found: &Described) -> String {
    match found.zones.len() {
        0 => "Kaplan-Meier estimate of stays of nodes, and laws fitted to them".to_owned(),
        1 => "Kaplan-Meier estimate of uptimes, and laws fitted to them".to_owned(),
        zones => {
            format!("Kaplan-Meier estimates of the uptimes of {zones} zones, and laws fitted to all together")
        }
    }
}

fn footer(curve: &Survival) -> String {
    format!(
        "{} ends seen, {} cut off · band: 95 % interval of the share (Greenwood), pointwise",
        number::count(curve.ended),
        number::count(curve.cut_off)
    )
}

/// What each line is, in the upper right corner, where curves that fall are not.
fn draw_legend(drawing: &mut Drawing, found: &Described, pooled: &Pooled, plot: &Rect) {
    let law = |fit: &Fit| {
        let numbers = fit.parameters.iter().map(|parameter| match parameter.is_time {
            true => format!("{} {}", parameter.name, number::hours(parameter.value / 3_600.0)),
            false => format!("{} {}", parameter.name, number::fixed(parameter.value, 2)),
        });
        format!("{}: {}", fit.family.name(), numbers.collect::<Vec<_>>().join(", "))
    };
    let all = if found.zones.len() > 1 { "all zones together" } else { "as recorded" };
    let mut entries = vec![(all.to_owned(), SOLID, market_color(Market::Spot), DATA_LINE)];
    if found.zones.len() > 1 {
        entries.push(("single zones".to_owned(), SOLID, NEUTRAL, THIN_LINE));
    }
    let memoryless = pooled.exponential.as_ref();
    if let Some(fit) = pooled.best.as_ref().filter(|fit| memoryless.is_none_or(|e| e.family != fit.family)) {
        entries.push((law(fit), LAW_DASH, market_color(Market::OnDemand), MEAN_LINE));
    }
    entries.extend(memoryless.map(|fit| (law(fit), MEMORYLESS_DASH, BOUND, MEAN_LINE)));
    let room = entries.iter().map(|(text, ..)| LEGEND_STYLE.room(text)).fold(0.0, f64::max);
    let left = plot.right - room - 60.0;
    let height = 26.0 * entries.len() as f64 + 12.0;
    let area = Rect { left: left - 10.0, top: plot.top + 4.0, right: plot.right, bottom: plot.top + height };
    drawing.bar(area, BACKGROUND, 0.9);
    for (index, (text, dash, color, width)) in entries.into_iter().enumerate() {
        let y = plot.top + 20.0 + 26.0 * index as f64;
        drawing.dashed(&[(left, y), (left + 44.0, y)], dash, Stroke::new(color, width));
        drawing.text(&text, (left + 54.0, y + 5.5), Anchor::Start, LEGEND_STYLE);
    }
}
