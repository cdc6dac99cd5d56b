//! Records in the order of their values.

use rayon::prelude::*;

/// A record on its way to its rank; the order of the fields is the order of the ranks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Ranked {
    /// A number whose order is that of the values, such as [`order_bits`].
    pub value: u64,
    /// Orders equal values; 0 leaves that to the record.
    pub tie: u32,
    /// The record.
    pub record: u32,
}

/// Puts records in order of value, then tie, then record.
pub fn sort_ranked(ranked: &mut [Ranked]) {
    ranked.par_sort_unstable();
}

/// A number whose order among whole numbers is the order of the values.
pub fn order_bits(value: f64) -> u64 {
    // Zero has two spellings; both are the same value and tie.
    let bits = if value == 0.0 { 0 } else { value.to_bits() };
    if bits >> 63 == 0 {
        bits | 1 << 63
    } else {
        !bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_bits_is_the_order_of_numbers() {
        let rising = [
            f64::NEG_INFINITY,
            -2.0,
            -1e-300,
            0.0,
            1e-300,
            1.0,
            2.0,
            1e300,
        ];
        assert!(
            rising
                .windows(2)
                .all(|pair| order_bits(pair[0]) < order_bits(pair[1]))
        );
        assert_eq!(order_bits(-0.0), order_bits(0.0));
    }
}
