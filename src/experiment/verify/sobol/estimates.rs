//! Exact indices, and estimates over the plain and the scrambled sequence: rows of `sobol_vectors.csv`.

use super::super::relative::Figure;
use super::super::streams::{ByChance, Held, HeldRow};
use super::super::test_function::TestFunction;
use super::super::{VerifyError, rows};
use crate::experiment::sensitivity::{Estimate, Indices, SobolDesign, pairs};
use crate::stats::points::SobolSequence;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Columns without which a file is not of this kind.
pub(super) const COLUMNS: [&str; 8] =
    ["id", "model", "source", "base_N", "scramble", "index", "parameter", "value"];

/// Points beyond which a row is left out rather than waited for.
const POINTS_MAX: usize = 1 << 22;

/// One row; the file explains its columns.
#[derive(Debug, Deserialize)]
struct Row {
    id: String,
    model: String,
    source: String,
    #[serde(rename = "base_N")]
    base: Option<usize>,
    scramble: Option<u8>,
    sample_seed: Option<u64>,
    analyze_seed: Option<u64>,
    index: String,
    parameter: String,
    value: f64,
    conf95: Option<f64>,
}

/// Which index of which inputs.
#[derive(Debug, Clone, Copy)]
enum Wanted {
    First(usize),
    Total(usize),
    Second(usize, usize),
}

/// What an estimate hangs on: model, base points, scrambled or not, seeds.
type Key = (String, usize, bool, u64, u64);

/// Every row's figures beside ours.
pub(super) fn compared(text: &str) -> Result<Vec<HeldRow>, VerifyError> {
    let mut estimated = BTreeMap::new();
    let rows: Vec<Row> = rows::read(text)?;
    Ok(rows.iter().map(|row| (row.id.clone(), held(row, &mut estimated))).collect())
}

fn held(row: &Row, estimated: &mut BTreeMap<Key, Indices>) -> Result<Held, String> {
    let function =
        TestFunction::named(&row.model).ok_or_else(|| format!("model {}: not known", row.model))?;
    let wanted = wanted(row, function)?;
    let right = row.value;
    if row.source == "exact" {
        return Ok(Held { exact: vec![Figure::new(exact(function, wanted), right)], ..Held::default() });
    }
    let (Some(base), Some(margin)) = (row.base, row.conf95) else {
        return Err("an estimate needs base_N and conf95".into());
    };
    let scrambled = match row.scramble {
        Some(0) => false,
        Some(1) => true,
        _ => return Err("scramble is 0 or 1".into()),
    };
    let seeds = (row.sample_seed.unwrap_or(0), row.analyze_seed.unwrap_or(0));
    let key = (row.model.clone(), base, scrambled, seeds.0, seeds.1);
    if !estimated.contains_key(&key) {
        estimated.insert(key.clone(), estimate(function, base, scrambled, seeds)?);
    }
    let ours = of(estimated.get(&key).ok_or("no estimate")?, function.inputs(), wanted)?;
    let conf95 = ByChance { what: "conf95", ours: ours.margin, right: margin, margin };
    let value = ByChance { what: "value", ours: ours.value, right, margin };
    Ok(match scrambled {
        true => Held { exact: Vec::new(), by_chance: vec![value, conf95] },
        false => Held { exact: vec![Figure::new(ours.value, right)], by_chance: vec![conf95] },
    })
}

/// The index that a row is about.
fn wanted(row: &Row, function: TestFunction) -> Result<Wanted, String> {
    let input = |name: &str| {
        let number: Option<usize> = name.strip_prefix('x').and_then(|digits| digits.parse().ok());
        let number = number.filter(|number| (1..=function.inputs()).contains(number));
        number.map(|number| number - 1).ok_or_else(|| format!("parameter {}: not known", row.parameter))
    };
    match (row.index.as_str(), row.parameter.split_once('*')) {
        ("S1", None) => Ok(Wanted::First(input(&row.parameter)?)),
        ("ST", None) => Ok(Wanted::Total(input(&row.parameter)?)),
        ("S2", Some((one, other))) => match (input(one)?, input(other)?) {
            (one, other) if one != other => Ok(Wanted::Second(one.min(other), one.max(other))),
            _ => Err("S2 is of two different parameters".into()),
        },
        (index, _) => Err(format!("index {index} of {}: not known", row.parameter)),
    }
}

fn exact(function: TestFunction, wanted: Wanted) -> f64 {
    match wanted {
        Wanted::First(input) => function.first(input),
        Wanted::Total(input) => function.total(input),
        Wanted::Second(one, other) => function.second(one, other),
    }
}

/// Indices by Saltelli's design with pairs over the sequence from its first point. The other program takes points in
/// Gray-code order: the same set where there are 2^m, and the same points where there are not.
fn estimate(
    function: TestFunction,
    base: usize,
    scrambled: bool,
    (sample, analyze): (u64, u64),
) -> Result<Indices, String> {
    let design = SobolDesign { inputs: function.inputs(), base, second_order: true };
    if base.saturating_mul(design.block()) > POINTS_MAX {
        return Err(format!("base_N {base}: more than {POINTS_MAX} runs"));
    }
    let points = if scrambled {
        design.scrambled(sample)
    } else {
        let sequence = SobolSequence::new(2 * design.inputs);
        sequence.map(|sequence| design.over(|number| sequence.plain(number ^ (number >> 1))))
    };
    let points = points.ok_or("more inputs than the sequence has dimensions for")?;
    let outputs: Vec<f64> = points.iter().map(|point| function.at_unit(point)).collect();
    design.indices(&outputs, analyze).ok_or_else(|| "no base points".into())
}

fn of(indices: &Indices, inputs: usize, wanted: Wanted) -> Result<Estimate, String> {
    let found = match wanted {
        Wanted::First(input) => indices.first.get(input),
        Wanted::Total(input) => indices.total.get(input),
        Wanted::Second(one, other) => {
            pairs(inputs).position(|pair| pair == (one, other)).and_then(|at| indices.second.get(at))
        }
    };
    found.copied().ok_or_else(|| "no such index".into())
}
