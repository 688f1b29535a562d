//! The table of who has finished by when: legend and figures in one.

use super::PlotData;
use super::drawing::{Drawing, Rect, Stroke};
use super::number::{chosen_time, probability, probability_interval};
use super::series::Series;
use super::text::{Anchor, TextStyle};
use super::theme::*;

const ROW: f64 = 26.0;
const HEAD: f64 = 34.0;
/// Within the table's edges, px.
const PADDING: f64 = 12.0;
const SAMPLE_WIDTH: f64 = 36.0;
const GAP: f64 = 16.0;
/// Longest name, px.
const NAME_WIDTH: f64 = 220.0;

const HEAD_STYLE: TextStyle = TextStyle::regular(TEXT_SIZE, MUTED);
const VALUE_STYLE: TextStyle = TextStyle::semi_bold(TEXT_SIZE, INK).tabular();
const INTERVAL_STYLE: TextStyle = HEAD_STYLE.tabular();

struct Row {
    of: Option<usize>,
    name: String,
    color: Color,
    dash: Dash,
    probability: String,
    interval: String,
}

/// For each cluster: a piece of its line, its name, its probability and the interval of that.
pub(super) struct Table {
    head: String,
    rows: Vec<Row>,
    /// Widths of the columns name, probability and interval, px.
    columns: [f64; 3],
}

impl Table {
    /// Chances to finish by the deadline, or by the horizon where there is none.
    pub(super) fn of(data: &PlotData, series: &[Series<'_>]) -> Self {
        let by = match data.deadline_h {
            Some(deadline) => chosen_time(deadline),
            None => format!("the horizon of {}", chosen_time(data.horizon_h)),
        };
        let rows: Vec<Row> = series
            .iter()
            .map(|s| {
                let finish = s.cluster.finish_probability;
                let chance = data.deadline_h.and(s.cluster.deadline_probability).unwrap_or(finish);
                Row {
                    of: s.number(),
                    name: name_style(s.color).shortened(&s.short_name, NAME_WIDTH),
                    color: s.color,
                    dash: s.dash,
                    probability: probability(chance),
                    interval: probability_interval(chance),
                }
            })
            .collect();
        let widest = |width: &dyn Fn(&Row) -> f64| rows.iter().map(width).fold(0.0, f64::max);
        let columns = [
            widest(&|row| name_style(row.color).room(&row.name)),
            widest(&|row| VALUE_STYLE.room(&row.probability)),
            widest(&|row| INTERVAL_STYLE.room(&row.interval)),
        ];
        Self { head: format!("Finished by {by}, with 95 % interval"), rows, columns }
    }

    pub(super) fn width(&self) -> f64 {
        let columns = SAMPLE_WIDTH + GAP / 2.0 + self.columns.iter().sum::<f64>() + 2.0 * GAP;
        columns.max(HEAD_STYLE.room(&self.head)) + 2.0 * PADDING
    }

    pub(super) fn height(&self) -> f64 {
        HEAD + ROW * self.rows.len() as f64 + PADDING
    }

    pub(super) fn draw(&self, drawing: &mut Drawing, area: &Rect) {
        let (left, right) = (area.left + PADDING, area.right - PADDING);
        drawing.bar(*area, PANEL, 1.0);
        drawing.text(&self.head, (left, area.top + 20.0), Anchor::Start, HEAD_STYLE);
        let rule = area.top + HEAD - 3.0;
        drawing.line(vec![(left, rule), (right, rule)], Stroke::new(AXIS, GRID_LINE));
        for (index, row) in self.rows.iter().enumerate() {
            drawing.of(row.of);
            let baseline = area.top + HEAD + ROW * index as f64 + 19.0;
            let piece = [(left, baseline - 5.5), (left + SAMPLE_WIDTH - 4.0, baseline - 5.5)];
            drawing.dashed(&piece, row.dash, Stroke::new(row.color, DATA_LINE));
            let name_left = left + SAMPLE_WIDTH + GAP / 2.0;
            drawing.text(&row.name, (name_left, baseline), Anchor::Start, name_style(row.color));
            let value_right = name_left + self.columns[0] + GAP + self.columns[1];
            drawing.text(&row.probability, (value_right, baseline), Anchor::End, VALUE_STYLE);
            let interval_right = value_right + GAP + self.columns[2];
            drawing.text(&row.interval, (interval_right, baseline), Anchor::End, INTERVAL_STYLE);
        }
        drawing.of(None);
    }
}

fn name_style(color: Color) -> TextStyle {
    TextStyle::semi_bold(TEXT_SIZE, color)
}
