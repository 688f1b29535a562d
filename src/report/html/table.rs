//! Tables, which become cards where the screen is narrow.

use super::escape::{escaped, prose};
use super::page::{market_class, of};
use crate::report::text::{Column, Kind, shortened};

/// Letters of a name. As heads stand with each cell where a table is cards, a long one would make a page of megabytes.
pub(super) const NAME_MAX: usize = 80;
/// The head of a column that is understood without one.
const UNNAMED: &str = "<span class=\"unseen\">remark</span>";

/// A table.
pub(super) struct Table<'a> {
    /// How its cells are laid out.
    pub(super) class: &'a str,
    /// What it is: a caption where it is cards.
    pub(super) label: String,
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
    /// Classes that colour, mark and hide it.
    class: String,
}

/// A row.
#[derive(Default)]
pub(super) struct Row {
    /// Its classes.
    pub(super) class: String,
    /// What it is of.
    pub(super) head: Head,
    /// Its figures.
    pub(super) cells: Vec<Cell>,
}

/// A figure, and what stands back beside it: its interval or share.
#[derive(Default)]
pub(super) struct Cell {
    /// Any text.
    pub(super) value: String,
    /// Any text; an empty one keeps its room.
    pub(super) aside: Option<String>,
    /// Classes beside those of its column.
    pub(super) class: &'static str,
}

impl Default for Head {
    fn default() -> Self {
        Self::plain("")
    }
}

impl Head {
    /// One that may be broken at every blank, as columns are narrow.
    pub(super) fn plain(text: &str) -> Self {
        Self { html: escaped(text), class: String::new() }
    }

    /// One with classes that colour and mark it; a name that would fill a screen is shortened.
    pub(super) fn marked(text: &str, class: String) -> Self {
        Self { html: prose(&shortened(text, NAME_MAX)), class }
    }

    /// The head of a column of the terminal, whose lines are joined and whose hyphens at their ends go.
    fn of_column(column: &Column) -> Self {
        let class = if column.kind == Kind::Figure { "" } else { "word" };
        let text = column.head.replace("- ", "").replace('\n', " ");
        // A head is read out with each of its cells, so it is never empty.
        let html = if text.is_empty() { UNNAMED.to_owned() } else { escaped(&text) };
        Self { html, class: class.to_owned() }
    }
}

impl Cell {
    /// One of words.
    pub(super) fn words(value: impl Into<String>) -> Self {
        Self { value: value.into(), aside: None, class: "" }
    }

    /// The same set bold, as the figure that is looked for first.
    pub(super) fn first(self) -> Self {
        Self { class: "first", ..self }
    }

    /// The cell of a column of the terminal, its interval set apart.
    pub(super) fn of_column(column: &Column, row: usize) -> Self {
        let text = column.cells.get(row).map_or("", String::as_str);
        let is_figure = column.kind == Kind::Figure;
        let (value, aside) = text
            .find(" [")
            .filter(|_| is_figure)
            .map_or((text, None), |at| (&text[..at], Some(text[at + 1..].to_owned())));
        let class = match &column.kind {
            Kind::Names(markets) => markets.get(row).map_or("", |market| match market_class(*market) {
                "spot" => "name spot",
                _ => "name on-demand",
            }),
            Kind::Figure | Kind::Words => "",
        };
        Self { value: value.to_owned(), aside, class }
    }

    fn html(&self, head: &Head) -> String {
        let aside =
            self.aside.as_ref().map_or(String::new(), |aside| format!(" <small>{}</small>", prose(aside)));
        let classes: Vec<&str> =
            [head.class.as_str(), self.class].into_iter().filter(|class| !class.is_empty()).collect();
        let label = if head.html == UNNAMED { "" } else { &head.html };
        let class = attribute("class", &classes.join(" "));
        format!("<td data-label=\"{label}\"{class}>{}{aside}</td>", prose(&self.value))
    }
}

impl<'a> Table<'a> {
    /// The table of the terminal, the first column as heads of its rows; `owner` is the cluster of a row.
    pub(super) fn of_columns(
        label: impl Into<String>,
        first: &'a Column,
        columns: &[Column],
        owner: &dyn Fn(usize) -> Option<usize>,
    ) -> Self {
        let head = |row: usize, text: &str| match &first.kind {
            Kind::Names(markets) => {
                let market = markets.get(row).map_or("", |market| market_class(*market));
                Head::marked(text.trim(), format!("cluster {market}"))
            }
            Kind::Figure | Kind::Words => Head::marked(text, String::new()),
        };
        let leading = columns.iter().position(|column| column.kind == Kind::Figure);
        let cell = |at: usize, column: &Column, row: usize| match leading {
            Some(first) if first == at => Cell::of_column(column, row).first(),
            _ => Cell::of_column(column, row),
        };
        let row = |(row, text): (usize, &String)| Row {
            class: owner(row).map_or(String::new(), of),
            head: head(row, text),
            cells: columns.iter().enumerate().map(|(at, column)| cell(at, column, row)).collect(),
        };
        Self {
            class: "comparison",
            label: label.into(),
            corner: if first.head.is_empty() { "cluster" } else { &first.head },
            heads: columns.iter().map(Head::of_column).collect(),
            rows: first.cells.iter().enumerate().map(row).collect(),
        }
    }

    /// The table in a region that scrolls where it is too wide even so.
    pub(super) fn html(&self) -> String {
        let heads = self.heads.iter().map(|head| self::head(head, "col")).collect::<String>();
        let rows = self.rows.iter().map(|row| {
            let cells = row.cells.iter().zip(&self.heads).map(|(cell, head)| cell.html(head));
            let class = attribute("class", &row.class);
            format!("<tr{class}>{}{}</tr>\n", head(&row.head, "row"), cells.collect::<String>())
        });
        format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\">\n\
             <table class=\"{class}\">\n<caption>{label}</caption>\n<thead><tr><th scope=\"col\">{corner}</th>{heads}</tr></thead>\n\
             <tbody>\n{rows}</tbody>\n</table>\n</div>\n",
            label = prose(&self.label),
            class = self.class,
            corner = escaped(self.corner),
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
