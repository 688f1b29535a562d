//! Recorded data of any kind: which format a file is in, and its reader.

use super::{Format, How, ReadError, Recording, begun, format, kinds, prices, with_head};
use std::io::{BufRead, Read};

/// A format of anything that is recorded.
#[derive(Clone, Copy)]
pub enum AnyFormat {
    /// Of capacity, read row by row.
    Capacity(Format),
    /// Of prices: which of them shows in the file.
    Prices,
    /// Of notices, jobs, lifetimes, advice or scores.
    Other(kinds::Format),
}

/// A file whose format is known.
pub enum Opened<R> {
    /// Of capacity, still to be read: any size will do.
    Capacity(R),
    /// Anything else, read.
    Other(Recording),
}

impl AnyFormat {
    /// The format of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        let capacity = Format::of_name(name).map(Self::Capacity);
        let prices = (name == "prices").then_some(Self::Prices);
        capacity.or(prices).or_else(|| kinds::named(name).map(Self::Other))
    }

    /// The names of all.
    pub fn names() -> impl Iterator<Item = &'static str> + Clone {
        let capacity = Format::ALL.iter().map(|(name, _, _)| *name);
        capacity.chain(["prices"]).chain(kinds::FORMATS.iter().map(|format| format.name))
    }

    /// The format of a text that begins with `head`.
    fn of(head: &[u8]) -> Result<Self, ReadError> {
        let text = String::from_utf8_lossy(head);
        if let Some(other) = kinds::found(&text) {
            return Ok(Self::Other(other));
        }
        if prices::is_prices(&text) {
            return Ok(Self::Prices);
        }
        format::detect(head).map(Self::Capacity)
    }
}

/// Opens recorded data in the format that is given, else in that which the content shows.
pub fn open(
    source: impl Read,
    given: Option<AnyFormat>,
    how: &How,
) -> Result<Opened<impl BufRead>, ReadError> {
    let (head, rest) = begun(source)?;
    let found = match given {
        Some(format) => format,
        None => AnyFormat::of(&head)?,
    };
    let mut source = with_head(head, rest);
    match found {
        AnyFormat::Capacity(_) => Ok(Opened::Capacity(source)),
        AnyFormat::Prices => prices::read_from(source, how).map(Opened::Other),
        AnyFormat::Other(format) => {
            let mut bytes = Vec::new();
            let read = source.read_to_end(&mut bytes);
            read.map_err(|error| ReadError::Unreadable(error.to_string()))?;
            (format.read)(&String::from_utf8_lossy(&bytes), how).map(Opened::Other)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recorded_shows_in_the_first_lines() {
        let seen = |text: &str| match AnyFormat::of(text.as_bytes()) {
            Ok(AnyFormat::Capacity(_)) => "capacity",
            Ok(AnyFormat::Prices) => "prices",
            Ok(AnyFormat::Other(other)) => other.name,
            Err(_) => "none",
        };
        for (text, right) in [
            ("0,add,node1\n", "capacity"),
            ("{\"metadata\": {\"gap_seconds\": 600}, \"data\": [1]}", "capacity"),
            ("{\"SpotPriceHistory\": []}", "prices"),
            ("time,zone,instance_type,price\n", "prices"),
            ("node,notice,terminate\n", "notices"),
            ("lifetime_s\n60\n", "lifetimes"),
            ("", "none"),
        ] {
            assert_eq!(seen(text), right, "{text}");
        }
    }
}
