//! Right answers read from CSV with comments.

use super::VerifyError;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

fn reader(text: &str) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes())
}

fn not_csv(error: &csv::Error) -> VerifyError {
    VerifyError::Csv(error.to_string())
}

/// The names of a file's columns.
pub(super) fn header(text: &str) -> Result<Vec<String>, VerifyError> {
    let header = reader(text).headers().map_err(|error| not_csv(&error))?.clone();
    Ok(header.iter().map(str::to_owned).collect())
}

/// Those of `columns` that a header lacks.
pub(super) fn missing<'a>(header: &[String], columns: &[&'a str]) -> Vec<&'a str> {
    columns.iter().filter(|name| !header.iter().any(|found| found == **name)).copied().collect()
}

/// All rows; at least one.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, VerifyError> {
    let rows: Result<Vec<T>, csv::Error> = reader(text).deserialize().collect();
    let rows = rows.map_err(|error| not_csv(&error))?;
    if rows.is_empty() { Err(VerifyError::Empty) } else { Ok(rows) }
}

/// What was made of rows, and the reasons why nothing was made of others with how many each concerns, in the
/// order of the alphabet.
pub(super) fn covered<T>(
    rows: impl IntoIterator<Item = Result<T, String>>,
) -> (Vec<T>, Vec<(String, usize)>) {
    let mut skipped = BTreeMap::<String, usize>::new();
    let mut covered = Vec::new();
    for row in rows {
        match row {
            Ok(made) => covered.push(made),
            Err(reason) => *skipped.entry(reason).or_default() += 1,
        }
    }
    (covered, skipped.into_iter().collect())
}
