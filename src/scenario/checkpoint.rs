//! `[checkpoint]`: when the job saves and what that costs.

use super::anatomy::Anatomy;
use super::assumed::Assumed;
use super::echo::quoted;
use super::elastic::Reshard;
use super::input::Store;
use super::interval::{read_optimum, warn_of_long_saves};
use super::job::{Job, JobWork};
use super::notice::{notice_save, read_on_notice};
use super::plan::{Capacity, NoticeSave, SavedOn, Start, Work};
use super::problem::Problem;
use super::saved_state::{SavedState, read_saved_state};
use super::section::Section;
use super::throughput::{Machines, Throughput};
use super::uptime::GangUptime;
use crate::capacity::Law;
use crate::checkpoint::{Cycle, Every};
use crate::units::{Bandwidth, Bytes, Span};

/// What `[checkpoint]` comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// The cadence of saves.
    pub cycle: Cycle,
    /// The save at the notice of a loss.
    pub notice: Option<NoticeSave>,
    /// What holds the saves.
    pub saved_on: SavedOn,
    /// What is stored, if anything is saved.
    pub stored: Option<Stored>,
    /// The fact from the catalogue that durations hang on, in words.
    pub assumed: Option<Assumed>,
}

/// What saves take up where they are stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stored {
    /// One save, where it is known.
    pub size: Option<Bytes>,
    /// Where saves go, if the scenario says so.
    pub to: Option<Store>,
    /// How many of the newest saves are kept; `None`: all.
    pub keep: Option<u32>,
    /// How many nodes write a part each.
    pub writers: u32,
    /// Whether the store is in another region.
    pub other_region: bool,
    /// How fast a save is copied to another region, if the scenario says so.
    pub move_bandwidth: Option<Bandwidth>,
}

/// What the reading of `[checkpoint]` hangs on.
pub(super) struct Saver<'a> {
    pub job: &'a Job,
    pub work: &'a Work,
    pub machines: &'a Machines,
    pub throughput: &'a Throughput,
    /// One step, where the work has steps.
    pub step: Option<&'a Anatomy>,
    pub start: &'a Start,
    /// How an elastic gang goes on after a loss.
    pub reshard: Option<&'a Reshard>,
    /// What takes Spot nodes; `None` on On-Demand, and where it is wrong, which is said elsewhere.
    pub spot_capacity: Option<&'a Capacity>,
    pub failures: Option<&'a Law>,
    /// Whether its zones lie in several regions.
    pub several_regions: bool,
}

impl Saver<'_> {
    /// How long a fresh gang lasts, where a law says so.
    pub fn uptime(&self) -> Option<GangUptime<'_>> {
        GangUptime::new(self.spot_capacity, self.failures, self.machines.nodes)
    }
}

/// How a save is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mode {
    /// Steps go on while it is uploaded.
    uploads: bool,
    /// Every rank saves its part.
    sharded: bool,
}

const MODES: [(&str, Mode); 4] = [
    ("sync", Mode { uploads: false, sharded: false }),
    ("async", Mode { uploads: true, sharded: false }),
    ("sharded", Mode { uploads: false, sharded: true }),
    ("async-sharded", Mode { uploads: true, sharded: true }),
];

/// How long one save takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Duration {
    pub stall: Span,
    pub upload: Span,
}

impl Duration {
    /// Until it is durable.
    pub fn total(self) -> Span {
        self.stall + self.upload
    }
}

/// How long a restarted node reads the newest save, where `[checkpoint]` tells; what is wrong there is
/// said by [`read_checkpoint`].
pub(super) fn restore_time(mut s: Section<'_, '_>, job: Option<&Job>, machines: &Machines) -> Option<Span> {
    let mode = s.reader.field("mode").word(&MODES).unwrap_or(MODES[0].1);
    let state = read_saved_state(&mut s.reader, job, machines.nodes, mode.sharded);
    state.to.and_then(|_| state.read(machines))
}

/// Reads `[checkpoint]`. Without `every` and `steps` nothing is saved, but for the last state where
/// `final_save` asks for it and for the state at a notice where `on_notice` does.
pub(super) fn read_checkpoint(mut s: Section<'_, '_>, saver: &Saver<'_>) -> Option<Checkpoint> {
    s.reader.hint("interval", "every");
    s.reader.hint("optimum", "every");
    let mode = s.word_or_first("mode", &MODES);
    let cadence = s.reader.one_of("cadence", &["every", "steps"]);
    let final_save = s.flag_or("final_save", false);
    let on_notice = read_on_notice(&mut s);
    let state = read_saved_state(&mut s.reader, Some(saver.job), saver.machines.nodes, mode.sharded);
    echo_state(&mut s, &state, saver);
    let saves = cadence.is_some() || final_save || on_notice.is_some();
    let duration = read_duration(&mut s, mode, &state, saves, saver);
    let keep = read_keep(&mut s);
    let other_region = read_store_in(&mut s, state.to);
    let move_bandwidth = read_move_bandwidth(&mut s, saver);
    let notice_save_field = s.reader.field("notice_save");
    if on_notice.is_none() && notice_save_field.is_given() {
        notice_save_field.refuse("`notice_save` has no effect without `on_notice`", "add `on_notice = true`");
    }
    let every = match (cadence, duration) {
        (Some(("every", field)), Some(duration)) if field.is_word("optimum") => {
            read_optimum(&mut s, &field, duration, saver)?
        }
        (Some(("every", field)), _) if field.is_word("optimum") => None,
        (Some(("every", _)), _) => Some(Every::Time(s.positive_span("every")?)),
        (Some((_, field)), _) if matches!(saver.job.work, JobWork::IdealTime(_)) => {
            field.refuse(
                "`steps` needs work in steps, and an ideal time has none",
                "write `every` in its place",
            );
            None
        }
        (Some((_, field)), _) => {
            let steps: u64 = field.whole(1..)?;
            s.echo("steps", steps.to_string(), "");
            Some(Every::Steps(steps))
        }
        (None, _) => None,
    };
    let duration = duration?;
    let notice = on_notice.and_then(|late| notice_save(&mut s, late, duration, saver));
    warn_of_long_saves(&s, every, duration, saver);
    let given = s.reader.field(if mode.uploads { "upload" } else { "stall" }).is_given();
    let assumed = if saves && !given { state.assumed(saver.machines) } else { None };
    s.reader.finish();
    let cycle = Cycle::new(saver.work.step.total(), every, duration.stall, final_save);
    let burst_step = saver.work.burst.map(|burst| burst.step.total());
    let saved_on = match (state.to, mode.sharded && saver.machines.nodes > 1) {
        (Some(Store::Local), true) => SavedOn::EveryNode,
        (Some(Store::Local), false) => SavedOn::FirstNode,
        _ => SavedOn::Store,
    };
    let stored =
        Stored { size: state.size, to: state.to, keep, writers: state.writers, other_region, move_bandwidth };
    Some(Checkpoint {
        cycle: cycle.with_upload(duration.upload, burst_step),
        notice,
        saved_on,
        stored: saves.then_some(stored),
        assumed,
    })
}

fn echo_state(s: &mut Section<'_, '_>, state: &SavedState, saver: &Saver<'_>) {
    let Some(to) = state.to else {
        if state.size_is_given
            && let Some(size) = state.size
        {
            s.echo("size", quoted(&size.to_string()), "");
        }
        return;
    };
    let word = match to {
        Store::Local => "local",
        Store::Ebs => "ebs",
        Store::S3 | Store::Memory => "s3",
    };
    s.echo("to", quoted(word), "");
    if let Some(size) = state.size {
        let note = if state.size_is_given { "" } else { "weights in fp32 and the optimizer's state" };
        s.echo("size", quoted(&size.to_string()), note);
    }
    if let Some(rate) = state.write_rate(saver.machines) {
        s.echo("bandwidth", quoted(&rate.to_string()), "");
    }
}

/// `stall` and, where saves are uploaded beside training, `upload`: given, or from size and bandwidth.
fn read_duration(
    s: &mut Section<'_, '_>,
    mode: Mode,
    state: &SavedState,
    saves: bool,
    saver: &Saver<'_>,
) -> Option<Duration> {
    let machines = saver.machines;
    let write = state.write(machines);
    if !mode.uploads {
        let field = s.reader.field("upload");
        if field.is_given() {
            field.refuse("`upload` has no effect where steps stand still", "add `mode = \"async\"`");
        }
        let stall = read_part(s, "stall", write, "steps stand still for each save", saves);
        return Some(Duration { stall: stall?, upload: Span::ZERO });
    }
    // An upload whose time is given takes what it is given.
    let given = s.reader.field("upload").is_given();
    let sent = state.sent(machines).filter(|_| state.to == Some(Store::S3) && !given);
    let beside = sent.zip(saver.step);
    let beside = beside.map(|((part, rate), step)| saver.throughput.beside_upload(step, part, rate));
    let slower = beside.map_or(Span::ZERO, |beside| beside.slower);
    let copy = state.snapshot(machines).map(|copy| copy + slower);
    let note = match slower.is_zero() {
        true => "the copy to the host",
        false => "the copy to the host, and steps slower beside the upload",
    };
    let stall = read_part(s, "stall", copy, note, saves);
    let upload =
        read_part(s, "upload", beside.map(|b| b.upload).or(write), "then durable; steps go on", saves);
    Some(Duration { stall: stall?, upload: upload? })
}

/// A part of a save's duration: given, or `derived`; neither will do where nothing is saved.
fn read_part(
    s: &mut Section<'_, '_>,
    key: &'static str,
    derived: Option<Span>,
    note: &'static str,
    saves: bool,
) -> Option<Span> {
    let field = s.reader.field(key);
    let part = match (field.is_given(), derived) {
        (true, _) => field.quantity()?,
        (false, Some(derived)) => derived,
        (false, None) if saves => {
            let targeted = s.reader.field("to").is_given() || s.reader.field("bandwidth").is_given();
            if targeted {
                let title = format!("`{key}` cannot be told from size and bandwidth");
                let help = "a model gives the size, the catalogue the bandwidth of most instances; \
                            add `size = \"1 GB\"` or `bandwidth = \"500 MB/s\"`, or the time itself";
                let problem = Problem::error(title).at(s.reader.place(), "");
                s.reader.report(problem.help(help));
            } else {
                s.reader.required(key, &format!("{key} = \"5 s\""));
            }
            return None;
        }
        (false, None) => Span::ZERO,
    };
    s.echo(key, quoted(&part.to_string()), note);
    Some(part)
}

/// Whether objects are stored in another region than that of the nodes.
fn read_store_in(s: &mut Section<'_, '_>, to: Option<Store>) -> bool {
    let field = s.reader.field("store_in");
    if to == Some(Store::S3) {
        return s.word_or_first("store_in", &[("same-region", false), ("other-region", true)]);
    }
    if field.is_given() {
        field.refuse("`store_in` has no effect without `to = \"s3\"`", "");
    }
    false
}

/// How fast saves are copied to another region, where there is another.
fn read_move_bandwidth(s: &mut Section<'_, '_>, saver: &Saver<'_>) -> Option<Bandwidth> {
    let field = s.reader.field("move_bandwidth");
    let rate: Bandwidth = field.quantity()?;
    if !saver.several_regions {
        field.refuse("`move_bandwidth` has no effect where all zones lie in one region", "");
        return None;
    }
    s.echo("move_bandwidth", quoted(&rate.to_string()), "to another region");
    Some(rate)
}

fn read_keep(s: &mut Section<'_, '_>) -> Option<u32> {
    let field = s.reader.field("keep");
    let keep = if field.is_given() { field.whole(1..=1_u32 << 20) } else { None };
    if let Some(keep) = keep {
        s.echo("keep", keep.to_string(), "of the newest saves");
    }
    keep
}
