//! Records that lack no value.

use rayon::prelude::*;

/// The records that have a value in each of some columns, in order.
pub fn complete_rows(n_records: usize, columns: &[&[f64]]) -> Vec<u32> {
    (0..n_records as u32)
        .into_par_iter()
        .with_min_len(4096)
        .filter(|&row| columns.iter().all(|column| !column[row as usize].is_nan()))
        .collect()
}

/// The values of some records.
pub fn taken(column: &[f64], rows: &[u32]) -> Vec<f64> {
    rows.iter().map(|&row| column[row as usize]).collect()
}
