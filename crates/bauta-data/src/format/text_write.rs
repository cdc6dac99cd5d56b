//! Writes delimited text.

use std::io::Write;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::{Encoding, HashingWriter, LineEnding, TextStyle, sniff};
use crate::column::{Column, Values};
use crate::fingerprint::Fingerprint;
use crate::problem::{DataError, DataProblem, ProblemList};
use crate::table::Table;
use crate::watch::Watch;

/// Records that one thread formats at a time.
const BLOCK_RECORDS: usize = 4096;

/// Writes a table in a given style.
pub(super) fn write(
    mut out: HashingWriter<'_>,
    path: &Path,
    table: &Table,
    style: TextStyle,
    watch: &dyn Watch,
) -> Result<Fingerprint, DataError> {
    if let Some(problem) = sniff::unusable_delimiter(style.delimiter) {
        return Err(DataError::one(path, problem));
    }
    check_encoding(path, table, style.encoding)?;
    let formatter = Formatter::new(table, style);
    let io_error = |error| DataError::io(path, "write", &error);
    out.write_all(&formatter.header()).map_err(io_error)?;
    // Each round, one thread writes the blocks of the round before while all format new ones.
    // The bytes are the same for any number of threads.
    let n_records = table.n_records();
    let n_blocks = n_records.div_ceil(BLOCK_RECORDS);
    let round = 2 * rayon::current_num_threads();
    let mut waiting: Vec<Vec<u8>> = Vec::new();
    let mut next_block = 0;
    while next_block < n_blocks || !waiting.is_empty() {
        if watch.cancelled() {
            return Err(DataError::cancelled(path));
        }
        let blocks = next_block..n_blocks.min(next_block + round);
        next_block = blocks.end;
        let (written, formatted) = rayon::join(
            || waiting.iter().try_for_each(|block| out.write_all(block)),
            || {
                blocks
                    .into_par_iter()
                    .map(|block| formatter.block(block))
                    .collect()
            },
        );
        written.map_err(io_error)?;
        waiting = formatted;
        let n_done = n_records.min(next_block * BLOCK_RECORDS);
        watch.progress(n_done as u64, n_records as u64);
    }
    out.flush().map_err(io_error)?;
    Ok(out.hasher.finish())
}

struct Formatter<'a> {
    table: &'a Table,
    style: TextStyle,
    /// Whether a field with this byte must be quoted.
    special: [bool; 256],
}

impl<'a> Formatter<'a> {
    fn new(table: &'a Table, style: TextStyle) -> Self {
        let mut special = [false; 256];
        for byte in [style.delimiter, b'"', b'\n', b'\r'] {
            special[usize::from(byte)] = true;
        }
        Self {
            table,
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
        for (attr_idx, name) in self.table.names().enumerate() {
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
        self.encode(out)
    }

    fn block(&self, block: usize) -> Vec<u8> {
        let first = block * BLOCK_RECORDS;
        let records: Range<usize> = first..self.table.n_records().min(first + BLOCK_RECORDS);
        let mut out = String::with_capacity(records.len() * self.table.columns().len() * 6);
        for record in records {
            for (attr_idx, column) in self.table.columns().iter().enumerate() {
                let start = self.start_field(&mut out, attr_idx);
                column.write_text(record, self.style.decimal, &mut out);
                self.quote_if_needed(&mut out, start);
            }
            self.end_record(&mut out);
        }
        self.encode(out)
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
        let vanishes = field.is_empty() && self.table.columns().len() == 1;
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

    fn encode(&self, text: String) -> Vec<u8> {
        self.style.encoding.encode(text)
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
                column.is_missing(record) || fits[categorical.codes[record] as usize]
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
