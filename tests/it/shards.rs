//! Shards, merged, are the run in one piece.

use crate::run::{folder, root, spotsim_in};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// All files below `folder` but the manifest, by name.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for inside in [folder.to_owned(), folder.join("plots")] {
        for entry in fs::read_dir(inside).unwrap().map(Result::unwrap).filter(|e| e.path().is_file()) {
            found.insert(entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap());
        }
    }
    found.remove("manifest.json").unwrap();
    found
}

/// What a command that must go well prints.
fn printed(at: &Path, arguments: &[&str]) -> String {
    let output = spotsim_in(at, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

/// What a command says that is refused.
fn refused(at: &Path, arguments: &[&str]) -> String {
    let output = spotsim_in(at, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// Runs all of `of` shards of a scenario in `at`.
fn shards(at: &Path, run: &[&str], of: u64) {
    for number in 1..=of {
        printed(at, &[run, &["--shard", &format!("{number}/{of}")]].concat());
    }
}

/// Merged from 1, 3 and 64 shards, every file and the table are those of the whole run.
fn check(name: &str, command: &str, file: &str, more: &[&str]) {
    let file = root().join("scenarios").join(file);
    let run = [&[command, file.to_str().unwrap()], more].concat();
    let at = folder(&format!("shards-{name}"));
    let table = printed(&at, &[&run[..], &["--out", "out"]].concat());
    let whole = files(&at.join("out"));
    assert!(whole.len() > 3 && whole.contains_key("summary.json"), "{:?}", whole.keys());
    for of in [1, 3, 64] {
        let at = folder(&format!("shards-{name}-{of}"));
        shards(&at, &run, of);
        let parts = fs::read_dir(at.join("output")).unwrap().next().unwrap().unwrap().path().join("shards");
        let merged = printed(&at, &["merge", parts.to_str().unwrap(), "--out", "out"]);
        assert_eq!(merged, table, "{name} in {of}");
        let merged = files(&at.join("out"));
        assert!(merged.keys().eq(whole.keys()), "{:?}", merged.keys());
        for (file, bytes) in &whole {
            assert!(merged[file] == *bytes, "{file} of {name} in {of} shards differs");
        }
    }
}

/// Several clusters against an On-Demand baseline; each shard of 64 has ten replications or eleven.
#[test]
fn clusters_beside_a_baseline_merge_to_the_same_bytes() {
    check("baseline", "run", "seed-g5.toml", &["--replications", "700"]);
}

/// Several zones, a deadline, the bound of perfect foresight; and fewer replications than shards.
#[test]
fn zones_with_a_deadline_merge_to_the_same_bytes() {
    check("zones", "run", "several-zones.toml", &["--replications", "50", "--seed", "3"]);
}

/// The only replication is told one by one.
#[test]
fn a_single_replication_merges_to_the_same_bytes() {
    check("single", "run", "recorded-trace.toml", &["--replications", "1"]);
}

/// 56 points, fewer than there are shards.
#[test]
fn sensitivity_merges_to_the_same_bytes() {
    let more = [
        "--samples",
        "4",
        "--replications",
        "40",
        "--result",
        "preemptions_mean",
        "--set",
        "job.horizon='5 d'",
    ];
    check("sensitivity", "sensitivity", "sensitivity-g5.toml", &more);
}

#[test]
fn a_lost_shard_is_named_with_the_command_that_runs_it() {
    let at = folder("shards-lost");
    let file = root().join("scenarios/smallest.toml");
    let run = ["run", file.to_str().unwrap(), "--replications", "30", "--set", "job.deadline='30 h'"];
    shards(&at, &run, 3);
    let of = |number| format!("output/smallest/shards/{number}-of-3");
    // As if it had been killed before its end.
    fs::remove_file(at.join(of(2)).join("shard.json")).unwrap();
    let said = refused(&at, &["merge", &of(3), &of(1), &of(2), "--out", "out"]);
    assert!(
        said.contains("shard 2 of 3 is missing") && said.contains("2-of-3 holds no complete shard"),
        "{said}"
    );
    assert!(!at.join("out").exists());
    // A shell would read the command so.
    let command = said.lines().find(|line| line.trim().starts_with("spotsim run")).unwrap();
    assert!(command.contains(r"'--set=job.deadline='\''30 h'\'''"), "{command}");
    let script = command.replacen("spotsim", env!("CARGO_BIN_EXE_spotsim"), 1);
    assert!(
        std::process::Command::new("sh").args(["-c", &script]).current_dir(&at).status().unwrap().success()
    );
    printed(&at, &["merge", "output/smallest/shards", "--out", "out"]);
    // As if its copy had been cut short.
    fs::write(at.join(of(1)).join("sums.json"), "[").unwrap();
    let said = refused(&at, &["merge", "output/smallest/shards", "--out", "again"]);
    assert!(said.contains("shard 1 of 3 is missing") && said.contains("and has 1"), "{said}");
    assert!(!at.join("again").exists());
}

/// One digit of the sums of a shard is another, as a bad disk makes it.
#[test]
fn a_shard_that_was_changed_is_not_taken() {
    let at = folder("shards-damaged");
    let file = root().join("scenarios/smallest.toml");
    shards(&at, &["run", file.to_str().unwrap(), "--replications", "30"], 2);
    let sums = at.join("output/smallest/shards/2-of-2/sums.json");
    let text = fs::read_to_string(&sums).unwrap();
    let digit = text.rfind(|c: char| c.is_ascii_digit()).unwrap();
    let other = if &text[digit..=digit] == "1" { "2" } else { "1" };
    fs::write(&sums, format!("{}{other}{}", &text[..digit], &text[digit + 1..])).unwrap();
    let said = refused(&at, &["merge", "output/smallest/shards", "--out", "out"]);
    assert!(said.contains("sums.json was changed after its shard was complete"), "{said}");
    assert!(!at.join("out").exists());
}

/// Comments are no part of a scenario, neither above uncertain keys nor among them.
#[test]
fn comments_may_change_before_shards_are_merged() {
    for (command, file) in [("sensitivity", "sensitivity-g5.toml"), ("sweep", "sweep-g5.toml")] {
        let at = folder(&format!("shards-comments-{command}"));
        let text = fs::read_to_string(root().join("scenarios").join(file)).unwrap();
        fs::write(at.join("a.toml"), &text).unwrap();
        let more: &[&str] = if command == "sweep" { &[] } else { &["--samples", "2"] };
        shards(&at, &[&[command, "a.toml", "--replications", "5", "--out", "part"], more].concat(), 1);
        let table = if command == "sweep" { "\n[sweep]" } else { "\n[uncertain]" };
        assert!(text.contains(table));
        let more = format!("# More.\n{}", text.replace(table, &format!("{table} # More.\n")));
        fs::write(at.join("a.toml"), more).unwrap();
        printed(&at, &["merge", "part", "--out", "out", "--plots", "none"]);
    }
}

#[test]
fn shards_of_different_results_are_refused() {
    let at = folder("shards-strange");
    let file = root().join("scenarios/smallest.toml");
    let run = ["run", file.to_str().unwrap(), "--replications", "30"];
    let shard = |folder: &str, more: &[&str]| {
        printed(&at, &[&run[..], &["--out", folder, "--shard"], more].concat());
    };
    shard("one", &["1/2"]);
    shard("two", &["2/2"]);
    shard("again", &["1/2"]);
    shard("seed", &["2/2", "--seed", "5"]);
    shard("of", &["2/3"]);
    shard("set", &["2/2", "--set", "job.deadline='30 h'"]);
    for (folders, words) in [
        (["one", "seed"], ["one and seed", "seed differs, 0 and 5"]),
        (["one", "of"], ["one and of", "number of shards differs, 2 and 3"]),
        (["one", "set"], ["one and set", "list of options differs"]),
        (["one", "again"], ["shard 1 is there twice", "one and again"]),
        (["one", "absent"], ["absent", "cannot be read"]),
    ] {
        let said = refused(&at, &["merge", folders[0], folders[1], "--out", "out"]);
        assert!(words.iter().all(|word| said.contains(word)), "{said}");
        assert!(!at.join("out").exists());
    }
}

/// What the trace says decides the answer; how it is laid out does not.
#[test]
fn a_scenario_that_changed_is_refused() {
    let at = folder("shards-changed");
    let text = fs::read_to_string(root().join("scenarios/recorded-trace.toml")).unwrap();
    let trace = "aws-2023-02-15-v100-us-west-2b.csv";
    fs::write(at.join("a.toml"), text.replace(&format!("../data/traces/{trace}"), "trace.csv")).unwrap();
    let recorded = fs::read_to_string(root().join("data/traces").join(trace)).unwrap();
    fs::write(at.join("trace.csv"), &recorded).unwrap();
    shards(&at, &["run", "a.toml", "--replications", "5"], 2);
    let merge = ["merge", "output/recorded-trace/shards", "--out", "out"];
    let shorter: Vec<&str> = recorded.lines().collect();
    fs::write(at.join("trace.csv"), shorter[..shorter.len() - 2].join("\n")).unwrap();
    let said = refused(&at, &merge);
    assert!(said.contains("a.toml or a file that it names is not as it was"), "{said}");
    fs::write(at.join("trace.csv"), &recorded).unwrap();
    fs::create_dir(at.join("moved")).unwrap();
    fs::rename(at.join("a.toml"), at.join("moved/b.toml")).unwrap();
    fs::rename(at.join("trace.csv"), at.join("moved/trace.csv")).unwrap();
    assert!(refused(&at, &merge).contains("name it with `--scenario FILE`"));
    printed(&at, &[&merge[..], &["--scenario", "moved/b.toml"]].concat());
}

#[test]
fn options_that_a_shard_cannot_heed_are_refused() {
    let at = root().join("scenarios");
    for (more, words) in [
        (vec!["--shard", "3"], "`--shard 1/3`"),
        (vec!["--shard", "0/3"], "parts are counted from 1"),
        (vec!["--shard", "4/3"], "there is no such part"),
        (vec!["--shard", "1/3", "--explain-cost"], "cannot be used with"),
        (vec!["--shard", "1/3", "--format", "json"], "cannot be used with"),
        (
            vec!["--shard", "1/3", "--set", "simulation.until={ result = 'cost_usd_mean', relative = 0.1 }"],
            "cannot be split",
        ),
        (vec!["--shard", "1/3", "--seed", "random"], "another seed in every shard"),
    ] {
        let said = refused(&at, &[&["run", "smallest.toml"], &more[..]].concat());
        assert!(said.contains(words), "{said}");
    }
}

/// 28 configurations, fewer than there are shards, with pictures.
#[test]
fn sweeps_merge_to_the_same_bytes() {
    check("sweep", "sweep", "sweep-g5.toml", &["--replications", "40"]);
}
