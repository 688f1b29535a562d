//! Dotted keys, and values put into the tree under them: from `--set KEY=VALUE`, or from a list of values.

use super::cluster::SET_RULES;
use super::problem::{Problem, Sink};
use super::source::{Place, SourceId, Sources};
use super::tree::{MergeRules, Node, Table, Value, merge_over, parse_value};
use std::fmt;

/// More steps than this lead nowhere in a scenario.
const STEPS_MAX: usize = 16;

/// A dotted key: its parts may be quoted; an element of a list is `cluster.0`, `cluster[0]` (from 0) or, by
/// its `name`, `cluster."4x g5.2xlarge Spot"`.
#[derive(Debug, Clone, PartialEq)]
pub struct Key(Vec<Step>);

/// One step of a KEY: a name, or the number of an element.
#[derive(Debug, Clone, PartialEq)]
struct Step {
    name: String,
    place: Place,
}

impl Key {
    /// The key that the parts of `path` make, each with where it was written. A part may itself be dotted.
    pub(super) fn of_path<'a>(path: impl IntoIterator<Item = (&'a str, Place)>) -> Self {
        let steps = path.into_iter().flat_map(|(part, place)| {
            let dotted = split_key(place.source, &format!("{part}=")).ok();
            let dotted = dotted.filter(|(_, equals)| *equals == part.len());
            let names = dotted.map_or_else(
                || vec![part.to_owned()],
                |(steps, _)| steps.into_iter().map(|step| step.name).collect(),
            );
            names.into_iter().map(move |name| Step { name, place })
        });
        Self(steps.collect())
    }

    /// Where its last part was written.
    pub fn place(&self) -> Place {
        self.0.last().expect("a key has a step").place
    }

    /// `root` with `value` under this key. A rival of the key gives way, as `every` does to `steps`; an
    /// element of a list is changed in place, and tables on the way are made.
    pub(super) fn put(&self, root: &Table, value: Node, rules: MergeRules<'_>) -> Outcome<Table> {
        let mut over = root.clone_head();
        let is_list =
            |name: &str| matches!(root.entries.get(name).map(|e| &e.node.value), Some(Value::Array(_)));
        if self.0.first().is_some_and(|step| is_list(&step.name)) {
            let mut root = root.clone();
            put_into_table(&mut root, "", &self.0, value)?;
            return Ok(root);
        }
        put_into_table(&mut over, "", &self.0, value)?;
        self.refuse_below_values(root)?;
        Ok(merge_over(root, &over, rules))
    }

    /// Nothing can be put below a value that is no table.
    fn refuse_below_values(&self, root: &Table) -> Outcome<()> {
        let mut table = root;
        for (depth, step) in self.0[..self.0.len() - 1].iter().enumerate() {
            match table.entries.get(&step.name).map(|entry| &entry.node.value) {
                Some(Value::Table(inner)) => table = inner,
                None => return Ok(()),
                Some(other) => {
                    let path = Self(self.0[..=depth].to_vec());
                    return Err(no_keys(&path.to_string(), step, other));
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            let dot = if index == 0 { "" } else { "." };
            match step.name.chars().all(is_bare) {
                true => write!(f, "{dot}{}", step.name)?,
                false => write!(f, "{dot}\"{}\"", step.name)?,
            }
        }
        Ok(())
    }
}

fn is_bare(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

/// `root` with the `KEY=VALUE` that `source` holds, or what is wrong with that reported.
///
/// VALUE is TOML, else taken as text, so `15 min` needs no quotes.
pub fn assign(root: Table, source: SourceId, sources: &Sources, sink: &Sink) -> Table {
    let text = sources.text(source);
    let (steps, equals) = match split_key(source, text) {
        Ok(split) => split,
        Err(problem) => {
            sink.report(*problem);
            return root;
        }
    };
    let raw = &text[equals + 1..];
    let (value, start) = (raw.trim(), equals + 1 + raw.len() - raw.trim_start().len());
    let path: Vec<_> = steps.iter().map(|step| step.name.as_str()).collect();
    let node = parse_value(value, source, start, &path.join(".")).unwrap_or_else(|| Node {
        place: Place { source, start, end: start + value.len() },
        value: Value::Text(value.to_owned()),
    });
    match Key(steps).put(&root, node, SET_RULES) {
        Ok(changed) => changed,
        Err(problem) => {
            sink.report(*problem);
            root
        }
    }
}

/// What stands under a dotted `key`, written as in `--set`.
pub(super) fn value_at<'t>(root: &'t Table, key: &str) -> Option<&'t Node> {
    let (steps, _) = split_key(root.place.source, &format!("{key}=")).ok()?;
    let (first, rest) = steps.split_first()?;
    let node = &root.entries.get(&first.name)?.node;
    rest.iter().try_fold(node, |node, step| match &node.value {
        Value::Table(table) => Some(&table.entries.get(&step.name)?.node),
        Value::Array(items) => {
            let by_name = items.iter().position(|item| name_of(item) == Some(&step.name));
            items.get(by_name.or(step.name.parse().ok())?)
        }
        _ => None,
    })
}

pub(super) type Outcome<T> = Result<T, Box<Problem>>;

fn refusal(title: impl Into<String>, place: Place, label: impl Into<String>) -> Box<Problem> {
    Box::new(Problem::error(title).at(place, label))
}

/// The steps of the KEY, and where its `=` is.
fn split_key(source: SourceId, text: &str) -> Outcome<(Vec<Step>, usize)> {
    let place = |start: usize, end: usize| Place { source, start, end };
    let spaces = |at: usize| text[at..].len() - text[at..].trim_start().len();
    let mut steps = Vec::new();
    let mut at = 0;
    loop {
        at += spaces(at);
        let rest = &text[at..];
        let (name, length) = match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => match rest[1..].find(quote) {
                Some(close) => (&rest[1..=close], close + 2),
                None => return Err(refusal("a quote is not closed", place(at, text.len()), "opened here")),
            },
            _ => {
                let length = rest.find(|c| !is_bare(c)).unwrap_or(rest.len());
                (&rest[..length], length)
            }
        };
        if name.is_empty() {
            return Err(refusal(
                "not a key",
                place(at, at + 1),
                "write KEY=VALUE, as `checkpoint.every=15 min`",
            ));
        }
        if steps.len() == STEPS_MAX {
            return Err(refusal("the key is too deep", place(at, at + length), ""));
        }
        steps.push(Step { name: name.to_owned(), place: place(at, at + length) });
        at += length;
        // The bracket of `cluster[0]` closes behind its number.
        at += usize::from(text[at..].starts_with(']'));
        at += spaces(at);
        match text[at..].chars().next() {
            Some('=') => return Ok((steps, at)),
            Some('.' | '[') => at += 1,
            Some(_) => {
                let label = "quote a part that is more than letters, digits, `_` and `-`";
                return Err(refusal("not a key", place(at, at + 1), label));
            }
            None => return Err(refusal("`=` is missing", place(0, at), format!("write `{text}=VALUE`"))),
        }
    }
}

fn put_into_table(table: &mut Table, path: &str, steps: &[Step], value: Node) -> Outcome<()> {
    let (step, rest) = steps.split_first().expect("a key has a step");
    if rest.is_empty() {
        table.insert(&step.name, step.place, value);
        return Ok(());
    }
    let path = if path.is_empty() { step.name.clone() } else { format!("{path}.{}", step.name) };
    if !table.entries.contains_key(&step.name) {
        let made = Value::Table(Table::empty(step.place, &path));
        table.insert(&step.name, step.place, Node { place: step.place, value: made });
    }
    let entry = table.entries.get_mut(&step.name).expect("it was there, or was made above");
    put_below(&mut entry.node, &path, step, rest, value)
}

/// Puts the value below `node`, which `step` led to.
fn put_below(node: &mut Node, path: &str, step: &Step, rest: &[Step], value: Node) -> Outcome<()> {
    match &mut node.value {
        Value::Table(table) => put_into_table(table, path, rest, value),
        Value::Array(items) => put_into_list(items, path, rest, value),
        other => Err(no_keys(path, step, other)),
    }
}

fn no_keys(path: &str, step: &Step, found: &Value) -> Box<Problem> {
    let label = format!("it is {}, so nothing can be set below it", found.kind());
    refusal(format!("`{path}` has no keys"), step.place, label)
}

fn put_into_list(items: &mut [Node], path: &str, steps: &[Step], value: Node) -> Outcome<()> {
    let (step, rest) = steps.split_first().expect("a key that goes on has a step");
    let index = items.iter().position(|item| name_of(item) == Some(&step.name)).or(step.name.parse().ok());
    let Some(index) = index.filter(|&index| index < items.len()) else {
        let label = format!("write {path}[0] to {path}[{}], or a name", items.len().saturating_sub(1));
        let title = format!("`{path}` has no element `{}`", step.name);
        let names: Vec<_> = items.iter().filter_map(name_of).collect();
        let problem = if items.is_empty() {
            Problem::error(title).at(step.place, "it is empty")
        } else {
            Problem::error(title).at(step.place, label)
        };
        return Err(Box::new(if names.is_empty() {
            problem
        } else {
            problem.note(format!("names: {}", names.join(", ")))
        }));
    };
    if rest.is_empty() {
        items[index] = value;
        return Ok(());
    }
    put_below(&mut items[index], path, step, rest, value)
}

/// The `name` of a table in a list.
fn name_of(item: &Node) -> Option<&str> {
    match &item.value {
        Value::Table(table) => match &table.entries.get("name")?.node.value {
            Value::Text(name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::problem::Problems;
    use crate::scenario::reader::Reader;
    use crate::units::Span;
    use proptest::prelude::*;
    use proptest::test_runner::{Config, RngSeed};

    const FILE: &str = "[checkpoint]\nevery = \"1 h\"\n\
                        [[cluster]]\nname = \"4x g5.2xlarge Spot\"\nnodes = 4\n\
                        [[cluster]]\nname = \"big\"\nnodes = 1\n";

    /// [`FILE`] with one `--set`, and what is said about it.
    fn set(argument: &str) -> (Table, Sources, Problems) {
        let (mut sources, sink) = (Sources::default(), Sink::default());
        let file = sources.add("a.toml", FILE);
        let root = Table::parse(file, &sources, &sink);
        let source = sources.add("--set", argument);
        let root = assign(root, source, &sources, &sink);
        (root, sources, sink.into_problems())
    }

    fn at<'t>(root: &'t Table, path: &[&str]) -> &'t Value {
        let (first, rest) = path.split_first().unwrap();
        rest.iter().fold(&root.entries[*first].node.value, |value, step| match value {
            Value::Table(table) => &table.entries[*step].node.value,
            Value::Array(items) => &items[step.parse::<usize>().unwrap()].value,
            other => panic!("{step} below {other:?}"),
        })
    }

    fn check_set(argument: &str, path: &[&str], expected: &Value) {
        let (root, sources, problems) = set(argument);
        assert_eq!(problems.render(&sources, false), "", "{argument}");
        assert_eq!(at(&root, path), expected, "{argument}");
    }

    fn check_refused(argument: &str, expected: &str) {
        let (_, sources, problems) = set(argument);
        assert_eq!(problems.render(&sources, false), expected, "{argument}");
    }

    #[test]
    fn a_value_is_toml_or_else_text() {
        let text = |text: &str| Value::Text(text.to_owned());
        check_set("checkpoint.every=15 min", &["checkpoint", "every"], &text("15 min"));
        check_set("checkpoint.every=\"15 min\"", &["checkpoint", "every"], &text("15 min"));
        check_set("job.deadline = '4.5 h' ", &["job", "deadline"], &text("4.5 h"));
        check_set("seed=7", &["seed"], &Value::Integer(7));
        check_set("start.on_first=false", &["start", "on_first"], &Value::Bool(false));
        check_set("job.work={ ideal_time = \"48 h\" }", &["job", "work", "ideal_time"], &text("48 h"));
        check_set("title=a=b", &["title"], &text("a=b"));
    }

    #[test]
    fn what_is_written_under_a_key_is_found_again() {
        let (root, _, _) = set("job.deadline=4 h");
        let at = |key: &str| value_at(&root, key).map(|node| node.value.as_cell());
        assert_eq!(at("job.deadline").as_deref(), Some("4 h"));
        assert_eq!(at("cluster.big.nodes"), at("cluster[1].nodes"));
        assert_eq!(at("cluster.\"4x g5.2xlarge Spot\".nodes").as_deref(), Some("4"));
        assert_eq!(
            (at("checkpoint.stall"), at("cluster.7.nodes"), at("checkpoint.every.x")),
            (None, None, None)
        );
    }

    #[test]
    fn a_cluster_is_found_by_number_or_name() {
        for argument in [
            "cluster.0.nodes=8",
            "cluster[0].nodes=8",
            "cluster.\"4x g5.2xlarge Spot\".nodes=8",
            "cluster.'4x g5.2xlarge Spot'.nodes=8",
        ] {
            check_set(argument, &["cluster", "0", "nodes"], &Value::Integer(8));
        }
        check_set("cluster.big.nodes=8", &["cluster", "1", "nodes"], &Value::Integer(8));
    }

    #[test]
    fn what_cannot_be_set_is_said_at_the_argument() {
        check_refused(
            "cluster.2.nodes=1",
            "error: `cluster` has no element `2`
 --> --set:1:9
  |
1 | cluster.2.nodes=1
  |         ^ write cluster[0] to cluster[1], or a name
  |
  = names: 4x g5.2xlarge Spot, big
",
        );
        check_refused(
            "checkpoint.every.x=1",
            "error: `checkpoint.every` has no keys
 --> --set:1:12
  |
1 | checkpoint.every.x=1
  |            ^^^^^ it is text, so nothing can be set below it
",
        );
        check_refused(
            "checkpoint.every",
            "error: `=` is missing
 --> --set:1:1
  |
1 | checkpoint.every
  | ^^^^^^^^^^^^^^^^ write `checkpoint.every=VALUE`
",
        );
        for argument in ["", "=1", ".a=1", "a..b=1", "a b=1", "\"a=1", "cluster[=1", &"a.".repeat(99)] {
            assert!(set(argument).2.has_errors(), "{argument:?}");
        }
    }

    #[test]
    fn what_is_read_later_is_refused_at_the_argument() {
        let (root, sources, _) = set("checkpoint.every=15");
        let sink = Sink::default();
        let checkpoint = Reader::new(&root, &sink).field("checkpoint").table();
        assert_eq!(checkpoint.unwrap().field("every").quantity::<Span>(), None);
        assert_eq!(
            sink.into_problems().render(&sources, false),
            "error: `every` needs a unit
 --> --set:1:18
  |
1 | checkpoint.every=15
  |                  ^^ write \"15 s\", \"15 min\" or \"15 h\"
"
        );
    }

    /// Text that looks like TOML, broken in many ways, and any text at all.
    fn tomlish() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "a",
            "b",
            ".",
            "=",
            " ",
            "\n",
            "\r\n",
            "\r",
            "[",
            "]",
            "[[",
            "]]",
            "{",
            "}",
            ",",
            "\"",
            "'",
            "\"\"\"",
            "1",
            "-",
            "1.5",
            "1e999",
            "nan",
            "true",
            "2025-06-28",
            "\"15 min\"",
            "#",
            "é",
            "\u{1b}",
            "\u{202e}",
            "\0",
            "\t",
            "\\",
            "\\u00e9",
            "0x",
            "_",
            "\u{feff}",
            "漢",
            "name",
            "99999999999999999999",
        ]);
        prop_oneof![
            4 => prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat()),
            1 => "\\PC{0,40}",
            1 => any::<String>(),
        ]
    }

    /// Reads every key as everything.
    fn read_all(table: &Table, sink: &Sink) {
        let mut reader = Reader::new(table, sink);
        reader.one_of("kind", &["a", "b"]);
        reader.required("name", "name = \"x\"").quantity::<Span>();
        reader.finish();
        for (_, field) in Reader::new(table, sink).all() {
            let kinds = [field.text().is_some(), field.boolean().is_some(), field.datetime().is_some()];
            let numbers = [field.whole(1..=9_u8).is_some(), field.number(0.0..1.0).is_some()];
            let accepted = kinds.into_iter().chain(numbers).filter(|accepted| *accepted).count();
            assert!(accepted <= 2, "{field:?} is read as {accepted} kinds");
            for item in field.list().unwrap_or_default() {
                item.table().into_iter().for_each(|table| read_all(table.table(), sink));
            }
            field.table().into_iter().for_each(|table| read_all(table.table(), sink));
        }
    }

    proptest! {
        #![proptest_config(Config {
            cases: 4_000,
            rng_seed: RngSeed::Fixed(0),
            failure_persistence: None,
            ..Config::default()
        })]

        #[test]
        fn no_text_makes_it_panic(base in tomlish(), over in tomlish(), argument in tomlish()) {
            let (mut sources, sink) = (Sources::default(), Sink::default());
            let ids = [("a.toml", base), ("b.toml", over), ("--set", argument)].map(|(n, t)| sources.add(n, t));
            let base = Table::parse(ids[0], &sources, &sink);
            let over = Table::parse(ids[1], &sources, &sink);
            let rules = MergeRules { whole: &["a"], rivals: &[&["b.a", "b.b"]] };
            let merged = assign(merge_over(&base, &over, rules), ids[2], &sources, &sink);
            read_all(&merged, &sink);
            let text = sink.into_problems().render(&sources, false);
            prop_assert!(!text.contains(['\u{1b}', '\u{202e}', '\0']), "{text}");
        }
    }
}
