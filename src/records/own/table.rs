//! Comment lines at the top of the project's own files: `# title: …`.

use super::super::About;
use super::super::sheet::{seconds, seconds_text};

/// What the comment lines before the header say, by their words.
fn comments(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.trim_start_matches('\u{feff}')
        .lines()
        .take_while(|line| line.starts_with('#'))
        .filter_map(|line| line.trim_start_matches('#').trim().split_once(':'))
        .map(|(key, value)| (key.trim(), value.trim()))
}

/// What kind of data the file says that it holds.
pub fn kind(text: &str) -> Option<&str> {
    comments(text).find(|&(key, _)| key == "kind").map(|(_, value)| value)
}

/// What the file says of itself.
pub fn about(text: &str) -> About {
    let mut about = About::default();
    for (key, value) in comments(text) {
        let value = value.to_owned();
        match key {
            "title" => about.title = Some(value),
            "source" => about.source = Some(value),
            "licence" => about.licence = Some(value),
            "sample_s" => about.sample = seconds(&value, key).ok(),
            "start" => about.start_assumed = value == "assumed",
            "note" => about.notes.push(value),
            _ => {}
        }
    }
    about
}

/// The comment lines of a file of this kind.
pub fn write(kind: &str, about: &About) -> String {
    let mut text = String::new();
    let mut line = |key: &str, value: &str| {
        // A comment is one line.
        text += &format!("# {key}: {}\n", value.replace(['\r', '\n'], " "));
    };
    let said = [("title", &about.title), ("source", &about.source), ("licence", &about.licence)];
    for (key, value) in said {
        if let Some(value) = value {
            line(key, value);
        }
    }
    line("kind", kind);
    if let Some(sample) = about.sample {
        line("sample_s", &seconds_text(sample));
    }
    if about.start_assumed {
        line("start", "assumed");
    }
    for note in &about.notes {
        line("note", note);
    }
    text
}

/// Comment lines, a header and rows.
pub fn file<const N: usize>(
    kind: &str,
    about: &About,
    columns: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    // A first cell that begins with `#` is quoted, else it would be a comment.
    let mut writer =
        csv::WriterBuilder::new().comment(Some(b'#')).from_writer(write(kind, about).into_bytes());
    writer.write_record(columns).expect("memory takes every write");
    for row in rows {
        writer.write_record(row).expect("memory takes every write");
    }
    let bytes = writer.into_inner().expect("memory takes every write");
    String::from_utf8(bytes).expect("what was text is text")
}
