//! `[capacity]`: when Spot nodes can be had and are lost. A file for each group of kinds that needs one.

mod bootstrap;
mod chain;
mod on_off;
mod preset;

use super::assumed::Assumed;
use super::echo::quoted;
use super::field::Field;
use super::notice::read_notice;
use super::plan::Capacity;
use super::reader::Reader;
use super::section::Section;
use super::shock::read_shocks;
use super::trace::read_trace;
use crate::capacity::Law;
use crate::capacity::path::Path;
use crate::capacity::renewal::{self, Renewal};
use crate::capacity::schedule::{LevelChange, Loss, Schedule};
use crate::facts::InstanceRef;
use crate::rng::place_key;
use crate::units::{SimTime, Span};

/// Reads files that a scenario names: text, or why it cannot be had.
pub type ReadFile<'f> = dyn Fn(&str) -> Result<String, String> + Sync + 'f;

const KINDS: [&str; 9] =
    ["always", "renewal", "markov", "diurnal", "events", "trace", "bootstrap", "placement_score", "advisor"];

/// Reads `[capacity]` of a cluster of `instance` in `zone`, and says in `assumed` what a preset takes for
/// granted.
pub fn read_capacity(
    mut s: Section<'_, '_>,
    zone: &str,
    instance: &InstanceRef<'_>,
    read_file: &ReadFile<'_>,
    assumed: &mut Vec<Assumed>,
) -> Option<Capacity> {
    let zero = Law::constant(Span::ZERO);
    let kind = s.reader.one_of("kind", &KINDS);
    let several = KINDS.iter().filter(|key| s.reader.field(key).is_given()).count() > 1;
    let mut losses = Vec::new();
    let mut preset = None;
    let path = match kind {
        Some(("renewal", field)) => read_renewal(&mut s, &field),
        Some(("markov", field)) => read_markov(&mut s, &field, zone),
        Some(("diurnal", field)) => on_off::read_diurnal(&mut s, &field, zone),
        Some(("events", field)) => read_events(&mut s, &field, &mut losses),
        Some(("trace", field)) => read_trace(&mut s, &field, zone, read_file),
        Some(("bootstrap", field)) => bootstrap::read_bootstrap(&mut s, &field, zone, read_file),
        Some(("placement_score", field)) => preset::read_placement_score(&mut s, &field, zone, assumed),
        Some(("advisor", field)) => {
            preset = preset::read_advisor(&mut s, &field, instance, assumed);
            preset.is_some().then_some(Path::Always)
        }
        Some((_, field)) => {
            if let Some(inner) = field.table() {
                inner.finish();
            }
            s.echo("always", "{}", "");
            Some(Path::Always)
        }
        None if several => None,
        None => {
            s.echo("always", "{}", "");
            Some(Path::Always)
        }
    };
    let lifetime = read_lifetime(&mut s, preset);
    let shocks = read_shocks(&mut s, zone);
    let notice = read_notice(&mut s);
    let acquire = s.law_or("acquire", &zero);
    let acquire_first = s.law_or("acquire_first", &acquire);
    s.reader.finish();
    let zone = place_key(zone);
    Some(Capacity { path: path?, zone, lifetime, notice, acquire, acquire_first, losses, shocks })
}

/// `lifetime`, or what the `advisor` makes of it.
fn read_lifetime(s: &mut Section<'_, '_>, advisor: Option<Law>) -> Option<Law> {
    if advisor.is_some() {
        let field = s.reader.field("lifetime");
        if field.is_given() {
            field.refuse("`advisor` says how long nodes last, and `lifetime` too", "drop one of them");
        }
        return advisor;
    }
    let law = s.law("lifetime")?;
    if law.mean_s() <= 0.0 {
        s.reader
            .field("lifetime")
            .refuse("`lifetime` must be above 0", "a node that never lives cannot train");
        return None;
    }
    Some(law)
}

fn read_renewal(s: &mut Section<'_, '_>, field: &Field<'_>) -> Option<Path> {
    let mut inner = field.table()?;
    let uptime = inner.required("uptime", "uptime = { exponential = { mean = \"5 h\" } }");
    let gap = inner.required("gap", "gap = \"20 min\"");
    let begin = inner.field("begin");
    let words = [("fresh", renewal::Begin::Fresh), ("stationary", renewal::Begin::Stationary)];
    let begin = begin.word(&words).unwrap_or_default();
    let (uptime_law, gap_law) = (super::law::read_law(&uptime), super::law::read_law(&gap));
    inner.finish();
    let ((uptime_law, uptime_text), (gap_law, gap_text)) = (uptime_law?, gap_law?);
    if uptime_law.mean_s() <= 0.0 {
        uptime.refuse("`uptime` must be above 0", "capacity that never lasts cannot be used");
        return None;
    }
    let word = words.iter().find(|(_, b)| *b == begin).map_or("fresh", |(word, _)| word);
    s.echo(
        "renewal",
        format!("{{ uptime = {uptime_text}, gap = {gap_text}, begin = {} }}", quoted(word)),
        "",
    );
    Some(Path::Renewal(Renewal { uptime: uptime_law, gap: gap_law, begin }))
}

/// The short form, or a chain of states.
fn read_markov(s: &mut Section<'_, '_>, field: &Field<'_>, zone: &str) -> Option<Path> {
    let mut inner = field.table()?;
    match inner.field("state").is_given() {
        true => chain::read_chain(s, inner),
        false => on_off::read_markov(s, inner, zone),
    }
}

fn read_events(s: &mut Section<'_, '_>, field: &Field<'_>, losses: &mut Vec<Loss>) -> Option<Path> {
    let mut changes = Vec::new();
    let mut texts = Vec::new();
    for mut event in field.tables() {
        if let Some(text) = read_event(&mut event, &mut changes, losses) {
            texts.push(text);
        }
        event.finish();
    }
    losses.sort_by_key(|loss| loss.at);
    s.echo("events", format!("[{}]", texts.join(", ")), "");
    match Schedule::new(changes) {
        Ok(schedule) => Some(Path::Events(schedule)),
        Err(at) => {
            let title = format!("two [[capacity.events]] set `nodes` at {}", at.since_submit());
            field.refuse(title, "which of them holds?");
            None
        }
    }
}

fn read_event(
    event: &mut Reader<'_>,
    changes: &mut Vec<LevelChange>,
    losses: &mut Vec<Loss>,
) -> Option<String> {
    let at: Option<Span> = event.required("at", "at = \"2 h\"").quantity();
    let found = event.required_one_of("change", &["nodes", "lose"], "nodes = 0");
    let (key, field) = found?;
    let at = at?;
    let when = SimTime::ZERO + at;
    let value = match key {
        "nodes" => {
            let nodes: u32 = field.whole(0..)?;
            changes.push(LevelChange { at: when, nodes });
            nodes.to_string()
        }
        _ => {
            let slots: Vec<u32> = field.list_of(|item| item.whole(0..))?;
            let text = format!("{slots:?}");
            losses.push(Loss { at: when, slots });
            text
        }
    };
    Some(format!("{{ at = {}, {key} = {value} }}", quoted(&at.to_string())))
}
