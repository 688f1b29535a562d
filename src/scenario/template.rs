//! A scenario read once and resolved many times, with other values for some of its keys.

use super::assign::{Key, assign, value_at};
use super::capacity::ReadFile;
use super::cluster::SET_RULES;
use super::load::{Loaded, Overrides, Scenario, read_scenario};
use super::problem::{Problems, Sink};
use super::source::Sources;
use super::tree::{MergeRules, Node, Table};

/// The tables that say which values some keys take; the rest is a scenario for one value of each.
const OF_MANY: [&str; 2] = ["sweep", "uncertain"];

/// A scenario's text with its `--set`s, parsed.
pub struct Template<'f> {
    root: Table,
    /// `root` without what is said about many values.
    single: Table,
    overrides: Overrides,
    read_file: &'f ReadFile<'f>,
    sources: Sources,
    /// Faults of syntax.
    problems: Problems,
}

/// A value in place of the scenario's own.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Of this key.
    pub key: Key,
    /// And where it was written.
    pub value: Node,
}

impl<'f> Template<'f> {
    /// Parses the scenario `text` that messages call `file`. `read_file` reads what it names.
    pub fn parse(file: &str, text: String, overrides: &Overrides, read_file: &'f ReadFile<'f>) -> Self {
        let (mut sources, sink) = (Sources::default(), Sink::default());
        let id = sources.add(file, text);
        let mut root = Table::parse(id, &sources, &sink);
        for set in &overrides.set {
            let id = sources.add("--set", set.as_str());
            root = assign(root, id, &sources, &sink);
        }
        let mut single = root.clone();
        single.entries.retain(|key, _| !OF_MANY.contains(&key.as_str()));
        let problems = sink.into_problems();
        Self { root, single, overrides: overrides.clone(), read_file, sources, problems }
    }

    /// The scenario as it is written.
    pub fn load(self) -> Loaded {
        let (scenario, problems) = self.own();
        Loaded { scenario, problems, sources: self.sources }
    }

    /// The scenario as it is written, and what is wrong with it.
    pub fn own(&self) -> (Option<Scenario>, Problems) {
        // After a fault of syntax keys may be missing, and what follows from that would mislead.
        if self.problems.has_errors() {
            return (None, self.problems.clone());
        }
        self.read(&self.root)
    }

    /// The scenario with `changes` put over it one after the other, and what is wrong with it. Each is put as
    /// `--set` puts it, but a value that is a table stands for the whole table.
    pub fn resolve(&self, changes: &[Change]) -> (Option<Scenario>, Problems) {
        let (mut root, sink) = (self.single.clone(), Sink::default());
        for Change { key, value } in changes {
            let name = key.to_string();
            let whole: Vec<&str> = SET_RULES.whole.iter().copied().chain([name.as_str()]).collect();
            match key.put(&root, value.clone(), MergeRules { whole: &whole, ..SET_RULES }) {
                Ok(changed) => root = changed,
                Err(problem) => {
                    sink.report(*problem);
                    return (None, sink.into_problems());
                }
            }
        }
        self.read(&root)
    }

    /// What is written under a dotted key, text without its quotes; `None` if nothing is.
    pub fn written(&self, key: &str) -> Option<String> {
        value_at(&self.root, key).map(|node| node.value.as_cell())
    }

    /// The texts that problems point into.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    fn read(&self, root: &Table) -> (Option<Scenario>, Problems) {
        let sink = Sink::default();
        let scenario = read_scenario(root, &self.overrides, self.read_file, &sink);
        let scenario = scenario.filter(|_| !sink.has_errors());
        (scenario, sink.into_problems())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::sweep::Sweep;

    const FILE: &str = r#"
schema = 1
name = "template"
[job]
work = { ideal_time = "10 h" }
[checkpoint]
every = "15 min"
stall = "5 s"
[capacity]
lifetime = { exponential = { mean = "5 h" } }
[[cluster]]
name = "one"
instance = "g5.xlarge"
nodes = 1
market = "spot"
"#;

    fn template(more: &str, check: impl Fn(&Template<'_>, &Sweep)) {
        let text = format!("{FILE}\n[sweep]\n{more}\n");
        let template = Template::parse("a.toml", text, &Overrides::default(), &|_| Err("no files".into()));
        let (own, problems) = template.own();
        let own = own.unwrap_or_else(|| panic!("{}", problems.render(template.sources(), false)));
        check(&template, &own.sweep.expect("it sweeps"));
    }

    /// What is resolved is what the file would be with the value written in it.
    #[test]
    fn a_configuration_is_the_scenario_with_its_values() {
        template("\"checkpoint.every\" = [\"5 min\"]\n\"cluster.0.nodes\" = [4]\n", |template, sweep| {
            let (found, _) = template.resolve(&sweep.of_grid(0));
            let written = FILE.replace("15 min", "5 min").replace("nodes = 1", "nodes = 4");
            let right =
                Template::parse("a.toml", written, &Overrides::default(), &|_| Err("no".into())).own().0;
            assert_eq!(found, right);
            assert!(right.is_some());
        });
    }

    #[test]
    fn a_value_that_is_a_table_is_whole() {
        let more = "capacity = [{ always = {} }]\n";
        template(more, |template, sweep| {
            let (found, problems) = template.resolve(&sweep.of_grid(0));
            let found = found.unwrap_or_else(|| panic!("{}", problems.render(template.sources(), false)));
            assert!(!found.show().contains("lifetime"), "{}", found.show());
        });
    }

    #[test]
    fn a_value_that_is_wrong_is_shown_where_it_was_written() {
        template(
            "\"checkpoint.evry\" = [\"5 min\"]\n\"checkpoint.every\" = [\"5 lightyears\"]\n",
            |template, sweep| {
                let said = |changes: &[Change]| template.resolve(changes).1.render(template.sources(), false);
                let ends = sweep.ends();
                assert!(said(&ends[0]).contains("did you mean `every`?"), "{}", said(&ends[0]));
                assert!(said(&ends[2]).contains("5 lightyears"), "{}", said(&ends[2]));
            },
        );
    }
}
