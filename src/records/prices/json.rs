//! JSON: which of the formats an object is in is seen by its keys.

use super::super::ReadError;
use super::aws::Page;
use super::collect::Collector;
use super::gcp::{self, Cached};
use super::sky_spot::{self, Metadata, Samples};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};

/// Reads values one after the other: pages joined by hand are no single JSON value.
pub(super) fn read(source: impl Read, out: &mut Collector<'_>) -> Result<(), ReadError> {
    let line = Cell::new(1 + out.lines_before);
    let counted = Counted { source, line: &line };
    let mut json = serde_json::Deserializer::from_reader(counted);
    loop {
        match json.end() {
            Ok(()) => return Ok(()),
            Err(error) if error.is_io() => return Err(ReadError::Syntax(error.to_string())),
            Err(_) => {}
        }
        Any { out, line: &line }.deserialize(&mut json).map_err(|error| syntax(&error, line.get()))?;
    }
}

fn syntax(error: &serde_json::Error, line: u64) -> ReadError {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or("");
    ReadError::Lines { faults: vec![(line, format!("no JSON that is known: {text}"))] }
}

/// Counts the lines that were read.
struct Counted<'l, R> {
    source: R,
    line: &'l Cell<u64>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        let lines = buffer[..count].iter().filter(|&&byte| byte == b'\n').count();
        self.line.set(self.line.get() + lines as u64);
        Ok(count)
    }
}

/// An object of a known format, or a list of such.
pub(super) struct Any<'a, 'h> {
    pub out: &'a mut Collector<'h>,
    pub line: &'a Cell<u64>,
}

impl<'de> DeserializeSeed<'de> for Any<'_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Any<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("records of prices")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let Self { out, line } = self;
        while items.next_element_seed(Any { out: &mut *out, line })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { out, line } = self;
        let begin = line.get();
        let (mut page, mut cached) = (Page::default(), Cached::default());
        let (mut metadata, mut prices, mut samples) = (None::<Metadata>, None::<Samples>, false);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "SpotPriceHistory" => {
                    page.is_page = true;
                    map.next_value_seed(Any { out: &mut *out, line })?;
                }
                "AvailabilityZone" => page.zone.take(&mut map)?,
                "AvailabilityZoneId" => page.zone_id.take(&mut map)?,
                "InstanceType" => page.instance.take(&mut map)?,
                "ProductDescription" => page.product.take(&mut map)?,
                "SpotPrice" => page.price.take(&mut map)?,
                "Timestamp" => page.time.take(&mut map)?,
                "NextToken" => page.next.take(&mut map)?,
                "metadata" => metadata = Some(map.next_value()?),
                "prices" => prices = Some(map.next_value()?),
                "data" => {
                    samples = true;
                    map.next_value::<IgnoredAny>()?;
                }
                "price" => cached.price.take(&mut map)?,
                "region" => cached.region.take(&mut map)?,
                "machine_type" => cached.machine_type.take(&mut map)?,
                "currency" => cached.currency.take(&mut map)?,
                "price_unit" => cached.unit.take(&mut map)?,
                "effective_time" => cached.effective.take(&mut map)?,
                "fetched_at" => cached.fetched.take(&mut map)?,
                _ => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        match (metadata, prices) {
            (Some(metadata), prices) => sky_spot::read(&metadata, prices.as_ref(), begin, out),
            (None, Some(_)) if samples => out.fault(begin, "`prices` without `metadata`".into()),
            _ if page.is_any() => page.read(begin, out),
            _ if cached.is_any() => gcp::read(&cached, begin, out),
            _ => {
                let known = "SpotPriceHistory, SpotPrice, metadata with prices, or price and machine_type";
                return Err(A::Error::custom(format!("an object without {known}")));
            }
        }
        Ok(())
    }
}

/// A text or a number, as it is written; nothing for null or if absent.
#[derive(Default)]
pub(super) struct Scalar(Option<String>);

impl Scalar {
    pub fn text(&self) -> &str {
        self.0.as_deref().unwrap_or("")
    }

    pub fn is_given(&self) -> bool {
        self.0.is_some()
    }

    fn take<'de, A: MapAccess<'de>>(&mut self, map: &mut A) -> Result<(), A::Error> {
        *self = map.next_value()?;
        Ok(())
    }
}

impl<'de> serde::Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl Visitor<'_> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a number")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Scalar, E> {
        Ok(Scalar(Some(text.to_owned())))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Scalar, E> {
        Ok(Scalar(Some(number.to_string())))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Scalar, E> {
        Ok(Scalar(Some(number.to_string())))
    }

    /// The shortest text that reads as this number: what was written, to about 16 digits.
    fn visit_f64<E: Error>(self, number: f64) -> Result<Scalar, E> {
        Ok(Scalar(Some(number.to_string())))
    }

    fn visit_bool<E: Error>(self, truth: bool) -> Result<Scalar, E> {
        Ok(Scalar(Some(truth.to_string())))
    }

    fn visit_unit<E: Error>(self) -> Result<Scalar, E> {
        Ok(Scalar(None))
    }
}
