//! Quantiles of many whole numbers in bounded memory.

use super::order_statistic_ranks;
use serde::{Deserialize, Serialize};

/// Up to so many samples are kept as they are (8 MB).
const EXACT_MAX: u64 = 1_000_000;
/// Bins per doubling: 2^10, half a bin of which is 2^-11 of the value.
const BIN_BITS: u32 = 10;
const BINS_PER_DOUBLING: u64 = 1 << BIN_BITS;
const BINS: usize = ((64 - BIN_BITS as usize) + 1) << BIN_BITS;
const INFINITE: u64 = u64::MAX;

/// Whole numbers (nanoseconds, nano-dollars) to take quantiles of; `u64::MAX` is +∞, "not reached".
///
/// Exact up to a million samples; beyond that every sample is counted in one of 56,320 fixed bins, as in
/// an HDR histogram, and [`Self::relative_error`] says how far off a quantile may be. What is answered
/// depends on the samples alone, not on their order or on how they were split before merging.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Quantiles {
    count: u64,
    /// Least and largest finite sample: a bin's middle may lie beyond either.
    range: (u64, u64),
    store: Store,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
enum Store {
    Exact {
        samples: Vec<u64>,
        is_sorted: bool,
    },
    Binned {
        #[serde(with = "sparse")]
        bins: Vec<u64>,
        infinite: u64,
    },
}

/// A quantile with an interval that holds whatever the law. `None` is "no bound" or "not reached".
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuantileInterval {
    /// The estimate; `None` at +∞.
    pub value: Option<f64>,
    /// Lower end; `None` where there are too few samples for one, or at +∞.
    pub low: Option<f64>,
    /// Upper end; `None` where there are too few samples for one, or at +∞.
    pub high: Option<f64>,
}

impl Default for Quantiles {
    fn default() -> Self {
        Self { count: 0, range: (INFINITE, 0), store: Store::Exact { samples: Vec::new(), is_sorted: true } }
    }
}

impl Quantiles {
    /// Makes room for so many samples more, if they will be kept as they are.
    pub fn reserve(&mut self, samples: usize) {
        if let Store::Exact { samples: kept, .. } = &mut self.store {
            kept.reserve(samples);
        }
    }

    /// Takes one more sample.
    pub fn push(&mut self, sample: u64) {
        self.count += 1;
        if sample != INFINITE {
            self.range = (self.range.0.min(sample), self.range.1.max(sample));
        }
        if self.count > EXACT_MAX {
            self.collapse();
        }
        match &mut self.store {
            Store::Exact { samples, is_sorted } => {
                samples.push(sample);
                *is_sorted = false;
            }
            Store::Binned { bins, infinite } => count_in(bins, infinite, sample),
        }
    }

    /// Takes all samples of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.range = (self.range.0.min(other.range.0), self.range.1.max(other.range.1));
        if self.count > EXACT_MAX || matches!(other.store, Store::Binned { .. }) {
            self.collapse();
        }
        match (&mut self.store, &other.store) {
            (Store::Exact { samples, is_sorted }, Store::Exact { samples: more, .. }) => {
                samples.extend_from_slice(more);
                *is_sorted = false;
            }
            (Store::Binned { bins, infinite }, Store::Exact { samples: more, .. }) => {
                more.iter().for_each(|&sample| count_in(bins, infinite, sample));
            }
            (Store::Binned { bins, infinite }, Store::Binned { bins: more, infinite: more_infinite }) => {
                bins.iter_mut().zip(more).for_each(|(bin, more)| *bin += more);
                *infinite += more_infinite;
            }
            (Store::Exact { .. }, Store::Binned { .. }) => {
                unreachable!("collapsed above")
            }
        }
    }

    /// Number of samples, +∞ included.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Largest relative error of a quantile, 2^-11; `None` while quantiles are exact.
    pub const fn relative_error(&self) -> Option<f64> {
        match self.store {
            Store::Exact { .. } => None,
            Store::Binned { .. } => Some(1.0 / (2 * BINS_PER_DOUBLING) as f64),
        }
    }

    /// The `p`-quantile, `p` in 0..=1, by linear interpolation between ranks (type 7 of Hyndman and Fan
    /// 1996); `None` of no samples and where +∞ takes part.
    pub fn quantile(&mut self, p: f64) -> Option<f64> {
        let last = self.count.checked_sub(1)?;
        let position = p * last as f64;
        // A position that is whole in decimals (0.95 of 20) must not miss it by a rounding, or an
        // infinite neighbour would take part with a weight of 10^-16.
        let nearest = position.round();
        let position = if (position - nearest).abs() < 1e-9 * nearest { nearest } else { position };
        let (below, part) = (position.floor(), position - position.floor());
        let low = self.at_rank(below as u64 + 1)?;
        if part == 0.0 {
            return Some(low);
        }
        Some(low + part * (self.at_rank(below as u64 + 2)? - low))
    }

    /// [`Self::quantile`] between the order statistics of [`order_statistic_ranks`].
    pub fn quantile_interval(&mut self, p: f64, confidence: f64) -> QuantileInterval {
        let (low, high) = order_statistic_ranks(self.count, p, confidence);
        QuantileInterval {
            value: self.quantile(p),
            low: low.and_then(|rank| self.at_rank(rank)),
            high: high.and_then(|rank| self.at_rank(rank)),
        }
    }

    /// Skewness of the finite samples, the third central moment over the cube of the standard deviation (both with
    /// n); `None` of fewer than three and of equal ones. Summed in the order of size, so that the order of the
    /// samples cannot move a bit.
    pub fn skewness(&mut self) -> Option<f64> {
        self.at_rank(1)?;
        let counted: Vec<(f64, f64)> = match &self.store {
            Store::Exact { samples, .. } => {
                samples.iter().filter(|&&x| x != INFINITE).map(|&x| (x as f64, 1.0)).collect()
            }
            Store::Binned { bins, .. } => {
                let full = bins.iter().enumerate().filter(|(_, count)| **count > 0);
                full.map(|(bin, &count)| (bin_middle(bin), count as f64)).collect()
            }
        };
        let n: f64 = counted.iter().map(|(_, count)| count).sum();
        let mean = counted.iter().map(|(x, count)| x * count).sum::<f64>() / n;
        let (mut squares, mut cubes) = (0.0, 0.0);
        for (x, count) in counted {
            let from_mean = x - mean;
            squares += count * from_mean * from_mean;
            cubes += count * from_mean * from_mean * from_mean;
        }
        let variance = squares / n;
        (n >= 3.0 && variance > 0.0).then(|| cubes / n / (variance * variance.sqrt()))
    }

    /// The sample of a rank, counted from 1 at the smallest; `None` at +∞ and outside 1..=count.
    pub fn at_rank(&mut self, rank: u64) -> Option<f64> {
        let before = rank.checked_sub(1)?;
        match &mut self.store {
            Store::Exact { samples, is_sorted } => {
                if !*is_sorted {
                    samples.sort_unstable();
                    *is_sorted = true;
                }
                let sample = samples.get(usize::try_from(before).ok()?)?;
                (*sample != INFINITE).then_some(*sample as f64)
            }
            Store::Binned { bins, .. } => {
                let mut seen = 0;
                let bin = bins.iter().position(|count| {
                    seen += count;
                    seen > before
                });
                let (least, most) = (self.range.0 as f64, self.range.1 as f64);
                bin.map(|bin| bin_middle(bin).clamp(least, most))
            }
        }
    }

    /// Does now what is due anyway if these are some of `whole` samples: beyond a million they will be counted in
    /// bins, which are fewer numbers to keep.
    pub fn prepare(&mut self, whole: u64) {
        if whole > EXACT_MAX {
            self.collapse();
        }
    }

    fn collapse(&mut self) {
        if let Store::Exact { samples, .. } = &self.store {
            let (mut bins, mut infinite) = (vec![0; BINS], 0);
            samples.iter().for_each(|&sample| count_in(&mut bins, &mut infinite, sample));
            self.store = Store::Binned { bins, infinite };
        }
    }
}

fn count_in(bins: &mut [u64], infinite: &mut u64, sample: u64) {
    if sample == INFINITE { *infinite += 1 } else { bins[bin_of(sample)] += 1 }
}

/// Below 2^11 every number has its own bin; above, a bin is named by the 11 leading bits and how far
/// they were shifted.
fn bin_of(sample: u64) -> usize {
    let shift = (63 - BIN_BITS).saturating_sub(sample.leading_zeros());
    ((u64::from(shift) << BIN_BITS) + (sample >> shift)) as usize
}

/// The middle of the numbers that a bin holds.
fn bin_middle(bin: usize) -> f64 {
    let bin = bin as u64;
    let shift = (bin >> BIN_BITS).saturating_sub(1);
    let lowest = (bin - (shift << BIN_BITS)) << shift;
    lowest as f64 + 0.5 * ((1_u64 << shift) - 1) as f64
}

/// Bins as pairs of number and count: most are empty.
mod sparse {
    use super::BINS;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(bins: &[u64], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(bins.iter().enumerate().filter(|(_, count)| **count > 0))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u64>, D::Error> {
        let mut bins = vec![0; BINS];
        for (bin, count) in Vec::<(usize, u64)>::deserialize(deserializer)? {
            *bins.get_mut(bin).ok_or_else(|| Error::custom(format!("there is no bin {bin}")))? = count;
        }
        Ok(bins)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn collect(samples: impl IntoIterator<Item = u64>) -> Quantiles {
        let mut all = Quantiles::default();
        samples.into_iter().for_each(|sample| all.push(sample));
        all
    }

    #[test]
    fn a_binned_quantile_stays_within_what_occurred() {
        let mut quantiles = Quantiles::default();
        (0..EXACT_MAX + 10).for_each(|_| quantiles.push(87_640_000_000_000));
        assert!(quantiles.relative_error().is_some());
        assert_eq!(quantiles.quantile(0.95), Some(87_640_000_000_000.0));
    }

    /// Rows made for the project at 40 digits, 2026-12 (`mc_vectors.csv`), kind quantile_type7; m051 to m053 in tenths.
    #[test]
    fn quantiles_are_the_reference_ones() {
        let tenths = [31, 27, 44, 39, 52, 22, 33, 48, 36, 41];
        let skewed = [100, 120, 95, 400, 110, 105, 98, 130, 101, 99, 107, 250];
        for (id, samples, p, right) in [
            ("m051", &tenths[..], 0.5, 37.5),
            ("m052", &tenths[..], 0.95, 50.2),
            ("m053", &tenths[..], 0.05, 24.25),
            ("m056", &skewed[..], 1.0, 400.0),
            ("m057", &[7][..], 0.5, 7.0),
        ] {
            let found = collect(samples.iter().copied()).quantile(p).unwrap();
            assert!((found - right).abs() < 1e-12, "{id}: {found}");
        }
    }

    #[test]
    fn infinity_gives_no_quantile_where_it_takes_part() {
        let mut all = collect([1, 2, 3, INFINITE, INFINITE]);
        assert_eq!(all.quantile(0.5), Some(3.0));
        assert_eq!(all.quantile(0.51), None);
        assert_eq!(all.quantile(1.0), None);
        // 0.95 × 20 is a rank of its own, whatever its binary digits.
        let mut twenty_one = collect((0..20).chain([INFINITE]));
        assert_eq!(twenty_one.quantile(0.95), Some(19.0));
        assert_eq!(Quantiles::default().quantile(0.5), None);
    }

    /// Ranks 40 and 61 of 100, as row m040 says; none at all of 5 (m036).
    #[test]
    fn intervals_are_order_statistics() {
        let interval = collect(1..=100).quantile_interval(0.5, 0.95);
        assert_eq!(interval, QuantileInterval { value: Some(50.5), low: Some(40.0), high: Some(61.0) });
        let interval = collect(1..=5).quantile_interval(0.5, 0.95);
        assert_eq!(interval, QuantileInterval { value: Some(3.0), low: None, high: None });
    }

    /// Two parts in bins and one as it is, none of a million samples.
    #[test]
    fn samples_that_were_binned_early_join_to_the_same() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(6);
        let samples: Vec<u64> = (0..EXACT_MAX + 50_000).map(|_| random.next_u64() >> 20).collect();
        let part = |from: usize, to: usize| collect(samples[from..to].iter().copied());
        let (mut first, second, mut third) =
            (part(0, 30_000), part(30_000, 600_000), part(600_000, samples.len()));
        first.prepare(samples.len() as u64);
        third.prepare(samples.len() as u64);
        let mut merged = Quantiles::default();
        [first, second, third].iter().for_each(|part| merged.merge(part));
        let mut together = collect(samples);
        for p in [0.0, 0.05, 0.5, 0.95, 1.0] {
            assert_eq!(merged.quantile(p), together.quantile(p));
        }
    }

    #[test]
    fn what_is_written_is_read_as_it_was() {
        let mut exact = collect([3, 2, 1, INFINITE, INFINITE - 1, 0]);
        let mut binned = exact.clone();
        binned.prepare(EXACT_MAX + 1);
        for quantiles in [&mut exact, &mut binned, &mut Quantiles::default()] {
            let text = serde_json::to_string(quantiles).unwrap();
            let mut again: Quantiles = serde_json::from_str(&text).unwrap();
            assert_eq!(serde_json::to_string(&again).unwrap(), text);
            assert_eq!(again.quantile(0.5), quantiles.quantile(0.5));
            assert_eq!(again.relative_error(), quantiles.relative_error());
        }
        let wrong = serde_json::to_string(&binned).unwrap().replace("[[0,", "[[56320,");
        assert!(serde_json::from_str::<Quantiles>(&wrong).is_err());
    }

    #[test]
    fn every_number_falls_in_a_bin_near_it() {
        for exponent in 0..64 {
            for offset in [0, 1, 12_345, u64::MAX / 3] {
                let number = (1_u64 << exponent) | (offset & ((1 << exponent) - 1));
                let middle = bin_middle(bin_of(number));
                let error = (middle - number as f64).abs() / number as f64;
                assert!(error <= 1.0 / 2_048.0, "{number}: {middle}");
                assert!(number >= 2_048 || error == 0.0, "{number}: {middle}");
            }
        }
        assert_eq!(bin_of(u64::MAX) + 1, BINS);
        assert_eq!(bin_of(0), 0);
    }

    #[test]
    fn beyond_a_million_samples_quantiles_stay_near_and_independent_of_the_split() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        let draw = |i: u64| if i.is_multiple_of(100) { INFINITE } else { random.next_u64() >> (i % 50) };
        let mut samples: Vec<u64> = (0..EXACT_MAX + 500_000).map(draw).collect();
        let mut together = collect(samples.iter().copied());
        let mut merged = collect(samples[..200_000].iter().copied());
        merged.merge(&collect(samples[200_000..].iter().copied()));
        assert_eq!(together.relative_error(), Some(1.0 / 2_048.0));
        samples.sort_unstable();
        for p in [0.0, 0.05, 0.5, 0.95, 0.98] {
            let exact = samples[(p * (samples.len() - 1) as f64) as usize] as f64;
            let found = together.quantile(p).unwrap();
            assert!((found - exact).abs() <= exact / 2_048.0, "{p}: {found} for {exact}");
            assert_eq!(merged.quantile(p), Some(found));
        }
        assert_eq!(together.quantile(0.995), None);
    }
}
