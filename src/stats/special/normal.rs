//! The standard normal distribution.

use std::f64::consts::FRAC_1_SQRT_2;

/// Chance that a standard normal variable is at most `z`; precise in the lower tail.
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z * FRAC_1_SQRT_2)
}

/// The `z` with [`normal_cdf`]`(z) = p`, for `p` in (0, 1), to about 1 part in 10^16.
///
/// Source: M. J. Wichura (1988), Algorithm AS 241 (PPND16), Applied Statistics 37, 477-484.
pub fn normal_quantile(p: f64) -> f64 {
    let centre = p - 0.5;
    if centre.abs() <= 0.425 {
        let r = 0.180_625 - centre * centre;
        return centre * polynomial(&CENTRE.0, r) / polynomial(&CENTRE.1, r);
    }
    let r = (-libm::log(if centre < 0.0 { p } else { 1.0 - p })).sqrt();
    let z = if r <= 5.0 {
        polynomial(&MIDDLE.0, r - 1.6) / polynomial(&MIDDLE.1, r - 1.6)
    } else {
        polynomial(&TAIL.0, r - 5.0) / polynomial(&TAIL.1, r - 5.0)
    };
    if centre < 0.0 { -z } else { z }
}

/// Numerator and denominator, highest power first.
type Rational = ([f64; 8], [f64; 8]);

#[expect(clippy::excessive_precision, reason = "the coefficients as published")]
const CENTRE: Rational = (
    [
        2.509_080_928_730_122_672_7e3,
        3.343_057_558_358_812_810_5e4,
        6.726_577_092_700_870_085_3e4,
        4.592_195_393_154_987_145_7e4,
        1.373_169_376_550_946_112_5e4,
        1.971_590_950_306_551_442_7e3,
        1.331_416_678_917_843_774_5e2,
        3.387_132_872_796_366_608_0,
    ],
    [
        5.226_495_278_852_854_561_0e3,
        2.872_908_573_572_194_267_4e4,
        3.930_789_580_009_271_061_0e4,
        2.121_379_430_158_659_586_7e4,
        5.394_196_021_424_751_107_7e3,
        6.871_870_074_920_579_083_0e2,
        4.231_333_070_160_091_125_2e1,
        1.0,
    ],
);
#[expect(clippy::excessive_precision, reason = "the coefficients as published")]
const MIDDLE: Rational = (
    [
        7.745_450_142_783_414_076_40e-4,
        2.272_384_498_926_918_458_33e-2,
        2.417_807_251_774_506_117_70e-1,
        1.270_458_252_452_368_382_58,
        3.647_848_324_763_204_605_04,
        5.769_497_221_460_691_405_50,
        4.630_337_846_156_545_295_90,
        1.423_437_110_749_683_577_34,
    ],
    [
        1.050_750_071_644_416_843_24e-9,
        5.475_938_084_995_344_946_00e-4,
        1.519_866_656_361_645_719_66e-2,
        1.481_039_764_274_800_745_90e-1,
        6.897_673_349_851_000_045_50e-1,
        1.676_384_830_183_803_849_40,
        2.053_191_626_637_758_821_87,
        1.0,
    ],
);
#[expect(clippy::excessive_precision, reason = "the coefficients as published")]
const TAIL: Rational = (
    [
        2.010_334_399_292_288_132_65e-7,
        2.711_555_568_743_487_578_15e-5,
        1.242_660_947_388_078_438_60e-3,
        2.653_218_952_657_612_309_30e-2,
        2.965_605_718_285_048_912_30e-1,
        1.784_826_539_917_291_335_80,
        5.463_784_911_164_114_369_90,
        6.657_904_643_501_103_777_20,
    ],
    [
        2.044_263_103_389_939_785_64e-15,
        1.421_511_758_316_445_888_70e-7,
        1.846_318_317_510_054_681_80e-5,
        7.868_691_311_456_132_591_00e-4,
        1.487_536_129_085_061_485_25e-2,
        1.369_298_809_227_358_053_10e-1,
        5.998_322_065_558_879_376_90e-1,
        1.0,
    ],
);

fn polynomial(coefficients: &[f64; 8], x: f64) -> f64 {
    coefficients.iter().fold(0.0, |sum, c| sum * x + c)
}

#[cfg(test)]
mod tests {
    use super::super::assert_close;
    use super::*;

    /// Wichura gives PPND16(0.25), (0.001) and (1e-20) as check values in his paper.
    #[test]
    fn the_published_check_values_are_met() {
        assert_close(normal_quantile(0.25), -0.674_489_750_196_081_7, 1e-15, "0.25");
        assert_close(normal_quantile(0.001), -3.090_232_306_167_813_5, 1e-15, "0.001");
        assert_close(normal_quantile(1e-20), -9.262_340_089_798_408, 1e-15, "1e-20");
    }

    #[test]
    fn the_quantile_inverts_the_cdf() {
        for p in [1e-300, 1e-16, 1e-9, 0.01, 0.07, 0.2, 0.5, 0.7, 0.95] {
            let z: f64 = normal_quantile(p);
            // An error of z in its last bit moves the tail by about z^2 of its own last bits.
            assert_close(normal_cdf(z), p, 4e-16 * (z * z + 2.0), &format!("p = {p}"));
        }
    }

    #[test]
    fn the_cdf_agrees_with_statrs() {
        use statrs::distribution::{ContinuousCDF, Normal};
        let theirs = Normal::new(0.0, 1.0).unwrap();
        for z in [-8.0, -3.0, -1.0, -0.1, 0.0, 0.5, 2.0, 6.0] {
            assert_close(normal_cdf(z), theirs.cdf(z), 1e-10, &format!("z = {z}"));
        }
    }
}
