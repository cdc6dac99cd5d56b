//! Columns whose cells lie in a file, and are read when somebody looks at them.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::{CellSource, Cells, Column, Content, NumberText, Texts};
use crate::attribute::Attribute;
use crate::levels::Levels;
use crate::number::DecimalMark;
use crate::store::{ColumnFile, CountsClasses, Held, StoreLost, StoredTexts};

/// Cells in a file. What was read stays for as long as somebody has this column; [`Column::view`] is the same column
/// of which nothing was read.
pub(super) struct Stored {
    pub(super) file: ColumnFile,
    content: OnceLock<Content>,
    /// The memory of the content, as the store counts it.
    held: OnceLock<Held>,
    /// Texts that numbers have of their own.
    text: OnceLock<NumberText>,
    held_texts: OnceLock<Held>,
}

impl fmt::Debug for Stored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stored").finish_non_exhaustive()
    }
}

impl Stored {
    pub(super) fn new(file: ColumnFile) -> Arc<Self> {
        Arc::new(Self {
            file,
            content: OnceLock::new(),
            held: OnceLock::new(),
            text: OnceLock::new(),
            held_texts: OnceLock::new(),
        })
    }

    /// All cells. Whoever looks at a column cannot be told that a disk fails or memory does not suffice: that ends the run,
    /// and whoever began it says why.
    pub(super) fn content(&self) -> &Content {
        self.content.get_or_init(|| {
            let held = self.file.hold();
            let all = 0..self.file.n_records();
            let read = held.and_then(|held| {
                let _ = self.held.set(held);
                self.file.read(all).map_err(StoreLost::Disk)
            });
            // Without the message of a panic: it is none, and is caught.
            read.unwrap_or_else(|lost| std::panic::resume_unwind(Box::new(lost)))
        })
    }

    /// How numbers are written; their texts are read where they have some of their own, and apart from the numbers, which
    /// most look at alone.
    pub(super) fn number_text(&self) -> &NumberText {
        if !self.file.has_texts() {
            return self.file.number_text();
        }
        self.text.get_or_init(|| {
            let held = self.file.hold_texts();
            let read = held.and_then(|held| {
                let _ = self.held_texts.set(held);
                let all = 0..self.file.n_records();
                self.file.read_number_text(all).map_err(StoreLost::Disk)
            });
            read.unwrap_or_else(|lost| std::panic::resume_unwind(Box::new(lost)))
        })
    }
}

impl CellSource for StoredTexts {
    fn read(&self) -> Column {
        let attribute = Arc::new(Attribute::undeclared(""));
        Column::of_content(attribute, self.reader.read(&self.texts))
    }

    fn numbers(&self, _mark: DecimalMark) -> Option<Column> {
        None
    }

    fn n_missing(&self) -> Option<usize> {
        None
    }

    fn text(&self, record: usize) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(self.texts.get(record)))
    }

    fn texts_from(&self, record: usize) -> Option<Texts<'_>> {
        let records = record..self.texts.len();
        Some(Box::new(
            records.map(|at| Cow::Borrowed(self.texts.get(at))),
        ))
    }
}

impl Column {
    /// A column whose cells lie in a file.
    pub(crate) fn stored(attribute: Arc<Attribute>, file: ColumnFile) -> Self {
        Self {
            attribute,
            cells: Cells::Stored(Stored::new(file)),
            arrow_type: None,
            source_type: None,
        }
    }

    /// The same column, whose cells now lie in a file.
    pub(crate) fn moved_to(&self, file: ColumnFile) -> Self {
        Self {
            cells: Cells::Stored(Stored::new(file)),
            ..self.clone()
        }
    }

    /// The cells of a column that is in memory; none where they lie in a file.
    pub(crate) fn in_memory(&self) -> Option<&Content> {
        match &self.cells {
            Cells::Stored(_) => None,
            Cells::Read(_) | Cells::Unread(_) => Some(self.content()),
        }
    }

    /// The cells of a column that is in memory.
    pub(crate) fn into_content(self) -> Content {
        match self.cells {
            Cells::Read(content) => content,
            Cells::Unread(_) | Cells::Stored(_) => self.content().clone(),
        }
    }

    /// Whether its cells lie in a file.
    pub fn is_stored(&self) -> bool {
        matches!(self.cells, Cells::Stored(_))
    }

    /// The same column, of which nothing was read yet where it lies in a file: what is read of a view is given back with
    /// it. None where the column is in memory.
    pub fn view(&self) -> Option<Self> {
        match &self.cells {
            Cells::Stored(stored) => Some(self.moved_to(stored.file.clone())),
            Cells::Read(_) | Cells::Unread(_) => None,
        }
    }

    /// Looks at the column, and gives back what was read of it for that where it lies in a file.
    pub fn looked_at<T>(&self, look: impl FnOnce(&Self) -> T) -> T {
        match self.view() {
            Some(view) => look(&view),
            None => look(self),
        }
    }

    /// Its categories, if its cells lie in a file and are such; nothing is read for that.
    pub fn stored_levels(&self) -> Option<&Levels> {
        match &self.cells {
            Cells::Stored(stored) => stored.file.levels().map(AsRef::as_ref),
            Cells::Read(_) | Cells::Unread(_) => None,
        }
    }

    /// Whether its cells lie in a file and none were read: who can do with some records at a time need not read them all.
    pub fn is_on_disk(&self) -> bool {
        match &self.cells {
            Cells::Stored(stored) => stored.content.get().is_none(),
            Cells::Read(_) | Cells::Unread(_) => false,
        }
    }

    /// Whether every cell holds the same value as that of the same record in another column, or neither holds one. Columns
    /// in files of which nothing was read are compared block by block, up to the first that differs.
    pub fn same_values(&self, other: &Self) -> bool {
        let n = self.len();
        if !self.is_on_disk() && !other.is_on_disk() {
            return (0..n).all(|record| self.same_value(record, other, record));
        }
        let block = self.block_in_store().or(other.block_in_store());
        let block = block.unwrap_or(n).max(1);
        let part = |column: &Self, records: Range<usize>| {
            let lost = |error| std::panic::resume_unwind(Box::new(StoreLost::Disk(error)));
            column.slice(records).unwrap_or_else(lost)
        };
        (0..n).step_by(block).all(|first| {
            let records = first..n.min(first + block);
            let (here, there) = (part(self, records.clone()), part(other, records.clone()));
            (0..records.len()).all(|record| here.same_value(record, &there, record))
        })
    }

    /// The numbers of some records that follow each other, as [`Column::as_numeric`] has them: read for this look alone
    /// where they lie in a file. None where it holds categories.
    pub fn numbers_of(&self, records: Range<usize>) -> Option<Cow<'_, [f64]>> {
        match &self.cells {
            Cells::Stored(stored) if stored.content.get().is_none() && self.is_numeric() => {
                let read = stored.file.numbers(records);
                let lost = |error| std::panic::resume_unwind(Box::new(StoreLost::Disk(error)));
                Some(Cow::Owned(read.unwrap_or_else(lost)))
            }
            Cells::Read(_) | Cells::Unread(_) | Cells::Stored(_) => self
                .as_numeric()
                .map(|numbers| Cow::Borrowed(&numbers[records])),
        }
    }

    /// The texts of the marks of its missing cells, if its cells lie in a file; nothing is read for that.
    pub fn stored_marks(&self) -> impl Iterator<Item = &str> {
        let marks = self.file().map(ColumnFile::marks).unwrap_or_default();
        marks.iter().map(|mark| mark.text.as_str())
    }

    /// Who counts classes of its values, if its cells lie in a store that has somebody count for it.
    pub fn counted_elsewhere(&self) -> Option<Arc<dyn CountsClasses>> {
        match &self.cells {
            Cells::Stored(stored) => stored.file.counter(),
            Cells::Read(_) | Cells::Unread(_) => None,
        }
    }

    /// The folder of its store, if its cells lie in one.
    pub fn store_folder(&self) -> Option<&Path> {
        match &self.cells {
            Cells::Stored(stored) => Some(stored.file.folder()),
            Cells::Read(_) | Cells::Unread(_) => None,
        }
    }

    /// Records of a block of its store, if its cells lie in one.
    pub fn block_in_store(&self) -> Option<usize> {
        match &self.cells {
            Cells::Stored(stored) => Some(stored.file.block_records()),
            Cells::Read(_) | Cells::Unread(_) => None,
        }
    }

    /// Bytes of memory that columns of its store may still take; no limit where it lies in none.
    pub fn room_in_store(&self) -> u64 {
        match &self.cells {
            Cells::Stored(stored) => stored.file.room(),
            Cells::Read(_) | Cells::Unread(_) => u64::MAX,
        }
    }

    /// Bytes that its cells take in memory, if they lie in a file.
    pub fn bytes_to_read(&self) -> u64 {
        match &self.cells {
            Cells::Stored(stored) => stored.file.n_bytes_in_memory(),
            Cells::Read(_) | Cells::Unread(_) => 0,
        }
    }

    /// The file in which its cells lie, if they lie in one.
    pub(crate) fn file(&self) -> Option<&ColumnFile> {
        match &self.cells {
            Cells::Stored(stored) => Some(&stored.file),
            Cells::Read(_) | Cells::Unread(_) => None,
        }
    }

    /// Some records that follow each other, read if they lie in a file.
    pub(crate) fn slice(&self, records: Range<usize>) -> std::io::Result<Self> {
        let cells = match &self.cells {
            Cells::Stored(stored) => match stored.file.texts(records.clone())? {
                Some(texts) => {
                    let attribute = Arc::clone(&self.attribute);
                    return Ok(Self::unread(attribute, records.len(), Box::new(texts)));
                }
                None => {
                    let mut content = stored.file.read(records.clone())?;
                    if stored.file.has_texts() {
                        content.number_text = stored.file.read_number_text(records)?;
                    }
                    Cells::Read(content)
                }
            },
            Cells::Read(_) | Cells::Unread(_) => {
                let records: Vec<u32> = records.map(|record| record as u32).collect();
                return Ok(self.take(&records));
            }
        };
        Ok(Self {
            cells,
            ..self.clone()
        })
    }
}
