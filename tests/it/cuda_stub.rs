//! A device, driver and libraries played by the host, built by g++ from `tests/cuda_stub`.

use crate::run::root;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// Folders that are built, by their names and the definitions that they were built with.
static BUILT: Mutex<BTreeMap<String, PathBuf>> = Mutex::new(BTreeMap::new());

/// Folders to look for libraries in, the driver's first; `None` where there is no g++, which is said.
///
/// `driver` are definitions for `driver.cpp`; `left_out` is a folder that is left out: `cublas`, `nvrtc` or `nvml`.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
pub fn folders(driver: &[&str], left_out: &str) -> Option<Vec<PathBuf>> {
    if Command::new("g++").arg("--version").output().is_err() {
        eprintln!("skipped: there is no g++ to build a stand-in for a device with");
        return None;
    }
    let mut all = vec![folder("driver", driver, &[("libcuda.so.1", "driver.cpp")])];
    for (name, libraries) in [
        ("cublas", [("libcublasLt.so.12", "/dev/null"), ("libcublas.so.12", "cublas.cpp")].as_slice()),
        ("nvrtc", &[("libnvrtc.so.12", "nvrtc.cpp")]),
        ("nvml", &[("libnvidia-ml.so.1", "nvml.cpp")]),
    ] {
        if name != left_out {
            all.push(folder(name, &[], libraries));
        }
    }
    Some(all)
}

/// A folder of libraries, built the first time that it is asked for; other threads wait.
fn folder(name: &str, definitions: &[&str], libraries: &[(&str, &str)]) -> PathBuf {
    let mut built = BUILT.lock().unwrap_or_else(|broken| broken.into_inner());
    let key = [&[name], definitions].concat().join("-").replace('=', "_");
    if let Some(folder) = built.get(&key) {
        return folder.clone();
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cuda_stub").join(&key);
    fs::create_dir_all(&folder).unwrap();
    for (library, source) in libraries {
        build(&folder, library, source, definitions);
    }
    built.insert(key, folder.clone());
    folder
}

fn build(folder: &Path, library: &str, source: &str, definitions: &[&str]) {
    let sources = root().join("tests/cuda_stub");
    // Renamed when it is whole, as an older one may be in use.
    let unfinished = folder.join(format!("{library}-{}", std::process::id()));
    let mut compiler = Command::new("g++");
    compiler.args([
        "-std=c++20",
        "-O1",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-shared",
        "-fPIC",
        "-x",
        "c++",
        "-o",
    ]);
    compiler.arg(&unfinished).arg(sources.join(source));
    compiler.arg(format!("-DSTUB_SOURCE=\"{}\"", sources.display()));
    compiler.arg(format!("-DSTUB_WORK=\"{}\"", folder.display()));
    compiler.args(definitions.iter().map(|definition| format!("-D{definition}")));
    let output = compiler.output().unwrap();
    assert!(output.status.success(), "{library}: {}", String::from_utf8_lossy(&output.stderr));
    fs::rename(unfinished, folder.join(library)).unwrap();
}
