//! Shares that are compared with limits: what is equal on paper is equal here.

/// The double nearest to a quotient of whole numbers below 2^127; an exact half goes to the even
/// one. The divisor is not 0.
pub fn nearest_quotient(above: u128, below: u128) -> f64 {
    /// Up to here whole numbers are doubles, and their division is rounded once.
    const EXACT: u128 = 1 << 53;
    if above <= EXACT && below <= EXACT {
        return above as f64 / below as f64;
    }
    let (whole, mut rest) = (above / below, above % below);
    let mut digits = whole;
    let mut n_places = 0;
    // Two binary digits more than a double has, so that the last one can tell what follows.
    while digits < 4 * EXACT && rest > 0 {
        rest *= 2;
        digits = 2 * digits + u128::from(rest >= below);
        if rest >= below {
            rest -= below;
        }
        n_places += 1;
    }
    // What is left over makes a half more than a half.
    let digits = digits | u128::from(rest > 0);
    libm::scalbn(digits as f64, -n_places)
}

/// How many parts a share of at most 1 is counted in that is settled on twelve decimals.
pub const TWELVE_DECIMALS: f64 = 1e12;

/// The same for fifteen decimals, which doubles up to 1 still tell apart.
pub const FIFTEEN_DECIMALS: f64 = 1e15;

/// The double nearest to a share with so many decimals.
pub fn settled(share: f64, n_parts: f64) -> f64 {
    // Whole numbers of this size and powers of ten are doubles: one rounding, to the nearest.
    (share * n_parts).round_ties_even() / n_parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_quotients_are_those_of_small_ones() {
        let factor = (1_u128 << 90) + 12_345;
        for below in 1..=97_u32 {
            for above in 0..=2 * below {
                let expected = f64::from(above) / f64::from(below);
                let found =
                    nearest_quotient(u128::from(above) * factor, u128::from(below) * factor);
                assert_eq!(found.to_bits(), expected.to_bits(), "{above}/{below}");
            }
        }
    }

    #[test]
    fn quotients_are_rounded_once_and_halves_to_even() {
        // (2^53 + 1)/2^53 lies half way between 1 and the next double; a little more goes up.
        let one = 1_u128 << 53;
        assert_eq!(nearest_quotient(one + 1, one).to_bits(), 1.0_f64.to_bits());
        let next = 1.0 + f64::EPSILON;
        let (above, below) = ((one + 1) << 40 | 1, one << 40);
        assert_eq!(nearest_quotient(above, below).to_bits(), next.to_bits());
        // 1/(3 * 2^100), which is not near 1 at all.
        let small = nearest_quotient(1, 3 << 100);
        assert_eq!(small.to_bits(), (1.0 / 3.0 / 2_f64.powi(100)).to_bits());
    }

    #[test]
    fn shares_settle_on_decimals() {
        for n_parts in [TWELVE_DECIMALS, FIFTEEN_DECIMALS] {
            assert_eq!(settled(0.1 + 0.2, n_parts).to_bits(), 0.3_f64.to_bits());
            assert_eq!(settled(1.0, n_parts).to_bits(), 1.0_f64.to_bits());
            let below = 0.3 - 1.0 / n_parts;
            assert!((settled(below, n_parts) - below).abs() < 1e-16);
        }
    }
}
