//! Every relative link of a document leads to a file, its anchor to a heading, and every page of `docs/` stands in the
//! book's list, `docs/SUMMARY.md`. Commands in the text are commands of the program.

use crate::docs::{documents, fences};
use crate::run::{root, spotsim_in};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// A document's lines outside of fenced blocks, with their numbers from 1.
fn prose(name: &str) -> Vec<(usize, String)> {
    let text = fs::read_to_string(root().join(name)).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let fences = fences(&lines);
    let inside = |line: usize| fences.iter().any(|fence| (fence.first - 1..=fence.end).contains(&line));
    let numbered = lines.iter().enumerate().filter(|(line, _)| !inside(*line));
    numbered.map(|(line, text)| (line + 1, (*text).to_owned())).collect()
}

/// What stands in the parentheses of `[text](target)`.
fn targets(line: &str) -> Vec<&str> {
    line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target).collect()
}

/// The anchor of a heading, as GitHub and mdBook make it.
fn anchor(heading: &str) -> String {
    // Of a link in a heading the text counts.
    let mut text = String::new();
    let mut rest = heading;
    while let Some((before, after)) = rest.split_once("](") {
        text += before;
        rest = after.split_once(')').map_or("", |(_, after)| after);
    }
    text += rest;
    let kept = text.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

/// The anchors of a document; of equal headings the second has `-1`, and so on.
fn anchors(name: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, line) in prose(name) {
        let heading = line.trim_start_matches('#');
        if heading.len() < line.len() && heading.starts_with(' ') {
            let own = anchor(heading);
            let numbered = (1..).map(|number| format!("{own}-{number}"));
            let free = std::iter::once(own.clone()).chain(numbered).find(|name| !found.contains(name));
            found.insert(free.expect("there is always a next number"));
        }
    }
    found
}

/// A path from the root without `.` and `..`; nothing if it leads out of the project.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut found = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(part) => found.push(part),
            Component::ParentDir => found.pop().then_some(())?,
            _ => {}
        }
    }
    Some(found)
}

/// Whether the document has what the link names.
fn leads_somewhere(document: &str, target: &str) -> bool {
    if target.starts_with("https://") || target.starts_with("http://") {
        return true;
    }
    let (file, wanted) = target.split_once('#').map_or((target, None), |(file, wanted)| (file, Some(wanted)));
    let folder = Path::new(document).parent().unwrap();
    let Some(path) = (if file.is_empty() { Some(document.into()) } else { plain(&folder.join(file)) }) else {
        return false;
    };
    let there = root().join(&path).exists();
    there && wanted.is_none_or(|wanted| anchors(path.to_str().unwrap()).contains(wanted))
}

#[test]
fn every_link_leads_to_a_file_and_its_anchor_to_a_heading() {
    let mut faults = Vec::new();
    for name in documents() {
        for (line, text) in prose(&name) {
            for target in targets(&text).into_iter().filter(|target| !leads_somewhere(&name, target)) {
                faults.push(format!("{name}:{line}: {target} leads nowhere"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn an_anchor_is_the_heading_in_small_letters_with_hyphens() {
    assert_eq!(anchor(" `[job.input]`: how samples come to the GPU"), "jobinput-how-samples-come-to-the-gpu");
    assert_eq!(anchor(" 10^9 replications over 1,000 shards"), "109-replications-over-1000-shards");
    assert_eq!(anchor(" `--set KEY=VALUE`"), "--set-keyvalue");
    assert_eq!(anchor(" See [the map](ARCHITECTURE.md)"), "see-the-map");
}

/// Also what pages of the book lead to: mdBook makes a page of what is on its list alone.
#[test]
fn every_page_stands_in_the_list_of_the_book() {
    let summary = "docs/SUMMARY.md";
    let listed: BTreeSet<PathBuf> = prose(summary)
        .iter()
        .flat_map(|(_, line)| targets(line).into_iter().map(str::to_owned).collect::<Vec<_>>())
        .map(|target| plain(&Path::new("docs").join(target)).unwrap())
        .collect();
    let mut faults = Vec::new();
    for name in documents().iter().filter(|name| *name != summary) {
        if !listed.contains(Path::new(name)) {
            faults.push(format!("{name} is not in {summary}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// `tests/it/docs.rs` holds a picture that is followed by its file to that file's bytes.
#[test]
fn every_picture_is_one_that_a_document_makes() {
    let mut made = BTreeSet::new();
    for name in documents() {
        let lines = prose(&name);
        let pairs = lines.windows(2).filter(|pair| pair[1].1.starts_with("<!-- picture: "));
        for target in pairs.flat_map(|pair| targets(&pair[0].1)) {
            made.insert(plain(&Path::new(&name).parent().unwrap().join(target)).unwrap());
        }
    }
    for entry in fs::read_dir(root().join("docs/img")).unwrap() {
        let file = Path::new("docs/img").join(entry.unwrap().file_name());
        assert!(made.contains(&file), "no document says how {} is made", file.display());
    }
}

#[test]
fn commands_in_the_text_are_commands_of_the_program() {
    let help = String::from_utf8(spotsim_in(root(), &["--help"]).stdout).unwrap();
    let (_, list) = help.split_once("Commands:").unwrap();
    let commands: BTreeSet<&str> = list
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(commands.contains("run") && commands.contains("merge"), "{commands:?}");
    let mut faults = Vec::new();
    for name in documents() {
        for (line, text) in prose(&name) {
            for command in text.split("`spotsim ").skip(1) {
                let word: String =
                    command.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
                if !word.is_empty() && !word.starts_with('-') && !commands.contains(word.as_str()) {
                    faults.push(format!("{name}:{line}: there is no command `spotsim {word}`"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_citation_is_of_this_version() {
    let citation = fs::read_to_string(root().join("CITATION.cff")).unwrap();
    let version = concat!("version: ", env!("CARGO_PKG_VERSION"));
    assert!(citation.lines().any(|line| line == version), "CITATION.cff does not say {version}");
}
