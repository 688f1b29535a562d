//! Figures that a page shows where a picture is pointed at or focused. Colours and what is seen when come from the
//! page's style: `.point`, `.hit` and `.value`.

use super::drawing::{Rect, Spot, SpotArea};
use super::svg::{escaped, units};
use super::text::TextStyle;
use super::theme::{INK, TEXT_SIZE};

const HEAD_STYLE: TextStyle = TextStyle::semi_bold(TEXT_SIZE, INK);
const LINE_STYLE: TextStyle = TextStyle::regular(TEXT_SIZE, INK);
/// Height of a line, and from the edges of the box to its text, px.
const LINE: f64 = 23.0;
const PADDING: f64 = 11.0;
/// From a spot to the box of its figures, px.
const GAP: f64 = 10.0;

/// The spot as an element, its figures within `window`.
pub(super) fn written(spot: &Spot, window: &Rect) -> String {
    let (about, hit) = match spot.area {
        SpotArea::Dot((x, y), radius) => (
            Rect { left: x, top: y, right: x, bottom: y }.grown(radius),
            format!(
                "<circle class=\"hit\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>",
                units(x),
                units(y),
                units(radius)
            ),
        ),
        SpotArea::Bar(area) => (area, rect("hit", &area, 0)),
    };
    let of = spot.of.map_or(String::new(), |cluster| format!(" of-{cluster}"));
    let lines: Vec<String> = spot.lines.iter().map(|line| escaped(line)).collect();
    let access = match spot.focusable {
        true => format!(" tabindex=\"0\" role=\"img\" aria-label=\"{}\"", lines.join(", ")),
        false => " aria-hidden=\"true\"".to_owned(),
    };
    let area = place(&about, &spot.lines, window);
    let text = |(nth, line): (usize, &String)| {
        let (x, y) = (area.left + PADDING, area.top + PADDING + LINE * nth as f64 + 15.0);
        let weight = if nth == 0 { " font-weight=\"600\"" } else { "" };
        format!(
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\"{weight}>{line}</text>",
            units(x),
            units(y),
            units(TEXT_SIZE)
        )
    };
    let texts: String = lines.iter().enumerate().map(text).collect();
    format!(
        "<g class=\"point{of}\"{access}>{hit}<g class=\"value\">{}{texts}</g></g>\n",
        rect("box", &area, 8)
    )
}

fn rect(class: &str, area: &Rect, corner: i32) -> String {
    let corner = if corner > 0 { format!(" rx=\"{corner}\"") } else { String::new() };
    format!(
        "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{corner}/>",
        units(area.left),
        units(area.top),
        units(area.width()),
        units(area.height())
    )
}

/// The box of some lines: above the spot, else beneath it, never beyond the window.
fn place(about: &Rect, lines: &[String], window: &Rect) -> Rect {
    let style = |nth: usize| if nth == 0 { HEAD_STYLE } else { LINE_STYLE };
    let widest = lines.iter().enumerate().map(|(nth, line)| style(nth).room(line)).fold(0.0, f64::max);
    let (width, height) = (widest + 2.0 * PADDING, LINE * lines.len() as f64 + 2.0 * PADDING - 4.0);
    let middle = (about.left + about.right) / 2.0;
    let right_most = (window.right - 4.0 - width).max(window.left + 4.0);
    let left = (middle - width / 2.0).clamp(window.left + 4.0, right_most);
    let above = about.top - GAP - height;
    let top = if above >= window.top + 4.0 { above } else { about.bottom + GAP };
    Rect { left, top, right: left + width, bottom: top + height }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Rect = Rect { left: 40.0, top: 74.0, right: 1180.0, bottom: 740.0 };

    #[test]
    fn figures_stand_above_their_spot_and_within_the_window() {
        let lines = ["a cluster with a name".to_owned(), "$18.35, 7.25 h".to_owned()];
        let spot = |x: f64, y: f64| Rect { left: x, top: y, right: x, bottom: y }.grown(9.0);
        for (x, y) in [(45.0, 80.0), (600.0, 400.0), (1175.0, 700.0), (1175.0, 76.0)] {
            let about = spot(x, y);
            let area = place(&about, &lines, &WINDOW);
            assert!(WINDOW.contains(&area) && !area.overlaps(&about), "{area:?} of {about:?}");
        }
        assert!(place(&spot(600.0, 400.0), &lines, &WINDOW).bottom < 400.0);
    }
}
