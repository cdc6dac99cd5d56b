//! Columns of texts in a store, read as numbers.

use super::{Store, TextsAsNumbers};
use crate::column::Column;
use crate::number::DecimalMark;
use crate::problem::DataError;

impl Store {
    /// A column of the store as numbers, if every value is one: what [`Column::read_as_numbers`] says of it in memory. Texts are
    /// read a block at a time.
    pub fn read_as_numbers(
        &self,
        column: &Column,
        mark: DecimalMark,
    ) -> Result<Option<Column>, DataError> {
        if column.is_numeric() {
            return Ok(Some(column.clone()));
        }
        let read = |file: &super::ColumnFile| file.as_numbers(mark, self.writer()?);
        let read = column.file().map(read).transpose();
        match read.map_err(|error| self.failed(&error))?.flatten() {
            Some(TextsAsNumbers::All(numbers)) => Ok(Some(*numbers)),
            Some(TextsAsNumbers::None) => Ok(None),
            Some(TextsAsNumbers::Unsure) | None => {
                let numbers = column.looked_at(|column| column.parsed_as_numbers(mark));
                numbers.map(|numbers| self.put(&numbers)).transpose()
            }
        }
    }
}
