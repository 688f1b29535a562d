//! Lines of text: names made harmless, paragraphs wrapped, columns aligned, and a little colour.

mod column;
mod hint;

pub use column::{Column, Kind, fits, table};
pub use hint::{hints, shell_file};

use crate::scenario::plan::Market;
use std::sync::atomic::{AtomicUsize, Ordering};
use unicode_width::UnicodeWidthChar;

/// Columns of a line, where no terminal has fewer.
pub const WIDTH: usize = 100;
/// What [`set_columns`] said. One process writes to one terminal, so not each table is told its width anew.
static COLUMNS: AtomicUsize = AtomicUsize::new(WIDTH);

/// Columns of a line.
pub fn columns() -> usize {
    COLUMNS.load(Ordering::Relaxed)
}

/// Sets the columns of all lines from here on.
pub fn set_columns(columns: usize) {
    COLUMNS.store(columns, Ordering::Relaxed);
}
/// Columns of a name in a table.
const NAME_MAX: usize = 30;

/// `text` on one line in which every character is seen: what moves the cursor, turns the direction of
/// writing, has no width or joins its neighbour is spelled out, as in `\u{1b}`.
pub fn inert(text: &str) -> String {
    let mut seen = String::new();
    for c in text.chars() {
        match c {
            '"' | '\'' | '\\' => seen.push(c),
            _ => seen.extend(c.escape_debug()),
        }
    }
    seen
}

/// Columns of a terminal that `text` takes.
pub fn width(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// A control character is drawn as something, if at all.
fn columns_of(character: char) -> usize {
    character.width().unwrap_or(1)
}

/// `text`, harmless, in at most `columns` columns: the middle is left out, as names differ at both ends.
pub fn shortened(text: &str, columns: usize) -> String {
    let text = inert(text);
    if width(&text) <= columns {
        return text;
    }
    let kept = columns.saturating_sub(1);
    let head = fitting(text.chars(), kept - kept / 2);
    let tail = fitting(text.chars().rev(), kept / 2);
    head.into_iter().chain(['…']).chain(tail.into_iter().rev()).collect()
}

/// The first of `characters` that fit in `columns`.
fn fitting(characters: impl Iterator<Item = char>, columns: usize) -> Vec<char> {
    let mut taken = 0;
    characters
        .take_while(|character| {
            taken += columns_of(*character);
            taken <= columns
        })
        .collect()
}

/// A cluster's name as tables and sentences have it.
pub fn name(text: &str) -> String {
    shortened(text, NAME_MAX)
}

/// Stand with the number before them.
const UNITS: [&str; 9] = ["%", "d", "h", "min", "s", "ms", "MB", "GB", "GB/s"];

/// The words of `text`, a number with its unit and its `<` or `>` being one, with a blank between them.
pub fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let is_unit = UNITS.contains(&word.trim_end_matches(['.', ',', ';', ':', ')']));
        match words.last_mut() {
            Some(last) if is_unit || matches!(last.as_str(), "<" | ">") => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

/// `text` in lines of at most `columns` columns, broken at blanks, and within words that are longer.
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = vec![String::new()];
    for word in words(text) {
        let mut rest = word.as_str();
        loop {
            let line = lines.last_mut().expect("there is always a line");
            let gap = usize::from(!line.is_empty());
            let room = columns.saturating_sub(width(line) + gap);
            if width(rest) > room && gap > 0 {
                lines.push(String::new());
                continue;
            }
            // On a line of its own a character goes even where it is too wide.
            let fits: usize = fitting(rest.chars(), room).iter().map(|c| c.len_utf8()).sum();
            let (taken, left) = rest.split_at(fits.max(rest.chars().next().map_or(0, char::len_utf8)));
            line.extend([' '].iter().take(gap));
            line.push_str(taken);
            rest = left;
            if rest.is_empty() {
                break;
            }
            lines.push(String::new());
        }
    }
    lines
}

/// `a, b and c`; beyond `told_max` the rest is counted.
pub fn listed(mut items: Vec<String>, told_max: usize) -> String {
    let more = items.len().saturating_sub(told_max);
    if more > 0 {
        items.truncate(told_max);
        items.push(format!("{more} more"));
    }
    match items.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Paragraphs beside a word, each wrapped: `Assumed   uptime …`.
pub fn beside(word: &str, paragraphs: &[String]) -> String {
    const INDENT: usize = 10;
    let mut text = String::new();
    let lines = paragraphs.iter().flat_map(|paragraph| wrapped(paragraph, columns() - INDENT));
    for (index, line) in lines.enumerate() {
        let head = if index == 0 { word } else { "" };
        text += format!("{head:INDENT$}{line}").trim_end();
        text.push('\n');
    }
    text
}

/// A folder and the files written into it.
pub fn written(folder: &str, files: &[String]) -> String {
    let files: Vec<String> = files.iter().map(|file| inert(file)).collect();
    let folder = inert(folder);
    beside("Written", &[format!("{}/ {}", folder.trim_end_matches('/'), files.join(", "))])
}

/// Whether and how text is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paint {
    /// Whether escape sequences may be used at all.
    pub colour: bool,
}

impl Paint {
    fn with(self, code: &str, text: &str) -> String {
        if self.colour && !text.is_empty() {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    /// A verdict.
    pub fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    /// What may be skipped.
    pub fn dim(self, text: &str) -> String {
        self.with("2", text)
    }

    /// Something that belongs to a market.
    pub fn market(self, market: Market, text: &str) -> String {
        match market {
            Market::Spot => self.with("38;5;32", text),
            Market::OnDemand => self.with("38;5;166", text),
        }
    }

    /// A figure whose interval in brackets stands back.
    fn figure(self, text: &str) -> String {
        match text.find('[') {
            Some(at) => format!("{}{}", &text[..at], self.dim(&text[at..])),
            None => text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::{Config, RngSeed};

    #[test]
    fn hostile_names_are_spelled_out() {
        assert_eq!(
            inert("a\u{1b}[31mb\nc\u{202e}d\u{200b}e\u{301}"),
            "a\\u{1b}[31mb\\nc\\u{202e}d\\u{200b}e\\u{301}"
        );
        assert_eq!(inert("4x \"g5\" für 日本"), "4x \"g5\" für 日本");
    }

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(shortened("abcdefghij", 10), "abcdefghij");
        assert_eq!(shortened("abcdefghijk", 10), "abcde…hijk");
        assert_eq!(shortened("abc", 1), "…");
    }

    #[test]
    fn a_number_keeps_its_unit() {
        assert_eq!(wrapped("done in > 99.97 % of it", 9), ["done in", "> 99.97 %", "of it"]);
        assert_eq!(wrapped("in 7.25 h.", 6), ["in", "7.25 h", "."]);
    }

    #[test]
    fn a_long_list_is_counted() {
        let items = |n: usize| (1..=n).map(|i| i.to_string()).collect::<Vec<_>>();
        assert_eq!(listed(items(0), 3), "");
        assert_eq!(listed(items(1), 3), "1");
        assert_eq!(listed(items(3), 3), "1, 2 and 3");
        assert_eq!(listed(items(9), 3), "1, 2, 3 and 6 more");
    }

    #[test]
    fn paragraphs_hang_beside_their_word() {
        let text = beside("Assumed", &["one ".repeat(25), "two".to_owned()]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].starts_with("Assumed   one one"));
        assert!(lines[1].starts_with("          one"));
        assert_eq!(lines[2], "          two");
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(width("スポット"), 8);
        assert_eq!(shortened("スポット中断", 9), "スポ…中断");
    }

    proptest! {
        #![proptest_config(Config { rng_seed: RngSeed::Fixed(20_261_202), failure_persistence: None, ..Config::default() })]

        #[test]
        fn wrapping_keeps_the_text_and_the_width(text in ".{0,300}", columns in 2_usize..120) {
            let lines = wrapped(&text, columns);
            prop_assert!(lines.iter().all(|line| width(line) <= columns));
            let letters = |text: &str| text.chars().filter(|c| *c != ' ').collect::<String>();
            prop_assert_eq!(letters(&lines.concat()), letters(&text));
        }

        #[test]
        fn shortening_fits(text in ".{0,80}", columns in 1_usize..60) {
            prop_assert!(width(&shortened(&text, columns)) <= columns);
        }
    }
}
