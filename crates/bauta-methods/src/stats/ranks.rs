//! Rows in the order of their values, by radix sort.

use super::order::order_bits;

/// Bits per pass.
const DIGIT: u32 = 11;
const N_DIGITS: usize = 1 << DIGIT;
/// Below this many values a comparison sort is faster.
const FEW: usize = 4096;

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
        let (mut lowest, mut highest) = (u64::MAX, 0);
        for &value in values.iter().filter(|value| !value.is_nan()) {
            lowest = lowest.min(order_bits(value));
            highest = highest.max(order_bits(value));
        }
        if lowest > highest {
            return &self.rows;
        }
        // One word holds the row and as many leading bits of the value as fit beside it, so that
        // half as much memory moves as with value and row side by side.
        let row_bits = u64::BITS - (values.len() as u64).leading_zeros();
        let span_bits = u64::BITS - (highest - lowest).leading_zeros();
        let lost_bits = span_bits.saturating_sub(u64::BITS - row_bits);
        let word = |(row, &value): (usize, &f64)| {
            ((order_bits(value) - lowest) >> lost_bits) << row_bits | row as u64
        };
        self.words.clear();
        self.words.reserve(values.len());
        let numbered = values.iter().enumerate();
        self.words
            .extend(numbered.filter(|(_, value)| !value.is_nan()).map(word));
        self.sort_words(row_bits, row_bits + span_bits - lost_bits);
        let row_of = |word: &u64| (word & ((1 << row_bits) - 1)) as u32;
        self.rows.extend(self.words.iter().map(row_of));
        if lost_bits > 0 {
            self.sort_rest(values, row_bits);
        }
        &self.rows
    }

    /// Sorts words by their bits from `low` to `high`, those below being in order already.
    fn sort_words(&mut self, low: u32, high: u32) {
        let n = self.words.len();
        if n < FEW {
            self.words.sort_unstable();
            return;
        }
        let digit = |word: u64, shift: u32| (word >> shift) as usize & (N_DIGITS - 1);
        let shifts: Vec<u32> = (low..high).step_by(DIGIT as usize).collect();
        let mut counts = vec![[0_u32; N_DIGITS]; shifts.len()];
        for &word in &self.words {
            for (counts, &shift) in counts.iter_mut().zip(&shifts) {
                counts[digit(word, shift)] += 1;
            }
        }
        self.moved.resize(n, 0);
        for (counts, &shift) in counts.iter_mut().zip(&shifts) {
            if counts.contains(&(n as u32)) {
                continue;
            }
            let mut next = 0;
            for count in counts.iter_mut() {
                next += std::mem::replace(count, next);
            }
            for &word in &self.words {
                let position = &mut counts[digit(word, shift)];
                self.moved[*position as usize] = word;
                *position += 1;
            }
            std::mem::swap(&mut self.words, &mut self.moved);
        }
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
            for values in [wide, ties, close, constant] {
                let sorted = sorter.rows_by_value(&values);
                assert_eq!(sorted, by_comparison(&values), "{n}");
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
}
