//! `[start]`: from a granted node to the first step, and from a loss to its detection.

use super::elastic::{Reshard, Size, read_reshard};
use super::plan::{Start, StartPhase};
use super::section::Section;
use crate::capacity::Law;
use crate::rng::Source;
use crate::units::{Bytes, Span};

/// Phases of a start that may be given beside `start`.
const PHASES: [(&str, Source); 5] = [
    ("image", Source::Image),
    ("framework", Source::Framework),
    ("rendezvous", Source::Rendezvous),
    ("data", Source::Data),
    ("warm_up", Source::WarmUp),
];

/// What each new node pulls before it can train, and from where.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pulls {
    /// The container's image.
    pub image: Option<(Bytes, Way)>,
    /// Data that are staged.
    pub data: Option<(Bytes, Way)>,
}

/// From where bytes come, or where they go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// From a store of the region, or the same zone: free.
    SameRegion,
    /// Another zone.
    BetweenZones,
    /// Another region.
    BetweenRegions,
    /// The Internet; in is free.
    Internet,
}

/// Reads `[start]` of a gang of this size; `restore` is how long reading a save takes, where `[checkpoint]`
/// tells.
pub(super) fn read_start(
    mut s: Section<'_, '_>,
    restore: Option<Span>,
    size: Size,
) -> (Start, Reshard, Pulls) {
    let none = Law::constant(Span::ZERO);
    let provision = s.law_or("provision", &none);
    let start = s.law_or("start", &none);
    let given = |(key, source)| s.law(key).map(|law| StartPhase { source, law });
    let phases = PHASES.into_iter().filter_map(given).collect();
    let restore = s.law_or("restore", &Law::constant(restore.unwrap_or(Span::ZERO)));
    let detection = s.law_or("detection", &none);
    let on_first = s.flag_or("on_first", true);
    let reshard = read_reshard(&mut s, size);
    let image = read_pull(&mut s, "image_size", "image_from");
    let data = read_pull(&mut s, "data_size", "data_from");
    s.reader.finish();
    (Start { provision, start, phases, restore, detection, on_first }, reshard, Pulls { image, data })
}

/// How much is pulled, and from where.
fn read_pull(
    s: &mut Section<'_, '_>,
    size_key: &'static str,
    from_key: &'static str,
) -> Option<(Bytes, Way)> {
    let ways = [
        ("same-region", Way::SameRegion),
        ("other-zone", Way::BetweenZones),
        ("other-region", Way::BetweenRegions),
        ("internet", Way::Internet),
    ];
    let from = s.reader.field(from_key);
    let is_given = s.reader.field(size_key).is_given();
    if from.is_given() && !is_given {
        from.refuse(
            format!("`{from_key}` has no effect without `{size_key}`"),
            format!("add `{size_key} = \"8 GB\"`"),
        );
    }
    let size: Bytes = s.quantity(size_key)?;
    Some((size, s.word_or_first(from_key, &ways)))
}
