//! Entries whose value is the largest relative error of any figure of any row.

use super::SuiteResult;
use super::rows::covered;

/// A row's figures, or why it is not compared.
pub(super) type Compared = Result<Vec<Figure>, String>;

/// One figure: ours and the right one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Figure {
    ours: f64,
    right: f64,
}

/// A row further off than this fails; the rows have 14 or 15 digits.
const TOLERANCE: f64 = 1e-9;

impl Figure {
    pub const fn new(ours: f64, right: f64) -> Self {
        Self { ours, right }
    }

    /// A figure that a row may lack; then it agrees with itself.
    pub fn if_given(ours: f64, right: Option<f64>) -> Self {
        Self { ours, right: right.unwrap_or(ours) }
    }

    /// |ours − right| / max(|right|, 10^-3); infinite equals infinite, and undefined undefined.
    fn error(self) -> f64 {
        let Self { ours, right } = self;
        let same = ours == right || (ours.is_nan() && right.is_nan());
        let error = if same { 0.0 } else { (ours - right).abs() / right.abs().max(1e-3) };
        if error.is_nan() { f64::INFINITY } else { error }
    }
}

/// The entry `suite` over rows by id.
pub(super) fn entry<'a>(
    suite: &'static str,
    rows: impl IntoIterator<Item = (&'a str, Compared)>,
) -> SuiteResult {
    let (compared, skipped) = covered(rows.into_iter().map(|(id, figures)| Ok((id, figures?))));
    let mut never = Vec::new();
    let mut worst: Option<(f64, &str)> = None;
    for &(id, ref figures) in &compared {
        if figures.iter().any(|figure| figure.ours.is_infinite() && figure.ours == figure.right) {
            never.push(id);
        }
        let error = figures.iter().map(|figure| figure.error()).fold(0.0, f64::max);
        if worst.is_none_or(|(most, _)| error > most) {
            worst = Some((error, id));
        }
    }
    let mut notes: Vec<String> =
        worst.map(|(error, id)| format!("furthest off: {id}, {error:.1e}")).into_iter().collect();
    if !never.is_empty() {
        notes.push(format!("never finish, as they should: {}", never.join(", ")));
    }
    SuiteResult {
        suite,
        rows: compared.len(),
        skipped,
        metric: "largest relative error",
        value: worst.map_or(f64::INFINITY, |(error, _)| error),
        tolerance: TOLERANCE,
        missed: Vec::new(),
        notes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_figures_are_compared_in_thousandths() {
        assert!((Figure::new(1.1e-6, 1e-6).error() - 1e-4).abs() < 1e-15);
        assert!((Figure::new(1.1, 1.0).error() - 0.1).abs() < 1e-15);
    }

    #[test]
    fn infinite_and_undefined_figures_agree_with_their_like_alone() {
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        assert_eq!(Figure::new(inf, inf).error(), 0.0);
        assert_eq!(Figure::new(nan, nan).error(), 0.0);
        for figure in
            [Figure::new(1.0, inf), Figure::new(inf, 1.0), Figure::new(nan, 1.0), Figure::new(1.0, nan)]
        {
            assert_eq!(figure.error(), inf, "{figure:?}");
        }
    }

    #[test]
    fn the_worst_row_is_the_value_and_skipped_rows_are_counted() {
        let rows = [
            ("a", Ok(vec![Figure::new(1.0, 1.0)])),
            ("b", Ok(vec![Figure::new(1.0, 2.0), Figure::new(f64::INFINITY, f64::INFINITY)])),
            ("c", Err("why".to_owned())),
        ];
        let entry = entry("e", rows);
        assert_eq!((entry.rows, entry.value, entry.skipped_rows()), (2, 0.5, 1));
        assert_eq!(entry.notes, ["furthest off: b, 5.0e-1", "never finish, as they should: b"]);
    }
}
