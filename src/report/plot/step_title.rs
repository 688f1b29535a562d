//! The title of the lanes: the finding with its number, made from the steps by rule.

use super::frame::{TITLE_ROOM, TITLE_STYLE};
use super::step_lanes::{Clock, Named};

/// A wait below this share of its step is nothing to speak of.
const WORTH_NAMING: f64 = 0.005;

/// What the GPUs of `shown` wait for, where most and where least.
pub(super) fn step_title(shown: &[Named<'_>], clock: &Clock) -> String {
    let told = |seconds: f64| clock.text_with_unit(seconds);
    let exposed = |named: &Named<'_>| named.result.anatomy.sustained.parts.exposed_comm.as_secs();
    let stall = |named: &Named<'_>| named.result.anatomy.sustained.parts.data_stall.as_secs();
    let fastest = shown.iter().min_by(|a, b| a.step_s().total_cmp(&b.step_s()));
    let (Some(fastest), Some(worst), Some(starved)) =
        (fastest, longest(shown, exposed), longest(shown, stall))
    else {
        return "Nothing to show: no cluster has a step".to_owned();
    };
    let worth = |seconds: f64, named: &Named<'_>| seconds > WORTH_NAMING * named.step_s();
    if stall(starved) > exposed(worst) && worth(stall(starved), starved) {
        return titled(starved, |name| {
            format!("The GPU waits {} a step for its data on {name}", told(stall(starved)))
        });
    }
    if worth(exposed(worst), worst) {
        return outlast(shown, worst, clock, exposed, worth);
    }
    let sends = shown.iter().any(|named| !named.result.anatomy.sustained.transfers.is_empty());
    match (sends, shown) {
        (true, [one]) => titled(one, |name| format!("The backward pass hides the all-reduce on {name}")),
        (true, _) => "The backward pass hides the all-reduce on every cluster".to_owned(),
        (false, [one]) => {
            titled(one, |name| format!("All of the {} of a step is computing on {name}", told(one.step_s())))
        }
        (false, _) => titled(fastest, |name| {
            format!("No GPU waits; {name} is fastest with {} a step", told(fastest.step_s()))
        }),
    }
}

/// By how much gradients outlast the backward pass where that is most, and where it is least.
fn outlast(
    shown: &[Named<'_>],
    worst: &Named<'_>,
    clock: &Clock,
    exposed: impl Fn(&Named<'_>) -> f64,
    worth: impl Fn(f64, &Named<'_>) -> bool,
) -> String {
    let lead = "Gradients outlast the backward pass";
    let told = |named: &Named<'_>| clock.text_with_unit(exposed(named));
    let most = told(worst);
    let one = || titled(worst, |name| format!("{lead} by {most} on {name}"));
    let Some(least) = longest(shown, |named| -exposed(named)).filter(|least| exposed(least) < exposed(worst))
    else {
        return one();
    };
    let other = if worth(exposed(least), least) {
        format!("{} {}", least.name, told(least))
    } else {
        format!("{} none", least.name)
    };
    let all = [
        format!("{lead} by {most} on {}; {other}", worst.name),
        format!("Gradients make {} wait {most}, {other}", worst.name),
    ];
    all.into_iter().find(|title| TITLE_STYLE.room(title) <= TITLE_ROOM).unwrap_or_else(one)
}

/// Where something is most; of equals the first.
fn longest<'a, 'b>(shown: &'b [Named<'a>], of: impl Fn(&Named<'_>) -> f64) -> Option<&'b Named<'a>> {
    shown.iter().rev().max_by(|a, b| of(a).total_cmp(&of(b)))
}

/// A title about a cluster, whose name is cut so that the rest is not.
fn titled(named: &Named<'_>, sentence: impl Fn(&str) -> String) -> String {
    let left = TITLE_ROOM - TITLE_STYLE.room(&sentence(""));
    sentence(&TITLE_STYLE.shortened(&named.name, left))
}
