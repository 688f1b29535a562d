//! A scenario as a tree that knows where each key and value was written.
//!
//! Not serde: that stops at its first error and loses places when tables are merged.

use super::echo::quoted;
use super::head::is_formula;
use super::problem::{Problem, Sink};
use super::source::{Place, SourceId, Sources};
use std::collections::BTreeMap;
use std::ops::Range;
use toml::de::{DeInteger, DeTable, DeValue};

/// A value and where it was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where the value stands.
    pub place: Place,
    /// The value.
    pub value: Value,
}

/// What TOML can say.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `"text"`
    Text(String),
    /// `10_000`. What exceeds 128 bits saturates; no key takes numbers of that size.
    Integer(i128),
    /// `0.62`, `inf`, `nan`. What exceeds a 64-bit float is infinite.
    Float(f64),
    /// `true`
    Bool(bool),
    /// `2025-06-28T00:00:00Z`, as written.
    Datetime(String),
    /// `[1, 2]` or the tables of `[[cluster]]`.
    Array(Vec<Node>),
    /// `[job]` or `{ a = 1 }`
    Table(Table),
}

/// A table, read from one stretch of text or merged from several.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Its heading; [`Place::whole`] for the top of a scenario.
    pub place: Place,
    /// What messages call it: `[checkpoint]`, `[[cluster]]`, "the scenario" for the top.
    pub heading: String,
    /// By key.
    pub entries: BTreeMap<String, Entry>,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Where the key stands.
    pub key: Place,
    /// The heading of the table that it was written in, which a merge does not change.
    pub heading: String,
    /// The value.
    pub node: Node,
}

impl Value {
    /// What messages call its type: "text", "a whole number".
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Integer(_) => "a whole number",
            Self::Float(_) => "a number",
            Self::Bool(_) => "true or false",
            Self::Datetime(_) => "a date",
            Self::Array(_) => "a list",
            Self::Table(_) => "a table",
        }
    }

    /// It as TOML.
    pub fn as_toml(&self) -> String {
        match self {
            Self::Text(text) => quoted(text),
            Self::Integer(number) => number.to_string(),
            Self::Float(number) => format!("{number:?}"),
            Self::Bool(truth) => truth.to_string(),
            Self::Datetime(date) => date.clone(),
            Self::Array(items) => {
                let items: Vec<String> = items.iter().map(|item| item.value.as_toml()).collect();
                format!("[{}]", items.join(", "))
            }
            Self::Table(table) if table.entries.is_empty() => "{}".to_owned(),
            Self::Table(table) => {
                let pairs = table
                    .entries
                    .iter()
                    .map(|(key, entry)| format!("{key} = {}", entry.node.value.as_toml()));
                format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// It as a cell of a table: text without its quotes unless a spreadsheet would compute it, all else as TOML.
    pub fn as_cell(&self) -> String {
        match self {
            Self::Text(text) if !text.trim_start().starts_with(|first| is_formula(&first)) => text.clone(),
            other => other.as_toml(),
        }
    }
}

impl Table {
    /// Parses a source as a scenario. Faults of syntax are reported, one a line; what could be read
    /// despite them comes back, but keys may be missing from it.
    pub fn parse(source: SourceId, sources: &Sources, sink: &Sink) -> Self {
        let text = sources.text(source);
        let (root, errors) = DeTable::parse_recoverable(text);
        report_syntax(source, text, errors, sink);
        let grower = Grower { source, offset: 0 };
        grower.table(root.get_ref(), Place::whole(source), "", TOP.to_owned())
    }

    /// An empty table under the dotted name `path`.
    pub(super) fn empty(place: Place, path: &str) -> Self {
        Self { place, heading: format!("[{path}]"), entries: BTreeMap::new() }
    }

    /// The same table without its entries.
    pub(super) fn clone_head(&self) -> Self {
        Self { place: self.place, heading: self.heading.clone(), entries: BTreeMap::new() }
    }

    /// Adds or replaces a key.
    pub(super) fn insert(&mut self, name: &str, key: Place, node: Node) {
        self.entries.insert(name.to_owned(), Entry { key, heading: self.heading.clone(), node });
    }
}

/// What messages call the top of a scenario.
pub(super) const TOP: &str = "the scenario";

/// Parses a single value that starts `offset` bytes into a source; `None` if it is no TOML value.
pub(super) fn parse_value(text: &str, source: SourceId, offset: usize, path: &str) -> Option<Node> {
    let value = DeValue::parse(text).ok()?;
    Some(Grower { source, offset }.node(value.get_ref(), value.span(), path))
}

/// Grows our tree from toml's.
struct Grower {
    source: SourceId,
    offset: usize,
}

impl Grower {
    fn place(&self, span: Range<usize>) -> Place {
        Place { source: self.source, start: self.offset + span.start, end: self.offset + span.end }
    }

    fn table(&self, table: &DeTable<'_>, place: Place, path: &str, heading: String) -> Table {
        let mut grown = Table { place, heading, entries: BTreeMap::new() };
        for (key, value) in table.iter() {
            let name: &str = key.get_ref();
            let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            let node = self.node(value.get_ref(), value.span(), &path);
            grown.insert(name, self.place(key.span()), node);
        }
        grown
    }

    fn node(&self, value: &DeValue<'_>, span: Range<usize>, path: &str) -> Node {
        let place = self.place(span);
        let value = match value {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(integer) => Value::Integer(saturating(integer)),
            // Rust reads every float of TOML, too large ones as infinite; a broken one is reported.
            DeValue::Float(float) => Value::Float(float.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::Boolean(truth) => Value::Bool(*truth),
            DeValue::Datetime(date) => Value::Datetime(date.to_string()),
            DeValue::Array(items) => {
                Value::Array(items.iter().map(|item| self.item(item.get_ref(), item.span(), path)).collect())
            }
            DeValue::Table(table) => Value::Table(self.table(table, place, path, format!("[{path}]"))),
        };
        Node { place, value }
    }

    /// An element of a list: a table among them has the heading that `[[cluster]]` has.
    fn item(&self, value: &DeValue<'_>, span: Range<usize>, path: &str) -> Node {
        let mut node = self.node(value, span, path);
        if let Value::Table(table) = &mut node.value {
            let heading = format!("[[{path}]]");
            table.entries.values_mut().for_each(|entry| entry.heading.clone_from(&heading));
            table.heading = heading;
        }
        node
    }
}

fn saturating(integer: &DeInteger<'_>) -> i128 {
    let digits = integer.as_str();
    let limit = if digits.starts_with('-') { i128::MIN } else { i128::MAX };
    i128::from_str_radix(digits, integer.radix()).unwrap_or(limit)
}

/// Reports toml's errors in our words. One fault often makes several, so only a line's first counts.
fn report_syntax(source: SourceId, text: &str, errors: Vec<toml::de::Error>, sink: &Sink) {
    let mut faults: Vec<_> = errors.iter().map(|e| (e.span().unwrap_or(0..0), e.message())).collect();
    faults.sort_by_key(|(span, _)| span.start);
    let mut line_end = None;
    for (span, message) in faults {
        if line_end.is_some_and(|end| span.start <= end) {
            continue;
        }
        let rest = text.get(span.start..).unwrap_or_default();
        line_end = Some(rest.find('\n').map_or(text.len(), |at| span.start + at));
        let (title, label) = in_our_words(message, text.get(span.clone()).unwrap_or_default());
        // An empty file has no fault, so the whole file is never meant here.
        let place = Place { source, start: span.start, end: span.end.max(1) };
        sink.report(Problem::error(title).at(place, label));
        // In a list that is left open every line that follows looks wrong.
        if message.starts_with("missing comma") {
            return;
        }
    }
}

/// Title and label for one of toml's messages and the text that it points at.
fn in_our_words(message: &str, found: &str) -> (String, String) {
    let (fault, expected) = message.split_once(", expected ").unwrap_or((message, ""));
    match fault {
        "duplicate key" => (format!("duplicate key `{}`", found.trim()), "given before".to_owned()),
        "string values must be quoted" if found.trim().is_empty() => {
            ("a value is missing".to_owned(), "write a value after `=`".to_owned())
        }
        "string values must be quoted" => ("text must be quoted".to_owned(), format!("write \"{found}\"")),
        "key with no value" => ("a key without a value".to_owned(), "write `=` and a value".to_owned()),
        _ if expected.is_empty() || expected == "nothing" => (format!("not TOML: {fault}"), String::new()),
        _ => (format!("not TOML: {fault}"), format!("expected {expected}")),
    }
}

/// How one table overrides another. Paths are dotted and start at the merged tables.
#[derive(Debug, Clone, Copy, Default)]
pub struct MergeRules<'a> {
    /// Tables that are replaced as a whole, since two halves of different kinds make no sense.
    pub whole: &'a [&'a str],
    /// Keys of which one displaces the others, as `checkpoint.steps` does `checkpoint.every`.
    pub rivals: &'a [&'a [&'a str]],
}

/// `base` with the keys of `over` put over it, tables key by key, lists as a whole.
pub fn merge_over(base: &Table, over: &Table, rules: MergeRules<'_>) -> Table {
    merge_at("", base, over, rules)
}

fn merge_at(path: &str, base: &Table, over: &Table, rules: MergeRules<'_>) -> Table {
    let path_of = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    let displaced = |key: &str| {
        let key_path = path_of(key);
        let mut groups = rules.rivals.iter().filter(|group| group.contains(&key_path.as_str()));
        groups.any(|group| over.entries.keys().any(|k| group.contains(&path_of(k).as_str())))
    };
    let mut merged =
        Table { place: over.place, heading: over.heading.clone(), entries: over.entries.clone() };
    for (key, below) in &base.entries {
        match (&below.node.value, over.entries.get(key).map(|entry| &entry.node.value)) {
            (_, None) if displaced(key) => {}
            (_, None) => {
                merged.entries.insert(key.clone(), below.clone());
            }
            (Value::Table(below), Some(Value::Table(above)))
                if !rules.whole.contains(&path_of(key).as_str()) =>
            {
                let table = merge_at(&path_of(key), below, above, rules);
                let entry = merged.entries.get_mut(key).expect("copied from `over` above");
                entry.node.value = Value::Table(table);
            }
            _ => {}
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> (Table, String) {
        let (mut sources, sink) = (Sources::default(), Sink::default());
        let source = sources.add("a.toml", text);
        let table = Table::parse(source, &sources, &sink);
        (table, sink.into_problems().render(&sources, false))
    }

    /// Every key as `path=value`, in the order of the tree.
    fn flat(table: &Table, path: &str) -> String {
        let line = |(key, entry): (&String, &Entry)| match &entry.node.value {
            Value::Table(table) => flat(table, &format!("{path}{key}.")),
            value => format!("{path}{key}={value:?} "),
        };
        table.entries.iter().map(line).collect()
    }

    fn check_merge(base: &str, over: &str, rules: MergeRules<'_>, expected: &str) {
        let (base, over) = (parse(base).0, parse(over).0);
        assert_eq!(flat(&merge_over(&base, &over, rules), "").trim(), expected);
    }

    #[test]
    fn keys_and_values_know_their_places() {
        let (table, problems) = parse("[job]\nwork = \"20 M\"\n[[cluster]]\nnodes = 4\n");
        assert_eq!(problems, "");
        let Value::Table(job) = &table.entries["job"].node.value else { panic!("[job] is a table") };
        let work = &job.entries["work"];
        assert_eq!((work.key.start, work.key.end), (6, 10));
        assert_eq!((work.node.place.start, work.node.place.end), (13, 19));
        assert_eq!(work.heading, "[job]");
        let Value::Array(clusters) = &table.entries["cluster"].node.value else { panic!("an array") };
        let Value::Table(cluster) = &clusters[0].value else { panic!("of tables") };
        assert_eq!(cluster.entries["nodes"].heading, "[[cluster]]");
    }

    #[test]
    fn every_fault_of_syntax_is_reported_once_a_line() {
        let (_, problems) = parse("a = 1\na = 2\nb = 15 min\nc =\nd = [1, 2\n");
        assert_eq!(
            problems,
            "error: duplicate key `a`
 --> a.toml:2:1
  |
2 | a = 2
  | ^ given before

error: text must be quoted
 --> a.toml:3:5
  |
3 | b = 15 min
  |     ^^^^^^ write \"15 min\"

error: a value is missing
 --> a.toml:4:4
  |
4 | c =
  |    ^ write a value after `=`

error: not TOML: unclosed array
 --> a.toml:5:10
  |
5 | d = [1, 2
  |          ^ expected `]`
"
        );
    }

    #[test]
    fn merging_goes_key_by_key() {
        let base = "a = 1\nlist = [1, 2]\n[t]\nx = 1\ny = 2";
        let over = "list = [3]\n[t]\ny = 5\n";
        let (base_table, over_table) = (parse(base).0, parse(over).0);
        let merged = merge_over(&base_table, &over_table, MergeRules::default());
        let (x, y) = match &merged.entries["t"].node.value {
            Value::Table(t) => (&t.entries["x"].node, &t.entries["y"].node),
            _ => panic!("[t] is a table"),
        };
        assert_eq!((&x.value, &y.value), (&Value::Integer(1), &Value::Integer(5)));
        assert_eq!(y.place, Place { end: 20, start: 19, ..y.place });
        let Value::Array(list) = &merged.entries["list"].node.value else { panic!("a list") };
        assert_eq!(list.len(), 1);
        assert_eq!(merged.entries["a"], base_table.entries["a"]);
    }

    #[test]
    fn a_whole_table_replaces_the_one_below() {
        let rules = MergeRules { whole: &["capacity"], rivals: &[] };
        let (base, over) = ("[capacity.renewal]\nx = 1", "[capacity.markov]\ny = 2");
        check_merge(base, over, rules, "capacity.markov.y=Integer(2)");
        check_merge(
            base,
            over,
            MergeRules::default(),
            "capacity.markov.y=Integer(2) capacity.renewal.x=Integer(1)",
        );
    }

    #[test]
    fn a_key_displaces_its_rivals() {
        let rules = MergeRules { whole: &[], rivals: &[&["checkpoint.every", "checkpoint.steps"]] };
        let base = "[checkpoint]\nevery = 1\nkeep = 3\n";
        check_merge(
            base,
            "[checkpoint]\nsteps = 2\n",
            rules,
            "checkpoint.keep=Integer(3) checkpoint.steps=Integer(2)",
        );
        check_merge(
            base,
            "[checkpoint]\nto = 2\n",
            rules,
            "checkpoint.every=Integer(1) checkpoint.keep=Integer(3) checkpoint.to=Integer(2)",
        );
    }

    #[test]
    fn numbers_that_do_not_fit_saturate() {
        let (table, problems) = parse(&format!("a = {0}\nb = -{0}\nc = 1e999\n", "9".repeat(60)));
        assert_eq!(problems, "");
        let value = |key: &str| table.entries[key].node.value.clone();
        assert_eq!(value("a"), Value::Integer(i128::MAX));
        assert_eq!(value("b"), Value::Integer(i128::MIN));
        assert_eq!(value("c"), Value::Float(f64::INFINITY));
    }
}
