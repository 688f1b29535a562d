//! Labels of cost against time: near their shapes where there is room, else in a column beside the plot.

use super::cost_vs_time::{Cloud, Layout, MOST_SHAPES};
use super::drawing::{Drawing, Point, Rect, Stroke};
use super::label::{Obstacles, column, places_about, places_around};
use super::number::usd;
use super::text::{Anchor, TextStyle};
use super::theme::*;

const FRONT_NAME: &str = "Pareto front of the means";
const NAME_HEIGHT: f64 = 20.0;
const LINE: f64 = 22.0;
/// A label in the plot may be this wide, px.
const LABEL_WIDTH: f64 = 300.0;
const LEADER: Stroke = Stroke::new(AXIS, 1.0);
const FRONT_STYLE: TextStyle = TextStyle::regular(TEXT_SIZE, BOUND);

/// Where the labels of all clusters and of the front stand.
pub(super) struct Labels {
    /// `None` where a label has no place in the plot.
    clusters: Vec<Option<Label>>,
    front: Option<Rect>,
}

struct Label {
    area: Rect,
    /// From the dot to the label, where it is far.
    leader: Option<(Point, Point)>,
}

impl Labels {
    /// Right margin where labels stand beside the plot, px.
    pub(super) const COLUMN: f64 = 280.0;

    /// Gives each label the first free place near its shape; then those left over one farther away.
    pub(super) fn place(layout: &Layout, clouds: &[Cloud<'_>]) -> Self {
        let mut obstacles = obstacles(layout, clouds);
        let plot = layout.plot;
        let crowded = clouds.len() > MOST_SHAPES;
        let bounds = Rect { bottom: plot.bottom - 4.0, right: plot.right + 12.0, ..plot };
        let mut clusters: Vec<Option<Label>> = clouds
            .iter()
            .map(|cloud| {
                // Where shapes crowd each other, only what stands beside a dot is read as its label.
                let (about, gaps): (Rect, &[f64]) = match crowded {
                    true => (dot_area(layout, cloud), &[8.0]),
                    false => (shape(layout, cloud), &[10.0, 22.0, 36.0]),
                };
                let places = places_about(&about, size(layout, cloud), gaps);
                Some(Label { area: obstacles.take_first_free(places, &bounds)?, leader: None })
            })
            .collect();
        for (cloud, label) in clouds.iter().zip(&mut clusters).filter(|(_, label)| label.is_none()) {
            let dot = layout.dot(cloud);
            let clear = |area: &Rect| obstacles.lets_pass(leader(dot, area), dot);
            let places: Vec<Rect> =
                places_around(dot, size(layout, cloud), &bounds).into_iter().filter(clear).collect();
            if let Some(area) = obstacles.take_first_free(places, &bounds) {
                let (from, to) = leader(dot, &area);
                obstacles.lines.push(vec![from, to]);
                *label = Some(Label { area, leader: Some((from, to)) });
            }
        }
        let front = if clouds.len() > 1 { front_place(layout, clouds, &mut obstacles) } else { None };
        Self { clusters, front }
    }

    pub(super) fn all_placed(&self) -> bool {
        self.clusters.iter().all(Option::is_some)
    }

    /// Whether the front has a label of its own.
    pub(super) fn name_the_front(&self) -> bool {
        self.front.is_some()
    }

    pub(super) fn draw(&self, drawing: &mut Drawing, layout: &Layout, clouds: &[Cloud<'_>]) {
        for (cloud, label) in clouds.iter().zip(&self.clusters) {
            let Some(label) = label else { continue };
            drawing.of(cloud.series.number());
            if let Some((from, to)) = label.leader {
                drawing.line(vec![from, to], LEADER);
            }
            let anchor = if label.area.right < layout.dot(cloud).0 { Anchor::End } else { Anchor::Start };
            drawing.text_in(&shown_name(cloud), &label.area, 15.0, anchor, name_style(cloud));
            for (line, text) in figures(layout, cloud).iter().enumerate() {
                drawing.text_in(text, &label.area, 37.0 + LINE * line as f64, anchor, figures_style());
            }
        }
        drawing.of(None);
        if let Some(area) = &self.front {
            drawing.text_in(FRONT_NAME, area, 14.0, Anchor::Start, FRONT_STYLE);
        }
        let homeless = clouds.iter().zip(&self.clusters).filter(|(_, label)| label.is_none());
        draw_column(drawing, layout, homeless.map(|(cloud, _)| cloud).collect());
    }
}

/// Shapes, dots, whiskers, the front and the deadline.
fn obstacles(layout: &Layout, clouds: &[Cloud<'_>]) -> Obstacles {
    let mut obstacles = Obstacles::default();
    obstacles.boxes.extend(clouds.iter().map(|cloud| dot_area(layout, cloud)));
    obstacles.lines.extend(clouds.iter().flat_map(|cloud| layout.whiskers(cloud)));
    obstacles.lines.extend(clouds.iter().filter_map(|cloud| layout.to_bound(cloud)).map(Vec::from));
    obstacles.areas = clouds.iter().flat_map(|cloud| layout.outlines(cloud)).collect();
    if clouds.len() > 1 {
        obstacles.lines.push(layout.pareto_front(clouds));
    }
    if let (Some((x, _)), Some((area, _))) = (&layout.deadline, deadline_label(layout)) {
        obstacles.lines.push(vec![(*x, layout.plot.top), (*x, layout.plot.bottom)]);
        obstacles.boxes.push(area);
    }
    obstacles
}

fn dot_area(layout: &Layout, cloud: &Cloud<'_>) -> Rect {
    let (x, y) = layout.dot(cloud);
    Rect { left: x, top: y, right: x, bottom: y }.grown(DOT_RADIUS)
}

/// The smallest rectangle about region and dot.
fn shape(layout: &Layout, cloud: &Cloud<'_>) -> Rect {
    let points = layout.outlines(cloud).concat().into_iter().chain([layout.dot(cloud)]);
    Rect::about(points).expect("a dot is a point").grown(DOT_RADIUS / 2.0)
}

fn size(layout: &Layout, cloud: &Cloud<'_>) -> (f64, f64) {
    let figures = figures(layout, cloud);
    let widest = figures.iter().map(|line| figures_style().room(line)).fold(0.0, f64::max);
    (widest.max(name_style(cloud).room(&shown_name(cloud))), NAME_HEIGHT + LINE * figures.len() as f64)
}

/// From the edge of a dot to the nearest point of its label.
fn leader((x, y): Point, area: &Rect) -> (Point, Point) {
    let end = (x.clamp(area.left, area.right), y.clamp(area.top, area.bottom));
    let distance = ((end.0 - x) * (end.0 - x) + (end.1 - y) * (end.1 - y)).sqrt().max(1e-9);
    let at = |length: f64| (x + (end.0 - x) * length / distance, y + (end.1 - y) * length / distance);
    (at(DOT_RADIUS + 2.0), at(distance - 3.0))
}

/// A place for the name of the front beside one of its level steps: clear of all shapes, or at least of
/// their outlines.
fn front_place(layout: &Layout, clouds: &[Cloud<'_>], obstacles: &mut Obstacles) -> Option<Rect> {
    let width = FRONT_STYLE.room(FRONT_NAME);
    let front = layout.pareto_front(clouds);
    let levels = front.windows(2).filter(|pair| pair[0].1 == pair[1].1);
    let places: Vec<Rect> = levels
        .rev()
        .flat_map(|pair| {
            let ((begin, y), (end, _)) = (pair[0], pair[1]);
            let (above, below) = (y - 25.0, y + 7.0);
            [
                (end + 10.0, y - 9.0),
                (end - width, above),
                (begin + 14.0, above),
                (end - width, below),
                (begin + 14.0, below),
            ]
        })
        .map(|(left, top)| Rect { left, top, right: left + width, bottom: top + 18.0 })
        .collect();
    obstacles.take_first_free(places.iter().copied(), &layout.plot).or_else(|| {
        let outlines = std::mem::take(&mut obstacles.areas);
        obstacles.lines.extend(outlines);
        obstacles.take_first_free(places, &layout.plot)
    })
}

fn name_style(cloud: &Cloud<'_>) -> TextStyle {
    TextStyle::semi_bold(LABEL_SIZE, cloud.series.color)
}

pub(super) fn figures_style() -> TextStyle {
    TextStyle::regular(TEXT_SIZE, INK)
}

fn shown_name(cloud: &Cloud<'_>) -> String {
    name_style(cloud).shortened(&cloud.series.name, LABEL_WIDTH)
}

/// The lines beneath the name: cost and time, and what else is to be known.
fn figures(layout: &Layout, cloud: &Cloud<'_>) -> Vec<String> {
    let means = format!("{} · {}", usd(cloud.cost.value), layout.time_text(cloud.time.value));
    let dominated = cloud.series.cluster.dominated.then(|| "dominated".to_owned());
    match (dominated, cloud.series.unfinished()) {
        (Some(dominated), Some(unfinished)) => vec![means, format!("{dominated} · {unfinished}")],
        (Some(note), None) | (None, Some(note)) => vec![format!("{means} · {note}")],
        (None, None) => vec![means],
    }
}

/// The box of the deadline's text, beside the upper end of its rule.
pub(super) fn deadline_label(layout: &Layout) -> Option<(Rect, Anchor)> {
    let (x, text) = layout.deadline.as_ref()?;
    let width = figures_style().room(text);
    let fits = x + 8.0 + width < layout.plot.right;
    let (left, anchor) = if fits { (x + 8.0, Anchor::Start) } else { (x - 8.0 - width, Anchor::End) };
    let top = layout.plot.top;
    Some((Rect { left, top, right: left + width, bottom: top + 20.0 }, anchor))
}

/// The labels without a place in the plot, beside it, each with a thin line to its dot.
fn draw_column(drawing: &mut Drawing, layout: &Layout, mut homeless: Vec<&Cloud<'_>>) {
    const LINE: f64 = 16.0;
    homeless.sort_by(|a, b| layout.dot(a).1.total_cmp(&layout.dot(b).1));
    let lines = homeless.iter().map(|cloud| 1 + figures(layout, cloud).len()).max().unwrap_or(1);
    // Twelve labels of three lines do not fit: then the third is left to the other plots.
    let height = (LINE * lines as f64 + 12.0).min(layout.plot.height() / homeless.len().max(1) as f64);
    let shown = (height / LINE) as usize - 1;
    let wanted: Vec<f64> = homeless.iter().map(|cloud| layout.dot(cloud).1 - height / 2.0).collect();
    let left = layout.plot.right + 28.0;
    let room = WIDTH - 8.0 - left;
    let tops = column(&wanted, height, layout.plot.top - 10.0, layout.plot.bottom + 10.0);
    for (cloud, top) in homeless.into_iter().zip(tops) {
        drawing.of(cloud.series.number());
        let (x, y) = layout.dot(cloud);
        let at = top + 8.0;
        drawing.line(vec![(x + DOT_RADIUS + 2.0, y), (left - 18.0, at), (left - 6.0, at)], LEADER);
        let style = TextStyle::semi_bold(15.0, cloud.series.color);
        drawing.text(&style.shortened(&cloud.series.name, room), (left, top + 13.0), Anchor::Start, style);
        let style = TextStyle::regular(FOOTER_SIZE, INK);
        for (line, text) in figures(layout, cloud).iter().take(shown).enumerate() {
            let baseline = top + 13.0 + LINE * (line + 1) as f64;
            drawing.text(&style.shortened(text, room), (left, baseline), Anchor::Start, style);
        }
    }
    drawing.of(None);
}
