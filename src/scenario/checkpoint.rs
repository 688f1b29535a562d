//! `[checkpoint]`: when the job saves and what that costs.

use super::echo::quoted;
use super::plan::Work;
use super::section::Section;
use crate::checkpoint::{Cycle, Every};
use crate::units::Span;

/// Reads `[checkpoint]` for a job of steps of `work`. Without `every` and `steps` nothing is saved,
/// but for the last state where `final_save` asks for it.
pub fn read_checkpoint(mut s: Section<'_, '_>, work: &Work) -> Option<Cycle> {
    s.reader.hint("interval", "every");
    for key in ["on_notice", "optimum", "to", "bandwidth", "keep"] {
        s.reader.not_available(key, "");
    }
    let mode = s.reader.field("mode");
    if mode.is_word("async") {
        mode.refuse("`mode = \"async\"` is not available in this version", "write \"sync\"");
    } else {
        s.word_or_first("mode", &[("sync", ())]);
    }
    let cadence = s.reader.one_of("cadence", &["every", "steps"]);
    let every = match cadence {
        Some(("every", field)) if field.is_word("optimum") => {
            field.refuse(
                "`every = \"optimum\"` is not available in this version",
                "write a time such as \"15 min\"",
            );
            return None;
        }
        Some(("every", _)) => Some(Every::Time(s.positive_span("every")?)),
        Some((_, field)) => {
            let steps: u64 = field.whole(1..)?;
            s.echo("steps", steps.to_string(), "");
            Some(Every::Steps(steps))
        }
        None => None,
    };
    let final_save = s.flag_or("final_save", false);
    let stall = match every.is_some() || final_save {
        true => {
            let field = s.reader.required("stall", "stall = \"5 s\"");
            let stall: Option<Span> = field.quantity();
            if let Some(stall) = stall {
                s.echo("stall", quoted(&stall.to_string()), "steps stand still for each save");
            }
            stall
        }
        false => Some(s.quantity_or("stall", Span::ZERO)),
    };
    s.reader.finish();
    Some(Cycle::new(work.step.total(), every, stall?, final_save))
}
