//! The texts that a scenario is read from, and places in them.

/// The texts of one scenario: its file, and one for each `--set`.
#[derive(Debug, Clone, Default)]
pub struct Sources(Vec<Source>);

#[derive(Debug, Clone)]
struct Source {
    name: String,
    text: String,
}

/// Which of the [`Sources`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceId(usize);

/// A stretch of one source, in bytes from its start. Places sort as a person reads: by source, then
/// from top to bottom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The text that it is in.
    pub source: SourceId,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Sources {
    /// Adds a text under the name that messages give it: the path as the user wrote it, or `--set`.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        self.0.push(Source { name: name.into(), text: text.into() });
        SourceId(self.0.len() - 1)
    }

    /// What messages call it.
    pub fn name(&self, source: SourceId) -> &str {
        &self.0[source.0].name
    }

    /// All of its text.
    pub fn text(&self, source: SourceId) -> &str {
        &self.0[source.0].text
    }
}

impl Place {
    /// A source as a whole, for what is missing in it: messages name the source and show no line.
    pub fn whole(source: SourceId) -> Self {
        Self { source, start: 0, end: 0 }
    }

    /// Whether it is [`Place::whole`].
    pub fn is_whole(self) -> bool {
        self.end == 0
    }
}
