//! Columns that nobody looked at yet: most commands look at few of a file's variables.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use super::{Cells, Column, Content};
use crate::attribute::Attribute;
use crate::number::DecimalMark;

/// What the cells of a column are read from. Reading must not fail, nor use other threads: whoever looks at the column
/// first waits for it.
pub(crate) trait CellSource: Send + Sync {
    /// The column, read.
    fn read(&self) -> Column;

    /// The column as numbers, if every value is one and that shows without reading categories.
    fn numbers(&self, mark: DecimalMark) -> Option<Column>;

    /// Number of cells without a value, where that can be told without reading.
    fn n_missing(&self) -> Option<usize>;

    /// The text of a cell as it would be written, where that can be told without reading.
    fn text(&self, record: usize) -> Option<Cow<'_, str>>;

    /// The same of all cells from a record on.
    fn texts_from(&self, record: usize) -> Option<Texts<'_>>;
}

/// Texts of cells, one after the other.
pub(crate) type Texts<'a> = Box<dyn Iterator<Item = Cow<'a, str>> + 'a>;

/// Cells that are read when they are looked at, once.
pub(super) struct Unread {
    n_records: usize,
    source: Box<dyn CellSource>,
    content: OnceLock<Content>,
    n_missing: OnceLock<Option<usize>>,
}

impl fmt::Debug for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let content = self.content.get();
        (f.debug_struct("Unread").field("content", &content)).finish_non_exhaustive()
    }
}

impl Unread {
    pub(super) fn n_records(&self) -> usize {
        self.n_records
    }

    pub(super) fn content(&self) -> &Content {
        let read = || match self.source.read().cells {
            Cells::Read(content) => content,
            Cells::Unread(unread) => unread.content().clone(),
            Cells::Stored(stored) => stored.content().clone(),
        };
        self.content.get_or_init(read)
    }

    /// The column as numbers, unless the cells have been read or must be for that.
    fn numbers(&self, mark: DecimalMark) -> Option<Column> {
        match self.content.get() {
            Some(_) => None,
            None => self.source.numbers(mark),
        }
    }

    /// Number of cells without a value, unless the cells have been read or must be for that.
    pub(super) fn n_missing(&self) -> Option<usize> {
        match self.content.get() {
            Some(_) => None,
            None => *self.n_missing.get_or_init(|| self.source.n_missing()),
        }
    }

    /// The text of a cell, unless the cells have been read.
    pub(super) fn text(&self, record: usize) -> Option<Cow<'_, str>> {
        match self.content.get() {
            Some(_) => None,
            None => self.source.text(record),
        }
    }
}

impl Column {
    /// Whether nobody looked at its values yet.
    pub(crate) fn is_unread(&self) -> bool {
        matches!(&self.cells, Cells::Unread(unread) if unread.content.get().is_none())
    }

    /// The texts of all cells from a record on as they would be written, where that can be told without reading.
    pub(crate) fn unread_texts(&self, record: usize) -> Option<Texts<'_>> {
        match &self.cells {
            Cells::Unread(unread) => unread.source.texts_from(record),
            Cells::Read(_) | Cells::Stored(_) => None,
        }
    }

    /// The column read as numbers, if every value is one. Of a text file that nobody looked at, texts are kept where
    /// numbers would be written in another way; otherwise all of them are, as [`Self::parsed_as_numbers`] does.
    pub fn read_as_numbers(&self, mark: DecimalMark) -> Option<Self> {
        let waiting = match &self.cells {
            Cells::Unread(unread) => unread.numbers(mark),
            Cells::Read(_) | Cells::Stored(_) => None,
        };
        waiting.or_else(|| self.parsed_as_numbers(mark))
    }

    /// A column of categories that are read when somebody looks at them.
    pub(crate) fn unread(
        attribute: Arc<Attribute>,
        n_records: usize,
        source: Box<dyn CellSource>,
    ) -> Self {
        Self {
            attribute,
            cells: Cells::Unread(Arc::new(Unread {
                n_records,
                source,
                content: OnceLock::new(),
                n_missing: OnceLock::new(),
            })),
            arrow_type: None,
            source_type: None,
        }
    }
}
