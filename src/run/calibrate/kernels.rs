//! `spotsim calibrate`: the kernels of a training step, measured on this machine.

mod backend;

use super::super::manifest::today;
use super::super::progress::{Bar, now};
use super::super::simulate::{stop_on_ctrl_c, stopped};
use super::super::terminal::{answer, say, stdout_has_colour};
use super::super::{Exit, Failure};
use super::Target;
use crate::calibrate::kernels::file::calibration;
use crate::calibrate::kernels::measure::{Effort, News, measure};
use crate::calibrate::kernels::reference::CheckError;
use crate::calibrate::kernels::suite::Suite;
use crate::calibrate::kernels::{Backend, BackendKind, Number, Task, Work, refusal};
use crate::cli::Format;
use crate::cli::calibrate::{CalibrateKernelsArgs, NumberName};
use crate::compute::VitShape;
use crate::facts::Catalogue;
use crate::report::json::to_bytes;
use crate::report::kernels::{KernelsView, csv, json, offers, offers_json, table};
use crate::scenario::model::shape_of;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Instant;

/// On a GPU: clocks settle, then each kernel has a share of two minutes.
const FULL: Effort = Effort { preload_s: 5.0, least_s: 0.15, most_s: 1.0, total_s: 105.0 };
/// Under fifteen seconds.
const QUICK: Effort = Effort { preload_s: 0.5, least_s: 0.02, most_s: 0.1, total_s: 10.0 };

/// Measures kernels, or lists what could.
pub fn kernels(args: &CalibrateKernelsArgs) -> Result<Exit, Failure> {
    if args.list {
        let all = backend::offers(args.cuda_lib_dir.as_deref());
        answer(&match args.format {
            Format::Json => String::from_utf8_lossy(&to_bytes(&offers_json(&all))).into_owned(),
            Format::Table | Format::Csv => offers(&all),
        })?;
        return Ok(Exit::Done);
    }
    let mut backend = backend::open(args, clock)?;
    let names = model_names(args, backend.info().software);
    let suite = suite(args, &names, backend.info().software)?;
    // Where it cannot be written is known before minutes go into it.
    let path = args.out.clone().unwrap_or_else(|| default_path(&backend.info().device));
    let file = Target::new(&path)?;
    let (begin, tasks) = (now(), suite.tasks());
    check_products(backend.as_ref(), &tasks)?;
    let effort = if args.quick { QUICK } else { FULL };
    let effort = if backend.info().software { Effort { preload_s: 0.0, ..effort } } else { effort };
    stop_on_ctrl_c()?;
    let mut bar = Bar::new(tasks.len() as u64, 0, "kernels");
    let said = &mut |news: News<'_>| {
        if let News::Begins(_, index, _) = news {
            bar.show(index as u64);
        }
        !stopped()
    };
    let outcome = measure(backend.as_mut(), &tasks, &effort, clock, said);
    bar.clear();
    let (measured, skipped) = match outcome {
        Ok(Some(measured)) => measured,
        Ok(None) => return Err(Failure::Interrupted),
        Err(error @ (CheckError::Backend(_) | CheckError::Wrong { .. })) => {
            return Err(Failure::Other(error.to_string()));
        }
    };
    if measured.is_empty() {
        let why = skipped.first().map_or(String::new(), |(_, why)| format!(": {why}"));
        let name = &backend.info().device;
        return Err(Failure::Other(format!("none of the kernels can be run on {name}{why}")));
    }
    let made = format!(
        "spotsim {} calibrate{}, {}",
        env!("CARGO_PKG_VERSION"),
        if args.quick { " --quick" } else { "" },
        described(&names, &suite)
    );
    let calibration = calibration(backend.info(), &measured, today().to_string(), made);
    let text = toml::to_string(&calibration)
        .map_err(|error| Failure::Other(format!("the measurement cannot be written as TOML: {error}")))?;
    let written = file.write(&format!("{HEAD}{text}"))?;
    let took_s = now().duration_since(begin).as_secs_f64();
    let view = KernelsView {
        info: backend.info(),
        measured: &measured,
        skipped: &skipped,
        calibration: &calibration,
        took_s,
        written: &written,
        colour: stdout_has_colour(),
    };
    answer(&match args.format {
        Format::Table => table(&view),
        Format::Json => String::from_utf8_lossy(&to_bytes(&json(&view))).into_owned(),
        Format::Csv => csv(&view),
    })?;
    if backend.info().kind != BackendKind::Cuda {
        let class = calibration.class.name();
        let hint = format!(
            "warning: these are no kernels that training runs: a scenario takes a file of class {class} only with \
             [compute] accept_class = true"
        );
        say(&hint);
    }
    Ok(Exit::Done)
}

const HEAD: &str =
    "# Kernels of a training step, measured. In a scenario: [compute] calibration = this file.\n";

/// A file without a single product would tell nothing of a step.
fn check_products(backend: &dyn Backend, tasks: &[Task]) -> Result<(), Failure> {
    let refusals: Vec<Option<String>> = tasks
        .iter()
        .filter(|task| matches!(task.work, Work::Gemm(..)))
        .map(|task| refusal(backend, task))
        .collect();
    match refusals.iter().flatten().next() {
        Some(why) if refusals.iter().all(Option::is_some) => Err(Failure::Input(format!(
            "error: no matrix product can be measured on {}: {why}\n  = help: another `--precision` or a smaller `--batch`",
            backend.info().device
        ))),
        _ => Ok(()),
    }
}

/// Monotonic seconds since the first call.
fn clock() -> f64 {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    now().duration_since(*BEGIN.get_or_init(now)).as_secs_f64()
}

/// Models asked for, or what a device of its kind ends in time.
fn model_names(args: &CalibrateKernelsArgs, software: bool) -> Vec<String> {
    match (args.model.is_empty(), software) {
        (false, _) => args.model.clone(),
        (true, true) => vec!["vit_tiny_patch16_224".to_owned()],
        (true, false) => vec!["vit_base_patch16_224".to_owned()],
    }
}

/// Those models at the batches and in the formats asked for, or what a device of its kind ends in time.
fn suite(args: &CalibrateKernelsArgs, names: &[String], software: bool) -> Result<Suite, Failure> {
    let models = names.iter().map(|name| model(name)).collect::<Result<_, _>>()?;
    let batches = match (args.batch.is_empty(), software, args.quick) {
        (false, ..) => args.batch.clone(),
        (true, true, _) => vec![1],
        (true, false, true) => vec![128],
        (true, false, false) => vec![128, 16, 32, 64, 256],
    };
    let numbers = match (args.precision.is_empty(), software, args.quick) {
        (false, ..) => args.precision.iter().map(|name| number(*name)).collect(),
        (true, true, _) => vec![Number::Fp32],
        (true, false, true) => vec![Number::Bf16],
        (true, false, false) => Number::ALL.to_vec(),
    };
    Ok(Suite { models, batches, numbers, large_copies: !software && !args.quick })
}

fn number(name: NumberName) -> Number {
    match name {
        NumberName::Bf16 => Number::Bf16,
        NumberName::Fp16 => Number::Fp16,
        NumberName::Tf32 => Number::Tf32,
        NumberName::Fp32 => Number::Fp32,
    }
}

fn model(name: &str) -> Result<VitShape, Failure> {
    let catalogue = Catalogue::builtin();
    let Some(model) = catalogue.model(name) else {
        let nearest =
            catalogue.nearest_model(name).map_or(String::new(), |near| format!("did you mean `{near}`? "));
        return Err(Failure::Input(format!(
            "error: `--model {name}`: there is no such model\n  = help: {nearest}`spotsim catalog models` lists them"
        )));
    };
    shape_of(model).ok_or_else(|| {
        Failure::Input(format!(
            "error: `--model {name}`: only the kernels of plain ViTs are known\n  = help: for example \
             vit_base_patch16_224"
        ))
    })
}

/// Which kernels, for the file.
fn described(names: &[String], suite: &Suite) -> String {
    let batches: Vec<String> = suite.batches.iter().map(u32::to_string).collect();
    let numbers: Vec<&str> = suite.numbers.iter().map(|number| number.name()).collect();
    format!("{}, batch {}, {}", names.join(", "), batches.join(", "), numbers.join(", "))
}

/// `calibration/nvidia-a10g.toml`.
fn default_path(device: &str) -> PathBuf {
    let plain: String = device
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
        .collect();
    let words: Vec<&str> = plain.split('-').filter(|word| !word.is_empty()).collect();
    let name = if words.is_empty() { "device".to_owned() } else { words.join("-") };
    PathBuf::from("calibration").join(format!("{name}.toml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_names_its_file() {
        assert_eq!(
            default_path("NVIDIA A100-SXM4-40GB"),
            PathBuf::from("calibration/nvidia-a100-sxm4-40gb.toml")
        );
        assert_eq!(
            default_path("llvmpipe (LLVM 15.0.6, 256 bits)").to_str().unwrap(),
            "calibration/llvmpipe-llvm-15-0-6-256-bits.toml"
        );
        assert_eq!(default_path("../"), PathBuf::from("calibration/device.toml"));
    }
}
