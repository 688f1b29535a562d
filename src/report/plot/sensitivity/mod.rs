//! The pictures of a study: shares of the variance, effects, and a tornado.

mod effects;
mod indices;
mod tornado;

use super::Drawing;
use super::drawing::Rect;
use super::text::{Anchor, TextStyle, cleaned};
use super::theme::{FOOTER_SIZE, INK, LABEL_SIZE, LEFT_EDGE, MUTED, PLOT_BOTTOM, RIGHT_EDGE};
use crate::experiment::sensitivity::{Finding, Found};
use crate::report::number;
use crate::report::sensitivity::{Input, SensitivityView, percent_of};

/// Rows that one picture shows.
const ROWS_MAX: usize = 12;
/// Where the plotted area begins, px: before it stand names.
const ROWS_LEFT: f64 = 290.0;
const ROWS_TOP: f64 = 150.0;
const NAME_STYLE: TextStyle = TextStyle::semi_bold(LABEL_SIZE, INK);
const RANGE_STYLE: TextStyle = TextStyle::regular(FOOTER_SIZE, MUTED);

/// Every picture of a study by the name of its file, without an ending; all names begin with `sensitivity`.
pub fn sensitivity(view: &SensitivityView<'_>) -> Vec<(String, Drawing)> {
    let drawn = view.findings.iter().enumerate().filter_map(|(number, finding)| {
        let drawing = match &finding.found {
            Found::Sobol(found) => indices::indices(view, finding, found),
            Found::Morris(found) => effects::effects(view, finding, found),
            Found::OneAtATime { base, bars } => tornado::tornado(view, finding, *base, bars),
            Found::Lacking { .. } => return None,
        };
        Some((sensitivity_name(number), drawing))
    });
    drawn.collect()
}

/// The name of the picture of a finding, by its place in the study.
pub fn sensitivity_name(finding: usize) -> String {
    format!("sensitivity-{}", finding + 1)
}

/// What stands in front of the picture's number, seed and method.
fn footer(view: &SensitivityView<'_>, finding: &Finding, shown: usize) -> String {
    let mut parts = vec![format!(
        "{} points × {} replications, seed {}, same worlds",
        number::count(view.points() as u64),
        number::count(view.replications),
        view.seed
    )];
    parts.extend(finding.noise.map(|noise| format!("noise up to {}", percent_of(noise))));
    match view.inputs.len() - shown {
        0 => {}
        1 => parts.push("1 more input moves it less".to_owned()),
        more => parts.push(format!("{more} more inputs move it less")),
    }
    parts.push("about these ranges only".to_owned());
    parts.join(" · ")
}

/// The boxes of `count` rows beneath each other.
fn rows(count: usize) -> Vec<Rect> {
    let pitch = ((PLOT_BOTTOM - ROWS_TOP) / count.max(1) as f64).min(96.0);
    (0..count)
        .map(|row| {
            let top = ROWS_TOP + pitch * row as f64;
            Rect { left: ROWS_LEFT, top, right: RIGHT_EDGE, bottom: top + pitch }
        })
        .collect()
}

/// An input's name in front of its row, its range beneath.
fn row_label(drawing: &mut Drawing, input: &Input, row: &Rect) {
    let middle = (row.top + row.bottom) / 2.0;
    let room = ROWS_LEFT - LEFT_EDGE - 16.0;
    let name = NAME_STYLE.shortened(&cleaned(&input.name), room);
    drawing.text(&name, (LEFT_EDGE, middle - 2.0), Anchor::Start, NAME_STYLE);
    let range = RANGE_STYLE.shortened(&cleaned(&input.range()), room);
    drawing.text(&range, (LEFT_EDGE, middle + 15.0), Anchor::Start, RANGE_STYLE);
}

#[cfg(test)]
mod tests {
    use super::super::layout_tests::{check_texts, check_written};
    use super::*;
    use crate::report::sensitivity::fixture;

    #[test]
    fn each_method_has_a_legible_picture() {
        for (number, method) in fixture::METHODS.into_iter().enumerate() {
            fixture::with_view(method, |view| {
                let pictures = sensitivity(view);
                assert_eq!(pictures.len(), 1);
                for (name, drawing) in &pictures {
                    if let Ok(folder) = std::env::var("SPOTSIM_TEST_PICTURES") {
                        std::fs::write(format!("{folder}/{number}-{name}.png"), drawing.to_png()).unwrap();
                    }
                    check_texts(name, drawing);
                    check_written(name, drawing);
                }
            });
        }
    }
}
