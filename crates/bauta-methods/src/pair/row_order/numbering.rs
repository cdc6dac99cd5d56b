//! The values of a variable in two files under one numbering.

use std::hash::Hash;

use bauta_data::number::number_text;
use bauta_data::{Column, Values};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::InBoth;
use super::combinations::scrambled;

/// Whether the values of a variable can occur as often in one file as in the other: equal sums of their hashes, which
/// are quickly had and hardly ever equal for others. What is not numbers alone is not looked at.
pub(super) fn may_occur_equally(both: InBoth<'_>) -> bool {
    both.looked_at(may_be_equal)
}

fn may_be_equal(both: InBoth<'_>) -> bool {
    let [Some(original), Some(masked)] = [both.original, both.masked].map(doubles) else {
        return true;
    };
    let sum = |values: &[f64]| {
        let hashes = values.iter().map(|&value| match value {
            value if value.is_nan() => scrambled(f64::NAN.to_bits()),
            value => scrambled(bits(value)),
        });
        hashes.fold(0_u64, u64::wrapping_add)
    };
    sum(original) == sum(masked)
}

/// The numbers of a column, if doubles hold all of their digits.
fn doubles(column: &Column) -> Option<&[f64]> {
    let doubles_suffice = column.exact().is_none();
    column.as_numeric().filter(|_| doubles_suffice)
}

/// The bits of a number. Zero has two spellings; both are the same value.
fn bits(value: f64) -> u64 {
    if value == 0.0 { 0 } else { value.to_bits() }
}

/// The number of each record's value in the original and in the masked file: the same number for the same
/// value, and one of its own for cells without a value.
pub(super) fn numbered_in_common(both: InBoth<'_>) -> [Vec<u32>; 2] {
    both.looked_at(numbered)
}

fn numbered(both: InBoth<'_>) -> [Vec<u32>; 2] {
    let columns = [both.original, both.masked];
    let [Some(original), Some(masked)] = columns.map(doubles) else {
        let mut numbers = Numbers::new();
        return columns.map(|column| numbered_texts(column, &mut numbers));
    };
    let mut numbers = Numbers::new();
    [original, masked].map(|values| {
        let number = |value: &f64| match *value {
            value if value.is_nan() => MISSING,
            value => numbers.of(bits(value)),
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
