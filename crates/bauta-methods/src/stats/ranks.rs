//! Rows in the order of their values, by radix sort.

use std::ops::Range;

/// Bits per pass.
const DIGIT: u32 = 11;
const N_DIGITS: usize = 1 << DIGIT;
/// Below this many values a comparison sort is faster.
const FEW: usize = 4096;

/// The rows of the values that are not NaN, in ascending order of value; equal values by row.
pub fn rows_by_value(values: &[f64]) -> Vec<u32> {
    let present = || {
        let rows = values.iter().enumerate();
        rows.filter(|(_, value)| !value.is_nan())
    };
    let (mut lowest, mut highest, mut used, mut n) = (u64::MAX, 0, 0, 0);
    for (_, &value) in present() {
        let bits = order_bits(value);
        lowest = lowest.min(bits);
        highest = highest.max(bits);
        used |= bits;
        n += 1;
    }
    if n == 0 {
        return Vec::new();
    }
    // One word holds the row and as many leading bits of the value as fit beside it, so that half
    // as much memory moves as with value and row side by side.
    let row_bits = u64::BITS - (values.len() as u64).leading_zeros();
    let span_bits = u64::BITS - (highest - lowest).leading_zeros();
    // Trailing bits that are 0 in every value tell none apart: whole numbers have many.
    let unused_bits = used.trailing_zeros().min(span_bits);
    let excess_bits = span_bits.saturating_sub(u64::BITS - row_bits);
    let lost_bits = excess_bits.max(unused_bits);
    let word = |row: usize, value: f64| {
        ((order_bits(value) - lowest) >> lost_bits) << row_bits | row as u64
    };
    let mut words: Vec<u64> = present().map(|(row, &value)| word(row, value)).collect();
    let value_bits = row_bits..row_bits + span_bits - lost_bits;
    sort_by_digits(&mut words, value_bits, |&word| word);
    let row_of = |word: u64| (word & ((1 << row_bits) - 1)) as u32;
    let mut rows: Vec<u32> = words.iter().map(|&word| row_of(word)).collect();
    if lost_bits > unused_bits {
        // Values that differ only in the bits that did not fit are still in the order of rows.
        let mut first = 0;
        while first < n {
            let start = words[first] >> row_bits;
            let same = words[first..].iter();
            let n_same = same.take_while(|&&word| word >> row_bits == start).count();
            let run = &mut rows[first..first + n_same];
            if n_same > 1 {
                // Stable, so that equal values stay by row.
                run.sort_by_key(|&row| order_bits(values[row as usize]));
            }
            first += n_same;
        }
    }
    rows
}

/// Sorts items by their keys, which are in order already in the bits below `bits` and have none
/// above: digit after digit from the lowest on. Items with equal keys keep their order. A digit that
/// all keys share takes no time.
pub fn sort_by_digits<T: Copy>(items: &mut Vec<T>, bits: Range<u32>, key: impl Fn(&T) -> u64) {
    if items.len() < FEW {
        items.sort_by_key(key);
        return;
    }
    let digit = |item: &T, shift: u32| (key(item) >> shift) as usize & (N_DIGITS - 1);
    let shifts: Vec<u32> = bits.step_by(DIGIT as usize).collect();
    let mut counts = vec![[0_u32; N_DIGITS]; shifts.len()];
    for item in items.iter() {
        for (counts, &shift) in counts.iter_mut().zip(&shifts) {
            counts[digit(item, shift)] += 1;
        }
    }
    let mut moved = items.clone();
    for (counts, &shift) in counts.iter_mut().zip(&shifts) {
        if counts[digit(&items[0], shift)] == items.len() as u32 {
            continue;
        }
        // Counts become the place of the next item with that digit.
        let mut next = 0;
        for count in counts.iter_mut() {
            next += std::mem::replace(count, next);
        }
        for item in items.iter() {
            let place = &mut counts[digit(item, shift)];
            moved[*place as usize] = *item;
            *place += 1;
        }
        std::mem::swap(items, &mut moved);
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

    fn by_comparison(values: &[f64]) -> Vec<u32> {
        let mut rows: Vec<u32> = (0..values.len() as u32)
            .filter(|&row| !values[row as usize].is_nan())
            .collect();
        rows.sort_by_key(|&row| order_bits(values[row as usize]));
        rows
    }

    /// Numbers without pattern, from a multiplicative sequence.
    fn scattered(n: u64) -> impl Iterator<Item = u64> {
        (1..=n).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    #[test]
    fn both_ways_of_sorting_give_the_order_of_values_and_rows() {
        for n in [0, 1, 2, 100, FEW as u64, 20_000] {
            let wide: Vec<f64> = scattered(n).map(f64::from_bits).collect();
            let ties: Vec<f64> = scattered(n).map(|x| (x >> 59) as f64 - 16.0).collect();
            // One part in 2^45 apart: the leading bits alone do not tell them apart.
            let close: Vec<f64> = scattered(n)
                .map(|x| 1.0 + (x >> 50) as f64 / 2.0_f64.powi(45))
                .chain([1e300, -1e300])
                .collect();
            let constant = vec![7.0; n as usize];
            for values in [wide, ties, close, constant] {
                assert_eq!(rows_by_value(&values), by_comparison(&values), "{n}");
            }
        }
    }

    #[test]
    fn missing_values_have_no_rank_and_both_zeros_tie() {
        assert_eq!(
            rows_by_value(&[0.0, f64::NAN, -0.0, -1.0, f64::INFINITY]),
            [3, 0, 2, 4]
        );
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
