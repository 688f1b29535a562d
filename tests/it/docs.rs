//! What README and docs show is what the program does: every `sh` block of every document is run in a copy of the
//! files that a reader has, and the `text` block beneath it is its output, byte by byte; a line `…` stands for any lines.
//! `UPDATE_GOLDEN=1 cargo test --test it docs` writes outputs and pictures anew.
//!
//! After `sh` may stand `exit 2`, the code with which the last command ends, or `not-run: REASON`. A picture is followed
//! by `<!-- picture: FILE -->`, the file of the block above whose bytes it has.

use crate::run::{files_below, folder, root};
use rayon::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a reader's copy has that commands read.
const COPIED: [&str; 5] = ["scenarios", "data", "docs/published", "tests/cases", "CITATION.cff"];

/// `spotsim` is the program under test, and so is what the README builds.
const PRELUDE: &str = r#"exec 2>&1
cargo() {
  case "$1 $2 $3" in
    "run --release --") shift 3; spotsim "$@" ;;
    *) echo "of cargo only 'cargo run --release --' is run in documents; mark the block not-run"; return 101 ;;
  esac
}
"#;

/// Every document of the project, by its path from the root.
pub fn documents() -> Vec<String> {
    let mut found = vec![root().join("output/README.md")];
    for name in ["docs", "benches", "data", "deploy", "python/src"] {
        found.extend(files_below(&root().join(name), "md"));
    }
    for name in [".", "python"] {
        let files = fs::read_dir(root().join(name)).unwrap().map(|entry| entry.unwrap().path());
        found.extend(files.filter(|path| path.extension().is_some_and(|ending| ending == "md")));
    }
    let mut names: Vec<String> = found
        .iter()
        .map(|path| path.strip_prefix(root()).unwrap().to_str().unwrap().trim_start_matches("./").to_owned())
        .collect();
    names.sort();
    names
}

/// A fenced block: its lines are `first..end`, counted from 0, and its fences the lines around them.
pub struct Fence {
    pub info: String,
    pub first: usize,
    pub end: usize,
}

pub fn fences(lines: &[&str]) -> Vec<Fence> {
    let mut found: Vec<Fence> = Vec::new();
    let mut open = false;
    for (number, line) in lines.iter().enumerate() {
        let Some(info) = line.strip_prefix("```") else { continue };
        if open {
            found.last_mut().unwrap().end = number;
        } else {
            found.push(Fence { info: info.to_owned(), first: number + 1, end: lines.len() });
        }
        open = !open;
    }
    found
}

/// A document, and the folder in which its commands run.
struct Document<'a> {
    lines: Vec<&'a str>,
    file: PathBuf,
    scratch: PathBuf,
}

/// What is to be done with a block.
enum Kind {
    Run { exit: i32 },
    Left,
    Shown,
}

fn kind(info: &str) -> Result<Kind, String> {
    let (language, rest) = info.split_once(' ').unwrap_or((info, ""));
    match (language, rest) {
        ("sh", "") => Ok(Kind::Run { exit: 0 }),
        ("sh", _) if rest.strip_prefix("not-run: ").is_some_and(|reason| !reason.trim().is_empty()) => {
            Ok(Kind::Left)
        }
        ("sh", _) => match rest.strip_prefix("exit ").and_then(|code| code.parse().ok()) {
            Some(exit) => Ok(Kind::Run { exit }),
            None => Err(format!("after `sh` stands `{rest}`; right are `exit 2` or `not-run: REASON`")),
        },
        // `python/tests/test_documents.py` runs these.
        ("python", "") => Ok(Kind::Shown),
        ("python", _) if rest.strip_prefix("not-run: ").is_some_and(|reason| !reason.trim().is_empty()) => {
            Ok(Kind::Left)
        }
        ("python" | "bash" | "shell" | "console" | "", _) => Err(format!(
            "a block marked `{info}` is not checked; commands are marked `sh`, other text `text` or its language"
        )),
        _ => Ok(Kind::Shown),
    }
}

/// Whether the lines are what the document shows, where `…` stands for any lines.
fn matches(shown: &[&str], now: &[&str]) -> bool {
    match shown.split_first() {
        None => now.is_empty(),
        Some((&"…", rest)) => (0..=now.len()).any(|skipped| matches(rest, &now[skipped..])),
        Some((line, rest)) => now.first() == Some(line) && matches(rest, &now[1..]),
    }
}

/// The output, with as many lines before the first `…` and after the last one as the document has.
fn elided<'a>(shown: &[&str], now: &[&'a str]) -> Vec<&'a str> {
    let before = shown.iter().position(|line| *line == "…");
    let after = shown.iter().rev().position(|line| *line == "…");
    match (before, after) {
        (Some(before), Some(after)) if before + after < now.len() => {
            [&now[..before], &["…"], &now[now.len() - after..]].concat()
        }
        _ => now.to_vec(),
    }
}

fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
        return;
    }
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        copy(&path, &to.join(path.file_name().unwrap()));
    }
}

/// Exit code and output of a block. Standard error goes where standard output goes, as on a terminal.
fn run(script: &str, folder: &Path) -> (i32, String) {
    let binary = Path::new(env!("CARGO_BIN_EXE_spotsim")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-euc", &format!("{PRELUDE}{script}")])
        .current_dir(folder)
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .env("LC_ALL", "C")
        .env_remove("COLUMNS")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    // How far a run is stands there where a machine is slow.
    let lines = text.lines().filter(|line| !(line.starts_with("spotsim: ") && line.ends_with(" left")));
    (output.status.code().unwrap_or(-1), lines.map(|line| format!("{line}\n")).collect())
}

/// Whether a line outside of `sh` blocks is a command that a reader would type.
fn is_command(line: &str) -> bool {
    let line = line.trim_start();
    ["spotsim ", "$ ", "cargo ", "pip "].iter().any(|start| line.starts_with(start))
}

/// What is wrong with the text and the pictures of the lines between two blocks, once the commands above have run.
fn check_between(document: &Document, between: std::ops::Range<usize>, update: bool) -> Vec<(usize, String)> {
    let mut faults = Vec::new();
    for number in between {
        let line = document.lines[number];
        if line.starts_with("    ") && is_command(line) {
            faults.push((number, "a command stands outside of a `sh` block".into()));
        }
        let before = number.checked_sub(1).map(|before| document.lines[before]);
        let Some((picture, made)) = picture(line, before) else { continue };
        let picture = document.file.parent().unwrap().join(picture);
        match fs::read(document.scratch.join(made)) {
            Err(error) => faults.push((number, format!("the commands above make no {made}: {error}"))),
            Ok(bytes) if fs::read(&picture).ok().as_ref() == Some(&bytes) => {}
            Ok(bytes) => {
                faults.push((number, format!("{} is not the picture that is made now", picture.display())));
                if update {
                    fs::write(&picture, bytes).unwrap();
                }
            }
        }
    }
    faults
}

/// Runs a document's blocks in their order, in one folder, and gives what is wrong.
fn check(name: &str, update: bool) -> Vec<String> {
    let file = root().join(name);
    let text = fs::read_to_string(&file).unwrap();
    let scratch = folder(&format!("docs-{}", name.replace('/', "-")));
    let document = Document { lines: text.lines().collect(), file, scratch };
    let lines = &document.lines;
    let fences = fences(lines);
    if fences.iter().any(|fence| matches!(kind(&fence.info), Ok(Kind::Run { .. }))) {
        COPIED.iter().for_each(|part| copy(&root().join(part), &document.scratch.join(part)));
    }
    let mut faults: Vec<(usize, String)> = Vec::new();
    // Where an output begins and ends, and what it is now.
    let mut renewed: Vec<(usize, usize, Vec<String>)> = Vec::new();
    let mut output = None;
    let mut begin = 0;
    for (index, fence) in fences.iter().enumerate() {
        faults.extend(check_between(&document, begin..fence.first - 1, update));
        begin = fence.end + 1;
        let body = &lines[fence.first..fence.end];
        let exit = match kind(&fence.info) {
            Err(what) => {
                faults.push((fence.first - 1, what));
                continue;
            }
            Ok(Kind::Left) => continue,
            Ok(Kind::Shown) => {
                if body.iter().any(|line| is_command(line)) && output != Some(index) {
                    faults.push((fence.first - 1, "a command stands in a block that is not `sh`".into()));
                }
                continue;
            }
            Ok(Kind::Run { exit }) => exit,
        };
        let (code, now) = run(&body.join("\n"), &document.scratch);
        if code != exit {
            faults
                .push((fence.first - 1, format!("ends with exit code {code}, not {exit}; it prints\n{now}")));
        }
        let Some(next) = fences.get(index + 1).filter(|next| next.info == "text") else { continue };
        if lines[fence.end + 1..next.first - 1].iter().any(|line| !line.is_empty()) {
            continue;
        }
        output = Some(index + 1);
        let (shown, now): (_, Vec<&str>) = (&lines[next.first..next.end], now.lines().collect());
        if !matches(shown, &now) {
            let now: Vec<String> = elided(shown, &now).into_iter().map(str::to_owned).collect();
            faults.push((next.first - 1, format!("this is not the output, which is\n{}", now.join("\n"))));
            renewed.push((next.first, next.end, now));
        }
    }
    faults.extend(check_between(&document, begin.min(lines.len())..lines.len(), update));
    if update && !renewed.is_empty() {
        let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        for (first, end, now) in renewed.into_iter().rev() {
            lines.splice(first..end, now);
        }
        fs::write(&document.file, lines.join("\n") + "\n").unwrap();
    }
    faults.into_iter().map(|(line, what)| format!("{name}:{}: {what}", line + 1)).collect()
}

/// The picture in the document, and the file that has the same bytes.
fn picture<'a>(line: &'a str, before: Option<&'a str>) -> Option<(&'a str, &'a str)> {
    let made = line.strip_prefix("<!-- picture: ")?.strip_suffix(" -->")?;
    let (_, after) = before?.split_once("](")?;
    Some((after.split_once(')')?.0, made))
}

#[test]
fn every_command_does_what_its_document_shows() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let faults: Vec<String> = documents().par_iter().flat_map(|name| check(name, update)).collect();
    assert!(faults.is_empty(), "{}\n{} faults", faults.join("\n\n"), faults.len());
}

#[test]
fn an_elided_line_stands_for_any_lines() {
    let now = ["a", "b", "c"];
    assert!(matches(&["a", "…", "c"], &now));
    assert!(matches(&["…", "a", "b", "c"], &now));
    assert!(!matches(&["a", "…", "b"], &now));
    assert!(!matches(&["a", "c"], &now));
    assert_eq!(elided(&["x", "…", "y"], &now), ["a", "…", "c"]);
}

#[test]
fn a_block_of_commands_cannot_be_left_without_a_reason() {
    assert!(kind("sh not-run: needs a GPU").is_ok());
    for info in ["sh not-run:", "sh not-run: ", "sh later", "bash", "console", ""] {
        assert!(kind(info).is_err(), "{info}");
    }
}
