//! Effects of every parameter of known models: rows of `morris_vectors.csv`.

use super::super::relative::Figure;
use super::super::streams::{ByChance, Held, HeldRow};
use super::super::test_function::TestFunction;
use super::super::{VerifyError, rows};
use super::small_runs::{Run, design};
use crate::experiment::sensitivity::{Effects, morris_design, morris_effects};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Columns without which a file is not of this kind.
pub(super) const COLUMNS: [&str; 8] =
    ["id", "model", "trajectories", "levels", "parameter", "mu", "mu_star", "sigma"];

/// Points beyond which a row is left out rather than waited for.
const POINTS_MAX: usize = 1 << 22;
/// Trajectories, levels and seed of the designs that are written out.
const WRITTEN_OUT: (usize, usize, u64) = (4, 4, 1);

/// One row; the file explains its columns.
#[derive(Debug, Deserialize)]
pub(super) struct Row {
    id: String,
    pub model: String,
    trajectories: usize,
    levels: usize,
    seed: Option<u64>,
    parameter: String,
    mu: f64,
    mu_star: f64,
    sigma: f64,
    mu_star_conf95: f64,
}

impl Row {
    /// Whether the design is one of those that are written out.
    pub fn is_small(&self) -> bool {
        (self.trajectories, self.levels, self.seed.unwrap_or(WRITTEN_OUT.2)) == WRITTEN_OUT
    }
}

/// What the effects hang on: model, trajectories, levels, seed.
type Key = (String, usize, usize, u64);

/// The figures of the chosen rows beside ours.
pub(super) fn compared(
    text: &str,
    runs: &[Run],
    chosen: impl Fn(&Row) -> bool,
) -> Result<Vec<HeldRow>, VerifyError> {
    let mut known = BTreeMap::new();
    let rows: Vec<Row> = rows::read(text)?;
    let rows = rows.iter().filter(|row| chosen(row));
    Ok(rows.map(|row| (row.id.clone(), held(row, runs, &mut known))).collect())
}

fn held(row: &Row, runs: &[Run], known: &mut BTreeMap<Key, Vec<Effects>>) -> Result<Held, String> {
    let function =
        TestFunction::named(&row.model).ok_or_else(|| format!("model {}: not known", row.model))?;
    let number: Option<usize> = row.parameter.strip_prefix('x').and_then(|digits| digits.parse().ok());
    let parameter = number.filter(|number| (1..=function.inputs()).contains(number));
    let parameter = parameter.ok_or_else(|| format!("parameter {}: not known", row.parameter))?;
    if row.levels < 2 || !row.levels.is_multiple_of(2) {
        return Err(format!("{} levels: an even number from 2", row.levels));
    }
    let key = (row.model.clone(), row.trajectories, row.levels, row.seed.unwrap_or(0));
    if !known.contains_key(&key) {
        known.insert(key.clone(), effects(row, function, runs)?);
    }
    let ours = known.get(&key).and_then(|all| all.get(parameter - 1)).ok_or("no such effect")?;
    let chance = |what, ours, right| ByChance { what, ours, right, margin: row.mu_star_conf95 };
    let conf95 = chance("mu_star_conf95", ours.mean_size.margin, row.mu_star_conf95);
    Ok(if row.trajectories <= WRITTEN_OUT.0 {
        let exact = [(ours.mean, row.mu), (ours.mean_size.value, row.mu_star), (ours.sd, row.sigma)];
        let exact = exact.map(|(ours, right)| Figure::new(ours, right)).to_vec();
        Held { exact, by_chance: vec![conf95] }
    } else {
        let size = chance("mu_star", ours.mean_size.value, row.mu_star);
        Held { exact: Vec::new(), by_chance: vec![size, conf95] }
    })
}

/// Effects from the outputs of the design written out, or over a design of our own.
fn effects(row: &Row, function: TestFunction, runs: &[Run]) -> Result<Vec<Effects>, String> {
    let seed = row.seed.unwrap_or(0);
    let (design, outputs) = if row.trajectories <= WRITTEN_OUT.0 {
        let found = if row.is_small() { design(runs, &row.model) } else { None };
        let found = found.filter(|(design, _)| design.len() == row.trajectories);
        found
            .ok_or("its few trajectories hang on another program's random numbers and are not written out")?
    } else {
        if row.trajectories.saturating_mul(function.inputs() + 1) > POINTS_MAX {
            return Err(format!("{} trajectories: more than {POINTS_MAX} runs", row.trajectories));
        }
        let design = morris_design(function.inputs(), row.trajectories, row.levels, seed);
        let outputs =
            design.iter().flat_map(|walk| &walk.points).map(|point| function.at_unit(point)).collect();
        (design, outputs)
    };
    morris_effects(&design, row.levels, &outputs, seed)
        .filter(|all| all.len() == function.inputs())
        .ok_or_else(|| "the design does not fit the model".into())
}
