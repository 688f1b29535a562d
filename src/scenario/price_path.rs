//! How Spot's price changes: `[pricing] history`, a list or a file, or `[pricing.mean_reverting]`.

use super::assumed::Assumed;
use super::echo::quoted;
use super::field::Field;
use super::price_file::{Held, Replay, read_price_file};
use super::section::Section;
use super::tree::Value;
use crate::facts::InstanceRef;
use crate::pricing::{Changing, MeanReverting, PriceHistory, PricePath, Rule, Taken};
use crate::units::{Price, SimTime, Span};
use std::ops::Bound;

/// What `[pricing]` says of changes.
pub(super) enum Changes {
    /// None.
    Constant,
    /// Some, but they are wrong, which is reported.
    Wrong,
    /// These; and what is billed at the first price for want of an earlier one.
    As(Changing, Option<Held>),
}

/// Keys that concern a file of prices alone.
const OF_FILES: [&str; 4] = ["product", "before_first", "skip_bad", "utc_offset"];

/// Reads how the price changes. A cluster that holds no Spot node (`spot`) has it read for its typos.
pub(super) fn read_changes(
    s: &mut Section<'_, '_>,
    (rule, spot): (Rule, bool),
    replay: &Replay<'_>,
    (instance, on_demand): (&InstanceRef<'_>, Option<Price>),
    assumed: &mut Vec<Assumed>,
) -> Changes {
    let given = s.reader.one_of("course of the price", &["history", "mean_reverting"]);
    let several = ["history", "mean_reverting"].iter().all(|key| s.reader.field(key).is_given());
    let taken = s.reader.field("taken");
    let file = given.as_ref().and_then(|(_, field)| match field.value() {
        Some(Value::Text(name)) => Some(name.as_str()),
        _ => None,
    });
    for key in OF_FILES {
        let field = s.reader.field(key);
        if field.is_given() && file.is_none() {
            field.refuse(format!("`{key}` has no effect without `history = \"FILE\"`"), "");
        }
    }
    let Some((key, field)) = given else {
        if taken.is_given() && !several {
            taken.refuse("`taken` has no effect without `history` or `mean_reverting`", "");
        }
        return if several { Changes::Wrong } else { Changes::Constant };
    };
    if rule == Rule::SageMaker && spot {
        field.refuse(
            "the sagemaker rule bills the On-Demand price less the savings",
            "its price has no course of its own",
        );
        return Changes::Wrong;
    }
    let (mut at_most, mut held) = (None, None);
    let path = match (key, file) {
        ("mean_reverting", _) => read_mean_reverting(s, &field, replay.horizon, &mut at_most),
        (_, None) => read_list(s, &field).map(PricePath::History),
        (_, Some(_)) => {
            let found = read_price_file(s, &field, replay, (instance, on_demand), spot, assumed);
            if !spot {
                return Changes::Constant;
            }
            found.map(|(history, first)| {
                held = first;
                PricePath::History(history)
            })
        }
    };
    let words = [("in-effect", Taken::InEffect), ("hour-start", Taken::HourStart)];
    let taken = s.word_or_first("taken", &words);
    path.map_or(Changes::Wrong, |path| Changes::As(Changing { path, taken, at_most }, held))
}

/// A list of prices from instants on.
fn read_list(s: &mut Section<'_, '_>, field: &Field<'_>) -> Option<PriceHistory> {
    let mut changes = Vec::new();
    let mut texts = Vec::new();
    for mut change in field.tables() {
        let at: Option<Span> = change.required("at", "at = \"3 h\"").quantity();
        let price: Option<Price> = change.required("spot", "spot = \"0.95 USD/h\"").quantity();
        change.finish();
        let (at, price) = (at?, price?);
        texts.push(format!("{{ at = {}, spot = {} }}", quoted(&at.to_string()), quoted(&price.to_string())));
        changes.push((SimTime::ZERO + at, price));
    }
    s.echo("history", format!("[{}]", texts.join(", ")), "since submit");
    match PriceHistory::new(changes) {
        Ok(history) => Some(history),
        Err(error) => {
            field.refuse(error.to_string(), "begin with at = \"0 s\" and go forward");
            None
        }
    }
}

/// More prices than this within the horizon would be drawn for ever.
const STEPS_MAX: u64 = 1_000_000;
/// Real prices move at most a few times a day.
const EVERY: Span = Span::from_s(3_600);

fn read_mean_reverting(
    s: &mut Section<'_, '_>,
    field: &Field<'_>,
    horizon: Span,
    at_most: &mut Option<Price>,
) -> Option<PricePath> {
    let mut s = Section::new(field.table()?, s.echo, &format!("{}.mean_reverting", s.table));
    let mean_field = s.reader.required("mean", "mean = \"0.95 USD/h\"");
    let mean: Option<Price> = s.quantity("mean");
    if mean == Some(Price::ZERO) {
        mean_field.refuse_value("must be above 0");
    }
    let sd_field = s.reader.required("sd", "sd = 0.15");
    let sd = sd_field.number((Bound::Excluded(0.0), Bound::Included(2.0)));
    if let Some(sd) = sd {
        s.echo("sd", sd.to_string(), "of the logarithm of the price");
    }
    s.reader.required("half_life", "half_life = \"2 d\"");
    let half_life = s.positive_span("half_life");
    let every_field = s.reader.field("every");
    let every = if every_field.is_given() { s.positive_span("every") } else { Some(EVERY) };
    if !every_field.is_given() {
        s.echo("every", quoted(&EVERY.to_string()), "");
    }
    *at_most = s.quantity("at_most");
    s.reader.finish();
    if let Some(every) = every.filter(|every| horizon.ns() / every.ns() > STEPS_MAX) {
        let title = format!("a price every {every} within {horizon} are too many");
        every_field.refuse(title, "a million at the most; look at it less often");
        return None;
    }
    MeanReverting::new(mean?, sd?, half_life?, every?).map(PricePath::MeanReverting)
}
