//! Key values as codes, with what was there before suppression.

use bauta_data::missing::MissingCause;
use bauta_data::{Column, Values};
use rayon::prelude::*;

use crate::error::MethodError;

/// Key values as codes: 0 is missing, values count from 1.
pub(crate) struct KeyCodes {
    /// Code of each record.
    pub(crate) codes: Vec<u32>,
    /// Codes as they were before suppression, where something was suppressed.
    pub(crate) before_suppression: Option<Vec<u32>>,
    /// Codes go up to this.
    pub(crate) n_values: u32,
}

/// A category remembers its code under a suppression; a number does not.
pub(crate) fn refuse_lost_numbers(column: &Column) -> Result<(), MethodError> {
    let n_lost = match column.values() {
        Values::Numeric(_) => column.n_suppressed(),
        Values::Categorical(_) => 0,
    };
    if n_lost == 0 {
        return Ok(());
    }
    Err(MethodError::data(
        column.name(),
        format!(
            "{n_lost} of its numbers were suppressed, and what they were is not known any more"
        ),
        "give the key the kind ordered, or count with semantics = \"visible\"",
    ))
}

pub(crate) fn key_codes(column: &Column) -> KeyCodes {
    let states = column
        .missing()
        .map(bauta_data::missing::MissingCells::states);
    let hide = |codes: &[u32]| -> Vec<u32> {
        match states {
            None => codes.to_vec(),
            Some(states) => codes
                .iter()
                .zip(states)
                .map(|(&code, &state)| if state == 0 { code } else { 0 })
                .collect(),
        }
    };
    match column.values() {
        Values::Categorical(categorical) => {
            let raised: Vec<u32> = categorical
                .codes
                .iter()
                .map(|code| code.wrapping_add(1))
                .collect();
            KeyCodes {
                codes: hide(&raised),
                before_suppression: before_suppression(column, &raised),
                n_values: categorical.levels.len() as u32,
            }
        }
        Values::Numeric(values) => {
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
            KeyCodes {
                codes: values.par_iter().map(code).collect(),
                before_suppression: None,
                n_values: distinct.len() as u32,
            }
        }
    }
}

/// Codes with suppressed cells put back; `None` if nothing was suppressed.
fn before_suppression(column: &Column, raised: &[u32]) -> Option<Vec<u32>> {
    let cells = column.missing()?;
    if cells.n_suppressed() == 0 {
        return None;
    }
    let codes = raised
        .iter()
        .enumerate()
        .map(|(record, &code)| match cells.mark(record) {
            None => code,
            Some(mark) if mark.cause == MissingCause::Suppressed => code,
            Some(_) => 0,
        })
        .collect();
    Some(codes)
}

/// For each record a bit per key: 1 where the value is visible.
pub(crate) fn visible_masks(keys: &[KeyCodes], n: usize) -> Vec<u64> {
    (0..n)
        .into_par_iter()
        .map(|record| {
            keys.iter().enumerate().fold(0, |mask, (bit, key)| {
                mask | u64::from(key.codes[record] != 0) << bit
            })
        })
        .collect()
}
