//! Every kernel's numbers against the reference in f64, on the first device with Vulkan: Mesa's software one in CI.

use super::super::reference::check;
use super::super::{Heads, Number, Pass, Rows};
use super::kernel::Kernel;
use super::*;
use crate::compute::Product;
use std::sync::atomic::{AtomicU32, Ordering};

/// Counts its calls: what a clock says cannot be tested, that it is asked can.
fn clock() -> f64 {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    f64::from(CALLS.fetch_add(1, Ordering::Relaxed))
}

/// The first device; `None`, and said, where there is none. SPOTSIM_TEST_PORTABLE=1 makes that a failure.
#[expect(clippy::print_stderr, reason = "a test that did nothing says so")]
fn device() -> Option<Portable> {
    match open(0, clock) {
        Ok(device) => Some(device),
        Err(BackendError::Absent(why)) if std::env::var_os("SPOTSIM_TEST_PORTABLE").is_none() => {
            eprintln!("skipped: {why}");
            None
        }
        Err(why) => panic!("{why}"),
    }
}

fn fp32(work: Work) -> Task {
    Task { work, number: Number::Fp32 }
}

/// Runs each task alone and together, as processors and real GPUs have it, and compares what it wrote.
fn all_agree(works: &[Work]) {
    let Some(mut device) = device() else {
        return;
    };
    for gang in [Gang::Alone, Gang::Together] {
        device.gang = gang;
        for work in works {
            if let Err(why) = check(&fp32(*work), &mut device) {
                panic!("{gang:?}: {why}");
            }
        }
    }
}

const SHAPES: [Rows; 4] = [
    Rows { rows: 1, width: 1 },
    Rows { rows: 17, width: 7 },
    Rows { rows: 197, width: 65 },
    Rows { rows: 515, width: 197 },
];

#[test]
fn products_agree_in_every_layout() {
    let mut works = Vec::new();
    for pass in [Pass::Forward, Pass::Dgrad, Pass::Wgrad] {
        for [m, n, k] in [[1, 1, 1], [5, 3, 1], [4, 8, 16], [33, 65, 7], [130, 197, 64], [64, 129, 197]] {
            works.push(Work::Gemm(pass, Product::one(m, n, k)));
        }
        works.push(Work::BatchedGemm(pass, Product { batch: 3, m: 17, n: 33, k: 9 }));
    }
    all_agree(&works);
}

#[test]
fn attention_agrees() {
    let heads = [[2, 3, 17, 8], [1, 2, 197, 64], [1, 1, 1, 4], [2, 1, 5, 7]]
        .map(|[batch, heads, tokens, width]| Heads { batch, heads, tokens, width });
    all_agree(&heads.map(Work::Attention));
    all_agree(&heads.map(Work::AttentionBackward));
}

#[test]
fn softmax_and_layer_norm_agree() {
    all_agree(&SHAPES.map(Work::Softmax));
    all_agree(&SHAPES.map(Work::LayerNorm));
    all_agree(&SHAPES[1..].iter().copied().map(Work::LayerNormBackward).collect::<Vec<_>>());
}

#[test]
fn gelu_agrees() {
    all_agree(&SHAPES.map(Work::Gelu));
    all_agree(&SHAPES.map(Work::GeluBackward));
}

#[test]
fn sums_agree() {
    all_agree(&SHAPES.map(Work::ResidualAdd));
    all_agree(&SHAPES.map(Work::ColumnSum));
}

#[test]
fn both_updates_of_adam_agree() {
    all_agree(&[Work::Adam(1), Work::Adam(1003), Work::AdamForEach(1), Work::AdamForEach(1003)]);
}

/// Their bits are those of `Values`, so that what is compared elsewhere began alike.
#[test]
fn copies_are_exact() {
    let bytes = 4 * 1003;
    all_agree(&[Work::Memcpy(bytes), Work::HostCopy(bytes), Work::HostCopyPinned(bytes)]);
}

#[test]
fn more_workgroups_than_a_dimension_holds_reach_every_number() {
    let rows = Rows { rows: 70_000, width: 2 };
    let Some(mut device) = device() else {
        return;
    };
    // A row to a workgroup: 70,000 of them.
    device.gang = Gang::Together;
    check(&fp32(Work::Softmax(rows)), &mut device).unwrap();
}

#[test]
fn a_pageable_copy_is_timed_by_the_given_clock() {
    let Some(mut device) = device() else {
        return;
    };
    device.prepare(&fp32(Work::HostCopy(64))).unwrap();
    let seconds = device.run(3).unwrap();
    // Other tests may count on the same clock.
    assert!(seconds >= 1.0 && seconds.fract() == 0.0, "{seconds}");
}

#[test]
fn launches_are_run_as_often_as_asked() {
    let Some(mut device) = device() else {
        return;
    };
    device.prepare(&fp32(Work::Launch)).unwrap();
    let seconds = device.run(2000).unwrap();
    assert!(seconds > 0.0, "{seconds}");
}

/// As if one update took a second, so that each is a piece of its own.
#[test]
fn a_run_in_pieces_runs_every_piece() {
    let Some(mut device) = device() else {
        return;
    };
    let mut first = Vec::new();
    for seconds_each in [None, Some(1.0)] {
        device.prepare(&fp32(Work::Adam(5))).unwrap();
        device.prepared.as_mut().unwrap().seconds_each = seconds_each;
        device.run(3).unwrap();
        first.push(device.output(0).unwrap());
    }
    assert_eq!(first[0], first[1]);
    device.prepare(&fp32(Work::Adam(5))).unwrap();
    device.run(1).unwrap();
    assert_ne!(first[0], device.output(0).unwrap());
}

#[test]
fn formats_other_than_fp32_are_refused() {
    let Some(device) = device() else {
        return;
    };
    let work = Work::Gemm(Pass::Forward, Product::one(4, 4, 4));
    for number in [Number::Bf16, Number::Fp16, Number::Tf32] {
        let why = device.refusal(&Task { work, number }).unwrap();
        assert!(why.contains("fp32 alone") && why.ends_with(number.name()), "{why}");
    }
    assert_eq!(device.refusal(&fp32(work)), None);
    // These are fp32 whatever the task's number.
    let softmax = Work::Softmax(Rows { rows: 2, width: 2 });
    assert_eq!(device.refusal(&Task { work: softmax, number: Number::Bf16 }), None);
}

#[test]
fn a_buffer_beyond_the_devices_limit_is_refused_with_the_figures() {
    let Some(mut device) = device() else {
        return;
    };
    device.device.limits.max_storage_buffer_binding_size = 1 << 20;
    let task = fp32(Work::Adam((1 << 18) + 1));
    let why = device.refusal(&task).unwrap();
    assert!(why.contains("1048592 bytes") && why.contains("at most 1048576"), "{why}");
    assert!(device.prepare(&task).is_err());
    assert_eq!(device.refusal(&fp32(Work::Adam(1 << 18))), None);
}

#[test]
fn what_wgpu_refuses_is_an_error_and_the_device_goes_on() {
    let Some(mut device) = device() else {
        return;
    };
    let broken = Kernel {
        sources: vec!["no WGSL"],
        entry: "main",
        constants: Vec::new(),
        bindings: Vec::new(),
        groups: 1,
    };
    let why = prepared::compile(&device.device, &broken, &[]).unwrap_err().to_string();
    assert!(why.starts_with("compile a kernel failed"), "{why}");
    check(&fp32(Work::Memcpy(64)), &mut device).unwrap();
}

#[test]
fn a_lost_device_is_an_error_each_time() {
    let Some(mut device) = device() else {
        return;
    };
    let task = fp32(Work::Memcpy(64));
    device.prepare(&task).unwrap();
    device.device.device.destroy();
    assert!(device.run(1).is_err());
    for _ in 0..2 {
        let why = device.prepare(&task).unwrap_err().to_string();
        assert!(why.contains("the device is lost"), "{why}");
    }
}

#[test]
fn a_device_that_is_not_there_is_named() {
    let Some(_) = device() else {
        return;
    };
    let why = open(1000, clock).unwrap_err().to_string();
    assert!(why.contains("no device 1000"), "{why}");
}

#[test]
fn a_run_before_a_task_is_an_error() {
    let Some(mut device) = device() else {
        return;
    };
    assert!(device.run(1).is_err());
    assert!(device.output(0).is_err());
    device.prepare(&fp32(Work::Memcpy(64))).unwrap();
    assert!(device.output(2).is_err());
}
