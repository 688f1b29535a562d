//! Reads one table key by key, and knows which keys nobody asked for.

use super::field::Field;
use super::problem::{Problem, Sink};
use super::reference::{self, Found};
use super::source::Place;
use super::tree::{Entry, TOP, Table};

/// Reads a [`Table`]. Every problem goes to the [`Sink`] with its place, and reading goes on, so that
/// all problems of a file are said at once. Where a method gives `None`, the key was absent, or the
/// problem is reported.
///
/// Call [`Reader::finish`] last: it reports the keys that were never asked for.
#[derive(Debug)]
pub struct Reader<'a> {
    table: &'a Table,
    sink: &'a Sink,
    asked: Vec<&'static str>,
    refused: Vec<&'static str>,
    hints: Vec<(&'static str, &'static str)>,
    /// What was reported missing: the keys that would do, and the report's title.
    missing: Vec<(Vec<&'static str>, String)>,
}

impl<'a> Reader<'a> {
    /// Reads `table` and reports to `sink`.
    pub fn new(table: &'a Table, sink: &'a Sink) -> Self {
        Self { table, sink, asked: vec![], refused: vec![], hints: vec![], missing: vec![] }
    }

    /// What messages call the table: `[checkpoint]`.
    pub fn heading(&self) -> &'a str {
        &self.table.heading
    }

    /// Where the table's heading stands.
    pub fn place(&self) -> Place {
        self.table.place
    }

    /// The table itself, to merge or to keep.
    pub fn table(&self) -> &'a Table {
        self.table
    }

    /// The key, given or not. It counts as accepted from here on.
    pub fn field(&mut self, key: &'static str) -> Field<'a> {
        if !self.asked.contains(&key) {
            self.asked.push(key);
        }
        match self.table.entries.get(key) {
            Some(entry) => Field::given(key, entry.key, &entry.node, self.sink),
            None => Field::absent(key, self.table.place, self.sink),
        }
    }

    /// The key, which must be given; `example` is a line that would do: `every = "15 min"`.
    pub fn required(&mut self, key: &'static str, example: &str) -> Field<'a> {
        let field = self.field(key);
        if !field.is_given() {
            self.report_missing(vec![key], format!("`{key}` is missing in {}", self.heading()), example);
        }
        field
    }

    /// The one of several keys that is given, such as the kind in `[capacity]`; `noun` is what the
    /// keys are: "kind", "law". Two are an error, none is `None`.
    pub fn one_of(&mut self, noun: &str, keys: &[&'static str]) -> Option<(&'static str, Field<'a>)> {
        let fields = keys.iter().map(|&key| (key, self.field(key)));
        let mut given: Vec<_> = fields.filter(|(_, field)| field.is_given()).collect();
        given.sort_by_key(|(_, field)| field.key_place());
        if given.len() < 2 {
            return given.pop();
        }
        let found: Vec<_> = given.iter().map(|(key, _)| *key).collect();
        let title = format!("{} takes one {noun}; found {}", self.heading(), found.join(" and "));
        let problem = Problem::error(title).at(given[1].1.key_place(), "keep one");
        let others = given.iter().enumerate().filter(|(i, _)| *i != 1);
        self.sink.report(others.fold(problem, |p, (_, (_, field))| p.also_at(field.key_place(), "")));
        None
    }

    /// As [`Reader::one_of`], but none is an error, too.
    pub fn required_one_of(
        &mut self,
        noun: &str,
        keys: &[&'static str],
        example: &str,
    ) -> Option<(&'static str, Field<'a>)> {
        let found = self.one_of(noun, keys);
        if !keys.iter().any(|key| self.table.entries.contains_key(*key)) {
            let title = format!("{} needs a {noun}: one of {}", self.heading(), keys.join(", "));
            self.report_missing(keys.to_vec(), title, example);
        }
        found
    }

    /// A key that a later version will have: refused, with what to write instead (may be empty).
    pub fn not_available(&mut self, key: &'static str, instead: &str) {
        self.refused.push(key);
        if let Some(entry) = self.table.entries.get(key) {
            let title = format!("`{key}` is not available in this version");
            self.sink.report(Problem::error(title).at(entry.key, instead));
        }
    }

    /// Says that who writes the unknown key `wrong` means `right`, however different they are.
    pub fn hint(&mut self, wrong: &'static str, right: &'static str) {
        self.hints.push((wrong, right));
    }

    /// All keys as written, for tables whose keys are the user's own. All count as asked for.
    pub fn all(self) -> Vec<(&'a str, Field<'a>)> {
        let mut entries: Vec<_> = self.table.entries.iter().collect();
        entries.sort_by_key(|(_, entry)| entry.key);
        let field = |(key, entry): (&'a String, &'a Entry)| {
            (key.as_str(), Field::given(key, entry.key, &entry.node, self.sink))
        };
        entries.into_iter().map(field).collect()
    }

    /// Reports an error about the table as a whole, at its heading.
    pub fn refuse(&self, title: impl Into<String>, label: impl Into<String>) {
        self.sink.report(Problem::error(title).at(self.table.place, label));
    }

    /// Reports a problem of any shape.
    pub fn report(&self, problem: Problem) {
        self.sink.report(problem);
    }

    /// Reports each key that was never asked for, with those that were and the nearest.
    pub fn finish(self) {
        for (key, entry) in &self.table.entries {
            if self.asked.contains(&key.as_str()) || self.refused.contains(&key.as_str()) {
                continue;
            }
            let hint = self.hints.iter().find(|(wrong, _)| wrong == key).map(|(_, right)| *right);
            let nearest = hint.or_else(|| nearest(key, self.asked.iter().copied()));
            let label = nearest.map_or(String::new(), |name| format!("did you mean `{name}`?"));
            let title = format!("unknown key `{key}` in {}", entry.heading);
            let accepted = if self.asked.is_empty() { "no keys".to_owned() } else { self.asked.join(", ") };
            let problem = Problem::error(title).at(entry.key, label).note(format!("accepted: {accepted}"));
            let more = more_on(&entry.heading, nearest);
            self.sink.report(match more {
                Some(path) => problem.note(format!("`spotsim explain {path}` says more")),
                None => problem,
            });
            // A key that is misspelt is not missing as well.
            for (_, title) in
                self.missing.iter().filter(|(keys, _)| nearest.is_some_and(|n| keys.contains(&n)))
            {
                self.sink.withdraw(self.table.place, title);
            }
        }
    }

    fn report_missing(&mut self, keys: Vec<&'static str>, title: String, example: &str) {
        self.refuse(title.clone(), format!("add `{example}`"));
        self.missing.push((keys, title));
    }
}

/// What `spotsim explain` has on a key of the table with this heading; on the table if no key is near.
fn more_on(heading: &str, key: Option<&str>) -> Option<String> {
    let table = heading.trim_matches(['[', ']']);
    let path = match (key, heading == TOP) {
        (Some(key), true) => key.to_owned(),
        (Some(key), false) => format!("{table}.{key}"),
        (None, true) => return None,
        (None, false) => table.to_owned(),
    };
    reference::find(&path).map(|found| match found {
        Found::Table(table) => table.path.clone(),
        Found::Key(table, key) => table.path_of(key),
    })
}

/// The name closest to `word` by edit distance (a swap counts 1), if that is 2 or less and less than half of the word.
pub fn nearest<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let length = word.chars().count();
    let candidates = names.into_iter().filter(|name| name.chars().count().abs_diff(length) <= 2);
    let distances = candidates.map(|name| (strsim::osa_distance(word, name), name));
    let close = distances.filter(|&(distance, _)| distance <= 2 && 2 * distance < length.max(2));
    // `min_by_key` keeps the first of equals, so the order of the names decides.
    close.min_by_key(|&(distance, _)| distance).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::source::Sources;
    use crate::units::Span;

    /// What is said about `text` after `read` read its top.
    fn check(text: &str, read: impl Fn(Reader<'_>), expected: &str) {
        let (mut sources, sink) = (Sources::default(), Sink::default());
        let source = sources.add("a.toml", text);
        let table = Table::parse(source, &sources, &sink);
        read(Reader::new(&table, &sink));
        assert_eq!(sink.into_problems().render(&sources, false), expected);
    }

    /// `[checkpoint]`, as a section would read it.
    fn checkpoint(mut top: Reader<'_>) {
        if let Some(mut checkpoint) = top.required("checkpoint", "[checkpoint]").table() {
            checkpoint.hint("interval", "every");
            checkpoint.required("every", "every = \"15 min\"").quantity::<Span>();
            checkpoint.field("keep").whole(1..=9_u32);
            checkpoint.not_available("compress", "leave it out");
            checkpoint.finish();
        }
        top.finish();
    }

    #[test]
    fn what_is_right_is_not_reported() {
        check("checkpoint = { every = \"15 min\", keep = 2 }", checkpoint, "");
    }

    /// A misspelt key is not reported as missing as well.
    #[test]
    fn an_unknown_key_names_what_is_accepted_and_the_nearest() {
        check(
            "[checkpoint]\ninterval = \"15 min\"\nkepe = 1\nfoo = 2\n",
            checkpoint,
            "error: unknown key `interval` in [checkpoint]
 --> a.toml:2:1
  |
2 | interval = \"15 min\"
  | ^^^^^^^^ did you mean `every`?
  |
  = accepted: every, keep
  = `spotsim explain checkpoint.every` says more

error: unknown key `kepe` in [checkpoint]
 --> a.toml:3:1
  |
3 | kepe = 1
  | ^^^^ did you mean `keep`?
  |
  = accepted: every, keep
  = `spotsim explain checkpoint.keep` says more

error: unknown key `foo` in [checkpoint]
 --> a.toml:4:1
  |
4 | foo = 2
  | ^^^
  |
  = accepted: every, keep
  = `spotsim explain checkpoint` says more
",
        );
    }

    #[test]
    fn all_problems_of_a_file_are_said_in_its_order() {
        check(
            "chekpoint = 1\n[checkpoint]\ncompress = true\nkeep = 12\n",
            checkpoint,
            "error: unknown key `chekpoint` in the scenario
 --> a.toml:1:1
  |
1 | chekpoint = 1
  | ^^^^^^^^^ did you mean `checkpoint`?
  |
  = accepted: checkpoint
  = `spotsim explain checkpoint` says more

error: `every` is missing in [checkpoint]
 --> a.toml:2:1
  |
2 | [checkpoint]
  | ^^^^^^^^^^^^ add `every = \"15 min\"`

error: `compress` is not available in this version
 --> a.toml:3:1
  |
3 | compress = true
  | ^^^^^^^^ leave it out

error: `keep = 12`: must be a whole number from 1 to 9
 --> a.toml:4:8
  |
4 | keep = 12
  |        ^^
",
        );
    }

    #[test]
    fn a_missing_table_names_the_file() {
        check(
            "",
            checkpoint,
            "error: `checkpoint` is missing in the scenario\n--> a.toml\n = add `[checkpoint]`\n",
        );
    }

    #[test]
    fn two_kinds_show_both_places() {
        let read = |mut top: Reader<'_>| {
            let mut capacity = top.field("capacity").table().unwrap();
            assert!(capacity.one_of("kind", &["always", "renewal", "trace"]).is_none());
            capacity.finish();
        };
        check(
            "[capacity.renewal]\nx = 1\n[capacity.trace]\n",
            read,
            "error: [capacity] takes one kind; found renewal and trace
 --> a.toml:3:11
  |
1 | [capacity.renewal]
  |           -------
2 | x = 1
3 | [capacity.trace]
  |           ^^^^^ keep one
",
        );
    }

    #[test]
    fn no_kind_where_one_is_needed_lists_them() {
        let read = |mut top: Reader<'_>| {
            let mut law = top.field("law").table().unwrap();
            assert!(law.required_one_of("law", &["constant", "weibull"], "constant = \"2 min\"").is_none());
            law.finish();
        };
        check(
            "law = {}\n",
            read,
            "error: [law] needs a law: one of constant, weibull
 --> a.toml:1:7
  |
1 | law = {}
  |       ^^ add `constant = \"2 min\"`
",
        );
    }

    /// Whoever inherits a table reads it again: what is wrong in it is still said once.
    #[test]
    fn a_table_read_twice_is_reported_once() {
        let read = |mut top: Reader<'_>| {
            for name in ["base", "base"] {
                let mut table = top.field(name).table().unwrap();
                table.field("every").quantity::<Span>();
                table.finish();
            }
        };
        check(
            "[base]\nevery = 15\n",
            read,
            "error: `every` needs a unit
 --> a.toml:2:9
  |
2 | every = 15
  |         ^^ write \"15 s\", \"15 min\" or \"15 h\"
",
        );
    }

    #[test]
    fn keys_of_the_users_own_come_in_their_order() {
        let read = |mut top: Reader<'_>| {
            let sweep = top.field("sweep").table().unwrap();
            let keys: Vec<_> = sweep.all().into_iter().map(|(key, _)| key).collect();
            assert_eq!(keys, ["job.nodes", "a"]);
        };
        check("[sweep]\n\"job.nodes\" = [1]\na = 2\n", read, "");
    }

    /// Distances by hand: two neighbours swapped count 1, and short words must not match everything.
    #[test]
    fn only_near_names_are_suggested() {
        let names = ["every", "to", "keep", "stall", "shape"];
        for (word, expected) in [
            ("evry", Some("every")),
            ("shpae", Some("shape")),
            ("kepe", Some("keep")),
            ("at", None),
            ("interval", None),
            ("stalls", Some("stall")),
        ] {
            assert_eq!(nearest(word, names), expected, "{word}");
        }
    }
}
