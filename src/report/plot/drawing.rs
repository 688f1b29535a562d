//! A picture as a list of marks, drawn once and then written as SVG or PNG.

use super::text::{Anchor, TextStyle};
use super::theme::{BACKGROUND, Color, DOT_RADIUS, DOT_RING, Dash};

/// A place in the picture, px from its left and upper edge.
pub(super) type Point = (f64, f64);

/// An upright rectangle, px.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rect {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Rect {
    pub(super) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(super) fn height(&self) -> f64 {
        self.bottom - self.top
    }

    /// Whether the two share more than an edge.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    /// Whether `other` lies wholly within.
    pub(super) fn contains(&self, other: &Self) -> bool {
        self.left <= other.left
            && other.right <= self.right
            && self.top <= other.top
            && other.bottom <= self.bottom
    }

    /// The same with `margin` px more on all sides.
    pub(super) fn grown(&self, margin: f64) -> Self {
        Self {
            left: self.left - margin,
            top: self.top - margin,
            right: self.right + margin,
            bottom: self.bottom + margin,
        }
    }

    /// The smallest that holds all points; `None` if there are none.
    pub(super) fn about(points: impl IntoIterator<Item = Point>) -> Option<Self> {
        points.into_iter().fold(None, |bounds: Option<Self>, (x, y)| {
            let b = bounds.unwrap_or(Self { left: x, top: y, right: x, bottom: y });
            Some(Self {
                left: b.left.min(x),
                top: b.top.min(y),
                right: b.right.max(x),
                bottom: b.bottom.max(y),
            })
        })
    }
}

/// How a line looks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stroke {
    pub(super) color: Color,
    /// Px.
    pub(super) width: f64,
    /// From 0, unseen, to 1.
    pub(super) opacity: f64,
}

impl Stroke {
    pub(super) const fn new(color: Color, width: f64) -> Self {
        Self { color, width, opacity: 1.0 }
    }
}

/// One thing in a picture; later ones lie over earlier ones.
#[derive(Debug, Clone)]
pub(super) enum Mark {
    Polygon {
        points: Vec<Point>,
        color: Color,
        opacity: f64,
    },
    Bar {
        area: Rect,
        color: Color,
        opacity: f64,
    },
    Line {
        points: Vec<Point>,
        stroke: Stroke,
    },
    Dot {
        center: Point,
        radius: f64,
        color: Color,
    },
    Text {
        text: String,
        at: Point,
        anchor: Anchor,
        style: TextStyle,
    },
    /// Draws nothing: what follows belongs to this cluster, by its place among those of the scenario, or to none.
    Of(Option<usize>),
}

/// A place that tells its figures where a page is pointed at or focused there.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spot {
    /// What is pointed at.
    pub(super) area: SpotArea,
    /// Its cluster, as in [`Mark::Of`].
    pub(super) of: Option<usize>,
    /// What it is, the first line set bold, and its figures.
    pub(super) lines: Vec<String>,
    /// Whether the keyboard reaches it. Where a table has all figures it need not.
    pub(super) focusable: bool,
}

/// The outline of a [`Spot`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum SpotArea {
    Dot(Point, f64),
    Bar(Rect),
}

/// A finished picture, 1200 × 750 px, to be written with [`Drawing::to_svg`] or [`Drawing::to_png`].
#[derive(Debug, Clone)]
pub struct Drawing {
    pub(super) title: String,
    pub(super) marks: Vec<Mark>,
    /// What tells its figures in a page; later ones lie over earlier ones.
    pub(super) spots: Vec<Spot>,
    /// The cluster that all of it is about, if it is about one alone.
    pub(super) about: Option<usize>,
    /// Lower edge of what a page shows, px: beneath it stands at most a table, which a page sets itself.
    pub(super) page_bottom: f64,
}

impl Drawing {
    /// The finding that the picture shows, a sentence of plain text.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The cluster that all of it is about, by its place, if it is about one alone.
    pub fn about(&self) -> Option<usize> {
        self.about
    }

    /// Says whose the marks are that follow: a page can hide those of a cluster.
    pub(super) fn of(&mut self, cluster: Option<usize>) {
        self.marks.push(Mark::Of(cluster));
    }

    /// The cluster whose mark would come next.
    fn current(&self) -> Option<usize> {
        let last = self.marks.iter().rev().find_map(|mark| match mark {
            Mark::Of(cluster) => Some(*cluster),
            _ => None,
        });
        last.flatten()
    }

    /// A spot of the keyboard and the mouse about a dot, of the cluster whose marks are being drawn.
    pub(super) fn spot(&mut self, center: Point, radius: f64, lines: Vec<String>) {
        let (area, of) = (SpotArea::Dot(center, radius), self.current());
        self.spots.push(Spot { area, of, lines, focusable: true });
    }

    /// The same of the mouse alone, where there are many.
    pub(super) fn mouse_spot(&mut self, center: Point, radius: f64, lines: Vec<String>) {
        let (area, of) = (SpotArea::Dot(center, radius), self.current());
        self.spots.push(Spot { area, of, lines, focusable: false });
    }

    /// A spot of the mouse alone over a bar, as its figures stand in a table too.
    pub(super) fn bar_spot(&mut self, area: Rect, lines: Vec<String>) {
        if area.width() > 0.0 && area.height() > 0.0 {
            let (area, of) = (SpotArea::Bar(area), self.current());
            self.spots.push(Spot { area, of, lines, focusable: false });
        }
    }

    pub(super) fn polygon(&mut self, points: Vec<Point>, color: Color, opacity: f64) {
        self.marks.push(Mark::Polygon { points, color, opacity });
    }

    pub(super) fn bar(&mut self, area: Rect, color: Color, opacity: f64) {
        if area.width() > 0.0 && area.height() > 0.0 {
            self.marks.push(Mark::Bar { area, color, opacity });
        }
    }

    pub(super) fn line(&mut self, points: Vec<Point>, stroke: Stroke) {
        self.marks.push(Mark::Line { points, stroke });
    }

    /// A line of dashes that runs on around corners.
    pub(super) fn dashed(&mut self, points: &[Point], dash: Dash, stroke: Stroke) {
        if dash.is_empty() {
            self.line(points.to_vec(), stroke);
            return;
        }
        for piece in dash_pieces(points, dash) {
            self.line(piece, stroke);
        }
    }

    /// A dot.
    pub(super) fn dot(&mut self, center: Point, radius: f64, color: Color) {
        self.marks.push(Mark::Dot { center, radius: radius + 1.2, color: BACKGROUND });
        self.marks.push(Mark::Dot { center, radius, color });
    }

    /// The dot of a mean, with a ring of background about it; hollow if another cluster dominates it.
    pub(super) fn mean_dot(&mut self, center: Point, color: Color, hollow: bool) {
        let ring = DOT_RING / 2.0;
        let (outer, inner) = if hollow { (color, BACKGROUND) } else { (BACKGROUND, color) };
        self.marks.push(Mark::Dot { center, radius: DOT_RADIUS + ring, color: outer });
        self.marks.push(Mark::Dot { center, radius: DOT_RADIUS - ring, color: inner });
    }

    /// Writes `text` with its baseline through `at`.
    pub(super) fn text(&mut self, text: &str, at: Point, anchor: Anchor, style: TextStyle) {
        if !text.is_empty() {
            self.marks.push(Mark::Text { text: text.to_owned(), at, anchor, style });
        }
    }

    /// Writes `text` into a box, leaning to one of its sides, its baseline `down` px below the upper edge.
    pub(super) fn text_in(&mut self, text: &str, area: &Rect, down: f64, anchor: Anchor, style: TextStyle) {
        let x = match anchor {
            Anchor::Start => area.left,
            Anchor::Middle => (area.left + area.right) / 2.0,
            Anchor::End => area.right,
        };
        self.text(text, (x, area.top + down), anchor, style);
    }

    /// The box of each text, with slack.
    #[cfg(test)]
    pub(super) fn text_areas(&self) -> Vec<(String, Rect)> {
        let area = |mark: &Mark| match mark {
            Mark::Text { text, at, anchor, style } => {
                Some((text.clone(), text_area(text, *at, *anchor, style)))
            }
            _ => None,
        };
        self.marks.iter().filter_map(area).collect()
    }
}

/// The box that `text` may need in any font of the stack: from cap height to descender, with slack.
#[cfg(test)]
fn text_area(text: &str, (x, baseline): Point, anchor: Anchor, style: &TextStyle) -> Rect {
    let width = style.room(text);
    let left = match anchor {
        Anchor::Start => x,
        Anchor::Middle => x - width / 2.0,
        Anchor::End => x - width,
    };
    Rect { left, top: baseline - 0.8 * style.size, right: left + width, bottom: baseline + 0.24 * style.size }
}

/// The dashes of a line: pieces of `dash[0]` px, a gap of `dash[1]` px, and so on.
fn dash_pieces(points: &[Point], dash: Dash) -> Vec<Vec<Point>> {
    let mut pieces = Vec::new();
    let (mut turn, mut left) = (0, dash[0]);
    let mut piece: Vec<Point> = points.first().copied().into_iter().collect();
    for pair in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let length = ((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0)).sqrt();
        let mut done = 0.0;
        while length - done > left {
            done += left;
            let at = (x0 + (x1 - x0) * done / length, y0 + (y1 - y0) * done / length);
            if turn % 2 == 0 {
                piece.push(at);
                pieces.push(std::mem::take(&mut piece));
            } else {
                piece = vec![at];
            }
            turn = (turn + 1) % dash.len();
            left = dash[turn];
        }
        left -= length - done;
        if turn % 2 == 0 {
            piece.push((x1, y1));
        }
    }
    if piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}

/// The line with as few of its points as keep it within `tolerance` px (Ramer, 1972; Douglas and Peucker,
/// 1973).
pub(super) fn simplified(points: &[Point], tolerance: f64) -> Vec<Point> {
    if points.len() < 3 {
        return points.to_vec();
    }
    let mut kept = vec![false; points.len()];
    kept[0] = true;
    kept[points.len() - 1] = true;
    let mut pieces = vec![(0, points.len() - 1)];
    while let Some((first, last)) = pieces.pop() {
        let distances = (first + 1..last).map(|k| (k, distance(points[k], points[first], points[last])));
        let farthest = distances.max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((middle, _)) = farthest.filter(|&(_, distance)| distance > tolerance) {
            kept[middle] = true;
            pieces.extend([(first, middle), (middle, last)]);
        }
    }
    points.iter().zip(kept).filter(|&(_, kept)| kept).map(|(&point, _)| point).collect()
}

/// From `point` to the piece of line between `from` and `to`, px.
fn distance(point: Point, from: Point, to: Point) -> f64 {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let squared = dx * dx + dy * dy;
    let along = (point.0 - from.0) * dx + (point.1 - from.1) * dy;
    let share = if squared > 0.0 { (along / squared).clamp(0.0, 1.0) } else { 0.0 };
    let (x, y) = (point.0 - from.0 - share * dx, point.1 - from.1 - share * dy);
    (x * x + y * y).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_simplified_line_keeps_its_corners_and_nothing_between() {
        let steps = [(0.0, 0.0), (5.0, 0.1), (10.0, 0.0), (10.0, 5.0), (10.0, 10.0)];
        assert_eq!(simplified(&steps, 0.3), [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0)]);
        assert_eq!(simplified(&steps[..1], 0.3), [(0.0, 0.0)]);
    }

    #[test]
    fn dashes_run_on_around_a_corner() {
        let corner = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0)];
        let pieces = dash_pieces(&corner, &[7.0, 5.0]);
        let expected = [vec![(0.0, 0.0), (7.0, 0.0)], vec![(10.0, 2.0), (10.0, 9.0)]];
        assert_eq!(pieces, expected);
    }

    #[test]
    fn rectangles_that_touch_do_not_overlap() {
        let a = Rect { left: 0.0, top: 0.0, right: 10.0, bottom: 10.0 };
        let b = Rect { left: 10.0, top: 0.0, right: 20.0, bottom: 10.0 };
        assert!(!a.overlaps(&b) && a.overlaps(&b.grown(1.0)) && a.contains(&a));
    }
}
