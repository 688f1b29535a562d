//! Columns side by side.

use super::{Paint, columns as room, width, words, wrapped};
use crate::scenario::plan::Market;

/// Blanks between columns, where there is room.
const GAP_MAX: usize = 3;

/// One column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// What it holds, with its unit; in several lines, if need be.
    pub head: String,
    /// One text a row.
    pub cells: Vec<String>,
    /// Words stand left, numbers right.
    pub kind: Kind,
}

/// How a column is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Numbers, right-aligned.
    Figure,
    /// Words, left-aligned.
    Words,
    /// Names of clusters in the colours of their markets, left-aligned.
    Names(Vec<Market>),
}

impl Column {
    /// A column of numbers.
    pub fn figures(head: impl Into<String>, cells: Vec<String>) -> Self {
        Self { head: head.into(), cells, kind: Kind::Figure }
    }

    /// A column of words.
    pub fn words(head: impl Into<String>, cells: Vec<String>) -> Self {
        Self { head: head.into(), cells, kind: Kind::Words }
    }

    /// The same with its head in lines no wider than its cells, or than a word of it.
    pub fn with_narrow_head(self) -> Self {
        let longest = words(&self.head).iter().map(|word| width(word)).max().unwrap_or(0);
        let head = wrapped(&self.head, widest(&self.cells).max(longest)).join("\n");
        Self { head, ..self }
    }

    /// Columns of the screen that it takes.
    pub fn width(&self) -> usize {
        widest(&self.cells).max(self.head.lines().map(width).max().unwrap_or(0))
    }

    fn padded(&self, text: &str, columns: usize) -> (String, String) {
        let blanks = " ".repeat(columns.saturating_sub(width(text)));
        if self.kind == Kind::Figure { (blanks, String::new()) } else { (String::new(), blanks) }
    }

    fn painted(&self, row: usize, columns: usize, paint: Paint) -> String {
        let text = self.cells.get(row).map_or("", String::as_str);
        let (before, after) = self.padded(text, columns);
        let text = match &self.kind {
            Kind::Figure => paint.figure(text),
            Kind::Words => text.to_owned(),
            Kind::Names(markets) => match markets.get(row) {
                Some(&market) => paint.market(market, text),
                None => text.to_owned(),
            },
        };
        format!("{before}{text}{after}")
    }
}

fn widest(cells: &[String]) -> usize {
    cells.iter().map(|cell| width(cell)).max().unwrap_or(0)
}

/// Whether columns fit on one line of [`super::columns`].
pub fn fits(first: &Column, columns: &[Column]) -> bool {
    first.width() + columns.iter().map(|column| 1 + column.width()).sum::<usize>() <= room()
}

/// Sets columns side by side. Those that do not fit on a line of [`super::columns`] follow in another table
/// beneath, with the first column again.
pub fn table(first: &Column, columns: &[Column], paint: Paint) -> String {
    let mut tables = Vec::new();
    let mut rest = columns;
    while !rest.is_empty() || tables.is_empty() {
        let mut total = first.width();
        let fitting = rest.iter().take_while(|column| {
            total += 1 + column.width();
            total <= room()
        });
        let taken = fitting.count().max(1).min(rest.len());
        tables.push(one_table(first, &rest[..taken], tables.is_empty(), paint));
        rest = &rest[taken..];
    }
    tables.join("\n")
}

fn one_table(first: &Column, columns: &[Column], with_head: bool, paint: Paint) -> String {
    let used: usize = first.width() + columns.iter().map(Column::width).sum::<usize>();
    let gap = (room().saturating_sub(used) / columns.len().max(1)).clamp(1, GAP_MAX);
    let gap = " ".repeat(gap);
    let all = || [first].into_iter().chain(columns);
    let heads: Vec<Vec<&str>> = all()
        .enumerate()
        .map(
            |(index, column)| {
                if index == 0 && !with_head { Vec::new() } else { column.head.lines().collect() }
            },
        )
        .collect();
    // Heads of fewer lines stand at the bottom.
    let height = heads.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let head = |line: usize| {
        let texts = all().zip(&heads).map(|(column, head)| {
            let text = (line + head.len()).checked_sub(height).map_or("", |at| head[at]);
            let (before, after) = column.padded(text, column.width());
            format!("{before}{text}{after}")
        });
        texts.collect::<Vec<_>>().join(&gap)
    };
    let mut lines: Vec<String> = (0..height).map(head).collect();
    for row in 0..first.cells.len() {
        let cells: Vec<String> = all().map(|column| column.painted(row, column.width(), paint)).collect();
        lines.push(cells.join(&gap));
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_right_and_what_does_not_fit_follows_beneath() {
        let names = Column::words("cluster", vec!["a".into(), "b".into()]);
        let narrow = Column::figures("n", vec!["1".into(), "100".into()]);
        let text = table(&names, std::slice::from_ref(&narrow), Paint { colour: false });
        assert_eq!(text, "cluster     n\na           1\nb         100\n");
        let wide = Column::figures("x".repeat(90), vec![]);
        let text = table(&names, &[narrow, wide], Paint { colour: false });
        assert_eq!(text.lines().count(), 7);
        assert_eq!(text.matches("cluster").count(), 1);
    }

    #[test]
    fn a_head_wider_than_its_cells_takes_several_lines() {
        let names = Column::words("no.", vec!["1".into()]);
        let figures = Column::figures("uptime mean, h", vec!["5.5".into()]).with_narrow_head();
        let text = table(&names, &[figures], Paint { colour: false });
        assert_eq!(text, "       uptime\nno.   mean, h\n1         5.5\n");
    }

    #[test]
    fn colour_is_only_there_when_asked_for() {
        let figures = Column::figures("cost", vec!["1 [0, 2]".into()]);
        let first =
            Column { head: "c".into(), cells: vec!["s".into()], kind: Kind::Names(vec![Market::Spot]) };
        let text = table(&first, &[figures], Paint { colour: true });
        assert!(text.contains("\u{1b}[38;5;32ms\u{1b}[0m"));
        assert!(text.contains("1 \u{1b}[2m[0, 2]\u{1b}[0m"));
    }
}
