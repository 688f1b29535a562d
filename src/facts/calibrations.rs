//! Calibration files that are built in.

/// Name and text of each file of `data/calibration/`.
const FILES: [(&str, &str); 1] =
    [("amd-epyc-2-threads", include_str!("../../data/calibration/amd-epyc-2-threads.toml"))];

/// Names and texts of all.
pub(super) fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_built_in_under_its_own_name() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/calibration");
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter_map(|name| name.strip_suffix(".toml").map(str::to_owned))
            .collect();
        names.sort();
        let mut built_in: Vec<&str> = all().map(|(name, _)| name).collect();
        built_in.sort_unstable();
        assert_eq!(names, built_in);
    }
}
