//! Finished training jobs as SageMaker's `DescribeTrainingJob` gives them, in JSON.

use super::faults::first_told;
use super::json::{get, kind, name, objects, refuse, seconds, text, time, whole};
use super::sheet::shown;
use super::{About, Content, Job, JobEnd, Phase, PhaseKind, ReadError, Recording, Remark};
use crate::units::{Span, Timestamp};
use serde_json::{Map, Value};

/// Times and phases are whole seconds or finer; a service that rounds each phase is off by so much in all.
const ROUNDING: Span = Span::from_s(60);

/// Reads one description, a list of them, or several one after the other.
pub fn read(text: &str) -> Result<Recording, ReadError> {
    let (mut jobs, mut remarks, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    for description in objects(text)? {
        match job(&description, &mut remarks) {
            Ok(job) => match jobs.iter_mut().find(|known: &&mut Job| known.name == job.name) {
                Some(known) => {
                    let text =
                        format!("job {} is described more than once: the last counts", shown(&job.name));
                    remarks.push(Remark::note(None, text));
                    *known = job;
                }
                None => jobs.push(job),
            },
            Err(fault) => {
                let job =
                    description.get("TrainingJobName").and_then(Value::as_str).unwrap_or("without a name");
                faults.push(format!("job {}: {fault}", shown(job)));
            }
        }
    }
    refuse(faults)?;
    if jobs.is_empty() {
        return Err(ReadError::Empty("jobs"));
    }
    Ok(Recording { about: About::default(), content: Content::Jobs(jobs), remarks: first_told(remarks) })
}

fn job(description: &Map<String, Value>, remarks: &mut Vec<Remark>) -> Result<Job, String> {
    let job_name = name(description, "TrainingJobName")?.to_owned();
    let mut remark = |text: String| remarks.push(Remark::warning(None, format!("job {job_name}: {text}")));
    let (instance, nodes) = resources(description)?;
    let created = time(description, "CreationTime")?.ok_or("`CreationTime` is missing")?;
    let outcome = outcome(text(description, "TrainingJobStatus")?, text(description, "SecondaryStatus")?)?;
    let mut transitions = transitions(description)?;
    let last_seen = time(description, "LastModifiedTime")?;
    transitions.sort_by_key(|&(_, from, _)| from);

    let mut phases: Vec<Phase> = Vec::new();
    for (what, from, until) in transitions {
        let end = until.or(last_seen).unwrap_or(from);
        let Some(span) = end.since(from) else {
            return Err(format!("a phase ends at {end}, before its begin at {from}"));
        };
        if phases.last().is_some_and(|before| before.end() > from) {
            remark(format!("a phase begins at {from}, before the one before it has ended"));
        }
        let Some(kind) = what else { continue };
        if kind == PhaseKind::Interrupted
            && let Some(before) = phases.last_mut()
        {
            before.ended = before.ended.or((!before.kind.waits()).then_some(JobEnd::Preempted));
        }
        phases.push(Phase { kind, from, span, nodes, ended: None });
    }
    let first = phases.first().map_or(created, |phase| phase.from);
    if let Some(span) = first.since(created).filter(|wait| !wait.is_zero() || phases.is_empty()) {
        phases.insert(0, Phase { kind: PhaseKind::Waiting, from: created, span, nodes, ended: None });
    }
    if outcome == JobEnd::WaitedTooLong {
        // It was starting for want of capacity, until nobody waited any more.
        let trailing = phases.iter_mut().rev().take_while(|phase| phase.kind == PhaseKind::Starting);
        trailing.for_each(|phase| phase.kind = PhaseKind::Waiting);
    }
    if let Some(last) = phases.last_mut().filter(|phase| !phase.kind.waits()) {
        last.ended = last.ended.or(Some(outcome));
    }
    let job = Job {
        name: job_name.clone(),
        instance,
        phases,
        outcome,
        training_time: seconds(description, "TrainingTimeInSeconds")?,
        billable: seconds(description, "BillableTimeInSeconds")?,
    };
    doubts(&job).into_iter().for_each(remark);
    Ok(job)
}

/// What does not fit together.
fn doubts(job: &Job) -> Vec<String> {
    let mut doubts = Vec::new();
    let used: Span = job.phases.iter().filter(|phase| phase.kind.uses_nodes()).map(|phase| phase.span).sum();
    if let Some(given) = job.training_time {
        if given.saturating_sub(used) + used.saturating_sub(given) > ROUNDING {
            let text = "downloading, training and uploading";
            doubts.push(format!("`TrainingTimeInSeconds` is {given}, {text} are {used}"));
        }
        if job.billable.is_some_and(|billable| billable > given) {
            doubts.push(format!("more is billable than the {given} that it trained"));
        }
    }
    doubts
}

/// Instance type, and how many.
fn resources(description: &Map<String, Value>) -> Result<(String, u32), String> {
    let Some(config) = get(description, "ResourceConfig") else {
        return Err("`ResourceConfig` is missing".into());
    };
    let Value::Object(config) = config else {
        return Err(format!("`ResourceConfig` is {}, an object wanted", kind(config)));
    };
    let count = |object: &Map<String, Value>| {
        let count = whole(object, "InstanceCount", 1, u64::from(u32::MAX))?;
        count.ok_or_else(|| "`InstanceCount` is missing".to_owned())
    };
    let groups = match get(config, "InstanceGroups") {
        Some(Value::Array(groups)) if !groups.is_empty() => groups,
        _ => {
            let count = u32::try_from(count(config)?).unwrap_or(u32::MAX);
            return Ok((text(config, "InstanceType")?.to_owned(), count));
        }
    };
    let (mut types, mut total) = (Vec::new(), 0_u64);
    for group in groups {
        let Value::Object(group) = group else {
            return Err(format!("`InstanceGroups` has {}, an object wanted", kind(group)));
        };
        let of = text(group, "InstanceType")?;
        if !types.contains(&of) {
            types.push(of);
        }
        total = total.saturating_add(count(group)?);
    }
    Ok((types.join(" + "), u32::try_from(total).unwrap_or(u32::MAX)))
}

/// What was done from when to when; no end: it goes on. Ends of the job are no phases.
type Transition = (Option<PhaseKind>, Timestamp, Option<Timestamp>);

fn transitions(description: &Map<String, Value>) -> Result<Vec<Transition>, String> {
    const KEY: &str = "SecondaryStatusTransitions";
    let list = match get(description, KEY) {
        None => return Ok(Vec::new()),
        Some(Value::Array(list)) => list,
        Some(other) => return Err(format!("`{KEY}` is {}, a list wanted", kind(other))),
    };
    let mut found = Vec::with_capacity(list.len());
    for (index, one) in list.iter().enumerate() {
        let read = || {
            let Value::Object(one) = one else { return Err(format!("{}, an object wanted", kind(one))) };
            let from = time(one, "StartTime")?.ok_or("`StartTime` is missing")?;
            Ok((phase(name(one, "Status")?)?, from, time(one, "EndTime")?))
        };
        found.push(read().map_err(|fault| format!("`{KEY}[{index}]`: {fault}"))?);
    }
    Ok(found)
}

/// `None`: an end of the job, which takes no time. The words are those of the API's `SecondaryStatus`.
fn phase(status: &str) -> Result<Option<PhaseKind>, String> {
    Ok(Some(match status {
        "Pending" => PhaseKind::Waiting,
        "Starting" | "LaunchingMLInstances" | "PreparingTrainingStack" | "Restarting" => PhaseKind::Starting,
        "Downloading" | "DownloadingTrainingImage" => PhaseKind::Downloading,
        "Training" => PhaseKind::Training,
        "Interrupted" => PhaseKind::Interrupted,
        "Uploading" => PhaseKind::Uploading,
        "Stopping" => PhaseKind::Stopping,
        "Completed" | "Failed" | "Stopped" | "MaxRuntimeExceeded" | "MaxWaitTimeExceeded" => return Ok(None),
        _ => return Err(format!("`Status` `{}` is none of SageMaker's", shown(status))),
    }))
}

fn outcome(status: &str, secondary: &str) -> Result<JobEnd, String> {
    Ok(match (status, secondary) {
        (_, "MaxWaitTimeExceeded") => JobEnd::WaitedTooLong,
        (_, "MaxRuntimeExceeded") => JobEnd::RanTooLong,
        ("Completed", _) => JobEnd::Completed,
        ("Failed", _) => JobEnd::Failed,
        ("Stopped", _) => JobEnd::Cancelled,
        ("InProgress" | "Stopping", _) => JobEnd::Going,
        ("", _) => return Err("`TrainingJobStatus` is missing".to_owned()),
        _ => return Err(format!("`TrainingJobStatus` `{}` is none of SageMaker's", shown(status))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::StayEnd;

    /// Case 11.
    const FINISHED: &str = include_str!("../../tests/cases/11-describe-training-job.json");
    const NEVER_STARTED: &str = include_str!("../../tests/cases/11-describe-never-started.json");

    fn only(text: &str) -> (Job, Vec<Remark>) {
        let recording = read(text).unwrap();
        let Content::Jobs(jobs) = recording.content else { panic!("no jobs") };
        let [job] = <[Job; 1]>::try_from(jobs).unwrap();
        (job, recording.remarks)
    }

    #[test]
    fn case_11_up_times_end_with_interruptions_or_the_job() {
        let (job, remarks) = only(FINISHED);
        let uptimes: Vec<_> =
            job.uptimes().map(|stay| (stay.span.ns() / 1_000_000_000, stay.ended)).collect();
        let right = [(5_400, StayEnd::Lost), (4_212, StayEnd::Lost), (8_370, StayEnd::Released)];
        assert_eq!(uptimes, right);
        assert_eq!((job.instance.as_str(), job.phases[0].nodes), ("ml.g5.12xlarge", 2));
        assert!(remarks.is_empty(), "{remarks:?}");
    }

    #[test]
    fn case_11_a_job_without_capacity_waited() {
        let (job, remarks) = only(NEVER_STARTED);
        assert_eq!(job.outcome, JobEnd::WaitedTooLong);
        let phases: Vec<_> = job.phases.iter().map(|phase| (phase.kind, phase.span, phase.ended)).collect();
        assert_eq!(phases, [(PhaseKind::Waiting, Span::from_s(72_000), None)]);
        assert_eq!((job.training_time, job.billable), (None, None));
        assert!(remarks.is_empty(), "{remarks:?}");
    }

    #[test]
    fn times_may_be_seconds_since_1970_with_a_fraction() {
        let text = r#"{"TrainingJobName": "a", "TrainingJobStatus": "Completed", "CreationTime": 1775898723.512,
            "ResourceConfig": {"InstanceGroups": [{"InstanceType": "ml.a", "InstanceCount": 1},
            {"InstanceType": "ml.b", "InstanceCount": 3}]}, "SecondaryStatusTransitions":
            [{"Status": "Training", "StartTime": 1775898733.512, "EndTime": 1775898743.512}]}"#;
        let (job, _) = only(text);
        assert_eq!(job.submitted().to_string(), "2026-04-11T09:12:03.512Z");
        assert_eq!(job.phases[0].span, Span::from_s(10));
        assert_eq!((job.instance.as_str(), job.phases[0].nodes), ("ml.a + ml.b", 4));
    }

    #[test]
    fn several_descriptions_may_stand_in_one_file() {
        for text in [format!("{FINISHED}\n{NEVER_STARTED}"), format!("[{FINISHED},{NEVER_STARTED}]")] {
            let Content::Jobs(jobs) = read(&text).unwrap().content else { panic!("no jobs") };
            assert_eq!(jobs.len(), 2);
        }
    }

    #[test]
    fn the_last_description_of_a_job_counts() {
        let earlier = FINISHED.replace("\"Completed\"", "\"Failed\"");
        let (job, remarks) = only(&format!("{earlier}{FINISHED}"));
        assert_eq!((job.outcome, remarks.len()), (JobEnd::Completed, 1));
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        for (old, new, says) in [
            ("\"Training\"", "\"Learning\"", "`SecondaryStatusTransitions[2]`: `Status` `Learning`"),
            ("2026-04-11T10:47:43.512000+00:00", "2026-04-11T08:47:43.512000+00:00", "before its begin"),
            ("\"InstanceCount\": 2", "\"InstanceCount\": 0", "`InstanceCount` 0 is no whole number from 1"),
            ("\"CreationTime\"", "\"Created\"", "`CreationTime` is missing"),
        ] {
            let error = read(&FINISHED.replacen(old, new, 1)).unwrap_err().to_string();
            assert!(error.contains(says) && error.contains("resnet-spot-0411"), "{error}");
        }
        assert_eq!(read("[]"), Err(ReadError::Empty("jobs")));
        assert!(matches!(read("{"), Err(ReadError::Syntax(_))));
    }
}
