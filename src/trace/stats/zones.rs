//! Whether zones are up and down together.

use super::zone::ZoneStats;
use crate::records::region;

/// How a zone goes with the others: means of Pearson's correlation of up (1) and down (0) over the time that both
/// were looked at; `None` where there is no other, or one of them never changes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Correlation {
    /// With the other zones of its region.
    pub same_region: Option<f64>,
    /// With the zones of other regions.
    pub other_region: Option<f64>,
}

/// Of each zone with all others, in their order.
pub fn correlations(zones: &[ZoneStats]) -> Vec<Correlation> {
    let count = zones.len();
    let mut sums = vec![[(0.0, 0_u32); 2]; count];
    for a in 0..count {
        for b in a + 1..count {
            let Some(r) = pearson(&zones[a], &zones[b]) else { continue };
            let other = region(&zones[a].label.zone) != region(&zones[b].label.zone);
            for index in [a, b] {
                let (sum, pairs) = &mut sums[index][usize::from(other)];
                *sum += r;
                *pairs += 1;
            }
        }
    }
    let mean = |(sum, pairs): (f64, u32)| (pairs > 0).then(|| sum / f64::from(pairs));
    sums.into_iter()
        .map(|[same, other]| Correlation { same_region: mean(same), other_region: mean(other) })
        .collect()
}

/// Both go through their runs at once; each step ends where the first of the two runs does.
fn pearson(a: &ZoneStats, b: &ZoneStats) -> Option<f64> {
    let (start_a, start_b) = (i128::from(a.start.unix_ns()), i128::from(b.start.unix_ns()));
    let (mut i, mut j) = (0, 0);
    let (mut n, mut up_a, mut up_b, mut both) = (0_i128, 0_i128, 0_i128, 0_i128);
    while let (Some(x), Some(y)) = (a.runs.get(i), b.runs.get(j)) {
        let (from_x, from_y) = (start_a + i128::from(x.from.ns()), start_b + i128::from(y.from.ns()));
        let (to_x, to_y) = (from_x + i128::from(x.span.ns()), from_y + i128::from(y.span.ns()));
        let common = (to_x.min(to_y) - from_x.max(from_y)).max(0);
        n += common;
        up_a += if x.up { common } else { 0 };
        up_b += if y.up { common } else { 0 };
        both += if x.up && y.up { common } else { 0 };
        if to_x <= to_y {
            i += 1;
        } else {
            j += 1;
        }
    }
    if n == 0 {
        return None;
    }
    let share = |ns: i128| ns as f64 / n as f64;
    let (p, q) = (share(up_a), share(up_b));
    let spread = p * (1.0 - p) * q * (1.0 - q);
    (spread > 0.0).then(|| (share(both) - p * q) / spread.sqrt())
}
