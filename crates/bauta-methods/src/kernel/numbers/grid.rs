//! The grid that a variable's values lie on.

use rayon::prelude::*;

/// Decimals that the values need; a variable of whole numbers needs 0.
pub fn decimals_needed(values: &[f64]) -> u8 {
    let decimals = |&value: &f64| {
        if value.is_nan() || value.fract() == 0.0 {
            return 0;
        }
        // `Display` never writes an exponent: 1e-8 is 0.00000001 here, which needs 8 decimals.
        let text = value.to_string();
        let tail = text.split_once('.').map_or(0, |(_, tail)| tail.len());
        u8::try_from(tail).unwrap_or(u8::MAX)
    };
    values.par_iter().map(decimals).max().unwrap_or(0)
}

/// The nearest number with so many decimals; an exact half goes to the even digit. Never -0,
/// which a file would show as a sign without a number.
pub fn round_to(value: f64, decimals: u8) -> f64 {
    let rounded = if decimals == 0 {
        value.round_ties_even()
    } else {
        // Through text: 10^d is not exact in binary, and 0.1 * 3 must become 0.3, not
        // 0.30000000000000004.
        format!("{value:.*}", usize::from(decimals))
            .parse()
            .unwrap_or(value)
    };
    rounded + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_and_applies_the_grid() {
        assert_eq!(decimals_needed(&[1.0, 250.0, f64::NAN]), 0);
        assert_eq!(decimals_needed(&[1.0, 2.5, 0.25]), 2);
        assert_eq!(round_to(2.5, 0).to_bits(), 2.0_f64.to_bits());
        assert_eq!(round_to(3.5, 0).to_bits(), 4.0_f64.to_bits());
        assert_eq!(round_to(0.125, 2).to_bits(), 0.12_f64.to_bits());
        assert_eq!(round_to(0.375, 2).to_bits(), 0.38_f64.to_bits());
        assert_eq!(round_to(0.1 * 3.0, 1).to_bits(), 0.3_f64.to_bits());
    }

    #[test]
    fn small_numbers_keep_their_decimals() {
        // 0.000000015 needs nine decimals; its shortest text has an exponent.
        assert_eq!(decimals_needed(&[1.5e-8]), 9);
        assert_eq!(decimals_needed(&[1e-8]), 8);
        assert_eq!(round_to(1.6e-8, 8).to_bits(), 2e-8_f64.to_bits());
    }

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(round_to(-0.3, 0).to_bits(), 0.0_f64.to_bits());
        assert_eq!(round_to(-0.004, 2).to_bits(), 0.0_f64.to_bits());
    }
}
