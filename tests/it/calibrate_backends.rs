//! Backends of `spotsim calibrate`: which there are, what they lack, and a GPU that the host plays.

use crate::calibrate::{KERNELS, TINY, names, parsed, scenario, spotsim, step, with_file};
#[cfg(feature = "portable")]
use crate::calibrate::{operation, tiny};
use crate::cuda_stub::folders;
use crate::run::folder;
#[cfg(feature = "portable")]
use crate::run::number;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn every_backend_is_listed() {
    let at = folder("calibrate-list");
    let (code, stdout, _) = spotsim(&at, &["calibrate", "--list"]);
    assert_eq!(code, 0);
    for backend in ["cuda ", "portable ", "cpu "] {
        assert!(stdout.lines().any(|line| line.starts_with(backend)), "{backend}: {stdout}");
    }
    let (code, stdout, _) = spotsim(&at, &["calibrate", "--list", "--format", "json"]);
    assert_eq!(code, 0);
    let json: Value = serde_json::from_str(&stdout).unwrap();
    let backends = json["backends"].as_array().unwrap();
    let listed: Vec<&str> = backends.iter().map(|it| it["backend"].as_str().unwrap()).collect();
    assert_eq!(listed, ["cuda", "portable", "cpu"]);
    assert_eq!(backends[2]["devices"].as_array().unwrap().len(), 1);
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn without_a_driver_there_is_one_line_and_no_panic() {
    if Path::new("/dev/nvidia0").exists() {
        eprintln!("skipped: this machine has NVIDIA's driver");
        return;
    }
    let at = folder("calibrate-no-driver");
    let (code, stdout, stderr) = spotsim(&at, &["calibrate", "--backend", "cuda", "--cuda-lib-dir", "."]);
    assert_eq!((code, stdout.as_str(), stderr.lines().count()), (1, "", 1), "{stderr}");
    assert!(stderr.starts_with("error: NVIDIA's driver is not here: tried libcuda.so.1"), "{stderr}");
    assert!(!at.join("calibration").exists());
}

#[cfg(not(feature = "portable"))]
#[test]
fn a_backend_that_was_not_built_says_how_to_build_it() {
    let at = folder("calibrate-not-built");
    let (code, stdout, stderr) = spotsim(&at, &["calibrate", "--backend", "portable"]);
    let sentence =
        "error: this spotsim was built without the backend `portable`: build it with `--features portable`\n";
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (1, "", sentence));
}

/// Of the first device, which is Mesa's processor driver in CI.
#[cfg(feature = "portable")]
#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn the_portable_backend_gives_a_file_that_a_step_reads() {
    let at = with_file("calibrate-portable", &tiny(), "");
    let more = ["--backend", "portable", "--out", "k.toml"];
    let (code, stdout, stderr) = spotsim(&at, &[&TINY[..], &more, &["--precision", "fp32"]].concat());
    if code != 0 && std::env::var_os("SPOTSIM_TEST_PORTABLE").is_none() {
        eprintln!("skipped: {stderr}");
        return;
    }
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("measured by the backend portable (class portable)"), "{stdout}");
    let file = parsed(&fs::read_to_string(at.join("k.toml")).unwrap());
    assert_eq!((file.class.name(), names(&file)), ("portable", KERNELS.to_vec()));
    let (code, _, stderr) = step(&at, &[]);
    assert!(code == 2 && stderr.contains("its `class` is \"portable\", not \"cuda\""), "{stderr}");
    let (code, cluster, stderr) = step(&at, &["--set", "compute.accept_class=true"]);
    assert_eq!((code, &cluster["form"]), (0, &"calibrated".into()), "{stderr}");
    assert!(number(&operation(&cluster, "qkv"), "measured_ms") > 0.0, "{cluster}");
}

/// The stand-in's libraries in one folder; `None` where there is no g++.
fn stand_in(at: &Path) -> Option<PathBuf> {
    let all = at.join("libraries");
    fs::create_dir_all(&all).unwrap();
    for folder in folders(&[], "")? {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            if name.contains(".so.") && !name.contains('-') || name == "libnvidia-ml.so.1" {
                fs::copy(entry.path(), all.join(name)).unwrap();
            }
        }
    }
    Some(all)
}

#[test]
fn a_cuda_device_is_listed_with_driver_and_library() {
    let at = folder("calibrate-stand-in-list");
    if stand_in(&at).is_none() {
        return;
    }
    let list = ["calibrate", "--list", "--cuda-lib-dir", "libraries", "--format", "json"];
    let (code, stdout, stderr) = spotsim(&at, &list);
    assert_eq!(code, 0, "{stderr}");
    let json: Value = serde_json::from_str(&stdout).unwrap();
    let device = &json["backends"][0]["devices"][0];
    for (key, right) in [
        ("device", "Stand-in GPU"),
        ("driver", "NVIDIA 570.00, CUDA 12.9"),
        ("library", "libraries/libcublas.so.12"),
        ("library_version", "12.9.1"),
        ("timer", "CUDA events"),
    ] {
        assert_eq!(device[key], right, "{json}");
    }
    let cuda = ["calibrate", "--backend", "cuda", "--cuda-lib-dir", "libraries", "--device", "H100"];
    let (code, stdout, stderr) = spotsim(&at, &cuda);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("there are: Stand-in GPU"), "{stderr}");
}

/// The numbers that the calls, the kernels and the file pass on, from end to end; its times say nothing.
#[test]
#[ignore = "the host plays 36 kernels of a GPU, more than a minute of work: `cargo test -- --ignored stand_in`"]
fn a_stand_in_for_a_gpu_gives_a_file_of_class_cuda() {
    let at = with_file("calibrate-stand-in", &scenario("vit_tiny_patch16_224", 1, "amp-bf16"), "");
    if stand_in(&at).is_none() {
        return;
    }
    let more = ["--backend", "cuda", "--cuda-lib-dir", "libraries", "--precision", "bf16", "--out", "k.toml"];
    let (code, stdout, stderr) = spotsim(&at, &[&TINY[..], &more].concat());
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("36 kernels measured by the backend cuda (class cuda)"), "{stdout}");
    assert!(!stderr.contains("warning"), "{stderr}");
    let file = parsed(&fs::read_to_string(at.join("k.toml")).unwrap());
    assert_eq!((file.class.name(), file.device.as_str()), ("cuda", "Stand-in GPU"));
    assert_eq!((names(&file), file.clock_mhz), (KERNELS.to_vec(), Some(1755.0)));
    assert!(file.kernels.iter().all(|kernel| kernel.error.is_some_and(|error| error <= 1.0)), "{file:?}");
    let (code, cluster, stderr) = step(&at, &["--set", "compute.accept_class=true"]);
    assert_eq!((code, &cluster["form"]), (0, &"calibrated".into()), "{stderr}");
}

#[test]
fn bad_arguments_are_told_what_would_be_right() {
    let at = folder("calibrate-arguments");
    fs::write(at.join("file"), "").unwrap();
    let cpu = ["calibrate", "--backend", "cpu"];
    for (more, right, words) in [
        (vec!["--model", "vit_tiny_patch16_22"], 2, "did you mean `vit_tiny_patch16_224`?"),
        (vec!["--model", "resnet50"], 2, "only the kernels of plain ViTs are known"),
        (vec!["--batch", "0"], 2, "0 is not in 1..=65536"),
        (vec!["--device", "7"], 2, "`--device 7`: there is no such device"),
        (vec!["--device", "nonsense"], 2, "`--device nonsense`: there is no such device"),
        (vec!["--precision", "bf16"], 2, "the processor computes in fp32, not in bf16"),
        (vec!["--precision", "fp8"], 2, "[possible values: bf16, fp16, tf32, fp32]"),
        (vec!["--out", "file/k.toml"], 1, "cannot write to the folder file: it is a file"),
        (vec!["--out", "."], 2, "`--out .`: it is a folder"),
        (vec!["network", "--from", "file"], 2, "cannot be used with '--backend <NAME>'"),
    ] {
        let (code, stdout, stderr) = spotsim(&at, &[&cpu[..], &more].concat());
        assert_eq!((code, stdout.as_str()), (right, ""), "{more:?}: {stderr}");
        assert!(stderr.starts_with("error: ") && stderr.contains(words), "{more:?}: {stderr}");
    }
    let (code, _, stderr) = spotsim(&at, &["calibrate", "network", "--backend", "cpu"]);
    assert!(code == 2 && stderr.contains("unexpected argument '--backend'"), "{stderr}");
}
