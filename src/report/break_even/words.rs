//! The answer in sentences, and values of the key in one unit.

use super::{BreakEvenView, is_sure, number, text};
use crate::experiment::break_even::{Goal, KeyRange, Root, Unit};
use crate::stats::Interval;

/// Values of a key as they are told: all in one unit.
#[derive(Debug, Clone)]
pub(in super::super) struct Scale {
    /// Behind the number, empty for none.
    pub(in super::super) unit: String,
    /// Values of the range in one of these.
    pub(in super::super) per: f64,
}

impl Scale {
    /// Times in the unit that suits the middle of the range.
    pub(in super::super) fn of(range: &KeyRange) -> Self {
        let middle = if range.from > 0.0 { (range.from * range.to).sqrt() } else { 0.5 * range.to };
        match &range.unit {
            Unit::Named(unit) => Self { unit: text::inert(unit), per: 1.0 },
            Unit::Time => {
                let units = [("d", 86_400.0), ("h", 3_600.0), ("min", 60.0), ("s", 1.0), ("ms", 1e-3)];
                let suits = |(_, seconds): &(&str, f64)| middle >= *seconds || *seconds < 0.01;
                let (sign, per) = units.into_iter().find(suits).unwrap_or(("s", 1.0));
                // Two days and more are still told in hours, as everywhere.
                let (sign, per) =
                    if sign == "d" && middle < 20.0 * per { ("h", 3_600.0) } else { (sign, per) };
                Self { unit: sign.to_owned(), per }
            }
        }
    }

    /// A value without its unit, four digits of it.
    pub(super) fn number(&self, value: f64) -> String {
        self.with(value, digits(value / self.per, 4))
    }

    fn with(&self, value: f64, decimals: usize) -> String {
        let text = number::fixed(value / self.per, decimals);
        let trimmed = if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        trimmed.to_owned()
    }

    /// A value with its unit.
    pub(in super::super) fn text(&self, value: f64) -> String {
        format!("{} {}", self.number(value), self.unit).trim_end().to_owned()
    }

    /// A column's head.
    pub(super) fn head(&self, key: &str) -> String {
        let comma = if self.unit.is_empty() { "" } else { ", " };
        format!("{}{comma}{}", text::shortened(key, 40), self.unit)
    }

    /// Whether all that is not sure lies between the two values that the root was narrowed to.
    fn is_exact(&self, root: &Root) -> bool {
        root.low >= root.before && root.high <= root.behind
    }

    /// `0.31 h [0.29, 0.33]`, with the digits that the interval supports.
    pub(in super::super) fn root(&self, root: &Root, range: &KeyRange) -> String {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        let width = (root.high - root.low) / self.per;
        let exact = digits(root.value(range) / self.per, 7);
        let decimals = if self.is_exact(root) { exact } else { digits(width, 2) };
        let end = |value: f64, is_end: bool, sign: &str| {
            let shown = number::fixed(value / self.per, decimals);
            if is_end { format!("{sign} {shown}") } else { shown }
        };
        let value = match range.is_whole {
            true if root.before == root.behind => format!("{}{unit}", self.with(root.behind, 0)),
            true => format!("between {} and {}{unit}", self.with(root.before, 0), self.with(root.behind, 0)),
            false => format!("{}{unit}", number::fixed(root.value(range) / self.per, decimals)),
        };
        if self.is_exact(root) || (range.is_whole && root.low == root.before && root.high == root.behind) {
            return value;
        }
        let (low, high) = (end(root.low, root.low_is_end, "≤"), end(root.high, root.high_is_end, "≥"));
        format!("{value} [{low}, {high}]")
    }
}

/// Decimals that show so many significant digits.
fn digits(value: f64, count: i32) -> usize {
    if value == 0.0 || !value.is_finite() {
        return 0;
    }
    (count - 1 - libm::floor(libm::log10(value.abs())) as i32).clamp(0, 9) as usize
}

/// What a difference means for the cluster.
pub(super) fn side(goal: &Goal, difference: Interval) -> &'static str {
    match (goal, difference.value > 0.0) {
        _ if !is_sure(difference) => "not sure",
        (Goal::SameCost, true) => "dearer",
        (Goal::SameCost, false) => "cheaper",
        (Goal::Figure { .. }, true) => "above",
        (Goal::Figure { .. }, false) => "below",
    }
}

/// The answer: every root with what lies on its sides, or that there is none and why.
pub fn verdict(view: &BreakEvenView<'_>) -> Vec<String> {
    let (found, cluster) = (view.found, text::name(view.cluster));
    let against = view.against.map_or("the other".to_owned(), text::name);
    let what = match view.goal {
        Goal::SameCost => format!("{cluster} costs as much per finished run as {against}"),
        Goal::Figure { name, value } => format!("{name} of {cluster} is {value}"),
    };
    let scale = Scale::of(view.range);
    let key = text::shortened(view.key, 60);
    let today = view.today.map(|value| scale.text(value));
    let (from, to) = (scale.text(view.range.from), scale.text(view.range.to));
    if found.points.iter().all(|point| point.difference.is_none()) {
        let at = format!("at any value of {key} from {from} to {to}");
        return vec![match view.goal {
            Goal::SameCost => format!("No run finishes {at}."),
            Goal::Figure { name, .. } => format!(
                "{name} of {cluster} does not exist {at}: no run finishes, or the scenario lacks what it is about."
            ),
        }];
    }
    if found.is_nothing() {
        return vec![format!("{what} at every value of {key} from {from} to {to}.")];
    }
    if found.roots.is_empty() {
        let mut all = vec![format!("{what} at no value of {key} from {from} to {to}: {}.", everywhere(view))];
        if found.is_flat() {
            all.push("The key changes nothing about it.".to_owned());
        }
        return all;
    }
    let (rising, falling) = match view.goal {
        Goal::SameCost => ("cheaper below, dearer above", "dearer below, cheaper above"),
        Goal::Figure { .. } => ("less below, more above", "more below, less above"),
    };
    let assumed = today.map_or(String::new(), |today| format!(" (the file has {today})"));
    let told = |root: &Root| {
        let side = if root.rises { rising } else { falling };
        let more = match root.changes {
            1 => String::new(),
            changes => format!(", {changes} changes that cannot be told apart"),
        };
        (scale.root(root, view.range), format!("{side}{more}"))
    };
    match &found.roots[..] {
        [root] => {
            let (at, side) = told(root);
            let at =
                if at.starts_with("between") { format!("changes sides {at}") } else { format!("= {at}") };
            match at.strip_prefix("changes sides ") {
                Some(between) => {
                    vec![format!(
                        "{what} {} of {key}{assumed}: {side}.",
                        between.replacen("between", "between the values", 1)
                    )]
                }
                None => vec![format!("{what} at {key} {at}{assumed}: {side}.")],
            }
        }
        roots => {
            let told: Vec<String> =
                roots.iter().map(told).map(|(at, side)| format!("{at} ({side})")).collect();
            let count = roots.len();
            vec![format!("{what} at {count} values of {key}{assumed}: {}.", text::listed(told, 8))]
        }
    }
}

/// "it is cheaper by $3.20 to $7.10".
pub(in super::super) fn everywhere(view: &BreakEvenView<'_>) -> String {
    let known: Vec<Interval> = view.found.grid().filter_map(|point| point.difference).collect();
    let least = known.iter().map(|d| d.value).fold(f64::INFINITY, f64::min);
    let most = known.iter().map(|d| d.value).fold(f64::NEG_INFINITY, f64::max);
    let unsure = known.iter().filter(|d| !is_sure(**d)).count();
    let rest = if unsure > 0 { ", not surely everywhere" } else { "" };
    match view.goal {
        Goal::SameCost => {
            let word = if most > 0.0 { "dearer" } else { "cheaper" };
            let (near, far) = if most > 0.0 { (least, most) } else { (-most, -least) };
            format!("it is {word} by {} to {}{rest}", number::usd(near), number::usd(far))
        }
        Goal::Figure { value, .. } => {
            let word = if most > 0.0 { "above" } else { "below" };
            let decimals = number::decimals([least + value, most + value]);
            let [least, most] = [least, most].map(|d| number::fixed(d + value, decimals));
            format!("it is {word} that everywhere, from {least} to {most}{rest}")
        }
    }
}
