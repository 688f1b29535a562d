//! How old the measured kernels are that a scenario uses. Only people are told: no result depends on the day.

use super::manifest::today;
use crate::scenario::load::Scenario;
use jiff::civil::Date;

/// A line for each calibration file that a scenario uses.
pub fn notes(scenario: &Scenario) -> String {
    let today = today();
    let mut told: Vec<String> = Vec::new();
    for (calibrated, _) in scenario.clusters.iter().filter_map(|cluster| cluster.calibrated()) {
        let note = note(&calibrated.file, &calibrated.device, &calibrated.date, today);
        if !told.contains(&note) {
            told.push(note);
        }
    }
    told.concat()
}

fn note(file: &str, device: &str, date: &str, today: Date) -> String {
    let age = match date.parse::<Date>() {
        Ok(date) => match (today - date).get_days() {
            0 => "today".to_owned(),
            1 => "yesterday".to_owned(),
            days if days > 1 => format!("{days} days ago"),
            _ => "at a day that is still to come".to_owned(),
        },
        Err(_) => "at a day that the file does not tell".to_owned(),
    };
    let [file, device, date] = [file, device, date].map(crate::report::text::inert);
    format!("note: kernels of \"{file}\" were measured on {device} {age} ({date})\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026 is no leap year: from 28 February to 1 March it is one day, from 2 December 2025 to 2026 it is 365.
    #[test]
    fn ages_are_days() {
        let at = |date: &str, today: &str| note("f.toml", "NVIDIA A10G", date, today.parse().unwrap());
        let told = at("2026-02-28", "2026-03-02");
        assert_eq!(
            told,
            "note: kernels of \"f.toml\" were measured on NVIDIA A10G 2 days ago (2026-02-28)\n"
        );
        assert!(at("2026-02-28", "2026-03-01").contains(" yesterday "));
        assert!(at("2025-12-02", "2026-12-02").contains(" 365 days ago "));
        assert!(at("2027-01-01", "2026-12-02").contains("still to come"));
        assert!(at("soon", "2026-12-02").contains("does not tell"));
    }
}
