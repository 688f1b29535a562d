//! A drawing written as PNG: shapes filled by the share of each pixel that they cover.
//!
//! plotters' own bitmap backend fills a thick line as one polygon with the even-odd rule, which leaves
//! holes where a curve is made of short pieces, knows whole pixels only, and sets glyphs without their
//! side bearings.

use super::drawing::{Drawing, Mark, Point, Rect};
use super::text::{Anchor, TextStyle};
use super::theme::{Color, HEIGHT, WIDTH};
use ab_glyph::Font;
use std::ops::Range;

const COLUMNS: usize = WIDTH as usize;
const ROWS: usize = HEIGHT as usize;
/// Lines a pixel on which shapes are sampled; along a line, cover is exact.
const LINES_PER_PX: usize = 4;

impl Drawing {
    /// The picture as a PNG file of 1200 × 750 px. Same drawing, same bytes.
    pub fn to_png(&self) -> Vec<u8> {
        let mut canvas = Canvas::white();
        for mark in &self.marks {
            canvas.draw(mark);
        }
        encoded(&canvas.pixels)
    }
}

fn encoded(pixels: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, COLUMNS as u32, ROWS as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().expect("a vector can always be written to");
    writer.write_image_data(pixels).expect("the pixels are as many as the header says");
    writer.finish().expect("a vector can always be written to");
    file
}

/// The pixels, and the cover of the shape that is being drawn, all 0 in between.
struct Canvas {
    pixels: Vec<u8>,
    cover: Vec<f32>,
    /// In each row, the columns that the shape may cover; 0 to 0 if none.
    reach: Vec<Range<usize>>,
}

impl Canvas {
    fn white() -> Self {
        Self {
            pixels: vec![255; COLUMNS * ROWS * 3],
            cover: vec![0.0; COLUMNS * ROWS],
            reach: vec![0..0; ROWS],
        }
    }

    fn draw(&mut self, mark: &Mark) {
        match mark {
            Mark::Polygon { points, color, opacity } => {
                self.fill(std::slice::from_ref(points), *color, *opacity)
            }
            Mark::Bar { area, color, opacity } => self.fill(&[corners(area)], *color, *opacity),
            Mark::Line { points, stroke } => {
                self.fill(&outline(points, stroke.width), stroke.color, stroke.opacity);
            }
            Mark::Dot { center, radius, color } => self.fill(&[disc(*center, *radius, 48)], *color, 1.0),
            Mark::Text { text, at, anchor, style } => self.text(text, *at, *anchor, style),
            Mark::Of(_) => {}
        }
    }

    /// Fills what the polygons, each turning either way, cover together.
    fn fill(&mut self, polygons: &[Vec<Point>], color: Color, opacity: f64) {
        let Some(bounds) = Rect::about(polygons.iter().flatten().copied()) else { return };
        let lines = LINES_PER_PX as f64;
        let first = (bounds.top.max(0.0) * lines).floor() as usize;
        let last = ((bounds.bottom.clamp(0.0, HEIGHT) * lines).ceil() as usize).min(ROWS * LINES_PER_PX);
        let mut crossings: Vec<Vec<(f64, i32)>> = vec![Vec::new(); last.saturating_sub(first)];
        for polygon in polygons {
            let next = polygon.iter().cycle().skip(1);
            for (&from, &to) in polygon.iter().zip(next) {
                cross(from, to, first, &mut crossings);
            }
        }
        for (index, line) in crossings.iter_mut().enumerate() {
            line.sort_by(|a, b| a.0.total_cmp(&b.0));
            let row = (first + index) / LINES_PER_PX;
            let mut winding = 0;
            for pair in line.windows(2) {
                winding += pair[0].1;
                if winding != 0 {
                    self.cover_span(row, pair[0].0, pair[1].0);
                }
            }
        }
        self.blend(color, opacity);
    }

    /// Adds the part of one line from `left` to `right` px to the cover of a row.
    fn cover_span(&mut self, row: usize, left: f64, right: f64) {
        let (left, right) = (left.clamp(0.0, WIDTH), right.clamp(0.0, WIDTH));
        let (first, last) = (left as usize, right as usize);
        let share = 1.0 / LINES_PER_PX as f32;
        if first == last {
            self.cover_cell(row, first, (right - left) as f32 * share);
            return;
        }
        self.cover_cell(row, first, (1.0 - (left - first as f64)) as f32 * share);
        for cell in &mut self.cover[row * COLUMNS + first + 1..row * COLUMNS + last] {
            *cell += share;
        }
        self.cover_cell(row, last.min(COLUMNS - 1), (right - last as f64) as f32 * share);
    }

    /// Adds to the cover of one pixel, if it is one.
    fn cover_cell(&mut self, row: usize, column: usize, share: f32) {
        if row < ROWS && column < COLUMNS {
            self.cover[row * COLUMNS + column] += share;
            let reach = &mut self.reach[row];
            let start = if reach.end == 0 { column } else { reach.start.min(column) };
            *reach = start..reach.end.max(column + 1);
        }
    }

    /// Mixes `color` into the pixels by their cover, and clears the cover.
    fn blend(&mut self, color: Color, opacity: f64) {
        let color = [color.red, color.green, color.blue];
        for (row, reach) in self.reach.iter_mut().enumerate() {
            for column in std::mem::take(reach) {
                let at = row * COLUMNS + column;
                let share = std::mem::take(&mut self.cover[at]).min(1.0) * opacity as f32;
                for (pixel, &ink) in self.pixels[at * 3..at * 3 + 3].iter_mut().zip(&color) {
                    let old = f32::from(*pixel);
                    *pixel = (old + (f32::from(ink) - old) * share + 0.5) as u8;
                }
            }
        }
    }

    fn text(&mut self, text: &str, (x, baseline): Point, anchor: Anchor, style: &TextStyle) {
        let width = style.width(text);
        let left = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::End => x - width,
        };
        // On a whole pixel the level strokes of letters are sharp.
        for glyph in style.glyphs(text, left, baseline.round()) {
            let Some(outline) = style.font().outline_glyph(glyph) else { continue };
            let upper_left = outline.px_bounds().min;
            outline.draw(|x, y, share| {
                let (column, row) = (upper_left.x as i32 + x as i32, upper_left.y as i32 + y as i32);
                if let (Ok(column), Ok(row)) = (usize::try_from(column), usize::try_from(row)) {
                    self.cover_cell(row, column, share);
                }
            });
        }
        self.blend(style.color, 1.0);
    }
}

/// Notes where the edge crosses the sampled lines, and which way it runs.
fn cross(from: Point, to: Point, first: usize, crossings: &mut [Vec<(f64, i32)>]) {
    let (upper, lower, way) = if from.1 <= to.1 { (from, to, 1) } else { (to, from, -1) };
    let lines = LINES_PER_PX as f64;
    // A line is sampled at its middle.
    let begin = ((upper.1 * lines - 0.5).ceil().max(first as f64)) as usize;
    let end = ((lower.1 * lines - 0.5).ceil().max(0.0) as usize).min(first + crossings.len());
    let slope = (lower.0 - upper.0) / (lower.1 - upper.1);
    for line in begin..end {
        let y = (line as f64 + 0.5) / lines;
        crossings[line - first].push((upper.0 + (y - upper.1) * slope, way));
    }
}

fn corners(area: &Rect) -> Vec<Point> {
    vec![(area.left, area.top), (area.right, area.top), (area.right, area.bottom), (area.left, area.bottom)]
}

/// A line as polygons that all turn one way: a rectangle for each piece, a disc at each joint.
fn outline(points: &[Point], width: f64) -> Vec<Vec<Point>> {
    let half = width / 2.0;
    let mut polygons = Vec::with_capacity(points.len() * 2);
    for pair in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let length = ((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0)).sqrt();
        if length > 0.0 {
            let (across, along) = ((y1 - y0) / length * half, (x1 - x0) / length * half);
            polygons.push(vec![
                (x0 + across, y0 - along),
                (x1 + across, y1 - along),
                (x1 - across, y1 + along),
                (x0 - across, y0 + along),
            ]);
        }
    }
    if points.len() > 2 {
        polygons.extend(points[1..points.len() - 1].iter().map(|&joint| disc(joint, half, 12)));
    }
    polygons
}

/// A regular polygon in place of a circle, turning as [`outline`]'s rectangles do.
fn disc((x, y): Point, radius: f64, sides: u32) -> Vec<Point> {
    let turn = std::f64::consts::TAU / f64::from(sides);
    (0..sides)
        .map(|side| {
            let angle = turn * f64::from(side);
            (x + radius * libm::cos(angle), y + radius * libm::sin(angle))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::drawing::Stroke;
    use super::super::theme::INK;
    use super::*;

    /// Black on white at 1 − share of 255.
    fn red(canvas: &Canvas, column: usize, row: usize) -> u8 {
        canvas.pixels[(row * COLUMNS + column) * 3]
    }

    const BLACK: Color = Color { red: 0, green: 0, blue: 0 };

    #[test]
    fn a_pixel_takes_the_share_that_is_covered() {
        let mut canvas = Canvas::white();
        let area = Rect { left: 10.5, top: 20.0, right: 12.0, bottom: 20.5 };
        canvas.draw(&Mark::Bar { area, color: BLACK, opacity: 1.0 });
        // 10.5..11 of half a pixel is a quarter, 11..12 of half a pixel a half; 12.. is untouched.
        assert_eq!([red(&canvas, 10, 20), red(&canvas, 11, 20), red(&canvas, 12, 20)], [191, 128, 255]);
        assert_eq!(red(&canvas, 11, 21), 255);
    }

    #[test]
    fn a_line_that_turns_back_on_itself_has_no_holes_and_no_darker_spots() {
        let mut canvas = Canvas::white();
        let points = vec![(100.0, 100.0), (140.0, 100.0), (101.0, 100.0), (140.0, 101.0)];
        let stroke = Stroke { color: BLACK, width: 8.0, opacity: 0.5 };
        canvas.draw(&Mark::Line { points, stroke });
        for column in 105..135 {
            assert_eq!(red(&canvas, column, 100), 128, "at {column}");
        }
    }

    #[test]
    fn marks_beyond_the_edges_are_cut_off() {
        let mut canvas = Canvas::white();
        let points = vec![(-50.0, -900.0), (5000.0, 300.0), (-7.0, 3000.0)];
        canvas.draw(&Mark::Polygon { points, color: INK, opacity: 1.0 });
        canvas.draw(&Mark::Dot { center: (WIDTH, HEIGHT), radius: 30.0, color: INK });
        let style = TextStyle::regular(16.0, INK);
        canvas.text("beyond", (WIDTH - 5.0, 3.0), Anchor::Start, &style);
        canvas.text("beyond", (-30.0, HEIGHT + 3.0), Anchor::Start, &style);
        assert!(canvas.cover.iter().all(|&cover| cover == 0.0));
    }
}
