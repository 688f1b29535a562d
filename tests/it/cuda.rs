//! The `cuda` backend finds, opens and reports a device, which the host plays.

use crate::cuda_stub::folders;
use spotsim::calibrate::kernels::cuda::{Cuda, devices, open};
use spotsim::calibrate::kernels::{
    Backend, BackendError, BackendKind, Heads, Number, Rows, Sensors, Task, Work,
};
use std::fs;
use std::path::PathBuf;

fn error_of<T>(result: Result<T, BackendError>) -> String {
    match result {
        Ok(_) => panic!("it went well"),
        Err(error) => error.to_string(),
    }
}

fn opened(driver: &[&str]) -> Option<Cuda> {
    Some(open(&folders(driver, "")?, 0).unwrap_or_else(|error| panic!("{error}")))
}

#[test]
fn a_device_is_listed_with_its_driver_and_library() {
    let Some(search) = folders(&[], "") else { return };
    let found = devices(&search).unwrap();
    assert_eq!(found.len(), 1);
    let info = &found[0];
    assert_eq!(
        (info.kind, info.device.as_str(), info.timer),
        (BackendKind::Cuda, "Stand-in GPU", "CUDA events")
    );
    assert_eq!(info.driver.as_deref(), Some("NVIDIA 570.00, CUDA 12.9"));
    let path = search[1].join("libcublas.so.12").display().to_string();
    assert_eq!(info.library, Some((path, "12.9.1".to_owned())));
    assert_eq!(open(&search, 0).unwrap().info(), info);
}

#[test]
fn sensors_that_a_device_lacks_are_left_out() {
    let Some(mut cuda) = opened(&[]) else { return };
    let expected = Sensors { clock_mhz: Some(1755.0), power_w: Some(123.456), temperature_c: None };
    assert_eq!(cuda.sensors(), expected);
}

/// On a machine with a GPU the system's own driver is found, and there is nothing to see here.
#[test]
fn without_a_driver_one_sentence_names_what_was_tried() {
    let folder = PathBuf::from("/nonexistent/cuda");
    let Err(error) = devices(&[folder]) else { return };
    assert_eq!(
        error.to_string(),
        "NVIDIA's driver is not here: tried libcuda.so.1, libcuda.so in /nonexistent/cuda and where the system \
         looks for libraries"
    );
}

#[test]
fn a_missing_library_is_named_with_the_versions_that_the_driver_can_run() {
    let Some(search) = folders(&[], "cublas") else { return };
    assert_eq!(devices(&search).unwrap()[0].library, None);
    let said = error_of(open(&search, 0));
    let tried = "cuBLAS is not here: tried libcublas.so.12, libcublas.so.11, libcublas.so in ";
    assert!(said.starts_with(tried), "{said}");
}

#[test]
fn a_driver_of_cuda_13_also_looks_for_libraries_of_13() {
    let Some(search) = folders(&["STUB_DRIVER=13000"], "nvrtc") else { return };
    let said = error_of(open(&search, 0));
    assert!(said.starts_with("NVRTC is not here: tried libnvrtc.so.13, libnvrtc.so.12, "), "{said}");
}

#[test]
fn a_driver_without_a_device_says_so() {
    let Some(search) = folders(&["STUB_DEVICES=0"], "") else { return };
    let path = search[0].join("libcuda.so.1");
    let sentence = format!("the driver {} sees no NVIDIA GPU", path.display());
    assert_eq!(error_of(devices(&search)), sentence);
    assert_eq!(error_of(open(&search, 0)), sentence);
    let Some(search) = folders(&["STUB_INIT=100"], "") else { return };
    let path = search[0].join("libcuda.so.1");
    assert_eq!(error_of(devices(&search)), format!("the driver {} sees no NVIDIA GPU", path.display()));
}

#[test]
fn a_driver_that_does_not_start_is_quoted() {
    let Some(search) = folders(&["STUB_INIT=803"], "") else { return };
    let sentence = "cuInit failed: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803): system has unsupported display driver / \
                    cuda driver combination";
    assert_eq!(error_of(devices(&search)), sentence);
}

#[test]
fn a_library_without_a_function_is_named_with_it() {
    let Some(search) = folders(&["STUB_NO_LAUNCH"], "") else { return };
    let path = search[0].join("libcuda.so.1");
    let sentence = format!("{} has no function cuLaunchKernel: another version is needed", path.display());
    assert_eq!(error_of(devices(&search)), sentence);
}

#[test]
fn a_device_that_is_not_there_is_counted() {
    let Some(search) = folders(&[], "") else { return };
    assert_eq!(error_of(open(&search, 3)), "there is no CUDA device 3: the driver sees 1, counted from 0");
}

/// 2 × 2²² numbers of four bytes are 32 MiB, beside the 32 MiB that cuBLAS works in.
#[test]
fn a_device_with_too_little_memory_says_how_much_is_missing() {
    let Some(mut cuda) = opened(&["STUB_MEMORY=50331648"]) else { return };
    let task = Task { work: Work::Softmax(Rows { rows: 1 << 12, width: 1 << 10 }), number: Number::Fp32 };
    let said = error_of(cuda.prepare(&task));
    assert_eq!(said, "softmax 4096x1024 needs 33554432 bytes on the device, which has 16777216 free");
    // Less fits, also after that.
    let task = Task { work: Work::Softmax(Rows { rows: 8, width: 8 }), number: Number::Fp32 };
    cuda.prepare(&task).unwrap();
    cuda.run(1).unwrap();
}

#[test]
fn an_older_device_refuses_what_it_lacks() {
    let Some(cuda) = opened(&["STUB_MAJOR=7", "STUB_MINOR=5", "STUB_SHARED=65536"]) else { return };
    let rows = Rows { rows: 8, width: 8 };
    let refusal = |work, number| cuda.refusal(&Task { work, number });
    let sentence = "bf16 needs sm_80 or later; this device is sm_75";
    assert_eq!(refusal(Work::Gelu(rows), Number::Bf16).as_deref(), Some(sentence));
    assert_eq!(refusal(Work::Gelu(rows), Number::Fp16), None);
    assert_eq!(refusal(Work::LayerNorm(rows), Number::Bf16), None);
}

#[test]
fn attention_in_fp32_is_refused_in_a_sentence() {
    let Some(mut cuda) = opened(&[]) else { return };
    let heads = Heads { batch: 1, heads: 1, tokens: 17, width: 64 };
    let task = Task { work: Work::Attention(heads), number: Number::Fp32 };
    let sentence = "PyTorch's fused attention in fp32 has no kernel here";
    assert_eq!(cuda.refusal(&task).as_deref(), Some(sentence));
    assert_eq!(error_of(cuda.prepare(&task)), sentence);
    let odd = Task { work: Work::Attention(Heads { width: 40, ..heads }), number: Number::Bf16 };
    assert!(cuda.refusal(&odd).is_some());
}

#[test]
fn what_is_asked_for_too_early_is_an_error() {
    let Some(mut cuda) = opened(&[]) else { return };
    assert_eq!(error_of(cuda.run(1)), "run failed: no task is prepared");
    assert_eq!(error_of(cuda.output(0)), "run failed: no task is prepared");
    cuda.prepare(&Task { work: Work::Launch, number: Number::Fp32 }).unwrap();
    assert!(cuda.run(2000).unwrap() > 0.0);
    assert_eq!(error_of(cuda.output(0)), "output failed: the prepared task has no buffer 0");
}

/// The stand-in counts what is left when its last user goes. Its own folder, as others count along.
#[test]
fn everything_that_was_taken_is_given_back() {
    let Some(search) = folders(&["STUB_SHARED=200000"], "") else { return };
    let mut cuda = open(&search, 0).unwrap();
    let heads = Heads { batch: 1, heads: 1, tokens: 5, width: 16 };
    for work in [Work::AttentionBackward(heads), Work::HostCopyPinned(64), Work::AdamForEach(5)] {
        let task = Task { work, number: Number::Bf16 };
        cuda.prepare(&task).unwrap();
        cuda.run(1).unwrap();
    }
    drop(cuda);
    assert_eq!(fs::read_to_string(search[0].join("left")).unwrap(), "0");
}
