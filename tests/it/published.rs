//! Published numbers: each `docs/published/NAME.toml` holds itself to them by its `[expect]`.

use crate::run::{folder, root, spotsim_in};
use std::fs;

#[test]
fn every_published_number_is_met() {
    let mut names: Vec<String> = fs::read_dir(root().join("docs/published"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["gcp-bathtub.toml", "greedy-closed-form.toml", "meta-mttf.toml"]);
    for name in names {
        let out = folder(&format!("published-{name}"));
        let file = format!("docs/published/{name}");
        let arguments = ["run", &file, "--plots", "none", "--out", out.to_str().unwrap()];
        let output = spotsim_in(root(), &arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{name}: {stderr}");
    }
}
