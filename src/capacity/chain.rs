//! Node counts that jump from state to state without memory.

use crate::rng::{Source, Stream, Streams};
use crate::units::{SimTime, Span};

/// One state of a chain, with names already found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// Nodes that can be had in it; [`ANY`](super::path::ANY): as many as asked for.
    pub nodes: u32,
    /// Where it goes, by place in the list, and the mean of the exponential clock that leads there; above 0.
    /// The first clock that rings wins.
    pub to: Vec<(usize, Span)>,
}

/// Why states make no chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ChainError {
    /// From the first state there is no way to the second.
    #[error("from state {0} there is no way to state {1}")]
    NoWay(usize, usize),
}

/// `[[capacity.markov.state]]`: a continuous-time Markov chain whose states say how many nodes can be had. A
/// birth-death chain of counts and on/off periods that are calm or rough are both such chains.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    states: Vec<Jumps>,
    /// Shares of time in each state.
    stationary: Vec<f64>,
    /// Where replications begin; `None`: as after a long history.
    begin: Option<usize>,
}

#[derive(Debug, Clone, PartialEq)]
struct Jumps {
    nodes: u32,
    /// Of leaving it.
    rate_per_s: f64,
    /// Each next state with the chance that it or one before it is the next.
    to: Vec<(f64, usize)>,
}

/// A place in a chain.
#[derive(Debug, Clone)]
pub(super) struct ChainWalk<'a> {
    chain: &'a Chain,
    /// The state after the next change.
    following: usize,
    sojourns: Stream,
    jumps: Stream,
}

impl Chain {
    /// From at least one state; places in `to` and `begin` are those of the list. Each state must lead to
    /// each other, over others maybe, so that what comes late does not hang on where it begins.
    pub fn new(states: &[State], begin: Option<usize>) -> Result<Self, ChainError> {
        let lost = |backwards| reachable(states, 0, backwards).iter().position(|reached| !reached);
        if let Some(other) = lost(false) {
            return Err(ChainError::NoWay(0, other));
        }
        if let Some(other) = lost(true) {
            return Err(ChainError::NoWay(other, 0));
        }
        let rates = |state: &State| -> Vec<(usize, f64)> {
            state.to.iter().map(|&(to, mean)| (to, 1.0 / mean.as_secs())).collect()
        };
        let jumps = states.iter().map(|state| {
            let rates = rates(state);
            let rate_per_s = rates.iter().map(|(_, rate)| rate).sum();
            let mut sum = 0.0;
            let to = rates.iter().map(|&(to, rate)| {
                sum += rate / rate_per_s;
                (sum, to)
            });
            Jumps { nodes: state.nodes, rate_per_s, to: to.collect() }
        });
        let all_rates: Vec<_> = states.iter().map(rates).collect();
        Ok(Self { states: jumps.collect(), stationary: stationary(&all_rates), begin })
    }

    /// Shares of time in each state.
    pub fn stationary(&self) -> &[f64] {
        &self.stationary
    }

    /// Mean time from the coming of at least `nodes` nodes to their loss, seconds: the share of time with so
    /// many over the rate at which they are lost. `None` where that many are always there, or never.
    pub fn mean_uptime_s(&self, nodes: u32) -> Option<f64> {
        let up = |state: &&(usize, &Jumps)| state.1.nodes >= nodes;
        let (mut share, mut loss_per_s) = (0.0, 0.0);
        for (index, state) in self.states.iter().enumerate().filter(|state| up(&state)) {
            let mut before = 0.0;
            for &(chance, to) in &state.to {
                if self.states[to].nodes < nodes {
                    loss_per_s += self.stationary[index] * state.rate_per_s * (chance - before);
                }
                before = chance;
            }
            share += self.stationary[index];
        }
        (loss_per_s > 0.0).then_some(share / loss_per_s)
    }

    /// Whether all states have one level.
    pub fn is_still(&self) -> bool {
        self.states.iter().all(|state| state.nodes == self.states[0].nodes)
    }

    pub(super) fn begin(
        &self,
        streams: &Streams,
        zone: u64,
        replication: u64,
    ) -> (u32, SimTime, ChainWalk<'_>) {
        let stream = |index| streams.stream(Source::Chain, zone, replication, index);
        let state = self.begin.unwrap_or_else(|| {
            let mut rest = stream(2).open01();
            let found = self.stationary.iter().position(|share| {
                rest -= share;
                rest < 0.0
            });
            found.unwrap_or(self.states.len() - 1)
        });
        let mut walk = ChainWalk { chain: self, following: state, sojourns: stream(0), jumps: stream(1) };
        let next = walk.leave(state, SimTime::ZERO);
        (self.states[state].nodes, next, walk)
    }
}

impl ChainWalk<'_> {
    pub(super) fn peek_level(&self) -> u32 {
        self.chain.states[self.following].nodes
    }

    pub(super) fn step(&mut self, now: SimTime) -> (u32, SimTime) {
        let state = self.following;
        let level = self.peek_level();
        (level, self.leave(state, now))
    }

    /// Draws how long `state`, entered now, lasts and what follows it; gives its end.
    fn leave(&mut self, state: usize, now: SimTime) -> SimTime {
        let jumps = &self.chain.states[state];
        let Some(&(_, last)) = jumps.to.last() else { return SimTime::NEVER };
        let span_s = -libm::log(self.sojourns.open01()) / jumps.rate_per_s;
        let u = self.jumps.open01();
        self.following = jumps.to.iter().find(|(chance, _)| u < *chance).map_or(last, |&(_, to)| to);
        // A sojourn of zero would let a path change for ever at one instant.
        now + Span::from_secs_saturating(span_s).max(Span::from_ns(1))
    }
}

/// Which states can be reached from `start`, or, `backwards`, from which it can be reached.
fn reachable(states: &[State], start: usize, backwards: bool) -> Vec<bool> {
    let leads = |from: usize, to: usize| states[from].to.iter().any(|&(next, _)| next == to);
    let mut reached = vec![false; states.len()];
    reached[start] = true;
    let mut open = vec![start];
    while let Some(at) = open.pop() {
        for (other, reached) in reached.iter_mut().enumerate() {
            let joined = if backwards { leads(other, at) } else { leads(at, other) };
            if joined && !*reached {
                *reached = true;
                open.push(other);
            }
        }
    }
    reached
}

/// The stationary distribution of an irreducible chain with these rates, by state reduction, which subtracts
/// nothing and so loses no digits (Grassmann, Taksar and Heyman 1985, Oper. Res. 33, 1107-1116).
fn stationary(rates: &[Vec<(usize, f64)>]) -> Vec<f64> {
    let n = rates.len();
    let mut q = vec![vec![0.0; n]; n];
    for (from, to) in rates.iter().enumerate() {
        for &(to, rate) in to {
            q[from][to] += rate;
        }
    }
    for last in (1..n).rev() {
        let leaves: f64 = q[last][..last].iter().sum();
        let (before, following) = q.split_at_mut(last);
        for from in before {
            from[last] /= leaves;
            let share = from[last];
            for (rate, further) in from[..last].iter_mut().zip(&following[0]) {
                *rate += share * further;
            }
        }
    }
    let mut shares = vec![1.0; n];
    for state in 1..n {
        shares[state] = (0..state).map(|from| shares[from] * q[from][state]).sum();
    }
    let all: f64 = shares.iter().sum();
    shares.iter().map(|share| share / all).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capacity::path::Path;
    use crate::stats::ks;

    fn s(seconds: u64) -> Span {
        Span::from_s(seconds)
    }

    /// Four machines that leave after 1,000 s and come back after 500 s, each by itself.
    fn birth_death() -> Chain {
        let state = |nodes: u64| {
            let down = (nodes > 0).then(|| (nodes as usize - 1, Span::from_ns(1_000_000_000_000 / nodes)));
            let up = (nodes < 4).then(|| (nodes as usize + 1, Span::from_ns(500_000_000_000 / (4 - nodes))));
            State { nodes: nodes as u32, to: down.into_iter().chain(up).collect() }
        };
        Chain::new(&(0..=4).map(state).collect::<Vec<_>>(), None).unwrap()
    }

    /// Of n independent machines that are there with chance 2/3, k are there with the binomial chance.
    #[test]
    fn a_birth_death_chain_has_its_known_stationary_distribution() {
        for (k, choose) in [1.0, 4.0, 6.0, 4.0, 1.0].into_iter().enumerate() {
            let right = choose * (2.0_f64 / 3.0).powi(k as i32) * (1.0_f64 / 3.0).powi(4 - k as i32);
            assert!((birth_death().stationary()[k] / right - 1.0).abs() < 1e-9, "{k}");
        }
    }

    /// All four are there until the first leaves: 250 s. At least one: P(≥ 1) / (P(1) / 1,000 s).
    #[test]
    fn the_mean_uptime_of_a_gang_is_share_over_rate() {
        let near = |ours: Option<f64>, right: f64| assert!((ours.unwrap() / right - 1.0).abs() < 1e-9);
        near(birth_death().mean_uptime_s(4), 250.0);
        near(birth_death().mean_uptime_s(1), (80.0 / 81.0) / (8.0 / 81.0) * 1_000.0);
        assert_eq!(birth_death().mean_uptime_s(0), None);
        assert_eq!(birth_death().mean_uptime_s(5), None);
    }

    /// Levels and sojourns of the first `count` stretches.
    fn stretches(chain: &Chain, replication: u64, count: usize) -> Vec<(u32, f64)> {
        let path = Path::Chain(chain.clone());
        let mut walk = path.walk(&Streams::new(5), 9, replication);
        let mut from = SimTime::ZERO;
        let stretch = |_| {
            let (level, to) = (walk.level(), walk.next_change());
            let span = to.since(from).as_secs();
            (from, _) = (to, walk.pass(to));
            (level, span)
        };
        (0..count).map(stretch).collect()
    }

    /// Kolmogorov-Smirnov for the sojourns of each count, and 4.5 standard errors for the share of ways
    /// up from two: a false alarm in about 200 (five distances at 1 in 1,000), seed fixed.
    #[test]
    fn sojourns_and_jumps_follow_their_clocks() {
        let seen = stretches(&birth_death(), 0, 200_000);
        for nodes in 0..=4_u32 {
            let rate = f64::from(nodes) / 1_000.0 + f64::from(4 - nodes) / 500.0;
            let mut spans: Vec<f64> = seen.iter().filter(|s| s.0 == nodes).map(|s| s.1).collect();
            let limit = ks::limit(spans.len() as u64);
            let distance = ks::distance(&mut spans, |t| -libm::expm1(-rate * t));
            assert!(spans.len() > 1_000 && distance < limit, "{nodes}: {distance}");
        }
        let from_two: Vec<u32> = seen.windows(2).filter(|w| w[0].0 == 2).map(|w| w[1].0).collect();
        let up = from_two.iter().filter(|&&to| to == 3).count() as f64 / from_two.len() as f64;
        assert!((up - 2.0 / 3.0).abs() < 4.5 * 0.471 / (from_two.len() as f64).sqrt(), "{up}");
    }

    /// Shares of 20,000 beginnings within 4.5 standard errors: a false alarm in about 30,000, seed fixed.
    #[test]
    fn a_stationary_begin_has_the_shares_of_time() {
        let chain = birth_death();
        let n = 20_000;
        let mut counts = [0.0; 5];
        for replication in 0..n {
            counts[stretches(&chain, replication, 1)[0].0 as usize] += 1.0;
        }
        for (count, share) in counts.iter().zip(chain.stationary()) {
            let sd = (share * (1.0 - share) / n as f64).sqrt();
            assert!((count / n as f64 - share).abs() < 4.5 * sd, "{count} of {n}, not {share}");
        }
    }

    #[test]
    fn states_that_lead_nowhere_are_refused() {
        let state = |to: &[usize]| State { nodes: 1, to: to.iter().map(|&to| (to, s(1))).collect() };
        assert_eq!(Chain::new(&[state(&[1]), state(&[])], None), Err(ChainError::NoWay(1, 0)));
        assert_eq!(Chain::new(&[state(&[]), state(&[0])], None), Err(ChainError::NoWay(0, 1)));
        assert!(Chain::new(&[state(&[])], None).is_ok());
    }
}
