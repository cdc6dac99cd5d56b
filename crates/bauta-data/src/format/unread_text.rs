//! Columns of a text file that are kept as places in the text until somebody looks at them.

use std::borrow::Cow;
use std::sync::Arc;

use super::category_builder::CategoryBuilder;
use super::pieces::{self, Piece};
use crate::column::{CellSource, Column, Texts};
use crate::number::DecimalMark;
use crate::text::TextArena;

/// The text of a file, shared by all columns that are kept as places in it.
#[derive(Clone)]
pub(super) struct SharedText {
    bytes: Arc<Vec<u8>>,
    /// Where the text starts, behind marks.
    start: usize,
}

impl SharedText {
    /// A text that these bytes hold from some place on to their end, or that was made of them.
    pub(super) fn new(bytes: &Arc<Vec<u8>>, text: Cow<'_, [u8]>) -> Self {
        match text {
            Cow::Borrowed(text) => Self {
                bytes: Arc::clone(bytes),
                start: bytes.len() - text.len(),
            },
            Cow::Owned(text) => Self {
                bytes: Arc::new(text),
                start: 0,
            },
        }
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

/// The fields at one position, kept until somebody looks at them.
pub(super) enum Waiting {
    /// Where they start in a text that stays in memory.
    Places(FieldStarts),
    /// Their texts, on their way to a file.
    Texts(TextArena),
}

impl Waiting {
    /// Adds the fields of a piece.
    pub(super) fn add(&mut self, piece: &Piece, position: usize, text: &str) {
        match self {
            Self::Places(starts) => starts.add(piece, position),
            Self::Texts(texts) => {
                for field in piece.fields(text, position).map(pieces::content) {
                    texts.push(&field);
                }
            }
        }
    }
}

/// Where the fields at one position start.
#[derive(Default)]
pub(super) struct FieldStarts {
    /// Of each piece: its first record, and where it starts.
    pieces: Vec<(usize, usize)>,
    /// Of each record, from the start of its piece.
    starts: Vec<u32>,
}

impl FieldStarts {
    /// Adds the fields of a piece.
    pub(super) fn add(&mut self, piece: &Piece, position: usize) {
        self.pieces.push((self.starts.len(), piece.range.start));
        self.starts.extend(piece.starts(position));
    }

    /// Number of fields.
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Where the field of a record starts in the text.
    fn start(&self, record: usize) -> usize {
        let n_before = self.pieces.partition_point(|&(first, _)| first <= record);
        self.pieces[n_before - 1].1 + self.starts[record] as usize
    }

    /// Where all fields start, in order.
    fn iter(&self) -> impl Iterator<Item = usize> {
        self.iter_from(0)
    }

    /// The same from a record on.
    fn iter_from(&self, record: usize) -> impl Iterator<Item = usize> {
        let n_before = self.pieces.partition_point(|&(first, _)| first <= record);
        let pieces = &self.pieces[n_before.saturating_sub(1)..];
        let ends = pieces.iter().skip(1).map(|&(first, _)| first);
        let ends = ends.chain(std::iter::once(self.starts.len()));
        pieces
            .iter()
            .zip(ends)
            .flat_map(move |(&(first, offset), end)| {
                let starts = &self.starts[first.max(record)..end];
                starts.iter().map(move |&start| offset + start as usize)
            })
    }
}

/// A column of categories that nobody read yet.
pub(super) struct UnreadText {
    pub(super) text: SharedText,
    pub(super) delimiter: u8,
    pub(super) starts: FieldStarts,
    /// The column without any cell.
    pub(super) categories: CategoryBuilder,
}

impl UnreadText {
    fn field(&self, start: usize) -> Cow<'_, str> {
        let field = pieces::field_at(self.text.bytes(), start, self.delimiter);
        // The whole text was found to be UTF-8, and fields end at single bytes of it.
        pieces::content(std::str::from_utf8(field).unwrap_or_default())
    }
}

impl CellSource for UnreadText {
    fn read(&self) -> Column {
        let fields = self.starts.iter().map(|start| self.field(start));
        self.categories.clone().finish_with(fields)
    }

    fn numbers(&self, mark: DecimalMark) -> Option<Column> {
        let fields = self.starts.iter().map(|start| self.field(start));
        self.categories.numbers(fields, self.starts.len(), mark)
    }

    fn n_missing(&self) -> Option<usize> {
        let fields = self.starts.iter().map(|start| self.field(start));
        let missing = fields.filter(|field| self.categories.means_missing(field));
        Some(missing.count())
    }

    fn text(&self, record: usize) -> Option<Cow<'_, str>> {
        Some(self.field(self.starts.start(record)))
    }

    fn texts_from(&self, record: usize) -> Option<Texts<'_>> {
        let starts = self.starts.iter_from(record);
        Some(Box::new(starts.map(|start| self.field(start))))
    }
}
