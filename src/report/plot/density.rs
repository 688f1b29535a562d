//! The smallest region that holds 90 % of a cloud of points.

use super::drawing::Point;

/// Cells of the grid along each side.
const GRID: usize = 160;
/// The share of points that a region holds.
const HELD: f64 = 0.9;
/// Far points are left out of the grid, as they would make its cells coarse: this share at the upper end
/// of each side. They lie outside the region, as long as it is less than half of `1 - HELD`.
const LEFT_OUT: f64 = 0.005;

/// Outlines of the smallest-area density region that holds 90 % of the points, in their own units;
/// empty if the points, all above 0, do not spread in both directions.
///
/// The density is counted over a grid of (log x, log y) and smoothed by a Gaussian with Scott's
/// bandwidth in two dimensions, sd × n^(-1/6) (D. W. Scott, 1992, Multivariate Density Estimation,
/// section 6.3).
/// The region is that above the density which 10 % of the points have at most (R. J. Hyndman, 1996,
/// American Statistician 50, 120-126), cut at the smallest x and y that occurred.
pub(super) fn region(points: &[Point]) -> Vec<Vec<Point>> {
    let usable = |&(x, y): &Point| x > 0.0 && y > 0.0 && x.is_finite() && y.is_finite();
    let logs: Vec<Point> =
        points.iter().copied().filter(usable).map(|(x, y)| (libm::log(x), libm::log(y))).collect();
    let (Some(x), Some(y)) = (Side::of(logs.iter().map(|p| p.0)), Side::of(logs.iter().map(|p| p.1))) else {
        return Vec::new();
    };
    let mut density = vec![0.0; GRID * GRID];
    let cells: Vec<Option<usize>> = logs.iter().map(|p| Some(y.cell(p.1)? * GRID + x.cell(p.0)?)).collect();
    for &cell in cells.iter().flatten() {
        density[cell] += 1.0;
    }
    let density = smoothed(&density, &x.kernel(), &y.kernel());
    let level = level_held(&density, &cells);
    outlines(&density, level)
        .into_iter()
        .map(|loop_| loop_.into_iter().map(|(i, j)| (x.value(i), y.value(j))).collect())
        .collect()
}

/// One side of the grid, in logarithms.
struct Side {
    /// The smallest that occurred.
    least: f64,
    /// Where cell 0 begins.
    begin: f64,
    cell: f64,
    bandwidth: f64,
}

impl Side {
    /// `None` if the values are fewer than ten or all but the same.
    fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = values.collect();
        if sorted.len() < 10 {
            return None;
        }
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len() as f64;
        let kept = &sorted[..sorted.len() - (LEFT_OUT * n) as usize];
        let (least, most) = (kept[0], kept[kept.len() - 1]);
        let mean = kept.iter().sum::<f64>() / kept.len() as f64;
        let variance = kept.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / kept.len() as f64;
        let bandwidth = variance.sqrt() / libm::pow(n, 1.0 / 6.0);
        // A spread below 0.01 % is no spread to see.
        if bandwidth <= 0.0 || most - least < 1e-4 {
            return None;
        }
        let begin = least - 3.0 * bandwidth;
        let cell = (most + 3.0 * bandwidth - begin) / GRID as f64;
        Some(Self { least, begin, cell, bandwidth })
    }

    fn cell(&self, value: f64) -> Option<usize> {
        let cell = ((value - self.begin) / self.cell) as usize;
        (cell < GRID).then_some(cell)
    }

    /// The value at a place of the grid, where cell 0 has its middle at 0.
    fn value(&self, place: f64) -> f64 {
        libm::exp((self.begin + (place + 0.5) * self.cell).max(self.least))
    }

    /// Half of the Gaussian, from its middle outwards.
    fn kernel(&self) -> Vec<f64> {
        let width = self.bandwidth / self.cell;
        let reach = libm::ceil(3.0 * width) as usize;
        (0..=reach).map(|k| libm::exp(-0.5 * (k as f64 / width) * (k as f64 / width))).collect()
    }
}

/// The grid smoothed along each side in turn; the scale is of no matter, as only levels are compared.
fn smoothed(grid: &[f64], x: &[f64], y: &[f64]) -> Vec<f64> {
    let along = |grid: &[f64], kernel: &[f64], step: usize, other: usize| {
        let mut result = vec![0.0; GRID * GRID];
        for line in 0..GRID {
            for place in 0..GRID {
                let count = grid[line * other + place * step];
                if count == 0.0 {
                    continue;
                }
                let reach = kernel.len() - 1;
                for target in place.saturating_sub(reach)..=(place + reach).min(GRID - 1) {
                    result[line * other + target * step] += count * kernel[target.abs_diff(place)];
                }
            }
        }
        result
    };
    along(&along(grid, x, 1, GRID), y, GRID, 1)
}

/// The density that [`HELD`] of the points exceed.
fn level_held(density: &[f64], cells: &[Option<usize>]) -> f64 {
    let mut levels: Vec<f64> = cells.iter().map(|cell| cell.map_or(0.0, |cell| density[cell])).collect();
    levels.sort_by(f64::total_cmp);
    // Just below, so that points at the level itself are within.
    levels[((1.0 - HELD) * levels.len() as f64) as usize] * (1.0 - 1e-9)
}

/// Closed outlines, in cells, of where the grid is above `level` (marching squares). An outline of a
/// hole runs the other way and is left out.
fn outlines(grid: &[f64], level: f64) -> Vec<Vec<Point>> {
    // A crossing lies on the edge from a node to its right (side 0) or lower (side 1) neighbour.
    let key = |i: usize, j: usize, side: usize| (j * GRID + i) * 2 + side;
    let mut next: Vec<Option<usize>> = vec![None; GRID * GRID * 2];
    let at = |i: usize, j: usize| grid[j * GRID + i];
    for j in 0..GRID - 1 {
        for i in 0..GRID - 1 {
            let corners = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)].map(|value| value > level);
            let sides = [key(i, j, 0), key(i + 1, j, 1), key(i, j + 1, 0), key(i, j, 1)];
            // Round the cell, each way out of the region is joined to the way into it just before.
            for side in 0..4 {
                if corners[side] && !corners[(side + 1) % 4] {
                    let back =
                        (1..4).map(|k| (side + 4 - k) % 4).find(|&s| !corners[s] && corners[(s + 1) % 4]);
                    let back = back.expect("whoever leaves a region on the way round has entered it");
                    next[sides[side]] = Some(sides[back]);
                }
            }
        }
    }
    let mut loops = Vec::new();
    for start in 0..next.len() {
        let mut points = Vec::new();
        let mut here = start;
        while let Some(there) = next[here].take() {
            points.push(crossing(grid, level, here));
            here = there;
        }
        if points.len() > 2 && doubled_area(&points) > 0.0 {
            loops.push(points);
        }
    }
    loops
}

/// Where `level` is passed on the edge with this key, in cells.
fn crossing(grid: &[f64], level: f64, key: usize) -> Point {
    let (node, side) = (key / 2, key % 2);
    let neighbour = if side == 0 { node + 1 } else { node + GRID };
    let share = (level - grid[node]) / (grid[neighbour] - grid[node]);
    let (i, j) = ((node % GRID) as f64, (node / GRID) as f64);
    if side == 0 { (i + share, j) } else { (i, j + share) }
}

/// Twice the area within, negative for one way round (the shoelace formula).
fn doubled_area(points: &[Point]) -> f64 {
    let next = points.iter().cycle().skip(1);
    points.iter().zip(next).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points of a standard bivariate normal distribution, in logarithms, from its quantiles on a spiral.
    fn normal_cloud(n: usize) -> Vec<Point> {
        (0..n)
            .map(|k| {
                let radius = (-2.0 * libm::log((k as f64 + 0.5) / n as f64)).sqrt();
                let angle = k as f64 * 2.399_963_229_728_653;
                (libm::exp(radius * libm::cos(angle)), libm::exp(radius * libm::sin(angle)))
            })
            .collect()
    }

    fn within(points: &[Point], (x, y): Point) -> bool {
        let mut inside = false;
        for (index, &(x0, y0)) in points.iter().enumerate() {
            let (x1, y1) = points[(index + 1) % points.len()];
            if (y0 > y) != (y1 > y) && x < x0 + (y - y0) * (x1 - x0) / (y1 - y0) {
                inside = !inside;
            }
        }
        inside
    }

    /// 90 % of a standard normal pair lie within radius sqrt(-2 ln 0.1) = 2.146.
    #[test]
    fn the_region_of_a_normal_cloud_is_the_known_circle() {
        let cloud = normal_cloud(20_000);
        let outlines = region(&cloud);
        assert_eq!(outlines.len(), 1, "one cloud, one region");
        for &(x, y) in &outlines[0] {
            let radius = libm::hypot(libm::log(x), libm::log(y));
            assert!((radius - 2.146).abs() < 0.12, "{radius}");
        }
        let held = cloud.iter().filter(|&&point| within(&outlines[0], point)).count() as f64 / 20_000.0;
        assert!((held - 0.9).abs() < 0.01, "{held}");
    }

    #[test]
    fn a_region_ends_at_what_occurred() {
        // An exponential tail above (5, 10): the mode lies in the corner, where a kernel spills.
        let tail = |k: f64| -libm::log(1.0 - (k * 0.618_033_988_7) % 1.0);
        let cloud: Vec<Point> = (1..5000)
            .map(|k| (5.0 + tail(f64::from(k)), 10.0 + tail(f64::from(k) * 1.324_717_957)))
            .collect();
        let least = cloud.iter().fold((9.0_f64, 99.0_f64), |a, p| (a.0.min(p.0), a.1.min(p.1)));
        let corner = region(&cloud).concat();
        assert!(corner.iter().all(|p| p.0 >= least.0 * 0.999_999 && p.1 >= least.1 * 0.999_999));
        assert!(corner.iter().any(|p| p.0 < least.0 * 1.000_001));
    }

    #[test]
    fn two_clouds_have_two_outlines() {
        let mut cloud = normal_cloud(5000);
        cloud.extend(normal_cloud(5000).into_iter().map(|(x, y)| (x * 5e5, y)));
        assert_eq!(region(&cloud).len(), 2);
    }

    #[test]
    fn what_does_not_spread_has_no_region() {
        assert!(region(&vec![(4.0, 31.0); 1000]).is_empty());
        assert!(region(&[(1.0, 2.0), (3.0, 4.0)]).is_empty());
        assert!(region(&(1..100).map(|k| (f64::from(k), 0.0)).collect::<Vec<_>>()).is_empty());
        assert!(region(&[]).is_empty());
    }
}
