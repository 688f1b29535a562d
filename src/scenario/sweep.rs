//! `[sweep]`: keys of the scenario with the values that they take, and which combinations of these are tried.

use super::amount::{Amount, value_of};
use super::assign::Key;
use super::echo::Echo;
use super::field::Field;
use super::keyed::{Leaf, leaves};
use super::problem::{Problem, Sink};
use super::reader::Reader;
use super::source::Place;
use super::template::Change;
use super::tree::{Node, Table, Value};

/// More configurations than this are a mistake.
pub const CONFIGURATIONS_MAX: u64 = 1_000_000;
/// How the values of a key are written.
const VALUES: &str = "write [\"5 min\", \"15 min\"] or { from = \"5 min\", to = \"1 h\", points = 8 }";

/// Keys and values, and which combinations of them are configurations.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// How configurations are chosen.
    pub design: Design,
    axes: Vec<Axis>,
}

/// Which combinations are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Design {
    /// Every combination; the last key turns fastest.
    Grid,
    /// So many points, one in each of as many equal parts of every key's range.
    LatinHypercube(u64),
    /// So many points of a scrambled Sobol' sequence.
    Sobol(u64),
}

/// Keys that turn together: one, or those of a `[[sweep.zip]]`.
#[derive(Debug, Clone, PartialEq)]
struct Axis {
    keys: Vec<Key>,
    values: Values,
}

#[derive(Debug, Clone, PartialEq)]
enum Values {
    /// In turn; each a value for every key of the axis.
    Listed(Vec<Vec<Node>>),
    /// All between two ends, of sampled designs.
    Between(Between),
}

/// `{ from = "1 h", to = "24 h" }`.
#[derive(Debug, Clone, PartialEq)]
struct Between {
    from: f64,
    to: f64,
    unit: String,
    /// Even steps of the logarithm.
    is_log: bool,
    is_whole: bool,
    place: Place,
}

impl Sweep {
    /// Keys, in the order of the columns.
    pub fn keys(&self) -> Vec<String> {
        self.axes.iter().flat_map(|axis| &axis.keys).map(Key::to_string).collect()
    }

    /// Number of configurations.
    pub fn count(&self) -> u64 {
        match self.design {
            Design::Grid => self.axes.iter().map(Axis::len).product(),
            Design::LatinHypercube(points) | Design::Sobol(points) => points,
        }
    }

    /// Coordinates of a sampled point, one an axis.
    pub fn dimensions(&self) -> usize {
        self.axes.len()
    }

    /// The values of a configuration of a grid.
    pub fn of_grid(&self, number: u64) -> Vec<Change> {
        let mut turned: Vec<u64> = Vec::with_capacity(self.axes.len());
        let mut rest = number;
        for axis in self.axes.iter().rev() {
            turned.push(rest % axis.len());
            rest /= axis.len();
        }
        let values = self.axes.iter().zip(turned.iter().rev());
        values.flat_map(|(axis, &index)| axis.changes(axis.listed(index as usize))).collect()
    }

    /// The values at a point of the unit cube, one coordinate in [0, 1) an axis.
    pub fn at(&self, point: &[f64]) -> Vec<Change> {
        self.axes.iter().zip(point).flat_map(|(axis, &u)| axis.changes(axis.at(u))).collect()
    }

    /// Keys that turn together without any effect, of those with more than one value: `resolve` gives the same for both
    /// ends of their values, with all others at their first values and with all at their last.
    pub fn idle<T: PartialEq>(&self, resolve: &dyn Fn(&[Change]) -> Option<T>) -> Vec<String> {
        let mut active = vec![false; self.axes.len()];
        for all in [0.0, 1.0 - f64::EPSILON] {
            let point = vec![all; self.axes.len()];
            let right = resolve(&self.at(&point));
            for (axis, active) in active.iter_mut().enumerate().filter(|(_, active)| !**active) {
                let mut turned = point.clone();
                turned[axis] = 1.0 - f64::EPSILON - all;
                let (changes, same) = (self.at(&turned), self.at(&point));
                *active = changes == same || right.is_none() || resolve(&changes) != right;
            }
        }
        let idle = self.axes.iter().zip(active).filter(|(_, active)| !active);
        idle.flat_map(|(axis, _)| &axis.keys).map(Key::to_string).collect()
    }

    /// Each value that is listed for a key which ends so, the others as the scenario has them.
    pub fn listed(&self, key_end: &str) -> Vec<Vec<Change>> {
        let named = |axis: &&Axis| axis.keys.iter().any(|key| key.to_string().ends_with(key_end));
        let each = |axis: &Axis| match &axis.values {
            Values::Listed(values) => values.iter().map(|value| axis.changes(value.clone())).collect(),
            Values::Between(_) => Vec::new(),
        };
        self.axes.iter().filter(named).flat_map(each).collect::<Vec<_>>()
    }

    /// Each key at each end of its values, the others as the scenario has them: what should be tried first, to
    /// find a misspelt key or a missing unit at once.
    pub fn ends(&self) -> Vec<Vec<Change>> {
        let ends = |axis: &Axis| [0.0, 1.0 - f64::EPSILON].map(|u| axis.changes(axis.at(u)));
        self.axes.iter().flat_map(ends).collect()
    }
}

impl Axis {
    fn len(&self) -> u64 {
        match &self.values {
            Values::Listed(values) => values.len() as u64,
            Values::Between(_) => 1,
        }
    }

    fn listed(&self, index: usize) -> Vec<Node> {
        match &self.values {
            Values::Listed(values) => values[index].clone(),
            Values::Between(between) => vec![between.at(0.0)],
        }
    }

    fn at(&self, u: f64) -> Vec<Node> {
        match &self.values {
            Values::Listed(values) => self.listed(((u * values.len() as f64) as usize).min(values.len() - 1)),
            Values::Between(between) => vec![between.at(u)],
        }
    }

    fn changes(&self, values: Vec<Node>) -> Vec<Change> {
        let change = |(key, value): (&Key, Node)| Change { key: key.clone(), value };
        self.keys.iter().zip(values).map(change).collect()
    }
}

impl Between {
    /// The value at share `u` of the way; whole numbers have equal shares.
    fn at(&self, u: f64) -> Node {
        let whole = || (self.from + (u * (self.to - self.from + 1.0)).floor()).min(self.to);
        self.node(if self.is_whole && !self.is_log { whole() } else { self.on_way(u) })
    }

    fn on_way(&self, u: f64) -> f64 {
        match self.is_log {
            true => self.from * libm::pow(self.to / self.from, u),
            false => self.from + u * (self.to - self.from),
        }
    }

    fn node(&self, number: f64) -> Node {
        let number = if self.is_whole { number.round() } else { number };
        Node { place: self.place, value: value_of(number, &self.unit) }
    }
}

/// Reads `[sweep]`; `None` where something is wrong with it, which is reported.
pub(super) fn read_sweep(table: &Table, sink: &Sink, top: &mut Echo) -> Option<Sweep> {
    let mut reader = Reader::new(table, sink);
    let design = read_design(&mut reader, top)?;
    let mut axes: Vec<(Place, Axis)> = Vec::new();
    let zipped = reader.field("zip");
    for reader in zipped.is_given().then(|| zipped.tables()).into_iter().flatten() {
        axes.push((reader.place(), read_zip(reader.table(), sink)?));
    }
    if let Some(zipped) = zipped.value() {
        top.set("sweep", "zip", zipped.as_toml(), "");
    }
    let mut rest = table.clone();
    rest.entries.retain(|key, _| !["design", "points", "zip"].contains(&key.as_str()));
    for leaf in leaves(&rest, &is_leaf) {
        let (key, place) = (leaf.key(), leaf.path.last().expect("a leaf has a key").1);
        top.set("sweep", &key.to_string(), leaf.node.value.as_toml(), "");
        axes.push((place, Axis { keys: vec![key], values: read_values(&leaf, design, sink)? }));
    }
    axes.sort_by_key(|(place, _)| *place);
    let sweep = Sweep { design, axes: axes.into_iter().map(|(_, axis)| axis).collect() };
    if sweep.axes.is_empty() {
        let label = "write \"checkpoint.every\" = [\"5 min\", \"15 min\", \"1 h\"]";
        sink.report(Problem::error("[sweep] has no key with values").at(table.place, label));
        return None;
    }
    refuse_repeated(&sweep, sink)?;
    let count = sweep.axes.iter().try_fold(1_u64, |product, axis| product.checked_mul(axis.len()));
    if sweep.design == Design::Grid && count.is_none_or(|count| count > CONFIGURATIONS_MAX) {
        let title = format!("[sweep] has more than {CONFIGURATIONS_MAX} combinations");
        let label = "shorten a list, or sample: `design = \"sobol\"` with `points`";
        sink.report(Problem::error(title).at(table.place, label));
        return None;
    }
    Some(sweep)
}

/// Whether a value is what is said of one key, not a step on the way to one.
fn is_leaf(value: &Value) -> bool {
    match value {
        Value::Table(table) => is_range(table),
        _ => true,
    }
}

/// Whether a table is one value of a key, not a step on the way to one.
fn is_range(table: &Table) -> bool {
    let is_end = |key: &str| {
        let value = table.entries.get(key).map(|entry| &entry.node.value);
        value.is_some_and(|value| !matches!(value, Value::Array(_) | Value::Table(_)))
    };
    is_end("from") || is_end("to")
}

fn read_design(reader: &mut Reader<'_>, top: &mut Echo) -> Option<Design> {
    let field = reader.field("design");
    let words = [("grid", 0), ("latin-hypercube", 1), ("sobol", 2)];
    let chosen = if field.is_given() { field.word(&words)? } else { 0 };
    let points = reader.field("points");
    if chosen == 0 {
        if points.is_given() {
            points.refuse("a grid has as many points as it has combinations", "add `design = \"sobol\"`");
            return None;
        }
        return Some(Design::Grid);
    }
    let count = reader.required("points", "points = 1024").whole(1..=CONFIGURATIONS_MAX)?;
    top.set("sweep", "design", format!("\"{}\"", words[chosen].0), "");
    top.set("sweep", "points", count.to_string(), "");
    Some(if chosen == 1 { Design::LatinHypercube(count) } else { Design::Sobol(count) })
}

fn read_values(leaf: &Leaf<'_>, design: Design, sink: &Sink) -> Option<Values> {
    let place = leaf.node.place;
    match &leaf.node.value {
        Value::Array(values) if !values.is_empty() => {
            Some(Values::Listed(values.iter().map(|value| vec![value.clone()]).collect()))
        }
        Value::Table(table) => read_range(Reader::new(table, sink), design),
        other => {
            sink.report(match other {
                Value::Array(_) => no_values(leaf),
                _ => {
                    let title = format!("`{}` must be a list of values, or a range", leaf.name());
                    Problem::error(title).at(place, VALUES)
                }
            });
            None
        }
    }
}

fn no_values(leaf: &Leaf<'_>) -> Problem {
    Problem::error(format!("`{}` has no values", leaf.name())).at(leaf.node.place, VALUES)
}

fn read_range(mut reader: Reader<'_>, design: Design) -> Option<Values> {
    let place = reader.place();
    let from = reader.required("from", "from = \"5 min\"");
    let to = reader.required("to", "to = \"1 h\"");
    let first = Amount::read(&from);
    let last = first.as_ref().and_then(|first| first.read_alike(&to));
    let scale = reader.field("scale");
    let is_log = if scale.is_given() { scale.word(&[("linear", false), ("log", true)]) } else { Some(false) };
    let whole = reader.field("whole");
    let is_whole = if whole.is_given() { whole.boolean() } else { Some(false) };
    let (points, step) = (reader.field("points"), reader.field("step"));
    reader.finish();
    let Amount { number, unit } = first?;
    let between = Between { from: number, to: last?, unit, is_log: is_log?, is_whole: is_whole?, place };
    if between.from >= between.to {
        to.refuse_value("must be above `from`");
        return None;
    }
    if between.is_log && between.from <= 0.0 {
        from.refuse_value("must be above 0 on a scale of logarithms");
        return None;
    }
    if design == Design::Grid {
        let mut values = grid_values(&between, &points, &step)?;
        values.dedup_by(|a, b| a.value == b.value);
        return Some(Values::Listed(values.into_iter().map(|value| vec![value]).collect()));
    }
    if let Some(field) = [&points, &step].into_iter().find(|field| field.is_given()) {
        field.refuse("a sampled key takes any value between its ends", "leave it out");
        return None;
    }
    Some(Values::Between(between))
}

/// The values of a range that a grid tries.
fn grid_values(between: &Between, points: &Field<'_>, step: &Field<'_>) -> Option<Vec<Node>> {
    match (points.is_given(), step.is_given()) {
        (true, true) => {
            step.refuse("a range has `points` or `step`", "keep one");
            None
        }
        (false, false) => {
            step.refuse("a range of a grid needs `points` or `step`", "add `points = 8`");
            None
        }
        (true, false) => {
            let last = points.whole(2..=CONFIGURATIONS_MAX)? - 1;
            let on_way = |point: u64| between.on_way(point as f64 / last as f64);
            // A value between the ends of a scale of logarithms is as good with the digits that people read.
            let digits = if between.is_log { 3 } else { 12 };
            Some(
                (0..=last)
                    .map(|point| match point {
                        0 => between.node(between.from),
                        _ if point == last => between.node(between.to),
                        _ => between.node(tidy(on_way(point), digits)),
                    })
                    .collect(),
            )
        }
        (false, true) => {
            let unit = Amount { number: between.from, unit: between.unit.clone() };
            let by = unit.read_alike(step)?;
            if between.is_log || by <= 0.0 {
                let why =
                    if between.is_log { "is for a linear scale; give `points`" } else { "must be above 0" };
                step.refuse_value(why);
                return None;
            }
            // A step that fits must not miss the end by a rounding.
            let last = ((between.to - between.from) / by * (1.0 + 1e-12)).floor();
            if last >= CONFIGURATIONS_MAX as f64 {
                step.refuse_value("makes too many points");
                return None;
            }
            Some(
                (0..=last as u64).map(|nth| between.node(tidy(between.from + by * nth as f64, 12))).collect(),
            )
        }
    }
}

/// With so many digits after the first: in the last ones sums of decimals differ from the decimals that are meant.
fn tidy(number: f64, digits: usize) -> f64 {
    format!("{number:.digits$e}").parse().unwrap_or(number)
}

/// `[[sweep.zip]]`: lists of one length, whose values go together.
fn read_zip(table: &Table, sink: &Sink) -> Option<Axis> {
    let found = leaves(table, &is_leaf);
    let mut keys = Vec::new();
    let mut lists: Vec<&[Node]> = Vec::new();
    for leaf in &found {
        let (Value::Array(values), key) = (&leaf.node.value, leaf.key()) else {
            let title = format!("`{}` must be a list of values", leaf.name());
            sink.report(Problem::error(title).at(leaf.node.place, "as the others of [[sweep.zip]]"));
            return None;
        };
        let first = lists.first().map_or(values.len(), |list| list.len());
        if values.is_empty() {
            sink.report(no_values(leaf));
            return None;
        }
        if values.len() != first {
            let title = format!("`{}` has {} values, the list before it {first}", leaf.name(), values.len());
            sink.report(
                Problem::error(title).at(leaf.node.place, "lists that go together are of one length"),
            );
            return None;
        }
        keys.push(key);
        lists.push(values);
    }
    if keys.is_empty() {
        sink.report(Problem::error("[[sweep.zip]] has no key with values").at(table.place, ""));
        return None;
    }
    let rows = (0..lists[0].len()).map(|row| lists.iter().map(|list| list[row].clone()).collect());
    Some(Axis { keys, values: Values::Listed(rows.collect()) })
}

fn refuse_repeated(sweep: &Sweep, sink: &Sink) -> Option<()> {
    let mut seen: Vec<String> = Vec::new();
    for key in sweep.axes.iter().flat_map(|axis| &axis.keys) {
        let name = key.to_string();
        if seen.contains(&name) {
            sink.report(Problem::error(format!("`{name}` is swept twice")).at(key.place(), "keep one"));
            return None;
        }
        seen.push(name);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::source::Sources;

    /// The values of every configuration of `[sweep]` with `text` in it, a line each; or what is wrong.
    fn configurations(text: &str) -> Vec<String> {
        let (mut sources, sink) = (Sources::default(), Sink::default());
        let source = sources.add("a.toml", text);
        let table = Table::parse(source, &sources, &sink);
        let sweep = read_sweep(&table, &sink, &mut Echo::default());
        let Some(sweep) = sweep else { return vec![sink.into_problems().render(&sources, false)] };
        let cells = |changes: Vec<Change>| {
            changes.iter().map(|change| change.value.value.as_cell()).collect::<Vec<_>>().join(" | ")
        };
        (0..sweep.count()).map(|number| cells(sweep.of_grid(number))).collect()
    }

    #[test]
    fn the_last_key_turns_fastest_and_lists_go_together() {
        let text = "\"checkpoint.every\" = [\"5 min\", \"1 h\"]\n[[zip]]\n\"cluster.0.nodes\" = [1, 2]\n\"pricing.spot\" = [\"1 USD/h\", \"2 USD/h\"]\n";
        let right = ["5 min | 1 | 1 USD/h", "5 min | 2 | 2 USD/h", "1 h | 1 | 1 USD/h", "1 h | 2 | 2 USD/h"];
        assert_eq!(configurations(text), right);
    }

    #[test]
    fn nested_and_dotted_keys_are_the_same() {
        assert_eq!(
            configurations("checkpoint.every = [\"5 min\"]"),
            configurations("\"checkpoint.every\" = [\"5 min\"]")
        );
    }

    /// Half-way on a scale of logarithms from 1 to 100 is 10; seven steps of 0.1 from 0.1 end at 0.8.
    #[test]
    fn ranges_are_even_in_their_scale() {
        let log = "a = { from = \"1 h\", to = \"100 h\", points = 3, scale = \"log\" }";
        assert_eq!(configurations(log), ["1 h", "10 h", "100 h"]);
        let steps = configurations("a = { from = 0.1, to = 0.8, step = 0.1 }");
        assert_eq!((steps.len(), steps[2].as_str(), steps[7].as_str()), (8, "0.3", "0.8"));
        let whole = "a = { from = 1, to = 9, points = 4, scale = \"log\", whole = true }";
        assert_eq!(configurations(whole), ["1", "2", "4", "9"]);
    }

    /// Of four whole numbers each has a quarter of the way.
    #[test]
    fn a_sampled_whole_number_has_equal_shares() {
        let text =
            "design = \"sobol\"\npoints = 4\na = { from = 1, to = 4, whole = true }\nb = [\"x\", \"y\"]";
        let (mut sources, sink) = (Sources::default(), Sink::default());
        let table = Table::parse(sources.add("a.toml", text), &sources, &sink);
        let sweep = read_sweep(&table, &sink, &mut Echo::default()).expect("it is right");
        let at =
            |u: f64| -> Vec<String> { sweep.at(&[u, u]).iter().map(|c| c.value.value.as_cell()).collect() };
        assert_eq!(at(0.24), ["1", "x"]);
        assert_eq!(at(0.26), ["2", "x"]);
        assert_eq!(at(0.999), ["4", "y"]);
    }

    #[test]
    fn what_cannot_be_swept_is_said_at_its_place() {
        for (text, said) in [
            ("a = 1", "must be a list of values, or a range"),
            ("a = []", "`a` has no values"),
            ("a = { from = \"1 h\", to = \"5 GB\", points = 2 }", "must have the unit `h`"),
            ("a = { from = \"1 h\", to = \"5 min\", points = 2 }", "must be above `from`"),
            ("a = { from = 2, to = 1, points = 2 }", "must be above `from`"),
            ("a = { from = 1, to = 2 }", "needs `points` or `step`"),
            ("a = { from = 1, to = 2, point = 3 }", "did you mean `points`?"),
            ("a.b = [1]\n\"a.b\" = [2]", "`a.b` is swept twice"),
            ("points = 8\na = [1]", "a grid has as many points"),
            ("", "[sweep] has no key with values"),
            ("[[zip]]\na = [1, 2]\nb = [1]", "`b` has 1 values, the list before it 2"),
            ("[[zip]]\na = []\nb = []", "`a` has no values"),
            ("[[zip]]\na.b = { from = 1, to = 2, points = 2 }", "`b` must be a list of values"),
            ("a = { from = 1, to = 2_000_000, step = 1 }", "makes too many points"),
            ("a = { from = 1, to = 2000, step = 1 }\nb = { from = 1, to = 2000, step = 1 }", "combinations"),
        ] {
            let said_of = configurations(text);
            assert!(said_of[0].contains(said), "{text}: {said_of:?}");
        }
    }
}
