//! What differs from machine to machine: the one file whose bytes may.

use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// `manifest.json`: how this run was made.
pub fn manifest(folder: &Path, threads: usize, wall: Duration) -> Value {
    let arguments: Vec<String> = std::env::args().collect();
    json!({
        "command": arguments,
        "threads": threads,
        "folder": folder.display().to_string(),
        "finished_unix_s": unix_s(),
        "wall_s": wall.as_secs_f64(),
        "spotsim": env!("CARGO_PKG_VERSION"),
        "os": std::env::consts::OS,
        "arch": std::env::consts::ARCH,
    })
}

/// Seconds since 1970, by the wall clock.
#[expect(clippy::disallowed_methods, reason = "wall time belongs to run")]
pub fn unix_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
