//! The embedded font: measuring, shortening and cleaning of text.

use super::theme::Color;
use ab_glyph::{Font, FontRef, Glyph, PxScale, point};
use std::sync::LazyLock;

static REGULAR: LazyLock<FontRef<'static>> =
    LazyLock::new(|| embedded(include_bytes!("../../../assets/font/Inter-Regular.otf")));
static SEMI_BOLD: LazyLock<FontRef<'static>> =
    LazyLock::new(|| embedded(include_bytes!("../../../assets/font/Inter-SemiBold.otf")));

fn embedded(bytes: &'static [u8]) -> FontRef<'static> {
    FontRef::try_from_slice(bytes).expect("the embedded fonts are OpenType")
}

/// Inter's figures of one width begin here.
const TABULAR_ZERO: u32 = 0xE071;

/// How heavy a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    Regular,
    SemiBold,
}

/// Which point of a text its position names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextStyle {
    /// Px of one em.
    pub(super) size: f64,
    pub(super) weight: Weight,
    pub(super) color: Color,
    /// Whether all figures are of one width.
    pub(super) tabular: bool,
}

impl TextStyle {
    pub(super) const fn regular(size: f64, color: Color) -> Self {
        Self { size, weight: Weight::Regular, color, tabular: false }
    }

    pub(super) const fn semi_bold(size: f64, color: Color) -> Self {
        Self { size, weight: Weight::SemiBold, color, tabular: false }
    }

    /// The same with figures of one width, for columns of numbers.
    pub(super) const fn tabular(self) -> Self {
        Self { tabular: true, ..self }
    }

    /// Width of `text` in the embedded font, px. A character that the font lacks counts as one em.
    pub(super) fn width(&self, text: &str) -> f64 {
        text.chars().map(|c| self.advance(c)).sum()
    }

    /// Width that `text` may need in the widest font that an SVG may be shown in, DejaVu Sans, px.
    pub(super) fn room(&self, text: &str) -> f64 {
        let slack = match self.weight {
            Weight::Regular => 1.12,
            Weight::SemiBold => 1.2,
        };
        self.width(text) * slack
    }

    /// The glyphs of `text` from `x` on, with their outlines' places, px.
    pub(super) fn glyphs(&self, text: &str, x: f64, baseline: f64) -> Vec<Glyph> {
        let font = self.font();
        // ab_glyph takes the height from descent to ascent for the size.
        let height = self.size * f64::from(font.height_unscaled()) / self.units_per_em();
        let mut left = x;
        let mut place = |c: char| {
            let at = point(left as f32, baseline as f32);
            left += self.advance(c);
            self.glyph(c).with_scale_and_position(PxScale::from(height as f32), at)
        };
        text.chars().map(&mut place).collect()
    }

    pub(super) fn font(&self) -> &'static FontRef<'static> {
        match self.weight {
            Weight::Regular => &REGULAR,
            Weight::SemiBold => &SEMI_BOLD,
        }
    }

    fn advance(&self, c: char) -> f64 {
        let glyph = self.glyph(c);
        if glyph == ab_glyph::GlyphId(0) {
            return self.size;
        }
        f64::from(self.font().h_advance_unscaled(glyph)) / self.units_per_em() * self.size
    }

    fn glyph(&self, c: char) -> ab_glyph::GlyphId {
        let c = match c.to_digit(10) {
            Some(digit) if self.tabular => {
                char::from_u32(TABULAR_ZERO + digit).expect("the private range is valid")
            }
            _ => c,
        };
        self.font().glyph_id(c)
    }

    fn units_per_em(&self) -> f64 {
        f64::from(self.font().units_per_em().expect("the embedded fonts say how large an em is"))
    }

    /// `text`, or as much of its beginning as has room in `room` px with "…" behind it.
    pub(super) fn shortened(&self, text: &str, room: f64) -> String {
        if self.room(text) <= room {
            return text.to_owned();
        }
        let letters: Vec<char> = text.chars().collect();
        // The longest beginning that fits, by halving: widths grow with the number of letters.
        let (mut fits, mut too_long) = (0, letters.len());
        while too_long - fits > 1 {
            let middle = fits.midpoint(too_long);
            if self.room(&with_ellipsis(&letters[..middle])) <= room {
                fits = middle;
            } else {
                too_long = middle;
            }
        }
        with_ellipsis(&letters[..fits])
    }
}

fn with_ellipsis(letters: &[char]) -> String {
    let beginning: String = letters.iter().collect();
    format!("{}…", beginning.trim_end())
}

/// `text` on one line, without characters that could turn, hide or break the text about it: control
/// characters, marks that change the direction of writing, and what XML forbids.
pub(super) fn cleaned(text: &str) -> String {
    let visible: String = text
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|c| !c.is_control())
        .filter(|c| {
            !matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{ffff}')
        })
        .collect();
    visible.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::theme::INK;
    use super::*;

    const STYLE: TextStyle = TextStyle::regular(16.0, INK);

    /// Inter's tabular figures are 1824 of 2816 units wide, by fontTools.
    #[test]
    fn tabular_figures_are_of_one_width_measured_in_ems() {
        let tabular = STYLE.tabular();
        assert!((tabular.width("1111") - 4.0 * 16.0 * 1824.0 / 2816.0).abs() < 0.05);
        assert!((tabular.width("1111") - tabular.width("8888")).abs() < 1e-9);
        assert!(STYLE.width("1111") < STYLE.width("8888"));
    }

    #[test]
    fn shortened_text_fits_and_says_that_it_is_short() {
        let long = "a very long name of a cluster".repeat(40);
        let short = STYLE.shortened(&long, 200.0);
        assert!(STYLE.room(&short) <= 200.0 && short.ends_with('…'), "{short}");
        assert!(STYLE.room(&short) > 180.0, "{short}");
        assert_eq!(STYLE.shortened("short", 200.0), "short");
        assert_eq!(STYLE.shortened("short", 0.0), "…");
    }

    #[test]
    fn cleaning_takes_out_what_could_change_the_text_about_it() {
        assert_eq!(cleaned("a\u{202e}b\u{0}c\nd\t e\u{7f}\u{200f}"), "abc d e");
        assert_eq!(cleaned("<b>\"4x\"</b>"), "<b>\"4x\"</b>");
    }
}
