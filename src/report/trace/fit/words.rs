//! Times and laws in words that scenarios read.

use crate::trace::fit::{Fit, Parameter};

/// `n` things.
pub fn many(n: u64, one: &str, more: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { more })
}

/// A time with four digits: `32.5 min`, `1.482 h`.
pub fn span(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s >= 3_600.0 => (s / 3_600.0, "h"),
        s if s >= 60.0 => (s / 60.0, "min"),
        s => (s, "s"),
    };
    format!("{} {unit}", digits(value))
}

/// Two times.
pub fn between(low: f64, high: f64) -> String {
    format!("{} and {}", span(low), span(high))
}

/// Four digits, and no zeros after them.
pub fn digits(value: f64) -> String {
    let before = if value > 0.0 { libm::log10(value).floor() as i32 } else { 0 };
    let decimals = usize::try_from((3 - before).clamp(0, 9)).unwrap_or(0);
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// `shape 0.91 [0.83, 0.99]`, one after the other.
pub fn range(parameters: &[Parameter]) -> String {
    let one = |p: &Parameter| {
        let text = |value: f64| if p.is_time { span(value) } else { digits(value) };
        format!("{} {} [{}, {}]", p.name.replace('_', " "), text(p.value), text(p.low), text(p.high))
    };
    parameters.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The law as scenarios have it: `{ weibull = { shape = 0.91, scale = "1.2 h" } }`.
pub fn law(fit: &Fit, cap: Option<f64>) -> String {
    let term = |p: &Parameter| match p.is_time {
        true => format!("{} = \"{}\"", p.name, span(p.value)),
        false => format!("{} = {}", p.name, digits(p.value)),
    };
    let cap = cap.map(|seconds| format!("cap = \"{}\"", span(seconds)));
    let terms: Vec<String> = fit.parameters.iter().map(term).chain(cap).collect();
    format!("{{ {} = {{ {} }} }}", fit.family.name(), terms.join(", "))
}
