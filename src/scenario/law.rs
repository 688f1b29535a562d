//! A law anywhere: a plain time, or one kind in a table.

use super::echo::quoted;
use super::field::Field;
use super::range::above;
use super::reader::Reader;
use super::tree::Value;
use crate::capacity::{
    Bathtub, Constant, Empirical, Exponential, Gamma, Kind, Law, LawError, Lognormal, Uniform, Weibull,
};
use crate::units::Span;

const KINDS: [&str; 8] =
    ["constant", "exponential", "weibull", "lognormal", "gamma", "uniform", "bathtub", "empirical"];

/// Reads `"2 min"`, `{ constant = "2 min" }` or `{ weibull = { shape = 0.62, mean = "5.5 h" } }`, with
/// an optional `cap` beside the kind's own keys. Gives the law and its text for `show`.
pub fn read_law(field: &Field<'_>) -> Option<(Law, String)> {
    if !matches!(field.value(), Some(Value::Table(_))) {
        let span: Span = field.quantity()?;
        return Some((Law::constant(span), quoted(&span.to_string())));
    }
    let mut outer = field.table()?;
    let found = outer.required_one_of("law", &KINDS, "exponential = { mean = \"5 h\" }");
    outer.finish();
    let (key, field) = found?;
    if key == "constant" && !matches!(field.value(), Some(Value::Table(_))) {
        let span: Span = field.quantity()?;
        return Some((Law::constant(span), format!("{{ constant = {} }}", quoted(&span.to_string()))));
    }
    if key == "empirical" && matches!(field.value(), Some(Value::Array(_))) {
        let (kind, text) = empirical(&field)?;
        let law = Law::new(kind, None).expect("only a cap can be refused");
        return Some((law, format!("{{ empirical = {text} }}")));
    }
    let mut table = Terms { reader: field.table()?, text: Vec::new() };
    let kind = table.kind(key);
    let cap = table.span("cap");
    let Terms { reader, text } = table;
    reader.finish();
    match kind?.and_then(|kind| Law::new(kind, cap)) {
        Ok(law) => Some((law, format!("{{ {key} = {{ {} }} }}", text.join(", ")))),
        Err(error) => {
            field.refuse(error.to_string(), "");
            None
        }
    }
}

/// The terms of one kind, echoed as they are read.
struct Terms<'a> {
    reader: Reader<'a>,
    text: Vec<String>,
}

/// `None` where a term is missing or wrong, which is reported; an error where the terms are not a law.
type KindOf = Option<Result<Kind, LawError>>;

impl Terms<'_> {
    fn kind(&mut self, key: &str) -> KindOf {
        match key {
            "constant" => {
                let value = self.required_span("value", "value = \"2 min\"")?;
                Some(Ok(Kind::Constant(Constant::new(value))))
            }
            "exponential" => {
                let mean = self.required_span("mean", "mean = \"5 h\"")?;
                Some(Exponential::new(mean).map(Kind::Exponential))
            }
            "weibull" => {
                let shape = self.required_number("shape", "shape = 0.62");
                let (of, span) = self.one_of(&["mean", "scale"], "mean = \"5.5 h\"")?;
                let law = if of == "mean" { Weibull::from_mean } else { Weibull::new };
                Some(law(shape?, span).map(Kind::Weibull))
            }
            "lognormal" => {
                let sigma = self.required_number("sigma", "sigma = 0.5");
                let (of, span) = self.one_of(&["median", "mean"], "median = \"2 min\"")?;
                let law = if of == "mean" { Lognormal::from_mean } else { Lognormal::new };
                Some(law(span, sigma?).map(Kind::Lognormal))
            }
            "gamma" => {
                let shape = self.required_number("shape", "shape = 2.0");
                let (of, span) = self.one_of(&["mean", "scale"], "mean = \"5 h\"")?;
                let law = if of == "mean" { Gamma::from_mean } else { Gamma::new };
                Some(law(shape?, span).map(Kind::Gamma))
            }
            "uniform" => {
                let low = self.required_span("low", "low = \"1 min\"");
                let high = self.required_span("high", "high = \"5 min\"");
                Some(Uniform::new(low?, high?).map(Kind::Uniform))
            }
            "bathtub" => self.bathtub(),
            _ => {
                let (kind, text) = empirical(&self.reader.required("values", "values = [\"1 h\", \"3 h\"]"))?;
                self.text.push(format!("values = {text}"));
                Some(Ok(kind))
            }
        }
    }

    fn bathtub(&mut self) -> KindOf {
        let level = self.required_number("level", "level = 0.4137");
        let early = self.required_span("early", "early = \"0.9 h\"");
        let late = self.required_span("late", "late = \"0.76 h\"");
        let limit = self.required_span("limit", "limit = \"24 h\"");
        Some(Bathtub::new(level?, early?, late?, limit?).map(Kind::Bathtub))
    }

    fn span(&mut self, key: &'static str) -> Option<Span> {
        let field = self.reader.field(key);
        let span: Span = field.quantity()?;
        self.text.push(format!("{key} = {}", quoted(&span.to_string())));
        Some(span)
    }

    fn required_span(&mut self, key: &'static str, example: &str) -> Option<Span> {
        self.reader.required(key, example);
        self.span(key)
    }

    fn required_number(&mut self, key: &'static str, example: &str) -> Option<f64> {
        let number = self.reader.required(key, example).number(above(0.0))?;
        self.text.push(format!("{key} = {number}"));
        Some(number)
    }

    fn one_of(&mut self, keys: &[&'static str], example: &str) -> Option<(&'static str, Span)> {
        let (key, _) = self.reader.required_one_of("size", keys, example)?;
        Some((key, self.span(key)?))
    }
}

fn empirical(field: &Field<'_>) -> Option<(Kind, String)> {
    let values: Vec<Span> = field.list_of(Field::quantity)?;
    let text: Vec<String> = values.iter().map(|value| quoted(&value.to_string())).collect();
    match Empirical::new(values) {
        Ok(law) => Some((Kind::Empirical(law), format!("[{}]", text.join(", ")))),
        Err(error) => {
            field.refuse(error.to_string(), "");
            None
        }
    }
}
