//! Normal deviates from uniform ones, the same bits on every machine.
//!
//! Inversion instead of the ziggurat: one draw per deviate, so that every record owns a fixed
//! place in the stream. `libm` instead of the platform's logarithm, whose last bit varies.

// Coefficients of Wichura (1988), algorithm AS 241, PPND16: lowest power first.
const CENTRE: [f64; 8] = [
    3.387_132_872_796_366_6,
    1.331_416_678_917_843_8e2,
    1.971_590_950_306_551_3e3,
    1.373_169_376_550_946e4,
    4.592_195_393_154_987e4,
    6.726_577_092_700_87e4,
    3.343_057_558_358_813e4,
    2.509_080_928_730_122_7e3,
];
const CENTRE_BELOW: [f64; 8] = [
    1.0,
    4.231_333_070_160_091e1,
    6.871_870_074_920_579e2,
    5.394_196_021_424_751e3,
    2.121_379_430_158_659_7e4,
    3.930_789_580_009_271e4,
    2.872_908_573_572_194_3e4,
    5.226_495_278_852_854e3,
];
const TAIL: [f64; 8] = [
    1.423_437_110_749_683_5,
    4.630_337_846_156_546,
    5.769_497_221_460_691,
    3.647_848_324_763_204_5,
    1.270_458_252_452_368_4,
    2.417_807_251_774_506e-1,
    2.272_384_498_926_918_4e-2,
    7.745_450_142_783_414e-4,
];
const TAIL_BELOW: [f64; 8] = [
    1.0,
    2.053_191_626_637_759,
    1.676_384_830_183_803_8,
    6.897_673_349_851e-1,
    1.481_039_764_274_800_8e-1,
    1.519_866_656_361_645_7e-2,
    5.475_938_084_995_345e-4,
    1.050_750_071_644_416_9e-9,
];
const FAR: [f64; 8] = [
    6.657_904_643_501_103,
    5.463_784_911_164_114,
    1.784_826_539_917_291_3,
    2.965_605_718_285_048_7e-1,
    2.653_218_952_657_612_4e-2,
    1.242_660_947_388_078_4e-3,
    2.711_555_568_743_487_6e-5,
    2.010_334_399_292_288_1e-7,
];
const FAR_BELOW: [f64; 8] = [
    1.0,
    5.998_322_065_558_88e-1,
    1.369_298_809_227_358e-1,
    1.487_536_129_085_061_5e-2,
    7.868_691_311_456_133e-4,
    1.846_318_317_510_054_8e-5,
    1.421_511_758_316_446e-7,
    2.044_263_103_389_939_8e-15,
];

fn ratio(above: &[f64; 8], below: &[f64; 8], r: f64) -> f64 {
    let horner = |c: &[f64; 8]| c[..7].iter().rev().fold(c[7], |sum, &term| sum * r + term);
    horner(above) / horner(below)
}

/// The standard normal quantile of `p` in (0, 1) (Wichura 1988, AS 241).
pub fn quantile(p: f64) -> f64 {
    if is_central(p) {
        central(p)
    } else {
        outlying(p)
    }
}

/// The quantiles of many probabilities, in their place: the same as [`quantile`], but several at
/// once.
pub fn quantiles(p: &mut [f64]) {
    const TOGETHER: usize = 64;
    for p in p.chunks_mut(TOGETHER) {
        // The others are put aside, without a branch, so that the compiler can do several of the
        // frequent kind together.
        let mut others = [(0, 0.0); TOGETHER + 1];
        let mut n_others = 0;
        for (i, &p) in p.iter().enumerate() {
            others[n_others] = (i, p);
            n_others += usize::from(!is_central(p));
        }
        for p in p.iter_mut() {
            *p = central(*p);
        }
        for &(i, other) in &others[..n_others] {
            p[i] = outlying(other);
        }
    }
}

fn is_central(p: f64) -> bool {
    (p - 0.5).abs() <= 0.425
}

fn central(p: f64) -> f64 {
    let q = p - 0.5;
    q * ratio(&CENTRE, &CENTRE_BELOW, 0.180_625 - q * q)
}

fn outlying(p: f64) -> f64 {
    let q = p - 0.5;
    let r = (-libm::log(if q < 0.0 { p } else { 1.0 - p })).sqrt();
    let magnitude = if r <= 5.0 {
        ratio(&TAIL, &TAIL_BELOW, r - 1.6)
    } else {
        ratio(&FAR, &FAR_BELOW, r - 5.0)
    };
    magnitude.copysign(q)
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{ContinuousCDF, Normal};

    #[test]
    fn many_at_once_are_the_same_bits() {
        let p: Vec<f64> = (0..1_000).map(|i| (f64::from(i) + 0.5) / 1_000.0).collect();
        let mut together = p.clone();
        quantiles(&mut together);
        let same = |(p, z): (&f64, &f64)| quantile(*p).to_bits() == z.to_bits();
        assert!(p.iter().zip(&together).all(same));
    }

    #[test]
    fn quantiles_agree_with_an_independent_implementation() {
        let normal = Normal::new(0.0, 1.0).unwrap();
        for p in [
            1e-300,
            1e-20,
            1e-10,
            1e-5,
            0.01,
            0.07,
            0.08,
            0.3,
            0.5,
            0.7,
            0.95,
            0.999,
            1.0 - 1e-10,
        ] {
            let (own, other) = (quantile(p), normal.inverse_cdf(p));
            assert!(
                (own - other).abs() <= 1e-9 * other.abs().max(1.0),
                "{p}: {own} {other}"
            );
        }
        // Wichura's own check: the quantile of 1e-20 is -9.262340089798408.
        assert!((quantile(1e-20) + 9.262_340_089_798_408).abs() < 1e-14);
        assert!((quantile(0.25) + 0.674_489_750_196_081_7).abs() < 1e-15);
    }
}
