//! The list of keys and names, as users meet it: explained, in the manual, as a schema, in shells.

use crate::golden::same_as_file;
use crate::run::{folder, root, spotsim_in};
use serde_json::{Map, Value, json};
use spotsim::report::reference::{explain, markdown, schema};
use spotsim::report::text::Paint;
use spotsim::scenario::load::{Overrides, load};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn stdout(arguments: &[&str]) -> String {
    let output = spotsim_in(root(), arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_manual_has_the_keys_of_the_list() {
    let file = root().join("docs/scenario.md");
    let page = fs::read_to_string(&file).unwrap();
    same_as_file(markdown::refreshed(&page).unwrap().as_bytes(), &file);
    assert_eq!(markdown::left_out(&page), Vec::<&str>::new());
}

#[test]
fn the_schema_that_is_shipped_is_the_one_that_is_printed() {
    same_as_file(stdout(&["schema"]).as_bytes(), &root().join("schema/scenario.schema.json"));
}

/// TOML as Taplo hands it to a validator: dates are texts.
fn as_json(value: &toml::Value) -> Value {
    match value {
        toml::Value::String(text) => json!(text),
        toml::Value::Integer(number) => json!(number),
        toml::Value::Float(number) => json!(number),
        toml::Value::Boolean(truth) => json!(truth),
        toml::Value::Datetime(date) => json!(date.to_string()),
        toml::Value::Array(items) => items.iter().map(as_json).collect(),
        toml::Value::Table(table) => Value::Object(
            table.iter().map(|(key, value)| (key.clone(), as_json(value))).collect::<Map<_, _>>(),
        ),
    }
}

/// What the schema holds against a scenario.
fn faults(text: &str) -> Vec<String> {
    let validator = jsonschema::draft7::new(&schema()).unwrap();
    let scenario = as_json(&toml::Value::Table(toml::from_str(text).unwrap()));
    validator.iter_errors(&scenario).map(|error| format!("{}: {error}", error.instance_path)).collect()
}

fn toml_files(folders: &[&str]) -> Vec<PathBuf> {
    let all = folders.iter().flat_map(|folder| fs::read_dir(root().join(folder)).unwrap());
    let mut files: Vec<PathBuf> = all.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    files.sort();
    files
}

#[test]
fn the_schema_takes_every_scenario_that_is_shipped() {
    jsonschema::draft7::meta::validate(&schema()).unwrap();
    let files = toml_files(&["scenarios", "docs/published", "src/run/new"]);
    assert!(files.len() >= 18, "{}", files.len());
    for file in files {
        let found = faults(&fs::read_to_string(&file).unwrap());
        assert!(found.is_empty(), "{}: {found:?}", file.display());
    }
}

/// What a schema cannot see: names of the catalogue, other files, sums and what goes together.
const UNSEEN: [&str; 12] = [
    "broken-law",
    "empty-trace",
    "max-wait-on-demand",
    "missing-trace",
    "shock-and-failure",
    "too-dear-to-count",
    "too-long-to-count",
    "trace-without-polarity",
    "unknown-instance",
    "wait-below-run",
    "work-in-samples-without-batch",
    "several-at-once",
];

#[test]
fn the_schema_refuses_what_the_reader_refuses_where_it_can_see_it() {
    let mut refused = 0;
    for file in toml_files(&["tests/errors"]) {
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&file).unwrap();
        if toml::from_str::<toml::Table>(&text).is_err() || UNSEEN.contains(&name.as_str()) {
            continue;
        }
        assert!(!faults(&text).is_empty(), "{name}");
        refused += 1;
    }
    assert!(refused >= 10, "{refused}");
}

/// Values of every kind of quantity, right and wrong: the reader and the schema agree.
#[test]
fn the_schema_takes_the_quantities_that_the_reader_takes() {
    let text = |table: &str, line: &str| {
        format!(
            "schema = 1\nname = \"q\"\n[job]\nmodel = \"vit_base_patch16_224\"\nbatch_per_gpu = 64\ndataset = \"1 M samples\"\n{}\
             [[cluster]]\nname = \"c\"\ninstance = \"g5.xlarge\"\nnodes = 2\nmarket = \"spot\"\n",
            match table {
                "job" => format!("{line}\n"),
                _ => format!("work = \"10 k steps\"\n[{table}]\n{line}\n"),
            }
        )
    };
    let cases: [(&str, &str, &[&str]); 7] = [
        (
            "start",
            "start",
            &[
                "15 min",
                "2h",
                "1h30m",
                "1.4 ms",
                " 3 weeks ",
                "1 h 5 s",
                "2 µs",
                "1e3 s",
                "5",
                "-3 s",
                "4 y",
                "min",
                "",
                "1 H",
            ],
        ),
        (
            "pricing",
            "spot",
            &["3.06 USD/h", "$3.06/h", "3 $/hour", "$ 3 / h", "3 EUR/h", "3 USD", "-1 USD/h", "3.06"],
        ),
        (
            "network",
            "bandwidth",
            &[
                "25 Gbit/s",
                "25Gbps",
                "3.125 GB/s",
                "25 GBps",
                "25 Gib/s",
                "10 Gb/s",
                "10 gb/s",
                "10",
                "1 kB/s",
                "4 GiB/s",
            ],
        ),
        ("network", "bucket", &["25 MiB", "1GB", "1.5 kB", "8 B", "1 gb", "1 Gb", "12"]),
        (
            "job",
            "work",
            &[
                "20 M samples",
                "500 k steps",
                "1.5 epochs",
                "36000 steps",
                "1 sample",
                "20 M",
                "20",
                "3 miles",
            ],
        ),
        ("pricing", "storage", &["0.023 USD/GB-month", "$0.023/GB-month", "0.02 USD/GB", "0.02"]),
        (
            "pricing",
            "put_requests",
            &["0.005 USD/1000 requests", "0.005 USD/1,000 requests", "0.005 USD/requests"],
        ),
    ];
    for (table, key, values) in cases {
        for value in values {
            let text = text(table, &format!("{key} = \"{value}\""));
            let loaded = load("q.toml", text.clone(), &Overrides::default(), &|_| Err("no files".into()));
            let (read, taken) = (loaded.scenario.is_some(), faults(&text).is_empty());
            assert_eq!(
                taken,
                read,
                "{key} = \"{value}\": {}",
                loaded.problems.render(&loaded.sources, false)
            );
        }
    }
}

/// Every name in a document, dotted; elements of lists have the name of the list.
fn names_in(value: &Value, above: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let name = if above.is_empty() { key.clone() } else { format!("{above}.{key}") };
                names_in(value, &name, found);
                found.insert(name);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| names_in(item, above, found)),
        _ => {}
    }
}

#[test]
fn every_name_in_the_outputs_is_explained() {
    let out = folder("explained");
    let mut names = BTreeSet::new();
    let mut add_files = |out: &Path| {
        for file in ["clusters.csv", "replications.csv", "sweep.csv"] {
            let Ok(text) = fs::read_to_string(out.join(file)) else { continue };
            let header = text.lines().next().unwrap();
            // A sweep's own keys are keys of the scenario.
            names.extend(header.split(',').map(str::to_owned));
        }
        let summary: Value = serde_json::from_slice(&fs::read(out.join("summary.json")).unwrap()).unwrap();
        if out.join("clusters.csv").exists() {
            names_in(&summary, "", &mut names);
        }
    };
    for (at, (command, file, more)) in [
        ("run", "seed-g5", &[][..]),
        ("run", "several-zones", &["--set", "simulation.until={result=\"cost_usd_mean\", relative=0.5}"]),
        ("sweep", "sweep-g5", &[]),
    ]
    .into_iter()
    .enumerate()
    {
        let (file, out) = (format!("scenarios/{file}.toml"), out.join(at.to_string()));
        let common =
            [command, &file, "--plots", "none", "--replications", "300", "--out", out.to_str().unwrap()];
        stdout(&[&common, more].concat());
        add_files(&out);
    }
    assert!(names.len() > 150, "{}", names.len());
    let unknown: Vec<&String> =
        names.iter().filter(|name| explain(name, 100, Paint { colour: false }).is_none()).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn a_word_is_explained_and_a_misspelt_one_is_told_the_nearest() {
    for (word, says) in [
        ("checkpoint.every", "[checkpoint]\n            every = \"15 min\""),
        ("capacity.renewal", "All nodes can be had, then none, in turn."),
        ("cluster.0.checkpoint.every", "Time of kept steps"),
        ("weibull", "shape"),
        ("cost_usd_p95", "95 % of replications are at most this"),
        ("time_h.lost", "no save held it"),
        ("4", "No cluster can meet the deadline"),
        ("needs a unit", "Quantities are text with their unit"),
        ("", "Tables of a scenario"),
    ] {
        let words: Vec<&str> = ["explain"].into_iter().chain(word.split_whitespace()).collect();
        let text = stdout(&words);
        assert!(text.contains(says), "{word}: {text}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{word}: {text}");
    }
    let output = spotsim_in(root(), &["explain", "checkpoint.evry"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("did you mean checkpoint.every"));
}

#[test]
fn a_new_scenario_runs_as_it_is_and_is_never_written_over() {
    let out = folder("new");
    for template in ["smallest", "spot-vs-on-demand", "trace"] {
        let folder = out.join(template);
        fs::create_dir_all(&folder).unwrap();
        let new = |more: &[&str]| spotsim_in(&folder, &[&["new", "--template", template], more].concat());
        assert_eq!(new(&["mine.toml"]).status.code(), Some(0));
        let text = fs::read_to_string(folder.join("mine.toml")).unwrap();
        assert!(text.starts_with("#:schema spotsim.schema.json\n"));
        assert!(folder.join("spotsim.schema.json").exists());
        let run = ["run", "mine.toml", "--replications", "300", "--plots", "none"];
        let output = spotsim_in(&folder, &run);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");

        fs::write(folder.join("mine.toml"), "mine").unwrap();
        let again = new(&["mine.toml"]);
        assert_eq!(again.status.code(), Some(2));
        assert!(String::from_utf8(again.stderr).unwrap().contains("there already"));
        assert_eq!(fs::read_to_string(folder.join("mine.toml")).unwrap(), "mine");

        let printed = String::from_utf8(new(&["-"]).stdout).unwrap();
        assert_eq!(text, format!("#:schema spotsim.schema.json\n{printed}"));
        assert_eq!(new(&[]).status.code(), Some(0));
        assert!(folder.join(format!("{template}.toml")).exists());
    }
}

/// A tool that this machine has not is no fault of ours.
fn tool(name: &str, arguments: &[&str]) -> Option<std::process::Output> {
    let output = std::process::Command::new(name).args(arguments).output();
    if output.is_err() {
        println!("{name} is not there: not checked with it");
    }
    output.ok()
}

#[test]
fn completions_are_what_shells_can_read() {
    let out = folder("completions");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let text = stdout(&["completions", shell]);
        assert!(text.contains("break-even"), "{shell}");
        let file = out.join(shell);
        fs::write(&file, text).unwrap();
        if ["bash", "zsh", "fish"].contains(&shell)
            && let Some(output) = tool(shell, &["-n", file.to_str().unwrap()])
        {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn each_command_has_a_manual_page() {
    let out = folder("man");
    stdout(&["man", "--out", out.to_str().unwrap()]);
    let help = stdout(&["--help"]);
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = commands.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    let mut count = 0;
    for command in commands.map(|line| line.split_whitespace().next().unwrap()) {
        let page = out.join(format!("spotsim-{command}.1"));
        let text = fs::read_to_string(&page).unwrap_or_else(|_| panic!("{command} has no page"));
        assert!(text.contains(".SH SYNOPSIS"), "{command}");
        count += 1;
    }
    assert!(count >= 20, "{count}");
    assert!(out.join("spotsim-trace-fit.1").exists());
    if let Some(output) = tool("man", &["-l", out.join("spotsim-run.1").to_str().unwrap()]) {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!output.status.success() || text.is_empty() || text.contains("replications"), "{text}");
    }
}

#[test]
fn quiet_says_errors_alone_and_verbose_says_what_was_read() {
    let out = folder("loudness");
    // A price that the rule does not use is worth a warning.
    let run = [
        "run",
        "scenarios/seed-g5.toml",
        "--replications",
        "300",
        "--plots",
        "none",
        "--set",
        "pricing.spot=1 USD/h",
    ];
    let run = [&run[..], &["--out", out.to_str().unwrap()]].concat();
    let stderr =
        |more: &[&str]| String::from_utf8(spotsim_in(root(), &[&run, more].concat()).stderr).unwrap();
    assert!(stderr(&[]).contains("warning: `spot` is not used"));
    assert_eq!(stderr(&["--quiet"]), "");
    let verbose = stderr(&["-v"]);
    for words in ["spotsim: read scenarios/seed-g5.toml", "ml.g5.2xlarge On-Demand 1.515 USD/h", "s in all"] {
        assert!(verbose.contains(words), "{words}: {verbose}");
    }
    let wrong = spotsim_in(root(), &["-q", "validate", "tests/errors/unknown-key.toml"]);
    assert!(String::from_utf8(wrong.stderr).unwrap().contains("unknown key"));
}
