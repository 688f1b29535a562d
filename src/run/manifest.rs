//! What differs from machine to machine: the one file whose bytes may.

use jiff::SignedDuration;
use jiff::civil::Date;
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

/// Today's date in UTC, by the wall clock.
pub fn today() -> Date {
    date_of(unix_s() / 86_400)
}

/// The date of a day counted from 1970-01-01.
fn date_of(days: u64) -> Date {
    Date::constant(1970, 1, 1).saturating_add(SignedDuration::from_hours(24 * days as i64))
}

/// Seconds since 1970, by the wall clock.
#[expect(clippy::disallowed_methods, reason = "wall time belongs to run")]
pub fn unix_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Right values: `date -u -d @SECONDS +%F` of GNU coreutils.
    #[test]
    fn days_are_dates() {
        for (days, right) in [
            (0, "1970-01-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_789, "2026-12-02"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(date_of(days).to_string(), right);
        }
    }
}
