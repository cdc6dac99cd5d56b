//! The categories of a variable in two files, under one numbering.

use bauta_data::{Column, Kind, Levels, Table};

use crate::error::MethodError;
use crate::stats::both_files::TwoColumns;
use crate::stats::two_categories::TwoCategories;

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
        original: &Table,
        released: &Table,
        name: &str,
        missing_is_category: bool,
    ) -> Result<Self, MethodError> {
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
        let known = columns.original.as_categorical();
        if known.is_some_and(|known| known.levels.len() < missing as usize) {
            recode_alike(&mut before, &after, released, categories.n_codes(), name)?;
        }
        let occurs = before.contains(&missing) || after.contains(&missing);
        let n_labels = categories.n_codes() - usize::from(!occurs);
        let labels: Vec<String> = (0..n_labels as u32)
            .map(|code| categories.text(code).into_owned())
            .collect();
        let coding = Self {
            labels,
            has_missing: occurs,
            original: before,
            released: after,
        };
        Ok(match columns.masked.attribute().kind {
            Kind::Ordered => coding,
            _ => coding.naturally_ordered(missing as usize),
        })
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

/// Gives original records the category that their like have in the released file. A recoding sends
/// each category to one other; if one went to two, there is no such category of the original.
fn recode_alike(
    before: &mut [u32],
    after: &[u32],
    released: &Table,
    n_codes: usize,
    name: &str,
) -> Result<(), MethodError> {
    let mut image = vec![None; n_codes];
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
