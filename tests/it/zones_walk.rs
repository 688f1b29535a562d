//! Clusters of several zones, second by second: a slow walk written from rules 1 to 9 and 54 to 58 of
//! docs/semantics.md, and 80 to 86, without a closed form, against the engine, over scenarios whose every time is whole seconds.

use crate::run::scenario;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use spotsim::rng::Streams;
use spotsim::sim::{End, Ledger, Scratch, simulate};

const SCENARIOS: usize = 4_000;
const HORIZON: u64 = 600;

#[derive(Debug, Clone)]
struct Zone {
    /// Nodes from each instant on; before the first, no limit.
    levels: Vec<(u64, u32)>,
    /// USD/h from each instant on, the first at 0.
    prices: Vec<(u64, u64)>,
    acquire: u64,
    lifetime: Option<u64>,
}

#[derive(Debug, Clone)]
struct Case {
    zones: Vec<Zone>,
    cheapest: bool,
    keep: bool,
    nodes: usize,
    /// The first so many are On-Demand.
    anchors: usize,
    /// USD/h.
    max_price: Option<u64>,
    work: u64,
    provision: u64,
    start: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slot {
    Absent,
    Asked(u64),
    Held { granted: u64, ready: u64, dies: u64 },
}

/// A stay: slot, zone, granted, ended.
type Stay = (usize, usize, u64, u64);

impl Zone {
    fn level(&self, now: u64, max_price: Option<u64>) -> u32 {
        if max_price.is_some_and(|most| self.price(now) > most) {
            return 0;
        }
        self.levels.iter().rev().find(|(at, _)| *at <= now).map_or(u32::MAX, |(_, nodes)| *nodes)
    }

    fn price(&self, now: u64) -> u64 {
        self.prices.iter().rev().find(|(at, _)| *at <= now).unwrap().1
    }
}

/// What the cluster did: whether it finished, when it ended, and its stays.
fn walk(case: &Case) -> (bool, u64, Vec<Stay>) {
    let (k, spot_nodes) = (case.anchors, case.nodes - case.anchors);
    let level_of = |zone: usize, now| case.zones[zone].level(now, case.max_price) as usize;
    let (mut slots, mut zone, mut stays) = (vec![Slot::Absent; case.nodes], 0, Vec::new());
    // When the complete gang is done, if nothing breaks it.
    let mut done_at = None;
    for now in 0.. {
        if done_at == Some(now) {
            end_all(&mut slots, zone, now, &mut stays);
            return (true, now, sorted(stays));
        }
        let mut lost = false;
        for (index, slot) in slots.iter_mut().enumerate() {
            if let Slot::Held { granted, dies, .. } = *slot
                && dies <= now
            {
                stays.push((index, zone, granted, now));
                (*slot, lost) = (Slot::Absent, true);
            }
        }
        let level = level_of(zone, now);
        while slots[k..].iter().filter(|slot| matches!(slot, Slot::Held { .. })).count() > level {
            let granted = |slot: &Slot| match slot {
                Slot::Held { granted, .. } => Some(*granted),
                _ => None,
            };
            let newest = (k..slots.len()).max_by_key(|&index| (granted(&slots[index]), index)).unwrap();
            stays.push((newest, zone, granted(&slots[newest]).unwrap(), now));
            (slots[newest], lost) = (Slot::Absent, true);
        }
        if lost {
            done_at = None;
            if !case.keep {
                end_all(&mut slots, zone, now, &mut stays);
            }
        }
        if level < spot_nodes {
            for slot in slots.iter_mut().filter(|slot| matches!(slot, Slot::Asked(_))) {
                *slot = Slot::Absent;
            }
        }
        if now == HORIZON {
            end_all(&mut slots, zone, now, &mut stays);
            return (false, now, sorted(stays));
        }
        if slots.iter().all(|slot| *slot == Slot::Absent) {
            let there = (0..case.zones.len()).filter(|&z| level_of(z, now) >= spot_nodes);
            let price = |z: usize| if case.cheapest { case.zones[z].price(now) } else { 0 };
            zone = there.min_by_key(|&z| (price(z), z)).unwrap_or(zone);
        }
        let here = &case.zones[zone];
        for (index, slot) in slots.iter_mut().enumerate() {
            if *slot == Slot::Absent && level_of(zone, now) >= spot_nodes {
                *slot = Slot::Asked(if index < k { now } else { now + here.acquire });
            }
            if *slot == Slot::Asked(now) {
                let dies = here.lifetime.filter(|_| index >= k).map_or(u64::MAX, |life| now + life);
                *slot = Slot::Held { granted: now, ready: now + case.provision, dies };
            }
        }
        let ready = |slot: &Slot| matches!(slot, Slot::Held { ready, .. } if *ready <= now);
        if done_at.is_none() && slots.iter().all(ready) {
            done_at = Some(now + case.start + case.work);
        }
    }
    unreachable!("the horizon ends every walk")
}

fn end_all(slots: &mut [Slot], zone: usize, now: u64, stays: &mut Vec<Stay>) {
    for (index, slot) in slots.iter_mut().enumerate() {
        if let Slot::Held { granted, .. } = *slot {
            stays.push((index, zone, granted, now));
        }
        *slot = Slot::Absent;
    }
}

fn sorted(mut stays: Vec<Stay>) -> Vec<Stay> {
    stays.sort_unstable();
    stays
}

/// Nano-dollars of the stays, a line for each price, rounded halves up.
fn bill(case: &Case, stays: &[Stay]) -> u64 {
    let of = |&(slot, zone, granted, end): &Stay| -> u64 {
        let from = granted + case.provision;
        let prices = if slot < case.anchors { &vec![(0, 9)] } else { &case.zones[zone].prices };
        let ends = prices.iter().skip(1).map(|(at, _)| *at).chain([u64::MAX]);
        let lines = prices.iter().zip(ends).map(|(&(begin, price), until)| {
            let seconds = end.min(until).saturating_sub(from.max(begin));
            (2 * price * seconds * 1_000_000_000 + 3_600) / 7_200
        });
        lines.sum()
    };
    stays.iter().map(of).sum()
}

fn random(rng: &mut Xoshiro256PlusPlus) -> Case {
    let nodes = rng.random_range(1..=3);
    let zone = |rng: &mut Xoshiro256PlusPlus| {
        let mut levels: Vec<(u64, u32)> = (0..rng.random_range(0..6))
            .map(|_| (rng.random_range(0..200), rng.random_range(0..=4)))
            .collect();
        levels.sort_unstable();
        levels.dedup_by_key(|(at, _)| *at);
        let mut prices = vec![(0, rng.random_range(1..4))];
        for _ in 0..rng.random_range(0..3) {
            prices.push((prices.last().unwrap().0 + rng.random_range(1..90), rng.random_range(1..4)));
        }
        // The same price again is no change, and makes no line.
        prices.dedup_by_key(|(_, price)| *price);
        let lifetime = rng.random_bool(0.3).then(|| rng.random_range(5..60));
        Zone { levels, prices, acquire: rng.random_range(0..12), lifetime }
    };
    let keep = rng.random_bool(0.5);
    let anchors = if rng.random_bool(0.5) { rng.random_range(0..nodes) } else { 0 };
    // On-Demand nodes that are kept go with one zone only.
    let (fewest, most) = if keep && anchors > 0 { (1, 1) } else { (2, 4) };
    let zones: Vec<Zone> = (0..rng.random_range(fewest..=most)).map(|_| zone(rng)).collect();
    // No zone may be too dear for ever.
    let lowest = |zone: &Zone| zone.prices.iter().map(|(_, price)| *price).min().unwrap();
    let max_price = rng.random_bool(0.5).then(|| zones.iter().map(lowest).max().unwrap());
    Case {
        zones,
        cheapest: rng.random_bool(0.5),
        keep,
        nodes,
        anchors,
        max_price,
        work: rng.random_range(1..60),
        provision: rng.random_range(0..6),
        start: rng.random_range(0..6),
    }
}

fn text(case: &Case) -> String {
    let Case { zones, cheapest, keep, nodes, anchors, max_price, work, provision, start } = case;
    let max_price = max_price.map_or(String::new(), |most| format!("policy.max_price = \"{most} USD/h\"\n"));
    let names: Vec<String> = (0..zones.len()).map(|zone| format!("\"z{zone}\"")).collect();
    let mut text = format!(
        "schema = 1\nname = \"walk\"\njob.work = {{ ideal_time = \"{work} s\" }}\njob.horizon = \"{HORIZON} s\"\n\
         start.provision = \"{provision} s\"\nstart.start = \"{start} s\"\n\
         pricing = {{ rule = \"flat\", on_demand = \"9 USD/h\" }}\n{max_price}policy.on_demand_nodes = {anchors}\n"
    );
    for (number, zone) in zones.iter().enumerate() {
        let events = zone.levels.iter().map(|(at, nodes)| format!("{{ at = \"{at} s\", nodes = {nodes} }}"));
        let prices =
            zone.prices.iter().map(|(at, price)| format!("{{ at = \"{at} s\", spot = \"{price} USD/h\" }}"));
        let life = zone.lifetime.map_or(String::new(), |life| format!("lifetime = \"{life} s\"\n"));
        let events = events.collect::<Vec<_>>().join(", ");
        let events = if events.is_empty() { String::new() } else { format!("events = [{events}]\n") };
        text += &format!(
            "[zone.z{number}.capacity]\n{events}acquire = \"{} s\"\n{life}[zone.z{number}.pricing]\nhistory = [{}]\n",
            zone.acquire,
            prices.collect::<Vec<_>>().join(", ")
        );
    }
    let (choose, on_loss) =
        (if *cheapest { "cheapest" } else { "first" }, if *keep { "keep" } else { "release" });
    text + &format!(
        "[[cluster]]\nname = \"c\"\ninstance = \"g5.xlarge\"\nnodes = {nodes}\nmarket = \"spot\"\nzones = [{}]\n\
         choose_zone = \"{choose}\"\non_loss = \"{on_loss}\"\n",
        names.join(", ")
    )
}

#[test]
fn the_engine_agrees_with_a_walk_second_by_second() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
    let (mut scratch, mut moved) = (Scratch::default(), 0);
    for _ in 0..SCENARIOS {
        let case = random(&mut rng);
        let plan = scenario(&text(&case)).clusters[0].plan.clone();
        let mut ledger = Ledger::default();
        let outcome = simulate(&plan, &Streams::new(0), 0, &mut scratch, &mut ledger);
        let seconds = |ns: u64| ns / 1_000_000_000;
        let stays = ledger.stays.iter().map(|stay| {
            (stay.slot as usize, stay.zone as usize, seconds(stay.granted.ns()), seconds(stay.end.ns()))
        });
        let ours = (outcome.end == End::Finished, seconds(outcome.elapsed.ns()), sorted(stays.collect()));
        let right = walk(&case);
        assert_eq!(ours, right, "{case:?}\n{}", text(&case));
        assert_eq!(outcome.cost().nusd() as u64, bill(&case, &right.2), "{case:?}");
        moved += usize::from(right.2.iter().any(|stay| stay.1 != right.2[0].1));
    }
    assert!(moved > SCENARIOS / 10, "{moved}");
}
