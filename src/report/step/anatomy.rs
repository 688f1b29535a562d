//! What bounds a step, and what it is made of: all-reduce, input, memory, the GPU's time.

use super::figures::{TimeUnit, bound, bound_word, decimals, hidden_ms, time};
use super::text::{self, Column, Kind, Paint};
use super::{NAMES_MAX, number, of_each};
use crate::experiment::step::StepResult;
use crate::scenario::anatomy::{Anatomy, Bound, Form, GpuTime, Pace};
use crate::units::Bytes;

/// The lines beneath the comparison, each beside its word.
pub(super) fn sentences(results: &[StepResult]) -> String {
    lines(results).iter().map(|(word, told)| text::beside(word, told)).collect()
}

/// The same unwrapped.
pub(super) fn lines(results: &[StepResult]) -> Vec<(&'static str, Vec<String>)> {
    let bounds: Vec<String> = [bounds(results)].into_iter().chain(of_each(results, next_bound)).collect();
    vec![
        ("Bound by", bounds),
        ("Credits", of_each(results, credits)),
        ("Gradients", of_each(results, gradients)),
        ("Loader", of_each(results, loader)),
        ("Memory", of_each(results, memory)),
        ("Compute", of_each(results, |result| Some(form(&result.anatomy)))),
    ]
}

/// "compute on a; network on b and c".
fn bounds(results: &[StepResult]) -> String {
    let mut all: Vec<(Bound, Vec<String>)> = Vec::new();
    for result in results {
        let bound = bound(result, &result.anatomy.sustained);
        match all.iter_mut().find(|(other, _)| *other == bound) {
            Some((_, names)) => names.push(text::name(&result.name)),
            None => all.push((bound, vec![text::name(&result.name)])),
        }
    }
    if let [(bound, names)] = all.as_slice() {
        let on = if names.len() == 1 { "" } else { " on every cluster" };
        return format!("{}{on}", resource(*bound));
    }
    let on = |(bound, names): (Bound, Vec<String>)| {
        format!("{} on {}", resource(bound), text::listed(names, NAMES_MAX))
    };
    all.into_iter().map(on).collect::<Vec<_>>().join("; ")
}

/// How long what bounds the step is needed, and what would bound it next.
fn next_bound(result: &StepResult) -> Option<String> {
    let anatomy = &result.anatomy;
    let bounds = anatomy.bounds(&anatomy.sustained);
    let [(first, first_s), (next, next_s), ..] = bounds.as_slice() else { return None };
    let mut sentence = format!(
        "{} needs {}; next comes {}, at {}",
        resource(*first),
        time(first_s * 1e3),
        resource(*next),
        time(next_s * 1e3),
    );
    if let Some(burst) = &anatomy.burst {
        let with_credits = bound(result, burst);
        if with_credits != *first {
            sentence += &format!("; with burst credits {} bounds the step", resource(with_credits));
        }
    }
    Some(sentence)
}

const fn resource(bound: Bound) -> &'static str {
    match bound {
        Bound::Launch => "starting kernels on the host",
        _ => bound_word(bound),
    }
}

fn credits(result: &StepResult) -> Option<String> {
    let burst = result.anatomy.burst.as_ref()?;
    let lasts = match result.anatomy.burst_lasts {
        Some(span) => {
            format!("a full bucket of burst credits lasts {} of training", number::hours(span.as_hours()))
        }
        None => "a full bucket of burst credits is not used up".to_owned(),
    };
    let rate = burst.nic.map_or(String::new(), |nic| format!(" at {}", rate(nic.bytes_per_s())));
    Some(format!("{lasts}{rate}; then comes the sustained pace"))
}

fn gradients(result: &StepResult) -> Option<String> {
    let anatomy = &result.anatomy;
    if anatomy.ranks < 2 {
        return Some("one GPU, nothing to all-reduce".to_owned());
    }
    if anatomy.sustained.transfers.is_empty() {
        return None;
    }
    let gradients = megabytes(anatomy.gradients);
    let sent = match anatomy.sent.get() {
        0 => gradients,
        _ => {
            let who = if anatomy.nodes > 1 { "node" } else { "GPU" };
            format!("{gradients}, each {who} sends {}", megabytes(anatomy.sent))
        }
    };
    let burst = anatomy.burst.as_ref().map(|pace| format!("; with burst credits {}", all_reduce(pace)));
    Some(format!("{sent}; {}{}", all_reduce(&anatomy.sustained), burst.unwrap_or_default()))
}

/// "Ring, Simple, bus 0.83 GB/s: 623 ms, 220 ms hidden, 403 ms exposed".
fn all_reduce(pace: &Pace) -> String {
    let choice = pace.choice.map(|(algorithm, protocol)| format!("{algorithm}, {protocol}"));
    let bus = pace.bus_bandwidth.map(|bus| format!("bus {}", rate(bus.bytes_per_s())));
    let how: Vec<String> = [choice, bus].into_iter().flatten().collect();
    let how = if how.is_empty() { "all-reduce".to_owned() } else { how.join(", ") };
    let exposed = pace.parts.exposed_comm.as_secs() * 1e3;
    let total = time(pace.communication_s() * 1e3);
    if exposed == 0.0 {
        return format!("{how}: {total}, all hidden{}", slowed(pace));
    }
    format!("{how}: {total}, {} hidden, {} exposed{}", time(hidden_ms(pace)), time(exposed), slowed(pace))
}

/// What the hidden part costs backward, where that could be seen.
fn slowed(pace: &Pace) -> String {
    let slowed_ms = pace.slowed_s * 1e3;
    if slowed_ms < 0.5 { String::new() } else { format!(", backward {} slower", time(slowed_ms)) }
}

fn loader(result: &StepResult) -> Option<String> {
    let loader = result.anatomy.loader?;
    let stall = result.anatomy.sustained.parts.data_stall;
    let waits = if stall.is_zero() {
        String::new()
    } else {
        format!("; the GPU waits {} for it", time(stall.as_secs() * 1e3))
    };
    Some(format!(
        "{} vCPU make a node's next batch in {}, at most {} samples/s, {} % busy{waits}; {} cores at work, first \
         batch after {}, {} of shared memory",
        number::count(u64::from(loader.vcpus)),
        time(loader.batch_s * 1e3),
        number::fixed(loader.samples_per_s, decimals(loader.samples_per_s, 3)),
        number::fixed(loader.load * 100.0, 0),
        number::fixed(loader.busy_cores, 1),
        time(loader.startup_s * 1e3),
        megabytes(loader.shared_memory),
    ))
}

fn memory(result: &StepResult) -> Option<String> {
    let (needed, has) = result.anatomy.memory?;
    let gb = |bytes: Bytes| number::fixed(bytes.as_f64() / 1e9, 1);
    let verdict = if needed > has { ": it does not fit" } else { "" };
    Some(format!("a step needs {} of {} GB on each GPU{verdict}", gb(needed), gb(has)))
}

fn form(anatomy: &Anatomy) -> String {
    match &anatomy.form {
        Form::Roofline => "roofline, operation by operation; no calibration file".to_owned(),
        Form::Light => {
            "lighter form, from counts of arithmetic, activations and parameters; no calibration file"
                .to_owned()
        }
        Form::Calibrated(calibrated) => {
            let device = text::inert(&calibrated.device);
            let told = calibrated.measured + calibrated.between;
            let share = number::percent(told);
            format!("kernels measured on {device} for {share} % (calibration file), roofline for the rest")
        }
        Form::Given => "given in the scenario, not modelled".to_owned(),
    }
}

fn megabytes(bytes: Bytes) -> String {
    match bytes.as_f64() {
        b if b >= 1e10 => format!("{} GB", number::fixed(b / 1e9, 1)),
        b => format!("{} MB", number::fixed(b / 1e6, decimals(b / 1e6, 3))),
    }
}

fn rate(bytes_per_s: f64) -> String {
    format!("{} GB/s", number::fixed(bytes_per_s / 1e9, decimals(bytes_per_s / 1e9, 3)))
}

/// The GPU's time by pass and by kind of operation, a line a cluster, or one for all that are alike.
pub(super) fn gpu_time(results: &[StepResult], paint: Paint) -> String {
    let known: Vec<&StepResult> =
        results.iter().filter(|result| result.anatomy.gpu.forward_s > 0.0).collect();
    let Some(first) = known.first() else { return String::new() };
    let alike = known.len() == results.len()
        && known.len() > 1
        && known.iter().all(|result| result.anatomy.gpu == first.anatomy.gpu);
    let (names, kind) = if alike {
        (vec!["every cluster".to_owned()], Kind::Words)
    } else {
        let names = known.iter().map(|result| text::name(&result.name));
        (names.collect(), Kind::Names(known.iter().map(|result| result.market).collect()))
    };
    let times: Vec<&GpuTime> = known.iter().take(names.len()).map(|result| &result.anatomy.gpu).collect();
    let unit = TimeUnit::of(times.iter().map(|gpu| gpu.compute_s() * 1e3), 3);
    let column = |head: &str, seconds: &dyn Fn(&GpuTime) -> Option<f64>| {
        let cell = |gpu: &&GpuTime| {
            seconds(gpu).map_or(number::MISSING.to_owned(), |seconds| unit.text(seconds * 1e3))
        };
        Column::figures(head, times.iter().map(cell).collect())
    };
    let passes = [
        column("forward", &|gpu| Some(gpu.forward_s)),
        column("backward", &|gpu| Some(gpu.backward_s)),
        column("optimizer", &|gpu| Some(gpu.optimizer_s)),
    ];
    let mut groups: Vec<&'static str> = Vec::new();
    for group in times.iter().flat_map(|gpu| &gpu.groups) {
        if !groups.contains(&group.name) {
            groups.push(group.name);
        }
    }
    let of_group = |gpu: &GpuTime, name: &str| {
        gpu.groups.iter().find(|group| group.name == name).map(|group| group.time_s)
    };
    let groups: Vec<Column> =
        groups.into_iter().map(|name| column(name, &|gpu| of_group(gpu, name))).collect();
    let names = |head: &str| Column { head: head.to_owned(), cells: names.clone(), kind: kind.clone() };
    let mut text = text::table(&names("GPU time by pass"), &passes, paint);
    if !groups.is_empty() {
        text.push('\n');
        text += &text::table(&names("GPU time by operation"), &groups, paint);
    }
    text
}
