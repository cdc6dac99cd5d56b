//! Arrow arrays into columns.

use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_schema::DataType;
use rayon::prelude::*;

use super::arrow_types::{check_type, is_text, texts_of, typed_of};
use super::builder::{ColumnBuilder, Place, Stored};
use super::category_builder::CategoryBuilder;
use super::decimal_marks::Marks;
use super::listed_texts::ListedTexts;
use super::unread_arrays::UnreadArrays;
use super::{ReadOptions, header};
use crate::column::Column;
use crate::number::DecimalMark;
use crate::problem::{DataError, DataProblem, ProblemList};
use crate::store::{ColumnWriter, Store};
use crate::table::Table;

/// Whole numbers up to this one are doubles too, all of them.
const EXACT_WHOLE: u64 = 1 << 53;

/// A table from Arrow record batches of one schema. `path` stands in messages.
pub fn from_record_batches(
    path: &Path,
    arrow_schema: &arrow_schema::Schema,
    batches: &[RecordBatch],
    options: &ReadOptions,
) -> Result<Table, DataError> {
    let mut builder = TableBuilder::new(path, arrow_schema, options)?;
    for batch in batches {
        builder.push(batch)?;
    }
    builder.finish()
}

/// A table in the making from record batches.
pub(super) struct TableBuilder<'a> {
    path: &'a Path,
    columns: Vec<TypedBuilder>,
    problems: ProblemList,
    n_records: u64,
}

pub(super) struct TypedBuilder {
    cells: ColumnBuilder,
    data_type: DataType,
    /// Whether the type can be made again from the texts without loss, as far as was seen.
    lossless: bool,
    /// The arrays of a column that is read later.
    waiting: Option<Vec<ArrayRef>>,
    /// Whether all its cells are there already; no array is of it.
    is_full: bool,
}

impl<'a> TableBuilder<'a> {
    /// An empty table; fails where a column has a type that no cell can be read from.
    pub(super) fn new(
        path: &'a Path,
        arrow_schema: &arrow_schema::Schema,
        options: &ReadOptions,
    ) -> Result<Self, DataError> {
        let fields = arrow_schema.fields();
        let mut problems = ProblemList::default();
        if fields.is_empty() {
            problems.push_with(|| {
                DataProblem::file(
                    "the file has no columns",
                    "write it with at least one column",
                )
            });
        }
        let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
        header::check(&names, &options.schema, None, &mut problems);
        let marks = |position: usize| {
            Marks::Known(if is_text(fields[position].data_type()) {
                options.decimal.unwrap_or_default()
            } else {
                DecimalMark::Point
            })
        };
        let builders = header::builders(&names, &options.schema, marks);
        let mut columns = Vec::with_capacity(names.len());
        for (cells, field) in builders.into_iter().zip(fields) {
            let data_type = field.data_type().clone();
            if let Err((message, hint)) = check_type(&data_type, cells.is_numeric()) {
                problems.push_with(|| DataProblem::file(message, hint).of_variable(field.name()));
            }
            // Arrays of numbers take less room than the texts of the numbers would.
            let waits = cells.can_wait() && (data_type.is_integer() || data_type.is_floating());
            columns.push(TypedBuilder {
                cells,
                data_type,
                lossless: true,
                waiting: waits.then(Vec::new),
                is_full: false,
            });
        }
        problems.into_result(path)?;
        Ok(Self {
            path,
            columns,
            problems: ProblemList::default(),
            n_records: 0,
        })
    }

    /// Fills columns of texts that nothing is to be said of, which `fill` does from a column's position if it can, and
    /// gives the positions of those that are still empty.
    pub(super) fn fill_texts(
        &mut self,
        n_records: u64,
        fill: impl Fn(usize, &mut CategoryBuilder) -> Option<()> + Sync,
    ) -> Vec<usize> {
        let columns = self.columns.par_iter_mut().with_max_len(1).enumerate();
        columns.for_each(|(position, column)| {
            if !is_text(&column.data_type) {
                return;
            }
            let Some(categories) = column.cells.plain_categories() else {
                return;
            };
            let mut filled = categories.clone();
            if fill(position, &mut filled).is_some() {
                *categories = filled;
                column.is_full = true;
            }
        });
        let columns = self.columns.iter().enumerate();
        let empty = columns.filter(|(_, column)| !column.is_full);
        let empty: Vec<usize> = empty.map(|(position, _)| position).collect();
        if empty.is_empty() {
            self.n_records = n_records;
        }
        empty
    }

    /// Adds the records of a batch, of the columns that are not full.
    pub(super) fn push(&mut self, batch: &RecordBatch) -> Result<(), DataError> {
        let columns = self.columns.iter_mut();
        let mut columns: Vec<&mut TypedBuilder> =
            columns.filter(|column| !column.is_full).collect();
        let same_types = batch.num_columns() == columns.len()
            && (columns.iter().zip(batch.columns()))
                .all(|(column, array)| column.takes(array.data_type()));
        if !same_types {
            let problem = DataProblem::file(
                "the parts of the file do not have the same columns",
                "write the file again with one schema",
            );
            return Err(DataError::one(self.path, problem));
        }
        let first_record = self.n_records + 1;
        let pushed: Result<(), &'static str> = columns
            .par_iter_mut()
            .zip(batch.columns())
            .try_for_each(|(column, array)| column.push(array, first_record));
        pushed.map_err(|message| {
            DataError::one(
                self.path,
                DataProblem::file(message, "write the file again"),
            )
        })?;
        self.n_records += batch.num_rows() as u64;
        Ok(())
    }

    /// Drops the columns that nobody described, and returns the positions of the others.
    pub(super) fn retain_described(&mut self) -> Vec<usize> {
        let columns = std::mem::take(&mut self.columns).into_iter().enumerate();
        let described = columns.filter(|(_, column)| !column.cells.can_wait());
        let (positions, columns) = described.unzip();
        self.columns = columns;
        positions
    }

    /// Makes room for so many records.
    pub(super) fn reserve(&mut self, n_records: usize) {
        for column in &mut self.columns {
            column.cells.reserve(n_records);
        }
    }

    /// Files for the cells of all columns. No arrays are kept for later.
    pub(super) fn store_in<'s>(
        &mut self,
        store: &'s Store,
    ) -> Result<StoredColumns<'s>, DataError> {
        for column in &mut self.columns {
            column.waiting = None;
        }
        let writers = self.columns.iter().map(|_| store.writer());
        let writers: io::Result<Vec<ColumnWriter>> = writers.collect();
        let writers = writers.map_err(|error| store.failed(&error))?;
        Ok(StoredColumns { store, writers })
    }

    /// The table whose cells are in files, or everything that is wrong.
    pub(super) fn finish_stored(mut self, stored: StoredColumns<'_>) -> Result<Table, DataError> {
        self.close()?;
        let StoredColumns { store, writers } = stored;
        let columns = self.columns.into_par_iter().zip(writers);
        let columns = columns.map(|(column, writer)| {
            let (data_type, lossless) = (column.data_type, column.lossless);
            let finished = column.cells.finish_stored(writer, store)?;
            Ok(if lossless {
                finished.with_arrow_type(data_type)
            } else {
                finished
            })
        });
        let columns: io::Result<Vec<Column>> = columns.collect();
        let columns = columns.map_err(|error| store.failed(&error))?;
        let n_records = usize::try_from(self.n_records).unwrap_or(usize::MAX);
        Ok(Table::new(columns, n_records))
    }

    /// Everything that is wrong, when all records are there.
    fn close(&mut self) -> Result<(), DataError> {
        if self.n_records > u64::from(u32::MAX) {
            self.problems.push_with(|| {
                let message = format!("the file has more than {} records", u32::MAX);
                DataProblem::file(message, "split it by region or stratum")
            });
        }
        for column in &mut self.columns {
            column.cells.close();
            self.problems
                .append(std::mem::take(&mut column.cells.problems));
        }
        std::mem::take(&mut self.problems).into_result(self.path)
    }

    /// The table, or everything that is wrong.
    pub(super) fn finish(mut self) -> Result<Table, DataError> {
        self.close()?;
        let columns = self.columns.into_par_iter();
        let columns = columns.map(TypedBuilder::finish).collect();
        let n_records = usize::try_from(self.n_records).unwrap_or(usize::MAX);
        Ok(Table::new(columns, n_records))
    }
}

/// Files for the cells of a table in the making.
pub(super) struct StoredColumns<'s> {
    store: &'s Store,
    writers: Vec<ColumnWriter>,
}

impl StoredColumns<'_> {
    /// Moves cells to the files.
    pub(super) fn take(
        &mut self,
        table: &mut TableBuilder<'_>,
        cells: Stored,
    ) -> Result<(), DataError> {
        let columns = table.columns.par_iter_mut().zip(&mut self.writers);
        let taken: io::Result<()> = columns
            .try_for_each(|(column, writer)| column.cells.store(writer, cells))
            .map(drop);
        taken.map_err(|error| self.store.failed(&error))
    }
}

impl TypedBuilder {
    /// A column without cells, which are categories that waited.
    pub(super) fn of_waiting(categories: CategoryBuilder, data_type: DataType) -> Self {
        Self {
            cells: ColumnBuilder::of_waiting(categories),
            data_type,
            lossless: true,
            waiting: None,
            is_full: false,
        }
    }

    /// The column.
    pub(super) fn finish(self) -> Column {
        let finished = match self.waiting {
            Some(arrays) => UnreadArrays::column(self.cells.into_waiting(), arrays),
            None => self.cells.finish(),
        };
        if self.lossless {
            finished.with_arrow_type(self.data_type)
        } else {
            finished
        }
    }

    /// Whether arrays of a type are of this column: of its own, or of numbers in a list of such values.
    fn takes(&self, data_type: &DataType) -> bool {
        match data_type {
            same if *same == self.data_type => true,
            DataType::Dictionary(_, values) => **values == self.data_type,
            _ => false,
        }
    }

    /// Adds the cells of an array, the first of which belongs to `first_record` (from 1).
    pub(super) fn push(&mut self, array: &ArrayRef, first_record: u64) -> Result<(), &'static str> {
        const FAILED: &str = "a column cannot be decoded";
        if let Some(waiting) = &mut self.waiting {
            waiting.push(Arc::clone(array));
            return Ok(());
        }
        let place = |index: usize| Place::Record(first_record + index as u64);
        match array.data_type() {
            DataType::Dictionary(_, values) if values.is_string() => {
                self.push_dictionary(array, place).ok_or(FAILED)?;
            }
            DataType::Dictionary(_, values) => {
                let unpacked = cast(array, values).map_err(|_| FAILED)?;
                self.push(&unpacked, first_record)?;
            }
            DataType::Utf8 => self.push_texts(array.as_string::<i32>().iter(), place),
            DataType::LargeUtf8 => self.push_texts(array.as_string::<i64>().iter(), place),
            DataType::Utf8View => self.push_texts(array.as_string_view().iter(), place),
            DataType::Null => self.push_texts(std::iter::repeat_n(None, array.len()), place),
            DataType::Int8 => self.push_primitive::<Int8Type>(array, place),
            DataType::Int16 => self.push_primitive::<Int16Type>(array, place),
            DataType::Int32 => self.push_primitive::<Int32Type>(array, place),
            DataType::Int64 => self.push_primitive::<Int64Type>(array, place),
            DataType::UInt8 => self.push_primitive::<UInt8Type>(array, place),
            DataType::UInt16 => self.push_primitive::<UInt16Type>(array, place),
            DataType::UInt32 => self.push_primitive::<UInt32Type>(array, place),
            DataType::UInt64 => self.push_primitive::<UInt64Type>(array, place),
            DataType::Float16 | DataType::Float32 if !self.cells.is_numeric() => {
                // The shortest text of the narrow number, which names the same narrow number.
                let cells = cast(array, &DataType::Float32).map_err(|_| FAILED)?;
                let texts = cells.as_primitive::<Float32Type>().iter();
                let texts: Vec<_> = texts
                    .map(|cell| cell.map(|value| value.to_string()))
                    .collect();
                self.push_texts(texts.iter().map(Option::as_deref), place);
            }
            DataType::Float64 => {
                let array = array.as_primitive::<Float64Type>();
                let sound = array.values().iter().copied();
                if array.null_count() > 0 || !self.cells.push_sound(sound) {
                    self.push_floats(array.iter(), place);
                }
            }
            DataType::Float32 => {
                let cells = array.as_primitive::<Float32Type>().iter();
                self.push_floats(cells.map(|cell| cell.map(f64::from)), place);
            }
            floating if floating.is_floating() => {
                let cells = cast(array, &DataType::Float64).map_err(|_| FAILED)?;
                self.push_floats(cells.as_primitive::<Float64Type>().iter(), place);
            }
            _ => {
                let texts = texts_of(array).ok_or(FAILED)?;
                self.lossless &= typed_of(&texts, array.data_type())
                    .is_some_and(|again| again.to_data() == array.to_data());
                self.push_texts(texts.as_string::<i32>().iter(), place);
            }
        }
        Ok(())
    }

    /// Texts that are given by their number in a list. Unpacking them by `cast` would copy each.
    fn push_dictionary(&mut self, array: &ArrayRef, place: impl Fn(usize) -> Place) -> Option<()> {
        let dictionary = array.as_any_dictionary();
        let values = dictionary.values();
        let texts: Vec<Option<&str>> = match values.data_type() {
            DataType::Utf8 => values.as_string::<i32>().iter().collect(),
            DataType::LargeUtf8 => values.as_string::<i64>().iter().collect(),
            DataType::Utf8View => values.as_string_view().iter().collect(),
            _ => return None,
        };
        if texts.is_empty() {
            self.push_texts(std::iter::repeat_n(None, array.len()), place);
            return Some(());
        }
        if let Some(categories) = self.cells.plain_categories() {
            let mut listed = ListedTexts::new(categories, &texts);
            let runs = match dictionary.keys().nulls() {
                None => vec![(0, array.len())],
                Some(nulls) => nulls.valid_slices().collect(),
            };
            match array.as_dictionary_opt::<Int32Type>() {
                Some(typed) => listed.push_all(typed.keys().values(), &runs, |key| key as usize),
                None => listed.push_all(&dictionary.normalized_keys(), &runs, |key| key),
            }
            return Some(());
        }
        let numbers = dictionary.normalized_keys();
        let cells = numbers.iter().enumerate().map(|(index, &number)| {
            let is_there = dictionary.keys().is_valid(index);
            is_there.then(|| texts[number]).flatten()
        });
        self.push_texts(cells, place);
        Some(())
    }

    fn push_primitive<T>(&mut self, array: &ArrayRef, place: impl Fn(usize) -> Place)
    where
        T: ArrowPrimitiveType<Native: Ord>,
        i128: From<T::Native>,
    {
        let array = array.as_primitive::<T>();
        let cells = array.iter();
        let cells = cells.map(|cell| cell.map(i128::from));
        if let Some(categories) = self.cells.plain_categories() {
            push_whole_categories(categories, cells);
        } else if self.cells.is_numeric() && are_doubles(array.values()) {
            // Within 2^53, so that neither step rounds.
            let number = |value: i128| value as i64 as f64;
            let values = array.values().iter();
            let sound = values.map(|&value| number(i128::from(value)));
            if array.null_count() > 0 || !self.cells.push_sound(sound) {
                self.cells
                    .push_numbers(cells.map(|cell| cell.map(number)), place);
            }
        } else {
            self.push_whole(cells, place);
        }
    }

    fn push_texts<'t>(
        &mut self,
        texts: impl Iterator<Item = Option<&'t str>>,
        place: impl Fn(usize) -> Place,
    ) {
        if let Some(categories) = self.cells.plain_categories() {
            for text in texts {
                match text {
                    Some(text) => drop(categories.push(text)),
                    None => categories.push_null(),
                }
            }
            return;
        }
        for (index, text) in texts.enumerate() {
            match text {
                Some(text) => self.cells.push(text, || place(index)),
                None => self.cells.push_null(|| place(index)),
            }
        }
    }

    fn push_whole(
        &mut self,
        cells: impl Iterator<Item = Option<i128>>,
        place: impl Fn(usize) -> Place,
    ) {
        let numeric = self.cells.is_numeric();
        for (index, cell) in cells.enumerate() {
            match cell {
                None => self.cells.push_null(|| place(index)),
                Some(value) if numeric && value.unsigned_abs() <= u128::from(EXACT_WHOLE) => {
                    self.cells.push_number(value as f64, || place(index));
                }
                Some(value) => self.cells.push(&value.to_string(), || place(index)),
            }
        }
    }

    fn push_floats(
        &mut self,
        cells: impl Iterator<Item = Option<f64>>,
        place: impl Fn(usize) -> Place,
    ) {
        if self.cells.is_numeric() {
            return self.cells.push_numbers(cells, place);
        }
        for (index, cell) in cells.enumerate() {
            match cell {
                None => self.cells.push_null(|| place(index)),
                Some(value) if value.is_finite() => {
                    self.cells.push_number(value, || place(index));
                }
                Some(value) => self.cells.push(&value.to_string(), || place(index)),
            }
        }
    }
}

/// Whether all of these are doubles too.
fn are_doubles<T: Copy + Ord>(values: &[T]) -> bool
where
    i128: From<T>,
{
    let is_double = |value: &T| i128::from(*value).unsigned_abs() <= u128::from(EXACT_WHOLE);
    let ends = [values.iter().min(), values.iter().max()];
    ends.into_iter().flatten().all(is_double)
}

/// Adds whole numbers of one type as categories. Those that were seen lately need no text.
fn push_whole_categories(
    categories: &mut CategoryBuilder,
    cells: impl Iterator<Item = Option<i128>>,
) {
    const SLOT_BITS: u32 = 10;
    let mut recent: Vec<Option<(i128, u32)>> = vec![None; 1 << SLOT_BITS];
    for cell in cells {
        let Some(value) = cell else {
            categories.push_null();
            continue;
        };
        let scattered = (value as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let slot = &mut recent[(scattered >> (u64::BITS - SLOT_BITS)) as usize];
        match slot {
            Some((known, code)) if *known == value => categories.push_code(*code),
            _ => *slot = Some((value, categories.push(&value.to_string()))),
        }
    }
}
