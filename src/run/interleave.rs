//! The rows of configurations, from all shards in the order of their numbers.

use super::Failure;
use super::gather::{Part, refused};
use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;

/// The table `name` of all shards as one: `count` configurations, each row as it was written.
pub fn interleave(parts: &[Part], name: &str, count: u64) -> Result<Vec<u8>, Failure> {
    let (mut header, mut rows): (Vec<u8>, BTreeMap<u64, Vec<u8>>) = Default::default();
    for part in parts {
        let path = part.folder.join(name);
        let wrong = |why: &str| refused(&format!("{} cannot be used: {why}", path.display()));
        let bytes = fs::read(&path).map_err(|error| wrong(&error.to_string()))?;
        let records = records(&bytes).map_err(|error| wrong(&error.to_string()))?;
        for (first, range) in records {
            let row = &bytes[range];
            match first.parse::<u64>() {
                Ok(number) => rows.entry(number).or_default().extend_from_slice(row),
                Err(_) if header.is_empty() => header = row.to_vec(),
                Err(_) if header == row => {}
                Err(_) => return Err(wrong("its columns are not those of the other shards")),
            }
        }
    }
    if !rows.keys().copied().eq(0..count) {
        let found = rows.len();
        return Err(refused(&format!("{name} of these shards has {found} of {count} configurations")));
    }
    header.extend(rows.into_values().flatten());
    Ok(header)
}

/// The first field of each record and where the record lies; a field may have line breaks.
fn records(bytes: &[u8]) -> csv::Result<Vec<(String, Range<usize>)>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes);
    let (mut record, mut all, mut begin) = (csv::StringRecord::new(), Vec::new(), 0);
    while reader.read_record(&mut record)? {
        let end = reader.position().byte() as usize;
        all.push((record.get(0).unwrap_or_default().to_owned(), begin..end));
        begin = end;
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_whole_whatever_is_quoted_in_them() {
        let table = "configuration,a\n0,\"x\ny\"\n1,\"\"\"\"\n";
        let found = records(table.as_bytes()).unwrap();
        let texts: Vec<(&str, &str)> =
            found.iter().map(|(first, range)| (first.as_str(), &table[range.clone()])).collect();
        let right = [("configuration", "configuration,a\n"), ("0", "0,\"x\ny\"\n"), ("1", "1,\"\"\"\"\n")];
        assert_eq!(texts, right);
    }
}
