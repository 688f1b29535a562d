//! A drawing written as SVG.

use super::drawing::{Drawing, Mark, Point, Rect};
use super::spot;
use super::text::{Anchor, TextStyle, Weight};
use super::theme::{Color, HEIGHT, LEFT_EDGE, WIDTH};
use plotters::backend::SVGBackend;
use plotters::prelude::{DrawingBackend, RGBAColor, ShapeStyle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontDesc, FontFamily, FontStyle};

/// plotters knows whole units only; at two units a pixel, lines of 1.5 px and half pixels are exact.
const UNITS_PER_PX: f64 = 2.0;

/// What a viewer takes, the first that it has.
const FONT_STACK: &str = "Inter, Helvetica Neue, Arial, Liberation Sans, DejaVu Sans, sans-serif";
/// Family names by which texts are told apart until [`finished`] puts in what they stand for.
const PROPORTIONAL: &str = "proportional";
const TABULAR: &str = "tabular";
/// plotters takes a font size as 1.24 times the size of one em.
const SIZE_PER_EM: f64 = 1.24;

pub(super) fn units(px: f64) -> i32 {
    (px * UNITS_PER_PX).round() as i32
}

fn place((x, y): Point) -> (i32, i32) {
    (units(x), units(y))
}

fn shape(color: Color, opacity: f64, width: f64) -> ShapeStyle {
    ShapeStyle {
        color: RGBAColor(color.red, color.green, color.blue, opacity),
        filled: true,
        stroke_width: units(width).unsigned_abs(),
    }
}

impl Drawing {
    /// The picture as an SVG document of 1200 × 750 px. Same drawing, same bytes.
    pub fn to_svg(&self) -> String {
        let window = Rect { left: 0.0, top: 0.0, right: WIDTH, bottom: HEIGHT };
        let size = format!(" width=\"{WIDTH}\" height=\"{HEIGHT}\"");
        self.head(&size, &window, "img") + &elements(&self.marks) + "</svg>\n"
    }

    /// The picture for a page that has [`Self::title`] as a heading above it, and a table that is the
    /// picture's beneath: without these and the margins, as large as the page wants it. Marks of the n-th
    /// cluster are in groups of the class `of-n`; spots follow. Same drawing, same bytes.
    pub fn to_inline_svg(&self) -> String {
        // Tick labels may reach to the left of the title's edge and to the right of the axis.
        let window = Rect { left: LEFT_EDGE - 8.0, top: 74.0, right: WIDTH - 20.0, bottom: self.page_bottom };
        let seen: Vec<Mark> = self.marks.iter().filter(|mark| is_within(mark, &window)).cloned().collect();
        let marks = groups(&seen);
        let spots: String = self.spots.iter().map(|spot| spot::written(spot, &window)).collect();
        // An image has no parts: what the keyboard reaches stands in a group, and is what is read of it.
        match self.spots.iter().any(|spot| spot.focusable) {
            true => {
                let head = self.head("", &window, "group");
                format!("{head}<g aria-hidden=\"true\">\n{marks}</g>\n{spots}</svg>\n")
            }
            false => format!("{}{marks}{spots}</svg>\n", self.head("", &window, "img")),
        }
    }

    fn head(&self, size: &str, window: &Rect, role: &str) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\"{size} viewBox=\"{} {} {} {}\" role=\"{role}\" \
             aria-label=\"{}\" font-family=\"{FONT_STACK}\" stroke-linejoin=\"round\">\n",
            units(window.left),
            units(window.top),
            units(window.width()),
            units(window.height()),
            escaped(&self.title),
        )
    }
}

/// Whether some of a text or bar may be seen within `window`; what cannot be is not read out either.
fn is_within(mark: &Mark, window: &Rect) -> bool {
    match mark {
        Mark::Text { at, .. } => (window.top..=window.bottom).contains(&at.1),
        Mark::Bar { area, .. } => area.overlaps(window),
        _ => true,
    }
}

/// The elements of marks, those of a cluster in a group.
fn groups(marks: &[Mark]) -> String {
    let owner = |mark: &Mark| match mark {
        Mark::Of(cluster) => Some(*cluster),
        _ => None,
    };
    let owners = [None].into_iter().chain(marks.iter().filter_map(owner));
    let runs = marks.split(|mark| owner(mark).is_some()).zip(owners);
    let group = |(run, owner): (&[Mark], Option<usize>)| match owner {
        _ if run.is_empty() => String::new(),
        Some(cluster) => format!("<g class=\"of-{cluster}\">\n{}</g>\n", elements(run)),
        None => elements(run),
    };
    runs.map(group).collect()
}

/// The elements of marks.
fn elements(marks: &[Mark]) -> String {
    let mut svg = String::new();
    {
        let mut backend = SVGBackend::with_string(&mut svg, (units(WIDTH) as u32, units(HEIGHT) as u32));
        for mark in marks {
            draw(&mut backend, mark);
        }
        backend.present().expect("a string can always be written to");
    }
    finished(&svg)
}

/// The elements of an SVG, with what plotters cannot write: tabular figures, the weight of the semibold
/// font; and without the shift that moves a text off its baseline. A quotation mark within a text is
/// escaped, so that none of these strings can occur in one.
fn finished(svg: &str) -> String {
    let head_end = svg.find('>').expect("an SVG begins with its tag") + 1;
    let tail = svg.rfind("</svg>").expect("an SVG ends with its tag");
    svg[head_end..tail]
        .trim_start_matches('\n')
        .replace(" dy=\"0.76em\"", "")
        .replace(" opacity=\"1\"", "")
        .replace(&format!(" font-family=\"{PROPORTIONAL}\""), "")
        .replace(&format!(" font-family=\"{TABULAR}\""), " style=\"font-variant-numeric:tabular-nums\"")
        .replace("font-weight=\"bold\"", "font-weight=\"600\"")
}

fn draw(backend: &mut SVGBackend<'_>, mark: &Mark) {
    let drawn = match mark {
        Mark::Polygon { points, color, opacity } => {
            backend.fill_polygon(points.iter().copied().map(place), &shape(*color, *opacity, 1.0))
        }
        Mark::Bar { area, color, opacity } => {
            let (upper_left, lower_right) = ((area.left, area.top), (area.right, area.bottom));
            backend.draw_rect(place(upper_left), place(lower_right), &shape(*color, *opacity, 1.0), true)
        }
        Mark::Line { points, stroke } => backend
            .draw_path(points.iter().copied().map(place), &shape(stroke.color, stroke.opacity, stroke.width)),
        Mark::Dot { center, radius, color } => {
            backend.draw_circle(place(*center), units(*radius).unsigned_abs(), &shape(*color, 1.0, 1.0), true)
        }
        Mark::Text { text, at, anchor, style } => {
            let horizontal = match anchor {
                Anchor::Start => HPos::Left,
                Anchor::Middle => HPos::Center,
                Anchor::End => HPos::Right,
            };
            let color = RGBAColor(style.color.red, style.color.green, style.color.blue, 1.0);
            let look = font(style).color(&color).pos(Pos::new(horizontal, VPos::Top));
            backend.draw_text(text, &look, place(*at))
        }
        Mark::Of(_) => Ok(()),
    };
    drawn.expect("a string can always be written to");
}

fn font(style: &TextStyle) -> FontDesc<'static> {
    let family = if style.tabular { TABULAR } else { PROPORTIONAL };
    let weight = match style.weight {
        Weight::Regular => FontStyle::Normal,
        Weight::SemiBold => FontStyle::Bold,
    };
    FontDesc::new(FontFamily::Name(family), style.size * UNITS_PER_PX * SIZE_PER_EM, weight)
}

/// `text` as it may stand in an attribute.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::theme::INK;
    use super::*;

    fn bare(title: &str) -> Drawing {
        let (title, page_bottom) = (title.to_owned(), 740.0);
        Drawing { title, marks: Vec::new(), spots: Vec::new(), about: None, page_bottom }
    }

    #[test]
    fn marks_of_a_cluster_are_a_group_in_a_page_and_none_in_a_file() {
        let mut drawing = bare("a");
        let dot = |drawing: &mut Drawing, at: f64| {
            drawing.text("x", (at, 300.0), Anchor::Start, TextStyle::regular(9.0, INK))
        };
        dot(&mut drawing, 1.0);
        drawing.of(Some(2));
        dot(&mut drawing, 2.0);
        drawing.of(None);
        dot(&mut drawing, 3.0);
        let page = drawing.to_inline_svg();
        let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text} in {page}"));
        let order = ["x=\"2\"", "<g class=\"of-2\">", "x=\"4\"", "</g>", "x=\"6\""].map(place);
        assert!(order.is_sorted(), "{page}");
        assert_eq!(page.matches("<g").count(), 1);
        assert!(!drawing.to_svg().contains("<g"));
    }

    /// An image has no parts for a screen reader; a group has.
    #[test]
    fn a_picture_with_a_spot_for_the_keyboard_is_a_group_of_images() {
        let mut drawing = bare("a");
        assert!(drawing.to_inline_svg().contains("role=\"img\" aria-label=\"a\""));
        drawing.of(Some(0));
        drawing.spot((600.0, 300.0), 9.0, vec!["<b>".to_owned(), "$1".to_owned()]);
        let page = drawing.to_inline_svg();
        assert!(page.contains("role=\"group\" aria-label=\"a\""), "{page}");
        assert!(
            page.contains("class=\"point of-0\" tabindex=\"0\" role=\"img\" aria-label=\"&lt;b&gt;, $1\""),
            "{page}"
        );
        assert!(!drawing.to_svg().contains("point\""));
    }

    #[test]
    fn an_inline_picture_begins_beneath_its_title() {
        let svg = bare("a").to_inline_svg();
        assert!(svg.contains("\" viewBox=\"80 148 2280 1332\" role"), "{svg}");
    }

    #[test]
    fn a_text_is_inert_and_stands_on_its_baseline() {
        let mut drawing = bare("a \"b\" <c>");
        let style = TextStyle::semi_bold(17.0, INK);
        drawing.text("<script>\" dy=\"0.76em\" & '", (10.0, 20.0), Anchor::Start, style);
        let svg = drawing.to_svg();
        assert!(svg.contains("aria-label=\"a &quot;b&quot; &lt;c&gt;\""), "{svg}");
        assert!(svg.contains("&lt;script&gt;&quot; dy=&quot;0.76em&quot; &amp; &apos;"), "{svg}");
        assert!(svg.contains("<text x=\"20\" y=\"40\" text-anchor=\"start\" font-size=\"34\""), "{svg}");
        assert!(svg.contains("fill=\"#1B2430\" font-weight=\"600\""), "{svg}");
    }
}
