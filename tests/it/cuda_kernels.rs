//! Kernels of the `cuda` backend, run by a stand-in for a device, agree with plain loops in double precision.

use crate::cuda_expected::expected;
use crate::cuda_stub::folders;
use spotsim::calibrate::kernels::cuda::open;
use spotsim::calibrate::kernels::reference;
use spotsim::calibrate::kernels::{Backend, Begin, Heads, Number, Pass, Rows, Task, Work};
use spotsim::compute::Product;

/// Rounding of a result in its format, and of what was rounded before it. Backward of attention reads an output that
/// was rounded, as PyTorch's does: the same roundings in a plain loop are as far off.
fn tolerance(task: &Task) -> f64 {
    let backward = matches!(task.work, Work::AttentionBackward(_));
    match task.number {
        Number::Bf16 => {
            if backward {
                0.025
            } else {
                0.012
            }
        }
        Number::Fp16 => {
            if backward {
                0.003
            } else {
                0.002
            }
        }
        Number::Tf32 => 0.001,
        Number::Fp32 => 3e-6,
    }
}

/// Every number of every output is near the right one: within the tolerance of itself or of the root mean square.
fn check_on(driver: &[&str], task: Task) {
    let Some(search) = folders(driver, "") else { return };
    let mut cuda = open(&search, 0).unwrap();
    let said = format!("{} {} {}", task.name(), task.shape(), task.precision());
    assert_eq!(cuda.refusal(&task), None, "{said}");
    cuda.prepare(&task).unwrap_or_else(|error| panic!("{said}: {error}"));
    cuda.run(1).unwrap_or_else(|error| panic!("{said}: {error}"));
    let expected = expected(&task);
    for (place, buffer) in task.buffers().into_iter().enumerate() {
        if !buffer.output && buffer.begin != Begin::Forward {
            continue;
        }
        let got = cuda.output(place).unwrap();
        let right = &expected[place];
        assert_eq!(got.len(), right.len(), "{said}, buffer {place}");
        let mean = (right.iter().map(|it| it * it).sum::<f64>() / right.len() as f64).sqrt();
        let most = tolerance(&task);
        for (at, (got, right)) in got.iter().zip(right).enumerate() {
            let error = (f64::from(*got) - right).abs();
            // Not-a-number fails, too.
            let near = error <= most * (right.abs() + mean) + 1e-7;
            assert!(near, "{said}, buffer {place}, number {at}: {got} instead of {right}");
        }
    }
}

fn check(work: Work, number: Number) {
    check_on(&[], Task { work, number });
}

#[test]
fn products_are_right_in_every_layout_and_format() {
    for pass in [Pass::Forward, Pass::Dgrad, Pass::Wgrad] {
        for number in Number::ALL {
            for (m, n, k) in [(5, 7, 3), (17, 4, 1), (33, 20, 64)] {
                check(Work::Gemm(pass, Product::one(m, n, k)), number);
                check(Work::BatchedGemm(pass, Product { m, n, k, batch: 3 }), number);
            }
        }
    }
}

#[test]
fn attention_is_right_for_any_count_of_tokens() {
    for (tokens, width) in [(197, 64), (17, 32), (1, 64), (128, 64), (64, 16), (70, 128), (129, 80)] {
        let heads = Heads { batch: 1, heads: 2, tokens, width };
        check(Work::Attention(heads), Number::Bf16);
        check(Work::Attention(heads), Number::Fp16);
    }
}

#[test]
fn backward_of_attention_is_right_for_any_count_of_tokens() {
    for (tokens, width) in [(197, 64), (17, 32), (1, 64), (128, 64), (64, 16), (70, 128), (129, 80)] {
        let heads = Heads { batch: 2, heads: 1, tokens, width };
        check(Work::AttentionBackward(heads), Number::Bf16);
        check(Work::AttentionBackward(heads), Number::Fp16);
    }
}

/// The A10G's 100 KiB of shared memory hold one stage where others hold two.
#[test]
fn backward_of_attention_is_right_with_little_shared_memory() {
    for (tokens, width) in [(197, 64), (70, 128)] {
        let work = Work::AttentionBackward(Heads { batch: 1, heads: 2, tokens, width });
        let driver = ["STUB_MAJOR=8", "STUB_MINOR=6", "STUB_SHARED=102400"];
        check_on(&driver, Task { work, number: Number::Bf16 });
    }
}

#[test]
fn softmax_is_right_for_short_and_long_rows() {
    for (rows, width) in [(9, 197), (3, 1), (5, 1024), (2, 1025), (3, 5000)] {
        check(Work::Softmax(Rows { rows, width }), Number::Fp32);
    }
}

#[test]
fn layer_norm_and_its_backward_are_right() {
    for (rows, width) in [(9, 768), (300, 64), (130, 17), (1, 4), (5, 1001)] {
        check(Work::LayerNorm(Rows { rows, width }), Number::Fp32);
        check(Work::LayerNormBackward(Rows { rows, width }), Number::Fp32);
    }
}

#[test]
fn elementwise_kernels_are_right_to_the_last_number() {
    for (rows, width) in [(3, 1000), (17, 13), (1, 1), (1, 7), (2, 2048)] {
        let rows = Rows { rows, width };
        for number in [Number::Bf16, Number::Fp16, Number::Fp32] {
            for work in [Work::Gelu(rows), Work::GeluBackward(rows), Work::ResidualAdd(rows)] {
                check(work, number);
            }
        }
    }
}

#[test]
fn columns_are_summed_over_any_count_of_rows() {
    for (rows, width) in [(1, 1), (300, 17), (129, 256), (1000, 12)] {
        for number in [Number::Bf16, Number::Fp16, Number::Fp32] {
            check(Work::ColumnSum(Rows { rows, width }), number);
        }
    }
}

#[test]
fn adam_is_right_in_one_pass_and_in_seven() {
    for params in [1, 1023, 5000] {
        check(Work::Adam(params), Number::Fp32);
        check(Work::AdamForEach(params), Number::Fp32);
    }
}

#[test]
fn copies_arrive() {
    for bytes in [4, 40_000] {
        for work in [Work::Memcpy(bytes), Work::HostCopy(bytes), Work::HostCopyPinned(bytes)] {
            check(work, Number::Fp32);
        }
    }
}

/// Before a kernel is timed it is compared with the crate's own reference; here each kind of task is.
#[test]
fn the_check_before_timing_passes() {
    let Some(search) = folders(&[], "") else { return };
    let mut cuda = open(&search, 0).unwrap();
    let heads = Heads { batch: 1, heads: 1, tokens: 197, width: 64 };
    let rows = Rows { rows: 40, width: 96 };
    let product = Product::one(40, 24, 96);
    for (work, number) in [
        (Work::Gemm(Pass::Forward, product), Number::Bf16),
        (Work::Gemm(Pass::Wgrad, product), Number::Tf32),
        (Work::BatchedGemm(Pass::Dgrad, product), Number::Fp32),
        (Work::Attention(heads), Number::Fp16),
        (Work::AttentionBackward(heads), Number::Bf16),
        (Work::Softmax(rows), Number::Fp32),
        (Work::LayerNorm(rows), Number::Fp32),
        (Work::LayerNormBackward(rows), Number::Fp32),
        (Work::Gelu(rows), Number::Bf16),
        (Work::GeluBackward(rows), Number::Fp16),
        (Work::ResidualAdd(rows), Number::Bf16),
        (Work::ColumnSum(rows), Number::Bf16),
        (Work::Adam(1001), Number::Fp32),
        (Work::AdamForEach(1001), Number::Fp32),
        (Work::Memcpy(400), Number::Fp32),
        (Work::HostCopyPinned(400), Number::Fp32),
        (Work::Launch, Number::Fp32),
    ] {
        reference::check(&Task { work, number }, &mut cuda).unwrap_or_else(|error| panic!("{error}"));
    }
}
