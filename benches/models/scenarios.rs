//! The scenarios that are timed.

use spotsim::scenario::load::{Overrides, Scenario, load};
use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};

/// Text and place of every scenario of `scenarios/`, by name.
pub fn files() -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let entries = read_dir(&folder).expect("scenarios/ is there");
    let paths = entries.map(|entry| entry.expect("scenarios/ can be read").path());
    let mut files: Vec<(String, PathBuf)> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .map(|path| (path.file_stem().expect("it has a name").to_string_lossy().into_owned(), path))
        .collect();
    files.sort();
    files
}

/// Resolves the scenario `text` of the file `path`.
pub fn resolve(path: &Path, text: &str) -> Scenario {
    let folder = path.parent().expect("a file is in a folder");
    let read_file = |name: &str| read_to_string(folder.join(name)).map_err(|error| error.to_string());
    let loaded = load(&path.display().to_string(), text.to_owned(), &Overrides::default(), &read_file);
    loaded.scenario.unwrap_or_else(|| panic!("{}", loaded.problems.render(&loaded.sources, false)))
}
