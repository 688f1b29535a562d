//! `[job] submit`: the instant of civil time at which recorded capacity and prices begin.

use super::echo::Echo;
use super::plan::Capacity;
use super::reader::Reader;
use super::tree::{Table, Value};
use crate::capacity::path::Path;
use crate::capacity::recorded::Begin;
use crate::units::Timestamp;

/// Reads `submit`; its zone must be given.
pub(super) fn read_submit(job: &mut Reader<'_>) -> Option<Timestamp> {
    let field = job.field("submit");
    let text = field.datetime()?;
    match text.parse() {
        Ok(instant) => Some(instant),
        Err(error) => {
            field.refuse(format!("`submit = {text}` {}", error.problem), error.help);
            None
        }
    }
}

/// Lets a recorded trace that begins at its start begin at `submit` instead, where it has civil times.
pub(super) fn begin_at_submit(capacity: &mut Capacity, submit: Option<Timestamp>, job: &mut Reader<'_>) {
    let Some(submit) = submit else { return };
    let trace = match &mut capacity.path {
        Path::Trace(trace) => trace,
        Path::OnOff(on_off) => return on_off.submit_at(submit),
        _ => return,
    };
    let Some(first) = trace.first_instant().filter(|_| trace.begin_of_replications() == Begin::Start) else {
        return;
    };
    if !trace.begin_at(submit) {
        let end = first + trace.length();
        job.field("submit").refuse(
            format!("`submit = {submit}` lies outside the capacity trace"),
            format!("the trace runs from {first} until before {end}"),
        );
    }
}

/// Says what `submit` is used for; `capacity` may hold a trace, `pricing` a file of prices.
pub(super) fn echo_submit(
    echo: &mut Echo,
    submit: Option<Timestamp>,
    capacity: Option<&Capacity>,
    pricing: &Table,
) {
    let Some(submit) = submit else { return };
    let trace = capacity.and_then(|capacity| match &capacity.path {
        Path::Trace(trace) => Some(trace),
        _ => None,
    });
    let by_hours = capacity.is_some_and(|capacity| match &capacity.path {
        Path::OnOff(on_off) => on_off.hours().is_some(),
        _ => false,
    });
    let history = pricing.entries.get("history").map(|entry| &entry.node.value);
    let prices = matches!(history, Some(Value::Text(_)));
    let begins = trace.map(|trace| (trace.first_instant().is_some(), trace.begin_of_replications()));
    let note = match (begins, prices) {
        (Some((true, Begin::Random)), _) => "not used: a replication begins at a random instant of the trace",
        (Some((true, _)), true) => "where capacity and prices begin",
        (Some((true, _)), false) => "where capacity begins",
        (Some((false, _)), true) => {
            "where prices begin; the trace has no civil times and begins at its start"
        }
        (None, true) => "where prices begin",
        (None, false) if by_hours => "its hour and weekday are those of the capacity",
        _ => "not used: nothing here hangs on civil time",
    };
    echo.set("job", "submit", submit.to_string(), note);
}
