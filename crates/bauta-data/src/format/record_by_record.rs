//! Reads text record by record: the header of every file, and files whose lines only this way tells.

use std::path::Path;

use csv::ByteRecord;
use rayon::prelude::*;

use super::builder::{ColumnBuilder, Place};
use super::faulty_records::{Irregular, Landmark, Told, open_quote, stray_quote, too_many_records};
use super::sniff::count_lines;
use super::{LineEnding, quotes};
use crate::problem::{DataError, DataProblem, ProblemList};
use crate::watch::Watch;

/// Records that are cut into fields while the ones before are turned into values.
const BATCH_RECORDS: usize = 2048;

const NOT_UTF8: &str = "is not valid UTF-8";
const NOT_UTF8_HINT: &str =
    "save the file as UTF-8, or state what it is: encoding = \"windows-1252\"";

/// Cuts the next batch into fields while the columns of the last one are turned into values.
pub(super) fn read_records(
    path: &Path,
    tokeniser: &mut Tokeniser<'_>,
    columns: &mut [ColumnBuilder],
    problems: &mut ProblemList,
    watch: &dyn Watch,
) -> Result<Told, DataError> {
    let text = tokeniser.text;
    let total = text.len() as u64;
    let mut batch = Batch::default();
    let mut next = Batch::default();
    tokeniser.fill(&mut batch);
    while batch.start.offset < batch.end {
        if watch.cancelled() {
            return Err(DataError::cancelled(path));
        }
        let delimiter = tokeniser.delimiter;
        let (stray, ()) = rayon::join(
            || {
                tokeniser.fill(&mut next);
                quotes::faults(&text[batch.start.offset..batch.end], delimiter).stray
            },
            || {
                columns
                    .par_iter_mut()
                    .enumerate()
                    .for_each(|(attr_idx, column)| {
                        batch.push_column(text, attr_idx, column);
                    });
            },
        );
        for (offset, field) in stray {
            problems.push_with(|| {
                let line = batch.start.line_at(text, batch.start.offset + offset);
                stray_quote(line, columns.get(field).map(ColumnBuilder::name))
            });
        }
        watch.progress(batch.end as u64, total);
        std::mem::swap(&mut batch, &mut next);
    }
    Ok(Told {
        n_records: tokeniser.n_records,
        problems: std::mem::take(&mut tokeniser.problems),
        irregular: std::mem::take(&mut tokeniser.irregular),
        waiting: Vec::new(),
    })
}

/// Some records of the file, cut into fields.
#[derive(Default)]
struct Batch {
    /// The first `n_records` are in use; the rest waits to be filled again.
    records: Vec<ByteRecord>,
    n_records: usize,
    start: Landmark,
    /// Where the batch ends in the text.
    end: usize,
}

impl Batch {
    fn push_column(&self, text: &[u8], attr_idx: usize, column: &mut ColumnBuilder) {
        for record in &self.records[..self.n_records] {
            let place = || Place::Line(self.start.line_at(text, record_start(text, record)));
            match std::str::from_utf8(&record[attr_idx]) {
                Ok(field) => column.push(field, place),
                Err(_) => column.refuse(place, NOT_UTF8, NOT_UTF8_HINT),
            }
        }
    }
}

/// Where the first field of a record starts: the tokeniser counts line ends before it in.
fn record_start(text: &[u8], record: &ByteRecord) -> usize {
    let start = record
        .position()
        .map_or(0, |position| position.byte() as usize);
    start
        + text[start..]
            .iter()
            .take_while(|&&byte| is_line_end(byte))
            .count()
}

pub(super) fn is_line_end(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

/// Cuts text into records of equal length and notes those that are not.
pub(super) struct Tokeniser<'a> {
    reader: csv::Reader<&'a [u8]>,
    text: &'a [u8],
    pub(super) delimiter: u8,
    pub(super) n_fields: usize,
    pub(super) header_line: u64,
    pub(super) line_ending: LineEnding,
    n_records: u64,
    /// Line of the place that was reached.
    pub(super) line: u64,
    irregular: Irregular,
    problems: ProblemList,
}

impl<'a> Tokeniser<'a> {
    pub(super) fn new(text: &'a [u8], delimiter: u8) -> Self {
        let reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(false)
            .flexible(true)
            .buffer_capacity(1 << 16)
            .from_reader(text);
        Self {
            reader,
            text,
            delimiter,
            n_fields: 0,
            header_line: 1,
            line_ending: LineEnding::Lf,
            n_records: 0,
            line: 1,
            irregular: Irregular::default(),
            problems: ProblemList::default(),
        }
    }

    /// How far the text was read.
    pub(super) fn reached(&self) -> usize {
        // At the end of a record that ends with CR LF, the tokeniser has not taken the LF yet.
        let reached = self.reader.position().byte() as usize;
        let within_line_end = reached > 0
            && self.text.get(reached) == Some(&b'\n')
            && self.text[reached - 1] == b'\r';
        reached + usize::from(within_line_end)
    }

    /// Reads the next record, if there is one. Reading from memory cannot fail otherwise.
    pub(super) fn next(&mut self, record: &mut ByteRecord) -> bool {
        self.reader.read_byte_record(record).unwrap_or(false)
    }

    /// The names of the columns; `None` if there is no line, or none that ends.
    pub(super) fn header(&mut self, problems: &mut ProblemList) -> Option<Vec<String>> {
        let mut record = ByteRecord::new();
        if !self.next(&mut record) {
            return None;
        }
        let start = record_start(self.text, &record);
        let end = self.reached();
        self.header_line = 1 + count_lines(&self.text[..start]);
        if self.has_open_quote(start, end) {
            problems.append(std::mem::take(&mut self.problems));
            return None;
        }
        for (offset, field) in quotes::faults(&self.text[start..end], self.delimiter).stray {
            let line = self.header_line + count_lines(&self.text[start..start + offset]);
            problems.push_with(|| {
                DataProblem::file(
                    format!(
                        "text follows the closing quote of the name of column {}",
                        field + 1
                    ),
                    "double the quotes within a quoted field",
                )
                .at_line(line)
            });
        }
        if self.text[start..end].ends_with(b"\r\n") {
            self.line_ending = LineEnding::CrLf;
        }
        self.line = 1 + count_lines(&self.text[..end]);
        self.n_fields = record.len();
        let name = |(position, field): (usize, &[u8])| {
            if std::str::from_utf8(field).is_err() {
                problems.push_with(|| {
                    let message = format!("the name of column {} {NOT_UTF8}", position + 1);
                    DataProblem::file(message, NOT_UTF8_HINT).at_line(self.header_line)
                });
            }
            String::from_utf8_lossy(field).into_owned()
        };
        Some(record.iter().enumerate().map(name).collect())
    }

    /// Fills a batch with the next records that have as many fields as the header.
    fn fill(&mut self, batch: &mut Batch) {
        batch.start = Landmark {
            offset: self.reached(),
            line: self.line,
        };
        batch.n_records = 0;
        for _ in 0..BATCH_RECORDS {
            if batch.n_records == batch.records.len() {
                batch.records.push(ByteRecord::new());
            }
            let from = self.reached();
            let record = &mut batch.records[batch.n_records];
            if !self.next(record) {
                break;
            }
            batch.n_records += usize::from(self.is_sound(from, record, batch.start));
        }
        batch.end = self.reached();
        self.line = batch.start.line_at(self.text, batch.end);
        self.n_records += batch.n_records as u64;
        if self.n_records > u64::from(u32::MAX) && batch.n_records > 0 {
            self.problems
                .push_with(|| too_many_records(batch.start.line));
        }
    }

    /// Whether a record can be used; what is wrong with it is noted. `from` is where the record
    /// before it ended.
    fn is_sound(&mut self, from: usize, record: &ByteRecord, batch_start: Landmark) -> bool {
        let start = record_start(self.text, record);
        if self.n_fields == 1 && start > from {
            self.problems.push_with(|| {
                DataProblem::file(
                    "the line is blank, so it is not clear whether it is a record",
                    "delete it, or write \"\" for a missing value in a file with one column",
                )
                .at_line(batch_start.line_at(self.text, from))
            });
            return false;
        }
        let end = self.reached();
        if end == self.text.len() && self.has_open_quote(start, end) {
            return false;
        }
        let (expected, found) = (self.n_fields, record.len());
        if found == expected {
            return true;
        }
        let line = || batch_start.line_at(self.text, start);
        self.irregular.note(found, expected, line);
        false
    }

    /// Whether the text ends within a quoted field of its last record, which is then noted.
    fn has_open_quote(&mut self, start: usize, end: usize) -> bool {
        let open = quotes::faults(&self.text[start..end], self.delimiter).open;
        if let Some(offset) = open {
            let line = 1 + count_lines(&self.text[..start + offset]);
            self.problems.push_with(|| open_quote(line));
        }
        open.is_some()
    }
}
