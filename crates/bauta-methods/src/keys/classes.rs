//! Records with equal keys as one class.

use bauta_data::Table;

use crate::keys::Semantics;
use crate::keys::codes::{KeyColumns, key_codes};
use crate::keys::counts::KeyCounts;
use crate::keys::packing::Packing;

/// The counts of a file's keys, and which record is in which class.
pub(crate) struct Classes {
    /// Codes, records and weight of each class.
    pub(crate) counts: KeyCounts,
    /// Class of each record.
    pub(crate) of_record: Vec<u32>,
}

impl Classes {
    /// Collapses records with equal keys and equal visibility.
    pub(crate) fn of(keys: &KeyColumns, weights: Option<&[f64]>, semantics: Semantics) -> Self {
        let (counts, of_record) = KeyCounts::with_classes(keys, weights, semantics);
        Self { counts, of_record }
    }
}

/// Numbers records with equal values of some variables, from 0 as they first occur; missing is a
/// value of its own.
pub fn class_numbers(table: &Table, variables: &[usize]) -> Vec<u32> {
    let mut packing = Packing::new(table.n_records());
    for &attr_idx in variables {
        let key = key_codes(table.column(attr_idx));
        packing.add(key.n_values, |record| key.codes[record]);
    }
    packing.classes().0
}
