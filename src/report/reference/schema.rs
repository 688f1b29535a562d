//! The JSON Schema of a scenario file, for editors.
//!
//! Draft 7: of the drafts that Taplo, and with it Even Better TOML, read it is the newest, and every other validator
//! reads it, too.

use super::plain;
use crate::scenario::reference::{Key, KeyTable, Kind, Range, tables};
use serde_json::{Map, Value, json};

/// A number as quantities have it.
const NUMBER: &str = r"[+]?[0-9._]+(?:[eE][+-]?[0-9]+)?";

/// The schema.
pub fn schema() -> Value {
    let definitions: Map<String, Value> =
        tables().iter().filter(|table| !table.path.is_empty()).map(|t| (t.path.clone(), object(t))).collect();
    let mut schema = Map::new();
    schema.insert("$schema".into(), "http://json-schema.org/draft-07/schema#".into());
    schema.insert("title".into(), "spotsim scenario".into());
    if let Some(top) = tables().iter().find(|table| table.path.is_empty())
        && let Value::Object(top) = object(top)
    {
        schema.extend(top);
    }
    schema.insert("definitions".into(), definitions.into());
    schema.into()
}

/// A table.
fn object(table: &KeyTable) -> Value {
    let mut all = Map::new();
    all.insert("description".into(), plain(&table.about).into());
    all.insert("type".into(), "object".into());
    let (own, named): (Vec<&Key>, Vec<&Key>) = table.keys.iter().partition(|key| key.is_own());
    let properties: Map<String, Value> =
        named.iter().map(|key| (key.name.clone(), property(table, key))).collect();
    all.insert("properties".into(), properties.into());
    let others = own.first().map_or(Value::Bool(false), |key| property(table, key));
    all.insert("additionalProperties".into(), others);
    let required: Vec<&str> =
        named.iter().filter(|key| is_required(key)).map(|key| key.name.as_str()).collect();
    if !table.merges && !required.is_empty() {
        all.insert("required".into(), required.into());
    }
    let either = |group: &Vec<String>| -> Value {
        let each = group.iter().map(|name| json!({ "required": [name] })).collect::<Vec<_>>();
        json!({ "oneOf": each })
    };
    let mut rules: Vec<Value> = table.just_one_of.iter().map(either).collect();
    for group in &table.one_of {
        for (at, one) in group.iter().enumerate() {
            rules.extend(group[at + 1..].iter().map(|other| json!({ "not": { "required": [one, other] } })));
        }
    }
    if !rules.is_empty() {
        all.insert("allOf".into(), rules.into());
    }
    all.into()
}

/// A file without a cluster is no scenario; all else that it needs may stand in the clusters.
fn is_required(key: &Key) -> bool {
    key.is_required() || key.default == "at least one"
}

/// The values of a key, with what an editor shows beside it.
fn property(table: &KeyTable, key: &Key) -> Value {
    let mut all = Map::new();
    let default =
        if key.is_required() { "required".to_owned() } else { format!("default: {}", plain(&key.default)) };
    let example = key.example.lines().find(|line| !line.is_empty()).unwrap_or_default();
    let description = format!("{}\n\n{default}\n\nExample: `{example}`", plain(&key.means));
    all.insert("description".into(), description.into());
    let words = key.takes.listed_words();
    if words.len() == key.takes.0.len() {
        all.insert("enum".into(), words.into());
        return all.into();
    }
    let path = table.path_of(key);
    let mut kinds: Vec<Value> = Vec::new();
    if !words.is_empty() {
        kinds.push(json!({ "enum": words }));
    }
    let others = key.takes.0.iter().filter(|kind| !matches!(kind, Kind::Word(_)));
    kinds.extend(others.map(|kind| of_kind(kind, &path, key.length)));
    match <[Value; 1]>::try_from(kinds) {
        // Beside `$ref` draft 7 reads nothing.
        Ok([one]) if one.get("$ref").is_some() => _ = all.insert("allOf".into(), json!([one])),
        Ok([Value::Object(one)]) => all.extend(one),
        Ok(_) => {}
        Err(kinds) => _ = all.insert("anyOf".into(), kinds.into()),
    }
    all.into()
}

fn of_kind(kind: &Kind, path: &str, length: Option<usize>) -> Value {
    match kind {
        Kind::Time { .. } => quantity(&time()),
        Kind::Law => json!({ "anyOf": [quantity(&time()), definition("law")] }),
        Kind::Price => {
            quantity(&format!(r"(?:\$\s*{NUMBER}\s*/\s*(?:h|hour)|{NUMBER}\s*(?:USD|\$)\s*/\s*(?:h|hour))"))
        }
        Kind::UnitPrice(per) => {
            let per = per.replace(' ', r"\s*").replace("1000", "1[,_]?000");
            quantity(&format!(r"(?:\$\s*{NUMBER}\s*/\s*{per}|{NUMBER}\s*USD\s*/\s*{per})"))
        }
        Kind::Bandwidth => {
            quantity(&format!(r"{NUMBER}\s*(?:(?:[kKMGT]i?)?(?:B/s|Bps|bit/s|bps)|[KMGT]ib/s)"))
        }
        Kind::Bytes => quantity(&format!(r"{NUMBER}\s*(?:[kKMGT]?B|[KMGT]iB)")),
        Kind::Work => quantity(&format!(r"{NUMBER}\s*(?:[kMGB]\s+)?(?:samples?|steps?|epochs?)")),
        Kind::Samples => quantity(&format!(r"{NUMBER}\s*(?:[kMGB]\s+)?samples?")),
        Kind::Whole(range) => number("integer", range),
        Kind::Number(range) => number("number", range),
        Kind::Text
        | Kind::File
        | Kind::Date
        | Kind::Name(_)
        | Kind::Format
        | Kind::Result
        | Kind::Word(_) => {
            json!({ "type": "string" })
        }
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Table(other) => definition(other.as_deref().unwrap_or(path)),
        Kind::Tables => json!({ "type": "array", "items": definition(path) }),
        Kind::List(kind) => {
            let items = of_kind(kind, path, None);
            match length {
                Some(length) => {
                    json!({ "type": "array", "items": items, "minItems": length, "maxItems": length })
                }
                None => json!({ "type": "array", "items": items }),
            }
        }
        Kind::Anything => json!({}),
    }
}

fn definition(path: &str) -> Value {
    json!({ "$ref": format!("#/definitions/{path}") })
}

fn time() -> String {
    let units = "w|weeks?|d|days?|h|hr|hours?|min|m|minutes?|s|sec|seconds?|ms|milliseconds?|us|µs|μs|microseconds?\
                 |ns|nanoseconds?";
    format!(r"(?:{NUMBER}\s*(?:{units})\s*)+")
}

/// Text of this form.
fn quantity(pattern: &str) -> Value {
    json!({ "type": "string", "pattern": format!(r"^\s*{pattern}\s*$") })
}

fn number(kind: &str, range: &Range) -> Value {
    let mut all = Map::new();
    all.insert("type".into(), kind.into());
    let end = |number: f64| if number.fract() == 0.0 { json!(number as i64) } else { json!(number) };
    if let Some((low, closed)) = range.low {
        all.insert(if closed { "minimum" } else { "exclusiveMinimum" }.into(), end(low));
    }
    if let Some((high, closed)) = range.high {
        all.insert(if closed { "maximum" } else { "exclusiveMaximum" }.into(), end(high));
    }
    all.into()
}
