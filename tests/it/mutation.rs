//! Whatever is done to a scenario, reading it gives a scenario or an error, never a panic.

use crate::run::root;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use spotsim::rng::Streams;
use spotsim::scenario::load::{Overrides, load};
use spotsim::sim::{Scratch, simulate};
use spotsim::units::Span;

fn originals() -> Vec<String> {
    let mut paths: Vec<_> =
        std::fs::read_dir(root().join("scenarios")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut texts: Vec<String> = paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    texts.push(std::fs::read_to_string(root().join("tests/semantics/245.toml")).unwrap());
    texts
}

/// Pieces that a scenario may be made to hold in a wrong place.
const PIECES: [&str; 32] = [
    "0",
    "-1",
    "1e999",
    "nan",
    "inf",
    "99999999999999999999",
    "\"0 s\"",
    "\"-5 min\"",
    "\"1e30 h\"",
    "\"unlimited\"",
    "\"\"",
    "\"25 gb/s\"",
    "[]",
    "{}",
    "[[]]",
    "true",
    "= =",
    "\n[cluster]\n",
    "\n[[cluster]]\n",
    "{ weibull = { shape = 0, mean = \"1 s\" } }",
    "{ empirical = [] }",
    "\u{0}",
    "\u{202e}",
    "'''",
    "\"\"\"",
    "events = [{ at = \"1 s\", nodes = 0 }]",
    "nodes = 1000000000",
    "{ lognormal = { median = \"500 y\", sigma = 1e9 } }",
    "name = \"x\"",
    "every = \"1 ns\"",
    "\nmin_nodes = 1\n",
    "\nspares = 2\n",
];

/// One change of a text: bytes cut, lines swapped, or a piece put in.
fn mutate(text: &mut String, kind: u8, at: usize, piece: usize) {
    let mut at = at % (text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    match kind % 4 {
        0 => text.insert_str(at, PIECES[piece % PIECES.len()]),
        1 => {
            let end = (at..=text.len()).find(|&end| end > at + piece % 9 && text.is_char_boundary(end));
            text.replace_range(at..end.unwrap_or(text.len()), "");
        }
        2 => {
            // A value replaced as a whole.
            if let Some(equals) = text[at..].find('=').map(|i| at + i + 1) {
                let end = text[equals..].find('\n').map_or(text.len(), |i| equals + i);
                text.replace_range(equals..end, &format!(" {}", PIECES[piece % PIECES.len()]));
            }
        }
        _ => {
            let mut lines: Vec<&str> = text.lines().collect();
            if lines.len() > 1 {
                let (a, b) = (at % lines.len(), piece % lines.len());
                lines.swap(a, b);
            }
            *text = lines.join("\n");
        }
    }
}

proptest! {
    #![proptest_config(Config { cases: 4_000, rng_seed: RngSeed::Fixed(20_261_202), failure_persistence: None, ..Config::default() })]

    #[test]
    fn mutated_scenarios_never_panic(
        which in 0_usize..6,
        changes in prop::collection::vec((any::<u8>(), any::<usize>(), any::<usize>()), 1..5),
    ) {
        let mut text = originals()[which].clone();
        for (kind, at, piece) in changes {
            mutate(&mut text, kind, at, piece);
        }
        let trace = "# kind: availability\nstart,duration_s,nodes\n2023-02-15T22:08:16Z,4000,1\n2023-02-15T23:14:56Z,600,0\n";
        let loaded = load("mutated.toml", text, &Overrides::default(), &|_| Ok(trace.to_owned()));
        let rendered = loaded.problems.render(&loaded.sources, false);
        prop_assert_eq!(loaded.scenario.is_none(), loaded.problems.has_errors(), "{}", rendered);
        // What was accepted runs to its end, if it can be expected to end soon.
        for cluster in loaded.scenario.iter().flat_map(|scenario| &scenario.clusters) {
            let soon = cluster.plan.horizon <= Span::from_s(60 * 86_400) && cluster.plan.nodes <= 64;
            if soon && cluster.plan.capacity.lifetime.is_none() {
                let outcome = simulate(&cluster.plan, &Streams::new(0), 0, &mut Scratch::default(), &mut ());
                prop_assert_eq!(outcome.time.total(), outcome.elapsed);
            }
        }
    }
}
