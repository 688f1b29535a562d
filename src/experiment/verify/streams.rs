//! Rows of which some hang on another program's random numbers: these are held within their own interval, and stay out
//! of the largest relative error.

use super::SuiteResult;
use super::relative::{self, Figure};

/// A row's figures.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Held {
    /// Those that are exact.
    pub exact: Vec<Figure>,
    /// Those that hang on chance.
    pub by_chance: Vec<ByChance>,
}

/// A figure that hangs on chance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ByChance {
    /// What it is.
    pub what: &'static str,
    /// Ours.
    pub ours: f64,
    /// The other program's.
    pub right: f64,
    /// Half its interval of 95 %, by the other program.
    pub margin: f64,
}

impl ByChance {
    /// How far off it is, 1 being the most that passes: 3 margins and 10^-9.
    fn share_of_allowed(self) -> f64 {
        let share = (self.ours - self.right).abs() / (3.0 * self.margin + 1e-9);
        if share.is_nan() { f64::INFINITY } else { share }
    }
}

/// A row by its id: its figures beside ours, or why it is skipped.
pub(super) type HeldRow = (String, Result<Held, String>);

/// The entry `suite` over rows by id.
pub(super) fn entry(suite: &'static str, rows: &[HeldRow]) -> SuiteResult {
    let exact = rows.iter().map(|(id, held)| (id.as_str(), held.clone().map(|held| held.exact)));
    let mut result = relative::entry(suite, exact);
    let by_chance: Vec<(&str, ByChance)> = rows
        .iter()
        .filter_map(|(id, held)| Some((id.as_str(), held.as_ref().ok()?)))
        .flat_map(|(id, held)| held.by_chance.iter().map(move |figure| (id, *figure)))
        .collect();
    for (id, figure) in &by_chance {
        if figure.share_of_allowed() > 1.0 {
            let ByChance { what, ours, right, margin } = figure;
            result.missed.push(format!("{id}: {what} {ours} is not within 3 × {margin} of {right}"));
        }
    }
    let worst = by_chance.iter().max_by(|a, b| a.1.share_of_allowed().total_cmp(&b.1.share_of_allowed()));
    if let Some((id, worst)) = worst {
        let share = worst.share_of_allowed();
        result.notes.push(format!(
            "{} figures hang on another program's random numbers and must lie within 3 × conf95: furthest off {id}, {} at \
             {share:.2} of that",
            by_chance.len(),
            worst.what
        ));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_of_chance_fails_the_entry_and_leaves_the_value() {
        let figure = ByChance { what: "ST", ours: 0.5, right: 0.4, margin: 0.05 };
        let row = |ours| {
            let held = Held { exact: Vec::new(), by_chance: vec![ByChance { ours, ..figure }] };
            entry("e", &[("a".into(), Ok(held)), ("b".into(), Err("why".into()))])
        };
        let near = row(0.5);
        assert!(near.pass() && near.rows == 1 && near.value == 0.0 && near.skipped_rows() == 1);
        let far = row(0.56);
        assert!(!far.pass() && far.value == 0.0);
        assert!(!row(f64::NAN).pass());
    }
}
