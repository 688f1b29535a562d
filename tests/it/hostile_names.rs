//! Names and titles that would steer a terminal come out inert, and lines keep their width.

use crate::run::{folder, root, spotsim_in};
use std::fs;
use std::process::Command;
use unicode_width::UnicodeWidthStr;

/// Colour, cursor, a new line, right to left, no width, 10 kB.
fn hostile() -> String {
    let marks = "a\\u001B[31mred\\u001B[2J\\nb\\u202Ec\\u2066d\\u200Be\\u0007\\u009B1A";
    format!("{marks}{}", "x".repeat(10_000))
}

fn scenario() -> String {
    let name = hostile();
    format!(
        "schema = 1\nname = \"h\"\ntitle = \"{name}\"\n[job]\nmodel = \"vit_base_patch16_224\"\nbatch_per_gpu = 64\n\
         work = \"10 k steps\"\ndeadline = \"1 d\"\n[checkpoint]\nevery = \"15 min\"\nstall = \"8 s\"\n\
         [capacity.renewal]\nuptime = {{ exponential = {{ mean = \"5 h\" }} }}\ngap = \"20 min\"\n\
         [expect]\ncost_usd_mean = {{ max = 0.01 }}\n[simulation]\nreplications = 300\n\
         [sweep]\n\"checkpoint.every\" = [\"5 min\", \"15 min\"]\n[plan.candidates]\ncheckpoint.every = [\"5 min\", \"1 h\"]\n\
         [[cluster]]\nname = \"{name}\"\ninstance = \"g5.2xlarge\"\nnodes = 2\nmarket = \"spot\"\n\
         [[cluster]]\nname = \"{name}y\"\ninstance = \"g5.2xlarge\"\nnodes = 2\nmarket = \"on-demand\"\n"
    )
}

/// Characters that a terminal obeys, or that make a text read as another.
fn steers(c: char) -> bool {
    (c.is_control() && c != '\n')
        || matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[test]
fn hostile_names_come_out_inert_from_every_command() {
    let here = folder("hostile-names");
    fs::write(here.join("h.toml"), scenario()).unwrap();
    let commands: [&[&str]; 9] = [
        &["run", "h.toml", "--plots", "none"],
        &["run", "h.toml", "--plots", "none", "--explain-cost", "-v"],
        &["step", "h.toml", "--plots", "none"],
        &["optimum", "h.toml", "--plots", "none", "--replications", "20"],
        &["sweep", "h.toml", "--plots", "none", "--replications", "20"],
        &["plan", "h.toml", "--plots", "none", "--replications", "256"],
        &["policies", "h.toml", "--plots", "none", "--replications", "20"],
        &["validate", "h.toml"],
        &["show", "h.toml"],
    ];
    for command in commands {
        let output = spotsim_in(&here, command);
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 3 | 4)), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
        for (stream, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            let text = String::from_utf8(bytes.clone()).unwrap();
            let found = text.chars().find(|&c| steers(c));
            assert_eq!(found, None, "{command:?}, {stream}");
            // `show` repeats the names whole: it is a scenario again.
            let is_table = stream == "stdout" && command[0] != "show" && command[0] != "validate";
            let widest = text.lines().map(UnicodeWidthStr::width).max().unwrap_or(0);
            assert!(!is_table || widest <= 100, "{command:?}: {widest} columns");
        }
    }
    // What `show` prints is read back as the same names.
    let shown = String::from_utf8(spotsim_in(&here, &["show", "h.toml"]).stdout).unwrap();
    let names = |text: &str| -> Vec<String> {
        let table: toml::Table = toml::from_str(text).unwrap();
        let clusters = table["cluster"].as_array().unwrap().iter();
        clusters.map(|cluster| cluster["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&shown), names(&scenario()));
}

/// On a terminal of 80 columns no line is longer, so that none wraps.
#[test]
fn no_line_wraps_on_a_terminal_of_80_columns() {
    let Ok(found) = Command::new("script").arg("--version").output() else {
        println!("script is not there: not checked on a terminal");
        return;
    };
    if !String::from_utf8_lossy(&found.stdout).contains("util-linux") {
        println!("this script is another one: not checked on a terminal");
        return;
    }
    let out = folder("narrow");
    let common = format!("--plots none --out {}", out.display());
    for command in [
        format!("run scenarios/seed-g5.toml --replications 300 {common}"),
        format!("run scenarios/several-zones.toml --replications 300 --explain-cost {common}"),
        format!("sweep scenarios/sweep-g5.toml --replications 20 {common}-sweep"),
        format!("plan scenarios/plan-g5.toml --replications 512 {common}"),
        format!(
            "sensitivity scenarios/sensitivity-g5.toml --method one-at-a-time --replications 50 {common}-sensitivity"
        ),
        format!("step scenarios/seed-g5.toml {common}"),
        format!("optimum scenarios/seed-g5.toml --replications 20 {common}"),
        "catalog instances".to_owned(),
        "catalog gpus".to_owned(),
        "catalog models".to_owned(),
        "catalog networks".to_owned(),
        "verify economics".to_owned(),
        "verify billing".to_owned(),
        "explain checkpoint.every".to_owned(),
        "explain checkpoint".to_owned(),
        "explain".to_owned(),
    ] {
        let typed = format!("stty cols 80; NO_COLOR=1 {} {command}", env!("CARGO_BIN_EXE_spotsim"));
        let output = Command::new("script")
            .args(["-q", "-e", "-c", &typed, "/dev/null"])
            .current_dir(root())
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(matches!(output.status.code(), Some(0 | 3 | 4)), "{command}: {text}");
        // A line that is redrawn ends where the next begins.
        let lines = text.lines().flat_map(|line| line.split('\r')).filter(|line| !line.contains('\u{1b}'));
        for line in lines {
            assert!(line.width() <= 80, "{command}: {} columns: {line}", line.width());
        }
    }
}
