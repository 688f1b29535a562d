//! Many configurations of a scenario, each with its replications, on all threads and in order.

use super::chunk::{CHUNK, Replicated, Worker};
use super::replicate::is_enough;
use super::result::{ClusterResult, Status, summarise};
use crate::scenario::load::Scenario;
use rayon::ThreadPool;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

/// What one configuration came to: a result a cluster, or why it is no scenario.
pub type Evaluated = Result<Vec<ClusterResult>, String>;

/// Makes the scenario of a configuration, or says what is wrong with it.
pub type Resolve<'a> = dyn Fn(u64) -> Result<Scenario, String> + Sync + 'a;

/// Sees configurations become complete, in order. An error stops the work.
pub type Take<'a> = dyn FnMut(u64, Evaluated) -> io::Result<()> + 'a;

/// Evaluates the configurations `numbers` on the threads of `pool`. Threads share replications, not only
/// configurations, so that none is idle while the last one is worked on; replication k of every configuration is
/// the same world. Ends early, with what is complete, if `stop` is set.
pub fn evaluate(
    numbers: Range<u64>,
    resolve: &Resolve<'_>,
    pool: &ThreadPool,
    stop: &AtomicBool,
    take: &mut Take<'_>,
) -> io::Result<()> {
    let board = Board {
        desk: Mutex::new(Desk { next: numbers.start, end: numbers.end, resolving: 0, open: Vec::new() }),
        changed: Condvar::new(),
        resolve,
        stop,
    };
    let (sender, receiver) = channel();
    pool.in_place_scope(|scope| {
        for _ in 0..pool.current_num_threads() {
            let (board, sender) = (&board, sender.clone());
            scope.spawn(move |_| board.work(&sender));
        }
        drop(sender);
        let (mut early, mut next) = (BTreeMap::new(), numbers.start);
        for (number, evaluated) in receiver {
            early.insert(number, evaluated);
            while let Some(evaluated) = early.remove(&next) {
                if let Err(error) = take(next, evaluated) {
                    board.end();
                    return Err(error);
                }
                next += 1;
            }
        }
        Ok(())
    })
}

/// Whether each cluster of a scenario can be simulated at all, or cannot meet its deadline even undisturbed.
pub fn statuses(scenario: &Scenario) -> Vec<Status> {
    let of = |cluster: &crate::scenario::cluster::Cluster| {
        let late = cluster.plan.deadline.is_some_and(|deadline| cluster.ideal.least > deadline);
        if late { Status::Infeasible } else { Status::Simulated }
    };
    scenario.clusters.iter().map(of).collect()
}

/// Where threads find what is to be done.
struct Board<'a> {
    desk: Mutex<Desk>,
    /// Something may be found on the desk that was not there, or nothing will be any more.
    changed: Condvar,
    resolve: &'a Resolve<'a>,
    stop: &'a AtomicBool,
}

struct Desk {
    /// The first configuration that nobody has begun.
    next: u64,
    /// The one after the last.
    end: u64,
    /// Configurations that somebody is making a scenario of.
    resolving: usize,
    /// Configurations whose replications are not complete, in order.
    open: Vec<Arc<Open>>,
}

/// A configuration that is being simulated.
struct Open {
    number: u64,
    scenario: Scenario,
    status: Vec<Status>,
    simulated: Vec<bool>,
    state: Mutex<State>,
}

struct State {
    /// The first replication that nobody has begun.
    next: u64,
    /// How many are to be done before anybody looks whether they are enough.
    look: u64,
    /// How many are complete.
    done: u64,
    sums: Vec<Replicated>,
}

enum Task {
    Resolve(u64),
    Simulate(Arc<Open>, Range<u64>),
}

impl Board<'_> {
    fn work(&self, sender: &Sender<(u64, Evaluated)>) {
        while let Some(task) = self.task() {
            match task {
                Task::Resolve(number) => {
                    let resolved = (self.resolve)(number);
                    let mut desk = lock(&self.desk);
                    desk.resolving -= 1;
                    match resolved {
                        Ok(scenario) => desk.put(Open::new(number, scenario)),
                        Err(why) => _ = sender.send((number, Err(why))),
                    }
                    self.changed.notify_all();
                }
                Task::Simulate(open, replications) => {
                    let count = replications.end - replications.start;
                    let worker = Worker {
                        scenario: &open.scenario,
                        simulated: &open.simulated,
                        draw: None,
                        rows: None,
                        stop: self.stop,
                    };
                    let Ok(Some(chunk)) = worker.run(replications) else { return self.end() };
                    if let Some(results) = self.add(&open, &chunk.parts, count) {
                        _ = sender.send((open.number, Ok(results)));
                    }
                }
            }
        }
    }

    /// The next thing to do: replications of the first configuration that has some, else a new configuration.
    /// `None` if there is nothing and nothing will be.
    fn task(&self) -> Option<Task> {
        let mut desk = lock(&self.desk);
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(task) = desk.open.iter().find_map(Open::take) {
                return Some(task);
            }
            if desk.next < desk.end {
                let number = desk.next;
                desk.next += 1;
                desk.resolving += 1;
                return Some(Task::Resolve(number));
            }
            if desk.open.is_empty() && desk.resolving == 0 {
                return None;
            }
            desk = self.changed.wait(desk).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
    }

    /// Adds replications; gives the results of the configuration if it is complete with them.
    fn add(&self, open: &Arc<Open>, parts: &[Replicated], count: u64) -> Option<Vec<ClusterResult>> {
        let mut state = lock(&open.state);
        for (sum, part) in state.sums.iter_mut().zip(parts) {
            sum.merge(part);
        }
        state.done += count;
        if state.done < state.look {
            return None;
        }
        let cap = open.scenario.replications;
        if let Some(until) = &open.scenario.until
            && state.look < cap
            && !is_enough(&open.scenario, &open.simulated, &state.sums)
        {
            state.look = until.next_look(state.look, cap);
            drop(state);
            // Taken and left again, so that nobody who found nothing misses the news.
            drop(lock(&self.desk));
            self.changed.notify_all();
            return None;
        }
        let sums = std::mem::take(&mut state.sums);
        drop(state);
        lock(&self.desk).open.retain(|other| other.number != open.number);
        self.changed.notify_all();
        let clusters = open.scenario.clusters.iter().zip(sums).zip(&open.status);
        Some(clusters.map(|((cluster, mut sum), &status)| summarise(cluster, &mut sum, status)).collect())
    }

    /// Nothing more is to be done.
    fn end(&self) {
        let mut desk = lock(&self.desk);
        desk.next = desk.end;
        desk.open.clear();
        self.changed.notify_all();
    }
}

impl Desk {
    fn put(&mut self, open: Open) {
        let place = self.open.partition_point(|other| other.number < open.number);
        self.open.insert(place, Arc::new(open));
    }
}

impl Open {
    fn new(number: u64, scenario: Scenario) -> Self {
        let status = statuses(&scenario);
        let simulated: Vec<bool> = status.iter().map(|&status| status == Status::Simulated).collect();
        let cap = scenario.replications;
        let look = scenario.until.as_ref().map_or(cap, |until| until.first_look(cap));
        let sums = vec![Replicated::default(); scenario.clusters.len()];
        let state = Mutex::new(State { next: 0, look, done: 0, sums });
        Self { number, scenario, status, simulated, state }
    }

    /// Replications that nobody has begun.
    fn take(self: &Arc<Self>) -> Option<Task> {
        let mut state = lock(&self.state);
        let begin = state.next;
        (begin < state.look).then(|| {
            state.next = (begin + CHUNK).min(state.look);
            Task::Simulate(Arc::clone(self), begin..state.next)
        })
    }
}

/// A thread that panicked ends the work by that alone.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Options, replicate};
    use crate::scenario::load::Overrides;
    use crate::scenario::template::Template;

    const FILE: &str = r#"
schema = 1
name = "evaluate"
[job]
work = { ideal_time = "10 h" }
horizon = "3 d"
[checkpoint]
every = "15 min"
stall = "20 s"
[capacity.renewal]
uptime = { exponential = { mean = "2 h" } }
gap = { exponential = { mean = "15 min" } }
[pricing]
on_demand = "2 USD/h"
spot = "1 USD/h"
[[cluster]]
name = "spot"
instance = "g5.xlarge"
nodes = 1
market = "spot"
[simulation]
replications = 1_000
[sweep]
"checkpoint.every" = ["5 min", "15 min", "bad", "1 h"]
"#;

    fn pool(threads: usize) -> ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
    }

    /// All configurations of [`FILE`] with `more` under `[simulation]`.
    fn evaluated(more: &str, threads: usize) -> Vec<(u64, Evaluated)> {
        let text = FILE.replace("replications = 1_000", &format!("replications = 1_000\n{more}"));
        let template = Template::parse("a.toml", text, &Overrides::default(), &|_| Err("none".into()));
        let sweep = template.own().0.unwrap().sweep.unwrap();
        let resolve = |number| {
            let (scenario, problems) = template.resolve(&sweep.of_grid(number));
            scenario.ok_or_else(|| problems.render(template.sources(), false))
        };
        let mut all = Vec::new();
        let mut take = |number, evaluated| {
            all.push((number, evaluated));
            Ok(())
        };
        evaluate(0..sweep.count(), &resolve, &pool(threads), &AtomicBool::new(false), &mut take).unwrap();
        all
    }

    /// What one configuration comes to beside others is what it comes to alone.
    #[test]
    fn a_configuration_is_what_a_run_of_it_is() {
        let found = evaluated("", 2);
        let text = FILE.replace("\"15 min\"\nstall", "\"1 h\"\nstall");
        let alone =
            Template::parse("a.toml", text, &Overrides::default(), &|_| Err("none".into())).own().0.unwrap();
        let mut options = Options {
            numbers: 0..1_000,
            stop: &AtomicBool::new(false),
            draw: None,
            rows: None,
            progress: &mut (),
        };
        let mut sums = replicate(&alone, &[true], &pool(1), &mut options).unwrap();
        let right = summarise(&alone.clusters[0], &mut sums[0], Status::Simulated);
        assert_eq!(found[3].1.as_ref().unwrap()[0].figures(), right.figures());
    }

    #[test]
    fn configurations_come_in_order_and_threads_change_nothing() {
        let (one, three) = (evaluated("", 1), evaluated("", 3));
        let numbers: Vec<u64> = three.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [0, 1, 2, 3]);
        for ((_, a), (_, b)) in one.iter().zip(&three) {
            let figures = |of: &Evaluated| of.as_ref().ok().map(|results| results[0].figures());
            assert_eq!(figures(a), figures(b));
        }
        assert!(three[2].1.as_ref().is_err_and(|why| why.contains("bad")), "{:?}", three[2].1.is_ok());
    }

    /// Each configuration stops at a look of its own; threads do not move it.
    #[test]
    fn a_rule_ends_each_configuration_by_itself() {
        let more = "until = { result = \"cost_usd_mean\", relative = 0.02 }\nreplications_min = 256";
        let counts = |threads| -> Vec<u64> {
            let all = evaluated(more, threads);
            all.iter().filter_map(|(_, of)| of.as_ref().ok().map(|r| r[0].replications)).collect()
        };
        assert_eq!(counts(1), counts(3));
        assert!(counts(2).iter().all(|&n| (256..=1_000).contains(&n)));
    }

    #[test]
    fn who_takes_may_end_the_work() {
        let template =
            Template::parse("a.toml", FILE.to_owned(), &Overrides::default(), &|_| Err("none".into()));
        let sweep = template.own().0.unwrap().sweep.unwrap();
        let resolve = |number: u64| template.resolve(&sweep.of_grid(number % 2)).0.ok_or_else(String::new);
        let mut taken = 0;
        let mut take = |_, _| {
            taken += 1;
            if taken == 3 { Err(io::Error::other("full")) } else { Ok(()) }
        };
        let ended = evaluate(0..1_000_000, &resolve, &pool(2), &AtomicBool::new(false), &mut take);
        assert_eq!((ended.unwrap_err().to_string(), taken), ("full".to_owned(), 3));
    }
}
