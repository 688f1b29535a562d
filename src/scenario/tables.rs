//! The tables that hold for a cluster: the file's, with its own and those of a zone put over them.

use super::cluster::{Context, RULES};
use super::echo::Echo;
use super::reader::Reader;
use super::section::Section;
use super::tree::{Entry, Node, Table, Value, merge_over};
use super::zones::named_table;
use std::collections::BTreeMap;

/// The file's and the cluster's tables of one name.
pub(super) struct Tables<'a> {
    pub own: &'a Table,
    pub context: &'a Context<'a>,
    /// The further instance type that they are read for: what its tables say goes over all others.
    pub fallback: Option<&'a str>,
}

impl Tables<'_> {
    pub fn merged(&self, name: &str) -> Table {
        let [file, own] = self.of_fallback();
        self.layered(name, [Some(self.context.file), Some(self.own), file, own])
    }

    /// Those of the further instance type in the file and in the cluster.
    fn of_fallback(&self) -> [Option<&Table>; 2] {
        [self.context.file, self.own].map(|table| named_table(table, "fallback", self.fallback?))
    }

    /// As [`Self::merged`], with what differs in `zone`: the tables of the file, of the zone in it, of the cluster,
    /// of the zone in it, each over those before.
    pub fn in_zone(&self, name: &str, zone: &str) -> Table {
        let layers = [Some(self.context.file), Some(self.own)].into_iter().chain(self.of_fallback());
        let with_zone = layers.flatten().flat_map(|table| [Some(table), named_table(table, "zone", zone)]);
        self.layered(name, with_zone)
    }

    /// Whether the file or the cluster says anything of its own for `zone`.
    pub fn differs_in(&self, name: &str, zone: &str) -> bool {
        let says = |table: &Table| table.entries.contains_key(name);
        let tables = [Some(self.context.file), Some(self.own)].into_iter().chain(self.of_fallback());
        tables.flatten().any(|table| named_table(table, "zone", zone).is_some_and(says))
    }

    fn layered<'t>(&self, name: &str, layers: impl IntoIterator<Item = Option<&'t Table>>) -> Table {
        let only = |table: &Table| -> Table {
            let entry = table.entries.get(name).filter(|entry| matches!(entry.node.value, Value::Table(_)));
            let entries = entry.map(|entry: &Entry| (name.to_owned(), entry.clone())).into_iter().collect();
            Table { place: table.place, heading: table.heading.clone(), entries }
        };
        let layers = layers.into_iter().flatten().map(only);
        let all = layers.reduce(|below, above| merge_over(&below, &above, RULES));
        match all.and_then(|mut all| all.entries.remove(name)).map(|entry| entry.node) {
            Some(Node { value: Value::Table(table), .. }) => table,
            // What an absent table lacks is said at the cluster's heading.
            _ => Table { place: self.own.place, heading: format!("[{name}]"), entries: BTreeMap::new() },
        }
    }

    pub fn own_keys(&self, name: &str) -> Vec<&str> {
        match self.own.entries.get(name).map(|entry| &entry.node.value) {
            Some(Value::Table(table)) => table.entries.keys().map(String::as_str).collect(),
            _ => Vec::new(),
        }
    }

    pub fn section<'a, 'e>(&'a self, table: &'a Table, name: &str, echo: &'e mut Echo) -> Section<'a, 'e> {
        Section::new(Reader::new(table, self.context.sink), echo, name)
    }
}
