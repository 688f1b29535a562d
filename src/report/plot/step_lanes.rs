//! One training step of each cluster in lanes: GPU, network, loader, over one scale of time.

use super::axis::Axis;
use super::drawing::{Drawing, Rect, Stroke};
use super::frame::{bottom_axis, page};
use super::lanes::{Lanes, draw_lanes};
use super::number::{decimals_for, fixed};
use super::series::{market_name, without_market};
use super::step_title::step_title;
use super::text::{Anchor, TextStyle, cleaned};
use super::theme::*;
use crate::experiment::step::StepResult;
use crate::report::step::{common, heading};

/// More clusters than this leave their labels no room.
pub(super) const MOST_SHOWN: usize = 4;
/// Left and right end of the lanes, px.
const LANES_LEFT: f64 = 310.0;
const LANES_RIGHT: f64 = RIGHT_EDGE - 20.0;
const LANES_TOP: f64 = 124.0;
/// Room of one cluster at most, px.
const PITCH_MAX: f64 = 240.0;
/// Above the first lane of a cluster for labels, and beneath the last, px.
const ABOVE: f64 = 26.0;
const BENEATH: f64 = 12.0;
/// Width of the names of lanes, px.
const LANE_NAMES: f64 = 76.0;
/// From this length of the longest step, times are told in seconds.
const SECONDS_FROM_S: f64 = 10.0;

/// The first four clusters at their sustained pace.
pub fn step_lanes(results: &[StepResult]) -> Drawing {
    let shown: Vec<Named<'_>> = named(&results[..results.len().min(MOST_SHOWN)]);
    let longest_s = shown.iter().map(Named::step_s).fold(0.0, f64::max);
    let clock = Clock::new(longest_s);
    let mut drawing = page(&step_title(&shown, &clock), &subtitle(results), &footer(results));
    if longest_s <= 0.0 {
        return drawing;
    }
    let pitch = ((PLOT_BOTTOM - 20.0 - LANES_TOP) / shown.len() as f64).min(PITCH_MAX);
    let bottom = LANES_TOP + pitch * shown.len() as f64;
    let plot = Rect { left: LANES_LEFT, top: LANES_TOP + 12.0, right: LANES_RIGHT, bottom };
    for (x, _) in clock.axis.ticks() {
        drawing.line(vec![(x, plot.top), (x, bottom)], Stroke::new(GRID, GRID_LINE));
    }
    let title = format!("Time in the step, {}", clock.sign);
    bottom_axis(&mut drawing, &plot, &clock.axis, &title, str::to_owned);
    for (index, named) in shown.iter().enumerate() {
        let top = LANES_TOP + pitch * index as f64;
        if index > 0 {
            let rule = Stroke { opacity: 0.5, ..Stroke::new(AXIS, GRID_LINE) };
            drawing.line(vec![(LEFT_EDGE, top), (RIGHT_EDGE, top)], rule);
        }
        drawing.of(Some(named.result.number));
        let area =
            Rect { left: LANES_LEFT, top: top + ABOVE, right: LANES_RIGHT, bottom: top + pitch - BENEATH };
        draw_lanes(&mut drawing, &Lanes::of(named.result), &clock, &area);
        draw_label(&mut drawing, named, &clock, &area);
    }
    drawing.of(None);
    drawing.page_bottom = bottom + 70.0;
    drawing
}

/// A step with its cluster's name as pictures have it.
pub(super) struct Named<'a> {
    pub(super) result: &'a StepResult,
    /// Its name without its market.
    short_name: String,
    /// The same, with its market if another cluster is named alike.
    pub(super) name: String,
}

impl Named<'_> {
    /// The whole step, seconds.
    pub(super) fn step_s(&self) -> f64 {
        self.result.anatomy.sustained.parts.total().as_secs()
    }
}

fn named(results: &[StepResult]) -> Vec<Named<'_>> {
    let short = |result: &StepResult| without_market(&result.name, result.market.into());
    let named = |result| {
        let short_name = short(result);
        let alone = results.iter().filter(|other| short(other) == short_name).count() == 1;
        let name = if alone {
            short_name.clone()
        } else {
            format!("{short_name} {}", market_name(result.market.into()))
        };
        Named { result, short_name, name }
    };
    results.iter().map(named).collect()
}

/// The scale of time that all lanes share.
pub(super) struct Clock {
    axis: Axis,
    /// The unit of the axis: "ms".
    sign: &'static str,
    unit_s: f64,
    decimals: usize,
}

impl Clock {
    fn new(longest_s: f64) -> Self {
        // A step of many seconds has parts of some milliseconds.
        let (sign, unit_s, digits) = if longest_s < SECONDS_FROM_S { ("ms", 1e-3, 3) } else { ("s", 1.0, 4) };
        let longest = longest_s / unit_s;
        let axis = Axis::linear(0.0, longest, (LANES_LEFT, LANES_RIGHT), 8);
        Self { axis, sign, unit_s, decimals: decimals_for(longest, digits) }
    }

    /// Where a moment of the step lies, px.
    pub(super) fn place(&self, seconds: f64) -> f64 {
        self.axis.place(seconds / self.unit_s)
    }

    /// A time in the unit of the axis: "403"; what is there but rounds to nothing is "< 1".
    pub(super) fn text(&self, seconds: f64) -> String {
        let least = libm::pow(10.0, -(self.decimals as f64));
        let value = seconds / self.unit_s;
        if value > 0.0 && value < 0.5 * least {
            return format!("< {}", fixed(least, self.decimals));
        }
        fixed(value, self.decimals)
    }

    /// The same with the unit: "403 ms".
    pub(super) fn text_with_unit(&self, seconds: f64) -> String {
        format!("{} {}", self.text(seconds), self.sign)
    }
}

/// Name, market, step and rate at the left of the lanes.
fn draw_label(drawing: &mut Drawing, named: &Named<'_>, clock: &Clock, area: &Rect) {
    let room = LANES_LEFT - LANE_NAMES - LEFT_EDGE - 16.0;
    let market = named.result.market.into();
    let anatomy = &named.result.anatomy;
    let rate = anatomy.samples_per_s(&anatomy.sustained);
    let lines = [
        (15.0, named.short_name.clone(), TextStyle::semi_bold(LABEL_SIZE, market_color(market))),
        (36.0, market_name(market).to_owned(), TextStyle::regular(TEXT_SIZE, MUTED)),
        (62.0, clock.text_with_unit(named.step_s()), TextStyle::semi_bold(20.0, INK)),
        (
            84.0,
            format!("{} samples/s", fixed(rate, decimals_for(rate, 3))),
            TextStyle::regular(TEXT_SIZE, INK),
        ),
    ];
    for (down, text, style) in lines {
        drawing.text_in(
            &style.shortened(&text, room),
            &Rect { left: LEFT_EDGE, ..*area },
            down,
            Anchor::Start,
            style,
        );
    }
}

fn subtitle(results: &[StepResult]) -> String {
    let gradients = common(results, |result| result.anatomy.gradients).filter(|bytes| bytes.get() > 0);
    let told = gradients.map(|bytes| {
        let megabytes = bytes.as_f64() / 1e6;
        format!("; gradients {} MB", fixed(megabytes, decimals_for(megabytes, 3)))
    });
    cleaned(&(heading(results) + &told.unwrap_or_default()))
}

fn footer(results: &[StepResult]) -> String {
    let shown = &results[..results.len().min(MOST_SHOWN)];
    let any = |is: fn(&StepResult) -> bool| shown.iter().any(is);
    let more = results.len() - shown.len();
    let notes = [
        any(|r| !r.anatomy.sustained.transfers.is_empty()).then(|| {
            "grey traffic is hidden by the backward pass, green is traffic that nothing hides".to_owned()
        }),
        any(|r| r.anatomy.burst.is_some()).then(|| "sustained pace, burst credits used up".to_owned()),
        (more > 0).then(|| format!("{more} more clusters not shown")),
    ];
    notes.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
