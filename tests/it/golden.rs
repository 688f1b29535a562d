//! Whole answers: each `scenarios/NAME.toml` gives `tests/golden/NAME.stdout`.
//! `UPDATE_GOLDEN=1 cargo test --test it` writes them anew.

use crate::run::{folder, root, spotsim_in};
use std::fs;
use std::path::Path;

/// Compares with a file, or writes it where that was asked for.
pub fn same_as_file(bytes: &[u8], file: &Path) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(file, bytes).unwrap();
    }
    let right = fs::read(file).unwrap_or_else(|_| panic!("{} is missing", file.display()));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(bytes == right, "{} differs; now:\n{}", file.display(), text(bytes));
}

/// The text as if it had been written to the default folder. The list of files is put on one line, as
/// where it was wrapped depends on the length of the real folder's path.
pub fn with_default_folder(text: &str, out: &str, stem: &str) -> String {
    let (answer, written) = text.split_once("Written").unwrap();
    let written = written.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{answer}Written   {}\n", written.replace(out, &format!("output/{stem}")))
}

#[test]
fn every_scenario_gives_its_answer() {
    let mut count = 0;
    for entry in fs::read_dir(root().join("scenarios")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let stem = name.strip_suffix(".toml").unwrap();
        let out = folder(&format!("golden-{stem}"));
        let file = format!("scenarios/{name}");
        let output = spotsim_in(root(), &["run", &file, "--out", out.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        let text = with_default_folder(&text, out.to_str().unwrap(), stem);
        same_as_file(text.as_bytes(), &root().join(format!("tests/golden/{stem}.stdout")));
        count += 1;
    }
    assert!(count >= 3);
}

/// Of a sweep and of a tornado, `tests/golden/COMMAND.stdout`.
#[test]
fn commands_over_many_points_give_their_answers() {
    let commands: [(&str, &[&str]); 2] = [
        ("sweep", &["scenarios/sweep-g5.toml"]),
        (
            "sensitivity",
            &["scenarios/sensitivity-g5.toml", "--method", "one-at-a-time", "--replications", "200"],
        ),
    ];
    for (command, arguments) in commands {
        let out = folder(&format!("golden-{command}"));
        let common = [command, "--plots", "none", "--out", out.to_str().unwrap()];
        let output = spotsim_in(root(), &[&common, arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        let text = with_default_folder(&text, out.to_str().unwrap(), command);
        same_as_file(text.as_bytes(), &root().join(format!("tests/golden/{command}.stdout")));
    }
}

/// A scenario that was shown gives the same results.
#[test]
fn what_show_prints_is_the_same_scenario() {
    for name in ["seed-g5", "smallest", "elastic", "diurnal-market", "instance-types"] {
        let out = folder(&format!("shown-{name}"));
        let shown = spotsim_in(root(), &["show", &format!("scenarios/{name}.toml")]);
        fs::write(out.join("shown.toml"), &shown.stdout).unwrap();
        let again = spotsim_in(&out, &["show", "shown.toml"]);
        assert_eq!(String::from_utf8_lossy(&again.stderr), "");
        let summary = |folder: &str, file: &str| {
            let arguments = ["run", file, "--replications", "300", "--plots", "none", "--out", folder];
            assert!(spotsim_in(&out, &arguments).status.success());
            fs::read_to_string(out.join(folder).join("summary.json")).unwrap()
        };
        let original = root().join(format!("scenarios/{name}.toml"));
        assert_eq!(summary("a", original.to_str().unwrap()), summary("b", "shown.toml"));
    }
}
