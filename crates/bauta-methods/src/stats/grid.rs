//! The grid that a variable's values lie on.

use bauta_data::number::number_text;
use rayon::prelude::*;

/// Decimals that the values need; a variable of whole numbers needs 0.
pub fn decimals_needed(values: &[f64]) -> u8 {
    let decimals = |&value: &f64| {
        if value.is_nan() || value == value.trunc() {
            return 0;
        }
        let text = number_text(value);
        let tail = text.split_once('.').map_or(0, |(_, tail)| tail.len());
        u8::try_from(tail).unwrap_or(u8::MAX)
    };
    values.par_iter().map(decimals).max().unwrap_or(0)
}

/// The nearest number with so many decimals; halves go away from zero.
pub fn round_to(value: f64, decimals: u8) -> f64 {
    if decimals == 0 {
        return value.round();
    }
    // Through text: 10^d is not exact in binary, and 0.1 * 3 must become 0.3, not 0.30000000000000004.
    format!("{value:.*}", usize::from(decimals))
        .parse()
        .unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_and_applies_the_grid() {
        assert_eq!(decimals_needed(&[1.0, 250.0, f64::NAN]), 0);
        assert_eq!(decimals_needed(&[1.0, 2.5, 0.25]), 2);
        assert_eq!(round_to(2.5, 0).to_bits(), 3.0_f64.to_bits());
        assert_eq!(round_to(0.1 * 3.0, 1).to_bits(), 0.3_f64.to_bits());
    }
}
