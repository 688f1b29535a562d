use super::*;
use crate::scenario::range::above;
use crate::scenario::source::Sources;
use crate::scenario::tree::Table;
use crate::units::{Amount, Bandwidth, Price, Span};

/// Reads `key = value` and gives what was read with the lines of the message that hold words.
fn read<T>(line: &str, read: impl Fn(Field<'_>) -> T) -> (T, String) {
    let (mut sources, sink) = (Sources::default(), Sink::default());
    let source = sources.add("a.toml", line);
    let table = Table::parse(source, &sources, &sink);
    let value = read(Reader::new(&table, &sink).field("key"));
    let text = sink.into_problems().render(&sources, false);
    let frame = |line: &&str| !(line.contains("-->") || line.starts_with("1 |") || line.trim() == "|");
    (value, text.lines().filter(frame).map(str::trim).collect::<Vec<_>>().join("\n"))
}

fn check_refused<T: PartialEq + std::fmt::Debug>(
    line: &str,
    how: impl Fn(Field<'_>) -> Option<T>,
    expected: &str,
) {
    assert_eq!(read(line, how), (None, expected.to_owned()), "{line}");
}

#[test]
fn quantities_without_a_unit_are_refused_with_spellings() {
    check_refused(
        "key = 15",
        |f| f.quantity::<Span>(),
        "error: `key` needs a unit\n|       ^^ write \"15 s\", \"15 min\" or \"15 h\"",
    );
    check_refused(
        "key = \"2.5\"",
        |f| f.quantity::<Span>(),
        "error: `key` needs a unit\n|       ^^^^^ write \"2.5 s\", \"2.5 min\" or \"2.5 h\"",
    );
    for line in ["key = 3.06", "key = 20", "key = inf", "key = nan", "key = -5"] {
        assert_eq!(read(line, |f| f.quantity::<Price>()).0, None, "{line}");
        assert_eq!(read(line, |f| f.quantity::<Amount>()).0, None, "{line}");
        assert_eq!(read(line, |f| f.quantity::<Bandwidth>()).0, None, "{line}");
    }
}

/// The project's case 18: 25 Gbit/s is 3.125 GB/s; `gb/s` could be either.
#[test]
fn bits_and_bytes_are_told_apart() {
    let rate = read("key = \"25 Gbps\"", |f| f.quantity::<Bandwidth>()).0.unwrap();
    assert_eq!(rate.bytes_per_s(), 3.125e9);
    check_refused(
        "key = \"25 gb/s\"",
        |f| f.quantity::<Bandwidth>(),
        "error: `key` has the ambiguous unit `gb/s`: bits or bytes?\n\
         |       ^^^^^^^^^ write \"25 Gbit/s\" for bits or \"25 GB/s\" for bytes, per second",
    );
}

#[test]
fn a_word_can_stand_for_a_quantity() {
    let limit = |f: Field<'_>| f.quantity_or(&[("unlimited", Span::MAX)], |span| span);
    assert_eq!(read("key = \"unlimited\"", limit).0, Some(Span::MAX));
    assert_eq!(read("key = \"2 h\"", limit).0, Some(Span::from_s(7_200)));
    assert_eq!(read("other = 1", limit), (None, String::new()));
    check_refused(
        "key = \"unlimitd\"",
        limit,
        "error: `key` is not a time\n|       ^^^^^^^^^^ did you mean \"unlimited\"?",
    );
    check_refused(
        "key = 2",
        limit,
        "error: `key` needs a unit\n|       ^ write \"2 s\", \"2 min\" or \"2 h\", or \"unlimited\"",
    );
}

#[test]
fn a_wrong_type_says_what_was_found_and_wanted() {
    check_refused(
        "key = 1",
        |f| f.text().map(str::len),
        "error: `key` must be text\n|       ^ found a whole number",
    );
    check_refused(
        "key = \"true\"",
        |f| f.boolean(),
        "error: `key` must be true or false\n|       ^^^^^^ found text",
    );
    check_refused(
        "key = \"4\"",
        |f| f.whole(1..=8_u32),
        "error: `key` must be a whole number from 1 to 8\n|       ^^^ found text",
    );
    check_refused(
        "key = [1]",
        |f| f.quantity::<Span>(),
        "error: `key` must be a quantity with its unit, in quotes\n|       ^^^ found a list\n\
         = help: write \"1 s\", \"1 min\" or \"1 h\"",
    );
    check_refused(
        "key = 1",
        |f| f.table().map(|_| ()),
        "error: `key` must be a table\n|       ^ found a whole number",
    );
}

#[test]
fn whole_numbers_are_whole_and_in_range() {
    assert_eq!(read("key = 18446744073709551615", |f| f.whole(0_u64..)).0, Some(u64::MAX));
    assert_eq!(read("key = 0x10", |f| f.whole(1..=64_u8)).0, Some(16));
    for (line, value) in [("key = -1", "-1"), ("key = 2.5", "2.5")] {
        let (found, text) = read(line, |f| f.whole(0_u64..));
        assert_eq!(found, None);
        assert!(
            text.starts_with(&format!("error: `key = {value}`: must be a whole number from 0\n")),
            "{text}"
        );
    }
    assert_eq!(read("key = 300", |f| f.whole(0_u8..)).0, None);
}

#[test]
fn numbers_are_finite_and_in_range() {
    assert_eq!(read("key = 1", |f| f.number(0.0..=1.0)).0, Some(1.0));
    for (line, expected) in [
        ("key = -0.7", "error: `key = -0.7`: must be above 0\n|       ^^^^"),
        ("key = nan", "error: `key = NaN`: must be a finite number\n|       ^^^"),
        ("key = 1e999", "error: `key = inf`: must be a finite number\n|       ^^^^^"),
    ] {
        check_refused(line, |f| f.number(above(0.0)), expected);
    }
    check_refused(
        "key = 1.5",
        |f| f.number(0.0..1.0),
        "error: `key = 1.5`: must be from 0 to below 1\n|       ^^^",
    );
}

#[test]
fn quantities_can_have_a_range() {
    check_refused(
        "key = \"0 s\"",
        |f| f.quantity_in(above(Span::ZERO)),
        "error: `key = \"0 s\"`: must be above 0 s\n|       ^^^^^",
    );
}

#[test]
fn words_suggest_the_nearest() {
    let market = |f: Field<'_>| f.word(&[("spot", 1), ("on-demand", 2)]);
    assert_eq!(read("key = \"on-demand\"", market).0, Some(2));
    check_refused(
        "key = \"on_demand\"",
        market,
        "error: `key = \"on_demand\"`: unknown value\n|       ^^^^^^^^^^^ did you mean \"on-demand\"?\n\
         = accepted: spot, on-demand",
    );
}

#[test]
fn every_wrong_element_of_a_list_is_reported() {
    let spans = |f: Field<'_>| f.list_of(|item| item.quantity::<Span>());
    assert_eq!(read("key = [\"1 s\", \"1 min\"]", spans).0.map(|spans| spans.len()), Some(2));
    let (found, text) = read("key = [\"1 s\", 2, true]", spans);
    assert_eq!(found, None);
    assert!(text.contains("`key[1]` needs a unit") && text.contains("`key[2]` must be"), "{text}");
}

#[test]
fn one_table_where_several_belong_is_said_so() {
    let (count, text) = read("[key]\nnodes = 1", |f| f.tables().len());
    assert_eq!(count, 0);
    assert!(text.contains("write [[key]] instead of [key]"), "{text}");
    assert_eq!(read("[[key]]\n[[key]]", |f| f.tables().len()).0, 2);
}

#[test]
fn dates_are_taken_as_written() {
    let text = "2025-06-28T00:00:00Z";
    for line in [format!("key = {text}"), format!("key = \"{text}\"")] {
        assert_eq!(read(&line, |f| f.datetime().map(str::to_owned)).0.as_deref(), Some(text));
    }
}
