//! `[pricing] history = "FILE"`: recorded prices, replayed from the instant at which the job begins.

use super::assumed::Assumed;
use super::echo::quoted;
use super::field::Field;
use super::price_series::{Wanted, choose};
use super::problem::Problem;
use super::section::Section;
use super::source::Place;
use super::zones::ANY_ZONE;
use crate::capacity::recorded::{Begin, Recorded};
use crate::facts::InstanceRef;
use crate::pricing::{Clock, PriceHistory};
use crate::records::{Content, How, Prices, ReadError, Remark, prices};
use crate::scenario::capacity::ReadFile;
use crate::units::{Price, SimTime, Span, Timestamp, UnitError, UtcOffset};

/// What recorded prices are laid against.
pub(super) struct Replay<'a> {
    /// The cluster's zone.
    pub zone: &'a str,
    /// When the job is submitted.
    pub submit: Option<Timestamp>,
    /// The capacity trace, if there is one.
    pub trace: Option<&'a Recorded>,
    /// When a replication is cut.
    pub horizon: Span,
    /// Reads files that the scenario names.
    pub read_file: &'a ReadFile<'a>,
}

/// A beginning without a price on record, billed at the first one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// How long it is.
    pub uncovered: Span,
    /// From when the first price holds.
    pub first_at: Timestamp,
    /// That price.
    pub price: Price,
    /// Where the scenario asks for it.
    pub place: Place,
}

/// Prices below this share of On-Demand are doubted.
const DOUBTED_BELOW: f64 = 0.05;
/// A newest record older than this when the job begins is doubted. Prices that AWS tells change several times
/// a week; those of three months ago it does not tell any more.
const STALE: Span = Span::from_s(30 * 86_400);
/// Lines with faults that are told.
const FAULTS_TOLD: usize = 20;

/// Where on its clock a history begins.
struct Ground {
    clock: Clock,
    /// The clock's zero.
    zero: Timestamp,
    /// The first instant at which a price is asked for.
    first: Timestamp,
    /// The last instant at which a replication begins.
    last_begin: Timestamp,
}

/// Reads the file that `field` names and takes the series of the cluster's zone, type and product. Where no
/// Spot node is held (`spot`) the file is read for its faults alone.
pub(super) fn read_price_file(
    s: &mut Section<'_, '_>,
    field: &Field<'_>,
    replay: &Replay<'_>,
    (instance, on_demand): (&InstanceRef<'_>, Option<Price>),
    spot: bool,
    assumed: &mut Vec<Assumed>,
) -> Option<(PriceHistory, Option<Held>)> {
    let name = field.text()?;
    let product = s.reader.field("product");
    let product = if product.is_given() { product.text()? } else { "Linux/UNIX" };
    let product_text = quoted(product);
    let hold = s.reader.field("before_first").word(&[("refuse", false), ("hold", true)]).unwrap_or(false);
    let how = How {
        local: read_offset(s),
        skip_bad: s.reader.field("skip_bad").boolean().unwrap_or(false),
        ..How::default()
    };
    let (found, remarks) = read(name, &how, field, s, replay.read_file)?;
    let echo = |s: &mut Section<'_, '_>, note: String| {
        s.echo("history", quoted(name), note);
        s.echo("product", product_text.clone(), "");
        s.echo("before_first", quoted(if hold { "hold" } else { "refuse" }), "");
        s.echo("skip_bad", how.skip_bad.to_string(), "");
    };
    if !spot {
        echo(s, "not used by a cluster that holds no Spot node".into());
        return None;
    }
    let instance = instance.instance.name.as_str();
    let wanted = Wanted { zone: (replay.zone != ANY_ZONE).then_some(replay.zone), instance, product };
    let one = match choose(found, &wanted, name) {
        Ok(one) => one,
        Err(problem) => {
            s.reader.report(problem.at(field.place(), ""));
            return None;
        }
    };
    let ground = match ground(replay) {
        Ok(ground) => ground,
        Err((title, label)) => {
            field.refuse(title, label);
            return None;
        }
    };
    let (begin, end) = (one.changes.first()?.0, one.changes.last()?.0);
    echo(s, format!("{} prices from {begin} to {end}", one.changes.len()));
    let of =
        format!("{instance} in {}", if one.label.zone.is_empty() { "any zone" } else { &one.label.zone });
    let told = remarks.iter().filter(|remark| !remark.warning).map(|remark| remark.text.as_str());
    let told = told.collect::<Vec<_>>().join("; ");
    let sentence = format!("Spot prices of {of} from \"{name}\": {told}");
    let (source, date) = (format!("\"{name}\": {told}"), format!("{begin} to {end}"));
    assumed.push(Assumed::new("Spot prices", sentence).with(of.clone(), source, date));
    warn_left_out(&remarks, field, s);
    warn_implausible(&one, on_demand, field, s);
    warn_stale(end, &ground, field, s);
    let held = uncovered(&one, &ground, field);
    if let Some(held) = held.as_ref().filter(|_| !hold) {
        let title = format!(
            "\"{name}\" has no price of {of} before {}: the first {} after {} are not covered",
            held.first_at,
            lasting(held.uncovered),
            ground.first
        );
        let help = "begin later, or bill that time at the first price: before_first = \"hold\"";
        s.reader.report(Problem::error(title).at(field.place(), "").help(help));
        return None;
    }
    let history =
        PriceHistory::new(changes(&one, &ground)).expect("a series rises strictly and begins at zero");
    Some((history.by(ground.clock), held))
}

fn read_offset(s: &mut Section<'_, '_>) -> Option<UtcOffset> {
    let field = s.reader.field("utc_offset");
    let text = field.text()?;
    match text.parse() {
        Ok(offset) => {
            s.echo("utc_offset", quoted(text), "of times without a zone");
            Some(offset)
        }
        Err(error) => {
            let UnitError { problem, help } = error;
            field.refuse(format!("`utc_offset = \"{text}\"` {problem}"), help);
            None
        }
    }
}

/// The series of the file; what is wrong with it is reported, all lines at once.
fn read(
    name: &str,
    how: &How,
    field: &Field<'_>,
    s: &Section<'_, '_>,
    read_file: &ReadFile<'_>,
) -> Option<(Vec<Prices>, Vec<Remark>)> {
    let text = match read_file(name) {
        Ok(text) => text,
        Err(why) => {
            field.refuse(format!("the prices \"{name}\" cannot be read: {why}"), "");
            return None;
        }
    };
    match prices::read(&text, how) {
        Ok(recording) => match recording.content {
            Content::Prices(found) => Some((found, recording.remarks)),
            _ => None,
        },
        Err(ReadError::Lines { faults }) => {
            let lines = if faults.len() == 1 { "a line" } else { "lines" };
            let title = format!("the prices \"{name}\" have {lines} that cannot be used");
            let mut problem = Problem::error(title).at(field.place(), "");
            for (line, fault) in faults.iter().take(FAULTS_TOLD) {
                problem = problem.note(format!("line {line}: {fault}"));
            }
            if faults.len() > FAULTS_TOLD {
                problem = problem.note(format!("and {} more", faults.len() - FAULTS_TOLD));
            }
            if faults.iter().any(|(_, fault)| fault.starts_with("the price")) && !how.skip_bad {
                problem = problem.help("`skip_bad = true` leaves them out, so that the price before goes on");
            }
            s.reader.report(problem);
            None
        }
        Err(error) => {
            field.refuse(format!("the prices \"{name}\": {error}"), "");
            None
        }
    }
}

/// Where the prices begin, or why that cannot be told.
fn ground(replay: &Replay<'_>) -> Result<Ground, (String, String)> {
    let by_trace = replay.trace.and_then(|trace| trace.first_instant().map(|zero| (trace, zero)));
    if let Some((trace, zero)) = by_trace {
        let lap = trace.wraps().then(|| trace.length());
        let (begin, last_begin) = match trace.begin_of_replications() {
            Begin::Start => (Span::ZERO, zero),
            Begin::At(into) => (into, zero + into),
            Begin::Random => (Span::ZERO, zero + trace.length()),
        };
        // A trace that begins anew brings its prices back from its start on.
        let first = if lap.is_some() { zero } else { zero + begin };
        return Ok(Ground { clock: Clock::Trace { lap }, zero, first, last_begin });
    }
    if replay.trace.is_some_and(|trace| trace.begin_of_replications() == Begin::Random) {
        return Err((
            "recorded prices cannot follow a trace without civil times to a random instant".into(),
            "name a trace that has times, or write begin = \"start\" and [job] submit".into(),
        ));
    }
    let Some(submit) = replay.submit else {
        return Err((
            "recorded prices need the instant at which the job is submitted".into(),
            "add `submit = 2026-03-02T01:00:00Z` to [job]".into(),
        ));
    };
    Ok(Ground { clock: Clock::Submit, zero: submit, first: submit, last_begin: submit })
}

/// What lies before the first price.
fn uncovered(one: &Prices, ground: &Ground, field: &Field<'_>) -> Option<Held> {
    let &(first_at, price) = one.changes.first()?;
    let uncovered = first_at.since(ground.first).filter(|span| !span.is_zero())?;
    Some(Held { uncovered, first_at, price, place: field.place() })
}

/// The changes on the clock. What held at the first instant, or else comes first, holds from zero on.
fn changes(one: &Prices, ground: &Ground) -> Vec<(SimTime, Price)> {
    let before = one.changes.partition_point(|(at, _)| *at <= ground.first).saturating_sub(1);
    let on_clock = |at: Timestamp| SimTime::ZERO + at.since(ground.zero).unwrap_or(Span::ZERO);
    let kept = one.changes[before..].iter();
    let mut changes: Vec<_> = kept.map(|&(at, price)| (on_clock(at), price)).collect();
    changes[0].0 = SimTime::ZERO;
    changes
}

fn warn_left_out(remarks: &[Remark], field: &Field<'_>, s: &Section<'_, '_>) {
    let warnings: Vec<&Remark> = remarks.iter().filter(|remark| remark.warning).collect();
    if warnings.is_empty() {
        return;
    }
    let title = format!("the prices \"{}\" are not all that they seem", field.text().unwrap_or(""));
    let mut problem = Problem::warning(title).at(field.place(), "");
    for remark in warnings.iter().take(FAULTS_TOLD) {
        let line = remark.line.map_or(String::new(), |line| format!("line {line}: "));
        problem = problem.note(format!("{line}{}", remark.text));
    }
    if warnings.len() > FAULTS_TOLD {
        problem = problem.note(format!("and {} more", warnings.len() - FAULTS_TOLD));
    }
    s.reader.report(problem);
}

fn warn_implausible(one: &Prices, on_demand: Option<Price>, field: &Field<'_>, s: &Section<'_, '_>) {
    let Some(on_demand) = on_demand.map(Price::as_usd_per_hour).filter(|usd| *usd > 0.0) else { return };
    let share = |price: &Price| price.as_usd_per_hour() / on_demand;
    let doubted: Vec<_> = one.changes.iter().filter(|(_, price)| share(price) < DOUBTED_BELOW).collect();
    let Some((at, price)) = doubted.first() else { return };
    let title = format!(
        "{} recorded prices are below {:.0} % of On-Demand; the first: {price} at {at}, {:.1} % of it",
        doubted.len(),
        DOUBTED_BELOW * 100.0,
        share(price) * 100.0
    );
    s.reader.report(Problem::warning(title).at(field.place(), "are they right?"));
}

fn warn_stale(newest: Timestamp, ground: &Ground, field: &Field<'_>, s: &Section<'_, '_>) {
    let Some(age) = ground.last_begin.since(newest).filter(|age| *age > STALE) else { return };
    let title =
        format!("the newest price on record is {} old when the job begins: it is of {newest}", lasting(age));
    s.reader.report(Problem::warning(title).at(field.place(), "it is taken to hold still"));
}

/// `66 d 15 h`, `2 h 15 min`, `40 s`: whole seconds.
pub(super) fn lasting(span: Span) -> String {
    let seconds = span.ns() / 1_000_000_000;
    let parts = [
        (seconds / 86_400, "d"),
        (seconds / 3_600 % 24, "h"),
        (seconds / 60 % 60, "min"),
        (seconds % 60, "s"),
    ];
    let told: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, unit)| format!("{count} {unit}")).collect();
    if told.is_empty() { span.to_string() } else { told.join(" ") }
}

/// Says what share of the ideal run is billed at the first price for want of an earlier one.
pub(super) fn warn_held(held: &Held, ideal: Span, sink: &super::problem::Sink) {
    let covered = held.uncovered.min(ideal);
    let share = if ideal.is_zero() { 1.0 } else { covered.as_secs() / ideal.as_secs() };
    let title = format!(
        "no price is on record for the first {}, {:.2} % of the ideal run of {}: billed at the first one, {} of {}",
        lasting(held.uncovered),
        share * 100.0,
        lasting(ideal),
        held.price,
        held.first_at
    );
    sink.report(Problem::warning(title).at(held.place, "an assumption: before_first = \"hold\""));
}
