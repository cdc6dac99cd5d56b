//! Columns of numbers that nobody described, kept as the arrays they came in until somebody looks at them.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef};

use super::arrow_in::TypedBuilder;
use super::category_builder::CategoryBuilder;
use crate::column::{CellSource, Column, Texts};
use crate::number::DecimalMark;

/// The arrays of a column, and the column without any cell.
pub(super) struct UnreadArrays {
    arrays: Vec<ArrayRef>,
    categories: CategoryBuilder,
}

impl UnreadArrays {
    /// A column of categories that are read when somebody looks at them.
    pub(super) fn column(categories: CategoryBuilder, arrays: Vec<ArrayRef>) -> Column {
        let n_records = arrays.iter().map(Array::len).sum();
        let attribute = Arc::clone(categories.attribute());
        let source = Self { arrays, categories };
        Column::unread(attribute, n_records, Box::new(source))
    }
}

impl CellSource for UnreadArrays {
    fn read(&self) -> Column {
        let data_type = (self.arrays.first()).map(|array| array.data_type().clone());
        let data_type = data_type.unwrap_or(arrow_schema::DataType::Null);
        let mut column = TypedBuilder::of_waiting(self.categories.clone(), data_type);
        for array in &self.arrays {
            // Numbers of any type have texts: nothing can fail.
            let _ = column.push(array, 1);
        }
        column.finish()
    }

    fn numbers(&self, _mark: DecimalMark) -> Option<Column> {
        None
    }

    fn n_missing(&self) -> Option<usize> {
        None
    }

    fn text(&self, _record: usize) -> Option<Cow<'_, str>> {
        None
    }

    fn texts_from(&self, _record: usize) -> Option<Texts<'_>> {
        None
    }
}
