//! One key at the levels of its hierarchy that may be chosen.

use bauta_data::hierarchy::Hierarchy;
use bauta_data::{Column, Table};

use super::LatticeKey;
use crate::error::MethodError;
use crate::keys::codes::key_codes;
use crate::keys::levels_above::{categories, resolved};

/// A key at the levels that it may take.
pub(super) struct KeyLevels {
    pub(super) attr_idx: usize,
    pub(super) weight: f64,
    /// The level of the hierarchy that the values are at.
    pub(super) present: usize,
    /// The topmost level of the hierarchy; that of the values for a key without one.
    pub(super) height: usize,
    /// The levels of the hierarchy that may be chosen, rising.
    pub(super) levels: Vec<usize>,
    pub(super) has_missing: bool,
    /// For each of the levels the code of each value; 0 is missing, values count from 1.
    pub(super) code_at: Vec<Vec<u32>>,
    /// For each of the levels the records with each code.
    pub(super) n_records: Vec<Vec<u64>>,
    /// Records with each value as it is.
    pub(super) n_with_value: Vec<u64>,
}

impl KeyLevels {
    /// Reads a key, and the code of each record's value.
    pub(super) fn of(table: &Table, key: &LatticeKey) -> Result<(Self, Vec<u32>), MethodError> {
        let column = table.column(key.attr_idx);
        let (codes, hierarchy, present) = read(column)?;
        let n_values = codes.iter().copied().max().unwrap_or(0) as usize;
        let height = hierarchy.as_ref().map_or(0, Hierarchy::height).max(present);
        let highest = key.highest.unwrap_or(height);
        let levels: Vec<usize> = (present..=height)
            .filter(|level| (key.lowest..=highest).contains(level))
            .collect();
        if levels.is_empty() {
            return Err(MethodError::request(
                format!(
                    "`{}` has the levels {present} to {height}, and none of them may be chosen",
                    column.name()
                ),
                "widen the range of its levels",
            ));
        }
        let code_at_level = |&level: &usize| -> Vec<u32> {
            let above = hierarchy.as_ref().filter(|_| level > present);
            match above {
                None => (0..=n_values as u32).collect(),
                Some(hierarchy) => {
                    let (_, new_code) = hierarchy.at_level(level);
                    let new = new_code.iter().take(n_values).map(|code| code + 1);
                    std::iter::once(0).chain(new).collect()
                }
            }
        };
        let code_at: Vec<Vec<u32>> = levels.iter().map(code_at_level).collect();
        let mut n_with_value = vec![0; n_values + 1];
        for &code in &codes {
            n_with_value[code as usize] += 1;
        }
        let counted = |code_at: &Vec<u32>| totals(code_at, &n_with_value);
        let key = Self {
            attr_idx: key.attr_idx,
            weight: key.weight,
            present,
            height,
            has_missing: n_with_value[0] > 0,
            n_records: code_at.iter().map(counted).collect(),
            levels,
            code_at,
            n_with_value,
        };
        Ok((key, codes))
    }

    pub(super) fn n_levels(&self) -> usize {
        self.levels.len()
    }

    /// How many codes there are at one of the levels; missing counts only where it occurs.
    pub(super) fn n_codes(&self, place: u8) -> u64 {
        let codes = self.n_records[usize::from(place)].len() as u64 - 1;
        codes + u64::from(self.has_missing)
    }
}

/// The code of each record's value, the hierarchy above it, and the level that values are at.
fn read(column: &Column) -> Result<(Vec<u32>, Option<Hierarchy>, usize), MethodError> {
    if column.attribute().hierarchy.is_none() {
        return Ok((key_codes(column).codes.to_vec(), None, 0));
    }
    let (levels, codes) = categories(column);
    let hierarchy = resolved(column, &levels)?;
    let present = hierarchy.present_level(&levels);
    let code = |(record, code): (usize, u32)| {
        if column.is_missing(record) {
            0
        } else {
            code + 1
        }
    };
    let codes = codes.iter().enumerate().map(code).collect();
    Ok((codes, Some(hierarchy), present))
}

/// Records with each code.
fn totals(code_at: &[u32], n_with_value: &[u64]) -> Vec<u64> {
    let n_codes = code_at.iter().copied().max().unwrap_or(0) as usize + 1;
    let mut totals = vec![0; n_codes];
    for (&code, n) in code_at.iter().zip(n_with_value) {
        totals[code as usize] += n;
    }
    totals
}
