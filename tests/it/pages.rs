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
    check(&["run"], "6 pictures, 3 boxes, 84 spots");
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

/// Markup, what ends a style or a CDATA section, marks that turn text around, a script's address, and much of it.
fn hostile() -> String {
    let text = "</style></title><script>alert(1)</script>\"'>&]]><img src=x onerror=y>\u{202e}\u{200b}javascript:alert(1)";
    text.to_owned() + &"long ".repeat(2_000)
}

/// With the pictures written too: names stand in pages, SVG and CSV.
#[test]
fn hostile_names_and_titles_are_text_in_every_page_and_picture() {
    let name = toml::Value::String(hostile()).to_string();
    let scenario = SCENARIO
        .replace("\"Small Spot machines, or a big one that stays?\"", &name)
        .replace("\"4x g5.2xlarge Spot\"", &name)
        .replace("replications = 300", "replications = 20\nuncertain = false");
    let folder = folder("page-hostile");
    fs::write(folder.join("pages.toml"), scenario).unwrap();
    for command in [&["run"][..], &["sweep"], &["sensitivity", "--method", "one-at-a-time"], &["plan"]] {
        let out = format!("out-{}", command[0]);
        let output =
            spotsim_in(&folder, &[command, &["pages.toml", "--plots", "svg", "--out", &out]].concat());
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
        let plots = fs::read_dir(folder.join(&out).join("plots")).unwrap();
        let mut files: Vec<PathBuf> = plots.map(|entry| entry.unwrap().path()).collect();
        assert!(!files.is_empty(), "{command:?}");
        files.push(folder.join(&out).join("report.html"));
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            for markup in ["<script", "<img", "]]>", "\u{202e}", "\u{200b}", " onerror=y>", "=\"javascript:"]
            {
                assert!(!text.contains(markup), "{markup} in {}", file.display());
            }
            assert_eq!(text.matches("</style>").count(), usize::from(file.ends_with("report.html")));
            assert!(text.len() < 600_000, "{} has {} bytes", file.display(), text.len());
        }
    }
}

/// A spreadsheet computes a cell that begins so, however it is quoted.
#[test]
fn no_cell_of_a_file_is_a_formula() {
    let folder = folder("page-formula");
    for name in ["=HYPERLINK(1)", "+1", "-1", "@SUM(1)", " =1"] {
        fs::write(folder.join("pages.toml"), SCENARIO.replace("4x g5.2xlarge Spot", name)).unwrap();
        let output = spotsim_in(&folder, &["validate", "pages.toml"]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains("for a formula"), "{name}: {said}");
    }
    let swept = SCENARIO.replace("[sweep]", "[sweep]\n\"cluster.0.name\" = [\"a\", \"=1+1\", \"b\"]");
    fs::write(folder.join("pages.toml"), swept).unwrap();
    let arguments = ["sweep", "pages.toml", "--replications", "10", "--plots", "none", "--out", "out"];
    assert!(spotsim_in(&folder, &arguments).status.success());
    let rows = fs::read_to_string(folder.join("out/sweep.csv")).unwrap();
    assert!(rows.contains("invalid") && rows.contains("\"\"\"=1+1\"\"\""), "{rows}");
    let cells = rows.lines().flat_map(|line| line.split(','));
    assert!(
        !cells.clone().any(|cell| cell.trim_matches('"').starts_with('=') && !cell.starts_with("\"\"\"")),
        "{rows}"
    );
}

/// What the terminal tells is what the page has, and no more: a sweep may have 100,000 rows.
#[test]
fn the_page_of_a_long_sweep_is_short() {
    let folder = folder("page-long");
    let many = "\"checkpoint.every\" = { from = \"5 min\", to = \"4 h\", points = 1200 }";
    let (before, rest) =
        SCENARIO.split_once("\"checkpoint.every\" = [\"5 min\", \"15 min\", \"1 h\"]").unwrap();
    let page = written(&["sweep", "--replications", "2"], &format!("{before}{many}{rest}"), &folder);
    let text = fs::read_to_string(&page).unwrap();
    assert!(text.contains("more in sweep.csv") && text.len() < 1_500_000, "{} bytes", text.len());
    assert!(fs::read_to_string(folder.join("out/sweep.csv")).unwrap().lines().count() > 7_000);
}

#[test]
fn a_run_answers_for_other_rates_of_losses_where_there_is_a_rate() {
    let folder = folder("pages-other-rates");
    let page = fs::read_to_string(written(&["run"], SCENARIO, &folder)).unwrap();
    assert_eq!(page.matches("<h3>Lost ").count(), 2);
    let recorded = root().join("scenarios/recorded-trace.toml");
    let run =
        ["run", recorded.to_str().unwrap(), "--replications", "20", "--plots", "none", "--out", "recorded"];
    assert!(spotsim_in(&folder, &run).status.success());
    assert!(!fs::read_to_string(folder.join("recorded/report.html")).unwrap().contains("<h3>Lost "));
}
