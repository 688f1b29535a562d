//! The real libraries open, and the compiler takes every text, without a GPU.

use super::cublas::Cublas;
use super::nvrtc::Nvrtc;
use super::source::{self, Source, Variant};
use crate::calibrate::kernels::{Format, Heads, Rows};
use std::path::PathBuf;

/// Every text in the forms that tasks ask for, attention for heads of so many numbers.
fn variants(widths: &[u64]) -> Vec<Variant> {
    let mut all = vec![Source::Adam.of(Format::Fp32, &[])];
    for width in [197, 1024, 4096] {
        all.push(source::softmax(&Rows { rows: 8, width }));
    }
    for format in [Format::Bf16, Format::Fp16, Format::Fp32] {
        all.push(Source::Fill.of(format, &[]));
        all.push(Source::Elementwise.of(format, &[]));
        for width in [768, 17] {
            all.push(source::by_width(Source::Columns, format, width));
            all.push(source::by_width(Source::LayerNorm, Format::Fp32, width));
        }
    }
    for format in [Format::Bf16, Format::Fp16] {
        for width in widths {
            let heads = Heads { batch: 1, heads: 1, tokens: 197, width: *width };
            all.push(source::attention(&heads, format).0);
            // Of the A10G's shared memory and of the H100's.
            for room in [100 << 10, 228 << 10] {
                all.push(source::attention_backward(&heads, format, room).0);
            }
        }
    }
    all.sort();
    all.dedup();
    all
}

/// With PyPI's `nvidia-cuda-nvrtc-cu12` unpacked and `SPOTSIM_TEST_NVRTC_DIR` naming the folder of its libraries.
#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn nvrtc_compiles_every_kernel_without_a_remark() {
    let Some(folder) = std::env::var_os("SPOTSIM_TEST_NVRTC_DIR") else {
        eprintln!("skipped: SPOTSIM_TEST_NVRTC_DIR names no folder with NVRTC");
        return;
    };
    let nvrtc = Nvrtc::open(&[PathBuf::from(folder)], None).unwrap();
    let known = nvrtc.architectures().unwrap();
    for architecture in [80, 86, 89, 90, 100].into_iter().filter(|it| *it < 100 || known.contains(it)) {
        let widths: &[u64] = if architecture == 80 { &[16, 32, 64, 80, 96, 128] } else { &[64] };
        for variant in variants(widths) {
            let text = variant.source.text();
            let compiled = nvrtc
                .compile(&text, &variant.defines, architecture)
                .unwrap_or_else(|error| panic!("{variant:?} for sm_{architecture}: {error}"));
            assert_eq!(compiled.log, "", "{variant:?} for sm_{architecture}");
            assert_eq!(&compiled.image[..4], b"\x7fELF", "{variant:?} for sm_{architecture}");
        }
    }
}

/// A device that the compiler does not know yet gets PTX, which its driver translates.
#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn an_unknown_architecture_gets_ptx_of_the_one_before() {
    let Some(folder) = std::env::var_os("SPOTSIM_TEST_NVRTC_DIR") else {
        eprintln!("skipped: SPOTSIM_TEST_NVRTC_DIR names no folder with NVRTC");
        return;
    };
    let nvrtc = Nvrtc::open(&[PathBuf::from(folder)], None).unwrap();
    let last = nvrtc.architectures().unwrap().into_iter().max().unwrap();
    let text = Source::Fill.text();
    let ptx = nvrtc.compile(&text, &["FP32".to_owned()], last + 1).unwrap().image;
    let ptx = String::from_utf8(ptx).unwrap();
    assert!(ptx.contains(&format!(".target sm_{last}")) && ptx.ends_with('\0'), "{}", &ptx[..400]);
}

/// With PyPI's `nvidia-cublas` unpacked and `SPOTSIM_TEST_CUBLAS_DIR` naming the folder of its libraries: they have
/// every function that is called.
#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn the_real_cublas_opens_and_tells_its_version() {
    let Some(folder) = std::env::var_os("SPOTSIM_TEST_CUBLAS_DIR").map(PathBuf::from) else {
        eprintln!("skipped: SPOTSIM_TEST_CUBLAS_DIR names no folder with cuBLAS");
        return;
    };
    let (path, version) = Cublas::open(std::slice::from_ref(&folder), None).unwrap().describe().unwrap();
    let major = version.split('.').next().unwrap();
    assert_eq!(PathBuf::from(path), folder.join(format!("libcublas.so.{major}")));
}
