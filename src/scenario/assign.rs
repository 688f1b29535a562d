//! `--set KEY=VALUE`: one value put into the tree from the command line.

use super::problem::{Problem, Sink};
use super::source::{Place, SourceId, Sources};
use super::tree::{Node, Table, Value, parse_value};

/// More steps than this lead nowhere in a scenario.
const STEPS_MAX: usize = 16;

/// One step of a KEY: a name, or the number of an element.
#[derive(Debug)]
struct Step {
    name: String,
    place: Place,
}

/// Puts the `KEY=VALUE` that `source` holds into `root`, or reports why it cannot be.
///
/// KEY is dotted, its parts may be quoted; an element of a list is `cluster.0`, `cluster[0]` (from 0)
/// or, by its `name`, `cluster."4x g5.2xlarge Spot"`. Tables on the way are made. VALUE is TOML, else
/// taken as text, so `15 min` needs no quotes.
pub fn assign(root: &mut Table, source: SourceId, sources: &Sources, sink: &Sink) {
    let text = sources.text(source);
    let (steps, equals) = match split_key(source, text) {
        Ok(split) => split,
        Err(problem) => return sink.report(*problem),
    };
    let raw = &text[equals + 1..];
    let (value, start) = (raw.trim(), equals + 1 + raw.len() - raw.trim_start().len());
    let path: Vec<_> = steps.iter().map(|step| step.name.as_str()).collect();
    let node = parse_value(value, source, start, &path.join(".")).unwrap_or_else(|| Node {
        place: Place { source, start, end: start + value.len() },
        value: Value::Text(value.to_owned()),
    });
    if let Err(problem) = put_into_table(root, "", &steps, node) {
        sink.report(*problem);
    }
}

type Outcome<T> = Result<T, Box<Problem>>;

fn refusal(title: impl Into<String>, place: Place, label: impl Into<String>) -> Box<Problem> {
    Box::new(Problem::error(title).at(place, label))
}

/// The steps of the KEY, and where its `=` is.
fn split_key(source: SourceId, text: &str) -> Outcome<(Vec<Step>, usize)> {
    let place = |start: usize, end: usize| Place { source, start, end };
    let mut steps = Vec::new();
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let (name, length) = match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => match rest[1..].find(quote) {
                Some(close) => (&rest[1..=close], close + 2),
                None => return Err(refusal("a quote is not closed", place(at, text.len()), "opened here")),
            },
            _ => {
                let bare = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
                let length = rest.find(|c| !bare(c)).unwrap_or(rest.len());
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
        other => Err(refusal(
            format!("`{path}` has no keys"),
            step.place,
            format!("it is {}, so nothing can be set below it", other.kind()),
        )),
    }
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
