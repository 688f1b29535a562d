//! What is wrong with a scenario, where, and how it is said.

use super::source::{Place, Sources};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Columns that a message may take, as the tables do.
const WIDTH: usize = 100;
/// Longer titles, labels and notes are cut: a value of the user's may be part of them.
const CHARS_MAX: usize = 400;
/// More problems than this are counted, not shown.
const SHOWN_MAX: usize = 50;

/// Whether a problem stops the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The scenario cannot be used.
    Error,
    /// Legal, but probably not meant.
    Warning,
}

/// One thing that is wrong with the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Whether it stops the run.
    pub severity: Severity,
    /// What is wrong, in one line: "`every` needs a unit".
    pub title: String,
    /// Where; `None` if in no text, as when a file cannot be read.
    pub place: Option<Place>,
    /// Said beside the mark at `place`; may be empty.
    pub label: String,
    /// Other places that belong to it, with what is said beside each.
    pub also: Vec<(Place, String)>,
    /// Facts below the picture: "accepted: every, steps".
    pub notes: Vec<String>,
    /// Ways out, below the facts.
    pub helps: Vec<String>,
}

impl Problem {
    /// A problem that stops the run.
    pub fn error(title: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            title: title.into(),
            place: None,
            label: String::new(),
            also: Vec::new(),
            notes: Vec::new(),
            helps: Vec::new(),
        }
    }

    /// Something legal that is probably not meant.
    pub fn warning(title: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(title) }
    }

    /// Marks its place; `label` stands beside the mark and may be empty.
    pub fn at(mut self, place: Place, label: impl Into<String>) -> Self {
        (self.place, self.label) = (Some(place), label.into());
        self
    }

    /// Marks another place that belongs to it.
    pub fn also_at(mut self, place: Place, label: impl Into<String>) -> Self {
        self.also.push((place, label.into()));
        self
    }

    /// Adds a fact.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds a way out.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.helps.push(help.into());
        self
    }

    /// As text for a person, without a final line break; `colour` adds ANSI styles.
    pub fn render(&self, sources: &Sources, colour: bool) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group = Group::with_title(level.primary_title(printable(&self.title)));
        let mut notes = self.notes.clone();
        match self.place {
            None => notes.splice(0..0, label_of(&self.label)).for_each(drop),
            Some(place) if place.is_whole() => {
                group = group.element(Origin::path(printable(sources.name(place.source))));
                notes.splice(0..0, label_of(&self.label)).for_each(drop);
            }
            Some(place) => {
                let (here, elsewhere) =
                    self.also.iter().partition::<Vec<_>, _>(|(also, _)| also.source == place.source);
                let first =
                    AnnotationKind::Primary.span(visible(place, sources)).label(label_of(&self.label));
                group = group.element(snippet(place, sources).annotation(first).annotations(
                    here.into_iter().map(|(place, label)| {
                        AnnotationKind::Context.span(visible(*place, sources)).label(label_of(label))
                    }),
                ));
                for (place, label) in elsewhere {
                    let mark = AnnotationKind::Context.span(visible(*place, sources)).label(label_of(label));
                    group = group.element(snippet(*place, sources).annotation(mark));
                }
            }
        }
        let notes = notes.iter().map(|note| Level::NOTE.no_name().message(printable(note)));
        let helps = self.helps.iter().map(|help| Level::HELP.message(printable(help)));
        let renderer = if colour { Renderer::styled().hyperlink(false) } else { Renderer::plain() };
        renderer.term_width(WIDTH).render(&[group.elements(notes).elements(helps)])
    }
}

/// The text that a place is in, under its name.
fn snippet<'a, T: Clone>(place: Place, sources: &'a Sources) -> Snippet<'a, T> {
    Snippet::source(sources.text(place.source)).path(printable(sources.name(place.source)))
}

/// The bytes to mark: no more than the place's first line, and whole characters.
fn visible(place: Place, sources: &Sources) -> std::ops::Range<usize> {
    let text = sources.text(place.source);
    let whole = |at: usize| text.is_char_boundary(at);
    let start = (0..=place.start.min(text.len())).rev().find(|&at| whole(at)).unwrap_or(0);
    let line_end = text[start..].find(['\n', '\r']).map_or(text.len(), |at| start + at);
    let end = (place.end..=text.len()).find(|&at| whole(at)).unwrap_or(text.len());
    start..end.clamp(start, line_end)
}

/// An empty label is no label.
fn label_of(label: &str) -> Option<String> {
    (!label.is_empty()).then(|| printable(label))
}

/// The text without characters that could steer a terminal, cut to [`CHARS_MAX`].
fn printable(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().take(CHARS_MAX) {
        // Marks of direction (U+202A to U+202E, U+2066 to U+2069) can make a text read as another.
        if c.is_control()
            || matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
        {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    if text.chars().nth(CHARS_MAX).is_some() {
        out.push('…');
    }
    out
}

/// Where problems are reported while a scenario is read, by any number of readers at once.
#[derive(Debug, Default)]
pub struct Sink(RefCell<Vec<Problem>>);

impl Sink {
    /// Adds a problem.
    pub fn report(&self, problem: Problem) {
        self.0.borrow_mut().push(problem);
    }

    /// Takes a report back, because another one says it better.
    pub fn withdraw(&self, place: Place, title: &str) {
        self.0.borrow_mut().retain(|p| p.place != Some(place) || p.title != title);
    }

    /// Problems so far that stop the run.
    pub fn errors(&self) -> usize {
        self.0.borrow().iter().filter(|p| p.severity == Severity::Error).count()
    }

    /// Whether anything reported so far stops the run.
    pub fn has_errors(&self) -> bool {
        self.0.borrow().iter().any(|p| p.severity == Severity::Error)
    }

    /// All that was reported, in order.
    pub fn into_problems(self) -> Problems {
        Problems::new(self.0.into_inner())
    }
}

/// Problems in the order of their places, each once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// Sorts by place, those without one first, and drops repetitions: a table that two clusters
    /// inherit is read twice.
    pub fn new(mut found: Vec<Problem>) -> Self {
        let mut seen = BTreeSet::new();
        found.retain(|p| seen.insert((p.place, p.title.clone())));
        found.sort_by_key(|p| p.place);
        Self(found)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether any of them stops the run.
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|p| p.severity == Severity::Error)
    }

    /// The errors alone: beside them a warning only distracts.
    pub fn errors(&self) -> Self {
        Self(self.0.iter().filter(|problem| problem.severity == Severity::Error).cloned().collect())
    }

    /// Each of them, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.0.iter()
    }

    /// As text for a person, an empty line between two, ended by a line break unless empty.
    pub fn render(&self, sources: &Sources, colour: bool) -> String {
        let shown: Vec<_> = self.0.iter().take(SHOWN_MAX).map(|p| p.render(sources, colour)).collect();
        let mut text = shown.join("\n\n");
        if self.0.len() > SHOWN_MAX {
            text.push_str(&format!("\n\n… and {} more", self.0.len() - SHOWN_MAX));
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text, with what is wrong with its first `needle`.
    fn check(text: &str, needle: &str, problem: impl Fn(Place) -> Problem, expected: &str) {
        let mut sources = Sources::default();
        let source = sources.add("a.toml", text);
        let start = text.find(needle).unwrap();
        let place = Place { source, start, end: start + needle.len() };
        assert_eq!(problem(place).render(&sources, false), expected);
    }

    /// The picture of an unknown key.
    #[test]
    fn a_problem_shows_its_line_with_a_mark() {
        check(
            "[checkpoint]\ninterval = \"15 min\"\n",
            "interval",
            |place| {
                Problem::error("unknown key `interval` in [checkpoint]")
                    .at(place, "did you mean `every`?")
                    .note("accepted: every, steps")
            },
            "error: unknown key `interval` in [checkpoint]
 --> a.toml:2:1
  |
2 | interval = \"15 min\"
  | ^^^^^^^^ did you mean `every`?
  |
  = accepted: every, steps",
        );
    }

    #[test]
    fn a_place_of_many_lines_marks_the_first() {
        check(
            "zones = [\n 1,\n 2]\n",
            "[\n 1,\n 2]",
            |place| Problem::warning("odd").at(place, "here"),
            "warning: odd\n --> a.toml:1:9\n  |\n1 | zones = [\n  |         ^ here",
        );
    }

    #[test]
    fn a_problem_without_a_place_is_one_line() {
        let text = Problem::error("a.toml: no such file").render(&Sources::default(), false);
        assert_eq!(text, "error: a.toml: no such file");
    }

    #[test]
    fn what_is_missing_in_a_file_names_the_file_only() {
        let mut sources = Sources::default();
        let place = Place::whole(sources.add("a.toml", "x = 1"));
        let text = Problem::error("`job` is missing").at(place, "add `[job]`").render(&sources, false);
        assert_eq!(text, "error: `job` is missing\n--> a.toml\n = add `[job]`");
    }

    #[test]
    fn places_in_two_sources_are_both_shown() {
        let mut sources = Sources::default();
        let (file, set) = (sources.add("a.toml", "every = 1"), sources.add("--set", "steps=2"));
        let problem = Problem::error("two")
            .at(Place { source: file, start: 0, end: 5 }, "")
            .also_at(Place { source: set, start: 0, end: 5 }, "and here");
        let text = problem.render(&sources, false);
        assert!(text.contains("--> a.toml:1:1") && text.contains("::: --set:1:1"), "{text}");
    }

    /// A terminal must not be steered by a scenario; 10 kB of one line must not fill it.
    #[test]
    fn long_lines_and_control_characters_are_tamed() {
        let mut sources = Sources::default();
        let text = format!("x = \"{}\u{1b}[31m\u{202e}{}\"\n", "é".repeat(5_000), "z".repeat(5_000));
        let start = text.find('\u{1b}').unwrap();
        let source = sources.add("a\u{1b}.toml", text.clone());
        let all = Problem::error(format!("bad {text}"))
            .at(Place { source, start: start + 1, end: start + 3 }, text.clone())
            .note(text.clone())
            .help(text)
            .render(&sources, false);
        assert!(!all.contains(['\u{1b}', '\u{202e}']), "{all}");
        assert!(all.len() < 6_000, "{} bytes", all.len());
    }

    #[test]
    fn places_off_the_text_or_within_a_character_do_not_panic() {
        let mut sources = Sources::default();
        let source = sources.add("a.toml", "é = \u{feff}1\r\n\r");
        for start in 0..14 {
            for end in start..16 {
                Problem::error("x").at(Place { source, start, end }, "y").render(&sources, true);
            }
        }
    }

    #[test]
    fn problems_are_sorted_and_each_said_once() {
        let mut sources = Sources::default();
        let source = sources.add("a.toml", "a = 1\nb = 2\n");
        let at = |start, title: &str| Problem::error(title).at(Place { source, start, end: start + 1 }, "");
        let problems = Problems::new(vec![at(6, "b"), at(0, "a"), at(6, "b"), Problem::error("none")]);
        let titles: Vec<_> = problems.iter().map(|p| p.title.as_str()).collect();
        assert_eq!(titles, ["none", "a", "b"]);
    }
}
