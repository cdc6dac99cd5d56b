//! Columns of few different texts from their pages: what is stored are numbers in a list of texts, which become codes
//! without an array between. What is stored otherwise is left to the decoder of everything.

use std::sync::{Arc, Mutex};

use memchr::memchr;
use parquet::basic::{Encoding, Type};
use parquet::column::page::{Page, PageReader as _};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;

use super::small_numbers::{MOST_BITS, is_run_of, unpack};
use crate::format::category_builder::CategoryBuilder;
use crate::format::listed_texts::ListedTexts;

/// Texts of a list whose numbers take a byte each.
const MOST_TEXTS: usize = 1 << MOST_BITS;

/// Whether a part of a column can be numbers in a list: the number of one among 256 takes a byte, and the list itself an
/// eighth of that.
pub(super) fn is_list(chunk: &ColumnChunkMetaData) -> bool {
    let n_values = chunk.num_values();
    chunk.dictionary_page_offset().is_some()
        && chunk.uncompressed_size() <= n_values.saturating_add(n_values / 8)
}

/// A file whose columns are read from their pages, on several threads.
pub(super) struct ListedPages<'a, R> {
    /// Its place is shared, so that one reads after the other.
    file: Mutex<&'a R>,
    n_bytes: u64,
    metadata: &'a ParquetMetaData,
}

impl<'a, R: ChunkReader> ListedPages<'a, R> {
    /// The file, if its columns are where its fields are and its groups have all its records.
    pub(super) fn of(file: &'a R, metadata: &'a ParquetMetaData, n_fields: usize) -> Option<Self> {
        let described = metadata.file_metadata();
        let mut in_groups = metadata.row_groups().iter().map(RowGroupMetaData::num_rows);
        let is_plain = described.schema_descr().num_columns() == n_fields
            && in_groups.try_fold(0, i64::checked_add) == Some(described.num_rows());
        is_plain.then(|| Self {
            file: Mutex::new(file),
            n_bytes: file.len(),
            metadata,
        })
    }

    /// Adds all cells of a column, and calls `go_on` with the number of those of each page. None where some of them are
    /// stored otherwise, cannot be read or are not to be: then the categories are worth nothing.
    pub(super) fn push_column(
        &self,
        position: usize,
        categories: &mut CategoryBuilder,
        go_on: impl Fn(usize) -> bool,
    ) -> Option<()> {
        let schema = self.metadata.file_metadata().schema_descr();
        let column = schema.column(position);
        let groups = self.metadata.row_groups();
        let is_listed = column.physical_type() == Type::BYTE_ARRAY
            && column.max_rep_level() == 0
            && column.max_def_level() <= 1
            && groups.iter().all(|group| is_list(group.column(position)));
        if !is_listed {
            return None;
        }
        let n_records = usize::try_from(self.metadata.file_metadata().num_rows()).ok()?;
        categories.reserve(n_records);
        for group in groups {
            let n_records = usize::try_from(group.num_rows()).ok()?;
            let part = Part {
                chunk: group.column(position),
                n_records,
                has_levels: column.max_def_level() == 1,
            };
            self.push_part(&part, categories, &go_on)?;
        }
        Some(())
    }

    fn push_part(
        &self,
        part: &Part<'_>,
        categories: &mut CategoryBuilder,
        go_on: impl Fn(usize) -> bool,
    ) -> Option<()> {
        let (start, n_bytes) = part.chunk.byte_range();
        // A damaged footer may tell of more than there is room for.
        start
            .checked_add(n_bytes)
            .filter(|&end| end <= self.n_bytes)?;
        let n_bytes = usize::try_from(n_bytes).ok()?;
        // The lock is given back before the pages are decoded.
        let bytes = self.file.lock().ok()?.get_bytes(start, n_bytes).ok()?;
        let start = i64::try_from(start).ok()?;
        let chunk = part.chunk.clone().into_builder();
        let chunk = chunk
            .set_dictionary_page_offset(
                (part.chunk.dictionary_page_offset()).map(|offset| offset - start),
            )
            .set_data_page_offset(part.chunk.data_page_offset() - start)
            .build()
            .ok()?;
        let pages = SerializedPageReader::new(Arc::new(bytes), &chunk, part.n_records, None);
        let mut pages = pages.ok()?;
        let list = pages.get_next_page().ok()??;
        let texts = texts_of(&list)?;
        let mut cells = Cells {
            listed: ListedTexts::new(categories, &texts),
            has_levels: part.has_levels,
            numbers: Vec::new(),
            levels: Vec::new(),
        };
        let mut n_done = 0;
        while let Some(page) = pages.get_next_page().ok()? {
            let n_cells = cells.push_page(&page)?;
            n_done += n_cells;
            if !go_on(n_cells) {
                return None;
            }
        }
        (n_done == part.n_records).then_some(())
    }
}

/// What a column holds of one group of records.
struct Part<'a> {
    chunk: &'a ColumnChunkMetaData,
    n_records: usize,
    /// Whether it is stored which cells have a value.
    has_levels: bool,
}

/// The texts of a list.
fn texts_of(page: &Page) -> Option<Vec<Option<&str>>> {
    let Page::DictionaryPage {
        buf,
        num_values,
        encoding: Encoding::PLAIN | Encoding::PLAIN_DICTIONARY,
        ..
    } = page
    else {
        return None;
    };
    let n_texts = usize::try_from(*num_values).ok()?;
    if n_texts > MOST_TEXTS {
        return None;
    }
    let mut bytes: &[u8] = buf;
    let mut texts = Vec::with_capacity(n_texts);
    for _ in 0..n_texts {
        let text = take_counted(&mut bytes)?;
        texts.push(Some(std::str::from_utf8(text).ok()?));
    }
    Some(texts)
}

/// Bytes after their number.
fn take_counted<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let (n_bytes, rest) = bytes.split_first_chunk()?;
    let n_bytes = usize::try_from(u32::from_le_bytes(*n_bytes)).ok()?;
    let (counted, rest) = rest.split_at_checked(n_bytes)?;
    *bytes = rest;
    Some(counted)
}

/// Cells that are added page by page.
struct Cells<'a> {
    listed: ListedTexts<'a>,
    has_levels: bool,
    /// Of the cells of a page that have a value, their numbers in the list.
    numbers: Vec<u8>,
    /// Of all cells of a page, 1 where there is a value.
    levels: Vec<u8>,
}

impl Cells<'_> {
    /// Adds the cells of a page, and gives their number.
    fn push_page(&mut self, page: &Page) -> Option<usize> {
        let (levels, values, n_cells, said_values) = match page {
            Page::DataPage {
                buf,
                num_values,
                encoding: Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY,
                def_level_encoding,
                ..
            } => {
                let mut values: &[u8] = buf;
                let mut levels: &[u8] = &[];
                if self.has_levels {
                    if *def_level_encoding != Encoding::RLE {
                        return None;
                    }
                    levels = take_counted(&mut values)?;
                }
                (levels, values, *num_values, None)
            }
            // Without repetition a page has as many records as cells.
            Page::DataPageV2 {
                buf,
                num_values,
                num_nulls,
                num_rows,
                encoding: Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY,
                def_levels_byte_len,
                rep_levels_byte_len: 0,
                ..
            } if num_rows == num_values => {
                let n_bytes = usize::try_from(*def_levels_byte_len).ok()?;
                let (levels, values) = buf.split_at_checked(n_bytes)?;
                let n_values = num_values.checked_sub(*num_nulls)?;
                (levels, values, *num_values, Some(n_values))
            }
            _ => return None,
        };
        let n_cells = usize::try_from(n_cells).ok()?;
        let n_values = self.read_levels(levels, n_cells)?;
        // The decoder would go by what is said; where that is wrong, it is the one to tell.
        if said_values.is_some_and(|said| usize::try_from(said) != Ok(n_values)) {
            return None;
        }
        let (&n_bits, runs) = values.split_first()?;
        self.numbers.clear();
        unpack(runs, n_bits, n_values, &mut self.numbers)?;
        self.push_cells(n_cells)?;
        Some(n_cells)
    }

    /// Reads which cells have a value, and gives the number of those.
    fn read_levels(&mut self, levels: &[u8], n_cells: usize) -> Option<usize> {
        self.levels.clear();
        if !self.has_levels || is_run_of(levels, 1, n_cells) {
            return Some(n_cells);
        }
        unpack(levels, 1, n_cells, &mut self.levels)?;
        let largest = self
            .levels
            .iter()
            .fold(0, |largest, &level| largest.max(level));
        let n_values = || self.levels.iter().map(|&level| usize::from(level)).sum();
        (largest <= 1).then(n_values)
    }

    fn push_cells(&mut self, n_cells: usize) -> Option<()> {
        if self.numbers.len() == n_cells {
            return self.listed.push_bytes(&self.numbers);
        }
        let (mut levels, mut numbers) = (self.levels.as_slice(), self.numbers.as_slice());
        while let Some(n_there) = memchr(0, levels) {
            let (there, rest) = numbers.split_at_checked(n_there)?;
            self.listed.push_bytes(there)?;
            self.listed.push_nulls(1);
            (levels, numbers) = (&levels[n_there + 1..], rest);
        }
        self.listed.push_bytes(numbers)
    }
}

#[cfg(test)]
mod tests;
