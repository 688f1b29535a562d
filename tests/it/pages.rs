//! `report.html` of each command in a real browser: nothing loaded, nothing said, everything legible and reached.

use crate::browser::{chromium, console, found, screenshots};
use crate::run::{folder, root, spotsim_in};
use std::fs;
use std::path::{Path, PathBuf};

/// A scenario that every command can take.
const SCENARIO: &str = r#"
schema = 1
name = "pages"
title = "Small Spot machines, or a big one that stays?"
[simulation]
replications = 300
[plan]
probability = 0.9
[plan.candidates]
checkpoint.every = ["10 min", "1 h"]
[sweep]
"checkpoint.every" = ["5 min", "15 min", "1 h"]
"capacity.renewal.uptime.exponential.mean" = ["3 h", "8 h"]
[uncertain]
"capacity.renewal.uptime.exponential.mean" = { uniform = { low = "2 h", high = "8 h" } }
"checkpoint.stall" = { uniform = { low = "5 s", high = "60 s" } }
[job]
model = "vit_base_patch16_224"
batch_per_gpu = 128
work = "12 M samples"
deadline = "14 h"
horizon = "3 d"
[checkpoint]
every = "15 min"
stall = "20 s"
[start]
provision = "90 s"
start = "1 min"
restore = "30 s"
[capacity.renewal]
uptime = { exponential = { mean = "5 h" } }
gap = { exponential = { mean = "30 min" } }
[[cluster]]
name = "4x g5.2xlarge Spot"
instance = "ml.g5.2xlarge"
nodes = 4
market = "spot"
[[cluster]]
name = "2x g5.4xlarge Spot"
instance = "ml.g5.4xlarge"
nodes = 2
market = "spot"
[[cluster]]
name = "1x g5.12xlarge On-Demand"
instance = "ml.g5.12xlarge"
nodes = 1
market = "on-demand"
"#;

/// The page that `command` writes of `scenario`.
fn written(command: &[&str], scenario: &str, folder: &Path) -> PathBuf {
    fs::write(folder.join("pages.toml"), scenario).unwrap();
    let (command, options) = command.split_first().unwrap();
    let mut arguments = vec![*command, "pages.toml", "--plots", "none", "--out", "out"];
    // `run` draws what is uncertain, which a study of sensitivity is for.
    if *command == "run" {
        arguments.extend(["--set", "simulation.uncertain=false"]);
    }
    arguments.extend(options);
    let output = spotsim_in(folder, &arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder.join("out/report.html")
}

/// What the checks of `tests/pages/checks.js` say of a page, a line each.
fn looked_at(program: &Path, folder: &Path, page: &Path) -> Vec<String> {
    let text = serde_json::to_string(&fs::read_to_string(page).unwrap()).unwrap().replace('<', "\\u003c");
    let checks = fs::read_to_string(root().join("tests/pages/checks.js")).unwrap();
    let host = format!(
        "<!doctype html><html><meta charset=\"utf-8\"><body><pre id=\"result\"></pre>\
         <script>const PAGE = {text};\n{checks}</script></body></html>"
    );
    let file = folder.join("host.html");
    fs::write(&file, host).unwrap();
    let arguments =
        ["--window-size=1400,1000", "--virtual-time-budget=20000", "--dump-dom"].map(str::to_owned);
    let dom = String::from_utf8(chromium(program, folder, &file, &arguments).stdout).unwrap();
    let (_, result) = dom.split_once("<pre id=\"result\">").unwrap();
    let (result, _) = result.split_once("</pre>").unwrap();
    let plain = result.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").replace("&nbsp;", " ");
    plain.lines().map(str::to_owned).collect()
}

/// Keeps the page as people see it: light and dark, on a narrow screen, and on paper.
fn keep(program: &Path, folder: &Path, page: &Path, name: &str, said: &[String]) {
    let height = |word: &str| -> u32 {
        let line = said.iter().find_map(|line| line.strip_prefix(word)).unwrap();
        line.trim().parse().unwrap()
    };
    let shot = |kind: &str, width: u32, height: u32, more: &[&str]| {
        let file = screenshots().join(format!("{name}-{kind}.png"));
        let mut arguments =
            vec![format!("--window-size={width},{height}"), format!("--screenshot={}", file.display())];
        arguments.extend(more.iter().map(|&more| more.to_owned()));
        chromium(program, folder, page, &arguments);
    };
    shot("light", 1280, height("WIDE"), &["--blink-settings=preferredColorScheme=1"]);
    shot("dark", 1280, height("WIDE"), &["--blink-settings=preferredColorScheme=0"]);
    // A window of its own is never so narrow.
    let frame = format!(
        "<!doctype html><body style=\"margin:0\"><iframe src=\"file://{}\" \
         style=\"width:400px;height:{}px;border:0\"></iframe></body>",
        page.display(),
        height("NARROW")
    );
    let narrow = folder.join("narrow.html");
    fs::write(&narrow, frame).unwrap();
    let file = screenshots().join(format!("{name}-narrow.png"));
    let arguments =
        [format!("--window-size=400,{}", height("NARROW")), format!("--screenshot={}", file.display())];
    chromium(program, folder, &narrow, &arguments);
    let file = screenshots().join(format!("{name}.pdf"));
    let arguments = [format!("--print-to-pdf={}", file.display()), "--no-pdf-header-footer".to_owned()];
    chromium(program, folder, page, &arguments);
}

#[track_caller]
fn check(command: &[&str], counts: &str) {
    let Some(program) = found() else { return };
    let name = format!("page-{}", command[0]);
    let folder = folder(&name);
    let page = written(command, SCENARIO, &folder);
    assert_eq!(console(&program, &folder, &page), Vec::<String>::new());
    let said = looked_at(&program, &folder, &page);
    let faults: Vec<&String> = said.iter().filter(|line| line.starts_with("FAULT")).collect();
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(said.iter().any(|line| line.starts_with("DONE")), "{said:?}");
    assert!(said.contains(&format!("COUNT 1280 px: {counts}")), "{said:?}");
    keep(&program, &folder, &page, command[0], &said);
}

#[test]
fn the_page_of_a_run_is_seen_whole_and_its_controls_work() {
    check(&["run"], "5 pictures, 3 boxes, 84 spots");
}

#[test]
fn the_page_of_a_sweep_is_seen_whole_and_its_controls_work() {
    check(&["sweep", "--replications", "100"], "4 pictures, 3 boxes, 36 spots");
}

#[test]
fn the_page_of_a_study_of_sensitivity_is_seen_whole_and_its_controls_work() {
    check(&["sensitivity", "--replications", "40", "--samples", "16"], "9 pictures, 3 boxes, 12 spots");
}

#[test]
fn the_page_of_a_plan_is_seen_whole_and_its_controls_work() {
    check(&["plan"], "1 pictures, 3 boxes, 6 spots");
}

/// Otherwise a console without a word would say nothing.
#[test]
fn what_a_page_may_not_do_is_said_on_the_console() {
    let Some(program) = found() else { return };
    let folder = folder("page-console");
    let page = written(&["run"], SCENARIO, &folder);
    let text = fs::read_to_string(&page).unwrap();
    fs::write(&page, text.replace("</main>", "<img src=\"https://example.org/x.png\" alt=\"\"></main>"))
        .unwrap();
    let said = console(&program, &folder, &page);
    assert!(said.len() == 1 && said[0].contains("Content Security Policy"), "{said:?}");
}
