//! Places for labels, clear of what is drawn.

use super::drawing::{Point, Rect};

/// A label farther than this from its dot would not be read as its own, px.
const FARTHEST: f64 = 220.0;

/// What a label must not lie upon.
#[derive(Debug, Default)]
pub(super) struct Obstacles {
    /// Other labels and dots.
    pub(super) boxes: Vec<Rect>,
    /// Curves, fronts, rules.
    pub(super) lines: Vec<Vec<Point>>,
    /// Filled outlines.
    pub(super) areas: Vec<Vec<Point>>,
}

impl Obstacles {
    /// The first of the places that lies within `bounds` and upon nothing; it is then taken.
    pub(super) fn take_first_free(
        &mut self,
        places: impl IntoIterator<Item = Rect>,
        bounds: &Rect,
    ) -> Option<Rect> {
        let free = places.into_iter().find(|place| bounds.contains(place) && !self.block(place))?;
        self.boxes.push(free);
        Some(free)
    }

    /// Whether a leader from `dot` meets no label and no other dot.
    pub(super) fn lets_pass(&self, (from, to): (Point, Point), dot: Point) -> bool {
        let own = Rect { left: dot.0, top: dot.1, right: dot.0, bottom: dot.1 }.grown(1.0);
        self.boxes.iter().all(|other| other.overlaps(&own) || !touches(from, to, &other.grown(3.0)))
    }

    /// Whether `place` lies upon something.
    fn block(&self, place: &Rect) -> bool {
        let margin = place.grown(4.0);
        self.boxes.iter().any(|other| other.overlaps(&margin))
            || self.lines.iter().any(|line| line.windows(2).any(|piece| touches(piece[0], piece[1], &margin)))
            || self.areas.iter().any(|area| covers(area, &margin))
    }
}

/// Whether the outline crosses `place` or holds it.
fn covers(outline: &[Point], place: &Rect) -> bool {
    let next = || outline.iter().cycle().skip(1);
    if outline.iter().zip(next()).any(|(&a, &b)| touches(a, b, place)) {
        return true;
    }
    // No edge within: wholly inside or wholly outside, as its corner is (even-odd rule).
    let (x, y) = (place.left, place.top);
    let passes = outline
        .iter()
        .zip(next())
        .filter(|((x0, y0), (x1, y1))| (*y0 > y) != (*y1 > y) && x < x0 + (y - y0) * (x1 - x0) / (y1 - y0));
    passes.count() % 2 == 1
}

/// Whether a piece of line has a part within `place` (Liang and Barsky, 1984).
fn touches(from: Point, to: Point, place: &Rect) -> bool {
    let (mut begin, mut end) = (0.0_f64, 1.0_f64);
    let sides = [
        (from.0 - to.0, from.0 - place.left),
        (to.0 - from.0, place.right - from.0),
        (from.1 - to.1, from.1 - place.top),
        (to.1 - from.1, place.bottom - from.1),
    ];
    for (outward, room) in sides {
        if outward == 0.0 {
            if room < 0.0 {
                return false;
            }
        } else if outward < 0.0 {
            begin = begin.max(room / outward);
        } else {
            end = end.min(room / outward);
        }
    }
    begin <= end
}

/// Places for a label of a size about a shape: beside, above, below and at the corners, with one
/// gap after the other.
pub(super) fn places_about(shape: &Rect, (width, height): (f64, f64), gaps: &[f64]) -> Vec<Rect> {
    let (x, y) = ((shape.left + shape.right) / 2.0, (shape.top + shape.bottom) / 2.0);
    let mut places = Vec::new();
    for &gap in gaps {
        let (above, below) = (shape.top - gap - height, shape.bottom + gap);
        let (right, left) = (shape.right + gap, shape.left - gap - width);
        let middle = (x - width / 2.0, y - height / 2.0);
        let corners = [
            (right, middle.1),
            (middle.0, above),
            (middle.0, below),
            (left, middle.1),
            (shape.left, below),
            (shape.left, above),
            (shape.right - width, above),
            (shape.right - width, below),
            (right, above),
            (right, below),
            (left, above),
            (left, below),
        ];
        places.extend(corners.map(|(left, top)| Rect {
            left,
            top,
            right: left + width,
            bottom: top + height,
        }));
    }
    places
}

/// Places for a label of a size anywhere in `bounds`, those near `dot` first.
pub(super) fn places_around(dot: Point, (width, height): (f64, f64), bounds: &Rect) -> Vec<Rect> {
    const STEP: f64 = 12.0;
    let columns = ((bounds.width() - width) / STEP).max(0.0) as u32;
    let rows = ((bounds.height() - height) / STEP).max(0.0) as u32;
    let mut places: Vec<Rect> = (0..=rows)
        .flat_map(|row| (0..=columns).map(move |column| (f64::from(column) * STEP, f64::from(row) * STEP)))
        .map(|(x, y)| (bounds.left + x, bounds.top + y))
        .map(|(left, top)| Rect { left, top, right: left + width, bottom: top + height })
        .collect();
    let squared = |place: &Rect| {
        let (dx, dy) =
            (dot.0.clamp(place.left, place.right) - dot.0, dot.1.clamp(place.top, place.bottom) - dot.1);
        dx * dx + dy * dy
    };
    places.sort_by(|a, b| squared(a).total_cmp(&squared(b)));
    places.retain(|place| squared(place) < FARTHEST * FARTHEST);
    places
}

/// Upper ends of labels of one height in a column, near the heights wanted (in order) and without overlap.
pub(super) fn column(wanted: &[f64], height: f64, top: f64, bottom: f64) -> Vec<f64> {
    let mut placed: Vec<f64> = Vec::with_capacity(wanted.len());
    let mut least = top;
    for &want in wanted {
        placed.push(want.max(least));
        least = want.max(least) + height;
    }
    let mut most = bottom - height;
    for place in placed.iter_mut().rev() {
        *place = place.min(most);
        most = *place - height;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Rect = Rect { left: 10.0, top: 10.0, right: 20.0, bottom: 20.0 };

    #[test]
    fn a_line_touches_a_place_if_a_part_of_it_lies_within() {
        assert!(touches((0.0, 0.0), (30.0, 30.0), &PLACE));
        assert!(touches((12.0, 12.0), (13.0, 13.0), &PLACE));
        assert!(!touches((0.0, 0.0), (5.0, 5.0), &PLACE));
        assert!(!touches((0.0, 21.0), (30.0, 21.0), &PLACE));
        assert!(!touches((0.0, 15.0), (15.0, 40.0), &PLACE));
    }

    #[test]
    fn an_outline_covers_what_lies_within_it() {
        let about = |margin: f64| {
            let r = PLACE.grown(margin);
            vec![(r.left, r.top), (r.right, r.top), (r.right, r.bottom), (r.left, r.bottom)]
        };
        assert!(covers(&about(50.0), &PLACE) && covers(&about(-2.0), &PLACE));
        let elsewhere: Vec<Point> = about(5.0).into_iter().map(|(x, y)| (x + 40.0, y)).collect();
        assert!(!covers(&elsewhere, &PLACE));
    }

    #[test]
    fn labels_in_a_column_keep_their_order_and_their_distance() {
        assert_eq!(column(&[0.0, 100.0, 105.0, 300.0], 40.0, 0.0, 300.0), [0.0, 100.0, 140.0, 260.0]);
        assert_eq!(column(&[290.0, 291.0], 40.0, 0.0, 300.0), [220.0, 260.0]);
    }
}
