//! A device, driver and libraries played by the host, built by g++ from `tests/cuda_stub`.

use crate::run::root;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// Folders that stand-in libraries were built in, by the definitions of their driver.
static BUILT: Mutex<BTreeMap<String, PathBuf>> = Mutex::new(BTreeMap::new());

/// Folders to look for libraries in; `None` where there is no g++, which is said.
///
/// `driver` are definitions for `driver.cpp`; `left_out` are libraries that are not built.
pub fn folders(driver: &[&str], left_out: &[&str]) -> Option<Vec<PathBuf>> {
    if Command::new("g++").arg("--version").output().is_err() {
        eprintln!("skipped: there is no g++ to build a stand-in for a device with");
        return None;
    }
    let name = if driver.is_empty() { "plain".to_owned() } else { driver.join("-").replace('=', "_") };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cuda_stub").join(name);
    // One thread at a time: tests that want the same one wait for it.
    let mut built = BUILT.lock().unwrap_or_else(|broken| broken.into_inner());
    let key = format!("{driver:?} {left_out:?}");
    if let Some(folder) = built.get(&key) {
        return Some(vec![folder.clone()]);
    }
    let folder = if left_out.is_empty() { folder } else { folder.with_extension(left_out.join("-")) };
    fs::create_dir_all(&folder).unwrap();
    for (library, source) in [
        ("libcuda.so.1", Some("driver.cpp")),
        ("libcublasLt.so.12", None),
        ("libcublas.so.12", Some("cublas.cpp")),
        ("libnvrtc.so.12", Some("nvrtc.cpp")),
        ("libnvidia-ml.so.1", Some("nvml.cpp")),
    ] {
        if !left_out.contains(&library) {
            build(&folder, library, source, driver);
        }
    }
    built.insert(key, folder.clone());
    Some(vec![folder])
}

fn build(folder: &Path, library: &str, source: Option<&str>, driver: &[&str]) {
    let sources = root().join("tests/cuda_stub");
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o"]);
    compiler.arg(folder.join(library));
    if let Some(source) = source {
        compiler.arg(sources.join(source));
    }
    if source == Some("driver.cpp") {
        compiler.arg(format!("-DSTUB_SOURCE=\"{}\"", sources.display()));
        compiler.arg(format!("-DSTUB_WORK=\"{}\"", folder.display()));
        compiler.args(driver.iter().map(|definition| format!("-D{definition}")));
    }
    let output = compiler.output().unwrap();
    assert!(output.status.success(), "{library}: {}", String::from_utf8_lossy(&output.stderr));
}
