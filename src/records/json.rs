//! JSON documents, one after the other, and what stands in them.

use super::ReadError;
use super::sheet::shown;
use crate::units::{Decimal, Span, Timestamp};
use serde_json::{Map, Value};

/// All objects of a text: one, a list of them, or several documents one after the other, as pages are kept.
pub fn objects(text: &str) -> Result<Vec<Map<String, Value>>, ReadError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut found = Vec::new();
    for document in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        let document = document.map_err(|error| ReadError::Syntax(format!("no JSON: {error}")))?;
        let values = match document {
            Value::Array(values) => values,
            value => vec![value],
        };
        for value in values {
            match value {
                Value::Object(object) => found.push(object),
                other => return Err(ReadError::Syntax(format!("an object wanted, found {}", kind(&other)))),
            }
        }
    }
    Ok(found)
}

/// The text is refused, if anything in it is at fault; the first faults are told.
pub fn refuse(mut faults: Vec<String>) -> Result<(), ReadError> {
    const TOLD_MAX: usize = 50;
    let more = faults.len().saturating_sub(TOLD_MAX);
    faults.truncate(TOLD_MAX);
    if more > 0 {
        faults.push(format!("and {more} more"));
    }
    if faults.is_empty() { Ok(()) } else { Err(ReadError::Syntax(faults.join("; "))) }
}

/// What a value is, for messages.
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The value of a key; null is as good as none.
pub fn get<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    object.get(key).filter(|value| !value.is_null())
}

/// A text; empty where there is none.
pub fn text<'a>(object: &'a Map<String, Value>, key: &str) -> Result<&'a str, String> {
    match get(object, key) {
        None => Ok(""),
        Some(Value::String(text)) => Ok(text.trim()),
        Some(other) => Err(format!("`{key}` is {}, a text wanted", kind(other))),
    }
}

/// A text that must be there.
pub fn name<'a>(object: &'a Map<String, Value>, key: &str) -> Result<&'a str, String> {
    match text(object, key)? {
        "" => Err(format!("`{key}` is missing")),
        text => Ok(text),
    }
}

/// A time: a text, or seconds since 1970 as a number, as older tools of AWS write them.
pub fn time(object: &Map<String, Value>, key: &str) -> Result<Option<Timestamp>, String> {
    match get(object, key) {
        None => Ok(None),
        Some(Value::String(text)) => super::sheet::time(text, key, None).map(Some),
        Some(Value::Number(number)) => {
            let ns = number.to_string().parse::<Decimal>().ok().and_then(|s| s.times(1_000_000_000));
            let time = ns.and_then(|ns| i64::try_from(ns).ok()).map(Timestamp::from_unix_ns);
            time.map(Some).ok_or_else(|| format!("`{key}` {number} is no time in seconds since 1970"))
        }
        Some(other) => Err(format!("`{key}` is {}, a time wanted", kind(other))),
    }
}

/// A whole number of a range.
pub fn whole(object: &Map<String, Value>, key: &str, least: u64, most: u64) -> Result<Option<u64>, String> {
    let Some(value) = get(object, key) else { return Ok(None) };
    let number = value.as_u64().filter(|number| (least..=most).contains(number));
    let text = value.to_string();
    let wrong = || format!("`{key}` {} is no whole number from {least} to {most}", shown(&text));
    number.map(Some).ok_or_else(wrong)
}

/// Whole seconds.
pub fn seconds(object: &Map<String, Value>, key: &str) -> Result<Option<Span>, String> {
    // A century; nothing that is recorded lasts longer.
    const LONGEST: u64 = 3_155_760_000;
    Ok(whole(object, key, 0, LONGEST)?.map(Span::from_s))
}
