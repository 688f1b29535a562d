//! `[capacity.notice]`, the warning before Spot nodes are taken, and the save that follows it.

use super::checkpoint::{Duration, Saver};
use super::echo::quoted;
use super::plan::NoticeSave;
use super::problem::Problem;
use super::section::Section;
use super::tree::Value;
use crate::units::Span;

/// `[capacity.notice]`: a loss is announced, maybe.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Notice {
    /// From the notice to the loss.
    pub lead: Span,
    /// Chance that a notice comes.
    pub probability: f64,
    /// How much later the job sees it.
    pub poll: Span,
}

/// Reads `[capacity.notice]`; `None` where the table is absent or wrong.
pub(super) fn read_notice(s: &mut Section<'_, '_>) -> Option<Notice> {
    let mut inner = s.reader.field("notice").table()?;
    let lead: Option<Span> = inner.required("lead", "lead = \"2 min\"").quantity();
    let probability = inner.field("probability").number(0.0..=1.0).unwrap_or(1.0);
    let poll_field = inner.field("poll");
    let poll: Span = poll_field.quantity().unwrap_or(Span::ZERO);
    inner.finish();
    let lead = lead?;
    if poll > lead {
        poll_field.refuse_value("must not be above `lead`");
        return None;
    }
    let text = format!(
        "{{ lead = {}, probability = {probability}, poll = {} }}",
        quoted(&lead.to_string()),
        quoted(&poll.to_string())
    );
    s.echo("notice", text, "");
    Some(Notice { lead, probability, poll })
}

/// `on_notice`: whether the job saves at a notice, and if so whether it trains on for as long as it can.
pub(super) fn read_on_notice(s: &mut Section<'_, '_>) -> Option<bool> {
    let field = s.reader.field("on_notice");
    match field.value() {
        Some(Value::Text(_)) => {
            let late = field.word(&[("late", true)])?;
            s.echo("on_notice", quoted("late"), "");
            Some(late)
        }
        _ => s.flag_or("on_notice", false).then_some(false),
    }
}

/// The save at a notice of a Spot cluster, with a warning where notice and save do not go together.
pub(super) fn notice_save(
    s: &mut Section<'_, '_>,
    late: bool,
    duration: Duration,
    saver: &Saver<'_>,
) -> Option<NoticeSave> {
    let save = s.quantity_or("notice_save", duration.total());
    let Some(notice) = saver.spot_capacity?.notice else {
        let help = "add to the scenario: [capacity.notice] lead = \"2 min\"";
        s.reader.report(
            Problem::error("`on_notice` needs to know when a notice comes")
                .at(s.reader.place(), "")
                .help(help),
        );
        return None;
    };
    let ahead = notice.lead - notice.poll;
    let step = saver.work.step.total();
    if save > ahead {
        let title = format!("a save takes {save}, and the notice comes {ahead} before the loss");
        s.reader.report(Problem::warning(title).at(s.reader.place(), "no save at a notice is ever kept"));
    } else if save + step > ahead {
        let title = format!("a step of {step} and a save of {save} may not fit a notice of {ahead}");
        let label = "a save begins at the end of a step: some are not kept";
        s.reader.report(Problem::warning(title).at(s.reader.place(), label));
    }
    Some(NoticeSave { probability: notice.probability, ahead, save, late })
}
