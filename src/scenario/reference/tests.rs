//! The list against the readers: what it says is what they do.

use super::example::{is_open, loaded, set_alone, set_of};
use super::{Key, KeyTable, Kind, Range, find, tables};
use crate::scenario::problem::{Problem, Severity};
use std::collections::BTreeSet;

/// Errors with these keys set.
fn errors(set: &[String]) -> Vec<Problem> {
    loaded(set).problems.iter().filter(|problem| problem.severity == Severity::Error).cloned().collect()
}

fn each() -> impl Iterator<Item = (&'static KeyTable, &'static Key)> {
    tables().iter().flat_map(|table| table.keys.iter().map(move |key| (table, key)))
}

fn said(problem: &Problem) -> String {
    format!(
        "{} / {} / {} / {}",
        problem.title,
        problem.label,
        problem.notes.join("; "),
        problem.helps.join("; ")
    )
}

fn none_wrong(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn each_example_loads() {
    let mut wrong = Vec::new();
    for (table, key) in each() {
        let set = set_of(table, key, None, None);
        for problem in errors(&set) {
            wrong.push(format!("{}: {} {set:?}", table.path_of(key), said(&problem)));
        }
    }
    none_wrong(wrong);
}

/// What `set` has a table's reader accept, as it says of the unknown key.
fn accepted(set: &[String]) -> BTreeSet<String> {
    let of_unknown = |problem: &Problem| problem.title.starts_with("unknown key `zzqx`");
    let notes = errors(set).into_iter().filter(of_unknown).flat_map(|problem| problem.notes);
    let lists: Vec<String> =
        notes.filter_map(|note| note.strip_prefix("accepted: ").map(str::to_owned)).collect();
    lists.iter().flat_map(|list| list.split(", ")).map(str::to_owned).collect()
}

/// Some keys are asked for in some cases alone, so the accepted ones are those of all examples together.
#[test]
fn the_keys_of_a_table_are_those_that_its_reader_accepts() {
    let mut wrong = Vec::new();
    // A law with an unknown key beside it is no law: `[uncertain]` says so in other words.
    for table in tables().iter().filter(|table| !is_open(table) && table.path != "uncertain.KEY") {
        let sets = table.keys.iter().map(|key| set_of(table, key, None, Some(("zzqx", "1"))));
        let alone = set_alone(table, "zzqx", "1");
        let mut accepted: BTreeSet<String> = sets.chain([alone]).flat_map(|set| accepted(&set)).collect();
        let listed: BTreeSet<String> = table.keys.iter().map(|key| key.name.clone()).collect();
        if table.keys.is_empty() {
            accepted.retain(|word| word != "no keys");
        }
        if accepted != listed {
            let more: Vec<_> = accepted.difference(&listed).collect();
            let less: Vec<_> = listed.difference(&accepted).collect();
            wrong.push(format!("[{}]: the reader alone has {more:?}, the list alone {less:?}", table.path));
        }
    }
    none_wrong(wrong);
}

#[test]
fn the_words_of_a_key_are_those_that_its_reader_accepts() {
    let mut wrong = Vec::new();
    for (table, key) in each() {
        let words = key.takes.listed_words();
        for word in &words {
            let quoted = format!("\"{word}\"");
            let title = format!("`{} = {quoted}`: unknown", key.name);
            if errors(&set_of(table, key, Some(&quoted), None)).iter().any(|p| p.title.contains(&title)) {
                wrong.push(format!("{}: {word} is unknown", table.path_of(key)));
            }
        }
        if words.is_empty() || words.len() < key.takes.0.len() {
            continue;
        }
        let problems = errors(&set_of(table, key, Some("\"zzqx\""), None));
        let listed: Option<Vec<String>> = problems
            .iter()
            .flat_map(|problem| &problem.notes)
            .find_map(|note| Some(note.strip_prefix("accepted: ")?.split(", ").map(str::to_owned).collect()));
        let (mut listed, mut words) = (listed.unwrap_or_default(), words);
        listed.sort();
        words.sort_unstable();
        if listed != words {
            wrong.push(format!("{}: the reader accepts {listed:?}", table.path_of(key)));
        }
    }
    none_wrong(wrong);
}

/// What a reader says of a value of a type that no key takes.
fn complaint(kind: &Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::Time { .. } | Kind::Law | Kind::Price | Kind::UnitPrice(_) => "a quantity with its unit",
        Kind::Bandwidth | Kind::Bytes | Kind::Work | Kind::Samples => "a quantity with its unit",
        Kind::Whole(_) => "a whole number",
        Kind::Number(_) => "a number",
        Kind::Text | Kind::File | Kind::Word(_) | Kind::Name(_) | Kind::Format | Kind::Result => "text",
        Kind::Flag => "true or false",
        Kind::Date => "a date and time",
        Kind::Table(_) => "a table",
        Kind::Tables | Kind::List(_) => "a list",
        Kind::Anything => return None,
    })
}

#[test]
fn a_value_of_another_type_is_refused_as_the_list_says() {
    let mut wrong = Vec::new();
    for (table, key) in each().filter(|(_, key)| !key.is_own()) {
        let single = key.takes.0.iter().all(|kind| complaint(kind) == complaint(&key.takes.0[0]));
        let Some(expected) = complaint(&key.takes.0[0]).filter(|_| single) else { continue };
        let value = if expected == "a list" { "true" } else { "[[]]" };
        let problems = errors(&set_of(table, key, Some(value), None));
        let is_said = |p: &Problem| {
            p.title.contains(&format!("`{}` must be {expected}", key.name))
                || p.title.contains(&format!("`{}` is {expected}", key.name))
        };
        if !problems.iter().any(is_said) {
            let said: Vec<String> = problems.iter().map(said).collect();
            wrong.push(format!("{}: {expected}, but {said:?}", table.path_of(key)));
        }
    }
    none_wrong(wrong);
}

/// Just outside a range, and at its ends.
#[test]
fn ranges_end_where_the_list_says() {
    let mut wrong = Vec::new();
    for (table, key) in each().filter(|(_, key)| !key.is_own()) {
        for kind in &key.takes.0 {
            let (range, is_whole) = match kind {
                Kind::Whole(range) => (range, true),
                Kind::Number(range) => (range, false),
                _ => continue,
            };
            let refused = |value: f64| {
                let value = if is_whole { format!("{value:.0}") } else { format!("{value:?}") };
                let start = format!("`{} = ", key.name);
                let problems = errors(&set_of(table, key, Some(&value), None));
                let about = |p: &Problem| {
                    let of_another_key = ["must divide evenly", "is above `region"];
                    let is_other = of_another_key.iter().any(|words| p.title.contains(words));
                    (p.title.starts_with(&start) && !is_other) || p.title.contains("must be from")
                };
                problems.iter().any(about)
            };
            for (value, inside) in ends(range, is_whole) {
                if refused(value) == inside {
                    wrong.push(format!("{} = {value}: listed as {inside}", table.path_of(key)));
                }
            }
        }
    }
    none_wrong(wrong);
}

/// Values at and beyond the ends, and whether the range has them.
fn ends(range: &Range, is_whole: bool) -> Vec<(f64, bool)> {
    let step = |end: f64| if is_whole { 1.0 } else { end.abs().max(1.0) * 1e-6 };
    let mut found = Vec::new();
    if let Some((low, closed)) = range.low {
        found.push((low - step(low), false));
        found.push((low, closed));
    }
    if let Some((high, closed)) = range.high {
        found.push((high + step(high), false));
        found.push((high, closed));
    }
    found
}

/// A default that is a value is what `show` prints where the key is not given.
#[test]
fn defaults_are_what_show_prints() {
    let mut wrong = Vec::new();
    let mut checked = 0;
    for (table, key) in each() {
        let Some(default) = key.default.strip_prefix('`').and_then(|d| d.strip_suffix('`')) else { continue };
        let Ok(expected) = toml::from_str::<toml::Table>(&format!("x = {default}")) else { continue };
        if table.path_of(key) == "cluster.zones" {
            // The base has some.
            continue;
        }
        // The example, less the key itself.
        let set = set_of(table, key, None, None);
        let without: Vec<String> =
            set.iter().map(|set| less(set, key)).filter(|set| !set.is_empty()).collect();
        let Some(scenario) = loaded(&without).scenario else { continue };
        let shown: toml::Table = toml::from_str(&scenario.show()).expect("what is shown is a scenario");
        let mut at = Some(&toml::Value::Table(shown)).cloned();
        for part in super::parts_of(&shown_at(table, key)) {
            at = at.and_then(|value| match part.parse::<usize>() {
                Ok(index) => value.get(index).cloned(),
                Err(_) => value.get(&part).cloned(),
            });
        }
        let Some(found) = at else { continue };
        checked += 1;
        let same = found == expected["x"] || found.to_string().trim_end_matches(".0") == default;
        if !same {
            wrong.push(format!("{}: listed as {default}, shown as {found}", table.path_of(key)));
        }
    }
    none_wrong(wrong);
    assert!(checked >= 35, "{checked}");
}

/// A `--set` without one of its keys, which is the whole of it or a part of its table.
fn less(set: &str, key: &Key) -> String {
    let (path, value) = set.split_once('=').expect("a set is an assignment");
    if path.rsplit('.').next() == Some(&key.name) {
        return String::new();
    }
    let own = key.example.lines().next().unwrap_or_default();
    let value = value.replacen(&format!("{own}, "), "", 1).replacen(own, "", 1);
    format!("{path}={}", value.replace(", }", " }"))
}

fn shown_at(table: &KeyTable, key: &Key) -> String {
    match table.path.as_str() {
        "cluster" => format!("cluster.0.{}", key.name),
        _ => table.path_of(key),
    }
}

/// Which keys displace one another is said where tables are merged, too.
#[test]
fn keys_of_which_one_is_taken_refuse_each_other() {
    let mut wrong = Vec::new();
    for table in tables() {
        for group in table.one_of.iter().chain(&table.just_one_of) {
            for name in group {
                if table.key(name).is_none() {
                    wrong.push(format!("[{}] has no {name}", table.path));
                }
            }
        }
    }
    none_wrong(wrong);
}

#[test]
fn each_table_is_the_value_of_a_key_and_each_path_is_there_once() {
    let mut seen = BTreeSet::new();
    for table in tables() {
        assert!(seen.insert(table.path.clone()), "{}", table.path);
        let names: BTreeSet<&str> = table.keys.iter().map(|key| key.name.as_str()).collect();
        assert_eq!(names.len(), table.keys.len(), "{}", table.path);
        if let Some((above, name)) = table.path.rsplit_once('.') {
            let above = super::table(above).unwrap_or_else(|| panic!("{}", table.path));
            assert!(above.key(name).is_some(), "{}", table.path);
        }
        for key in &table.keys {
            for kind in &key.takes.0 {
                match kind {
                    Kind::Table(Some(other)) => assert!(super::table(other).is_some(), "{other}"),
                    Kind::Table(None) | Kind::Tables => {
                        assert!(super::table(&table.path_of(key)).is_some(), "{}", table.path_of(key));
                    }
                    _ => {}
                }
            }
        }
    }
}

#[test]
fn a_path_is_found_as_people_write_it() {
    let found = |path: &str| match find(path) {
        Some(super::Found::Table(table)) => format!("[{}]", table.path),
        Some(super::Found::Key(table, key)) => table.path_of(key),
        None => "nothing".to_owned(),
    };
    for (path, expected) in [
        ("checkpoint.every", "checkpoint.every"),
        ("[capacity.renewal]", "[capacity.renewal]"),
        ("[[cluster]]", "[cluster]"),
        ("cluster.0.nodes", "cluster.nodes"),
        ("cluster[1].checkpoint.every", "checkpoint.every"),
        ("zone.us-east-1a.pricing.spot", "pricing.spot"),
        ("fallback.\"ml.g5.xlarge\".zone.us-east-1a.capacity.renewal.gap", "capacity.renewal.gap"),
        ("capacity.renewal.uptime.weibull.shape", "law.weibull.shape"),
        ("expect.\"time_h.lost\".max", "expect.RESULT.max"),
        ("sweep.\"checkpoint.every\"", "[sweep.KEY]"),
        ("sweep.zip", "[sweep.zip]"),
        ("checkpoint.evry", "nothing"),
        ("nothing", "nothing"),
    ] {
        assert_eq!(found(path), expected, "{path}");
    }
}
