//! What every page has about its sections: head, verdict, controls, and how to get the same answer.

use super::color;
use super::escape::{escaped, escaped_lines, prose};
use super::table::NAME_MAX;
use crate::report::text::shortened;
use crate::scenario::load::Scenario;
use crate::scenario::plan::Market;

/// Layout; colours come from [`color::rules`].
const STYLE: &str = include_str!("style.css");
/// With more clusters than this, boxes to hide them would fill a screen.
const TOGGLES_MAX: usize = 24;

/// A page about a scenario.
pub(super) struct Page<'a> {
    /// The scenario as it is written.
    pub(super) scenario: &'a Scenario,
    /// The sentences that answer the question, the choice first.
    pub(super) verdict: Vec<String>,
    /// What can be hidden: whatever has the class `of-N` of the N-th.
    pub(super) clusters: Vec<(String, Market)>,
    /// The sections, as HTML.
    pub(super) sections: Vec<String>,
    /// Options after `spotsim COMMAND FILE`, the command first.
    pub(super) command: [&'a str; 2],
    /// Seed and replications, a sentence.
    pub(super) sampling: String,
}

impl Page<'_> {
    /// The page as HTML.
    pub(super) fn html(&self) -> String {
        let sections = [
            self.head(),
            self.header(),
            self.controls(),
            "<main id=\"answer\" tabindex=\"-1\">\n".to_owned(),
            self.sections.concat(),
            self.reproduction(),
            "</main>\n</body>\n</html>\n".to_owned(),
        ];
        sections.concat()
    }

    fn head(&self) -> String {
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" \
             content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             <title>{} · spotsim {}</title>\n<style>\n{}{STYLE}{}</style>\n</head>\n<body>\n\
             <a class=\"skip\" href=\"#answer\">Skip to the figures</a>\n",
            escaped(&self.scenario.name),
            self.command[0],
            color::rules(),
            self.hiding(),
        )
    }

    /// A rule a cluster: where its box is not checked, nothing of it is shown.
    fn hiding(&self) -> String {
        let rule =
            |index: usize| format!(":root:has(#show-{index}:not(:checked)) .of-{index}{{display:none}}\n");
        (0..self.shown()).map(rule).collect()
    }

    /// Clusters with a box.
    fn shown(&self) -> usize {
        match self.clusters.len() {
            count @ 2..=TOGGLES_MAX => count,
            _ => 0,
        }
    }

    /// The question and the verdict.
    fn header(&self) -> String {
        let (first, others) = self.verdict.split_first().expect("a verdict has a sentence");
        let others = match others {
            [] | [_] | [_, _] => {
                let others = others.iter().map(|told| format!("<p class=\"more\">{}</p>\n", prose(told)));
                others.collect()
            }
            others => format!("<ul class=\"more\">\n{}</ul>\n", items(others)),
        };
        format!(
            "<header>\n<p class=\"question\">{} <span>spotsim {} · {}</span></p>\n<h1>{}</h1>\n{others}</header>\n",
            prose(&self.scenario.title),
            self.command[0],
            escaped(&self.scenario.name),
            prose(first),
        )
    }

    /// Boxes that hide clusters, and the choice of a theme.
    fn controls(&self) -> String {
        let toggle = |(index, (name, market)): (usize, &(String, Market))| {
            format!(
                "<label><input type=\"checkbox\" id=\"show-{index}\" autocomplete=\"off\" checked>\
                 <span class=\"cluster {}\">{}</span></label>\n",
                market_class(*market),
                prose(&shortened(name, NAME_MAX))
            )
        };
        let toggles: String = self.clusters.iter().take(self.shown()).enumerate().map(toggle).collect();
        let toggles = match toggles.is_empty() {
            true => toggles,
            false => format!("<fieldset class=\"toggles\">\n<legend>Show</legend>\n{toggles}</fieldset>\n"),
        };
        let theme = |name: &str, checked: &str| {
            format!(
                "<label><input type=\"radio\" name=\"theme\" id=\"theme-{name}\" autocomplete=\"off\"{checked}>{name}</label>\n"
            )
        };
        format!(
            "<div class=\"controls\" role=\"region\" aria-label=\"What is shown\">\n{toggles}<fieldset class=\"theme\">\n\
             <legend>Theme</legend>\n{}{}{}</fieldset>\n</div>\n",
            theme("system", " checked"),
            theme("light", ""),
            theme("dark", ""),
        )
    }

    /// How to get the same answer: the scenario with every default, which is a scenario file itself.
    fn reproduction(&self) -> String {
        let file = format!("{}.toml", escaped(&self.scenario.name));
        let [command, options] = self.command;
        let blank = if options.is_empty() { "" } else { " " };
        format!(
            "<section>\n<h2>To reproduce</h2>\n\
             <p>{} The same scenario, seed and version of spotsim give the same figures on any machine.</p>\n\
             <pre tabindex=\"0\" role=\"region\" aria-label=\"Command\">spotsim {command} {file}{blank}{}</pre>\n\
             <details>\n<summary>{file}, every default filled in</summary>\n\
             <pre tabindex=\"0\" role=\"region\" aria-label=\"Scenario\">{}</pre>\n</details>\n</section>\n",
            prose(&self.sampling),
            escaped(options),
            escaped_lines(&self.scenario.show()),
        )
    }
}

/// The class of what has the colour of a market.
pub(super) fn market_class(market: Market) -> &'static str {
    match market {
        Market::Spot => "spot",
        Market::OnDemand => "on-demand",
    }
}

/// The class of what a box hides.
pub(super) fn of(cluster: usize) -> String {
    format!("of-{cluster}")
}

/// Paragraphs that stand back.
pub(super) fn notes(notes: &[String]) -> String {
    notes.iter().map(|note| format!("<p class=\"note\">{}</p>\n", commands(&prose(note)))).collect()
}

/// The last section but one: what is said beside the word "Notes" in the terminal, as sentences.
pub(super) fn how_to_read(told: &[String]) -> String {
    let told: Vec<String> = told.iter().map(|note| sentence(note)).collect();
    format!("<section>\n<h2>How to read this</h2>\n{}</section>\n", notes(&told))
}

/// Items of a list, as sentences.
pub(super) fn items(told: &[String]) -> String {
    told.iter().map(|item| format!("<li>{}</li>\n", commands(&prose(&sentence(item))))).collect()
}

/// With a capital and a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map_or(String::new(), |first| first.to_uppercase().collect());
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

/// HTML in which what stands between backticks is code.
pub(super) fn commands(html: &str) -> String {
    let pieces: Vec<&str> = html.split('`').collect();
    if pieces.len().is_multiple_of(2) {
        return html.to_owned();
    }
    let piece = |(nth, piece): (usize, &&str)| match nth % 2 {
        0 => (*piece).to_owned(),
        _ => format!("<code>{piece}</code>"),
    };
    pieces.iter().enumerate().map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_sentences_and_commands_are_code() {
        assert_eq!(
            items(&["at `spotsim run a` <b>".to_owned()]),
            "<li>At <code>spotsim run a</code> &lt;b&gt;.</li>\n"
        );
        assert_eq!(commands("a ` alone"), "a ` alone");
    }
}
