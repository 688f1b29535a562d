//! The list of scenario keys and the names of results, for people and editors: pages of `spotsim explain`, tables of
//! docs/scenario.md, a JSON Schema.

mod explain;
pub mod markdown;
mod pages;
mod schema;
mod words;

pub use explain::{explain, nearest_names, overview};
pub use schema::schema;
pub use words::{Word, words};

/// Markdown as a terminal has it: links are their text, marks of code stay out of quoted words.
pub fn plain(markdown: &str) -> String {
    let mut text = String::new();
    let mut rest = markdown;
    while let Some(at) = rest.find("](") {
        let end = rest[at..].find(')').map_or(rest.len(), |close| at + close + 1);
        let open = rest[..at].rfind('[').unwrap_or(0);
        text += &rest[..open];
        text += &rest[(open + 1).min(at)..at];
        rest = &rest[end..];
    }
    text += rest;
    text.replace("`\"", "\"").replace("\"`", "\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_quotes_lose_their_marks() {
        let text = "`\"late\"` or `stall` ([semantics.md](semantics.md), 80), [a](b#c).";
        assert_eq!(plain(text), "\"late\" or `stall` (semantics.md, 80), a.");
    }
}
