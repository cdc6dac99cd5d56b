//! Reads delimited text.

use std::borrow::Cow;
use std::path::Path;

use csv::ByteRecord;
use rayon::prelude::*;

use super::builder::{ColumnBuilder, Place};
use super::decimal_marks::{self, Marks};
use super::encoding::Decoded;
use super::memory::Allowance;
use super::sniff::{self, count_lines};
use super::suspicion::LooksLikeData;
use super::{Encoding, LineEnding, ReadOptions, TextStyle, header, quotes, suspicion, text_memory};
use crate::attribute::Schema;
use crate::number::{DecimalMark, ShownMark};
use crate::problem::{DataError, DataProblem, ProblemList};
use crate::remark::Remark;
use crate::table::Table;
use crate::watch::Watch;

/// Records that are cut into fields while the ones before are turned into values.
const BATCH_RECORDS: usize = 2048;

const NOT_UTF8: &str = "is not valid UTF-8";
const NOT_UTF8_HINT: &str =
    "save the file as UTF-8, or state what it is: encoding = \"windows-1252\"";

/// The text of a file, and what is known of its spelling before the first record.
struct Opened<'a> {
    text: Cow<'a, [u8]>,
    delimiter: u8,
    encoding: Encoding,
    byte_order_mark: bool,
    fault: Option<usize>,
}

fn open<'a>(path: &Path, bytes: &'a [u8], options: &ReadOptions) -> Result<Opened<'a>, DataError> {
    if let Some(problem) = sniff::not_text(bytes, options.encoding) {
        return Err(DataError::one(path, problem));
    }
    let Decoded {
        text,
        encoding,
        byte_order_mark,
        fault,
    } = options.encoding.decode(bytes);
    let delimiter = sniff::delimiter(path, &text, options);
    if let Some(problem) = sniff::unusable_delimiter(delimiter) {
        return Err(DataError::one(path, problem));
    }
    Ok(Opened {
        text,
        delimiter,
        encoding,
        byte_order_mark,
        fault,
    })
}

/// Whether the header of a text that may be cut off ends in it.
pub(super) fn holds_header(
    path: &Path,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<bool, DataError> {
    let opened = open(path, bytes, options)?;
    let mut tokeniser = Tokeniser::new(&opened.text, opened.delimiter);
    let found = tokeniser.next(&mut ByteRecord::new());
    Ok(found && tokeniser.reached() < opened.text.len())
}

/// The names in the header of a text that may be cut off after it. Variables that the schema
/// describes and the header lacks are the caller's to report.
pub(super) fn column_names(
    path: &Path,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<Vec<String>, DataError> {
    let opened = open(path, bytes, options)?;
    let mut tokeniser = Tokeniser::new(&opened.text, opened.delimiter);
    let mut problems = ProblemList::default();
    let names = tokeniser.header(&mut problems);
    if let Some(names) = &names {
        let line = Some(tokeniser.header_line);
        header::check(names, &Schema::default(), line, &mut problems);
    }
    problems.into_result(path)?;
    names.ok_or_else(|| DataError::one(path, empty_file()))
}

/// What was read of a text file.
pub(super) struct ReadText {
    pub(super) table: Table,
    pub(super) style: TextStyle,
    pub(super) remarks: Vec<Remark>,
    pub(super) shown_marks: Vec<ShownMark>,
}

/// The table in these bytes, and how it is spelled.
pub(super) fn read(
    path: &Path,
    bytes: &[u8],
    options: &ReadOptions,
    watch: &dyn Watch,
) -> Result<ReadText, DataError> {
    if watch.cancelled() {
        return Err(DataError::cancelled(path));
    }
    let opened = open(path, bytes, options)?;
    check_characters(path, bytes, &opened)?;
    check_memory(path, bytes, &opened, options)?;
    let marks = options.decimal.map_or(Marks::Sought, Marks::Known);
    let mut pass = Pass::over(path, &opened, options, marks, watch)?;
    let shown_marks = decimal_marks::shown(&pass.columns);
    let (mark, remarks) = match marks {
        Marks::Known(mark) => (mark, Vec::new()),
        Marks::Sought => match decimal_marks::decide(path, &shown_marks) {
            Ok((DecimalMark::Comma, remarks)) if pass.has_numbers() => {
                let marks = Marks::Known(DecimalMark::Comma);
                // Two readings of a file at once would need its memory twice.
                pass.columns = Vec::new();
                pass = Pass::over(path, &opened, options, marks, watch)?;
                (DecimalMark::Comma, remarks)
            }
            Ok(found) => found,
            // Cells are no problem before the mark is known; the rest of the file may be one too.
            Err(doubt) => return Err(doubt.with(pass.problems)),
        },
    };
    let style = TextStyle {
        delimiter: opened.delimiter,
        decimal: mark,
        encoding: opened.encoding,
        line_ending: pass.line_ending,
        byte_order_mark: opened.byte_order_mark,
    };
    let table = pass.finish(path)?;
    Ok(ReadText {
        table,
        style,
        remarks,
        shown_marks,
    })
}

/// Refuses a text with bytes that are no characters: one problem for all of them, because one setting mends them.
fn check_characters(path: &Path, bytes: &[u8], opened: &Opened<'_>) -> Result<(), DataError> {
    let problem = match (opened.encoding, opened.fault) {
        (Encoding::Utf8, _) => sniff::not_utf8(bytes, &opened.text, opened.delimiter),
        (_, Some(fault)) => {
            let message =
                "is cut off within a character, or damaged: not all of it is valid UTF-16";
            let problem = DataProblem::file(message, "export the file again, as UTF-8 if you can");
            Some(problem.at_line(1 + count_lines(&opened.text[..fault.min(opened.text.len())])))
        }
        (_, None) => None,
    };
    problem.map_or(Ok(()), |problem| Err(DataError::one(path, problem)))
}

/// Refuses a text whose table would need more memory than it may have.
fn check_memory(
    path: &Path,
    bytes: &[u8],
    opened: &Opened<'_>,
    options: &ReadOptions,
) -> Result<(), DataError> {
    let copied = match &opened.text {
        Cow::Borrowed(_) => 0,
        Cow::Owned(text) => text.len(),
    };
    let held = (bytes.len() + copied) as u64;
    let need = text_memory::of_text(&opened.text, opened.delimiter, held, options);
    Allowance::of(options.memory).check(path, &need)
}

/// Whether the columns show one decimal mark. Nothing else is looked at.
pub(super) fn check_decimal_mark(
    path: &Path,
    bytes: &[u8],
    options: &ReadOptions,
    watch: &dyn Watch,
) -> Result<(), DataError> {
    let opened = open(path, bytes, options)?;
    let mut tokeniser = Tokeniser::new(&opened.text, opened.delimiter);
    let mut problems = ProblemList::default();
    let Some(names) = tokeniser.header(&mut problems) else {
        return Ok(());
    };
    let mut columns = header::builders(&names, &options.schema, |_| Marks::Sought);
    for column in &mut columns {
        column.look_at_marks_only();
    }
    read_records(path, &mut tokeniser, &mut columns, &mut problems, watch)?;
    decimal_marks::decide(path, &decimal_marks::shown(&columns)).map(drop)
}

/// One way through the records of a file.
struct Pass {
    columns: Vec<ColumnBuilder>,
    problems: ProblemList,
    n_records: u64,
    line_ending: LineEnding,
}

impl Pass {
    fn over(
        path: &Path,
        opened: &Opened<'_>,
        options: &ReadOptions,
        marks: Marks,
        watch: &dyn Watch,
    ) -> Result<Self, DataError> {
        let mut tokeniser = Tokeniser::new(&opened.text, opened.delimiter);
        let mut problems = ProblemList::default();
        let Some(names) = tokeniser.header(&mut problems) else {
            problems.into_result(path)?;
            return Err(DataError::one(path, empty_file()));
        };
        let line = tokeniser.header_line;
        header::check(&names, &options.schema, Some(line), &mut problems);
        let (text, delimiter) = (&opened.text, opened.delimiter);
        let is_suspect = !problems.is_empty() || names.len() == 1;
        if is_suspect && let Some(problem) = suspicion::of_delimiter(text, delimiter) {
            return Err(DataError::one(path, problem));
        }
        // With names that nobody finds fault with, a little doubt is not enough.
        let enough = if problems.is_empty() {
            LooksLikeData::Surely
        } else {
            LooksLikeData::Maybe
        };
        if suspicion::looks_like_data(text, delimiter) >= enough {
            return Err(DataError::one(path, suspicion::no_header(line)));
        }
        let mut columns = header::builders(&names, &options.schema, |_| marks);
        read_records(path, &mut tokeniser, &mut columns, &mut problems, watch)?;
        problems.append(std::mem::take(&mut tokeniser.problems));
        tokeniser
            .irregular
            .tell(&opened.text, opened.delimiter, &mut problems);
        Ok(Self {
            columns,
            problems,
            n_records: tokeniser.n_records,
            line_ending: tokeniser.line_ending,
        })
    }

    /// Whether the decimal mark matters to what was read.
    fn has_numbers(&self) -> bool {
        self.columns.iter().any(ColumnBuilder::is_numeric)
    }

    /// The table, or everything that is wrong.
    fn finish(mut self, path: &Path) -> Result<Table, DataError> {
        for column in &mut self.columns {
            column.close();
            self.problems.append(std::mem::take(&mut column.problems));
        }
        self.problems.into_result(path)?;
        let n_records = usize::try_from(self.n_records).unwrap_or(usize::MAX);
        let columns = self.columns.into_par_iter().map(ColumnBuilder::finish);
        Ok(Table::new(columns.collect(), n_records))
    }
}

fn empty_file() -> DataProblem {
    DataProblem::file(
        "the file is empty",
        "the first line must hold the names of the columns",
    )
}

/// Cuts the next batch into fields while the columns of the last one are turned into values.
fn read_records(
    path: &Path,
    tokeniser: &mut Tokeniser<'_>,
    columns: &mut [ColumnBuilder],
    problems: &mut ProblemList,
    watch: &dyn Watch,
) -> Result<(), DataError> {
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
                let problem = DataProblem::file(
                    "text follows the closing quote of a field",
                    "double the quotes within a quoted field",
                )
                .at_line(batch.start.line_at(text, batch.start.offset + offset));
                match columns.get(field) {
                    Some(column) => problem.of_variable(column.name()),
                    None => problem,
                }
            });
        }
        watch.progress(batch.end as u64, total);
        std::mem::swap(&mut batch, &mut next);
    }
    Ok(())
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

/// A place in the text whose line is known, to count the lines of later places from.
#[derive(Clone, Copy, Default)]
struct Landmark {
    offset: usize,
    line: u64,
}

impl Landmark {
    /// The line at a later offset.
    fn line_at(self, text: &[u8], offset: usize) -> u64 {
        self.line + count_lines(&text[self.offset..offset])
    }
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

fn is_line_end(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

/// Records with another number of fields than the header has.
#[derive(Default)]
struct Irregular {
    /// Line, fields and fields of the header of the first of them.
    first: Vec<(u64, usize, usize)>,
    n: u64,
}

impl Irregular {
    /// More than these have one cause, and are told together.
    const FEW: usize = 5;

    fn note(&mut self, found: usize, expected: usize, line: impl Fn() -> u64) {
        self.n += 1;
        if self.first.len() < Self::FEW {
            self.first.push((line(), found, expected));
        }
    }

    /// Tells each of a few, or all of many in one problem.
    fn tell(&self, text: &[u8], delimiter: u8, problems: &mut ProblemList) {
        let name = sniff::delimiter_name(delimiter);
        if self.n as usize <= Self::FEW {
            for &(line, found, expected) in &self.first {
                let fields = if found == 1 { "field" } else { "fields" };
                let message = format!("{found} {fields} where the header has {expected}");
                let hint = if found > expected {
                    format!("quote fields that hold the delimiter {name}, or set another delimiter")
                } else {
                    format!("add what is missing; fields are separated by the delimiter {name}")
                };
                problems.push_with(|| DataProblem::file(message, hint).at_line(line));
            }
            return;
        }
        let likely = suspicion::of_delimiter(text, delimiter);
        let hint = likely.map_or_else(
            || format!("quote fields that hold the delimiter {name}, or set another delimiter"),
            |problem| format!("{}: {}", problem.message, problem.hint),
        );
        let (line, found, expected) = self.first[0];
        let more = self.n - 1;
        let message = format!(
            "{found} fields where the header has {expected}; {more} more lines have another number of fields than the header"
        );
        problems.push_with(|| DataProblem::file(message, hint).at_line(line));
    }
}

/// Cuts text into records of equal length and notes those that are not.
struct Tokeniser<'a> {
    reader: csv::Reader<&'a [u8]>,
    text: &'a [u8],
    delimiter: u8,
    n_fields: usize,
    header_line: u64,
    line_ending: LineEnding,
    n_records: u64,
    /// Line of the place that was reached.
    line: u64,
    irregular: Irregular,
    problems: ProblemList,
}

impl<'a> Tokeniser<'a> {
    fn new(text: &'a [u8], delimiter: u8) -> Self {
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
    fn reached(&self) -> usize {
        // At the end of a record that ends with CR LF, the tokeniser has not taken the LF yet.
        let reached = self.reader.position().byte() as usize;
        let within_line_end = reached > 0
            && self.text.get(reached) == Some(&b'\n')
            && self.text[reached - 1] == b'\r';
        reached + usize::from(within_line_end)
    }

    /// Reads the next record, if there is one. Reading from memory cannot fail otherwise.
    fn next(&mut self, record: &mut ByteRecord) -> bool {
        self.reader.read_byte_record(record).unwrap_or(false)
    }

    /// The names of the columns; `None` if there is no line, or none that ends.
    fn header(&mut self, problems: &mut ProblemList) -> Option<Vec<String>> {
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
            self.problems.push_with(|| {
                let message = format!("the file has more than {} records", u32::MAX);
                DataProblem::file(message, "split it by region or stratum")
                    .at_line(batch.start.line)
            });
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
            self.problems.push_with(|| {
                DataProblem::file(
                    "a quoted field starts here and does not end before the end of the file",
                    "close the quote, or double the quotes within a quoted field",
                )
                .at_line(line)
            });
        }
        open.is_some()
    }
}
