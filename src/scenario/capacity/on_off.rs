//! `[capacity.markov]` in its short form and `[capacity.diurnal]`: capacity that is lost and comes back
//! without memory.

use crate::capacity::correlation::Correlation;
use crate::capacity::hours::Clock;
use crate::capacity::on_off::{Begin, Hours, Means, OnOff};
use crate::capacity::path::Path;
use crate::records::region;
use crate::rng::place_key;
use crate::scenario::echo::quoted;
use crate::scenario::field::Field;
use crate::scenario::reader::Reader;
use crate::scenario::section::Section;
use crate::scenario::tree::Value;
use crate::units::Span;

/// Reads `uptime`, `gap`, `correlation` and `begin` of `[capacity.markov]`.
pub(super) fn read_markov(s: &mut Section<'_, '_>, mut inner: Reader<'_>, zone: &str) -> Option<Path> {
    let means = read_means(&mut inner);
    let correlation = read_correlation(&mut inner);
    let words = [("stationary", Begin::Stationary), ("up", Begin::Up)];
    let begin = inner.field("begin").word(&words).unwrap_or_default();
    inner.finish();
    let (means, correlation) = (means?, correlation?);
    let word = words.iter().find(|(_, b)| *b == begin).map_or("", |(word, _)| word);
    let text = format!("{{ {}, begin = {} }}", shared_text(means, correlation), quoted(word));
    s.echo("markov", text, "");
    Some(Path::OnOff(OnOff::new(means, correlation, place_key(region(zone)), begin, None)))
}

/// Reads `[capacity.diurnal]`.
pub(super) fn read_diurnal(s: &mut Section<'_, '_>, field: &Field<'_>, zone: &str) -> Option<Path> {
    let mut inner = field.table()?;
    let means = read_means(&mut inner);
    let correlation = read_correlation(&mut inner);
    let mut text = Vec::new();
    let mut clock = |by_hour: &'static str, by_weekday: &'static str| {
        let hours = read_factors(&mut inner, by_hour, "hours of a day", &mut text);
        let days = read_factors(&mut inner, by_weekday, "days of a week, Monday first", &mut text);
        Some((hours?, days?))
    };
    let (loss, back) =
        (clock("loss_by_hour", "loss_by_weekday"), clock("return_by_hour", "return_by_weekday"));
    inner.finish();
    let (means, correlation, loss, back) = (means?, correlation?, loss?, back?);
    let clock = |(by_hour, by_weekday): ([f64; 24], [f64; 7]), key: &str| {
        let clock = Clock::new(&by_hour, &by_weekday);
        if clock.is_none() {
            field.refuse(format!("the factors of `{key}` leave no hour of the week"), "one must be above 0");
        }
        clock
    };
    let hours = Hours { loss: clock(loss, "loss_by_hour")?, back: clock(back, "return_by_hour")? };
    let text = format!("{{ {}{} }}", shared_text(means, correlation), text.concat());
    s.echo("diurnal", text, "");
    let region = place_key(region(zone));
    Some(Path::OnOff(OnOff::new(means, correlation, region, Begin::Stationary, Some(hours))))
}

fn read_means(inner: &mut Reader<'_>) -> Option<Means> {
    let uptime =
        positive(&inner.required("uptime", "uptime = \"5 h\""), "capacity that never lasts cannot be used");
    let gap = positive(
        &inner.required("gap", "gap = \"20 min\""),
        "capacity that is always there is `always = {}`",
    );
    Some(Means { uptime: uptime?, gap: gap? })
}

/// A mean time, which must be above 0.
pub(super) fn positive(field: &Field<'_>, why: &str) -> Option<Span> {
    let span: Span = field.quantity()?;
    if span.is_zero() {
        field.refuse("a mean time must be above 0", why);
        return None;
    }
    Some(span)
}

/// One number is that of zones of one region. Zones that share nothing where it is not given.
fn read_correlation(inner: &mut Reader<'_>) -> Option<Correlation> {
    let field = inner.field("correlation");
    if !field.is_given() {
        return Some(Correlation::NONE);
    }
    if !matches!(field.value(), Some(Value::Table(_))) {
        return Some(Correlation { region: field.number(Correlation::RANGE)?, global: 0.0 });
    }
    let mut table = field.table()?;
    let region = table.required("region", "region = 0.43").number(Correlation::RANGE);
    let global = table.field("global");
    let global = if global.is_given() { global.number(Correlation::RANGE) } else { Some(0.0) };
    table.finish();
    let (region, global) = (region?, global?);
    if global > region {
        let title = format!("`global = {global}` is above `region = {region}`");
        field.refuse(title, "zones of one region share all that zones of different regions share");
        return None;
    }
    Some(Correlation { region, global })
}

fn shared_text(means: Means, correlation: Correlation) -> String {
    let Correlation { region, global } = correlation;
    format!(
        "uptime = {}, gap = {}, correlation = {{ region = {region}, global = {global} }}",
        quoted(&means.uptime.to_string()),
        quoted(&means.gap.to_string()),
    )
}

/// `N` factors from 0 up; all 1 where they are not given, and then they are not echoed.
fn read_factors<const N: usize>(
    inner: &mut Reader<'_>,
    key: &'static str,
    what: &str,
    text: &mut Vec<String>,
) -> Option<[f64; N]> {
    let field = inner.field(key);
    if !field.is_given() {
        return Some([1.0; N]);
    }
    let factors = field.list_of(|item| item.number(0.0..=1e6))?;
    let found = factors.len();
    match <[f64; N]>::try_from(factors) {
        Ok(factors) => {
            text.push(format!(", {key} = [{}]", factors.map(|factor| factor.to_string()).join(", ")));
            Some(factors)
        }
        Err(_) => {
            field.refuse(format!("`{key}` has {found} factors"), format!("write {N}, for the {what}"));
            None
        }
    }
}
