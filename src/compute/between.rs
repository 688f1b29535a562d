//! Times of kernels between measured ones.

/// On what a kernel's time rests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// It was measured in this shape.
    Measured,
    /// Kernels that are smaller and larger in one of its sizes, and alike in the others, were.
    Between,
}

/// Time of `shape` on a straight line between two of `others`, of which one is smaller and one larger in one size and
/// which have the same other sizes. `None` if there are no such two: nothing is told outside the measured range.
///
/// Larger never takes less: measured times along the line that fall are averaged with their neighbours first
/// (isotonic regression by pooling adjacent violators; M. Ayer et al. 1955, Ann. Math. Stat. 26, 641-647). Where two
/// sizes allow a line, it is the one whose ends are nearer in proportion.
pub(super) fn between<'a>(shape: &str, others: impl Iterator<Item = (&'a str, f64)>) -> Option<f64> {
    let wanted = sizes(shape)?;
    let others: Vec<(Vec<u64>, f64)> =
        others.filter_map(|(shape, time)| Some((sizes(shape)?, time))).collect();
    let lines = (0..wanted.len()).filter_map(|axis| {
        let alike = |other: &[u64]| {
            other.len() == wanted.len() && (0..wanted.len()).all(|i| i == axis || other[i] == wanted[i])
        };
        let mut line: Vec<(u64, f64)> = others
            .iter()
            .filter(|(other, _)| alike(other))
            .map(|(other, time)| (other[axis], *time))
            .collect();
        line.sort_by_key(|(size, _)| *size);
        let times = rising(&line.iter().map(|(_, time)| *time).collect::<Vec<_>>());
        let above = line.iter().position(|(size, _)| *size > wanted[axis])?;
        let below = above.checked_sub(1)?;
        let (low, high) = (line[below].0 as f64, line[above].0 as f64);
        let share = (wanted[axis] as f64 - low) / (high - low);
        Some((high / low, times[below] + share * (times[above] - times[below])))
    });
    lines.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, time)| time)
}

/// `"25216x768x768"` as numbers above 0.
fn sizes(shape: &str) -> Option<Vec<u64>> {
    shape.split('x').map(|size| size.parse().ok().filter(|&size| size > 0)).collect()
}

/// The rising sequence that is nearest by squares.
fn rising(times: &[f64]) -> Vec<f64> {
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for &time in times {
        pools.push((time, 1));
        while let [.., (before, of_before), (last, of_last)] = pools[..] {
            if before <= last {
                break;
            }
            let count = of_before + of_last;
            let mean = (before * of_before as f64 + last * of_last as f64) / count as f64;
            pools.truncate(pools.len() - 2);
            pools.push((mean, count));
        }
    }
    pools.into_iter().flat_map(|(mean, count)| std::iter::repeat_n(mean, count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(shape: &str, others: &[(&str, f64)]) -> Option<f64> {
        between(shape, others.iter().copied())
    }

    /// A quarter of the way from 100 to 200 rows is a quarter of the way from 2 to 4.
    #[test]
    fn a_time_between_two_lies_on_their_line() {
        let line = [("100x64x32", 2.0), ("200x64x32", 4.0)];
        assert_eq!(of("125x64x32", &line), Some(2.5));
    }

    #[test]
    fn nothing_is_told_outside_the_measured_range() {
        let line = [("100x64x32", 2.0), ("200x64x32", 4.0)];
        for shape in ["99x64x32", "201x64x32", "150x65x32", "150x64", "150", "axb"] {
            assert_eq!(of(shape, &line), None, "{shape}");
        }
    }

    /// Sums of columns fall by waves: 3, 5, 4 becomes 3, 4.5, 4.5.
    #[test]
    fn times_that_fall_are_averaged() {
        assert_eq!(rising(&[3.0, 5.0, 4.0]), [3.0, 4.5, 4.5]);
        assert_eq!(rising(&[3.0, 2.0, 1.0]), [2.0; 3]);
        assert_eq!(of("250", &[("100", 3.0), ("200", 5.0), ("300", 4.0)]), Some(4.5));
    }

    #[test]
    fn the_nearer_of_two_lines_is_taken() {
        let both = [("10x100", 1.0), ("1000x100", 2.0), ("100x90", 5.0), ("100x110", 7.0)];
        assert_eq!(of("100x100", &both), Some(6.0));
    }

    proptest! {
        #[test]
        fn larger_never_takes_less(times in prop::collection::vec(0.1..10.0f64, 4), a in 10u64..40, b in 10u64..40) {
            let shapes = ["10", "20", "30", "40"];
            let others: Vec<(&str, f64)> = shapes.into_iter().zip(times).collect();
            let (small, large) = (a.min(b), a.max(b));
            // Ends are measured themselves.
            let time = |size: u64| of(&size.to_string(), &others);
            if let (Some(small), Some(large)) = (time(small), time(large)) {
                prop_assert!(small <= large + 1e-12);
            }
        }
    }
}
