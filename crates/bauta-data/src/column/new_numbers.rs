//! Columns with other numbers, made some records at a time: in memory, or in the store in which the column lies.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::{Cells, Column, NumberText};
use crate::store::{ColumnWriter, ExactNumbers, Frame, FrameValues, StoreLost};

/// Gathers the new numbers of a column in the order of its records. What comes of it is what [`Column::with_numbers`]
/// makes of all of them, and lies where the column does.
pub struct NewNumbers<'c> {
    column: &'c Column,
    /// Records that have their numbers.
    n_records: usize,
    to: To,
}

/// Where they go.
enum To {
    Memory(Vec<f64>),
    Store(ColumnWriter),
}

impl<'c> NewNumbers<'c> {
    /// None so far.
    pub fn of(column: &'c Column) -> Self {
        let to = match &column.cells {
            Cells::Stored(stored) if stored.file.is_numeric() => {
                To::Store(written(stored.file.writer_beside()))
            }
            Cells::Read(_) | Cells::Unread(_) | Cells::Stored(_) => {
                To::Memory(Vec::with_capacity(column.len()))
            }
        };
        Self {
            column,
            n_records: 0,
            to,
        }
    }

    /// Adds those of the next records.
    pub fn add(&mut self, mut numbers: Vec<f64>) {
        let records = self.n_records..self.n_records + numbers.len();
        self.n_records = records.end;
        match &mut self.to {
            To::Memory(all) => all.append(&mut numbers),
            To::Store(writer) => {
                written(put(self.column, writer, records, &mut numbers));
            }
        }
    }

    /// The column, once every record has its number.
    pub fn finish(self) -> Column {
        let column = self.column;
        assert_eq!(
            self.n_records,
            column.len(),
            "a mask keeps the number of records"
        );
        match (self.to, &column.cells) {
            (To::Memory(numbers), _) => column.with_numbers(numbers),
            (To::Store(writer), Cells::Stored(stored)) => {
                let frame = Frame {
                    values: FrameValues::Numbers {
                        text: NumberText {
                            verbatim: None,
                            ..*column.spelled()
                        },
                        has_texts: false,
                        exact: ExactNumbers::None,
                    },
                    marks: stored.file.marks().to_vec(),
                    n_missing: stored.file.n_missing(),
                    n_suppressed: stored.file.n_suppressed(),
                };
                let made = Column::stored(Arc::clone(&column.attribute), writer.finish(frame));
                Column {
                    source_type: column.source_type.clone(),
                    ..made
                }
            }
            (To::Store(_), Cells::Read(_) | Cells::Unread(_)) => {
                unreachable!("only what lies in a store is written to one")
            }
        }
    }
}

/// Writes the numbers of some records; cells without a value stay so.
fn put(
    column: &Column,
    writer: &mut ColumnWriter,
    records: Range<usize>,
    numbers: &mut [f64],
) -> io::Result<()> {
    if let Some(format) = column.spelled().date {
        for number in numbers.iter_mut() {
            *number = format.round(*number);
        }
    }
    let states = match &column.cells {
        Cells::Stored(stored) if stored.file.n_missing() > 0 => stored.file.states(records)?,
        Cells::Stored(_) | Cells::Read(_) | Cells::Unread(_) => Vec::new(),
    };
    for (number, &state) in numbers.iter_mut().zip(&states) {
        if state != 0 {
            *number = f64::NAN;
        }
    }
    let length = writer.block_records();
    for (block, numbers) in numbers.chunks(length).enumerate() {
        let first = block * length;
        let states = states.get(first..first + numbers.len());
        writer.put_numbers(numbers, states.unwrap_or_default(), None, 0)?;
    }
    Ok(())
}

/// Whoever masks a column cannot be told that the disk failed: that ends the run, and whoever began it says why.
fn written<T>(result: io::Result<T>) -> T {
    let lost = |error| std::panic::resume_unwind(Box::new(StoreLost::Disk(error)));
    result.unwrap_or_else(lost)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attribute::{Attribute, Kind, Role};
    use crate::missing::{MissingCells, MissingRules};
    use crate::store::Store;

    #[test]
    fn numbers_that_are_added_by_block_are_those_given_at_once() {
        let attribute = Arc::new(Attribute::new("x", Role::Sensitive, Kind::Continuous));
        let n = 10_usize;
        let state = |record: usize| u8::from(record % 4 == 1);
        let missing =
            MissingCells::new((0..n).map(state).collect(), MissingRules::default().marks());
        let value = |record: usize| {
            if state(record) == 0 {
                record as f64
            } else {
                f64::NAN
            }
        };
        let column = Column::numeric(
            attribute,
            (0..n).map(value).collect(),
            missing,
            NumberText::default(),
        );
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::with_blocks(folder.path(), 3).expect("a store");
        let stored = store.put(&column).expect("room on the disk");
        let new: Vec<f64> = (0..n).map(|record| record as f64 + 0.5).collect();
        let expected = column.with_numbers(new.clone());
        for column in [&column, &stored] {
            let mut made = NewNumbers::of(column);
            for numbers in new.chunks(4) {
                made.add(numbers.to_vec());
            }
            let made = made.finish();
            assert_eq!(made.is_stored(), column.is_stored());
            assert_eq!(made.n_missing(), expected.n_missing());
            for record in 0..n {
                assert!(made.same_value(record, &expected, record), "{record}");
                assert_eq!(made.missing_mark(record), expected.missing_mark(record));
            }
            assert_eq!(made.number_text(), expected.number_text());
        }
    }
}
