//! Columns into Arrow arrays.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{PrimitiveBuilder, StringBuilder};
use arrow_array::types::{
    ArrowPrimitiveType, Int8Type, Int16Type, Int32Type, UInt8Type, UInt16Type, UInt32Type,
};
use arrow_array::{ArrayRef, Float64Array, Int64Array};
use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field};
use rayon::prelude::*;

use super::arrow_exact::{exact_array, exact_type};
use super::arrow_types::typed_of;
use crate::column::{Column, Values};
use crate::missing::{MissingCause, MissingMark};
use crate::number::{DecimalMark, parse_label};
use crate::problem::{DataError, DataProblem, ProblemList};
use crate::table::Table;

/// The table as one Arrow record batch.
///
/// Columns from Arrow or Parquet that were not masked have their own type again. Other numbers are
/// `Int64` where all are whole, else `Float64`; those with more digits than a double holds have the
/// narrowest of `Int64`, `UInt64`, decimals and `Utf8` that keeps them. Masked dates are what they were, or `Utf8` as they are spelled. Categories are `Utf8`. Missing
/// cells are null, except for the user-missing codes that the type can hold.
pub fn to_record_batch(table: &Table) -> Result<RecordBatch, DataError> {
    let layout = Layout::of(table);
    layout.batch(Path::new("record batch"), 0..table.n_records())
}

/// The Arrow types that the columns of a table are written as.
pub(super) struct Layout<'a> {
    table: &'a Table,
    schema: Arc<arrow_schema::Schema>,
}

impl<'a> Layout<'a> {
    pub(super) fn of(table: &'a Table) -> Self {
        let types = table.look_at_each(|_, column| released_type(column));
        let fields: Vec<Field> = table
            .names()
            .zip(types)
            .map(|(name, data_type)| Field::new(name, data_type, true))
            .collect();
        Self {
            table,
            schema: Arc::new(arrow_schema::Schema::new(fields)),
        }
    }

    pub(super) fn schema(&self) -> &Arc<arrow_schema::Schema> {
        &self.schema
    }

    /// Some records of a column; `None` where a cell does not fit.
    fn array(&self, attr_idx: usize, records: Range<usize>) -> Option<ArrayRef> {
        self.array_of(&self.table.columns()[attr_idx], attr_idx, records)
    }

    /// The same of a part of the column.
    pub(super) fn array_of(
        &self,
        part: &Column,
        attr_idx: usize,
        records: Range<usize>,
    ) -> Option<ArrayRef> {
        array(part, self.schema.field(attr_idx).data_type(), records)
    }

    /// Some records of the table. `path` stands in messages.
    fn batch(&self, path: &Path, records: Range<usize>) -> Result<RecordBatch, DataError> {
        let arrays: Vec<Option<ArrayRef>> = (0..self.table.columns().len())
            .into_par_iter()
            .map(|attr_idx| self.array(attr_idx, records.clone()))
            .collect();
        let mut problems = ProblemList::default();
        for (column, array) in self.table.columns().iter().zip(&arrays) {
            if array.is_none() {
                problems.push_with(|| cannot_hold(column));
            }
        }
        problems.into_result(path)?;
        let options = RecordBatchOptions::new().with_row_count(Some(records.len()));
        let arrays = arrays.into_iter().flatten().collect();
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options).map_err(
            |_| {
                let problem = DataProblem::file(
                    "the columns do not fit together",
                    "this is a fault of Bauta: please report it",
                );
                DataError::one(path, problem)
            },
        )
    }
}

/// What is wrong with a column whose cells do not fit its type.
pub(super) fn cannot_hold(column: &Column) -> DataProblem {
    DataProblem::file(
        "its values cannot be written with the type they were read with",
        "this is a fault of Bauta: please report it; writing CSV avoids it",
    )
    .of_variable(column.name())
}

/// The type that a column is written as.
fn released_type(column: &Column) -> DataType {
    match (column.arrow_type(), column.values()) {
        (Some(own), _) => own.clone(),
        (None, Values::Categorical(_)) => DataType::Utf8,
        (None, Values::Numeric(_)) if column.date_format().is_some() => {
            let source = column.source_type().filter(|source| source.is_temporal());
            source.cloned().unwrap_or(DataType::Utf8)
        }
        (None, Values::Numeric(values)) => {
            if let Some(exact) = column.exact() {
                return exact_type(column, exact);
            }
            let was_fractional = column
                .source_type()
                .is_some_and(|source| !source.is_integer());
            if !was_fractional && all_whole(column, values) {
                DataType::Int64
            } else {
                DataType::Float64
            }
        }
    }
}

/// Whether every number, and every code in between, is written as a plain whole number.
fn all_whole(column: &Column, values: &[f64]) -> bool {
    let mut any = false;
    let cell_is_whole = |record: usize| {
        if let Some(mark) = column.missing_mark(record) {
            let text = kept_text(column, mark).unwrap_or("");
            return parse_label(text).is_none() || whole(text).is_some();
        }
        any = true;
        let value = values[record];
        if let Some(texts) = &column.number_text().verbatim {
            return whole(texts.get(record)).is_some();
        }
        let negative_zero = value == 0.0 && value.is_sign_negative();
        value.fract() == 0.0 && value.abs() < 1e16 && !negative_zero
    };
    column.number_text().decimals == 0 && (0..values.len()).all(cell_is_whole) && any
}

/// The whole number that a text is the plain spelling of.
fn whole(text: &str) -> Option<i64> {
    let value: i64 = text.parse().ok()?;
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits == "0" || !digits.starts_with(['0', '+']);
    (plain && text != "-0").then_some(value)
}

/// The text that a missing cell is written as; `None` for null. A column that still has its own
/// type gets back what was there; otherwise only user-missing codes have a text.
pub(super) fn kept_text<'m>(column: &Column, mark: &'m MissingMark) -> Option<&'m str> {
    let kept = match mark.cause {
        MissingCause::Suppressed => false,
        MissingCause::User(_) => true,
        MissingCause::Source => column.arrow_type().is_some() && !mark.text.is_empty(),
    };
    kept.then_some(mark.text.as_str())
}

/// Some cells of a column as an array of a type; `None` where a cell does not fit.
fn array(column: &Column, data_type: &DataType, records: Range<usize>) -> Option<ArrayRef> {
    if let (Some(exact), None) = (column.exact(), column.arrow_type()) {
        return exact_array(column, exact, data_type, records);
    }
    let own_text = column.number_text().verbatim.is_some();
    if let (Some(format), true) = (column.number_text().date, data_type.is_temporal()) {
        let texts = texts(column, records, |text| format.days(text).is_some());
        return typed_of(&texts, data_type);
    }
    match (column.as_numeric(), data_type) {
        (Some(values), DataType::Float64) => {
            let cells = records.map(|record| float_cell(column, values, record));
            Some(Arc::new(cells.collect::<Float64Array>()))
        }
        (Some(values), DataType::Int64) if !own_text => {
            let cells = records.map(|record| whole_cell(column, values, record));
            Some(Arc::new(cells.collect::<Int64Array>()))
        }
        (Some(_), DataType::Int64) => {
            let texts = texts(column, records, |text| whole(text).is_some());
            typed_of(&texts, data_type)
        }
        (Some(values), narrow) if !own_text && narrow.is_integer() => {
            whole_array(column, values, records.clone(), narrow)
                .or_else(|| typed_of(&texts(column, records, |_| true), data_type))
        }
        (None, DataType::Utf8) => Some(texts(column, records, |_| true)),
        _ => typed_of(&texts(column, records, |_| true), data_type),
    }
}

/// Whole numbers as an array of their own type; `None` where that is not all there is to say.
fn whole_array(
    column: &Column,
    values: &[f64],
    records: Range<usize>,
    data_type: &DataType,
) -> Option<ArrayRef> {
    fn of<T: ArrowPrimitiveType>(
        column: &Column,
        values: &[f64],
        records: Range<usize>,
    ) -> Option<ArrayRef>
    where
        T::Native: TryFrom<i64>,
    {
        let mut cells = PrimitiveBuilder::<T>::with_capacity(records.len());
        for record in records {
            let value = match column
                .missing_mark(record)
                .map(|mark| kept_text(column, mark))
            {
                Some(None) => {
                    cells.append_null();
                    continue;
                }
                Some(Some(text)) => whole(text)?,
                None if values[record].fract() == 0.0 => values[record] as i64,
                None => return None,
            };
            cells.append_value(T::Native::try_from(value).ok()?);
        }
        Some(Arc::new(cells.finish()))
    }
    match data_type {
        DataType::Int8 => of::<Int8Type>(column, values, records),
        DataType::Int16 => of::<Int16Type>(column, values, records),
        DataType::Int32 => of::<Int32Type>(column, values, records),
        DataType::UInt8 => of::<UInt8Type>(column, values, records),
        DataType::UInt16 => of::<UInt16Type>(column, values, records),
        DataType::UInt32 => of::<UInt32Type>(column, values, records),
        _ => None,
    }
}

fn float_cell(column: &Column, values: &[f64], record: usize) -> Option<f64> {
    match column.missing_mark(record) {
        None => Some(values[record]),
        Some(mark) => match kept_text(column, mark)? {
            // The mark that the reader gives to such cells of a column of floats.
            "NaN" => Some(f64::NAN),
            text => parse_label(text),
        },
    }
}

fn whole_cell(column: &Column, values: &[f64], record: usize) -> Option<i64> {
    match column.missing_mark(record) {
        None => Some(values[record] as i64),
        Some(mark) => whole(kept_text(column, mark)?),
    }
}

/// The texts of some cells. Codes of missing cells become null unless they `fit`.
fn texts(column: &Column, records: Range<usize>, fit: impl Fn(&str) -> bool) -> ArrayRef {
    let mut cells = StringBuilder::with_capacity(records.len(), records.len() * 8);
    let mut text = String::new();
    for record in records {
        if let Some(mark) = column.missing_mark(record) {
            cells.append_option(kept_text(column, mark).filter(|text| fit(text)));
            continue;
        }
        if let Some(categories) = column.as_categorical() {
            cells.append_value(categories.levels.text(categories.codes.at(record)));
            continue;
        }
        text.clear();
        column.write_text(record, DecimalMark::Point, &mut text);
        cells.append_value(&text);
    }
    Arc::new(cells.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_whole_numbers_are_whole() {
        for (text, value) in [
            ("0", Some(0)),
            ("-7", Some(-7)),
            ("9007199254740993", Some(9_007_199_254_740_993)),
        ] {
            assert_eq!(whole(text), value);
        }
        for text in [
            "",
            "007",
            "-07",
            "-0",
            "+7",
            "1.0",
            " 1",
            "1e3",
            "99999999999999999999",
        ] {
            assert_eq!(whole(text), None, "{text:?}");
        }
    }
}
