//! When each zone had capacity: a strip a zone over time.

use super::Market;
use super::axis::Axis;
use super::drawing::{Drawing, Rect};
use super::frame::{bottom_axis, page};
use super::number::share;
use super::text::{Anchor, TextStyle, cleaned};
use super::theme::*;
use crate::report::number;
use crate::report::trace::stats::Described;
use crate::trace::stats::ZoneStats;

/// More zones than this are not told apart.
const ZONES_MAX: usize = 24;
/// Width of what is looked at together, px.
const COLUMN: f64 = 2.0;
/// Shades of the share of a column's time with capacity.
const SHADES: f64 = 5.0;
const NAME_STYLE: TextStyle = TextStyle::regular(TEXT_SIZE, INK);
const FIGURE_STYLE: TextStyle = TextStyle::regular(TEXT_SIZE, MUTED);
/// Room of the names and of the figures beside the strips, px.
const NAMES_MAX: f64 = 330.0;
const FIGURES: f64 = 70.0;

/// A strip a zone, dark where it had capacity; `None` where no zone was recorded.
pub fn availability(found: &Described) -> Option<Drawing> {
    let zones: Vec<(&str, &ZoneStats)> =
        found.zones.iter().take(ZONES_MAX).map(|(name, zone, _)| (name.as_str(), zone)).collect();
    let first = zones.iter().map(|(_, zone)| zone.start).min()?;
    let end_h = |zone: &ZoneStats| begin_h(zone, first) + zone.duration_h;
    let length_h = zones.iter().map(|(_, zone)| end_h(zone)).fold(0.0, f64::max);
    let names: Vec<String> = zones.iter().map(|(name, _)| cleaned(name)).collect();
    let prefix = common_prefix(&names).to_owned();
    let names: Vec<&str> = names.iter().map(|name| &name[prefix.len()..]).collect();
    let widest = names.iter().map(|name| NAME_STYLE.room(name)).fold(0.0, f64::max).min(NAMES_MAX);
    let plot = Rect {
        left: LEFT_EDGE + widest + 14.0,
        top: PLOT_TOP - 30.0,
        right: RIGHT_EDGE - FIGURES,
        bottom: PLOT_BOTTOM,
    };
    let (unit, hours) = if length_h > 72.0 { ("days", 24.0) } else { ("hours", 1.0) };
    let axis = Axis::linear(0.0, length_h / hours, (plot.left, plot.right), 10);
    let mut drawing = page(&title(&zones), &subtitle(&zones), &footer(found, &zones, &prefix));
    let pitch = ((plot.bottom - plot.top) / zones.len() as f64).min(60.0);
    for (index, ((_, zone), name)) in zones.iter().zip(&names).enumerate() {
        let top = plot.top + pitch * index as f64;
        let strip = Rect { top: top + 0.14 * pitch, bottom: top + 0.86 * pitch, ..plot };
        let baseline = (strip.top + strip.bottom) / 2.0 + 5.5;
        let name = NAME_STYLE.shortened(name, widest);
        drawing.text(&name, (plot.left - 12.0, baseline), Anchor::End, NAME_STYLE);
        draw_strip(&mut drawing, zone, begin_h(zone, first), &axis, hours, &strip);
        let figure = zone.availability.map_or_else(|| number::MISSING.to_owned(), share);
        drawing.text(&figure, (RIGHT_EDGE, baseline), Anchor::End, FIGURE_STYLE);
    }
    let from = match zones.iter().all(|(_, zone)| zone.hours.peak_hour.is_some()) {
        true => format!("{unit} after {first}"),
        false => format!("{unit} after the begin of the recording"),
    };
    let bottom = Rect { bottom: plot.top + pitch * zones.len() as f64, ..plot };
    bottom_axis(&mut drawing, &bottom, &axis, &from, str::to_owned);
    Some(drawing)
}

fn begin_h(zone: &ZoneStats, first: crate::units::Timestamp) -> f64 {
    zone.start.since(first).map_or(0.0, |span| span.as_hours())
}

/// How little and how much of the time.
fn title(zones: &[(&str, &ZoneStats)]) -> String {
    let seen = || zones.iter().filter_map(|(name, zone)| Some((*name, zone.availability?)));
    let least = seen().min_by(|a, b| a.1.total_cmp(&b.1));
    let most = seen().max_by(|a, b| a.1.total_cmp(&b.1));
    match (least, most) {
        (Some(least), Some(most)) if zones.len() > 1 => format!(
            "{} zones had capacity from {} to {} of the time",
            number::count(zones.len() as u64),
            share(least.1),
            share(most.1),
        ),
        (_, Some((name, all))) => format!("{} had capacity {} of the time", cleaned(name), share(all)),
        _ => "Nobody looked for capacity".to_owned(),
    }
}

fn subtitle(zones: &[(&str, &ZoneStats)]) -> String {
    let wanted = zones.iter().map(|(_, zone)| zone.gang).max().unwrap_or(1);
    let nodes = if wanted == 1 { "a node".to_owned() } else { format!("{wanted} nodes") };
    format!(
        "Blue: {nodes} could be had; grey: not; nothing: nobody looked. On the right the share of the time"
    )
}

/// What all names begin with, up to a separator: where names are long, what tells them apart stands at their end.
/// Nothing for a single name.
fn common_prefix(names: &[String]) -> &str {
    let Some((first, others)) = names.split_first().filter(|(_, others)| !others.is_empty()) else {
        return "";
    };
    let shared = |other: &String| first.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let most = others.iter().map(shared).min().unwrap_or(0);
    let mut separators = first.char_indices().filter(|(at, c)| *at < most && matches!(c, '-' | '/'));
    separators.next_back().map_or("", |(at, _)| &first[..=at])
}

fn footer(found: &Described, zones: &[(&str, &ZoneStats)], prefix: &str) -> String {
    let preemptions: u64 = zones.iter().map(|(_, zone)| zone.preemptions).sum();
    let looked: f64 = zones.iter().map(|(_, zone)| zone.looked_h).sum();
    let mut parts = vec![
        format!("{} changes from with to without capacity", number::count(preemptions)),
        format!("{} of zones looked at", number::hours(looked)),
    ];
    let sample = zones.iter().filter_map(|(_, zone)| zone.sample).max();
    parts.extend(sample.map(|sample| format!("looked every {sample} at the rarest")));
    if !prefix.is_empty() {
        parts.push(format!("names begin with {prefix}"));
    }
    if found.zones.len() > zones.len() {
        parts.push(format!("the first {} of {} zones", zones.len(), found.zones.len()));
    }
    parts.join(" · ")
}

/// How much of each column, px, is seen and up; `runs` begin and end so many px from the left edge.
fn in_columns(runs: impl Iterator<Item = (f64, f64, bool)>, width: f64) -> (Vec<f64>, Vec<f64>) {
    let columns = (width / COLUMN).ceil() as usize;
    let (mut seen, mut up) = (vec![0.0; columns], vec![0.0; columns]);
    for (from, to, is_up) in runs {
        let first = (from / COLUMN).max(0.0) as usize;
        for index in first..columns {
            let (left, right) = (COLUMN * index as f64, COLUMN * (index + 1) as f64);
            if left >= to {
                break;
            }
            let part = (to.min(right) - from.max(left)).max(0.0);
            seen[index] += part;
            up[index] += if is_up { part } else { 0.0 };
        }
    }
    (seen, up)
}

/// One zone; columns of one shade that touch are one bar.
fn draw_strip(drawing: &mut Drawing, zone: &ZoneStats, begin_h: f64, axis: &Axis, hours: f64, strip: &Rect) {
    let x = |h: f64| axis.place((begin_h + h) / hours) - strip.left;
    let runs = zone.runs.iter().map(|run| {
        let (from, to) = (run.from.as_hours(), (run.from + run.span).as_hours());
        (x(from), x(to), run.up)
    });
    let (seen, up) = in_columns(runs, strip.width());
    let columns = seen.len();
    // No bar where nobody looked for most of a column; else how dark, in steps.
    let shade = |index: usize| -> Option<u8> {
        let shade = libm::round(SHADES * up[index] / seen[index]);
        (seen[index] > 0.3 * COLUMN).then_some(shade as u8)
    };
    let mut begin = 0;
    for index in 0..=columns {
        if index == columns || shade(index) != shade(begin) {
            if let Some(dark) = shade(begin) {
                let left = strip.left + COLUMN * begin as f64;
                let area = Rect { left, right: strip.left + COLUMN * index as f64, ..*strip };
                drawing.bar(area, NEUTRAL, 1.0);
                drawing.bar(area, market_color(Market::Spot), f64::from(dark) / SHADES);
            }
            begin = index;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{common_prefix, in_columns};

    /// Runs that touch leave no hole, wherever their ends fall: all 100.3 px are seen, half of them up.
    #[test]
    fn a_strip_has_no_hole_where_somebody_looked() {
        let edge = |k: u32| 100.3 * f64::from(k) / 700.0;
        let runs = (0..700).map(|k| (edge(k), edge(k + 1), k % 2 == 0));
        let (seen, up) = in_columns(runs, 100.3);
        assert_eq!(seen.len(), 51);
        assert!(seen[..50].iter().all(|px| (px - 2.0).abs() < 1e-9), "{seen:?}");
        assert!(
            (seen.iter().sum::<f64>() - 100.3).abs() < 1e-9 && (up.iter().sum::<f64>() - 50.15).abs() < 1e-9
        );
        let one = in_columns([(0.1, 100.3, true)].into_iter(), 100.3);
        assert!((one.0.iter().sum::<f64>() - 100.2).abs() < 1e-9);
    }

    #[test]
    fn names_are_cut_where_they_begin_to_differ() {
        let prefix = |names: &[&str]| {
            common_prefix(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).to_owned()
        };
        assert_eq!(prefix(&["h100-asia-southeast1-b", "h100-asia-southeast1-c", "h100-us-east4-a"]), "h100-");
        assert_eq!(prefix(&["year/us-east-1a", "year/us-east-1b"]), "year/us-east-");
        assert_eq!(
            (prefix(&["a-b"]), prefix(&["é-1", "è-1"]), prefix(&[])),
            ("".into(), "".into(), "".into())
        );
    }
}
