//! Two results compared: replication by replication where both met the same worlds, else by their summaries.

use super::CONFIDENCE;
use super::spread::Spread;
use super::tally::{Against, Seen, Tally};
use crate::stats::special::student_t_quantile;
use crate::stats::{Interval, wilson};

const NS_PER_H: f64 = 3.6e12;
const NUSD: f64 = 1e9;

/// A figure of both, and what B has more than A.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// Its name: `cost_usd`.
    pub name: &'static str,
    /// Of A.
    pub a: Option<f64>,
    /// Of B.
    pub b: Option<f64>,
    /// B less A, with its interval.
    pub difference: Option<Interval>,
}

/// How often one beats the other, as a share of all replications.
#[derive(Debug, Clone, PartialEq)]
pub struct Wins {
    /// In what: `cheaper`.
    pub name: &'static str,
    /// A beats B.
    pub a: Option<Interval>,
    /// B beats A.
    pub b: Option<Interval>,
}

/// B against A.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Cost per finished run, cost of a replication, makespan, chance to finish.
    pub figures: Vec<Compared>,
    /// Share of A's cost per finished run that B saves.
    pub saved: Option<Interval>,
    /// Who is cheaper, faster and both how often; of pairs only.
    pub wins: Vec<Wins>,
}

impl Comparison {
    /// A figure by its name.
    pub fn figure(&self, name: &str) -> Option<&Compared> {
        self.figures.iter().find(|figure| figure.name == name)
    }
}

/// Replications of A and B in the same worlds.
#[derive(Debug, Clone, Default)]
pub struct Pairs {
    against: Against,
    b: Tally,
    a_cost: Spread,
    /// Submit to finish where both finished, ns.
    makespans: [Spread; 2],
    /// Replications in which A, B was cheaper, faster, both.
    wins: [[u64; 2]; 3],
}

impl Pairs {
    /// Takes one more replication.
    pub fn push(&mut self, a: Seen, b: Seen) {
        self.b.replications += 1;
        self.b.take(b);
        self.a_cost.push(a.cost_nusd);
        self.against.take(b, a);
        if a.finished && b.finished {
            self.makespans[0].push(a.elapsed_ns);
            self.makespans[1].push(b.elapsed_ns);
        }
        for (side, (ours, its)) in [(a, b), (b, a)].into_iter().enumerate() {
            let cheaper = ours.finished && ours.cost_nusd < its.cost_nusd;
            let faster = ours.finished && (!its.finished || ours.elapsed_ns < its.elapsed_ns);
            for (wins, won) in self.wins.iter_mut().zip([cheaper, faster, cheaper && faster]) {
                wins[side] += u64::from(won);
            }
        }
    }

    /// Replications.
    pub fn count(&self) -> u64 {
        self.b.replications
    }

    /// What they say: each interval is that of differences pair by pair.
    pub fn compare(&self) -> Comparison {
        let (n, against) = (self.count(), &self.against);
        let savings = against.savings(&self.b);
        let per_finished = |cost: &Spread, finished: i128| {
            (finished > 0).then(|| cost.sum() as f64 / finished as f64 / NUSD)
        };
        let (b_finished, a_finished) = (against.finishes.x().sum(), against.finishes.y().sum());
        let in_usd = |spread: &Spread| spread.mean().map(|mean| mean / NUSD);
        let in_h = |spread: &Spread| spread.mean().map(|mean| mean / NS_PER_H);
        let micro = against.costs.difference().mean_interval(CONFIDENCE);
        let longer = against.longer.mean_interval(CONFIDENCE);
        let finishes = against.finishes.difference().mean_interval(CONFIDENCE);
        let share = |count: i128| (n > 0).then(|| count as f64 / n as f64);
        let figures = vec![
            Compared {
                name: "cost_per_finished_usd",
                a: per_finished(&self.a_cost, a_finished),
                b: per_finished(&self.b.cost, b_finished),
                difference: savings.map(|savings| scaled(savings.usd, -1.0)),
            },
            Compared {
                name: "cost_usd",
                a: in_usd(&self.a_cost),
                b: in_usd(&self.b.cost),
                difference: micro.map(|micro| scaled(micro, 1e-6)),
            },
            Compared {
                name: "makespan_h",
                a: in_h(&self.makespans[0]),
                b: in_h(&self.makespans[1]),
                difference: longer.map(|longer| scaled(longer, 1.0 / NS_PER_H)),
            },
            Compared {
                name: "finish_probability",
                a: share(a_finished),
                b: share(b_finished),
                difference: finishes,
            },
        ];
        let wins =
            ["cheaper", "faster", "cheaper_and_faster"].into_iter().zip(self.wins).map(|(name, won)| {
                let [a, b] = won.map(|won| wilson(won, n, CONFIDENCE));
                Wins { name, a, b }
            });
        Comparison { figures, saved: savings.map(|savings| savings.share), wins: wins.collect() }
    }
}

/// What a summary says of one cluster.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    /// Replications.
    pub replications: u64,
    /// Those that finished.
    pub finished: u64,
    /// Bill of a replication in dollars: mean and standard deviation.
    pub cost_usd: (Option<f64>, Option<f64>),
    /// Submit to finish of those that finished, hours.
    pub makespan_h: (Option<f64>, Option<f64>),
    /// Dollars per finished run, with its interval.
    pub cost_per_finished_usd: Option<Interval>,
}

impl Summary {
    fn cost(&self) -> Option<Estimated> {
        Estimated::of_mean(self.cost_usd, self.replications)
    }

    fn makespan(&self) -> Option<Estimated> {
        Estimated::of_mean(self.makespan_h, self.finished)
    }

    /// From the printed interval, Student's with n - 1 degrees of freedom.
    fn cost_per_finished(&self) -> Option<Estimated> {
        let (of, freedom) = (self.cost_per_finished_usd?, self.replications.checked_sub(1)? as f64);
        if freedom < 1.0 {
            return None;
        }
        let error = of.half_width() / student_t_quantile(0.5 + 0.5 * CONFIDENCE, freedom);
        Some(Estimated { value: of.value, error, freedom })
    }
}

/// B against A where their replications do not belong together.
pub fn compare_summaries(a: &Summary, b: &Summary) -> Comparison {
    let compared = |name, a: Option<f64>, b: Option<f64>, difference| Compared { name, a, b, difference };
    let of = |figure: fn(&Summary) -> Option<Estimated>| {
        figure(a).zip(figure(b)).map(|(a, b)| Estimated::welch(&a, &b))
    };
    let per_finished = |of: &Summary| of.cost_per_finished_usd.map(|of| of.value);
    let finish = |of: &Summary| wilson(of.finished, of.replications, CONFIDENCE);
    let figures = vec![
        compared("cost_per_finished_usd", per_finished(a), per_finished(b), of(Summary::cost_per_finished)),
        compared("cost_usd", a.cost_usd.0, b.cost_usd.0, of(Summary::cost)),
        compared("makespan_h", a.makespan_h.0, b.makespan_h.0, of(Summary::makespan)),
        compared(
            "finish_probability",
            finish(a).map(|share| share.value),
            finish(b).map(|share| share.value),
            finish(a).zip(finish(b)).map(|(a, b)| newcombe(a, b)),
        ),
    ];
    let saved = a.cost_per_finished().zip(b.cost_per_finished()).and_then(|(a, b)| saved(&a, &b));
    Comparison { figures, saved, wins: Vec::new() }
}

/// A value with its standard error and the degrees of freedom behind that.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Estimated {
    value: f64,
    error: f64,
    freedom: f64,
}

impl Estimated {
    fn of_mean((mean, sd): (Option<f64>, Option<f64>), count: u64) -> Option<Self> {
        let (value, sd) = (mean?, sd?);
        let freedom = count.checked_sub(1)? as f64;
        (freedom >= 1.0).then(|| Self { value, error: sd / (count as f64).sqrt(), freedom })
    }

    /// B less A with the interval of B. Welch (1947), Biometrika 34, 28-35.
    fn welch(a: &Self, b: &Self) -> Interval {
        Interval::around(b.value - a.value, margin(&[*a, *b]))
    }
}

/// Student's half-width of a sum of independent terms, with Welch and Satterthwaite's degrees of freedom.
fn margin(terms: &[Estimated]) -> f64 {
    let variance: f64 = terms.iter().map(|term| term.error * term.error).sum();
    if variance == 0.0 {
        return 0.0;
    }
    let spent: f64 = terms.iter().map(|term| libm::pow(term.error, 4.0) / term.freedom).sum();
    student_t_quantile(0.5 + 0.5 * CONFIDENCE, variance * variance / spent) * variance.sqrt()
}

/// 1 - b/a by the delta method; `None` where A costs nothing.
fn saved(a: &Estimated, b: &Estimated) -> Option<Interval> {
    if a.value <= 0.0 {
        return None;
    }
    let ratio = b.value / a.value;
    let of_a = Estimated { error: a.error * ratio.abs() / a.value, ..*a };
    let of_b = Estimated { error: b.error / a.value, ..*b };
    Some(Interval::around(1.0 - ratio, margin(&[of_a, of_b])))
}

/// Difference b - a of two independent shares, from the Wilson interval of each.
///
/// Source: R. Newcombe (1998), Statistics in Medicine 17, 873-890, method 10.
fn newcombe(a: Interval, b: Interval) -> Interval {
    let value = b.value - a.value;
    let low = value - libm::hypot(b.value - b.low, a.high - a.value);
    let high = value + libm::hypot(b.high - b.value, a.value - a.low);
    Interval { value, low, high }
}

fn scaled(i: Interval, factor: f64) -> Interval {
    let (a, b) = (i.low * factor, i.high * factor);
    Interval { value: i.value * factor, low: a.min(b), high: a.max(b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(dollars: i64, hours: i64, finished: bool) -> Seen {
        Seen { cost_nusd: dollars * 1_000_000_000, elapsed_ns: hours * 3_600_000_000_000, finished }
    }

    /// B costs 4, 6 and 8 less: 6 ± t(2) 2/√3, with t(2) = 4.30265; it is 1 h slower in two, 2 h in one.
    #[test]
    fn pairs_give_the_interval_of_differences() {
        let mut pairs = Pairs::default();
        for (a, b) in [((10, 5), (6, 6)), ((10, 5), (4, 6)), ((11, 5), (3, 7))] {
            pairs.push(seen(a.0, a.1, true), seen(b.0, b.1, true));
        }
        let compared = pairs.compare();
        let cost = compared.figure("cost_usd").and_then(|figure| figure.difference).unwrap();
        assert!((cost.value + 6.0).abs() < 1e-12);
        assert!((cost.half_width() - 4.302_652_73 * 2.0 / 3_f64.sqrt()).abs() < 1e-6);
        let longer = compared.figure("makespan_h").and_then(|figure| figure.difference).unwrap();
        assert!((longer.value - 4.0 / 3.0).abs() < 1e-12);
        let wins: Vec<_> =
            compared.wins.iter().map(|wins| (wins.a.unwrap().value, wins.b.unwrap().value)).collect();
        assert_eq!(wins, [(0.0, 1.0), (1.0, 0.0), (0.0, 0.0)]);
        assert!((compared.saved.unwrap().value - 18.0 / 31.0).abs() < 1e-12);
    }

    /// An unfinished run is never cheaper, and slower than any that finished.
    #[test]
    fn who_does_not_finish_does_not_win() {
        let mut pairs = Pairs::default();
        pairs.push(seen(10, 5, true), seen(1, 4, false));
        pairs.push(seen(10, 5, true), seen(4, 6, true));
        let compared = pairs.compare();
        assert_eq!(compared.wins[0].b.unwrap().value, 0.5);
        assert_eq!(compared.wins[1].a.unwrap().value, 1.0);
        assert_eq!(compared.figure("cost_per_finished_usd").unwrap().b, Some(5.0));
        assert_eq!(compared.figure("makespan_h").unwrap().a, Some(5.0));
    }

    /// By hand: standard errors 3/√9 = 1 and 4/√16 = 1, so the difference has √2, with
    /// 4/(1/8 + 1/15) = 20.87 degrees of freedom, t = 2.0804.
    #[test]
    fn summaries_are_compared_as_welch_does() {
        let of =
            |mean, sd, n| Summary { replications: n, cost_usd: (Some(mean), Some(sd)), ..Summary::default() };
        let compared = compare_summaries(&of(10.0, 3.0, 9), &of(12.0, 4.0, 16));
        let cost = compared.figure("cost_usd").and_then(|figure| figure.difference).unwrap();
        assert!((cost.value - 2.0).abs() < 1e-12);
        assert!((cost.half_width() - 2.0804 * 2_f64.sqrt()).abs() < 1e-3, "{}", cost.half_width());
    }

    /// Newcombe's example (a), 56/70 against 48/80: 0.2, method 10 from 0.0524 to 0.3339.
    #[test]
    fn shares_are_compared_as_newcombe_does() {
        let (a, b) = (wilson(48, 80, 0.95).unwrap(), wilson(56, 70, 0.95).unwrap());
        let found = newcombe(a, b);
        assert!((found.low - 0.0524).abs() < 5e-5 && (found.high - 0.3339).abs() < 5e-5, "{found:?}");
    }
}
