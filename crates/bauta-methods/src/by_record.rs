//! Work by record: what needs no more of a file than statistics of whole columns and then a block of records at a time.
//!
//! In memory the blocks are those of the same columns; of columns that lie in files each block is read for the look at it
//! and given back. What is summed is summed in blocks of a fixed number of records in file order, so that both give the
//! same bits.

use std::borrow::Cow;
use std::ops::Range;

use bauta_data::Column;

use crate::kernel::numbers::streamed::{STRETCH, Streamed};

/// The numbers of a variable, in memory or in a file.
#[derive(Clone, Copy, Debug)]
pub struct ColumnNumbers<'a>(&'a Column);

impl<'a> ColumnNumbers<'a> {
    /// Those of a column; none where it holds categories.
    pub fn of(column: &'a Column) -> Option<Self> {
        // What somebody must look at to know what it holds is read by that look.
        let is_known = column.is_numeric() || column.stored_levels().is_some();
        let holds_numbers = if is_known {
            column.is_numeric()
        } else {
            column.as_numeric().is_some()
        };
        holds_numbers.then_some(Self(column))
    }

    /// All of them in memory.
    pub fn whole(self) -> &'a [f64] {
        self.0.as_numeric().unwrap_or_default()
    }

    /// Whether a block is read for each look.
    pub fn is_on_disk(self) -> bool {
        self.0.is_on_disk()
    }

    /// Some of them.
    pub fn some(self, records: Range<usize>) -> Cow<'a, [f64]> {
        self.0.numbers_of(records).unwrap_or_default()
    }
}

impl Streamed for ColumnNumbers<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn stretch(&self) -> usize {
        stretch_of(self.0)
    }

    fn at(&self, records: Range<usize>) -> Cow<'_, [f64]> {
        self.some(records)
    }
}

/// Records of a column that are looked at together.
fn stretch_of(column: &Column) -> usize {
    if !column.is_on_disk() {
        return STRETCH;
    }
    // A block of the store is read as a whole.
    let block = column.block_in_store().unwrap_or(STRETCH);
    block.next_multiple_of(STRETCH)
}
