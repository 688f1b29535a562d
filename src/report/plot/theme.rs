//! Colours, sizes and dashes: each role has its own, used for nothing else.
//!
//! A page that shows a plot in another theme recolours it by these very values, so no role may borrow
//! the colour of another.

use super::Market;

/// An sRGB colour without transparency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Color {
    pub(super) red: u8,
    pub(super) green: u8,
    pub(super) blue: u8,
}

const fn hex(rgb: u32) -> Color {
    Color { red: (rgb >> 16) as u8, green: (rgb >> 8) as u8, blue: rgb as u8 }
}

pub(super) const INK: Color = hex(0x1B2430);
pub(super) const MUTED: Color = hex(0x566173);
pub(super) const AXIS: Color = hex(0x8C97A6);
pub(super) const GRID: Color = hex(0xE4E8EE);
pub(super) const BACKGROUND: Color = hex(0xFFFFFF);
pub(super) const PANEL: Color = hex(0xF6F8FA);
pub(super) const BOUND: Color = hex(0x2F3640);
/// What cannot be.
pub(super) const WARNING: Color = hex(0xA4262C);
/// What costs nothing: hidden traffic, a loader that is ahead.
pub(super) const NEUTRAL: Color = hex(0xC9D1DB);
/// Text upon a light bar. Light parts are light in every theme, so this stays as it is in all of them.
pub(super) const ON_LIGHT: Color = hex(0x11161D);
/// The same upon a cell of a heat map that is dark in every theme.
pub(super) const ON_DARK: Color = hex(0xFEFEFE);
/// What has no market: policies.
pub(super) const SERIES: [Color; 3] = [hex(0x7A3E9D), hex(0x1F7A8C), hex(0x9C6B00)];
const SPOT: Color = hex(0x0072B2);
const ON_DEMAND: Color = hex(0xC8500A);

/// Parts of a step; the same as those of [`TIME_PARTS`].
pub(super) const COMPUTING: Color = hex(0x00665C);
pub(super) const EXPOSED_COMM: Color = hex(0x2A8676);
pub(super) const DATA_STALL: Color = hex(0x93CFC3);

/// The colour of a market, in titles, lines and fills alike.
pub(super) fn market_color(market: Market) -> Color {
    match market {
        Market::Spot => SPOT,
        Market::OnDemand => ON_DEMAND,
    }
}

/// Size of a picture, px.
pub(super) const WIDTH: f64 = 1200.0;
/// Size of a picture, px.
pub(super) const HEIGHT: f64 = 750.0;
/// Left edge of title, axis title and footer, px.
pub(super) const LEFT_EDGE: f64 = 48.0;
/// Right edge of everything, px.
pub(super) const RIGHT_EDGE: f64 = WIDTH - 50.0;
/// Where the plotted area begins and ends, px, unless a label needs more.
pub(super) const PLOT_LEFT: f64 = 104.0;
/// Top of the plotted area, px.
pub(super) const PLOT_TOP: f64 = 158.0;
/// Bottom of the plotted area, px.
pub(super) const PLOT_BOTTOM: f64 = HEIGHT - 110.0;

/// Font sizes, px.
pub(super) const TITLE_SIZE: f64 = 27.0;
pub(super) const SUBTITLE_SIZE: f64 = 18.0;
pub(super) const LABEL_SIZE: f64 = 17.0;
pub(super) const TEXT_SIZE: f64 = 16.0;
pub(super) const FOOTER_SIZE: f64 = 14.0;

/// Widths of lines, px.
pub(super) const DATA_LINE: f64 = 3.0;
pub(super) const MEAN_LINE: f64 = 2.5;
pub(super) const THIN_LINE: f64 = 1.5;
pub(super) const GRID_LINE: f64 = 1.2;
/// Radius of the dot of a mean, and the background ring about it, px.
pub(super) const DOT_RADIUS: f64 = 8.0;
pub(super) const DOT_RING: f64 = 2.5;

/// Opacity of the outline and the fill of a region, and of a band.
pub(super) const OUTLINE_OPACITY: f64 = 0.65;
pub(super) const FILL_OPACITY: f64 = 0.13;
pub(super) const BAND_OPACITY: f64 = 0.2;

/// Dash and gap lengths, px, by turns; nothing is a solid line.
pub(super) type Dash = &'static [f64];

pub(super) const SOLID: Dash = &[];
pub(super) const FRONT_DASH: Dash = &[7.0, 5.0];
pub(super) const DEADLINE_DASH: Dash = &[1.8, 5.0];

/// The dash of the n-th cluster of one market; after six they repeat.
pub(super) fn series_dash(nth: usize) -> Dash {
    const DASHES: [Dash; 6] = [
        SOLID,
        &[9.0, 5.0],
        &[2.5, 5.0],
        &[16.0, 5.0, 2.5, 5.0],
        &[22.0, 6.0],
        &[9.0, 4.0, 2.5, 4.0, 2.5, 4.0],
    ];
    DASHES[nth % DASHES.len()]
}

/// One of the parts that elapsed time adds up from.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimePart {
    /// Its place in [`super::PlotCluster::time_h`].
    pub(super) index: usize,
    /// Its name on two lines, for narrow columns.
    pub(super) name: [&'static str; 2],
    /// What kind of time it is.
    pub(super) kind: &'static str,
    /// What a cluster does in it: "spends 2 h …".
    pub(super) doing: &'static str,
    pub(super) color: Color,
    /// The colour of text upon it.
    pub(super) text: Color,
}

/// The parts in the order in which they are stacked: training, then waits inside a step, saves, losses,
/// bringing up, waiting.
pub(super) const TIME_PARTS: [TimePart; 11] = [
    part(5, ["computing", ""], "useful", "computing", COMPUTING, BACKGROUND),
    part(
        6,
        ["exposed", "comm."],
        "waiting within a step",
        "waiting for the network",
        EXPOSED_COMM,
        BACKGROUND,
    ),
    part(7, ["data", "stall"], "waiting within a step", "waiting for data", DATA_STALL, ON_LIGHT),
    part(8, ["checkpoint", "stall"], "saving", "saving checkpoints", hex(0xE0A800), ON_LIGHT),
    part(9, ["lost,", "redone"], "lost", "on work that is lost", hex(0xB0307A), BACKGROUND),
    part(4, ["restoring", ""], "bringing up", "restoring checkpoints", hex(0xB9C4E6), ON_LIGHT),
    part(3, ["starting", ""], "bringing up", "starting", hex(0x8496CF), ON_LIGHT),
    part(2, ["provi-", "sioning"], "bringing up", "being provisioned", hex(0x4A5FA5), BACKGROUND),
    part(1, ["acquiring", ""], "waiting, not billed", "waiting for its nodes", hex(0xBCC4CE), ON_LIGHT),
    part(0, ["queued", ""], "waiting, not billed", "queued for capacity", hex(0x6E7887), BACKGROUND),
    part(10, ["idle", ""], "waiting, billed", "idle", hex(0x8A6A1F), BACKGROUND),
];

const fn part(
    index: usize,
    name: [&'static str; 2],
    kind: &'static str,
    doing: &'static str,
    color: Color,
    text: Color,
) -> TimePart {
    TimePart { index, name, kind, doing, color, text }
}

impl TimePart {
    /// Its name on one line.
    pub(super) fn full_name(&self) -> String {
        let [first, second] = self.name;
        match (second, first.strip_suffix('-')) {
            ("", _) => first.to_owned(),
            (_, Some(stem)) => format!("{stem}{second}"),
            (_, None) => format!("{first} {second}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_part_is_stacked_once() {
        let mut indices: Vec<usize> = TIME_PARTS.iter().map(|part| part.index).collect();
        indices.sort_unstable();
        assert_eq!(indices, (0..11).collect::<Vec<_>>());
    }

    #[test]
    fn a_name_on_two_lines_reads_as_one() {
        let names: Vec<String> = TIME_PARTS.iter().map(TimePart::full_name).collect();
        assert_eq!(names[1], "exposed comm.");
        assert_eq!(names[7], "provisioning");
    }
}
