//! Brackets on a grid, then halving.

use super::KeyRange;
use crate::stats::Interval;

/// Values that are looked at before anything is halved.
const GRID: usize = 25;
/// A root is halved down to this share of itself.
const ROOT_WITHIN: f64 = 1e-8;
/// An end of what is not sure is halved down to this share of its distance from the root.
const END_WITHIN: f64 = 2e-3;
/// More halvings change nothing in 53 bits.
const HALVINGS_MAX: u32 = 60;

/// A value of the key, and how far from the goal it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The value, in the unit of its range.
    pub value: f64,
    /// Figure less goal, or what one cluster costs more than the other; `None` where no run finishes.
    pub difference: Option<Interval>,
}

/// Where the difference changes its sign.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Root {
    /// The last value before the change.
    pub before: f64,
    /// The first one behind it; but for whole numbers as good as the same.
    pub behind: f64,
    /// Whether the difference is above 0 behind it.
    pub rises: bool,
    /// Least value at which the interval of the difference holds 0; the end of the range where `low_is_end`.
    pub low: f64,
    /// Most such value.
    pub high: f64,
    /// Whether it may lie below the range too.
    pub low_is_end: bool,
    /// Whether it may lie above the range too.
    pub high_is_end: bool,
    /// Changes that are told as this one, as what is not sure about them overlaps.
    pub changes: usize,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct BreakEven {
    /// Every value that was looked at, in order.
    pub points: Vec<Point>,
    /// Those of the grid, by their place in `points`.
    pub grid: Vec<usize>,
    /// Changes of sign, in order.
    pub roots: Vec<Root>,
}

impl Root {
    /// The root itself: half-way between before and behind.
    pub fn value(&self, range: &KeyRange) -> f64 {
        if self.before == self.behind || range.is_whole {
            return self.behind;
        }
        range.middle(self.before, self.behind)
    }
}

impl BreakEven {
    /// The points of the grid, in order.
    pub fn grid(&self) -> impl Iterator<Item = &Point> {
        self.grid.iter().map(|&place| &self.points[place])
    }

    /// Whether the difference is 0 wherever it is known.
    pub fn is_nothing(&self) -> bool {
        self.points.iter().filter_map(|point| point.difference).all(|d| d.value == 0.0)
    }

    /// Whether the key changes nothing at all.
    pub fn is_flat(&self) -> bool {
        self.points.windows(2).all(|pair| pair[0].difference == pair[1].difference)
    }
}

/// Looks for the values in `range` at which what `at` gives changes its sign. An error of `at` ends it.
pub fn search<E>(
    range: &KeyRange,
    at: &mut dyn FnMut(f64) -> Result<Option<Interval>, E>,
) -> Result<BreakEven, E> {
    let mut seen = Seen { range, at, points: Vec::new() };
    let grid = range.grid(GRID);
    // The ends first: what is wrong with one of them is said at once.
    for &value in [range.from, range.to].iter().chain(&grid) {
        seen.difference(value)?;
    }
    let signs: Vec<(f64, f64)> =
        seen.points.iter().filter_map(|p| Some((p.value, p.difference?.value))).collect();
    let signed: Vec<(f64, f64)> = signs.into_iter().filter(|(_, d)| *d != 0.0).collect();
    let mut roots = Vec::new();
    for pair in signed.windows(2).filter(|pair| (pair[0].1 > 0.0) != (pair[1].1 > 0.0)) {
        roots.push(seen.root(pair[0].0, pair[1].0, pair[1].1 > 0.0)?);
    }
    let points = seen.points;
    let place = |value: &f64| points.iter().position(|point| point.value == *value);
    let grid = grid.iter().filter_map(place).collect();
    Ok(BreakEven { grid, roots: merged(roots), points })
}

/// Roots that cannot be told apart are one: the one in the middle stands for them.
fn merged(roots: Vec<Root>) -> Vec<Root> {
    let mut groups: Vec<Vec<Root>> = Vec::new();
    for root in roots {
        match groups.last_mut() {
            Some(group) if group.last().is_some_and(|last| root.low <= last.high) => group.push(root),
            _ => groups.push(vec![root]),
        }
    }
    let of = |group: Vec<Root>| {
        let (first, last) = (group[0], group[group.len() - 1]);
        Root {
            low: first.low,
            low_is_end: first.low_is_end,
            high: group.iter().map(|root| root.high).fold(last.high, f64::max),
            high_is_end: group.iter().any(|root| root.high_is_end),
            changes: group.len(),
            ..group[group.len() / 2]
        }
    };
    groups.into_iter().map(of).collect()
}

/// All values that were looked at, none twice.
struct Seen<'a, E> {
    range: &'a KeyRange,
    at: &'a mut dyn FnMut(f64) -> Result<Option<Interval>, E>,
    points: Vec<Point>,
}

impl<E> Seen<'_, E> {
    fn difference(&mut self, value: f64) -> Result<Option<Interval>, E> {
        let place = self.points.partition_point(|point| point.value < value);
        if let Some(point) = self.points.get(place).filter(|point| point.value == value) {
            return Ok(point.difference);
        }
        let difference = (self.at)(value)?;
        self.points.insert(place, Point { value, difference });
        Ok(difference)
    }

    /// The change between two values of different signs, and how far what is not sure reaches about it.
    fn root(&mut self, before: f64, behind: f64, rises: bool) -> Result<Root, E> {
        let is_behind = |d: Interval| if rises { d.value >= 0.0 } else { d.value <= 0.0 };
        let within = |low: f64, high: f64| ROOT_WITHIN * low.abs().max(high.abs());
        let (before, behind) = self.halve(before, behind, &within, &is_behind)?;
        let mut ends = [before, behind];
        let mut open = [false, false];
        for (side, end) in ends.iter_mut().enumerate() {
            let is_above = (side == 1) == rises;
            let sure = move |d: Interval| if is_above { d.low > 0.0 } else { d.high < 0.0 };
            let root = *end;
            // Nothing is open on a side that is sure at once.
            if self.difference(root)?.is_some_and(sure) {
                continue;
            }
            let mut beyond =
                self.points.iter().filter(|point| point.difference.is_some_and(sure)).map(|p| p.value);
            let far =
                if side == 0 { beyond.rfind(|far| *far < root) } else { beyond.find(|far| *far > root) };
            let within = move |low: f64, high: f64| {
                let far = if side == 0 { root - low } else { high - root };
                (END_WITHIN * far).max(ROOT_WITHIN * root.abs())
            };
            (*end, open[side]) = match far {
                Some(far) if side == 0 => (self.halve(far, root, &within, &|d| !sure(d))?.1, false),
                Some(far) => (self.halve(root, far, &within, &sure)?.0, false),
                None if side == 0 => (self.range.from, true),
                None => (self.range.to, true),
            };
        }
        let mut root = Root {
            before,
            behind,
            rises,
            low: ends[0],
            high: ends[1],
            low_is_end: open[0],
            high_is_end: open[1],
            changes: 1,
        };
        if self.range.is_whole {
            self.settle_whole(&mut root)?;
        }
        Ok(root)
    }

    /// Of two whole numbers about a change one may be sure and the other not, or the root itself.
    fn settle_whole(&mut self, root: &mut Root) -> Result<(), E> {
        let is_sure = |d: Option<Interval>| d.is_some_and(|d| d.low > 0.0 || d.high < 0.0);
        let (before, behind) = (self.difference(root.before)?, self.difference(root.behind)?);
        match (is_sure(before), is_sure(behind)) {
            (true, false) => root.low = root.behind,
            (false, true) => root.high = root.before,
            _ => {}
        }
        if behind.is_some_and(|d| d.value == 0.0) {
            root.before = root.behind;
        }
        Ok(())
    }

    /// Halves between a value at which `is_behind` does not hold and one at which it does. A value without a
    /// difference counts as the nearer end's neighbour and ends the search there.
    fn halve(
        &mut self,
        mut before: f64,
        mut behind: f64,
        within: &dyn Fn(f64, f64) -> f64,
        is_behind: &dyn Fn(Interval) -> bool,
    ) -> Result<(f64, f64), E> {
        for _ in 0..HALVINGS_MAX {
            let middle = self.range.middle(before, behind);
            let close = behind - before <= within(before, behind);
            if (close && !self.range.is_whole) || middle <= before || middle >= behind {
                break;
            }
            match self.difference(middle)? {
                Some(difference) if is_behind(difference) => behind = middle,
                Some(_) => before = middle,
                None => break,
            }
        }
        Ok((before, behind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(range: (&str, &str), of: impl Fn(f64) -> Option<Interval>) -> BreakEven {
        let range = KeyRange::read(range.0, range.1, None).unwrap();
        search::<()>(&range, &mut |value| Ok(of(value))).unwrap()
    }

    /// 12/x = 3 at 4; ±0.5 about the difference holds 0 while 12/x lies from 2.5 to 3.5: from 3.43 to 4.8.
    #[test]
    fn a_root_and_what_is_not_sure_about_it() {
        let found = find(("0.1", "100.0"), |x| Some(Interval::around(12.0 / x - 3.0, 0.5)));
        let [root] = found.roots[..] else { panic!("{:?}", found.roots) };
        assert!((root.before - 4.0).abs() < 1e-6 && (root.behind - 4.0).abs() < 1e-6);
        assert!(!root.rises && !root.low_is_end && !root.high_is_end);
        assert!((root.low - 12.0 / 3.5).abs() < 5e-3 && (root.high - 12.0 / 2.5).abs() < 5e-3, "{root:?}");
        assert!(found.points.len() < 100, "{}", found.points.len());
    }

    #[test]
    fn several_roots_are_told_apart_or_together() {
        let parabola = |margin: f64| move |x: f64| Some(Interval::around((x - 2.0) * (x - 7.0), margin));
        let found = find(("0.0", "10.0"), parabola(0.1));
        assert_eq!(found.roots.iter().map(|root| root.rises).collect::<Vec<_>>(), [false, true]);
        // At its least the parabola is -6.25: a margin of 7 leaves all between open.
        let found = find(("0.0", "10.0"), parabola(7.0));
        assert_eq!(found.roots.iter().map(|root| root.changes).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn no_root_is_no_root_and_an_end_may_be_open() {
        assert!(find(("1.0", "2.0"), |x| Some(Interval::around(x, 0.1))).roots.is_empty());
        let open = find(("1.0", "2.0"), |x| Some(Interval::around(x - 1.9, 0.5)));
        assert!(open.roots[0].high_is_end && !open.roots[0].low_is_end);
        assert!(find(("1.0", "2.0"), |_| Some(Interval::around(0.0, 0.0))).is_nothing());
        assert!(find(("1.0", "2.0"), |_| None).roots.is_empty());
    }

    /// Whole numbers: the change lies between 5 and 6, or at 5 where it is exactly 0.
    #[test]
    fn whole_numbers_change_between_two() {
        let found = find(("1", "1000"), |n| Some(Interval::around(5.5 - n, 0.0)));
        assert_eq!((found.roots[0].before, found.roots[0].behind), (5.0, 6.0));
        let found = find(("1", "10"), |n| Some(Interval::around(5.0 - n, 0.0)));
        let root = found.roots[0];
        assert_eq!([root.before, root.behind, root.low, root.high], [5.0; 4]);
    }

    /// Constant in pieces: a step from 1 to -1 at π is found where it is.
    #[test]
    fn a_step_is_found_to_a_hundred_millionth() {
        let step = |x: f64| if x < std::f64::consts::PI { 1.0 } else { -1.0 };
        let found = find(("1.0", "9.0"), |x| Some(Interval::around(step(x), 0.0)));
        assert!((found.roots[0].before / std::f64::consts::PI - 1.0).abs() < 1e-7);
    }
}
