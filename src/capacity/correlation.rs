//! Zones that fail together, by sharing a part of what takes their capacity.

use std::ops::RangeInclusive;

/// How alike the availability (1: nodes can be had, 0: none) of two zones is: Pearson's correlation at one
/// instant, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Correlation {
    /// Of two zones of one region.
    pub region: f64,
    /// Of two zones of different regions; at most [`Self::region`].
    pub global: f64,
}

/// Availabilities of three independent on/off processes, all of which must be on where a zone has nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shares {
    /// Of the zone's own process.
    pub own: f64,
    /// Of the process that all zones of the region meet.
    pub region: f64,
    /// Of the process that all zones meet.
    pub global: f64,
}

impl Correlation {
    /// Zones that have nothing to do with each other.
    pub const NONE: Self = Self { region: 0.0, global: 0.0 };

    /// What each may be.
    pub const RANGE: RangeInclusive<f64> = 0.0..=1.0;

    /// The shares that give a zone the availability `p`, above 0 and below 1, and two zones this
    /// correlation.
    ///
    /// With availabilities w, r, z (all zones, region, own) p = w·r·z. Two zones of a region are there at once
    /// with chance w·r·z² = p·z, so their correlation is (p·z − p²) / (p − p²), and z = p + ρ(1 − p). Two of
    /// different regions are there with chance w·(r·z)² = p·r·z, and r·z = p + ρ(1 − p) for their ρ. Common
    /// causes beside own ones are Marshall and Olkin's (1967, J. Am. Stat. Assoc. 62, 30-44) manner.
    pub fn shares(self, p: f64) -> Shares {
        let own = p + self.region * (1.0 - p);
        let in_region = p + self.global * (1.0 - p);
        Shares { own, region: in_region / own, global: p / in_region }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chances counted out over the eight states of two zones' processes.
    fn correlations(shares: Shares) -> (f64, f64, f64) {
        let Shares { own, region, global } = shares;
        let p = own * region * global;
        let alike = |both: f64| (both - p * p) / (p * (1.0 - p));
        (p, alike(own * own * region * global), alike(own * own * region * region * global))
    }

    #[test]
    fn shares_give_the_asked_availability_and_correlations() {
        for p in [0.05, 0.5, 0.97] {
            for (region, global) in [(0.0, 0.0), (0.43, 0.14), (0.5, 0.5), (0.6, 0.0), (1.0, 0.3), (1.0, 1.0)]
            {
                let found = correlations(Correlation { region, global }.shares(p));
                for (found, right) in [(found.0, p), (found.1, region), (found.2, global)] {
                    assert!((found - right).abs() < 1e-12, "{found} is not {right} for {region}, {global}");
                }
            }
        }
    }
}
