//! Elastic gangs and spares, second by second: a slow walk written from rules 38 to 45 of docs/semantics.md,
//! without a closed form, against the engine, over scenarios whose every time is whole seconds.

use crate::run::scenario;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use spotsim::rng::Streams;
use spotsim::sim::{End, Part, Scratch, simulate};

const SCENARIOS: usize = 4_000;
const NODES: usize = 4;
const STEPS: u64 = 60;
/// A step of k nodes takes 12/k seconds: 3 of the whole gang.
const STEP_OF_ONE: u64 = 12;

#[derive(Debug, Clone)]
struct Case {
    min: Option<usize>,
    spares: usize,
    warm: bool,
    memory: bool,
    provision: u64,
    own: u64,
    joint: u64,
    restore: u64,
    reshard: u64,
    acquire: u64,
    detection: u64,
    /// Time between saves, and how long each takes.
    save: Option<(u64, u64)>,
    /// When, and which slots.
    losses: Vec<(u64, Vec<usize>)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slot {
    Absent,
    Asked(u64),
    Held { ready: u64, up: Option<u64>, member: bool, holds: bool },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Waits,
    Hangs { until: u64 },
    Starts { until: u64, then: u64 },
    Restores { until: u64 },
    Steps,
    Saves { until: u64 },
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Answer {
    elapsed: u64,
    attempts: u32,
    preemptions: u32,
    nodes_lost: u32,
    /// By [`Part`].
    time: [u64; 11],
}

struct Walk<'a> {
    case: &'a Case,
    now: u64,
    slots: Vec<Slot>,
    granted_before: Vec<bool>,
    phase: Phase,
    answer: Answer,
    durable: u64,
    /// Steps since the newest durable save, and their seconds.
    unsaved: (u64, u64),
    /// Seconds into the step under way.
    into_step: u64,
    /// Seconds of steps since the point from which saves are due, and how many were due by then.
    cadence: (u64, u64),
    /// The point from which saves are due is the next save.
    carried: bool,
    /// A node may join now: a step boundary or, from saves, the end of one.
    may_join: bool,
}

impl Walk<'_> {
    fn of(case: &Case) -> Answer {
        let slots = NODES + case.spares;
        let mut walk = Walk {
            case,
            now: 0,
            slots: vec![Slot::Absent; slots],
            granted_before: vec![false; slots],
            phase: Phase::Waits,
            answer: Answer::default(),
            durable: 0,
            unsaved: (0, 0),
            into_step: 0,
            cadence: (0, 0),
            carried: false,
            may_join: false,
        };
        while !walk.instant() {
            walk.second();
        }
        walk.answer.elapsed = walk.now;
        walk.answer
    }

    /// Indices of held slots for which `fits` says so of (ready, up, member, holds).
    fn those(&self, fits: impl Fn(u64, Option<u64>, bool, bool) -> bool) -> Vec<usize> {
        let held = |index: &usize| match self.slots[*index] {
            Slot::Held { ready, up, member, holds } => fits(ready, up, member, holds),
            _ => false,
        };
        (0..self.slots.len()).filter(held).collect()
    }

    fn members(&self) -> Vec<usize> {
        self.those(|_, _, member, _| member)
    }

    fn least(&self) -> usize {
        self.case.min.unwrap_or(NODES)
    }

    fn step(&self) -> u64 {
        STEP_OF_ONE / self.members().len() as u64
    }

    fn book(&mut self, part: Part, seconds: u64) {
        self.answer.time[part as usize] += seconds;
    }

    /// All that happens now; whether the job is done.
    fn instant(&mut self) -> bool {
        if self.complete() {
            return true;
        }
        if let Some((_, lost)) = self.case.losses.iter().find(|(at, _)| *at == self.now && self.now > 0) {
            self.lose(&lost.clone());
        }
        if let Phase::Hangs { until } = self.phase
            && (self.now >= until || self.members().is_empty())
        {
            self.phase = Phase::Waits;
        }
        self.join();
        self.grant();
        self.form();
        self.begin_own_starts();
        // Phases of no length end at once, and may end the job: no node can be lost twice at one instant.
        loop {
            let before = (self.phase, self.members().len(), self.durable);
            if self.complete() {
                return true;
            }
            self.join();
            self.begin_own_starts();
            if before == (self.phase, self.members().len(), self.durable) {
                return false;
            }
        }
    }

    /// Ends what ends now; whether the job is done.
    fn complete(&mut self) -> bool {
        if self.phase == Phase::Waits {
            if !self.those(|ready, _, _, _| ready == self.now).is_empty() {
                self.form();
            }
            if self.phase == Phase::Waits {
                return false;
            }
        }
        if let Phase::Starts { until, then } = self.phase
            && until == self.now
        {
            self.phase = Phase::Restores { until: self.now + then };
        }
        if self.phase == (Phase::Restores { until: self.now }) {
            self.begin_training();
        }
        if self.phase == Phase::Steps && self.into_step == self.step() {
            let step = self.step();
            self.into_step = 0;
            self.unsaved = (self.unsaved.0 + 1, self.unsaved.1 + step);
            self.cadence.0 += step;
            if self.durable + self.unsaved.0 == STEPS {
                self.keep();
                return true;
            }
            if let Some((every, stall)) = self.case.save
                && self.cadence.0 / every > self.cadence.1
            {
                self.cadence.1 = self.cadence.0 / every;
                self.phase = Phase::Saves { until: self.now + stall };
            }
        }
        let mut saved = false;
        if self.phase == (Phase::Saves { until: self.now }) {
            self.keep();
            if self.carried {
                (self.cadence, self.carried) = ((0, 0), false);
            }
            (self.phase, saved) = (Phase::Steps, true);
        }
        self.may_join =
            self.phase == Phase::Steps && if self.case.memory { self.into_step == 0 } else { saved };
        false
    }

    fn begin_training(&mut self) {
        self.phase = Phase::Steps;
        self.into_step = 0;
        self.cadence = (self.unsaved.1, 0);
        self.carried = self.unsaved.0 > 0;
        for slot in &mut self.slots {
            if let Slot::Held { member: true, holds, .. } = slot {
                *holds = true;
            }
        }
    }

    fn keep(&mut self) {
        self.durable += self.unsaved.0;
        let seconds = std::mem::take(&mut self.unsaved).1;
        self.book(Part::Computing, seconds);
    }

    fn lose(&mut self, lost: &[usize]) {
        let before = self.members().len();
        for &index in lost {
            if index < self.slots.len() && matches!(self.slots[index], Slot::Held { .. }) {
                self.slots[index] = Slot::Absent;
                self.answer.nodes_lost += 1;
            }
        }
        let broken = self.members().len() < before;
        let under_way = !matches!(self.phase, Phase::Waits | Phase::Hangs { .. });
        if under_way && broken {
            let seconds = std::mem::take(&mut self.into_step);
            self.book(Part::Lost, seconds);
            self.answer.preemptions += 1;
            self.phase = Phase::Hangs { until: self.now + self.case.detection };
        }
        let survives = self.case.memory && !self.those(|_, _, _, holds| holds).is_empty();
        let in_training = matches!(self.phase, Phase::Waits | Phase::Hangs { .. });
        if in_training && !survives {
            let seconds = std::mem::take(&mut self.unsaved).1;
            self.book(Part::Lost, seconds);
        }
    }

    fn grant(&mut self) {
        let asks = !matches!(self.phase, Phase::Hangs { .. });
        for index in 0..self.slots.len() {
            if self.slots[index] == Slot::Absent && asks {
                let wait = if self.granted_before[index] { self.case.acquire } else { 0 };
                self.slots[index] = Slot::Asked(self.now + wait);
            }
            if self.slots[index] == Slot::Asked(self.now) {
                self.granted_before[index] = true;
                let ready = self.now + self.case.provision;
                self.slots[index] = Slot::Held { ready, up: None, member: false, holds: false };
            }
        }
    }

    fn form(&mut self) {
        if self.phase != Phase::Waits {
            return;
        }
        let (now, first) = (self.now, self.answer.attempts == 0);
        let up = self.those(|_, up, _, _| up.is_some_and(|up| up <= now));
        let provisioned = self.those(|ready, _, _, _| ready <= now);
        let goes_on = self.case.min.is_some() && !first && up.len() >= self.least();
        let mut chosen = if goes_on { up } else { provisioned };
        if chosen.len() < self.least() {
            return;
        }
        chosen.sort_by_key(|&index| match self.slots[index] {
            Slot::Held { ready, up, holds, .. } => (!holds, up.unwrap_or(u64::MAX), ready, index),
            _ => unreachable!("only held nodes are chosen"),
        });
        chosen.truncate(NODES);
        let from_memory = self.case.memory && !self.those(|_, _, _, holds| holds).is_empty();
        let mut all_up = now;
        for index in 0..self.slots.len() {
            if let Slot::Held { up, member, .. } = &mut self.slots[index] {
                *member = chosen.contains(&index);
                if *member {
                    all_up = all_up.max(*up.get_or_insert(now + self.case.own));
                }
            }
        }
        self.answer.attempts += 1;
        let restore = if from_memory { 0 } else { self.case.restore };
        self.phase = if goes_on {
            Phase::Restores { until: now + self.case.reshard + restore }
        } else {
            let reshard = if from_memory { self.case.reshard } else { restore };
            Phase::Starts { until: all_up + self.case.joint, then: if first { 0 } else { reshard } }
        };
    }

    fn begin_own_starts(&mut self) {
        if self.phase == Phase::Waits {
            return;
        }
        for index in 0..self.slots.len() {
            let started = self.those(|_, up, member, _| up.is_some() || member).len();
            let has_place = self.case.min.is_some() && started < NODES;
            let warm = self.case.spares == 0 || self.case.warm;
            if let Slot::Held { ready, up: up @ None, member: false, .. } = &mut self.slots[index]
                && (warm || has_place)
            {
                *up = Some(self.now.max(*ready) + self.case.own);
            }
        }
    }

    fn join(&mut self) {
        if self.case.min.is_none() || !self.may_join || self.phase != Phase::Steps {
            return;
        }
        let now = self.now;
        let mut up = self.those(|_, up, member, _| !member && up.is_some_and(|up| up <= now));
        up.sort_by_key(|&index| match self.slots[index] {
            Slot::Held { up, .. } => (up, index),
            _ => unreachable!("only held nodes are up"),
        });
        up.truncate(NODES - self.members().len());
        if up.is_empty() {
            return;
        }
        for index in up {
            if let Slot::Held { member, .. } = &mut self.slots[index] {
                *member = true;
            }
        }
        let restore = if self.case.memory { 0 } else { self.case.restore };
        self.phase = Phase::Restores { until: self.now + self.case.reshard + restore };
    }

    /// One second of what goes on.
    fn second(&mut self) {
        match self.phase {
            Phase::Waits => {
                let held = self.those(|_, _, _, _| true).len();
                let asked = self.slots.iter().filter(|slot| matches!(slot, Slot::Asked(_))).count();
                self.book(
                    match self.least() {
                        least if held >= least => Part::Provisioning,
                        least if held + asked >= least => Part::Acquiring,
                        _ => Part::Queued,
                    },
                    1,
                );
            }
            Phase::Hangs { .. } => self.book(Part::Lost, 1),
            Phase::Starts { .. } => self.book(Part::Starting, 1),
            Phase::Restores { .. } => self.book(Part::Restoring, 1),
            Phase::Steps => self.into_step += 1,
            Phase::Saves { .. } => self.book(Part::CheckpointStall, 1),
        }
        self.now += 1;
    }
}

fn draw(rng: &mut Xoshiro256PlusPlus) -> Case {
    let mut one = |options: &[u64]| options[rng.random_range(0..options.len())];
    let kind = one(&[0, 0, 1, 2]);
    let min = (kind != 1).then(|| one(&[1, 2, 3, 4]) as usize);
    let spares = if kind == 0 { 0 } else { one(&[1, 1, 2]) as usize };
    let save = one(&[0, 12, 20, 36, 5]);
    let mut at = 0;
    let losses = (0..one(&[0, 1, 3, 6])).map(|_| {
        at += one(&[1, 2, 3, 12, 40, 41, 90]);
        let slots = one(&[1, 1, 1, 2, 3, 6]);
        (at, (0..slots).map(|_| one(&[0, 1, 2, 3, 4, 5]) as usize).collect())
    });
    let losses = losses.collect();
    Case {
        min,
        spares,
        warm: one(&[0, 1]) == 1,
        memory: min.is_some() && one(&[0, 1]) == 1,
        provision: one(&[1, 2, 7]),
        own: one(&[0, 3, 20]),
        joint: one(&[0, 1, 4]),
        restore: one(&[0, 2, 5]),
        reshard: one(&[0, 1, 6]),
        acquire: one(&[0, 1, 10, 33, 200]),
        detection: one(&[0, 0, 5, 30]),
        save: (save > 0).then(|| (save, one(&[0, 1, 5]))),
        losses,
    }
}

/// What the engine makes of the same case.
fn simulated(case: &Case) -> Answer {
    let events: Vec<String> =
        case.losses.iter().map(|(at, slots)| format!("{{ at = \"{at} s\", lose = {slots:?} }}")).collect();
    let save = case.save.map_or(String::new(), |(every, stall)| {
        format!("checkpoint = {{ every = \"{every} s\", stall = \"{stall} s\" }}")
    });
    let min = case.min.map_or(String::new(), |min| format!("min_nodes = {min}"));
    let text = format!(
        r#"
schema = 1
name = "walk"
job.work = "{STEPS} steps"
compute.step_time = "3 s"
{save}
start = {{ provision = "{} s", start = "{} s", rendezvous = "{} s", restore = "{} s", reshard = "{} s", reshard_from = "{}", detection = "{} s" }}
capacity = {{ acquire = "{} s", acquire_first = "0 s", events = [{}] }}
[[cluster]]
name = "c"
instance = "g5.xlarge"
nodes = {NODES}
market = "spot"
spares = {}
spares_are = "{}"
{min}
"#,
        case.provision,
        case.own,
        case.joint,
        case.restore,
        case.reshard,
        if case.memory { "memory" } else { "save" },
        case.detection,
        case.acquire,
        events.join(", "),
        case.spares,
        if case.warm { "warm" } else { "cold" },
    );
    let plan = &scenario(&text).clusters[0].plan;
    let outcome = simulate(plan, &Streams::new(0), 0, &mut Scratch::default(), &mut ());
    assert_eq!(outcome.end, End::Finished);
    Answer {
        elapsed: outcome.elapsed.ns() / 1_000_000_000,
        attempts: outcome.attempts,
        preemptions: outcome.preemptions,
        nodes_lost: outcome.nodes_lost,
        time: outcome.time.spans().map(|span| span.ns() / 1_000_000_000),
    }
}

#[test]
fn the_engine_is_where_a_walk_second_by_second_is() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(38);
    let mut broken = 0;
    for number in 0..SCENARIOS {
        let case = draw(&mut rng);
        let (walked, ours) = (Walk::of(&case), simulated(&case));
        assert_eq!(ours, walked, "case {number}: {case:#?}");
        broken += ours.preemptions;
    }
    assert!(broken > SCENARIOS as u32, "{broken}");
}
