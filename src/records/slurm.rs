//! What Slurm's `sacct --duplicates --parsable2` prints: bars between fields, one line an attempt of a job.
//!
//! Lines of steps (a dot in the number) are parts of an attempt and are left out. An attempt lasts as long as
//! `Elapsed` says: `Start` and `End` are local times, and an hour may lie between them that never was.
//! Times are read in [`How::local`]; Slurm writes no zone, so without that they are read as UTC, and that
//! is said.

use super::faults::first_told;
use super::own::table;
use super::sheet::{Sheet, shown, time, whole};
use super::{Content, How, Job, JobEnd, Phase, PhaseKind, ReadError, Recording, Remark};
use crate::units::{Span, Timestamp, UtcOffset};

/// Above this, `Elapsed` and the two times do not mean the same.
const ROUNDING: Span = Span::from_s(1);

/// One attempt as a line has it.
struct Line {
    number: u64,
    job: String,
    submit: Timestamp,
    /// `None` where it has not started.
    run: Option<(Timestamp, Span)>,
    nodes: u32,
    end: JobEnd,
}

/// Reads accounting lines of jobs, grouped by the number of the job.
pub fn read(text: &str, how: &How) -> Result<Recording, ReadError> {
    let mut sheet = Sheet::open(text)?;
    let [id, state, submit, start, elapsed, nodes] = sheet.columns([
        &["jobid", "jobidraw"],
        &["state"],
        &["submit"],
        &["start"],
        &["elapsed"],
        &["nnodes", "allocnodes"],
    ])?;
    let ends = sheet.find(&["end"]);
    let local = how.local.unwrap_or(UtcOffset::UTC);
    let (mut lines, mut remarks, mut zoneless) = (Vec::<Line>::new(), Vec::new(), 0_u64);
    let faults = sheet.each(|row| {
        let job = row.cell(id);
        if job.is_empty() {
            return Err("`JobID` is empty".to_owned());
        }
        if job.contains('.') {
            return Ok(());
        }
        let end = end_of(row.cell(state))?;
        zoneless += u64::from(Timestamp::parse(row.cell(submit), None).is_err());
        let submitted = time(row.cell(submit), "Submit", Some(local))?;
        let run = match row.cell(start) {
            "Unknown" | "None" | "" => None,
            started => Some((time(started, "Start", Some(local))?, length(row.cell(elapsed))?)),
        };
        // What is cancelled while it waits may get a start, of no length.
        let run = run.filter(|(_, span)| !(span.is_zero() && end == JobEnd::Cancelled));
        if let Some((from, span)) = run {
            let stated = end_time(row.optional(ends), local)?.and_then(|end| end.since(from));
            if stated.is_some_and(|stated| differ(stated, span) > ROUNDING) && end != JobEnd::Going {
                let text = format!(
                    "`Elapsed` is {span}, from `Start` to `End` it is {}: `Elapsed` is taken",
                    stated.unwrap_or_default()
                );
                remarks.push(Remark::warning(Some(row.line), text));
            }
        }
        let least = u32::from(run.is_some());
        let nodes = whole(row.cell(nodes), "NNodes", least, u32::MAX)?;
        lines.push(Line { number: row.line, job: job.to_owned(), submit: submitted, run, nodes, end });
        Ok(())
    });
    faults.refuse()?;
    if lines.is_empty() {
        return Err(ReadError::Empty("jobs"));
    }
    if zoneless > 0 && how.local.is_none() {
        let text = "the times have no zone and are read as UTC: give another with --utc-offset \"+01:00\"";
        remarks.insert(0, Remark::warning(None, text));
    }
    let jobs = group(lines, &mut remarks);
    if jobs.is_empty() {
        return Err(ReadError::Empty("jobs that started"));
    }
    Ok(Recording { about: table::about(text), content: Content::Jobs(jobs), remarks: first_told(remarks) })
}

/// `End`, which may be missing, or not known yet.
fn end_time(text: &str, local: UtcOffset) -> Result<Option<Timestamp>, String> {
    match text {
        "" | "Unknown" | "None" => Ok(None),
        text => time(text, "End", Some(local)).map(Some),
    }
}

fn differ(a: Span, b: Span) -> Span {
    a.saturating_sub(b) + b.saturating_sub(a)
}

/// Jobs in the order of their first lines, each with its attempts in the order of time.
fn group(lines: Vec<Line>, remarks: &mut Vec<Remark>) -> Vec<Job> {
    let mut by_job: Vec<(String, Vec<Line>)> = Vec::new();
    let mut places = std::collections::BTreeMap::<String, usize>::new();
    for line in lines {
        let next = by_job.len();
        let place = *places.entry(line.job.clone()).or_insert(next);
        if place == next {
            by_job.push((line.job.clone(), Vec::new()));
        }
        by_job[place].1.push(line);
    }
    by_job.into_iter().filter_map(|(name, lines)| job(name, lines, remarks)).collect()
}

/// A job of its attempts; `None` where it has not started.
fn job(name: String, mut lines: Vec<Line>, remarks: &mut Vec<Remark>) -> Option<Job> {
    if lines.iter().all(|line| line.run.is_none()) {
        let text = format!("job {} has not started: left out", shown(&name));
        remarks.push(Remark::note(lines.first().map(|line| line.number), text));
        return None;
    }
    // A job whose last line has not started waits again, or was cancelled while it did.
    let waits_again = lines.last().filter(|line| line.run.is_none()).map(|line| line.end);
    lines.retain(|line| line.run.is_some());
    lines.sort_by_key(|line| line.run);
    // Outputs of different days tell an attempt more than once; the longest is the latest.
    lines.dedup_by(|later, earlier| {
        let same = later.run.map(|(from, _)| from) == earlier.run.map(|(from, _)| from);
        if same {
            let text = format!("job {} starts at one time in two lines: one attempt", shown(&name));
            remarks.push(Remark::note(Some(later.number), text));
            std::mem::swap(later, earlier);
        }
        same
    });
    let outcome = waits_again.or(lines.last().map(|line| line.end)).unwrap_or(JobEnd::Going);
    let mut phases: Vec<Phase> = Vec::new();
    for line in &lines {
        let Some((from, span)) = line.run else { continue };
        let before = phases.last().map(Phase::end);
        if before.is_some_and(|before| before > from) {
            let text = format!("job {} starts here before its last attempt ended", shown(&name));
            remarks.push(Remark::warning(Some(line.number), text));
        }
        // `Submit` may stay that of the first attempt when a job is put back.
        let asked = before.map_or(line.submit, |before| before.max(line.submit));
        if let Some(wait) = from.since(asked).filter(|wait| !wait.is_zero()) {
            let waiting =
                Phase { kind: PhaseKind::Waiting, from: asked, span: wait, nodes: line.nodes, ended: None };
            phases.push(waiting);
        }
        let ended = Some(line.end);
        phases.push(Phase { kind: PhaseKind::Training, from, span, nodes: line.nodes, ended });
    }
    Some(Job { name, instance: String::new(), phases, outcome, training_time: None, billable: None })
}

/// Slurm's words for states, abbreviated words (`CANCELLED+`) and `CANCELLED by 1000` included.
fn end_of(state: &str) -> Result<JobEnd, String> {
    let word = state.split([' ', '+']).next().unwrap_or_default().to_ascii_uppercase();
    Ok(match word.as_str() {
        "COMPLETED" => JobEnd::Completed,
        "PREEMPTED" => JobEnd::Preempted,
        "NODE_FAIL" | "BOOT_FAIL" => JobEnd::NodeFailed,
        "CANCELLED" | "REQUEUED" | "REVOKED" | "STOPPED" => JobEnd::Cancelled,
        "FAILED" | "OUT_OF_MEMORY" => JobEnd::Failed,
        "TIMEOUT" | "DEADLINE" => JobEnd::RanTooLong,
        "PENDING" | "RUNNING" | "SUSPENDED" | "RESIZING" | "CONFIGURING" | "COMPLETING" | "REQUEUE_HOLD"
        | "REQUEUE_FED" | "SIGNALING" | "STAGE_OUT" | "SPECIAL_EXIT" | "RESV_DEL_HOLD" => JobEnd::Going,
        _ => return Err(format!("`State` `{}` is none of Slurm's states", shown(state))),
    })
}

/// `[days-]hours:minutes:seconds`, as `1-01:05:10`; also `minutes:seconds`.
fn length(text: &str) -> Result<Span, String> {
    let wrong = || format!("`Elapsed` `{}` is no time like 02:10:00 or 1-01:05:10", shown(text));
    let number = |digits: &str| {
        let only_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse::<u32>().ok().filter(|_| only_digits).map(u64::from).ok_or_else(wrong)
    };
    let (days, clock) = match text.split_once('-') {
        Some((days, clock)) => (number(days)?, clock),
        None => (0, text),
    };
    let parts: Vec<&str> = clock.split(':').collect();
    let (hours, minutes, seconds) = match parts[..] {
        [hours, minutes, seconds] => (number(hours)?, number(minutes)?, number(seconds)?),
        [minutes, seconds] if !text.contains('-') => (0, number(minutes)?, number(seconds)?),
        _ => return Err(wrong()),
    };
    if seconds >= 60 || minutes >= 60 {
        return Err(wrong());
    }
    Ok(Span::from_s(86_400 * days + 3_600 * hours + 60 * minutes + seconds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::StayEnd;

    /// Case 13.
    const SACCT: &str = include_str!("../../tests/cases/13-sacct.txt");
    const HEAD: &str = "JobID|State|Submit|Start|End|Elapsed|NNodes\n";

    fn jobs(recording: &Recording) -> &[Job] {
        let Content::Jobs(jobs) = &recording.content else { panic!("no jobs") };
        jobs
    }

    fn read_lines(lines: &str) -> Recording {
        let utc = How { local: Some(UtcOffset::UTC), ..How::default() };
        read(&format!("{HEAD}{lines}"), &utc).unwrap()
    }

    #[test]
    fn case_13_lines_of_one_job_are_its_attempts() {
        let recording = read(SACCT, &How::default()).unwrap();
        let names: Vec<_> = jobs(&recording).iter().map(|job| (job.name.as_str(), job.outcome)).collect();
        let (completed, cancelled) = (JobEnd::Completed, JobEnd::Cancelled);
        assert_eq!(names, [("48211", completed), ("48212", completed), ("48214", cancelled)]);
        let phases: Vec<_> = jobs(&recording)[0]
            .phases
            .iter()
            .map(|phase| (phase.kind, phase.span.ns() / 1_000_000_000, phase.ended))
            .collect();
        let right = [
            (PhaseKind::Waiting, 300, None),
            (PhaseKind::Training, 7_800, Some(JobEnd::Preempted)),
            (PhaseKind::Waiting, 1_920, None),
            (PhaseKind::Training, 2_120, Some(JobEnd::NodeFailed)),
            (PhaseKind::Waiting, 460, None),
            (PhaseKind::Training, 90_310, Some(JobEnd::Completed)),
        ];
        assert_eq!(phases, right);
        let told: Vec<_> = recording.remarks.iter().map(|remark| remark.text.as_str()).collect();
        assert!(told[0].contains("read as UTC"), "{told:?}");
        assert_eq!(told[1], "job 48213 has not started: left out");
    }

    /// 48211 lost its nodes twice; its end, and that of the others, is no loss.
    #[test]
    fn attempts_are_up_times() {
        let recording = read(SACCT, &How::default()).unwrap();
        let ends: Vec<_> = jobs(&recording).iter().flat_map(Job::uptimes).map(|stay| stay.ended).collect();
        let (lost, released) = (StayEnd::Lost, StayEnd::Released);
        assert_eq!(ends, [lost, lost, released, released, released]);
    }

    /// Slurm keeps the first submit of a job that it puts back, by default.
    #[test]
    fn a_wait_begins_when_the_attempt_before_has_ended() {
        let recording = read_lines(
            "7|PREEMPTED|2026-02-10T08:00:00|2026-02-10T08:05:00|2026-02-10T09:00:00|00:55:00|2\n\
             7|RUNNING|2026-02-10T08:00:00|2026-02-10T09:10:00|Unknown|01:00:00|2\n",
        );
        let job = &jobs(&recording)[0];
        let waits: Vec<u64> = job.phases.iter().filter(|p| p.kind.waits()).map(|p| p.span.ns()).collect();
        assert_eq!(waits, [300_000_000_000, 600_000_000_000]);
        assert_eq!(job.outcome, JobEnd::Going);
        assert!(recording.remarks.is_empty());
    }

    /// In Berlin 2026-03-29 has no 02:30: two hours on the clock were one.
    #[test]
    fn elapsed_is_right_over_a_change_of_clocks() {
        let recording = read_lines(
            "7|COMPLETED|2026-03-29T01:00:00|2026-03-29T01:30:00|2026-03-29T03:30:00|01:00:00|2\n",
        );
        let Some(phase) = jobs(&recording)[0].phases.last() else { panic!() };
        assert_eq!(phase.span, Span::from_s(3_600));
        assert!(recording.remarks[0].text.contains("`Elapsed` is taken"));
    }

    #[test]
    fn a_job_that_waits_again_is_not_over() {
        let recording = read_lines(
            "7|PREEMPTED|2026-02-10T08:00:00|2026-02-10T08:05:00|2026-02-10T09:00:00|00:55:00|2\n\
             7|PENDING|2026-02-10T09:00:00|Unknown|Unknown|00:00:00|2\n",
        );
        assert_eq!((jobs(&recording).len(), jobs(&recording)[0].outcome), (1, JobEnd::Going));
    }

    /// Who asks each day, and puts the answers into one file, has the attempts that went on twice.
    #[test]
    fn an_attempt_told_twice_is_one() {
        let recording = read_lines(
            "7|PENDING|2026-02-10T08:00:00|Unknown|Unknown|00:00:00|2\n\
             7|RUNNING|2026-02-10T08:00:00|2026-02-10T08:05:00|Unknown|00:30:00|2\n\
             7|COMPLETED|2026-02-10T08:00:00|2026-02-10T08:05:00|2026-02-10T09:05:00|01:00:00|2\n",
        );
        let job = &jobs(&recording)[0];
        let attempts: Vec<_> =
            job.phases.iter().filter_map(|phase| Some((phase.ended?, phase.span))).collect();
        assert_eq!(attempts, [(JobEnd::Completed, Span::from_s(3_600))]);
        assert_eq!((job.outcome, recording.remarks.len()), (JobEnd::Completed, 1));
    }

    #[test]
    fn what_was_cancelled_while_it_waited_never_ran() {
        let recording = read_lines(
            "6|CANCELLED by 0|2026-02-10T08:00:00|2026-02-10T08:05:00|2026-02-10T08:05:00|00:00:00|0\n\
             7|PREEMPTED|2026-02-10T08:00:00|2026-02-10T08:05:00|2026-02-10T09:05:00|01:00:00|2\n\
             7|CANCELLED by 0|2026-02-10T09:05:00|None|2026-02-10T09:10:00|00:00:00|2\n",
        );
        let [job] = jobs(&recording) else { panic!("{:?}", jobs(&recording)) };
        let attempts = job.phases.iter().filter(|phase| phase.ended.is_some()).count();
        assert_eq!((job.outcome, attempts), (JobEnd::Cancelled, 1));
        assert_eq!(recording.remarks[0].text, "job 6 has not started: left out");
    }

    #[test]
    fn lengths_are_read_with_and_without_days() {
        let seconds = |text: &str| length(text).unwrap().ns() / 1_000_000_000;
        assert_eq!(seconds("1-01:05:10"), 90_310);
        assert_eq!(seconds("02:10:00"), 7_800);
        assert_eq!(seconds("10:30"), 630);
        for text in ["", "1:2:3:4", "1-10:00", "00:60:00", "+1:00:00", "-1:00:00", "4294967296-00:00:00"] {
            assert!(length(text).is_err(), "{text}");
        }
    }

    #[test]
    fn every_faulty_line_is_named() {
        let utc = How { local: Some(UtcOffset::UTC), ..How::default() };
        let lines = "7|DONE|2026-02-10T08:00:00|Unknown|Unknown|00:00:00|2\n\
                     8|FAILED|soon|Unknown|Unknown|00:00:00|2\n\
                     9|FAILED|2026-02-10T08:00:00|2026-02-10T08:00:00|Unknown|00:10:00|0\n";
        let error = read(&format!("{HEAD}{lines}"), &utc).unwrap_err().to_string();
        for text in ["line 2: `State` `DONE`", "line 3: `Submit` `soon`", "line 4: `NNodes` `0`"] {
            assert!(error.contains(text), "{error}");
        }
    }

    #[test]
    fn output_without_a_header_says_what_is_missing() {
        let error = read("48211|train|PREEMPTED\n", &How::default()).unwrap_err().to_string();
        assert!(error.contains("missing jobid, state"), "{error}");
    }
}
