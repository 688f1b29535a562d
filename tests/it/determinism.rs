//! Same scenario, same bytes: any number of threads, any process.

use crate::run::{folder, root, spotsim_in};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// All files of a run but the manifest, by name.
fn files(out: &Path, threads: &str) -> BTreeMap<String, Vec<u8>> {
    let file = root().join("scenarios/seed-g5.toml");
    let arguments = [
        "run",
        file.to_str().unwrap(),
        "--replications",
        "3000",
        "--threads",
        threads,
        "--out",
        out.to_str().unwrap(),
    ];
    let output = spotsim_in(out, &arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut found = BTreeMap::new();
    for folder in [out.to_owned(), out.join("plots")] {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap).filter(|e| e.path().is_file()) {
            let name = entry.file_name().into_string().unwrap();
            if name != "manifest.json" {
                found.insert(name, fs::read(entry.path()).unwrap());
            }
        }
    }
    found
}

#[test]
fn all_files_are_the_same_bytes_for_any_number_of_threads() {
    let one = files(&folder("determinism-1"), "1");
    assert!(one.len() >= 11, "{:?}", one.keys());
    for (name, threads) in [("determinism-2", "2"), ("determinism-7", "7"), ("determinism-1-again", "1")] {
        let other = files(&folder(name), threads);
        for (file, bytes) in &one {
            assert!(other[file] == *bytes, "{file} differs with {threads} threads");
        }
        assert_eq!(one.len(), other.len());
    }
}
