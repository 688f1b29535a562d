//! `[expect]`: bounds on results, so that a scenario is also a check.

use super::echo::quoted;
use super::section::Section;

/// One bound on a named result of a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// The result, by its name in the JSON: `cost_usd_mean`, `time_h.lost`.
    pub result: String,
    /// Smallest value allowed.
    pub min: Option<f64>,
    /// Largest value allowed.
    pub max: Option<f64>,
}

/// Reads `[expect]`: `cost_usd_mean = { min = 10, max = 20 }`. Whether the results exist is checked
/// where they are made.
pub fn read_expect(s: Section<'_, '_>) -> Vec<Expectation> {
    let mut expectations = Vec::new();
    let Section { reader, echo, table } = s;
    for (name, field) in reader.all() {
        let Some(mut bounds) = field.table() else { continue };
        let (min, max) = (bounds.field("min").number(..), bounds.field("max").number(..));
        if !bounds.field("min").is_given() && !bounds.field("max").is_given() {
            bounds.refuse(format!("`{name}` needs a bound"), "add `min` or `max`");
        }
        if let (Some(low), Some(high)) = (min, max)
            && low > high
        {
            bounds.refuse(format!("`{name}` can meet no bounds: min {low} is above max {high}"), "");
        }
        bounds.finish();
        let text: Vec<String> = [("min", min), ("max", max)]
            .into_iter()
            .filter_map(|(key, bound)| bound.map(|bound| format!("{key} = {bound}")))
            .collect();
        echo.set(&table, &quoted(name), format!("{{ {} }}", text.join(", ")), "");
        expectations.push(Expectation { result: name.to_owned(), min, max });
    }
    expectations
}
