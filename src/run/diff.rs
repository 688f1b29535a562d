//! `spotsim diff`.

use super::result_folder::{Found, refused};
use super::simulate::ROWS;
use super::terminal::{answer, stdout_has_colour};
use super::{Exit, Failure};
use crate::cli::{DiffArgs, Format};
use crate::experiment::Seen;
use crate::experiment::diff::{Pairs, compare_summaries};
use crate::report::diff::{self, Basis, Compared, DiffView};
use crate::report::json;
use crate::scenario::reader::nearest;

/// Compares two results and prints what differs.
pub fn diff(args: &DiffArgs) -> Result<Exit, Failure> {
    let (a, b) = (Found::read(&args.a)?, Found::read(&args.b)?);
    let pairs = match args.pairs.is_empty() {
        true => same_names(&a, &b)?,
        false => args.pairs.iter().map(|pair| named(pair, &a, &b)).collect::<Result<_, _>>()?,
    };
    if a.folder == b.folder && pairs.iter().all(|(of_a, of_b)| of_a == of_b) {
        let why =
            "error: A and B are the same folder\n  = help: compare two of its clusters with `--pair \"X=Y\"`";
        return Err(Failure::Input(why.to_owned()));
    }
    let compared = compare(&a, &b, &pairs)?;
    let folders = [&a, &b].map(|found| found.folder.display().to_string());
    let view = DiffView {
        folders: &folders,
        seeds: [a.seed, b.seed],
        scenarios: [&a.scenario, &b.scenario],
        compared: &compared,
        colour: stdout_has_colour(),
    };
    answer(&match args.format {
        Format::Json => String::from_utf8_lossy(&json::to_bytes(&diff::json(&view))).into_owned(),
        Format::Csv => String::from_utf8_lossy(&diff::csv(&view)).into_owned(),
        Format::Table => diff::table(&view),
    })?;
    Ok(Exit::Done)
}

/// Names of a cluster of A and one of B.
type Named = (String, String);

/// Every name that both have simulated.
fn same_names(a: &Found, b: &Found) -> Result<Vec<Named>, Failure> {
    let simulated = |found: &Found| -> Vec<String> {
        found.clusters.iter().filter(|(_, of)| of.is_some()).map(|(name, _)| name.clone()).collect()
    };
    let of_b = simulated(b);
    let both: Vec<Named> = simulated(a)
        .into_iter()
        .filter(|name| of_b.contains(name))
        .map(|name| (name.clone(), name))
        .collect();
    if !both.is_empty() {
        return Ok(both);
    }
    let listed = |names: Vec<String>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    Err(Failure::Input(format!(
        "error: A and B have no simulated cluster of the same name\n  = A: {}\n  = B: {}\n  \
         = help: say which to compare with `--pair \"X=Y\"`",
        listed(simulated(a)),
        listed(of_b)
    )))
}

/// The clusters of `X=Y`; names may hold `=` themselves.
fn named(pair: &str, a: &Found, b: &Found) -> Result<Named, Failure> {
    let splits = || pair.match_indices('=').map(|(at, _)| (pair[..at].trim(), pair[at + 1..].trim()));
    let known = |(of_a, of_b): &(&str, &str)| a.cluster(of_a).is_some() && b.cluster(of_b).is_some();
    if let Some((of_a, of_b)) = splits().find(known) {
        return Ok((of_a.to_owned(), of_b.to_owned()));
    }
    let Some((of_a, of_b)) = splits().next() else {
        return Err(Failure::Input(format!(
            "error: `--pair {pair}`: write it as \"cluster of A=cluster of B\""
        )));
    };
    let (found, letter, name) = match a.cluster(of_a) {
        None => (a, 'A', of_a),
        Some(_) => (b, 'B', of_b),
    };
    if found.clusters.iter().any(|(known, _)| known == name) {
        return Err(Failure::Input(format!("error: `--pair {pair}`: {name} of {letter} was not simulated")));
    }
    let names: Vec<&str> = found.clusters.iter().map(|(name, _)| name.as_str()).collect();
    let help = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => format!("it has {}", names.join(", ")),
    };
    Err(Failure::Input(format!(
        "error: `--pair {pair}`: {letter} has no cluster \"{name}\"\n  = help: {help}"
    )))
}

fn compare(a: &Found, b: &Found, named: &[Named]) -> Result<Vec<Compared>, Failure> {
    let (pairs, why_not) = match paired(a, b, named)? {
        Ok(pairs) => (pairs.into_iter().map(Some).collect(), ""),
        Err(why) => (vec![None; named.len()], why),
    };
    let one = |((of_a, of_b), pairs): (&Named, Option<Pairs>)| {
        let (basis, comparison) = match (&pairs, a.cluster(of_a), b.cluster(of_b)) {
            (Some(pairs), ..) => (Basis::Paired { replications: pairs.count() }, pairs.compare()),
            (None, Some(a), Some(b)) => {
                let replications = [a.replications, b.replications];
                (Basis::Apart { replications, why: why_not }, compare_summaries(a, b))
            }
            _ => return None,
        };
        Some(Compared { a: of_a.clone(), b: of_b.clone(), basis, comparison })
    };
    Ok(named.iter().zip(pairs).filter_map(one).collect())
}

/// Replications side by side, or why they do not belong together.
fn paired(a: &Found, b: &Found, named: &[Named]) -> Result<Result<Vec<Pairs>, &'static str>, Failure> {
    if a.seed != b.seed {
        return Ok(Err("their seeds differ"));
    }
    let count = |found: &Found, name: &str| found.cluster(name).map_or(0, |of| of.replications);
    if named.iter().any(|(of_a, of_b)| count(a, of_a) != count(b, of_b)) {
        return Ok(Err("their numbers of replications differ"));
    }
    let (names_a, names_b): (Vec<&str>, Vec<&str>) =
        named.iter().map(|(of_a, of_b)| (of_a.as_str(), of_b.as_str())).unzip();
    let (Some(mut rows_a), Some(mut rows_b)) = (a.rows(&distinct(&names_a))?, b.rows(&distinct(&names_b))?)
    else {
        return Ok(Err("replications.csv is missing"));
    };
    let places = |names: &[&str]| -> Vec<usize> {
        let distinct = distinct(names);
        names.iter().filter_map(|name| distinct.iter().position(|known| known == name)).collect()
    };
    let (places_a, places_b) = (places(&names_a), places(&names_b));
    let mut seen: [Vec<Option<Seen>>; 2] = [vec![None; names_a.len()], vec![None; names_b.len()]];
    let mut pairs = vec![Pairs::default(); named.len()];
    loop {
        let next = (rows_a.next(&mut seen[0])?, rows_b.next(&mut seen[1])?);
        let (Some(of_a), Some(of_b)) = next else { break };
        if of_a != of_b {
            let why =
                format!("goes from replication to replication otherwise than that of A: {of_b}, not {of_a}");
            return Err(refused(&b.folder.join(ROWS), &why));
        }
        for ((pairs, &a), &b) in pairs.iter_mut().zip(&places_a).zip(&places_b) {
            if let (Some(a), Some(b)) = (seen[0][a], seen[1][b]) {
                pairs.push(a, b);
            }
        }
    }
    match is_whole(a, named, &pairs) {
        true => Ok(Ok(pairs)),
        false => Ok(Err("replications.csv is not complete")),
    }
}

/// Whether all replications were found, or the million that a run writes.
fn is_whole(a: &Found, named: &[Named], pairs: &[Pairs]) -> bool {
    let of = |(name, pairs): (&Named, &Pairs)| {
        let replications = a.cluster(&name.0).map_or(0, |of| of.replications);
        pairs.count() == replications.min(super::simulate::ROWS_MAX)
    };
    named.iter().zip(pairs).all(of)
}

/// Each name once.
fn distinct<'n>(names: &[&'n str]) -> Vec<&'n str> {
    let mut distinct: Vec<&str> = Vec::new();
    for name in names {
        if !distinct.contains(name) {
            distinct.push(name);
        }
    }
    distinct
}
