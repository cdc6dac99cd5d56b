//! The cells of a cross of keys that hold records.

use bauta_data::Table;
use rayon::prelude::*;

use crate::error::MethodError;
use crate::keys::check_number;
use crate::keys::codes::key_codes;
use crate::keys::packing::Packing;

/// A cross of keys: its cells with records, and which record is in which.
pub struct Cross {
    /// Categories of each key that occur among the complete records.
    pub n_levels: Vec<u32>,
    /// Records of each cell.
    pub counts: Vec<u32>,
    /// Cell of each record; none where it lacks a key.
    pub cell_of_record: Vec<Option<u32>>,
    /// Codes of each cell, from 0, cell by cell.
    codes: Vec<u32>,
    n_complete: usize,
}

impl Cross {
    /// Counts the complete records of a table by their keys.
    pub fn of_table(table: &Table, keys: &[usize]) -> Result<Self, MethodError> {
        check_number(keys.len())?;
        let (codes, n_values): (Vec<Vec<u32>>, Vec<u32>) = keys
            .par_iter()
            .map(|&attr_idx| {
                let key = key_codes(table.column(attr_idx));
                (key.codes.to_vec(), key.n_values)
            })
            .unzip();
        Ok(Self::of_codes(&codes, &n_values))
    }

    /// Counts records by the codes of their keys; codes are 0 where missing and at most `n_values`.
    pub(super) fn of_codes(keys: &[Vec<u32>], n_values: &[u32]) -> Self {
        let n = keys.first().map_or(0, Vec::len);
        let complete: Vec<u32> = (0..n as u32)
            .into_par_iter()
            .filter(|&record| keys.iter().all(|codes| codes[record as usize] != 0))
            .collect();
        let mut packing = Packing::new(complete.len());
        let mut n_levels = Vec::with_capacity(keys.len());
        let mut new_codes = Vec::with_capacity(keys.len());
        for (codes, &n_values) in keys.iter().zip(n_values) {
            let (new_code, n_found) = occurring(codes, n_values, &complete);
            packing.add(n_found.saturating_sub(1), |i| {
                new_code[codes[complete[i] as usize] as usize]
            });
            n_levels.push(n_found);
            new_codes.push(new_code);
        }
        let (cells, representatives) = packing.classes();
        let mut counts = vec![0; representatives.len()];
        let mut cell_of_record = vec![None; n];
        for (&record, &cell) in complete.iter().zip(&cells) {
            counts[cell as usize] += 1;
            cell_of_record[record as usize] = Some(cell);
        }
        let code = |first: u32, key: usize| {
            new_codes[key][keys[key][complete[first as usize] as usize] as usize]
        };
        let codes = representatives
            .iter()
            .flat_map(|&first| (0..keys.len()).map(move |key| (first, key)))
            .map(|(first, key)| code(first, key))
            .collect();
        Self {
            n_levels,
            counts,
            cell_of_record,
            codes,
            n_complete: complete.len(),
        }
    }

    /// Records that lack no key.
    pub fn n_complete(&self) -> usize {
        self.n_complete
    }

    /// Codes of a cell, from 0, key by key.
    pub fn codes(&self, cell: usize) -> &[u32] {
        let n_keys = self.n_levels.len();
        &self.codes[cell * n_keys..(cell + 1) * n_keys]
    }
}

/// New codes from 0 for the values that some records have, in their order, and how many there are.
fn occurring(codes: &[u32], n_values: u32, records: &[u32]) -> (Vec<u32>, u32) {
    let mut new_code = vec![0; n_values as usize + 1];
    for &record in records {
        new_code[codes[record as usize] as usize] = 1;
    }
    let mut n_found = 0;
    for code in &mut new_code {
        let occurs = *code;
        *code = n_found;
        n_found += occurs;
    }
    (new_code, n_found)
}
