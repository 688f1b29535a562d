//! `[job]`: what is trained.

use super::echo::quoted;
use super::reader::Reader;
use super::section::Section;
use super::throughput::Machines;
use crate::facts::{Catalogue, Gpu, Model};
use crate::units::{Amount, Span};

/// Arithmetic of the matrix products.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Autocast to bfloat16, fp32 parameters.
    AmpBf16,
    /// Autocast to float16, fp32 parameters.
    AmpFp16,
    /// fp32 storage, TensorFloat-32 products.
    Tf32,
    /// fp32 throughout.
    Fp32,
}

const PRECISIONS: [(&str, Precision); 4] = [
    ("amp-bf16", Precision::AmpBf16),
    ("amp-fp16", Precision::AmpFp16),
    ("tf32", Precision::Tf32),
    ("fp32", Precision::Fp32),
];

impl Precision {
    /// Dense peak of `gpu`, FLOP/s; `None` where it has none.
    pub fn peak_flop_per_s(self, gpu: &Gpu) -> Option<f64> {
        let tflops = match self {
            Self::AmpBf16 => gpu.bf16_dense_tflops,
            Self::AmpFp16 => Some(gpu.fp16_dense_tflops),
            Self::Tf32 => gpu.tf32_dense_tflops,
            Self::Fp32 => Some(gpu.fp32_tflops),
        };
        tflops.map(|tflops| tflops * 1e12)
    }

    /// Its spelling in a scenario.
    pub fn name(self) -> &'static str {
        PRECISIONS.iter().find(|(_, p)| *p == self).map_or("", |(name, _)| name)
    }
}

/// What is trained on one cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// The catalogue's model, if one is named.
    pub model: Option<&'static Model>,
    /// Arithmetic.
    pub precision: Precision,
    /// Samples per GPU and step.
    pub batch_per_gpu: Option<f64>,
    /// Samples per step over all ranks.
    pub global_batch: Option<u64>,
    /// What is to be done.
    pub work: JobWork,
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

/// Reads `[job]`.
pub fn read_job(mut s: Section<'_, '_>, machines: &Machines<'_>) -> Option<Job> {
    for (key, instead) in [
        ("input", "data loading comes with the throughput model"),
        ("submit", "it comes with price histories"),
    ] {
        s.reader.not_available(key, instead);
    }
    let model = read_model(&mut s, machines.catalogue);
    let precision = s.word_or_first("precision", &PRECISIONS);
    s.word_or_first("optimizer", &[("adam", ()), ("sgd", ())]);
    let (batch_per_gpu, global_batch) = read_batch(&mut s, machines.ranks());
    let work = read_work(&mut s, global_batch);
    let deadline = s.positive_span("deadline");
    let horizon = s.positive_span("horizon").unwrap_or_else(|| {
        if !s.reader.field("horizon").is_given() {
            s.echo("horizon", quoted(&HORIZON.to_string()), "");
        }
        HORIZON
    });
    s.reader.finish();
    Some(Job { model, precision, batch_per_gpu, global_batch, work: work?, deadline, horizon })
}

fn read_model(s: &mut Section<'_, '_>, catalogue: &'static Catalogue) -> Option<&'static Model> {
    let field = s.reader.field("model");
    if matches!(field.value(), Some(super::tree::Value::Table(_))) {
        field.refuse(
            "a model by its shape is not available in this version",
            "name one of `spotsim catalog models`",
        );
        return None;
    }
    let name = field.text()?;
    let Some(model) = catalogue.model(name) else {
        let nearest = catalogue.nearest_model(name);
        let label = nearest.map_or(String::new(), |name| format!("did you mean \"{name}\"?"));
        let problem = super::problem::Problem::error(format!("unknown model `{name}`"));
        s.reader.report(problem.at(field.place(), label).help("`spotsim catalog models` lists them"));
        return None;
    };
    s.echo("model", quoted(&model.name), "");
    Some(model)
}

/// Samples per GPU and over all ranks, from either key.
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
                field.refuse_value(&format!("must divide evenly over {ranks} GPUs"));
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
