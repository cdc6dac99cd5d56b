//! The categories of a variable in two files, under one numbering.

use bauta_data::{Column, Kind, Levels, Table, near};

use crate::error::{ErrorCode, MethodError};
use crate::few_records::is_few;
use crate::pair::categories::TwoCategories;
use crate::pair::variables::TwoColumns;

/// The files that a calibration looks at.
#[derive(Clone, Copy)]
pub(crate) struct Files<'a> {
    /// The original.
    pub(crate) original: &'a Table,
    /// The masked file before records at risk were deleted: it shows what recodings did.
    pub(crate) recoded: &'a Table,
    /// The records that are left.
    pub(crate) released: &'a Table,
}

/// A categorical variable in the original and in the released file.
pub(crate) struct Coding {
    /// Categories in their order; that of missing values last, where there is one.
    pub(crate) labels: Vec<String>,
    /// Whether the last one is that of missing values.
    pub(crate) has_missing: bool,
    /// Category of each record of the original.
    pub(crate) original: Vec<u32>,
    /// Category of each record of the released file.
    pub(crate) released: Vec<u32>,
}

impl Coding {
    /// Reads a variable. Where it was recoded, the original is recoded alike; that must be possible.
    pub(crate) fn new(
        files: Files<'_>,
        name: &str,
        missing_is_category: bool,
    ) -> Result<Self, MethodError> {
        let Files {
            original,
            recoded,
            released,
        } = files;
        let columns = TwoColumns {
            name,
            original: column(original, name)?,
            masked: column(released, name)?,
        };
        if !missing_is_category {
            refuse_missing(columns.original, columns.masked)?;
        }
        let categories = TwoCategories::new(&columns)?;
        let [mut before, after] = categories.codes.clone();
        let missing = categories.missing();
        recode_alike(&mut before, &categories, recoded, &columns)?;
        let occurs = before.contains(&missing) || after.contains(&missing);
        let n_labels = categories.n_codes() - usize::from(!occurs);
        let coding = Self {
            labels: categories.texts[..n_labels].to_vec(),
            has_missing: occurs,
            original: before,
            released: after,
        };
        Ok(match columns.masked.attribute().kind {
            Kind::Ordered => coding,
            _ => coding.naturally_ordered(missing as usize),
        })
    }

    /// The categories that a message may name: those that ten records or more have.
    pub(crate) fn common_labels(&self) -> Vec<&str> {
        let mut n_records = vec![0_u64; self.labels.len()];
        for &code in &self.original {
            if let Some(n) = n_records.get_mut(code as usize) {
                *n += 1;
            }
        }
        let labels = self.labels.iter().zip(n_records);
        let common = labels.filter(|(_, n)| !is_few(*n));
        common.map(|(label, _)| label.as_str()).collect()
    }

    /// The same with the first `n` categories in natural order, whatever came first in the file.
    fn naturally_ordered(mut self, n: usize) -> Self {
        let levels = Levels::from_texts(self.labels[..n].iter().map(String::as_str));
        let (ordered, new_code) = levels.naturally_ordered();
        for (label, text) in self.labels.iter_mut().zip(ordered.iter()) {
            text.clone_into(label);
        }
        for code in self.original.iter_mut().chain(&mut self.released) {
            *code = new_code.get(*code as usize).copied().unwrap_or(*code);
        }
        self
    }
}

/// The variable with this name.
pub(crate) fn column<'t>(table: &'t Table, name: &str) -> Result<&'t Column, MethodError> {
    table.column_named(name).ok_or_else(|| {
        MethodError::request(
            format!("there is no variable `{name}`, or a step dropped it"),
            format!(
                "{}; calibrate before it is dropped, or leave it out of the margins",
                near::column_hint(name, table.names())
            ),
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
        format!(
            "{}: calibration variable {name} is missing in {n_missing} records",
            ErrorCode::CalibrationMissing
        ),
        "set missing = \"category\" to count them as one, impute them, or leave the variable out",
    ))
}

/// Refuses blanked values of a calibration variable: as a category they would share the total of those
/// who did not answer.
pub(crate) fn refuse_suppressed(column: &Column) -> Result<(), MethodError> {
    let (name, n_suppressed) = (column.name(), column.n_suppressed());
    if n_suppressed == 0 {
        return Ok(());
    }
    Err(MethodError::data(
        name,
        format!(
            "{}: calibration variable {name} is suppressed in {n_suppressed} records",
            ErrorCode::CalibrationMissing
        ),
        "calibrate before values are suppressed, or leave the variable out",
    ))
}

/// Gives original records the category that their like have after the steps so far. A recoding sends
/// each category to one other; where one goes to several, values were changed one by one, and the
/// totals of the original are those of its own categories, if the file still has them.
fn recode_alike(
    before: &mut [u32],
    categories: &TwoCategories,
    recoded: &Table,
    columns: &TwoColumns<'_>,
) -> Result<(), MethodError> {
    let missing = categories.missing();
    let Some(masked) = recoded.column_named(columns.name) else {
        return Ok(());
    };
    let after = TwoCategories::new(&TwoColumns { masked, ..*columns })?;
    let mut image = vec![None; after.n_codes()];
    let mut is_function = true;
    for (record, &code) in after.codes[1].iter().enumerate() {
        let source = before[recoded.source_row(record)];
        // What was blanked says nothing of where its category went.
        if code != after.missing() && source != missing {
            is_function &= *image[source as usize].get_or_insert(code) == code;
        }
    }
    if is_function {
        let names = |code: u32| categories.code(after.text(code));
        for code in before.iter_mut().filter(|code| **code != missing) {
            // A category of which no record is left keeps its own name.
            let target = image[*code as usize].and_then(names);
            *code = target.unwrap_or(*code);
        }
        return Ok(());
    }
    let known = columns.original.as_categorical();
    if known.is_some_and(|known| known.levels.len() < missing as usize) {
        return Err(MethodError::request(
            format!(
                "`{}` has categories that the original does not have, and they are not a recoding of its own",
                columns.name
            ),
            "calibrate before the step that changes it, or give the totals",
        ));
    }
    Ok(())
}
