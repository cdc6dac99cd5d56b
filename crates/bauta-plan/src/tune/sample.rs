//! Samples of the records: the same for the same seed, each within the next larger one.

use bauta_data::format::Loaded;
use bauta_data::{DataError, Table};

use crate::execute::in_memory;

/// So many records of a file, drawn without replacement, in the order of the file.
pub(crate) fn sample_of(loaded: &Loaded, n_records: usize, seed: u64) -> Result<Loaded, DataError> {
    let table: Table = loaded
        .table
        .take(&rows(loaded.table.n_records(), n_records, seed));
    let sample = in_memory(table.as_source())?;
    Ok(Loaded {
        format: loaded.format,
        style: loaded.style,
        ..sample
    })
}

fn rows(n_records: usize, n_wanted: usize, seed: u64) -> Vec<u32> {
    let mut rows: Vec<u32> = (0..n_records as u32).collect();
    rows.sort_by_key(|&row| (mixed(seed ^ mixed(u64::from(row))), row));
    rows.truncate(n_wanted);
    rows.sort_unstable();
    rows
}

/// The last step of `SplitMix64`: every bit of a number bears on every bit of the result.
pub(super) const fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_lie_within_each_other_and_are_spread() {
        let (small, large) = (rows(10_000, 100, 7), rows(10_000, 1000, 7));
        assert!(small.iter().all(|row| large.contains(row)));
        assert!(large.is_sorted_by(|a, b| a < b));
        assert_ne!(small, rows(10_000, 100, 8));
        // 1,000 of 10,000 without replacement: the half below has 500 ± 15.
        let n_below = large.iter().filter(|row| **row < 5000).count();
        assert!((425..575).contains(&n_below), "{n_below}");
        assert_eq!(rows(5, 9, 1), [0, 1, 2, 3, 4]);
    }
}
