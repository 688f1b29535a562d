//! What it takes to go on in another region than the one where the newest save lies.

use super::assumed::Assumed;
use super::checkpoint::Stored;
use super::input::Store;
use super::plan::{Move, Moves};
use super::zones::Zones;
use crate::facts::Catalogue;
use crate::pricing::MOVE_PRICES;
use crate::records::region;
use crate::units::{Bytes, Gb, UnitPrice};

/// How saves go from one region to another.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Moving {
    /// What it takes between the zones.
    pub moves: Moves,
    /// All of a save.
    pub size: Bytes,
    /// The catalogue's prices between these regions, each once: those that [`Move::price`] counts.
    pub prices: Vec<UnitPrice<Gb>>,
    /// In words, with date and confidence.
    pub assumed: Assumed,
}

/// Zones of a cluster in several regions, with what moving a save between them takes; else why it takes nothing, in
/// words, or nothing where there is one region.
pub(super) fn moving(zones: &Zones, stored: Option<Stored>) -> Result<Option<Moving>, String> {
    let names: Vec<&str> = zones.names.iter().map(|zone| region(zone)).collect();
    let Some(stored) = stored.filter(|_| names.iter().any(|name| *name != names[0])) else { return Ok(None) };
    if stored.to == Some(Store::Local) {
        return Ok(None);
    }
    if stored.other_region {
        return Err("all zones save to one store in a region of none of them: no save is moved".to_owned());
    }
    let Some(size) = stored.size else {
        return Err(
            "a save is found in every region: moving it takes no time and costs nothing, as its size \
                    is not known (add `size` to [checkpoint])"
                .to_owned(),
        );
    };
    let facts = Catalogue::builtin().regions();
    let mut prices: Vec<UnitPrice<Gb>> = Vec::new();
    let mut one = |from: &str, to: &str| {
        let price = facts.price(from, to)?;
        let number = prices.iter().position(|known| *known == price).unwrap_or_else(|| {
            prices.push(price);
            prices.len() - 1
        });
        let rate = stored.move_bandwidth.unwrap_or(facts.speed(from, to));
        // More prices than that are counted at the last of them: no list of regions in the catalogue has as many.
        Some(Move { time: rate.time_for(size), price: number.min(MOVE_PRICES - 1) })
    };
    let rows = names.iter().map(|from| names.iter().map(|to| one(from, to)).collect());
    let moves = Moves(rows.collect());
    let rate = match stored.move_bandwidth {
        Some(rate) => format!("{rate}, as given"),
        None => format!(
            "{} within a continent, {} to another ({}, confidence {})",
            facts.speeds.same_continent,
            facts.speeds.other_continent,
            facts.speeds.date,
            super::echo::first_clause(&facts.speeds.confidence)
        ),
    };
    let told = format!("the newest save is copied to the region in which the gang goes on, at {rate}");
    let assumed = Assumed::new("Moves", told);
    Ok(Some(Moving { moves, size, prices, assumed }))
}
