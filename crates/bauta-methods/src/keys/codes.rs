//! Key values as codes, with what was there before suppression.

use bauta_data::missing::{MissingCause, MissingCells};
use bauta_data::{Codes, Column, Table, Values};
use rayon::prelude::*;

use crate::error::MethodError;
use crate::keys::Semantics;

/// The most keys that one count takes: their visibility is a bit each.
pub const MAX_KEYS: usize = 64;

/// Refuses no key, and more keys than can be counted.
pub(crate) fn check_number(n_keys: usize) -> Result<(), MethodError> {
    if (1..=MAX_KEYS).contains(&n_keys) {
        return Ok(());
    }
    Err(MethodError::request(
        format!("keys are counted for 1 to {MAX_KEYS} variables, not {n_keys}"),
        "name the variables that an intruder could know",
    ))
}

/// Whether a code means the same in every part of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coding {
    /// It does: categories that the parts share, or numbers that were coded for all parts.
    Shared,
    /// It does not: numbers, coded by those that occur in the part.
    Own,
}

/// Key values as codes: 0 is missing, values count from 1.
#[derive(Clone, PartialEq, Debug)]
pub struct KeyCodes {
    /// Code of each record.
    pub codes: Codes,
    /// Codes as they were before suppression, where something was suppressed and they are counted.
    pub before_suppression: Option<Codes>,
    /// Codes go up to this.
    pub n_values: u32,
    /// Whether they mean the same in other parts of the file.
    pub coding: Coding,
}

/// The keys of a file, or of a part of it, as codes.
#[derive(Clone, PartialEq, Debug)]
pub struct KeyColumns {
    pub(crate) columns: Vec<KeyCodes>,
    /// Number of records.
    pub(crate) n: usize,
}

impl KeyColumns {
    /// Keys that were coded elsewhere, if they are of the same records.
    pub fn new(columns: Vec<KeyCodes>) -> Result<Self, MethodError> {
        check_number(columns.len())?;
        let n = columns[0].codes.len();
        let fits = |key: &KeyCodes, codes: &Codes| {
            codes.len() == n && codes.iter().all(|code| code <= key.n_values)
        };
        let wrong = |key: &KeyCodes| {
            let mut all = std::iter::once(&key.codes).chain(&key.before_suppression);
            !all.all(|codes| fits(key, codes))
        };
        if columns.iter().any(wrong) {
            return Err(MethodError::Internal(
                "the codes of a key are of other records, or beyond its number of values"
                    .to_owned(),
            ));
        }
        Ok(Self { columns, n })
    }

    /// The keys of a table as codes, if they can be counted under these semantics. Parts of a file
    /// share the codes of categories whose levels they share; numbers are coded by the table. What was there before
    /// suppression is known under `original` alone, which counts it.
    pub fn of(table: &Table, keys: &[usize], semantics: Semantics) -> Result<Self, MethodError> {
        check_number(keys.len())?;
        if semantics == Semantics::Original {
            for &attr_idx in keys {
                refuse_lost_numbers(table.column(attr_idx))?;
            }
        }
        Ok(Self {
            columns: keys
                .par_iter()
                .map(|&attr_idx| codes_under(table.column(attr_idx), semantics))
                .collect(),
            n: table.n_records(),
        })
    }

    /// Codes of each key go up to these.
    pub(crate) fn n_values(&self) -> Vec<u32> {
        self.columns.iter().map(|key| key.n_values).collect()
    }

    /// The codes that the file shows.
    pub(super) fn shown(&self) -> Vec<&Codes> {
        self.columns.iter().map(|key| &key.codes).collect()
    }

    /// The codes in which records are counted: under `original` those before suppression.
    pub(super) fn counted(&self, semantics: Semantics) -> Vec<&Codes> {
        match semantics {
            Semantics::Own | Semantics::Visible | Semantics::Wild => self.shown(),
            Semantics::Original => {
                let keys = self.columns.iter();
                keys.map(|key| key.before_suppression.as_ref().unwrap_or(&key.codes))
                    .collect()
            }
        }
    }

    /// Whether the codes that are counted are others than those that are shown.
    pub(super) fn differ_from_shown(&self, semantics: Semantics) -> bool {
        let mut keys = self.columns.iter();
        semantics == Semantics::Original && keys.any(|key| key.before_suppression.is_some())
    }

    /// Whether the codes of all keys mean the same in other parts of the file.
    pub(super) fn coding(&self) -> Coding {
        let mut codings = self.columns.iter().map(|key| key.coding);
        let own = codings.find(|&coding| coding == Coding::Own);
        own.unwrap_or(Coding::Shared)
    }
}

/// A value is remembered under its suppression; a number is not any more once a later mask gave the
/// variable other numbers.
pub(crate) fn refuse_lost_numbers(column: &Column) -> Result<(), MethodError> {
    let n_lost = match column.values() {
        Values::Numeric(_) if column.numbers_before_suppression().is_none() => {
            column.n_suppressed()
        }
        Values::Numeric(_) | Values::Categorical(_) => 0,
    };
    if n_lost == 0 {
        return Ok(());
    }
    Err(MethodError::data(
        column.name(),
        format!(
            "{n_lost} of its numbers were suppressed, and what they were is not known any more"
        ),
        "suppress after the other steps on it, give the key the kind ordered, or count with semantics = \"visible\"",
    ))
}

/// The codes that a column shows.
pub(crate) fn key_codes(column: &Column) -> KeyCodes {
    codes_under(column, Semantics::Visible)
}

/// The codes that a column shows, and those that are counted where they are others.
fn codes_under(column: &Column, semantics: Semantics) -> KeyCodes {
    let is_counted = semantics == Semantics::Original;
    match column.values() {
        Values::Categorical(categorical) => {
            let n_values = categorical.levels.len() as u32;
            let raised = |record| categorical.codes.at(record).wrapping_add(1);
            KeyCodes {
                codes: raised_codes(column, &categorical.codes, n_values),
                before_suppression: is_counted
                    .then(|| before_suppression(column, n_values, raised))
                    .flatten(),
                n_values,
                coding: Coding::Shared,
            }
        }
        Values::Numeric(values) => {
            let before = column.numbers_before_suppression();
            let (raised, n_values) = number_codes(column, before.unwrap_or(values));
            let raised = |record: usize| raised[record];
            KeyCodes {
                codes: hidden(column, n_values, raised),
                before_suppression: before
                    .filter(|_| is_counted)
                    .and_then(|_| before_suppression(column, n_values, raised)),
                n_values,
                coding: Coding::Own,
            }
        }
    }
}

/// Codes of categories, raised by one so that they go up to `n_values`, and 0 where the cell has no value.
fn raised_codes(column: &Column, codes: &Codes, n_values: u32) -> Codes {
    match column.missing().map(MissingCells::states) {
        None => codes.clone().replaced(n_values, |code| code + 1),
        Some(states) => codes.replaced_beside(n_values, states, |code, state| match state {
            0 => code + 1,
            _ => 0,
        }),
    }
}

/// Codes that go up to `n_values`, and 0 where the cell has no value.
fn hidden(column: &Column, n_values: u32, raised: impl Fn(usize) -> u32) -> Codes {
    let n = column.len();
    match column.missing().map(MissingCells::states) {
        None => Codes::from_fn(n, n_values, raised),
        Some(states) => Codes::from_fn(n, n_values, |record| match states[record] {
            0 => raised(record),
            _ => 0,
        }),
    }
}

/// The codes of numbers in rising order, and how many different ones there are.
fn number_codes(column: &Column, values: &[f64]) -> (Vec<u32>, u32) {
    if let Some(exact) = column.exact() {
        // Doubles would take numbers for equal that the file shows apart.
        let raised = exact.codes.iter().map(|code| code + 1);
        return (raised.collect(), exact.levels.len() as u32);
    }
    let mut distinct: Vec<f64> = values
        .iter()
        .copied()
        .filter(|value| !value.is_nan())
        .collect();
    distinct.par_sort_unstable_by(f64::total_cmp);
    distinct.dedup();
    let code = |value: &f64| {
        if value.is_nan() {
            0
        } else {
            distinct.partition_point(|other| other < value) as u32 + 1
        }
    };
    (values.par_iter().map(code).collect(), distinct.len() as u32)
}

/// Codes with suppressed cells put back; `None` if nothing was suppressed.
fn before_suppression(
    column: &Column,
    n_values: u32,
    raised: impl Fn(usize) -> u32,
) -> Option<Codes> {
    let cells = column.missing()?;
    if cells.n_suppressed() == 0 {
        return None;
    }
    let marks = cells.marks().iter();
    let is_suppressed = marks.map(|mark| mark.cause == MissingCause::Suppressed);
    let is_known: Vec<bool> = std::iter::once(true).chain(is_suppressed).collect();
    let states = cells.states();
    let code = |record: usize| {
        if is_known[usize::from(states[record])] {
            raised(record)
        } else {
            0
        }
    };
    Some(Codes::from_fn(column.len(), n_values, code))
}
