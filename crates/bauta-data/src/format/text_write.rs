//! Writes delimited text.

mod block;
mod ready_fields;

use std::io::Write;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use self::block::{TextBlock, quoted};
use self::ready_fields::ReadyFields;
use super::{Encoding, HashingWriter, LineEnding, TextStyle, sniff};
use crate::codes::Codes;
use crate::column::{Categorical, Column, Texts, Values};
use crate::fingerprint::WrittenBytes;
use crate::levels::Levels;
use crate::number::DecimalMark;
use crate::problem::{DataError, DataProblem, ProblemList};
use crate::table::Table;
use crate::watch::Watch;

/// Records that one thread formats at a time: their text stays in its cache.
const BLOCK_RECORDS: usize = 2048;

/// Blocks that wait to be written, for each thread.
const BLOCKS_OF_A_THREAD: usize = 4;

/// Writes a table in a given style.
pub(super) fn write(
    mut out: HashingWriter<'_>,
    path: &Path,
    table: &Table,
    style: TextStyle,
    watch: &dyn Watch,
) -> Result<WrittenBytes, DataError> {
    if let Some(problem) = sniff::unusable_delimiter(style.delimiter) {
        return Err(DataError::one(path, problem));
    }
    check_encoding(path, table, style.encoding)?;
    if table.is_stored() {
        write_slices(&mut out, path, table, style, watch)?;
    } else {
        let formatter = Formatter::new(table, style);
        let header = out.write_all(&formatter.header());
        header.map_err(|error| DataError::io(path, "write", &error))?;
        let n_records = table.n_records();
        write_records(&mut out, path, &formatter, &|n_done| {
            watch.progress(n_done as u64, n_records as u64);
            watch.cancelled()
        })?;
    }
    let flushed = out.flush();
    flushed.map_err(|error| DataError::io(path, "write", &error))?;
    Ok(out.hasher.finish())
}

/// Records of a table in a store that are read at a time.
const SLICE_RECORDS: usize = 1 << 18;

/// Writes a table that lies in a store: some records are written while those after them are read.
fn write_slices(
    out: &mut HashingWriter<'_>,
    path: &Path,
    table: &Table,
    style: TextStyle,
    watch: &dyn Watch,
) -> Result<(), DataError> {
    let n_records = table.n_records();
    let slice = |first: usize| {
        let read = table.slice(first..n_records.min(first + SLICE_RECORDS));
        read.map_err(|error| DataError::put_aside(path, &error))
    };
    let mut first = 0;
    let mut part = slice(first)?;
    let header = out.write_all(&Formatter::new(&part, style).header());
    header.map_err(|error| DataError::io(path, "write", &error))?;
    while first < n_records {
        let next = first + part.n_records();
        let formatter = Formatter::new(&part, style);
        let (following, written) = rayon::join(
            || (next < n_records).then(|| slice(next)).transpose(),
            || {
                write_records(out, path, &formatter, &|n_done| {
                    watch.progress((first + n_done) as u64, n_records as u64);
                    watch.cancelled()
                })
            },
        );
        written?;
        first = next;
        match following? {
            Some(following) => part = following,
            None => break,
        }
    }
    Ok(())
}

/// Writes all records of a table. `is_to_stop` is told how many are done.
fn write_records(
    out: &mut HashingWriter<'_>,
    path: &Path,
    formatter: &Formatter<'_>,
    is_to_stop: &(dyn Fn(usize) -> bool + Sync),
) -> Result<(), DataError> {
    // Each round, one thread writes the blocks of the round before while all format new ones.
    // The bytes are the same for any number of threads. Both rounds keep their memory: given back
    // and asked for again, each of its pages would be cleared anew by the system.
    let n_records = formatter.n_records;
    let n_blocks = n_records.div_ceil(BLOCK_RECORDS);
    let round = BLOCKS_OF_A_THREAD * rayon::current_num_threads();
    let mut waiting: Vec<Block> = Vec::new();
    let mut formatted: Vec<Block> = Vec::new();
    let mut next_block = 0;
    while next_block < n_blocks || !waiting.is_empty() {
        if is_to_stop(n_records.min(next_block * BLOCK_RECORDS)) {
            return Err(DataError::cancelled(path));
        }
        let blocks = next_block..n_blocks.min(next_block + round);
        next_block = blocks.end;
        formatted.resize_with(blocks.len(), Block::default);
        let (written, ()) = rayon::join(
            || {
                let mut waiting = waiting.iter();
                waiting.try_for_each(|block| out.write_all(block.bytes()))
            },
            || {
                let blocks = blocks.into_par_iter().zip(formatted.par_iter_mut());
                blocks.for_each(|(number, block)| formatter.fill(number, block));
            },
        );
        written.map_err(|error| DataError::io(path, "write", &error))?;
        std::mem::swap(&mut waiting, &mut formatted);
    }
    is_to_stop(n_records);
    Ok(())
}

/// Some records as they are written.
#[derive(Default)]
struct Block {
    text: TextBlock,
    /// The same in the letters of the file, where these are not UTF-8.
    encoded: Option<Vec<u8>>,
}

impl Block {
    fn bytes(&self) -> &[u8] {
        self.encoded.as_deref().unwrap_or(self.text.as_bytes())
    }
}

struct Formatter<'a> {
    columns: Vec<Cells<'a>>,
    n_records: usize,
    names: Vec<&'a str>,
    style: TextStyle,
    special: Special,
}

/// What makes a field need quotes.
struct Special {
    /// Whether a field with this byte must be quoted.
    bytes: [bool; 256],
    /// A file with one column has an empty line for an empty field, which is no record.
    empty: bool,
    /// Whether numbers are written with one of these bytes.
    in_numbers: bool,
}

impl Special {
    fn of(style: TextStyle, n_columns: usize) -> Self {
        let mut bytes = [false; 256];
        for byte in [style.delimiter, b'"', b'\n', b'\r'] {
            bytes[usize::from(byte)] = true;
        }
        let mark = match style.decimal {
            DecimalMark::Point => b'.',
            DecimalMark::Comma => b',',
        };
        let mut of_numbers = b"0123456789-einfNa".iter().chain([&mark]);
        Self {
            bytes,
            empty: n_columns == 1,
            in_numbers: of_numbers.any(|&byte| bytes[usize::from(byte)]),
        }
    }

    fn is_in(&self, field: &[u8]) -> bool {
        let is_empty = self.empty && field.is_empty();
        is_empty || field.iter().any(|&byte| self.bytes[usize::from(byte)])
    }

    fn put(&self, text: &str, out: &mut TextBlock) {
        if self.is_in(text.as_bytes()) {
            out.put(&quoted(text.as_bytes()));
        } else {
            out.put(text.as_bytes());
        }
    }

    fn quote_if_needed(&self, out: &mut TextBlock, place: usize) {
        if self.is_in(out.from(place)) {
            out.quote_from(place);
        }
    }
}

/// A column, and what is known of all its cells before the first is written.
struct Cells<'a> {
    source: CellSource<'a>,
    missing: Option<MissingFields<'a>>,
}

/// Where there is no value, and what is written there.
struct MissingFields<'a> {
    /// State of each record: 0 where there is a value.
    states: &'a [u8],
    fields: ReadyFields,
}

/// Where the text of a cell comes from. The frequent cases are told apart once for a column, and not
/// for every cell.
enum CellSource<'a> {
    Numbers {
        values: &'a [f64],
        decimals: u8,
    },
    /// Few categories, by code.
    Ready {
        codes: &'a Codes,
        fields: ReadyFields,
    },
    Categories {
        codes: &'a Codes,
        levels: &'a Levels,
    },
    /// Kept texts, exact numbers and dates, numbers with a character that must be quoted, and columns that nobody looked at:
    /// these go from text to text.
    Other(&'a Column),
}

/// Categories that are made ready to be written. More of them would not stay in the cache.
const MOST_READY: usize = 1 << 14;

impl<'a> Cells<'a> {
    fn of(column: &'a Column, special: &Special) -> Self {
        if column.is_unread() && column.unread_texts(0).is_some() {
            // The text of a missing cell is what it is written as.
            return Self {
                source: CellSource::Other(column),
                missing: None,
            };
        }
        let put = |text: &str, out: &mut TextBlock| special.put(text, out);
        let missing = column.missing().map(|missing| {
            let marks = missing.marks().iter().map(|mark| mark.text.as_str());
            MissingFields {
                states: missing.states(),
                fields: ReadyFields::of(marks, put),
            }
        });
        let source = match column.values() {
            Values::Numeric(values) if is_plain(column) && !special.in_numbers => {
                CellSource::Numbers {
                    values,
                    decimals: column.number_text().decimals,
                }
            }
            Values::Numeric(_) => CellSource::Other(column),
            Values::Categorical(Categorical { codes, levels }) if levels.len() <= MOST_READY => {
                let fields = ReadyFields::of(levels.iter(), put);
                CellSource::Ready { codes, fields }
            }
            Values::Categorical(Categorical { codes, levels }) => {
                CellSource::Categories { codes, levels }
            }
        };
        Self { source, missing }
    }

    /// The texts of its cells from a record on, if they are still to be read.
    fn unread_texts(&self, record: usize) -> Option<Texts<'a>> {
        match self.source {
            CellSource::Other(column) => column.unread_texts(record),
            _ => None,
        }
    }
}

/// Whether the cells are written as their doubles are spelled.
fn is_plain(column: &Column) -> bool {
    let spelling = column.number_text();
    spelling.verbatim.is_none() && spelling.date.is_none() && column.exact().is_none()
}

impl<'a> Formatter<'a> {
    fn new(table: &'a Table, style: TextStyle) -> Self {
        let special = Special::of(style, table.columns().len());
        let columns = table.columns().par_iter();
        Self {
            columns: columns.map(|column| Cells::of(column, &special)).collect(),
            n_records: table.n_records(),
            names: table.names().collect(),
            style,
            special,
        }
    }

    fn header(&self) -> Vec<u8> {
        let mut out = TextBlock::default();
        out.clear();
        let can_be_marked = !matches!(
            self.style.encoding,
            Encoding::Latin1 | Encoding::Windows1252
        );
        if self.style.byte_order_mark && can_be_marked {
            out.put("\u{feff}".as_bytes());
        }
        // The byte-order mark of UTF-8, in the letters of the file.
        let mark = self.style.encoding.look_of_mark();
        let (ends, rest_of_end) = self.ends();
        for (attr_idx, (name, &end)) in self.names.iter().zip(&ends).enumerate() {
            // Unquoted, this would be taken for the byte-order mark of the file.
            if attr_idx == 0 && name.starts_with(mark) {
                out.put(&quoted(name.as_bytes()));
            } else {
                self.special.put(name, &mut out);
            }
            out.put_byte(end);
        }
        out.put(rest_of_end.as_slice());
        self.encode(&out).unwrap_or_else(|| out.as_bytes().to_vec())
    }

    fn fill(&self, number: usize, block: &mut Block) {
        let first = number * BLOCK_RECORDS;
        let records: Range<usize> = first..self.n_records.min(first + BLOCK_RECORDS);
        block.text.clear();
        let (ends, rest_of_end) = self.ends();
        let unread = (self.columns.iter()).map(|cells| cells.unread_texts(first));
        let mut unread: Vec<Option<Texts<'_>>> = unread.collect();
        for record in records {
            let columns = self.columns.iter().zip(&mut unread).zip(&ends);
            for ((cells, unread), &end) in columns {
                match unread.as_mut().and_then(Iterator::next) {
                    Some(text) => {
                        self.special.put(&text, &mut block.text);
                        block.text.put_byte(end);
                    }
                    None => self.put(cells, record, end, &mut block.text),
                }
            }
            if let Some(byte) = rest_of_end {
                block.text.put_byte(byte);
            }
        }
        block.encoded = self.encode(&block.text);
    }

    /// What each field of a record ends with, and what more the last.
    fn ends(&self) -> (Vec<u8>, Option<u8>) {
        let mut ends = vec![self.style.delimiter; self.columns.len()];
        let (last, rest) = match self.style.line_ending {
            LineEnding::Lf => (b'\n', None),
            LineEnding::CrLf => (b'\r', Some(b'\n')),
        };
        if let Some(end) = ends.last_mut() {
            *end = last;
        }
        (ends, rest)
    }

    #[inline]
    fn put(&self, cells: &Cells<'_>, record: usize, end: u8, out: &mut TextBlock) {
        if let Some(MissingFields { states, fields }) = &cells.missing
            && let Some(mark) = usize::from(states[record]).checked_sub(1)
        {
            return fields.put(mark, end, out);
        }
        match &cells.source {
            CellSource::Numbers { values, decimals } => {
                out.put_number(values[record], *decimals, self.style.decimal, end);
            }
            CellSource::Ready { codes, fields } => fields.put(codes.at(record) as usize, end, out),
            CellSource::Categories { codes, levels } => {
                self.special.put(levels.text(codes.at(record)), out);
                out.put_byte(end);
            }
            CellSource::Other(column) => {
                let place = out.place();
                out.put_spelled(|text| column.write_text(record, self.style.decimal, text));
                self.special.quote_if_needed(out, place);
                out.put_byte(end);
            }
        }
    }

    /// A text in the letters of the file; `None` where it is in them already.
    fn encode(&self, text: &TextBlock) -> Option<Vec<u8>> {
        let encoding = self.style.encoding;
        (encoding != Encoding::Utf8).then(|| {
            let text = str::from_utf8(text.as_bytes());
            encoding.encode(text.expect("it is made of texts"))
        })
    }
}

/// Finds the variables with a character that an encoding does not have.
fn check_encoding(path: &Path, table: &Table, encoding: Encoding) -> Result<(), DataError> {
    let mut problems = ProblemList::default();
    for column in table.columns() {
        let fits = column.looked_at(|column| column_fits(column, encoding));
        if !(encoding.can_write(column.name()) && fits) {
            problems.push_with(|| {
                DataProblem::file(
                    format!(
                        "holds a character that cannot be written as {}",
                        encoding.in_words()
                    ),
                    "write the file as UTF-8",
                )
                .of_variable(column.name())
            });
        }
    }
    problems.into_result(path)
}

fn column_fits(column: &Column, encoding: Encoding) -> bool {
    if matches!(
        encoding,
        Encoding::Utf8 | Encoding::Utf16Le | Encoding::Utf16Be
    ) {
        return true;
    }
    let fits = |text: &str| encoding.can_write(text);
    let marks = column.missing().map_or(&[][..], |cells| cells.marks());
    let marks_fit = marks.iter().all(|mark| fits(&mark.text));
    let values_fit = match column.values() {
        // Numbers are ASCII, and so are the texts that are read as numbers or dates.
        Values::Numeric(_) => true,
        Values::Categorical(categorical) => {
            let fits: Vec<bool> = categorical.levels.iter().map(fits).collect();
            let cell_fits = |record: usize| {
                column.is_missing(record) || fits[categorical.codes.at(record) as usize]
            };
            // Levels may be left over that no record has any more.
            fits.iter().all(|&fits| fits) || (0..column.len()).all(cell_fits)
        }
    };
    let mark_is_written = |record: usize| {
        column
            .missing_mark(record)
            .is_some_and(|mark| !fits(&mark.text))
    };
    values_fit && (marks_fit || !(0..column.len()).any(mark_is_written))
}
