//! `[uncertain]`: keys of the scenario whose values are not known, and how likely each value is.

use super::amount::{Amount, value_of};
use super::assign::Key;
use super::echo::Echo;
use super::field::Field;
use super::keyed::{Leaf, leaves};
use super::problem::{Problem, Sink};
use super::range::above;
use super::reader::{Reader, nearest};
use super::template::Change;
use super::tree::{Node, Table, Value};
use crate::stats::special::{normal_cdf, normal_quantile};

/// A key with the law of its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Uncertain {
    /// Which.
    pub key: Key,
    /// Its law as TOML, to be told.
    pub text: String,
    law: Belief,
    unit: String,
    is_whole: bool,
    node: Node,
    /// Shares of the law below its least and greatest value.
    cut: (f64, f64),
}

/// How likely each value is. Kinds and terms are those of the laws of time.
#[derive(Debug, Clone, PartialEq)]
enum Belief {
    Uniform {
        low: f64,
        high: f64,
    },
    LogUniform {
        low: f64,
        high: f64,
    },
    Triangular {
        low: f64,
        mode: f64,
        high: f64,
    },
    Normal {
        mean: f64,
        sd: f64,
    },
    Lognormal {
        median: f64,
        sigma: f64,
    },
    /// Equally likely values, of any type.
    Empirical(Vec<Value>),
}

const KINDS: [&str; 6] = ["uniform", "log_uniform", "triangular", "normal", "lognormal", "empirical"];

impl Uncertain {
    /// Its value at the share `u` of the law, in (0, 1): by inversion, so that it rises with `u`.
    pub fn at(&self, u: f64) -> Change {
        let (low, high) = self.cut;
        let value = match &self.law {
            Belief::Empirical(values) => {
                values[((u * values.len() as f64) as usize).min(values.len() - 1)].clone()
            }
            law => {
                let number = law.quantile(low + u * (high - low));
                value_of(if self.is_whole { number.round() } else { number }, &self.unit)
            }
        };
        Change { key: self.key.clone(), value: Node { place: self.node.place, value } }
    }
}

impl Belief {
    /// The value below which the share `u` lies.
    fn quantile(&self, u: f64) -> f64 {
        match *self {
            Self::Uniform { low, high } => low + u * (high - low),
            Self::LogUniform { low, high } => low * libm::pow(high / low, u),
            Self::Triangular { low, mode, high } => {
                let width = high - low;
                let below = (mode - low) / width;
                match u < below {
                    true => low + (u * width * (mode - low)).sqrt(),
                    false => high - ((1.0 - u) * width * (high - mode)).sqrt(),
                }
            }
            Self::Normal { mean, sd } => mean + sd * normal_quantile(u),
            Self::Lognormal { median, sigma } => median * libm::exp(sigma * normal_quantile(u)),
            Self::Empirical(_) => f64::NAN,
        }
    }

    /// The share below `x`, of laws without ends of their own.
    fn below(&self, x: f64) -> f64 {
        match *self {
            Self::Normal { mean, sd } => normal_cdf((x - mean) / sd),
            Self::Lognormal { median, sigma } if x > 0.0 => normal_cdf(libm::log(x / median) / sigma),
            _ => 0.0,
        }
    }
}

/// Reads `[uncertain]`; `None` where something is wrong with it, which is reported.
pub(super) fn read_uncertain(table: &Table, sink: &Sink, top: &mut Echo) -> Option<Vec<Uncertain>> {
    let mut found: Vec<Uncertain> = Vec::new();
    for leaf in leaves(table, &is_law) {
        let one = read_one(&leaf, sink)?;
        let name = one.key.to_string();
        if found.iter().any(|other| other.key.to_string() == name) {
            let title = format!("`{name}` is in [uncertain] twice");
            sink.report(Problem::error(title).at(one.key.place(), "keep one"));
            return None;
        }
        top.set("uncertain", &name, one.text.clone(), "");
        found.push(one);
    }
    if found.is_empty() {
        let label = "write \"checkpoint.stall\" = { uniform = { low = \"5 s\", high = \"20 s\" } }";
        sink.report(Problem::error("[uncertain] has no key with a law").at(table.place, label));
        return None;
    }
    Some(found)
}

/// Whether a value is a law, not a step on the way to one: its only key is a kind, and that has no tables.
fn is_law(value: &Value) -> bool {
    let Value::Table(table) = value else { return true };
    let Some((kind, entry)) = table.entries.iter().next().filter(|_| table.entries.len() == 1) else {
        return false;
    };
    let has_tables = match &entry.node.value {
        Value::Table(terms) => {
            terms.entries.values().any(|entry| matches!(entry.node.value, Value::Table(_)))
        }
        _ => false,
    };
    KINDS.contains(&kind.as_str()) && !has_tables
}

/// What is wrong with a table that was meant as a law, of which `leaf` is a term: its name is misspelt, or it has
/// something beside it.
fn no_single_law(leaf: &Leaf<'_>) -> Option<Problem> {
    let (before, [(law, place, _), _]) = leaf.path.split_last_chunk::<2>()?;
    let key = before.last()?.0;
    if KINDS.contains(law) {
        let title = format!("`{key}` has something beside its law `{law}`");
        let label =
            "one law, with all that belongs to it inside: { uniform = { low = 1, high = 4, whole = true } }";
        return Some(Problem::error(title).at(*place, label));
    }
    let near = nearest(law, KINDS)?;
    let problem = Problem::error(format!("unknown law `{law}` of `{key}`"));
    let problem = problem.at(*place, format!("did you mean `{near}`?"));
    Some(problem.note(format!("accepted: {}", KINDS.join(", "))))
}

fn read_one(leaf: &Leaf<'_>, sink: &Sink) -> Option<Uncertain> {
    const EXAMPLE: &str = "{ uniform = { low = \"5 min\", high = \"1 h\" } }";
    let Value::Table(table) = &leaf.node.value else {
        if let Some(problem) = no_single_law(leaf) {
            sink.report(problem);
            return None;
        }
        let title = format!("`{}` needs a law: one of {}", leaf.name(), KINDS.join(", "));
        sink.report(Problem::error(title).at(leaf.node.place, format!("write {EXAMPLE}")));
        return None;
    };
    let mut reader = Reader::new(table, sink);
    let (kind, field) = reader.required_one_of("law", &KINDS, EXAMPLE)?;
    reader.finish();
    let mut read = Uncertain {
        key: leaf.key(),
        text: leaf.node.value.as_toml(),
        law: Belief::Empirical(Vec::new()),
        unit: String::new(),
        is_whole: false,
        node: leaf.node.clone(),
        cut: (0.0, 1.0),
    };
    match field.value() {
        Some(Value::Array(values)) if kind == "empirical" && !values.is_empty() => {
            read.law = Belief::Empirical(values.iter().map(|node| node.value.clone()).collect());
        }
        _ if kind == "empirical" => {
            field.refuse("`empirical` is a list of equally likely values", "write [\"5 min\", \"1 h\"]");
            return None;
        }
        _ => read_terms(kind, field.table()?, &mut read)?,
    }
    Some(read)
}

/// The terms of a kind with numbers.
fn read_terms(kind: &str, mut reader: Reader<'_>, read: &mut Uncertain) -> Option<()> {
    let own: &[&'static str] = match kind {
        "normal" => &["mean", "sd", "min", "max"],
        "lognormal" => &["median", "sigma", "min", "max"],
        "triangular" => &["low", "mode", "high"],
        _ => &["low", "high"],
    };
    own.iter().chain(&["whole"]).for_each(|key| _ = reader.field(key));
    let terms = known_terms(kind, &mut reader, read);
    reader.finish();
    terms
}

fn known_terms(kind: &str, reader: &mut Reader<'_>, read: &mut Uncertain) -> Option<()> {
    let first = match kind {
        "normal" => reader.required("mean", "mean = \"5 h\""),
        "lognormal" => reader.required("median", "median = \"5 h\""),
        _ => reader.required("low", "low = \"5 min\""),
    };
    let amount = Amount::read(&first)?;
    let from = amount.number;
    let law = match kind {
        "normal" => {
            let (sd, field) = alike(reader, &amount, "sd", "sd = \"1 h\"")?;
            positive(sd, &field).map(|sd| Belief::Normal { mean: from, sd })
        }
        "lognormal" => {
            let sigma = reader.required("sigma", "sigma = 0.5").number(above(0.0));
            positive(from, &first).zip(sigma).map(|(median, sigma)| Belief::Lognormal { median, sigma })
        }
        _ => {
            let (high, field) = alike(reader, &amount, "high", "high = \"1 h\"")?;
            let mode = match kind {
                "triangular" => Some(alike(reader, &amount, "mode", "mode = \"30 min\"")?),
                _ => None,
            };
            if high <= from {
                field.refuse_value("must be above `low`");
                return None;
            }
            match (kind, mode) {
                (_, Some((mode, _))) if (from..=high).contains(&mode) => {
                    Some(Belief::Triangular { low: from, mode, high })
                }
                (_, Some((_, field))) => {
                    field.refuse_value("must be from `low` to `high`");
                    None
                }
                ("uniform", None) => Some(Belief::Uniform { low: from, high }),
                _ => positive(from, &first).map(|low| Belief::LogUniform { low, high }),
            }
        }
    };
    let law = law?;
    if matches!(law, Belief::Normal { .. } | Belief::Lognormal { .. }) {
        read.cut = read_cut(reader, &law, &amount)?;
    }
    let whole = reader.field("whole");
    if whole.is_given() {
        read.is_whole = whole.boolean()?;
    }
    (read.law, read.unit) = (law, amount.unit);
    Some(())
}

/// A further term, in the unit of the first.
fn alike<'a>(
    reader: &mut Reader<'a>,
    first: &Amount,
    key: &'static str,
    example: &str,
) -> Option<(f64, Field<'a>)> {
    let field = reader.required(key, example);
    first.read_alike(&field).map(|number| (number, field))
}

/// `min` and `max`: what lies beyond is left out of the law.
fn read_cut(reader: &mut Reader<'_>, law: &Belief, amount: &Amount) -> Option<(f64, f64)> {
    let (min, max) = (reader.field("min"), reader.field("max"));
    let low = if min.is_given() { law.below(amount.read_alike(&min)?) } else { 0.0 };
    let high = if max.is_given() { law.below(amount.read_alike(&max)?) } else { 1.0 };
    if high - low < 1e-9 {
        let at = if max.is_given() { max } else { min };
        at.refuse_value("leaves nothing of the law");
        return None;
    }
    Some((low, high))
}

fn positive(number: f64, field: &Field<'_>) -> Option<f64> {
    if number > 0.0 {
        return Some(number);
    }
    field.refuse_value("must be above 0");
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::source::Sources;

    /// What `text` in `[uncertain]` gives at the shares `us`, or what is wrong.
    fn at(text: &str, us: &[f64]) -> Vec<String> {
        let (mut sources, sink) = (Sources::default(), Sink::default());
        let table = Table::parse(sources.add("a.toml", text), &sources, &sink);
        match read_uncertain(&table, &sink, &mut Echo::default()) {
            Some(read) => us.iter().map(|&u| read[0].at(u).value.value.as_cell()).collect(),
            None => vec![sink.into_problems().render(&sources, false)],
        }
    }

    fn number(text: &str, u: f64) -> f64 {
        at(text, &[u])[0].split(' ').next().unwrap_or_default().parse().expect("a number")
    }

    /// Inverses by hand: a symmetric triangle has an eighth of its mass below a quarter of its width; a normal
    /// law has 97.5 % below mean + 1.959964 sd.
    #[test]
    fn values_are_the_laws_quantiles() {
        let uniform = "a = { uniform = { low = \"2 h\", high = \"6 h\" } }";
        assert_eq!(at(uniform, &[0.25, 0.5]), ["3 h", "4 h"]);
        assert!((number("a = { log_uniform = { low = 1, high = 100 } }", 0.5) - 10.0).abs() < 1e-12);
        let triangle = "a = { triangular = { low = 0.0, mode = 1.0, high = 2.0 } }";
        assert!((number(triangle, 0.125) - 0.5).abs() < 1e-12);
        assert!((number(triangle, 0.875) - 1.5).abs() < 1e-12);
        assert!((number("a = { normal = { mean = 10, sd = 2 } }", 0.975) - 13.919_927_969).abs() < 1e-8);
        let lognormal = "a = { lognormal = { median = \"5 h\", sigma = 0.5 } }";
        assert!((number(lognormal, 0.975) / 5.0 - libm::exp(0.979_981_992)).abs() < 1e-8);
        assert_eq!(at("a = { empirical = [\"x\", \"y\"] }", &[0.49, 0.51]), ["x", "y"]);
    }

    /// Half of a normal law is left, so its middle is the upper quartile: 0.674490 sd above the mean.
    #[test]
    fn a_cut_law_keeps_its_shape() {
        let cut = number("a = { normal = { mean = 10, sd = 1, min = 10 } }", 0.5);
        assert!((cut - 10.674_489_75).abs() < 1e-7, "{cut}");
    }

    #[test]
    fn a_key_may_end_in_the_name_of_a_law() {
        let nested = "capacity.renewal.uptime.weibull.mean = { uniform = { low = \"3 h\", high = \"5 h\" } }";
        assert_eq!(at(nested, &[0.5]), ["4 h"]);
    }

    #[test]
    fn what_is_no_law_is_said() {
        for (text, said) in [
            ("a = 1", "needs a law"),
            ("a = { uniform = { low = 2, high = 1 } }", "must be above `low`"),
            ("a = { uniform = { low = \"2 h\", high = 3 } }", "must have the unit `h`"),
            ("a = { uniform = { low = 1, hihg = 2 } }", "did you mean `high`?"),
            ("a = { unifrom = { low = 1, high = 2 } }", "unknown law `unifrom` of `a`"),
            ("a = { uniform = { low = 1, high = 2 }, whole = true }", "beside its law `uniform`"),
            ("a = { normal = { mean = 1, sd = 0 } }", "must be above 0"),
            ("a = { log_uniform = { low = 0, high = 2 } }", "must be above 0"),
            ("a = { triangular = { low = 1, mode = 5, high = 2 } }", "from `low` to `high`"),
            ("a = { normal = { mean = 1, sd = 1, min = 50 } }", "leaves nothing"),
            ("a = { empirical = [] }", "equally likely"),
            ("", "[uncertain] has no key"),
        ] {
            let said_of = at(text, &[0.5]);
            assert!(said_of[0].contains(said), "{text}: {said_of:?}");
        }
    }
}
