//! The categories of a variable in two files, under one numbering.

use bauta_data::{Column, Kind, Table};

use crate::error::MethodError;
use crate::stats::keys::codes::key_codes;

/// What a missing category is called.
pub(crate) const MISSING: &str = "missing";

/// A categorical variable in the original and in the released file.
pub(crate) struct Coding {
    /// Categories in their order; that of missing values last, where there is one.
    pub(crate) labels: Vec<String>,
    /// Category of each record of the original.
    pub(crate) original: Vec<u32>,
    /// Category of each record of the released file.
    pub(crate) released: Vec<u32>,
}

impl Coding {
    /// Reads a variable. Where it was recoded, the original is recoded alike; that must be possible.
    pub(crate) fn new(
        original: &Table,
        released: &Table,
        name: &str,
        missing_is_category: bool,
    ) -> Result<Self, MethodError> {
        let (before, after) = (column(original, name)?, column(released, name)?);
        if !missing_is_category {
            refuse_missing(before, after)?;
        }
        let (mut labels, before_codes) = categories(before);
        let (after_labels, mut after_codes) = categories(after);
        // Categories of the released file in the numbering of the original, new ones behind.
        let n_original = labels.len();
        let place: Vec<u32> = after_labels
            .into_iter()
            .map(|label| {
                let known = labels.iter().position(|known| *known == label);
                known.unwrap_or_else(|| {
                    labels.push(label);
                    labels.len() - 1
                }) as u32
            })
            .collect();
        for code in &mut after_codes {
            if let Some(known) = code.checked_sub(1) {
                *code = place[known as usize] + 1;
            }
        }
        let mut before_codes = before_codes;
        if labels.len() > n_original {
            recode_alike(&mut before_codes, &after_codes, released, labels.len(), name)?;
        }
        if before_codes.contains(&0) || after_codes.contains(&0) {
            labels.push(MISSING.to_owned());
        }
        let last = labels.len() as u32 - 1;
        let from_zero = |codes: Vec<u32>| -> Vec<u32> {
            let code = |code: u32| code.checked_sub(1).unwrap_or(last);
            codes.into_iter().map(code).collect()
        };
        Ok(Self {
            labels,
            original: from_zero(before_codes),
            released: from_zero(after_codes),
        })
    }
}

/// The variable with this name.
pub(crate) fn column<'t>(table: &'t Table, name: &str) -> Result<&'t Column, MethodError> {
    table.column_named(name).ok_or_else(|| {
        MethodError::request(
            format!("`{name}` is not in the file any more"),
            "calibrate before it is dropped, or leave it out of the margins",
        )
    })
}

/// Refuses missing values of a calibration variable in either file.
pub(crate) fn refuse_missing(before: &Column, after: &Column) -> Result<(), MethodError> {
    let n_missing = before.n_missing().max(after.n_missing());
    if n_missing == 0 {
        return Ok(());
    }
    let name = after.name();
    Err(MethodError::data(
        name,
        format!("E-CAL-NA: calibration variable {name} is missing in {n_missing} records"),
        "set missing = \"category\" to count them as one, impute them, or leave the variable out",
    ))
}

/// Labels in their order, and the code of each record: 0 is missing, labels count from 1.
fn categories(column: &Column) -> (Vec<String>, Vec<u32>) {
    let codes = key_codes(column).codes;
    let Some(categorical) = column.as_categorical() else {
        return (Vec::new(), codes);
    };
    let levels = &categorical.levels;
    if column.attribute().kind == Kind::Ordered {
        return (levels.iter().map(str::to_owned).collect(), codes);
    }
    let (ordered, new_code) = levels.naturally_ordered();
    let recode = |code: u32| code.checked_sub(1).map_or(0, |old| new_code[old as usize] + 1);
    (
        ordered.iter().map(str::to_owned).collect(),
        codes.into_iter().map(recode).collect(),
    )
}

/// Gives original records the category that their like have in the released file. A recoding sends
/// each category to one other; if one went to two, there is no such category of the original.
fn recode_alike(
    before: &mut [u32],
    after: &[u32],
    released: &Table,
    n_labels: usize,
    name: &str,
) -> Result<(), MethodError> {
    let mut image = vec![None; n_labels + 1];
    for (record, &code) in after.iter().enumerate() {
        let source = before[released.source_row(record)] as usize;
        if *image[source].get_or_insert(code) != code {
            return Err(MethodError::request(
                format!(
                    "`{name}` has categories that the original does not have, and they are not a recoding of its own"
                ),
                "calibrate before the step that changes it, or give the totals",
            ));
        }
    }
    for code in before {
        // A category of which no record is left keeps its own name.
        *code = image[*code as usize].unwrap_or(*code);
    }
    Ok(())
}
