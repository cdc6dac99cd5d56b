//! Writes delimited text.

use std::io::Write;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::{Encoding, HashingWriter, LineEnding, TextStyle, sniff};
use crate::codes::Codes;
use crate::column::{Column, Values};
use crate::fingerprint::WrittenBytes;
use crate::levels::Levels;
use crate::missing::MissingCells;
use crate::number::write_number;
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
    let formatter = Formatter::new(table, style);
    let io_error = |error| DataError::io(path, "write", &error);
    out.write_all(&formatter.header()).map_err(io_error)?;
    // Each round, one thread writes the blocks of the round before while all format new ones.
    // The bytes are the same for any number of threads. Both rounds keep their memory: given back
    // and asked for again, each of its pages would be cleared anew by the system.
    let n_records = table.n_records();
    let n_blocks = n_records.div_ceil(BLOCK_RECORDS);
    let round = BLOCKS_OF_A_THREAD * rayon::current_num_threads();
    let mut waiting: Vec<Block> = Vec::new();
    let mut formatted: Vec<Block> = Vec::new();
    let mut next_block = 0;
    while next_block < n_blocks || !waiting.is_empty() {
        if watch.cancelled() {
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
        written.map_err(io_error)?;
        std::mem::swap(&mut waiting, &mut formatted);
        let n_done = n_records.min(next_block * BLOCK_RECORDS);
        watch.progress(n_done as u64, n_records as u64);
    }
    out.flush().map_err(io_error)?;
    Ok(out.hasher.finish())
}

/// Some records as they are written.
#[derive(Default)]
struct Block {
    text: String,
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
    /// Whether a field with this byte must be quoted.
    special: [bool; 256],
}

/// A column, and what is known of all its cells before the first is written.
struct Cells<'a> {
    column: &'a Column,
    source: CellSource<'a>,
    /// State of each record: 0 where there is a value.
    missing: Option<&'a MissingCells>,
    /// Whether a cell with a value may have to be quoted.
    may_need_quotes: bool,
}

/// Where the text of a cell comes from. The frequent cases are told apart once for a column, and not
/// for every cell.
enum CellSource<'a> {
    Numbers {
        values: &'a [f64],
        decimals: u8,
    },
    Categories {
        codes: &'a Codes,
        levels: &'a Levels,
    },
    /// Kept texts, exact numbers and dates.
    Other,
}

impl<'a> Cells<'a> {
    fn of(column: &'a Column, is_special: impl Fn(&str) -> bool) -> Self {
        let spelling = column.number_text();
        let source = match column.values() {
            Values::Numeric(values)
                if spelling.verbatim.is_none()
                    && spelling.date.is_none()
                    && column.exact().is_none() =>
            {
                CellSource::Numbers {
                    values,
                    decimals: spelling.decimals,
                }
            }
            Values::Numeric(_) => CellSource::Other,
            Values::Categorical(categorical) => CellSource::Categories {
                codes: &categorical.codes,
                levels: &categorical.levels,
            },
        };
        let may_need_quotes = match &source {
            CellSource::Numbers { .. } => is_special("0123456789-.,eEinfNa"),
            CellSource::Categories { levels, .. } => levels.iter().any(is_special),
            CellSource::Other => true,
        };
        Self {
            column,
            source,
            missing: column.missing(),
            may_need_quotes,
        }
    }
}

impl<'a> Formatter<'a> {
    fn new(table: &'a Table, style: TextStyle) -> Self {
        let mut special = [false; 256];
        for byte in [style.delimiter, b'"', b'\n', b'\r'] {
            special[usize::from(byte)] = true;
        }
        let is_special = |text: &str| text.bytes().any(|byte| special[usize::from(byte)]);
        let columns = table.columns().par_iter();
        Self {
            columns: columns
                .map(|column| Cells::of(column, is_special))
                .collect(),
            n_records: table.n_records(),
            names: table.names().collect(),
            style,
            special,
        }
    }

    fn header(&self) -> Vec<u8> {
        let mut out = String::new();
        let can_be_marked = !matches!(
            self.style.encoding,
            Encoding::Latin1 | Encoding::Windows1252
        );
        if self.style.byte_order_mark && can_be_marked {
            out.push('\u{feff}');
        }
        // The byte-order mark of UTF-8, in the letters of the file.
        let mark = self.style.encoding.look_of_mark();
        let first_field = out.len();
        for (attr_idx, name) in self.names.iter().enumerate() {
            let start = self.start_field(&mut out, attr_idx);
            out.push_str(name);
            // Unquoted, this would be taken for the byte-order mark of the file.
            if start == first_field && name.starts_with(mark) {
                quote(&mut out, start);
            } else {
                self.quote_if_needed(&mut out, start);
            }
        }
        self.end_record(&mut out);
        self.encode(&out).unwrap_or(out.into_bytes())
    }

    fn fill(&self, number: usize, block: &mut Block) {
        let first = number * BLOCK_RECORDS;
        let records: Range<usize> = first..self.n_records.min(first + BLOCK_RECORDS);
        block.text.clear();
        for record in records {
            for (attr_idx, cells) in self.columns.iter().enumerate() {
                let start = self.start_field(&mut block.text, attr_idx);
                self.put(cells, record, start, &mut block.text);
            }
            self.end_record(&mut block.text);
        }
        block.encoded = self.encode(&block.text);
    }

    fn put(&self, cells: &Cells<'_>, record: usize, start: usize, out: &mut String) {
        if let Some(mark) = cells.missing.and_then(|missing| missing.mark(record)) {
            out.push_str(&mark.text);
            return self.quote_if_needed(out, start);
        }
        match &cells.source {
            CellSource::Numbers { values, decimals } => {
                write_number(out, values[record], *decimals, self.style.decimal);
            }
            CellSource::Categories { codes, levels } => out.push_str(levels.text(codes.at(record))),
            CellSource::Other => cells.column.write_text(record, self.style.decimal, out),
        }
        if cells.may_need_quotes || out.len() == start {
            self.quote_if_needed(out, start);
        }
    }

    fn start_field(&self, out: &mut String, attr_idx: usize) -> usize {
        if attr_idx > 0 {
            out.push(char::from(self.style.delimiter));
        }
        out.len()
    }

    fn quote_if_needed(&self, out: &mut String, start: usize) {
        let field = &out.as_bytes()[start..];
        // A file with one column has an empty line for an empty field, which is no record.
        let vanishes = field.is_empty() && self.columns.len() == 1;
        if vanishes || field.iter().any(|&byte| self.special[usize::from(byte)]) {
            quote(out, start);
        }
    }

    fn end_record(&self, out: &mut String) {
        out.push_str(match self.style.line_ending {
            LineEnding::Lf => "\n",
            LineEnding::CrLf => "\r\n",
        });
    }

    /// A text in the letters of the file; `None` where it is in them already.
    fn encode(&self, text: &str) -> Option<Vec<u8>> {
        let encoding = self.style.encoding;
        (encoding != Encoding::Utf8).then(|| encoding.encode(text))
    }
}

/// Puts the field from `start` on in quotes.
fn quote(out: &mut String, start: usize) {
    let field = out.split_off(start);
    out.push('"');
    out.push_str(&field.replace('"', "\"\""));
    out.push('"');
}

/// Finds the variables with a character that an encoding does not have.
fn check_encoding(path: &Path, table: &Table, encoding: Encoding) -> Result<(), DataError> {
    let mut problems = ProblemList::default();
    for column in table.columns() {
        if !(encoding.can_write(column.name()) && column_fits(column, encoding)) {
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
