//! Rows in the order of their values, by radix sort.

use std::cmp::Ordering;
use std::ops::Range;

use rayon::prelude::*;

/// Bits per pass.
const DIGIT: u32 = 11;
const N_DIGITS: usize = 1 << DIGIT;
/// Below this many values a comparison sort is faster.
const FEW: usize = 4096;
/// The same for sorting in place, where comparing stays near the processor.
const FEW_IN_PLACE: usize = 1 << 14;
/// Bits by which items are sorted before those that share them are compared: three passes tell nearly all apart that
/// differ, and further ones would move everything for the sake of few.
const LEADING: u32 = 3 * DIGIT;

/// The rows of the values that are not NaN, in ascending order of value; equal values by row.
pub fn rows_by_value(values: &[f64]) -> Vec<u32> {
    let mut sorter = RowSorter::default();
    sorter.rows_by_value(values);
    sorter.rows
}

/// Puts the rows of columns in the order of their values, one column after the other in the same
/// memory.
#[derive(Clone, Debug, Default)]
pub struct RowSorter {
    words: Vec<u64>,
    moved: Vec<u64>,
    rows: Vec<u32>,
}

impl RowSorter {
    /// The rows of the values that are not NaN, in ascending order of value; equal values by row.
    pub fn rows_by_value(&mut self, values: &[f64]) -> &[u32] {
        self.rows.clear();
        let (mut lowest, mut highest, mut used) = (u64::MAX, 0, 0);
        for &value in values.iter().filter(|value| !value.is_nan()) {
            let bits = order_bits(value);
            lowest = lowest.min(bits);
            highest = highest.max(bits);
            used |= bits;
        }
        if lowest > highest {
            return &self.rows;
        }
        // One word holds the row and as many leading bits of the value as fit beside it, so that
        // half as much memory moves as with value and row side by side.
        let row_bits = u64::BITS - (values.len() as u64).leading_zeros();
        let span_bits = u64::BITS - (highest - lowest).leading_zeros();
        // Trailing bits that are 0 in every value tell none apart: whole numbers have many.
        let unused_bits = used.trailing_zeros().min(span_bits);
        let excess_bits = span_bits.saturating_sub(LEADING.min(u64::BITS - row_bits));
        let lost_bits = excess_bits.max(unused_bits);
        let word = |(row, &value): (usize, &f64)| {
            ((order_bits(value) - lowest) >> lost_bits) << row_bits | row as u64
        };
        self.words.clear();
        self.words.reserve(values.len());
        let numbered = values.iter().enumerate();
        self.words
            .extend(numbered.filter(|(_, value)| !value.is_nan()).map(word));
        let value_bits = row_bits..row_bits + span_bits - lost_bits;
        sort_by_digits(&mut self.words, &mut self.moved, value_bits, |&word| word);
        let row_of = |word: &u64| (word & ((1 << row_bits) - 1)) as u32;
        self.rows.extend(self.words.iter().map(row_of));
        if lost_bits > unused_bits {
            self.sort_rest(values, row_bits);
        }
        &self.rows
    }

    /// Sorts rows whose values differ only in the bits that did not fit into a word.
    fn sort_rest(&mut self, values: &[f64], row_bits: u32) {
        let mut rows = &mut self.rows[..];
        for same in self.words.chunk_by(|a, b| a >> row_bits == b >> row_bits) {
            let (run, rest) = rows.split_at_mut(same.len());
            if run.len() > 1 {
                // Stable, so that equal values stay by row.
                run.sort_by_key(|&row| order_bits(values[row as usize]));
            }
            rows = rest;
        }
    }
}

/// Sorts items by their keys and what else `order` says: by the leading digits, and where these are the same by
/// comparing. Keys must be in the order of the items. `moved` is memory to work in.
pub fn sort_by_leading_digits<T: Copy>(
    items: &mut Vec<T>,
    moved: &mut Vec<T>,
    key: impl Fn(&T) -> u64 + Copy,
    order: impl Fn(&T, &T) -> Ordering + Copy,
) {
    let Some(first) = items.first().filter(|_| items.len() >= FEW).map(key) else {
        items.sort_unstable_by(order);
        return;
    };
    let differing = items
        .iter()
        .fold(0, |bits, item| bits | (key(item) ^ first));
    let end = u64::BITS - differing.leading_zeros();
    let start = end
        .saturating_sub(LEADING)
        .max(differing.trailing_zeros().min(end));
    sort_by_digits(items, moved, start..end, key);
    let leading = |item: &T| key(item).checked_shr(start).unwrap_or(0);
    for same in items.chunk_by_mut(|a, b| leading(a) == leading(b)) {
        if same.len() > 1 {
            same.sort_unstable_by(order);
        }
    }
}

/// Sorts words without memory besides: each goes to its place among those with the same leading digit, which are
/// then sorted in the same way, on all threads, until comparing is faster.
pub fn sort_in_place(words: &mut [u64]) {
    if words.len() < FEW_IN_PLACE {
        words.sort_unstable();
        return;
    }
    let first = words[0];
    let differing = words.iter().fold(0, |bits, word| bits | (word ^ first));
    let shift = (u64::BITS - differing.leading_zeros()).saturating_sub(DIGIT);
    let digit = |word: u64| (word >> shift) as usize & (N_DIGITS - 1);
    let mut ends = vec![0_u32; N_DIGITS];
    for &word in words.iter() {
        ends[digit(word)] += 1;
    }
    let mut next = vec![0_u32; N_DIGITS];
    let mut n_before = 0;
    for (end, next) in ends.iter_mut().zip(&mut next) {
        *next = n_before;
        n_before += *end;
        *end = n_before;
    }
    for here in 0..N_DIGITS {
        while next[here] < ends[here] {
            // Takes a word out, puts it where it belongs, and goes on with what was there, until one belongs here.
            let mut word = words[next[here] as usize];
            let mut there = digit(word);
            while there != here {
                std::mem::swap(&mut word, &mut words[next[there] as usize]);
                next[there] += 1;
                there = digit(word);
            }
            words[next[here] as usize] = word;
            next[here] += 1;
        }
    }
    if shift > 0 {
        let same: Vec<&mut [u64]> = words.chunk_by_mut(|&a, &b| digit(a) == digit(b)).collect();
        same.into_par_iter().for_each(sort_in_place);
    }
}

/// Sorts items by their keys, which are in order already in the bits below `bits` and have none
/// above: digit after digit from the lowest on. Items with equal keys keep their order. A digit that
/// all keys share takes no time. `moved` is memory to work in.
fn sort_by_digits<T: Copy>(
    items: &mut Vec<T>,
    moved: &mut Vec<T>,
    bits: Range<u32>,
    key: impl Fn(&T) -> u64,
) {
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
    moved.clone_from(items);
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
        std::mem::swap(items, moved);
    }
}

/// A number whose order among whole numbers is the order of the values.
pub fn order_bits(value: f64) -> u64 {
    // Zero has two spellings; both are the same value and tie.
    total_order_bits(if value == 0.0 { 0.0 } else { value })
}

/// A number whose order among whole numbers is that of [`f64::total_cmp`].
pub fn total_order_bits(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 0 {
        bits | 1 << 63
    } else {
        !bits
    }
}

/// floor(p n), forgiving the last bit of p·n: 0.07 of 100 records are 7.
pub(crate) fn share_of(p: f64, n: usize) -> usize {
    (p * n as f64 * (1.0 + 1e-12)).floor() as usize
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
            let mut sorter = RowSorter::default();
            for mut values in [wide, ties, close, constant] {
                let sorted = sorter.rows_by_value(&values);
                assert_eq!(sorted, by_comparison(&values), "{n}");
                let mut compared = values.clone();
                compared.sort_by(f64::total_cmp);
                let key = |value: &f64| total_order_bits(*value);
                sort_by_leading_digits(&mut values, &mut Vec::new(), key, f64::total_cmp);
                let bits =
                    |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
                assert_eq!(bits(&values), bits(&compared), "{n}");
            }
        }
    }

    #[test]
    fn sorting_in_place_gives_the_order_of_the_words() {
        for n in [0, 1, 100, FEW_IN_PLACE as u64, 100_000] {
            let wide: Vec<u64> = scattered(n).collect();
            // Most share their leading digits, and some of them all digits but the last.
            let skewed = wide.iter().map(|word| word >> (word % 60)).collect();
            let alike = wide.iter().map(|word| (1 << 63) | (word % 3)).collect();
            let constant = vec![u64::MAX; n as usize];
            let falling = (0..n).rev().collect();
            for mut words in [wide, skewed, alike, constant, falling] {
                let mut compared: Vec<u64> = words.clone();
                compared.sort_unstable();
                sort_in_place(&mut words);
                assert!(words == compared, "{n}");
            }
        }
    }

    #[test]
    fn missing_values_have_no_rank_and_both_zeros_tie() {
        assert_eq!(
            RowSorter::default().rows_by_value(&[0.0, f64::NAN, -0.0, -1.0, f64::INFINITY]),
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
