//! Names in results, ends of replications, exit codes and errors, with what they mean.

use serde::Deserialize;
use std::sync::LazyLock;

/// One name, or several that are explained together.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Word {
    /// As outputs have it, without a statistic at its end.
    pub name: String,
    /// What it is: "result", "exit code".
    pub kind: String,
    /// Other spellings: in CSV, in nanoseconds.
    #[serde(default)]
    pub also: Vec<String>,
    /// Its unit, of a result.
    #[serde(default)]
    pub unit: String,
    /// Statistics that it has at its end: "spread" for a mean with its interval and quantiles, "interval" for the
    /// interval alone.
    #[serde(default)]
    pub statistics: String,
    /// What it means.
    pub means: String,
    /// Where to read on, or what to do.
    #[serde(default)]
    pub more: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    word: Vec<Word>,
}

/// All of them.
pub fn words() -> &'static [Word] {
    static LIST: LazyLock<List> =
        LazyLock::new(|| toml::from_str(include_str!("words.toml")).expect("a test reads the built-in list"));
    &LIST.word
}

/// Ends of names, and what they are.
pub(super) const STATISTICS: [(&str, &str); 7] = [
    ("_mean", "mean over replications"),
    ("_sd", "standard deviation of replications"),
    ("_ci_low", "lower end of the 95 % interval"),
    ("_ci_high", "upper end of the 95 % interval"),
    ("_p05", "5 % of replications are at most this"),
    ("_p50", "half of the replications are at most this"),
    ("_p95", "95 % of replications are at most this"),
];

impl Word {
    /// What of it a name is: nothing more, or a statistic; `None` if it is another name.
    pub(super) fn fits(&self, name: &str) -> Option<&'static str> {
        let is_it = |name: &str| self.name == name || self.also.iter().any(|also| also == name);
        if is_it(name) {
            return Some("");
        }
        let statistics = match self.statistics.as_str() {
            "spread" => &STATISTICS[..],
            "interval" => &STATISTICS[2..4],
            _ => &[],
        };
        let found = statistics.iter().find(|(end, _)| name.strip_suffix(end).is_some_and(is_it));
        found.map(|(_, words)| *words)
    }
}
