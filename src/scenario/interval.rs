//! `every = "optimum"`, and intervals that cannot work.

use super::checkpoint::{Duration, Saver};
use super::echo::quoted;
use super::field::Field;
use super::plan::ReshardFrom;
use super::problem::Problem;
use super::section::Section;
use super::uptime::GangUptime;
use crate::capacity::path::Path;
use crate::checkpoint::Every;
use crate::units::Span;

/// How far apart saves that cost nothing are: what is lost between them is nothing to an uptime.
const FREE_SAVES: Span = Span::from_s(1);

/// The interval that `every = "optimum"` comes to; `Some(None)` where nothing is ever lost.
pub(super) fn read_optimum(
    s: &mut Section<'_, '_>,
    field: &Field<'_>,
    duration: Duration,
    saver: &Saver<'_>,
) -> Option<Option<Every>> {
    let written = saver
        .spot_capacity
        .is_some_and(|capacity| matches!(capacity.path, Path::Events(_)) || !capacity.losses.is_empty());
    if written {
        field.refuse(
            "`every = \"optimum\"` needs a law of losses, and here they are written out",
            "write a time such as \"15 min\"",
        );
        return None;
    }
    if saver.reshard.is_some_and(|reshard| reshard.from == ReshardFrom::Memory) {
        field.refuse(
            "`every = \"optimum\"` is not available with `reshard_from = \"memory\"`",
            "most losses take nothing there that a save would bring back; write a time such as \"15 min\"",
        );
        return None;
    }
    let Some(uptime) = saver.uptime() else {
        s.echo("every", quoted("optimum"), "nothing is lost: no saves");
        return Some(None);
    };
    let start = saver.start;
    let restart_s = start.restore.mean_s()
        + match saver.reshard {
            Some(reshard) => reshard.law.mean_s(),
            None => start.bring_up_mean_s(),
        };
    let (interval_s, note) = uptime.best_interval(duration.stall, duration.upload, restart_s);
    // Whole milliseconds are finer than the optimum is sharp; rounded down, a save that just fits still fits.
    let interval = Span::from_ns(Span::from_secs_saturating(interval_s).ns() / 1_000_000 * 1_000_000);
    let least = if duration.stall.is_zero() { FREE_SAVES } else { Span::from_ns(1_000_000) };
    let interval = interval.max(duration.upload).max(saver.work.step.total()).max(least);
    s.echo("every", quoted(&interval.to_string()), format!("optimum: {note}"));
    Some(Some(Every::Time(interval)))
}

/// Whether the mean uptime is surely longer than `save_s`: it is at least t × survival(t), for any t. The mean itself
/// is a sum over thousands of times, which would be most of what it takes to read a scenario.
fn outlasts(uptime: &GangUptime<'_>, save_s: f64) -> bool {
    [2.0, 8.0, 32.0].into_iter().any(|times| times * uptime.survival(times * save_s) > 1.001)
}

/// Says before any simulation that saves take longer than capacity lasts.
pub(super) fn warn_of_long_saves(
    s: &Section<'_, '_>,
    every: Option<Every>,
    duration: Duration,
    saver: &Saver<'_>,
) {
    let (Some(_), Some(uptime)) = (every, saver.uptime()) else { return };
    if outlasts(&uptime, duration.total().as_secs()) {
        return;
    }
    let mean = Span::from_secs_saturating(uptime.mean_s());
    if duration.total() > mean {
        let title = format!(
            "a save takes {}, and the gang lasts {:.2} h in the mean",
            duration.total(),
            mean.as_hours()
        );
        s.reader.report(Problem::warning(title).at(s.reader.place(), "hardly any save is ever durable"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capacity::shock::Shock;
    use crate::capacity::{Exponential, Kind, Law};
    use crate::scenario::plan::Capacity;

    /// Shocks that always hit, once in 100 s in the mean.
    #[test]
    fn only_what_is_longer_than_the_mean_is_not_outlasted() {
        let between =
            Law::new(Kind::Exponential(Exponential::new(Span::from_s(100)).unwrap()), None).unwrap();
        let none = Law::constant(Span::ZERO);
        let capacity = Capacity {
            path: Path::Always,
            zone: 0,
            lifetime: None,
            notice: None,
            acquire: none.clone(),
            acquire_first: none,
            losses: Vec::new(),
            shocks: vec![Shock { between, hit: 1.0, place: 0 }],
        };
        let uptime = GangUptime::new(Some(&capacity), None, 1).unwrap();
        assert!(outlasts(&uptime, 10.0) && outlasts(&uptime, 30.0));
        assert!([100.0, 101.0, 150.0, 400.0, 1e9].into_iter().all(|save_s| !outlasts(&uptime, save_s)));
    }
}
