//! Records in the order of their values.

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

/// Below so many records comparing is faster than counting.
const FEW: usize = 4096;
/// Bits per pass over the values.
const DIGIT: u32 = 11;
/// Passes that cover 64 bits.
const PASSES: usize = 6;

/// Puts records in order of value, then tie, then record.
///
/// Values are ordered by digits, from the lowest to the highest, in one pass each; a digit that all
/// values share takes none, so that whole numbers need three passes or so. Ties are then put in
/// order among themselves.
pub fn sort_ranked(ranked: &mut Vec<Ranked>) {
    if ranked.len() < FEW {
        ranked.sort_unstable();
        return;
    }
    let digit = |value: u64, pass: usize| (value >> (pass as u32 * DIGIT)) as usize % (1 << DIGIT);
    let mut counts = vec![[0_u32; 1 << DIGIT]; PASSES];
    for ranked in ranked.iter() {
        for (pass, counts) in counts.iter_mut().enumerate() {
            counts[digit(ranked.value, pass)] += 1;
        }
    }
    let n = ranked.len() as u32;
    let mut ordered = ranked.clone();
    for (pass, counts) in counts.iter_mut().enumerate() {
        if counts[digit(ranked[0].value, pass)] == n {
            continue;
        }
        // Counts become the place of the next record with that digit.
        let mut place = 0;
        for count in counts.iter_mut() {
            place += std::mem::replace(count, place);
        }
        for &one in ranked.iter() {
            let place = &mut counts[digit(one.value, pass)];
            ordered[*place as usize] = one;
            *place += 1;
        }
        std::mem::swap(ranked, &mut ordered);
    }
    for tied in ranked.chunk_by_mut(|a, b| a.value == b.value) {
        if tied.len() > 1 {
            tied.sort_unstable();
        }
    }
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
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]

        #[test]
        fn counting_orders_as_comparing_does(
            values in proptest::collection::vec(-1e9..1e9_f64, FEW..3 * FEW),
            digits in 0..12_i32,
            ties in 1..50_u32,
        ) {
            // Few digits give many ties.
            let unit = 10.0_f64.powi(digits);
            let ranked = |(record, value): (u32, &f64)| Ranked {
                value: order_bits((value / unit).round() * unit),
                tie: record.wrapping_mul(2_654_435_761) % ties,
                record,
            };
            let mut ordered: Vec<Ranked> = (0..).zip(&values).map(ranked).collect();
            let mut compared = ordered.clone();
            compared.sort_unstable();
            sort_ranked(&mut ordered);
            prop_assert!(ordered == compared);
        }
    }

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
