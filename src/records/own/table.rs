//! Files of the project's own format that are read and written as a whole.

use super::super::About;
use super::head;

/// What the comment lines before the header say, by their words.
fn comments(text: &str) -> Vec<(String, String)> {
    text.trim_start_matches('\u{feff}')
        .lines()
        .take_while(|line| line.starts_with('#'))
        .filter_map(|line| line.trim_start_matches('#').trim().split_once(':'))
        .map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()))
        .collect()
}

/// What kind of data the file says that it holds.
pub fn kind(text: &str) -> Option<String> {
    head::comment(&comments(text), "kind").map(str::to_owned)
}

/// What the file says of itself.
pub fn about(text: &str) -> About {
    head::about(&comments(text))
}

/// Comment lines, a header and rows.
pub fn file<const N: usize>(
    kind: &str,
    about: &About,
    columns: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let mut bytes = Vec::new();
    head::write(about, kind, &mut bytes).expect("memory takes every write");
    // A first cell that begins with `#` is quoted, else it would be a comment.
    let mut writer = csv::WriterBuilder::new().comment(Some(b'#')).from_writer(bytes);
    writer.write_record(columns).expect("memory takes every write");
    for row in rows {
        writer.write_record(row).expect("memory takes every write");
    }
    let bytes = writer.into_inner().expect("memory takes every write");
    String::from_utf8(bytes).expect("what was text is text")
}
