//! What one run may cost: a histogram a cluster, over one axis.

use super::axis::Axis;
use super::drawing::{Drawing, Rect, Stroke};
use super::frame::{begin, bottom_axis};
use super::number::{share, usd};
use super::series::{Series, left_out, quantile, series};
use super::text::{Anchor, TextStyle};
use super::theme::*;
use super::{PlotData, finding};

const BINS: usize = 60;
/// Left margin, with row labels, px.
const ROWS_LEFT: f64 = 340.0;
const ROWS_TOP: f64 = 128.0;
/// The axis ends where this share of the runs of every cluster cost less, and begins where the rest of
/// the runs of some cluster does: a few that gave up early must not squeeze the others together.
const AXIS_END: f64 = 0.995;
/// A row's label may be this wide, px.
const LABEL_WIDTH: f64 = ROWS_LEFT - LEFT_EDGE - 8.0;
const NOTE_STYLE: TextStyle = TextStyle::regular(FOOTER_SIZE, MUTED);

/// Cost of a run, whatever its end: a histogram a cluster with the same 60 bins, its 5–95 % range, its
/// mean, and the mean of the baseline.
pub fn cost_distribution(data: &PlotData) -> Drawing {
    let series = series(data);
    let rows: Vec<Row<'_>> = series.iter().filter_map(Row::of).collect();
    let mut drawing = begin(
        data,
        &finding::bill(data, &series),
        "Cost of each run, whatever its end; same bins for all, each row scaled to its tallest bar",
        &notes(data, &rows),
    );
    let Some(axis) = cost_axis(&rows) else { return drawing };
    let plot = Rect { left: ROWS_LEFT, top: ROWS_TOP, right: RIGHT_EDGE, bottom: PLOT_BOTTOM };
    let axis = axis.between((plot.left, plot.right));
    bottom_axis(&mut drawing, &plot, &axis, "Cost of a run, $", |text| format!("${text}"));
    for (x, _) in axis.ticks() {
        drawing.line(vec![(x, plot.top), (x, plot.bottom)], Stroke::new(GRID, GRID_LINE));
    }
    let pitch = (plot.height() / rows.len() as f64).min(170.0);
    for (index, row) in rows.iter().enumerate() {
        let top = plot.top + pitch * index as f64;
        drawing.of(row.series.number());
        row.draw(&mut drawing, &axis, &Rect { top, bottom: top + pitch, ..plot });
    }
    drawing.of(None);
    draw_baseline(&mut drawing, &axis, &rows, &plot, plot.top + pitch * rows.len() as f64);
    drawing
}

fn notes(data: &PlotData, rows: &[Row<'_>]) -> Vec<String> {
    let mut notes = vec!["rule: 5–95 % of runs, tick: mean".to_owned()];
    let cheapest = rows.iter().filter_map(|row| row.costs.first().copied()).reduce(f64::min);
    let dearest = rows.iter().filter_map(|row| row.costs.last().copied()).reduce(f64::max);
    if let (Some(low), Some(high), Some(axis)) = (cheapest, dearest, cost_axis(rows))
        && !(axis.holds(low) && axis.holds(high))
    {
        notes.push(format!("all runs {}–{}, the farthest in the outer bins", usd(low), usd(high)));
    }
    notes.extend(left_out(data));
    notes
}

fn cost_axis(rows: &[Row<'_>]) -> Option<Axis> {
    let begins = rows.iter().filter_map(|row| quantile(&row.costs, 1.0 - AXIS_END));
    let low = begins.chain(rows.iter().map(Row::mean)).reduce(f64::min)?;
    let ends = rows.iter().filter_map(|row| quantile(&row.costs, AXIS_END));
    let high = ends.chain(rows.iter().map(Row::mean)).reduce(f64::max)?;
    Some(Axis::spanning(low, high, (0.0, 1.0), 9))
}

/// A cluster with what its runs cost, in order, dollars.
struct Row<'a> {
    series: &'a Series<'a>,
    costs: Vec<f64>,
}

impl<'a> Row<'a> {
    /// `None` without runs.
    fn of(series: &'a Series<'a>) -> Option<Self> {
        let costs = series.costs_usd();
        (!costs.is_empty()).then_some(Self { series, costs })
    }

    fn mean(&self) -> f64 {
        self.series.cluster.cost_usd_mean.value
    }

    fn range(&self) -> (f64, f64) {
        let at = |share| quantile(&self.costs, share).expect("a row has runs");
        (at(0.05), at(0.95))
    }

    /// Runs in each bin; what lies beyond the axis is counted at its end.
    fn counts(&self, axis: &Axis) -> [u32; BINS] {
        let mut counts = [0; BINS];
        for &cost in &self.costs {
            let bin = (axis.share_of(cost) * BINS as f64 + 1e-9) as usize;
            counts[bin.min(BINS - 1)] += 1;
        }
        counts
    }

    fn draw(&self, drawing: &mut Drawing, axis: &Axis, area: &Rect) {
        let color = self.series.color;
        // From below: the rule, a gap, the bars, and a gap to the row above.
        let rule = area.bottom - 0.1 * area.height();
        let floor = rule - (0.08 * area.height()).max(6.0);
        let tallest = floor - area.top - 0.12 * area.height();
        let counts = self.counts(axis);
        let most = counts.iter().copied().max().unwrap_or(1).max(1);
        for (bin, &count) in counts.iter().enumerate() {
            if count > 0 {
                let place = |bin: usize| axis.place(axis.value_at(bin as f64 / BINS as f64));
                // A bin with a single run is still seen.
                let height = (tallest * f64::from(count) / f64::from(most)).max(1.0);
                let (left, right) = (place(bin), place(bin + 1) - 1.0);
                drawing.bar(Rect { left, top: floor - height, right, bottom: floor }, color, OUTLINE_OPACITY);
                let of_all = share(f64::from(count) / self.costs.len().max(1) as f64);
                let edge = |bin: usize| usd(axis.value_at(bin as f64 / BINS as f64));
                // The outer bins hold what lies beyond the axis too.
                let range = match bin {
                    0 => format!("up to {}", edge(1)),
                    bin if bin + 1 == BINS => format!("{} and more", edge(bin)),
                    bin => format!("{} to {}", edge(bin), edge(bin + 1)),
                };
                let area = Rect { left, top: area.top, right: place(bin + 1), bottom: floor };
                drawing.bar_spot(area, vec![self.series.name.clone(), format!("{range}: {of_all} of runs")]);
            }
        }
        drawing.line(vec![(area.left, floor), (area.right, floor)], Stroke::new(AXIS, GRID_LINE));
        let (low, high) = self.range();
        let (from, to) = (axis.place(low), axis.place(high));
        drawing.line(vec![(from, rule), (to.max(from + 3.0), rule)], Stroke::new(color, DATA_LINE));
        let mean = axis.place(self.mean());
        let reach = (0.045 * area.height()).clamp(4.0, 7.0);
        drawing.line(vec![(mean, rule - reach), (mean, rule + reach)], Stroke::new(INK, MEAN_LINE));
        self.draw_label(drawing, area, floor);
    }

    fn draw_label(&self, drawing: &mut Drawing, area: &Rect, floor: f64) {
        let (low, high) = self.range();
        let name = TextStyle::semi_bold(
            if area.height() < 48.0 { TEXT_SIZE } else { LABEL_SIZE },
            self.series.color,
        );
        let mut figures = format!("mean {} · {}–{}", usd(self.mean()), usd(low), usd(high));
        if usd(low) == usd(high) {
            figures = format!("mean {}", usd(self.mean()));
        }
        let baseline = floor.min(area.bottom - 8.0);
        let shown = name.shortened(&self.series.name, LABEL_WIDTH);
        drawing.text(&shown, (LEFT_EDGE, baseline - 18.0), Anchor::Start, name);
        let figures_style = TextStyle::regular(FOOTER_SIZE, INK);
        let figures = figures_style.shortened(&figures, LABEL_WIDTH);
        drawing.text(&figures, (LEFT_EDGE, baseline), Anchor::Start, figures_style);
        if let Some(unfinished) = self.series.unfinished().filter(|_| area.height() > 60.0) {
            drawing.text(&unfinished, (LEFT_EDGE, baseline + 18.0), Anchor::Start, NOTE_STYLE);
        }
    }
}

/// The mean of the baseline through all rows, named above them.
fn draw_baseline(drawing: &mut Drawing, axis: &Axis, rows: &[Row<'_>], plot: &Rect, bottom: f64) {
    let Some(baseline) = rows.iter().find(|row| row.series.is_baseline).filter(|_| rows.len() > 1) else {
        return;
    };
    let x = axis.place(baseline.mean());
    let rule = [(x, plot.top - 4.0), (x, bottom)];
    drawing.dashed(&rule, FRONT_DASH, Stroke::new(BOUND, THIN_LINE));
    let text = format!("baseline {}", usd(baseline.mean()));
    let style = TextStyle::regular(FOOTER_SIZE, BOUND);
    let width = style.room(&text);
    let left = (x - width / 2.0).clamp(plot.left, RIGHT_EDGE - width);
    drawing.text(&text, (left, plot.top - 8.0), Anchor::Start, style);
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn every_run_is_counted_once_also_beyond_the_axis() {
        let data = sample::five_clusters();
        let series = series(&data);
        let rows: Vec<Row<'_>> = series.iter().filter_map(Row::of).collect();
        let axis = cost_axis(&rows).unwrap();
        for row in &rows {
            assert_eq!(row.counts(&axis).iter().sum::<u32>() as usize, row.costs.len());
        }
    }

    #[test]
    fn a_cost_at_the_edge_of_a_bin_belongs_to_the_bin_above() {
        let data = sample::three_clusters();
        let series = series(&data);
        let row = Row { series: &series[0], costs: vec![0.0, 1.0, 59.0, 60.0] };
        let counts = row.counts(&Axis::linear(0.0, 60.0, (0.0, 1.0), 6));
        assert_eq!((counts[0], counts[1], counts[59]), (1, 1, 2));
    }
}
