//! `[[capacity.shock]]`: events that take several nodes at once.

use super::echo::quoted;
use super::reader::Reader;
use super::section::Section;
use crate::capacity::shock::Shock;
use crate::capacity::{Exponential, Kind, Law};
use crate::records::region;
use crate::rng::place_key;
use crate::units::Span;
use std::ops::Bound;

/// How far shocks reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Scope {
    #[default]
    Zone,
    Region,
}

/// Reads every `[[capacity.shock]]` of a cluster in `zone`.
pub fn read_shocks(s: &mut Section<'_, '_>, zone: &str) -> Vec<Shock> {
    let field = s.reader.field("shock");
    if !field.is_given() {
        return Vec::new();
    }
    let (mut shocks, mut texts) = (Vec::new(), Vec::new());
    for mut table in field.tables() {
        if let Some((shock, text)) = read_shock(&mut table, zone) {
            shocks.push(shock);
            texts.push(text);
        }
        table.finish();
    }
    s.echo("shock", format!("[{}]", texts.join(", ")), "");
    shocks
}

fn read_shock(table: &mut Reader<'_>, zone: &str) -> Option<(Shock, String)> {
    table.hint("rate", "mean");
    let mean_field = table.required("mean", "mean = \"30 d\"");
    let mean: Option<Span> = mean_field.quantity();
    let between = mean.and_then(|mean| match Exponential::new(mean) {
        Ok(law) => Law::new(Kind::Exponential(law), None).ok(),
        Err(error) => {
            mean_field.refuse(error.to_string(), "mean time from one shock to the next");
            None
        }
    });
    let hit = table.required("hit", "hit = 0.4").number((Bound::Excluded(0.0), Bound::Included(1.0)));
    let scopes = [("zone", Scope::Zone), ("region", Scope::Region)];
    let scope = table.field("scope").word(&scopes).unwrap_or_default();
    let (place, word) = match scope {
        Scope::Zone => (place_key(zone), "zone"),
        Scope::Region => (place_key(region(zone)), "region"),
    };
    let (mean, hit) = (mean?, hit?);
    let text = format!("{{ mean = {}, hit = {hit}, scope = {} }}", quoted(&mean.to_string()), quoted(word));
    Some((Shock { between: between?, hit, place }, text))
}
