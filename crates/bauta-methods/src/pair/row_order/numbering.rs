//! The values of a variable in two files under one numbering.

use std::hash::Hash;

use bauta_data::number::number_text;
use bauta_data::{Column, Values};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::InBoth;

/// The number of each record's value in the original and in the masked file: the same number for the same
/// value, and one of its own for cells without a value.
pub(super) fn numbered_in_common(both: InBoth<'_>) -> [Vec<u32>; 2] {
    let columns = [both.original, both.masked];
    let [original, masked] = columns.map(|column| {
        let doubles_suffice = column.exact().is_none();
        column.as_numeric().filter(|_| doubles_suffice)
    });
    let (Some(original), Some(masked)) = (original, masked) else {
        let mut numbers = Numbers::new();
        return columns.map(|column| numbered_texts(column, &mut numbers));
    };
    let mut numbers = Numbers::new();
    [original, masked].map(|values| {
        let number = |value: &f64| match *value {
            value if value.is_nan() => MISSING,
            // Zero has two spellings; both are the same value.
            value => numbers.of(if value == 0.0 { 0 } else { value.to_bits() }),
        };
        values.iter().map(number).collect()
    })
}

/// The number of cells without a value.
const MISSING: u32 = 0;

/// Numbers in the order in which values are met.
struct Numbers<T>(HashMap<T, u32, FixedState>);

impl<T: Hash + Eq> Numbers<T> {
    fn new() -> Self {
        Self(HashMap::with_hasher(FixedState::with_seed(1)))
    }

    fn of(&mut self, value: T) -> u32 {
        let next = self.0.len() as u32 + 1;
        *self.0.entry(value).or_insert(next)
    }
}

fn numbered_texts(column: &Column, numbers: &mut Numbers<String>) -> Vec<u32> {
    let by_level = match (column.values(), column.exact()) {
        (Values::Categorical(categories), _) => Some(categories),
        (Values::Numeric(_), exact) => exact,
    };
    let mut out: Vec<u32> = match (by_level, column.as_numeric()) {
        (Some(categories), _) => {
            let levels = categories.levels.iter();
            let of_level: Vec<u32> = levels.map(|text| numbers.of(text.to_owned())).collect();
            let codes = categories.codes.iter();
            // Under a missing cell there may be any code.
            codes
                .map(|code| of_level.get(code as usize).copied().unwrap_or(MISSING))
                .collect()
        }
        (None, values) => {
            let values = values.unwrap_or_default().iter();
            values
                .map(|&value| numbers.of(number_text(if value == 0.0 { 0.0 } else { value })))
                .collect()
        }
    };
    for (record, number) in out.iter_mut().enumerate() {
        if column.is_missing(record) {
            *number = MISSING;
        }
    }
    out
}

/// A numbering of pairs of numbers, in the order in which they are met.
pub(super) fn numbered_pairs(files: [&[u32]; 2], more: &[Vec<u32>; 2]) -> [Vec<u32>; 2] {
    let mut numbers = Numbers::new();
    let mut joined = |file: usize| -> Vec<u32> {
        let pairs = files[file].iter().zip(&more[file]);
        pairs.map(|(&a, &b)| numbers.of((a, b))).collect()
    };
    [joined(0), joined(1)]
}
