//! The three lanes of one cluster: what GPU, network and loader do at each moment of a step.

use super::drawing::{Drawing, Rect, Stroke};
use super::step_lanes::Clock;
use super::text::{Anchor, TextStyle};
use super::theme::*;
use crate::experiment::step::StepResult;
use crate::network::Transfer;
use crate::scenario::anatomy::Loader;

const NAME_STYLE: TextStyle = TextStyle::regular(15.0, MUTED);
const INSIDE_STYLE: TextStyle = TextStyle::semi_bold(15.0, BACKGROUND);
const ABOVE_STYLE: TextStyle = TextStyle::regular(FOOTER_SIZE, MUTED);
const WAIT_STYLE: TextStyle = TextStyle::semi_bold(15.0, INK);
/// Of the room of a lane, its bar takes this share.
const BAR_SHARE: f64 = 0.79;
/// Between two bars that touch in time, px; whole, as an SVG's bars begin at whole pixels.
const GAP: f64 = 1.0;
/// Bars narrower than this have no gap: runs of them are one bar.
const GAP_FROM: f64 = 4.0;
/// Between a label and its bar, px.
const MARGIN: f64 = 10.0;

/// What the GPU does for a while; times in seconds from the beginning of the step.
struct Pass {
    name: &'static str,
    begin: f64,
    end: f64,
    /// Of its colour: what matters most is deepest.
    opacity: f64,
}

/// What is drawn of a step; all times in seconds from its beginning.
pub(super) struct Lanes<'a> {
    passes: Vec<Pass>,
    /// Where backward ends and, later, the optimizer begins.
    wait: (f64, f64),
    /// Where the optimizer has ended and, later, the next batch is there.
    stall: (f64, f64),
    transfers: &'a [Transfer],
    communication_s: f64,
    ranks: u32,
    loader: Option<Loader>,
}

impl<'a> Lanes<'a> {
    /// Of a cluster at its sustained pace.
    pub(super) fn of(result: &'a StepResult) -> Self {
        let anatomy = &result.anatomy;
        let (gpu, pace) = (&anatomy.gpu, &anatomy.sustained);
        let mut passes = Vec::new();
        let mut push = |name, begin: f64, seconds: f64, opacity| {
            let end = begin + seconds;
            if seconds > 0.0 {
                passes.push(Pass { name, begin, end, opacity });
            }
            end
        };
        let copied = push("copy", 0.0, gpu.host_copy_s, 0.5);
        let computed = if gpu.forward_s + gpu.backward_s > 0.0 {
            let forward = push("forward", copied, gpu.forward_s, 0.8);
            push("backward", forward, gpu.backward_s + pace.slowed_s, 1.0)
        } else {
            // A step that was measured as a whole.
            let seconds = pace.parts.computing.as_secs() - copied - gpu.optimizer_s;
            push("compute", copied, seconds, 1.0)
        };
        let wait = (computed, computed + pace.parts.exposed_comm.as_secs());
        let done = push("optimizer", wait.1, gpu.optimizer_s, 0.5);
        Self {
            passes,
            wait,
            stall: (done, done + pace.parts.data_stall.as_secs()),
            transfers: &pace.transfers,
            communication_s: pace.communication_s(),
            ranks: anatomy.ranks,
            loader: anatomy.loader,
        }
    }
}

/// Draws the lanes into `area`; labels of what is narrow stand just above it.
pub(super) fn draw_lanes(drawing: &mut Drawing, lanes: &Lanes<'_>, clock: &Clock, area: &Rect) {
    let pitch = area.height() / 3.0;
    let lane = |index: f64| {
        let top = libm::round(area.top + pitch * index);
        Rect { top, bottom: top + libm::round(BAR_SHARE * pitch), ..*area }
    };
    for (index, name) in ["GPU", "network", "loader"].into_iter().enumerate() {
        let lane = lane(index as f64);
        drawing.text(name, (lane.left - 12.0, baseline(&lane)), Anchor::End, NAME_STYLE);
    }
    let wait_is_told = draw_gpu(drawing, lanes, clock, &lane(0.0));
    draw_network(drawing, lanes, clock, &lane(1.0), wait_is_told);
    draw_loader(drawing, lanes, clock, &lane(2.0));
}

/// Where text in the middle of a lane stands.
fn baseline(lane: &Rect) -> f64 {
    (lane.top + lane.bottom) / 2.0 + 5.5
}

/// Passes and waits; says whether the wait for gradients had room for its label.
fn draw_gpu(drawing: &mut Drawing, lanes: &Lanes<'_>, clock: &Clock, lane: &Rect) -> bool {
    let mut above = Vec::new();
    for &Pass { name, begin, end, opacity } in &lanes.passes {
        let (left, right) = edges(clock, begin, end);
        // The gap keeps passes apart where a pass follows.
        let followed = lanes.passes.iter().any(|pass| pass.begin == end);
        let gap = if followed && right - left > GAP_FROM { GAP } else { 0.0 };
        drawing.bar(Rect { left, right: right - gap, ..*lane }, COMPUTING, opacity);
        let text = format!("{name} {}", clock.text(end - begin));
        // White on half a green would be hard to read.
        if opacity > 0.6 && INSIDE_STYLE.room(&text) + 8.0 <= right - left {
            drawing.text(&text, ((left + right) / 2.0, baseline(lane)), Anchor::Middle, INSIDE_STYLE);
        } else {
            above.push(((left + right) / 2.0, text));
        }
    }
    draw_above(drawing, &above, lane);
    let (wait, stall) = (lanes.wait, lanes.stall);
    let told = draw_wait(drawing, clock, wait, ["GPU waits", "waits"], EXPOSED_COMM, lane);
    draw_wait(drawing, clock, stall, ["GPU waits for data", "no data"], DATA_STALL, lane);
    told
}

/// Left and right end of a bar, px: whole pixels, as SVG and PNG shall agree, and at least one.
fn edges(clock: &Clock, begin: f64, end: f64) -> (f64, f64) {
    let left = libm::round(clock.place(begin));
    (left, libm::round(clock.place(end)).max(left + 1.0))
}

/// Labels just above a lane, in their order, as near to their middles as the others allow.
fn draw_above(drawing: &mut Drawing, labels: &[(f64, String)], lane: &Rect) {
    let widths: Vec<f64> = labels.iter().map(|(_, text)| ABOVE_STYLE.room(text)).collect();
    let mut lefts: Vec<f64> = Vec::new();
    let mut least = lane.left - 18.0;
    for ((middle, _), width) in labels.iter().zip(&widths) {
        let left = (middle - width / 2.0).max(least);
        lefts.push(left);
        least = left + width + MARGIN;
    }
    let mut most = RIGHT_EDGE;
    for (left, width) in lefts.iter_mut().zip(&widths).rev() {
        *left = left.min(most - width);
        most = *left - MARGIN;
    }
    for (((_, text), left), width) in labels.iter().zip(&lefts).zip(&widths) {
        drawing.text(text, (left + width / 2.0, lane.top - 7.0), Anchor::Middle, ABOVE_STYLE);
    }
}

/// A bracket about a wait with the first of `names` within that has room, if any has.
fn draw_wait(
    drawing: &mut Drawing,
    clock: &Clock,
    (begin, end): (f64, f64),
    names: [&str; 2],
    color: Color,
    lane: &Rect,
) -> bool {
    let (left, right) = edges(clock, begin, end);
    let texts = names.map(|name| format!("{name} {}", clock.text(end - begin)));
    let Some(text) = texts.iter().find(|text| WAIT_STYLE.room(text) + 24.0 <= right - left) else {
        return false;
    };
    let room = WAIT_STYLE.room(text);
    let stroke = Stroke::new(color, MEAN_LINE);
    let (middle, y) = ((left + right) / 2.0, (lane.top + lane.bottom) / 2.0);
    let (begin, end) = (left + 2.0, right - 2.0);
    for x in [begin, end] {
        drawing.line(vec![(x, y - 10.0), (x, y + 10.0)], stroke);
    }
    drawing.line(vec![(begin, y), (middle - room / 2.0 - 4.0, y)], stroke);
    drawing.line(vec![(middle + room / 2.0 + 4.0, y), (end, y)], stroke);
    drawing.text(text, (middle, baseline(lane)), Anchor::Middle, WAIT_STYLE);
    true
}

/// One bar of the network: its ends, px, and whether the GPU waits for it.
#[derive(Clone, Copy)]
struct Traffic {
    left: f64,
    right: f64,
    exposed: bool,
}

impl Traffic {
    /// Whether a bar that follows has no gap before it that could be seen.
    fn joins(&self, exposed: bool, left: f64, right: f64) -> bool {
        let thin = (right - left).min(self.right - self.left) < GAP_FROM;
        self.exposed == exposed && left <= self.right + GAP && thin
    }
}

/// The transfers, split where the GPU begins to wait for them. Those too thin to be told apart are joined.
fn traffic(lanes: &Lanes<'_>, clock: &Clock) -> Vec<Traffic> {
    let waits = lanes.wait.1 > lanes.wait.0;
    let split = if waits { lanes.wait.0 } else { f64::INFINITY };
    let pieces = lanes.transfers.iter().flat_map(|transfer| {
        let (begin, end) = (transfer.start_s, transfer.end_s);
        [(begin, end.min(split), false), (begin.max(split), end, true)]
    });
    let mut bars: Vec<Traffic> = Vec::new();
    for (begin, end, exposed) in pieces.filter(|(begin, end, _)| begin < end) {
        let (left, right) = edges(clock, begin, end);
        match bars.last_mut() {
            Some(last) if last.joins(exposed, left, right) => last.right = last.right.max(right),
            _ => bars.push(Traffic { left, right, exposed }),
        }
    }
    bars
}

fn draw_network(drawing: &mut Drawing, lanes: &Lanes<'_>, clock: &Clock, lane: &Rect, wait_is_told: bool) {
    let bars = traffic(lanes, clock);
    let (Some(first), Some(last)) = (bars.first(), bars.last()) else {
        let why = if lanes.ranks < 2 { "one GPU, nothing to send" } else { "no all-reduce is modelled" };
        drawing.text(why, (lane.left + MARGIN, baseline(lane)), Anchor::Start, NAME_STYLE);
        return;
    };
    for (index, bar) in bars.iter().enumerate() {
        let touches = bars.get(index + 1).is_some_and(|next| next.left <= bar.right);
        let gap = if touches && bar.right - bar.left >= GAP_FROM { GAP } else { 0.0 };
        let color = if bar.exposed { EXPOSED_COMM } else { NEUTRAL };
        drawing.bar(Rect { left: bar.left, right: bar.right - gap, ..*lane }, color, 1.0);
    }
    label_network(drawing, lanes, clock, lane, (first.left, last.right), wait_is_told);
}

/// How long all transfers take and what of it is hidden, beside the bars if there is room, else over them.
fn label_network(
    drawing: &mut Drawing,
    lanes: &Lanes<'_>,
    clock: &Clock,
    lane: &Rect,
    (left, right): (f64, f64),
    wait_is_told: bool,
) {
    let total = format!("all-reduce {}", clock.text(lanes.communication_s));
    let detail = match lanes.wait.1 - lanes.wait.0 {
        exposed if exposed <= 0.0 => Some("all hidden".to_owned()),
        exposed if exposed >= lanes.communication_s * (1.0 - 1e-6) => Some("none hidden".to_owned()),
        _ if wait_is_told => None,
        exposed => Some(format!("hidden but for {}", clock.text(exposed))),
    };
    let all = detail.as_ref().map_or(total.clone(), |detail| format!("{total}, {detail}"));
    let fits_left = |text: &str| NAME_STYLE.room(text) <= left - MARGIN - lane.left;
    let fits_right = |text: &str| NAME_STYLE.room(text) <= RIGHT_EDGE - MARGIN - right;
    let (before, after) = match detail {
        None if fits_left(&total) => (total, String::new()),
        Some(detail) if fits_left(&total) && fits_right(&detail) => (total, detail),
        _ if fits_right(&all) => (String::new(), all),
        _ if fits_left(&all) => (all, String::new()),
        _ => return draw_over(drawing, &all, (left + right) / 2.0, lane),
    };
    drawing.text(&before, (left - MARGIN, baseline(lane)), Anchor::End, NAME_STYLE);
    drawing.text(&after, (right + MARGIN, baseline(lane)), Anchor::Start, NAME_STYLE);
}

/// A label over the bars of its lane, where there is no room beside them.
fn draw_over(drawing: &mut Drawing, text: &str, middle: f64, lane: &Rect) {
    let half = NAME_STYLE.room(text) / 2.0 + 6.0;
    let middle = middle.clamp(lane.left + half, lane.right - half);
    let plate = Rect { left: middle - half, right: middle + half, ..*lane };
    drawing.bar(plate.grown(-3.0), BACKGROUND, 1.0);
    drawing.text(text, (middle, baseline(lane)), Anchor::Middle, NAME_STYLE);
}

fn draw_loader(drawing: &mut Drawing, lanes: &Lanes<'_>, clock: &Clock, lane: &Rect) {
    let Some(loader) = lanes.loader else {
        let why = "no input is modelled";
        drawing.text(why, (lane.left + MARGIN, baseline(lane)), Anchor::Start, NAME_STYLE);
        return;
    };
    let (left, right) = edges(clock, 0.0, loader.batch_s);
    let waited = edges(clock, lanes.stall.0, lanes.stall.1).0;
    let starves = lanes.stall.1 > lanes.stall.0;
    let ahead = if starves { waited.min(right) } else { right };
    drawing.bar(Rect { left, right: ahead, ..*lane }, NEUTRAL, 1.0);
    drawing.bar(Rect { left: ahead, right, ..*lane }, DATA_STALL, 1.0);
    let mut text = format!("next batch ready after {}", clock.text(loader.batch_s));
    if starves {
        text += &format!(", GPU waits {}", clock.text(lanes.stall.1 - lanes.stall.0));
    }
    if NAME_STYLE.room(&text) <= RIGHT_EDGE - MARGIN - right {
        drawing.text(&text, (right + MARGIN, baseline(lane)), Anchor::Start, NAME_STYLE);
    } else {
        let inside = TextStyle::regular(15.0, INK);
        drawing.text(&text, (left + MARGIN, baseline(lane)), Anchor::Start, inside);
    }
}
