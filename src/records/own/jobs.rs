//! `# kind: jobs`: a row a phase; what is of the whole job stands in each of its rows.

use super::table;
use super::text::seconds as seconds_text;
use crate::records::sheet::{Row, Sheet, seconds, shown, whole};
use crate::records::{About, Content, How, Job, JobEnd, Phase, PhaseKind, ReadError, Recording};
use crate::units::Span;
use std::collections::BTreeMap;

const COLUMNS: [&str; 10] = [
    "job",
    "instance",
    "phase",
    "start",
    "duration_s",
    "nodes",
    "ended",
    "outcome",
    "training_time_s",
    "billable_s",
];

/// Writes jobs.
pub fn write(about: &About, jobs: &[Job]) -> String {
    let rows = jobs.iter().flat_map(|job| job.phases.iter().map(move |phase| row_of(job, phase)));
    table::file("jobs", about, COLUMNS, rows)
}

fn row_of(job: &Job, phase: &Phase) -> [String; 10] {
    let seconds = |span: Option<Span>| span.map_or_else(String::new, seconds_text);
    [
        job.name.clone(),
        job.instance.clone(),
        phase.kind.word().to_owned(),
        phase.from.to_string(),
        seconds_text(phase.span),
        phase.nodes.to_string(),
        phase.ended.map_or("", JobEnd::word).to_owned(),
        job.outcome.word().to_owned(),
        seconds(job.training_time),
        seconds(job.billable),
    ]
}

/// Reads jobs; the rows of one job stand by time.
pub fn read(text: &str, how: &How) -> Result<Recording, ReadError> {
    let mut sheet = Sheet::open(text)?;
    let names = COLUMNS.map(|name| [name]);
    let columns = sheet.columns(names.each_ref().map(<[&str; 1]>::as_slice))?;
    let (mut jobs, mut places) = (Vec::<Job>::new(), BTreeMap::new());
    let faults = sheet.each(|row| {
        let mut job = job_of(&row, columns, how)?;
        let next = jobs.len();
        let place = *places.entry(job.name.clone()).or_insert(next);
        let Some(known) = jobs.get_mut(place) else {
            jobs.push(job);
            return Ok(());
        };
        let Some(phase) = job.phases.pop() else { return Ok(()) };
        if known.phases.last().is_some_and(|before| before.from > phase.from) {
            return Err(format!("the rows of job {} do not stand by time", shown(&job.name)));
        }
        let of_whole = |job: &Job| (job.instance.clone(), job.outcome, job.training_time, job.billable);
        if of_whole(known) != of_whole(&job) {
            let name = shown(&job.name);
            return Err(format!(
                "instance, outcome, training_time_s or billable_s is not what job {name} had before"
            ));
        }
        known.phases.push(phase);
        Ok(())
    });
    faults.refuse()?;
    if jobs.is_empty() {
        return Err(ReadError::Empty("jobs"));
    }
    Ok(Recording { about: table::about(text), content: Content::Jobs(jobs), remarks: Vec::new() })
}

/// The job of a row, with the one phase that the row has.
fn job_of(row: &Row<'_>, columns: [usize; 10], how: &How) -> Result<Job, String> {
    let [job, instance, phase, start, duration, nodes, ended, outcome, training, billable] = columns;
    let optional = |column: usize, name: &str| match row.cell(column) {
        "" => Ok(None),
        text => seconds(text, name).map(Some),
    };
    let phase = Phase {
        kind: word_of(row.cell(phase), "phase", &PhaseKind::ALL, PhaseKind::word)?,
        from: row.time(start, "start", how)?,
        span: seconds(row.cell(duration), "duration_s")?,
        nodes: whole(row.cell(nodes), "nodes", 1, u32::MAX)?,
        ended: match row.cell(ended) {
            "" => None,
            word => Some(word_of(word, "ended", &JobEnd::ALL, JobEnd::word)?),
        },
    };
    Ok(Job {
        name: row.cell(job).to_owned(),
        instance: row.cell(instance).to_owned(),
        phases: vec![phase],
        outcome: word_of(row.cell(outcome), "outcome", &JobEnd::ALL, JobEnd::word)?,
        training_time: optional(training, "training_time_s")?,
        billable: optional(billable, "billable_s")?,
    })
}

fn word_of<T: Copy>(
    text: &str,
    name: &str,
    all: &[T],
    word: impl Fn(T) -> &'static str,
) -> Result<T, String> {
    let words = || all.iter().map(|&one| word(one)).collect::<Vec<_>>().join(", ");
    let found = all.iter().copied().find(|&one| word(one) == text);
    found.ok_or_else(|| format!("`{name}` `{}` is none of {}", shown(text), words()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{sagemaker, slurm};

    fn jobs(recording: Recording) -> Vec<Job> {
        let Content::Jobs(jobs) = recording.content else { panic!("no jobs") };
        jobs
    }

    #[test]
    fn jobs_are_read_as_they_were_written() {
        let describe = include_str!("../../../tests/cases/11-describe-training-job.json");
        let never = include_str!("../../../tests/cases/11-describe-never-started.json");
        let sacct = include_str!("../../../tests/cases/13-sacct.txt");
        for recording in [
            sagemaker::read(describe).unwrap(),
            sagemaker::read(never).unwrap(),
            slurm::read(sacct, &How::default()).unwrap(),
        ] {
            let written = jobs(recording);
            let about = About { title: Some("a\nb".into()), ..About::default() };
            let again = read(&write(&about, &written), &How::default()).unwrap();
            assert_eq!(again.about.title.as_deref(), Some("a b"));
            assert_eq!(jobs(again), written);
        }
    }

    #[test]
    fn rows_that_contradict_each_other_are_named() {
        let row = "7,,training,2026-02-10T08:00:00Z,60,1,,completed,,";
        let head = COLUMNS.join(",");
        let later = row.replace("08:00", "07:00");
        let other = row.replace("completed", "failed");
        let unknown = row.replace("training", "dreaming");
        let text = format!("# kind: jobs\n{head}\n{row}\n{later}\n{other}\n{unknown}\n");
        let error = read(&text, &How::default()).unwrap_err().to_string();
        for says in
            ["line 4: the rows of job 7 do not stand by time", "line 5: ", "line 6: `phase` `dreaming`"]
        {
            assert!(error.contains(says), "{error}");
        }
    }
}
