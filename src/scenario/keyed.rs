//! Tables whose keys are keys of the scenario, dotted or nested.

use super::assign::Key;
use super::source::Place;
use super::tree::{Entry, Node, Table, Value};

/// A key of the scenario, and what the table says of it.
pub(super) struct Leaf<'a> {
    /// Its parts, each with its place and the heading of the table in which it was written.
    pub path: Vec<(&'a str, Place, &'a str)>,
    /// What stands there.
    pub node: &'a Node,
}

impl<'a> Leaf<'a> {
    /// Its last part.
    pub fn name(&self) -> &'a str {
        self.path.last().expect("a leaf has a key").0
    }

    /// The key that it stands for.
    pub fn key(&self) -> Key {
        Key::of_path(self.path.iter().map(|(part, place, _)| (*part, *place)))
    }
}

/// All leaves of a table, in the order in which they were written; a value that is none is a table with
/// further parts.
pub(super) fn leaves<'a>(table: &'a Table, is_leaf: &dyn Fn(&Value) -> bool) -> Vec<Leaf<'a>> {
    let mut found = Vec::new();
    collect(table, is_leaf, &mut Vec::new(), &mut found);
    found.sort_by_key(|leaf| leaf.path.last().map(|(_, place, _)| *place));
    found
}

fn collect<'a>(
    table: &'a Table,
    is_leaf: &dyn Fn(&Value) -> bool,
    path: &mut Vec<(&'a str, Place, &'a str)>,
    found: &mut Vec<Leaf<'a>>,
) {
    for (key, Entry { key: place, heading, node }) in &table.entries {
        path.push((key, *place, heading));
        match &node.value {
            Value::Table(inner) if !is_leaf(&node.value) => collect(inner, is_leaf, path, found),
            _ => found.push(Leaf { path: path.clone(), node }),
        }
        path.pop();
    }
}
