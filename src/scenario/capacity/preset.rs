//! `[capacity.advisor]` and `[capacity.placement_score]`: what a cloud says about an instance, as laws. Rough:
//! neither figure was made for this.

use super::super::assumed::Assumed;
use crate::capacity::correlation::Correlation;
use crate::capacity::on_off::{Begin, Means, OnOff};
use crate::capacity::path::Path;
use crate::capacity::{Exponential, Kind, Law};
use crate::facts::{Catalogue, InstanceRef, InterruptionBucket};
use crate::records::region;
use crate::rng::place_key;
use crate::scenario::echo::{first_clause, quoted};
use crate::scenario::field::Field;
use crate::scenario::section::Section;
use crate::units::Span;

/// Days of a mean month.
const MONTH_S: f64 = 365.25 / 12.0 * 86_400.0;

/// Reads `[capacity.advisor]`: the law of a node's lifetime. A share f of nodes interrupted within a month is a
/// rate of −ln(1 − f) a month, if it is constant.
pub(super) fn read_advisor(
    s: &mut Section<'_, '_>,
    field: &Field<'_>,
    instance: &InstanceRef<'_>,
    assumed: &mut Vec<Assumed>,
) -> Option<Law> {
    let mut inner = field.table()?;
    let given = inner.field("interruption");
    let words = InterruptionBucket::ALL.map(|class| (class.label(), class));
    let class = if given.is_given() { given.word(&words) } else { instance.instance.interruption };
    inner.finish();
    if given.is_given() && class.is_none() {
        return None;
    }
    let Some(class) = class else {
        let title = format!("no Spot Advisor class of {} is on record", instance.name());
        field.refuse(title, "write interruption = \"<5%\", \"5-10%\", \"10-15%\", \"15-20%\" or \">20%\"");
        return None;
    };
    let share = Catalogue::builtin().advisor().share(class);
    let mean_s = |share: f64| MONTH_S / -libm::log1p(-share);
    let law = Exponential::new(Span::from_secs_saturating(mean_s(share.value))).ok()?;
    let source = match given.is_given() {
        true => "this file".to_owned(),
        false => format!(
            "catalogue, {}",
            instance.instance.advisor_date.as_deref().map_or("undated", first_clause)
        ),
    };
    let days = |share: f64| mean_s(share) / 86_400.0;
    s.echo("advisor", format!("{{ interruption = {} }}", quoted(class.label())), &*source);
    let told = format!(
        "rough: Spot Advisor class {} ({source}) read as {:.1} % of nodes interrupted a month ({:.1} to {:.0} %), \
         at a constant rate: a mean lifetime of {:.0} days ({})",
        class.label(),
        share.value * 100.0,
        share.low * 100.0,
        share.high * 100.0,
        days(share.value),
        first_clause(&share.confidence),
    );
    assumed.push(Assumed::new("Interruptions", told).trusted(&share.confidence));
    Law::new(Kind::Exponential(law), None).ok()
}

/// Reads `[capacity.placement_score]`: an on/off path with the availability that a score is taken for.
pub(super) fn read_placement_score(
    s: &mut Section<'_, '_>,
    field: &Field<'_>,
    zone: &str,
    assumed: &mut Vec<Assumed>,
) -> Option<Path> {
    let mut inner = field.table()?;
    let score = inner.required("score", "score = 7").whole(1..=10_usize);
    inner.finish();
    let score = score?;
    let scores = Catalogue::builtin().placement_scores();
    let (availability, gap_s) = (scores.availability[score - 1], &scores.gap_s);
    let uptime_s = gap_s.value * availability / (1.0 - availability);
    let (uptime, gap) = (Span::from_secs_saturating(uptime_s), Span::from_secs_saturating(gap_s.value));
    s.echo("placement_score", format!("{{ score = {score} }}"), "");
    let told = format!(
        "rough: placement score {score} read as capacity {:.0} % of the time, with gaps of {:.1} h on average \
         ({:.1} to {:.0} h were recorded); the score itself promises neither",
        availability * 100.0,
        gap_s.value / 3_600.0,
        gap_s.low / 3_600.0,
        gap_s.high / 3_600.0,
    );
    assumed.push(Assumed::new("Capacity", told).trusted(&scores.confidence));
    let means = Means { uptime, gap };
    let region = place_key(region(zone));
    Some(Path::OnOff(OnOff::new(means, Correlation::NONE, region, Begin::Stationary, None)))
}
