//! Pictures within a page.

use super::escape::prose;
use super::page::of;
use crate::report::plot::Drawing;

/// A picture beneath its finding. It stops shrinking where its text would be too small, and scrolls.
pub(super) fn figure(drawing: &Drawing) -> String {
    let title = prose(drawing.title());
    format!("<h2>{title}</h2>\n{}", bare(drawing))
}

/// The same beneath a heading that is there.
pub(super) fn bare(drawing: &Drawing) -> String {
    format!(
        "<figure class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Picture: {}\">\n{}</figure>\n",
        prose(drawing.title()),
        drawing.to_inline_svg()
    )
}

/// A section of its own.
pub(super) fn section(drawing: &Drawing) -> String {
    let class = drawing.about().map_or(String::new(), |cluster| format!(" class=\"{}\"", of(cluster)));
    format!("<section{class}>\n{}</section>\n", figure(drawing))
}
