//! The choice as JSON and CSV.

use super::super::json::{market_word, number};
use super::sentences;
use crate::experiment::plan::{Chosen, Judged, RateFlip, RateFlips, Verdict};
use crate::scenario::load::Scenario;
use crate::stats::Interval;
use serde_json::{Map, Value, json};

/// The word for what came of a candidate.
pub const fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Best => "best",
        Verdict::Tie => "tie",
        Verdict::Open => "open",
        Verdict::Dearer => "dearer",
        Verdict::Misses => "misses",
        Verdict::Impossible => "infeasible",
    }
}

/// `plan.json`; what does not exist is null.
pub fn json(scenario: &Scenario, chosen: &Chosen) -> Value {
    let named = |index: Option<usize>| index.map(|index| scenario.clusters[index].name.clone());
    let terms = &scenario.terms;
    let levels = chosen.levels.iter().map(|level| {
        json!({
            "probability": level.probability,
            "candidate": named(level.candidate),
            "cost_usd_mean": number(level.candidate.map(|_| level.cost_usd)),
            "deadline_probability": number(level.share.map(|share| share.value)),
            "sure": level.is_sure(),
        })
    });
    let price_flips = chosen.price_flips.iter().map(|flip| {
        let mut map = Map::new();
        map.insert("candidate".into(), named(Some(flip.candidate)).into());
        interval(&mut map, "spot_price_factor", Some(flip.factor));
        Value::from(map)
    });
    let candidates = (0..chosen.candidates.len()).map(|index| candidate(scenario, chosen, index));
    json!({
        "schema": 1,
        "scenario": { "name": scenario.name, "title": scenario.title, "seed": scenario.seed },
        "terms": {
            "probability": terms.probability,
            "confidence": terms.confidence,
            "replications_max": terms.replications_max,
            "indifference": terms.indifference,
        },
        "verdict": sentences(scenario, chosen).join(" "),
        "best": named(chosen.best),
        "certain": chosen.sure,
        "confidence_reached": chosen.reached,
        "runner_up": named(chosen.runner_up),
        "most_reliable": named(chosen.most_reliable),
        "replications": chosen.replications,
        "replications_spent": chosen.spent,
        "rounds": chosen.rounds.0,
        "interrupted": chosen.stopped,
        "merged": scenario.merged,
        "candidates": candidates.collect::<Vec<_>>(),
        "price_of_certainty": levels.collect::<Vec<_>>(),
        "price_flips": price_flips.collect::<Vec<_>>(),
        "rate_flips": rate_flips(scenario, chosen),
    })
}

fn candidate(scenario: &Scenario, chosen: &Chosen, index: usize) -> Value {
    let (cluster, judged) = (&scenario.clusters[index], &chosen.candidates[index]);
    let keys: Map<String, Value> =
        scenario.keys[index].iter().map(|(key, words)| (key.clone(), words.clone().into())).collect();
    let mut map = Map::new();
    map.insert("name".into(), cluster.name.clone().into());
    map.insert("keys".into(), keys.into());
    map.insert("instance".into(), cluster.instance.clone().into());
    map.insert("nodes".into(), cluster.nodes.into());
    map.insert("market".into(), market_word(cluster.market).into());
    map.insert("verdict".into(), verdict_word(judged.verdict).into());
    map.insert("replications".into(), judged.replications.into());
    for (name, of) in figures(judged) {
        interval(&mut map, name, of);
    }
    map.into()
}

fn figures(judged: &Judged) -> [(&'static str, Option<Interval>); 3] {
    [
        ("deadline_probability", judged.deadline_probability),
        ("cost_usd_mean", judged.cost_usd),
        ("dearer_usd", judged.more_usd),
    ]
}

fn interval(map: &mut Map<String, Value>, name: &str, of: Option<Interval>) {
    map.insert(name.to_owned(), number(of.map(|of| of.value)));
    map.insert(format!("{name}_low"), number(of.map(|of| of.low)));
    map.insert(format!("{name}_high"), number(of.map(|of| of.high)));
}

fn rate_flips(scenario: &Scenario, chosen: &Chosen) -> Value {
    let flip = |flip: Option<RateFlip>| {
        flip.map(|flip| {
            let name = flip.candidate.map(|index| scenario.clusters[index].name.clone());
            json!({ "interruption_rate_factor": flip.factor, "candidate": name })
        })
    };
    match chosen.rate_flips {
        Some(RateFlips::Found { fewer, more }) => json!({ "fewer": flip(fewer), "more": flip(more) }),
        Some(RateFlips::Undefined(_, why)) => json!({ "undefined": why }),
        Some(RateFlips::Tied) => json!({ "undefined": "tied" }),
        Some(RateFlips::Stopped) | None => Value::Null,
    }
}

/// `candidates.csv`: a line a candidate; empty where a figure does not exist.
pub fn csv(scenario: &Scenario, chosen: &Chosen) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |record: Vec<String>| writer.write_record(record).expect("memory takes every write");
    let ends = |name: &str| ["", "_low", "_high"].map(|end| format!("{name}{end}"));
    let keys = scenario.keys.first().into_iter().flatten().map(|(key, _)| key.clone());
    let mut header: Vec<String> = ["name", "instance", "nodes", "market"].map(str::to_owned).to_vec();
    header.extend(keys.map(|key| format!("key.{key}")));
    header.extend(["verdict", "replications"].map(str::to_owned));
    header.extend(figures(&chosen.candidates[0]).iter().flat_map(|(name, _)| ends(name)));
    write(header);
    for ((cluster, judged), keys) in scenario.clusters.iter().zip(&chosen.candidates).zip(&scenario.keys) {
        let mut record = vec![
            cluster.name.clone(),
            cluster.instance.clone(),
            cluster.nodes.to_string(),
            market_word(cluster.market).to_owned(),
        ];
        record.extend(keys.iter().map(|(_, words)| words.clone()));
        record.extend([verdict_word(judged.verdict).to_owned(), judged.replications.to_string()]);
        for (_, of) in figures(judged) {
            let of = of.map(|of| [of.value, of.low, of.high]);
            record.extend(of.map_or_else(Default::default, |of| of.map(|value| value.to_string())));
        }
        write(record);
    }
    writer.into_inner().expect("memory takes every write")
}
