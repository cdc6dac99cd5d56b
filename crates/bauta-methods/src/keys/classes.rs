//! Records with equal keys as one class.

use bauta_data::Table;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

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

    /// The same records, with those of one class told apart by a number; the number of each class
    /// comes with it. Classes are numbered as they first occur. Records are counted and not weighed: who weighs
    /// what is not known here.
    pub(crate) fn split_by(&self, numbers: &[u64]) -> (Self, Vec<u64>) {
        let mut found: HashMap<(u32, u64), u32, FixedState> = HashMap::default();
        let (mut first, mut sizes) = (Vec::new(), Vec::new());
        let of_record: Vec<u32> = self
            .of_record
            .iter()
            .zip(numbers)
            .map(|(&class, &number)| {
                let next = first.len() as u32;
                let part = *found.entry((class, number)).or_insert(next);
                if part == next {
                    first.push((class, number));
                    sizes.push(0);
                }
                sizes[part as usize] += 1;
                part
            })
            .collect();
        let before = &self.counts;
        let old = || first.iter().map(|&(class, _)| class);
        let counts = KeyCounts {
            sizes,
            weights: None,
            codes: old()
                .flat_map(|class| before.codes_of(class))
                .copied()
                .collect(),
            n_values: before.n_values.clone(),
            visible: old().map(|class| before.visible[class as usize]).collect(),
            present: old().map(|class| before.present[class as usize]).collect(),
            ..*before
        };
        let numbers = first.iter().map(|&(_, number)| number).collect();
        (Self { counts, of_record }, numbers)
    }
}

/// Numbers records with equal values of some variables, from 0 as they first occur; missing is a
/// value of its own.
pub fn class_numbers(table: &Table, variables: &[usize]) -> Vec<u32> {
    let mut packing = Packing::new(table.n_records());
    for &attr_idx in variables {
        let key = key_codes(table.column(attr_idx));
        packing.add_key(key.n_values, &key.codes);
    }
    packing.classes().0
}
