//! What `trace` does with notices, jobs, advice, scores and lifetimes.

use super::source::{ReadFile, quantity, remark};
use crate::cli::Format;
use crate::cli::trace::StatsArgs;
use crate::facts::Catalogue;
use crate::records::lifetime::Lifetimes;
use crate::records::{About, Content, Recording, kinds};
use crate::report::json::to_bytes;
use crate::report::text::Paint;
use crate::report::trace::{brief, jobs, notices};
use crate::run::terminal::{answer, stdout_has_colour};
use crate::run::{Exit, Failure};
use crate::trace::jobs::job_stats;
use crate::trace::lifetimes::lifetime_stats;
use crate::trace::notices::notice_stats;
use crate::units::Price;
use serde_json::Value;

/// Describes files that hold one kind of data.
pub fn stats(args: &StatsArgs, files: Vec<ReadFile>) -> Result<Exit, Failure> {
    let price = quantity::<Price>("--on-demand", args.on_demand.as_deref())?;
    let mut remarks = Vec::with_capacity(files.len());
    let mut all: Option<(About, Content)> = None;
    for ReadFile { name, recording } in files {
        let Recording { about, content, remarks: said } = recording;
        all = Some(match all {
            None => (about, content),
            Some((about, before)) => {
                let other =
                    || Failure::Input(format!("error: \"{name}\" holds other data than the files before it"));
                (about, joined(before, content).ok_or_else(other)?)
            }
        });
        remarks.push((name, said));
    }
    let Some((about, content)) = all else { return Ok(Exit::Done) };
    answer(&described(&about, content, price, args.output.format)?)?;
    remarks.iter().for_each(|(name, remarks)| remark(name, remarks));
    Ok(Exit::Done)
}

/// Two files of one kind as one.
fn joined(before: Content, content: Content) -> Option<Content> {
    fn both<T>(mut a: Vec<T>, b: Vec<T>) -> Vec<T> {
        a.extend(b);
        a
    }
    Some(match (before, content) {
        (Content::Notices(a), Content::Notices(b)) => Content::Notices(both(a, b)),
        (Content::Jobs(a), Content::Jobs(b)) => Content::Jobs(both(a, b)),
        (Content::Advice(a), Content::Advice(b)) => Content::Advice(both(a, b)),
        (Content::Scores(a), Content::Scores(b)) => Content::Scores(both(a, b)),
        (Content::Lifetimes(a), Content::Lifetimes(b)) => {
            Content::Lifetimes(Lifetimes { lifetimes: both(a.lifetimes, b.lifetimes) })
        }
        _ => return None,
    })
}

fn described(
    about: &About,
    content: Content,
    price: Option<Price>,
    format: Format,
) -> Result<String, Failure> {
    let paint = Paint { colour: stdout_has_colour() };
    let told = |table: &dyn Fn() -> String, json: &dyn Fn() -> Value, csv: &dyn Fn() -> Vec<u8>| match format
    {
        Format::Table => table(),
        Format::Json => String::from_utf8_lossy(&to_bytes(&json())).into_owned(),
        Format::Csv => String::from_utf8_lossy(&csv()).into_owned(),
    };
    // What has no table of its own is told row by row as it is kept.
    let rows = || kinds::write(about, &content).unwrap_or_default().into_bytes();
    let empty = || Failure::Input("error: nothing to describe".to_owned());
    Ok(match &content {
        Content::Notices(found) => {
            let found = notice_stats(found.clone()).ok_or_else(empty)?;
            told(&|| notices::table(&found, paint), &|| notices::json(&found), &|| notices::csv(&found))
        }
        Content::Jobs(found) => {
            let found = job_stats(found.clone(), price, Catalogue::builtin());
            told(&|| jobs::table(&found, paint), &|| jobs::json(&found), &|| jobs::csv(&found))
        }
        Content::Lifetimes(found) => {
            let found = lifetime_stats(found).ok_or_else(empty)?;
            told(&|| brief::lifetimes(&found, paint), &|| brief::lifetimes_json(&found), &rows)
        }
        Content::Advice(found) => told(&|| brief::advice(found, paint), &|| brief::advice_json(found), &rows),
        Content::Scores(found) => told(&|| brief::scores(found, paint), &|| brief::scores_json(found), &rows),
        Content::Capacity(_) | Content::Stays(_) | Content::Prices(_) => return Err(empty()),
    })
}
