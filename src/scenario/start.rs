//! `[start]`: from a granted node to the first step, and from a loss to its detection.

use super::elastic::{Reshard, Size, read_reshard};
use super::plan::{Start, StartPhase};
use super::section::Section;
use crate::capacity::Law;
use crate::rng::Source;
use crate::units::Span;

/// Phases of a start that may be given beside `start`.
const PHASES: [(&str, Source); 5] = [
    ("image", Source::Image),
    ("framework", Source::Framework),
    ("rendezvous", Source::Rendezvous),
    ("data", Source::Data),
    ("warm_up", Source::WarmUp),
];

/// Reads `[start]` of a gang of this size; `restore` is how long reading a save takes, where `[checkpoint]`
/// tells.
pub(super) fn read_start(mut s: Section<'_, '_>, restore: Option<Span>, size: Size) -> (Start, Reshard) {
    let none = Law::constant(Span::ZERO);
    let provision = s.law_or("provision", &none);
    let start = s.law_or("start", &none);
    let given = |(key, source)| s.law(key).map(|law| StartPhase { source, law });
    let phases = PHASES.into_iter().filter_map(given).collect();
    let restore = s.law_or("restore", &Law::constant(restore.unwrap_or(Span::ZERO)));
    let detection = s.law_or("detection", &none);
    let on_first = s.flag_or("on_first", true);
    let reshard = read_reshard(&mut s, size);
    s.reader.finish();
    (Start { provision, start, phases, restore, detection, on_first }, reshard)
}
