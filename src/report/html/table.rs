//! Tables, which become cards where the screen is narrow.

use super::escape::{escaped, prose};
use crate::report::text::Column;

/// A table.
pub(super) struct Table<'a> {
    /// How its cells are laid out.
    pub(super) class: &'a str,
    /// What it is: a caption where it is cards.
    pub(super) label: &'a str,
    /// The head of its row heads.
    pub(super) corner: &'a str,
    /// Heads of its columns.
    pub(super) heads: Vec<Head>,
    /// Its rows, as many cells in each as there are heads.
    pub(super) rows: Vec<Row>,
}

/// The head of a row or column.
pub(super) struct Head {
    html: String,
    /// Classes that colour and mark it.
    class: String,
}

/// A row.
pub(super) struct Row {
    /// Its class.
    pub(super) class: &'static str,
    /// What it is of.
    pub(super) head: Head,
    /// Its figures.
    pub(super) cells: Vec<Cell>,
}

/// A figure, and what stands back beside it: its interval or share.
pub(super) struct Cell {
    /// Any text.
    pub(super) value: String,
    /// Any text; an empty one keeps its room.
    pub(super) aside: Option<String>,
}

impl Head {
    /// One that may be broken at every blank, as columns are narrow.
    pub(super) fn plain(text: &str) -> Self {
        Self { html: escaped(text), class: String::new() }
    }

    /// One with classes that colour and mark it.
    pub(super) fn marked(text: &str, class: String) -> Self {
        Self { html: prose(text), class }
    }
}

impl Cell {
    /// The cell of a column of the terminal, its interval set apart.
    pub(super) fn of_column(column: &Column, row: usize) -> Self {
        let text = column.cells.get(row).map_or("", String::as_str);
        let (value, aside) =
            text.find(" [").map_or((text, None), |at| (&text[..at], Some(text[at + 1..].to_owned())));
        Self { value: value.to_owned(), aside }
    }

    fn html(&self, head: &Head) -> String {
        let aside =
            self.aside.as_ref().map_or(String::new(), |aside| format!(" <small>{}</small>", prose(aside)));
        let (label, class) = (&head.html, attribute("class", &head.class));
        format!("<td data-label=\"{label}\"{class}>{}{aside}</td>", prose(&self.value))
    }
}

impl Table<'_> {
    /// The table in a region that scrolls where it is too wide even so.
    pub(super) fn html(&self) -> String {
        let heads = self.heads.iter().map(|head| self::head(head, "col")).collect::<String>();
        let rows = self.rows.iter().map(|row| {
            let cells = row.cells.iter().zip(&self.heads).map(|(cell, head)| cell.html(head));
            let class = attribute("class", row.class);
            format!("<tr{class}>{}{}</tr>\n", head(&row.head, "row"), cells.collect::<String>())
        });
        format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\">\n\
             <table class=\"{class}\">\n<caption>{label}</caption>\n<thead><tr><th scope=\"col\">{corner}</th>{heads}</tr></thead>\n\
             <tbody>\n{rows}</tbody>\n</table>\n</div>\n",
            label = self.label,
            class = self.class,
            corner = self.corner,
            rows = rows.collect::<String>(),
        )
    }
}

fn head(head: &Head, scope: &str) -> String {
    format!("<th scope=\"{scope}\"{}>{}</th>", attribute("class", &head.class), head.html)
}

fn attribute(name: &str, value: &str) -> String {
    if value.is_empty() { String::new() } else { format!(" {name}=\"{value}\"") }
}
