//! Rows of a text table, one after the other, from a source that need not fit into memory.
//!
//! A line is a row. Comments (`#`), blank lines, a byte order mark, CRLF, blanks around cells and quotes around
//! them are taken; a cell does not go over a line's end. Cells are parted by what the first row has: commas,
//! else tabs, else semicolons.

use super::ReadError;
use super::faults::Faults;
use std::io::{BufRead, Read};
use std::mem;
use std::ops::Range;

/// A longer line is no row of any format, and would have to be held in memory.
const LINE_MAX: u64 = 1 << 20;
/// Comments kept: the first of a file, and its last.
const COMMENTS_MAX: usize = 256;

/// A table, read row by row.
pub struct Rows<R> {
    source: R,
    line: u64,
    text: Vec<u8>,
    cells: Vec<Range<usize>>,
    separator: Option<u8>,
    /// What `#` lines say: `# key: value`.
    pub comments: Vec<(String, String)>,
}

/// A row.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    /// Its line, from 1; comments and header count.
    pub line: u64,
    text: &'a [u8],
    cells: &'a [Range<usize>],
}

impl<'a> Row<'a> {
    /// Number of cells.
    pub fn len(self) -> usize {
        self.cells.len()
    }

    /// The bytes of a cell, without blanks and quotes around them; of a missing cell, none.
    pub fn bytes(self, index: usize) -> &'a [u8] {
        self.cells.get(index).map_or(b"", |cell| &self.text[cell.clone()])
    }

    /// A cell as text; what is no UTF-8 is replaced by marks, for a message.
    pub fn text(self, index: usize) -> std::borrow::Cow<'a, str> {
        String::from_utf8_lossy(self.bytes(index))
    }

    /// All cells in lower case, `_` in place of blanks and hyphens: names of columns as they are compared.
    pub fn names(self) -> Vec<String> {
        let plain = |text: &str| text.to_ascii_lowercase().replace([' ', '-'], "_");
        (0..self.len()).map(|index| plain(&self.text(index))).collect()
    }
}

impl<R: BufRead> Rows<R> {
    /// Over a source.
    pub fn new(source: R) -> Self {
        let (text, cells) = (Vec::new(), Vec::new());
        Self { source, line: 0, text, cells, separator: None, comments: Vec::new() }
    }

    /// The next row; `None` at the end. Lines that are no rows are told to `faults` and passed over.
    pub fn next(&mut self, faults: &mut Faults) -> Result<Option<Row<'_>>, ReadError> {
        loop {
            if self.next_plain()? {
                return Ok(Some(Row { line: self.line, text: &self.text, cells: &self.cells }));
            }
            if !self.next_line(faults)? {
                return Ok(None);
            }
            if self.text.first() == Some(&b'#') {
                self.keep_comment();
                continue;
            }
            if self.text.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let separator = *self.separator.get_or_insert_with(|| separator_of(&self.text));
            if split(&mut self.text, separator, &mut self.cells) {
                return Ok(Some(Row { line: self.line, text: &self.text, cells: &self.cells }));
            }
            faults.add(self.line, "a quote is not closed, or text follows it".to_owned());
        }
    }

    /// Reads a row that lies whole in the source's buffer and has no quotes, as nearly all of a large file are, in one pass over its bytes. `false`: nothing was read, and the row is none of these.
    fn next_plain(&mut self) -> Result<bool, ReadError> {
        let Some(separator) = self.separator else { return Ok(false) };
        let buffer = self.source.fill_buf().map_err(|error| ReadError::Unreadable(error.to_string()))?;
        if matches!(buffer.first(), None | Some(b'#')) {
            return Ok(false);
        }
        self.cells.clear();
        let mut from = 0;
        for (at, &byte) in buffer.iter().take(LINE_MAX as usize).enumerate() {
            if byte == separator {
                self.cells.push(trimmed(buffer, from, at));
                from = at + 1;
            } else if byte == b'\n' {
                let last = trimmed(buffer, from, at);
                if self.cells.is_empty() && last.is_empty() {
                    return Ok(false);
                }
                self.cells.push(last);
                self.text.clear();
                self.text.extend_from_slice(&buffer[..at]);
                self.source.consume(at + 1);
                self.line += 1;
                return Ok(true);
            } else if byte == b'"' {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// Reads a line without its end into `text`; whether there was one.
    fn next_line(&mut self, faults: &mut Faults) -> Result<bool, ReadError> {
        let failed = |error: std::io::Error| ReadError::Unreadable(error.to_string());
        loop {
            self.text.clear();
            let length =
                self.source.by_ref().take(LINE_MAX).read_until(b'\n', &mut self.text).map_err(failed)?;
            if length == 0 {
                return Ok(false);
            }
            self.line += 1;
            match self.text.pop() {
                Some(b'\n') => {}
                Some(other) if (length as u64) < LINE_MAX => self.text.push(other),
                _ => {
                    faults.add(self.line, format!("is longer than {LINE_MAX} bytes"));
                    self.source.skip_until(b'\n').map_err(failed)?;
                    continue;
                }
            }
            if self.text.last() == Some(&b'\r') {
                self.text.pop();
            }
            if self.line == 1 && self.text.starts_with("\u{feff}".as_bytes()) {
                self.text.drain(..3);
            }
            return Ok(true);
        }
    }

    fn keep_comment(&mut self) {
        let text = String::from_utf8_lossy(&self.text);
        let Some((key, value)) = text.trim_start_matches('#').trim().split_once(':') else { return };
        let comment = (key.to_owned(), value.trim().to_owned());
        if self.comments.len() == COMMENTS_MAX {
            self.comments.pop();
        }
        self.comments.push(comment);
    }
}

fn separator_of(text: &[u8]) -> u8 {
    *[b',', b'\t', b';'].iter().find(|separator| text.contains(separator)).unwrap_or(&b',')
}

/// Finds the cells of a line; `false` if quotes do not match. A line with quotes is rewritten without them.
fn split(text: &mut Vec<u8>, separator: u8, cells: &mut Vec<Range<usize>>) -> bool {
    cells.clear();
    if text.contains(&b'"') {
        return split_quoted(text, separator, cells);
    }
    let mut from = 0;
    for (at, &byte) in text.iter().enumerate() {
        if byte == separator {
            cells.push(trimmed(text, from, at));
            from = at + 1;
        }
    }
    cells.push(trimmed(text, from, text.len()));
    true
}

fn trimmed(text: &[u8], mut from: usize, mut to: usize) -> Range<usize> {
    while from < to && text[from].is_ascii_whitespace() {
        from += 1;
    }
    while from < to && text[to - 1].is_ascii_whitespace() {
        to -= 1;
    }
    from..to
}

fn split_quoted(text: &mut Vec<u8>, separator: u8, cells: &mut Vec<Range<usize>>) -> bool {
    let line = mem::take(text);
    let mut rest = line.as_slice();
    loop {
        let blanks = rest.iter().take_while(|&&byte| byte != separator && byte.is_ascii_whitespace()).count();
        rest = &rest[blanks..];
        let from = text.len();
        let quoted = rest.strip_prefix(b"\"");
        if let Some(mut inside) = quoted {
            loop {
                let Some(at) = inside.iter().position(|&byte| byte == b'"') else { return false };
                text.extend_from_slice(&inside[..at]);
                inside = &inside[at + 1..];
                let Some(more) = inside.strip_prefix(b"\"") else { break };
                text.push(b'"');
                inside = more;
            }
            cells.push(from..text.len());
            rest = inside;
        }
        let end = rest.iter().position(|&byte| byte == separator).unwrap_or(rest.len());
        if quoted.is_none() {
            text.extend_from_slice(&rest[..end]);
            cells.push(trimmed(text, from, text.len()));
        } else if !rest[..end].iter().all(u8::is_ascii_whitespace) {
            return false;
        }
        if end == rest.len() {
            return true;
        }
        rest = &rest[end + 1..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines and cells.
    type Found = Vec<(u64, Vec<String>)>;

    fn cells(text: &str) -> (Found, Result<(), ReadError>) {
        let (mut rows, mut faults) = (Rows::new(text.as_bytes()), Faults::default());
        let mut found = Found::new();
        while let Some(row) = rows.next(&mut faults).unwrap() {
            found.push((row.line, (0..row.len()).map(|index| row.text(index).into_owned()).collect()));
        }
        (found, faults.refuse())
    }

    #[test]
    fn spreadsheets_are_read_like_plain_text() {
        let (found, faults) = cells("\u{feff}# x: y\r\na , b\r\n\r\n \"1,\"\"2\" , 3\r\n,\n\n");
        let row = |line, cells: [&str; 2]| (line, cells.map(str::to_owned).to_vec());
        assert_eq!(found, [row(2, ["a", "b"]), row(4, ["1,\"2", "3"]), row(5, ["", ""])]);
        assert_eq!(faults, Ok(()));
    }

    #[test]
    fn the_first_row_says_what_parts_cells() {
        assert_eq!(cells("a;b\n1;2\n").0[1].1, ["1", "2"]);
        assert_eq!(cells("a\tb\n1\t2").0[1].1, ["1", "2"]);
    }

    #[test]
    fn lines_that_are_no_rows_are_told() {
        let (found, faults) = cells("a,b\n\"1,2\n\"1\"x,2\n3,4\n");
        assert_eq!(found.len(), 2);
        let told = faults.unwrap_err().to_string();
        assert!(told.starts_with("line 2: a quote is not closed") && told.contains("line 3: "), "{told}");
        let (found, faults) = cells(&format!("a,b\n{}\n1,2\n", "x".repeat(2 << 20)));
        assert_eq!((found.len(), found[1].0), (2, 3));
        assert_eq!(faults.unwrap_err().to_string(), "line 2: is longer than 1048576 bytes");
    }
}
