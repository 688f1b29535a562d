//! What a reader may rely on about the source tree.

use crate::run::{files_below, root};
use std::fs;
use std::path::{Path, PathBuf};

/// Rooms by floor, the highest first: each may use the floors below it, never its own or those above.
const FLOORS: [&[&str]; 10] = [
    &["main", "lib"],
    &["run"],
    &["cli"],
    &["report"],
    &["experiment", "calibrate"],
    &["trace"],
    &["sim", "analytic"],
    &["scenario"],
    &["capacity", "compute", "network", "checkpoint", "pricing", "policy", "facts", "records"],
    &["units", "rng", "stats"],
];

fn sources() -> Vec<PathBuf> {
    files_below(&root().join("src"), "rs")
}

fn room_of(path: &Path) -> String {
    let inside = path.strip_prefix(root().join("src")).unwrap();
    let first = inside.components().next().unwrap().as_os_str().to_str().unwrap();
    first.trim_end_matches(".rs").to_owned()
}

fn floor_of(room: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&room))
}

/// `cli` stands below `run` because arguments are all that it holds.
#[test]
fn rooms_import_only_rooms_below() {
    let mut faults = Vec::new();
    for path in sources() {
        let room = room_of(&path);
        let Some(floor) = floor_of(&room) else {
            faults.push(format!("{}: the room {room} stands on no floor", path.display()));
            continue;
        };
        for (number, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            let code = line.split("//").next().unwrap();
            for used in code.split("crate::").skip(1) {
                let name: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                let allowed = name == room || floor_of(&name).is_some_and(|other| other > floor);
                if !allowed && floor_of(&name).is_some() {
                    faults.push(format!("{}:{}: {room} may not use {name}", path.display(), number + 1));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The lint `unsafe_code` lets a file take leave for itself; only the doors into CUDA may.
#[test]
fn only_the_cuda_backend_is_unsafe() {
    let doors = root().join("src/calibrate/kernels/cuda");
    for path in sources().into_iter().filter(|path| !path.starts_with(&doors)) {
        for (number, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            let code = line.split("//").next().unwrap();
            let marks = [
                "unsafe {",
                "unsafe fn",
                "unsafe impl",
                "unsafe trait",
                "unsafe extern",
                "unsafe(",
                "unsafe_code",
            ];
            let found = marks.iter().any(|mark| code.contains(mark));
            assert!(!found, "{}:{}: unsafe", path.display(), number + 1);
        }
    }
}

#[test]
fn nothing_unfinished_is_left() {
    let marks =
        ["FIX".to_owned() + "ME", "XX".to_owned() + "X", "db".to_owned() + "g!", "TO".to_owned() + "DO"];
    for path in sources() {
        let text = fs::read_to_string(&path).unwrap();
        for mark in &marks {
            assert!(!text.contains(mark.as_str()), "{} has {mark}", path.display());
        }
    }
}

/// A file of more than 700 lines holds more than one thing.
#[test]
fn files_are_short_enough_to_read() {
    for path in sources() {
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= 700, "{} has {lines} lines", path.display());
    }
}

#[test]
fn every_scenario_begins_with_its_question() {
    for entry in fs::read_dir(root().join("scenarios")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("#:schema ../schema/scenario.schema.json"), "{}", path.display());
        let first = lines.next().unwrap();
        assert!(first.starts_with("# ") && first.ends_with('?'), "{}: {first}", path.display());
    }
}
