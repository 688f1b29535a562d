//! `[job]`: what is trained.

use super::echo::quoted;
use super::input::{InputKeys, read_input};
use super::model::{Model, read_model};
use super::reader::Reader;
use super::section::Section;
use super::submit::read_submit;
use super::throughput::Machines;
use crate::compute::{Optimizer, Precision};
use crate::units::{Amount, Span, Timestamp};

/// What is trained on one cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// The model, if one is named or described.
    pub model: Option<Model>,
    /// Arithmetic.
    pub precision: Precision,
    /// What turns gradients into new weights.
    pub optimizer: Optimizer,
    /// How samples come to the GPU, if the scenario says so.
    pub input: Option<InputKeys>,
    /// Samples per GPU and micro-batch.
    pub batch_per_gpu: Option<f64>,
    /// Samples per step over all ranks.
    pub global_batch: Option<u64>,
    /// Whether the scenario fixes the samples of a step rather than those of a GPU.
    pub fixed_global_batch: bool,
    /// What is to be done.
    pub work: JobWork,
    /// When it is submitted, in civil time.
    pub submit: Option<Timestamp>,
    /// When it should be done, since submit.
    pub deadline: Option<Span>,
    /// When a replication is cut.
    pub horizon: Span,
}

/// Work as the scenario gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobWork {
    /// So many steps.
    Steps(u64),
    /// So much time of uninterrupted work, without steps.
    IdealTime(Span),
}

/// 30 days: what is not done by then would not be waited for.
const HORIZON: Span = Span::from_s(30 * 86_400);

/// Reads `[job]` for steps of `accumulate` micro-batches.
pub fn read_job(mut s: Section<'_, '_>, machines: &Machines, accumulate: u32) -> Option<Job> {
    let submit = read_submit(&mut s.reader);
    let model = read_model(&mut s, machines.catalogue);
    let precision = s.word_or_first("precision", &Precision::NAMES);
    let optimizers = [("adam", Optimizer::Adam), ("sgd", Optimizer::SgdMomentum)];
    let optimizer = s.word_or_first("optimizer", &optimizers);
    let input = read_input(&mut s);
    let ranks = machines.ranks().saturating_mul(accumulate);
    let (batch_per_gpu, global_batch) = read_batch(&mut s, ranks);
    let fixed_global_batch = s.reader.field("global_batch").is_given();
    let work = read_work(&mut s, global_batch);
    let deadline = s.positive_span("deadline");
    let horizon = s.positive_span("horizon").unwrap_or_else(|| {
        if !s.reader.field("horizon").is_given() {
            s.echo("horizon", quoted(&HORIZON.to_string()), "");
        }
        HORIZON
    });
    s.reader.finish();
    Some(Job {
        model,
        precision,
        optimizer,
        input,
        batch_per_gpu,
        global_batch,
        fixed_global_batch,
        work: work?,
        submit,
        deadline,
        horizon,
    })
}

/// Samples per GPU and micro-batch, and over all ranks and micro-batches, from either key; `ranks` counts a
/// rank once for each of its micro-batches.
fn read_batch(s: &mut Section<'_, '_>, ranks: u32) -> (Option<f64>, Option<u64>) {
    match s.reader.one_of("batch size", &["batch_per_gpu", "global_batch"]) {
        Some(("batch_per_gpu", field)) => {
            let Some(batch) = field.whole(1..=1_u32 << 24) else { return (None, None) };
            s.echo("batch_per_gpu", batch.to_string(), "");
            (Some(f64::from(batch)), Some(u64::from(batch) * u64::from(ranks)))
        }
        Some((_, field)) => {
            let Some(batch) = field.whole(1..=1_u64 << 40) else { return (None, None) };
            if batch % u64::from(ranks.max(1)) != 0 {
                field.refuse_value(&format!("must divide evenly over {ranks} GPUs and micro-batches"));
            }
            s.echo("global_batch", batch.to_string(), "");
            (Some(batch as f64 / f64::from(ranks)), Some(batch))
        }
        None => (None, None),
    }
}

fn read_work(s: &mut Section<'_, '_>, global_batch: Option<u64>) -> Option<JobWork> {
    let dataset = s.reader.field("dataset");
    let dataset: Option<Amount> = dataset.quantity();
    if let Some(amount) = dataset {
        s.echo("dataset", quoted(&amount.to_string()), "");
    }
    let field = s.reader.required("work", "work = \"20 M samples\"");
    if let Some(super::tree::Value::Table(_)) = field.value() {
        let mut inner: Reader<'_> = field.table()?;
        let time = inner.required("ideal_time", "ideal_time = \"48 h\"");
        let span: Option<Span> = time.quantity();
        if span == Some(Span::ZERO) {
            time.refuse_value("must be above 0");
        }
        inner.finish();
        let span = span.filter(|span| !span.is_zero())?;
        s.echo("work", format!("{{ ideal_time = {} }}", quoted(&span.to_string())), "");
        return Some(JobWork::IdealTime(span));
    }
    let amount: Amount = field.quantity()?;
    s.echo("work", quoted(&amount.to_string()), "");
    let samples = match (amount, dataset) {
        (Amount::Steps(steps), _) => return Some(JobWork::Steps(steps)),
        (Amount::Samples(samples), _) => u128::from(samples),
        (Amount::MicroEpochs(epochs), Some(Amount::Samples(samples))) => {
            (u128::from(epochs) * u128::from(samples)).div_ceil(1_000_000)
        }
        (Amount::MicroEpochs(_), _) => {
            field.refuse(
                "`work` in epochs needs the size of the data set",
                "add `dataset = \"1281167 samples\"`",
            );
            return None;
        }
    };
    let Some(global_batch) = global_batch else {
        field.refuse("`work` in samples needs the batch size", "add `batch_per_gpu = 128`");
        return None;
    };
    u64::try_from(samples.div_ceil(u128::from(global_batch))).ok().map(JobWork::Steps)
}
