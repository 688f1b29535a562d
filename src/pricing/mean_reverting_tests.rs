//! A price that wanders around its mean, against the theory of the Ornstein-Uhlenbeck process.

use super::MeanReverting;
use crate::pricing::{PricePath, PriceWalk};
use crate::rng::{Streams, place_key};
use crate::stats::ks;
use crate::stats::special::normal_cdf;
use crate::units::{Price, SimTime, Span};

const MEAN: f64 = 0.95;
const SD: f64 = 0.4;
const HALF_LIFE_H: u64 = 24;
const REPLICATIONS: u64 = 20_000;
const SEED: u64 = 11;

fn law() -> PricePath {
    let mean: Price = "0.95 USD/h".parse().unwrap();
    let (half_life, every) = (Span::from_s(3_600 * HALF_LIFE_H), Span::from_s(3_600));
    PricePath::MeanReverting(MeanReverting::new(mean, SD, half_life, every).unwrap())
}

fn hour(hours: u64) -> SimTime {
    SimTime::ZERO + Span::from_s(3_600 * hours)
}

/// The price at each of `hours` in one replication.
fn prices(path: &PricePath, zone: &str, replication: u64, hours: &[u64]) -> Vec<f64> {
    let mut walk = PriceWalk::default();
    walk.begin(path, &Streams::new(SEED), place_key(zone), replication, Span::ZERO);
    hours.iter().map(|&h| path.at(&mut walk, hour(h)).0.as_usd_per_hour()).collect()
}

/// Prices at submit, after a half-life and after five, over all replications.
fn sample() -> Vec<Vec<f64>> {
    (0..REPLICATIONS).map(|r| prices(&law(), "us-east-1a", r, &[0, HALF_LIFE_H, 5 * HALF_LIFE_H])).collect()
}

/// Kolmogorov-Smirnov of ln price against the normal law of mean ln 0.95 − sd²/2: a false alarm in 1,000 at each
/// of three times. The mean price within 4.5 standard errors, mean × √(e^{sd²} − 1) / √n: one in 150,000.
#[test]
fn the_price_is_stationary_with_its_mean_and_deviation() {
    let sample = sample();
    let (n, log_mean) = (REPLICATIONS as f64, libm::log(MEAN) - SD * SD / 2.0);
    for time in 0..3 {
        let mean = sample.iter().map(|prices| prices[time]).sum::<f64>() / n;
        let error = MEAN * (libm::exp(SD * SD) - 1.0).sqrt() / n.sqrt();
        assert!((mean - MEAN).abs() < 4.5 * error, "mean {mean} at time {time}");
        let mut z: Vec<f64> = sample.iter().map(|prices| (libm::log(prices[time]) - log_mean) / SD).collect();
        // The sample variance of n normal values has the standard error √(2/n): 4.5 of them, as above.
        let variance = z.iter().map(|z| z * z).sum::<f64>() / n;
        assert!((variance - 1.0).abs() < 4.5 * (2.0 / n).sqrt(), "variance {variance} at time {time}");
        let distance = ks::distance(&mut z, normal_cdf);
        assert!(distance < ks::limit(REPLICATIONS), "distance {distance} at time {time}");
    }
}

/// The correlation of ln price after d is 2^(−d / half-life): a half after one, 1/16 after four, 1/32 after five.
/// A sample correlation has the standard error (1 − ρ²)/√n; 4.5 of them are one false alarm in 150,000 each.
#[test]
fn deviations_halve_in_a_half_life() {
    let sample = sample();
    let log_mean = libm::log(MEAN) - SD * SD / 2.0;
    for (a, b, right) in [(0, 1, 0.5), (1, 2, 1.0 / 16.0), (0, 2, 1.0 / 32.0)] {
        let z = |price: f64| (libm::log(price) - log_mean) / SD;
        let of = |x: usize, y: usize| sample.iter().map(|p| z(p[x]) * z(p[y])).sum::<f64>();
        let correlation = of(a, b) / (of(a, a) * of(b, b)).sqrt();
        let error = (1.0 - right * right) / (REPLICATIONS as f64).sqrt();
        assert!((correlation - right).abs() < 4.5 * error, "{a} {b}: {correlation}, right is {right}");
    }
}

/// A price is what it is whoever asks, in whatever order; another zone and replication have others.
#[test]
fn the_price_hangs_on_seed_zone_and_replication_alone() {
    let path = law();
    let first = prices(&path, "a", 3, &[0, 7, 50]);
    let mut backwards = prices(&path, "a", 3, &[50, 7, 0]);
    backwards.reverse();
    assert_eq!(first, backwards);
    assert_ne!(first, prices(&path, "b", 3, &[0, 7, 50]));
    assert_ne!(first, prices(&path, "a", 4, &[0, 7, 50]));
}

/// A value pin, computed by a second implementation in Python (its own xoshiro256++ and
/// `statistics.NormalDist`): a change here needs a line in the changelog.
#[test]
fn first_prices_never_change() {
    assert_eq!(prices(&law(), "us-east-1a", 0, &[0, 1, 2]), PINNED);
}

const PINNED: [f64; 3] = [0.574849, 0.630919, 0.663326];
