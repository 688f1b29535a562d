//! A table for each method.

use super::super::number;
use super::super::text::{self, Column, Paint};
use super::{Input, SensitivityView, amount, level};
use crate::experiment::sensitivity::{Bar, Effects, Estimate, Finding, Indices, pairs};
use crate::stats::Interval;

/// Pairs told.
const PAIRS_MAX: usize = 3;
/// Columns of an input's range.
const RANGE_MAX: usize = 34;
/// A share below this is printed as nothing: 0.00.
const SEEN_FROM: f64 = 0.005;

/// First column and that of ranges, of the inputs in an order.
fn begin(view: &SensitivityView<'_>, order: &[usize]) -> (Column, Column) {
    let of = |cell: &dyn Fn(&Input) -> String| order.iter().map(|&input| cell(&view.inputs[input])).collect();
    let name = |input: &Input| text::name(&input.name);
    let range = |input: &Input| text::shortened(&input.range(), RANGE_MAX);
    let (low, high) = view.method.range();
    let percentile = |share: f64| number::fixed(share * 100.0, 0);
    let head = format!("range (P{} to P{})", percentile(low), percentile(high));
    (Column::words("input", of(&name)), Column::words(head, of(&range)))
}

/// The inputs that have an effect, and what is said beneath them.
pub(super) struct Table {
    /// The inputs.
    pub(super) first: Column,
    /// Their ranges and figures.
    pub(super) columns: Vec<Column>,
    /// Inputs without an effect.
    rest: Vec<usize>,
    /// Pairs that surely are more than nothing, in words.
    pub(super) together: Option<String>,
}

impl Table {
    /// The table, and those without an effect in a line beneath; nothing else if none has one.
    pub(super) fn text(&self, view: &SensitivityView<'_>, paint: Paint) -> String {
        let Self { first, columns, together, .. } = self;
        let table = if first.cells.is_empty() { String::new() } else { text::table(first, columns, paint) };
        let rest = self.without_effect(view).map_or(Vec::new(), |line| text::wrapped(&line, text::columns()));
        let rest: String = rest.iter().map(|line| format!("{line}\n")).collect();
        let together = together.as_ref();
        let together =
            together.map(|told| format!("\n{}", text::beside("Together", std::slice::from_ref(told))));
        table + &rest + &together.unwrap_or_default()
    }

    /// The inputs without an effect, in words.
    pub(super) fn without_effect(&self, view: &SensitivityView<'_>) -> Option<String> {
        let names: Vec<String> =
            self.rest.iter().map(|&input| text::name(&view.inputs[input].name)).collect();
        (!names.is_empty()).then(|| format!("no effect: {}", names.join(", ")))
    }
}

/// Indices, the largest total one first, and the pairs that surely are more than nothing.
pub(super) fn sobol(view: &SensitivityView<'_>, indices: &Indices) -> Table {
    let is_seen = |of: &Estimate| of.interval().high.max(-of.interval().low) >= SEEN_FROM;
    let all = view.ranked(|input| indices.total[input].value);
    let (order, rest): (Vec<usize>, Vec<usize>) =
        all.into_iter().partition(|&input| is_seen(&indices.total[input]) || is_seen(&indices.first[input]));
    let (first, range) = begin(view, &order);
    let of = |all: &[Estimate]| {
        order.iter().map(|&input| number::with_interval(&all[input].interval(), 2)).collect()
    };
    let columns =
        vec![range, Column::figures("ST", of(&indices.total)), Column::figures("S1", of(&indices.first))];
    Table { first, columns, rest, together: together(view, indices) }
}

fn together(view: &SensitivityView<'_>, indices: &Indices) -> Option<String> {
    let mut sure: Vec<((usize, usize), Interval)> = pairs(view.inputs.len())
        .zip(&indices.second)
        .map(|(pair, index)| (pair, index.interval()))
        .filter(|(_, index)| index.low > 0.0 && index.value >= SEEN_FROM)
        .collect();
    sure.sort_by(|a, b| b.1.value.total_cmp(&a.1.value));
    let name = |input: usize| text::name(&view.inputs[input].name);
    let told = sure.iter().take(PAIRS_MAX).map(|((one, other), index)| {
        format!("{} with {} {}", name(*one), name(*other), number::with_interval(index, 2))
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| format!("S2: {}", told.join("; ")))
}

/// Effects, the largest first.
pub(super) fn morris(view: &SensitivityView<'_>, finding: &Finding, effects: &[Effects]) -> Table {
    let all = view.ranked(|input| effects[input].mean_size.value);
    let (order, rest): (Vec<usize>, Vec<usize>) =
        all.into_iter().partition(|&input| effects[input].mean_size.value > 0.0);
    let (first, range) = begin(view, &order);
    let of = |cell: &dyn Fn(&Effects) -> String| order.iter().map(|&input| cell(&effects[input])).collect();
    let text = |value: f64| amount(&finding.result, value);
    let size = |effect: &Effects| {
        let Interval { value, low, high } = effect.mean_size.interval();
        format!("{} [{}, {}]", text(value), text(low), text(high))
    };
    let columns = vec![
        range,
        Column::figures("mean size", of(&size)),
        Column::figures("mean", of(&|effect| text(effect.mean))),
        Column::figures("spread", of(&|effect| text(effect.sd))),
    ];
    Table { first, columns, rest, together: None }
}

/// Bars, the widest first.
pub(super) fn tornado(view: &SensitivityView<'_>, finding: &Finding, base: f64, bars: &[Bar]) -> Table {
    let (bars, unmoved): (Vec<&Bar>, Vec<&Bar>) = bars.iter().partition(|bar| bar.width() > 0.0);
    let [order, rest] = [&bars, &unmoved].map(|of| of.iter().map(|bar| bar.input).collect::<Vec<usize>>());
    let (first, range) = begin(view, &order);
    let of = |value: &dyn Fn(&Bar) -> f64| {
        bars.iter().map(|bar| level(&finding.result, value(bar), view.replications)).collect::<Vec<_>>()
    };
    let apart = bars.iter().map(|bar| amount(&finding.result, bar.width())).collect();
    let columns = vec![
        range,
        Column::figures("at the low end", of(&|bar| bar.at_low)),
        Column::figures("as it is", vec![level(&finding.result, base, view.replications); bars.len()]),
        Column::figures("at the high end", of(&|bar| bar.at_high)),
        Column::figures("apart", apart),
    ];
    Table { first, columns, rest, together: None }
}
