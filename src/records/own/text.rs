//! Times, lengths and cells as text, for the writer: a file of millions of rows is written.

use crate::units::{Span, Timestamp};

/// Text for a `#` line.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Seconds with as many digits as they have.
pub(super) fn seconds(span: Span) -> String {
    let mut text = Vec::new();
    push_seconds(span, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Seconds with as many digits as they have: `600`, `0.25`.
pub(super) fn push_seconds(span: Span, out: &mut Vec<u8>) {
    push_number(span.ns() / 1_000_000_000, 1, out);
    push_fraction((span.ns() % 1_000_000_000) as u32, out);
}

/// A cell of a CSV, in quotes if it needs them.
pub(super) fn push_cell(text: &str, out: &mut Vec<u8>) {
    let special = |byte: &u8| matches!(byte, b',' | b';' | b'"' | b'#' | b'\n' | b'\r' | b'\t');
    let blank = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_whitespace);
    let bytes = text.as_bytes();
    if !bytes.iter().any(special) && !blank(bytes.first()) && !blank(bytes.last()) {
        out.extend_from_slice(bytes);
        return;
    }
    out.push(b'"');
    for &byte in bytes {
        match byte {
            b'"' => out.extend_from_slice(b"\"\""),
            // A row is a line.
            b'\n' | b'\r' => out.push(b' '),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

/// Times as RFC 3339 in UTC, as [`Timestamp`] prints them; the date of the last day is kept.
#[derive(Debug, Default)]
pub(super) struct Clock {
    day: Option<i64>,
    date: Vec<u8>,
}

impl Clock {
    /// Appends a time.
    pub(super) fn push(&mut self, at: Timestamp, out: &mut Vec<u8>) {
        let ns = at.unix_ns();
        let (second, fraction) = (ns.div_euclid(1_000_000_000), ns.rem_euclid(1_000_000_000));
        let (day, second) = (second.div_euclid(86_400), second.rem_euclid(86_400) as u64);
        if self.day != Some(day) {
            let midnight = Timestamp::from_unix_ns((day * 86_400).saturating_mul(1_000_000_000));
            let text = midnight.to_string();
            self.date.clear();
            self.date.extend(text.bytes().take_while(|&byte| byte != b'T'));
            self.day = Some(day);
        }
        out.extend_from_slice(&self.date);
        for (mark, number) in [(b'T', second / 3_600), (b':', second / 60 % 60), (b':', second % 60)] {
            out.push(mark);
            push_number(number, 2, out);
        }
        push_fraction(fraction as u32, out);
        out.push(b'Z');
    }
}

/// A whole number of at least so many digits.
fn push_number(mut number: u64, width: usize, out: &mut Vec<u8>) {
    let mut digits = [b'0'; 20];
    let mut at = digits.len();
    while number > 0 || digits.len() - at < width {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
    }
    out.extend_from_slice(&digits[at..]);
}

/// Billionths behind a point, without zeros at the end.
fn push_fraction(mut ns: u32, out: &mut Vec<u8>) {
    if ns == 0 {
        return;
    }
    let mut width = 9;
    while ns.is_multiple_of(1_000) {
        ns /= 1_000;
        width -= 3;
    }
    while ns.is_multiple_of(10) {
        ns /= 10;
        width -= 1;
    }
    out.push(b'.');
    push_number(ns.into(), width, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_they_print() {
        let mut clock = Clock::default();
        for ns in
            [0, 1, -1, 999_999_999, 86_399_999_999_999, 951_782_400_000_000_000, 1_676_498_896_250_000_000]
        {
            let at = Timestamp::from_unix_ns(ns);
            let mut out = Vec::new();
            clock.push(at, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), at.to_string());
        }
    }

    #[test]
    fn lengths_are_written_with_the_digits_they_have() {
        for (ns, text) in
            [(0, "0"), (600_000_000_000, "600"), (250_000_000, "0.25"), (1_000_000_001, "1.000000001")]
        {
            assert_eq!(seconds(Span::from_ns(ns)), text);
        }
    }
}
