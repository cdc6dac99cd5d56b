//! Reads delimited text.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use csv::ByteRecord;
use rayon::prelude::*;

use super::builder::ColumnBuilder;
use super::decimal_marks::{self, Marks};
use super::encoding::Decoded;
use super::faulty_records::{Landmark, Told};
use super::memory::Allowance;
use super::piecewise::{self, Body};
use super::record_by_record::{Tokeniser, read_records};
use super::sniff::{self, count_lines};
use super::suspicion::LooksLikeData;
use super::unread_text::{FieldStarts, SharedText, UnreadText, Waiting};
use super::{
    Encoding, LineEnding, ReadOptions, TextStyle, Variables, header, suspicion, text_memory,
};
use crate::attribute::Schema;
use crate::column::Column;
use crate::number::{DecimalMark, ShownMark};
use crate::problem::{DataError, DataProblem, ProblemList};
use crate::remark::Remark;
use crate::table::Table;
use crate::watch::Watch;

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

/// How the records of a text are gone through. What is read, and told, is the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// One after the other, as tests compare.
    #[cfg(test)]
    Plain,
    /// In pieces of so many bytes, where the text has them.
    Pieces(usize),
}

/// The table in these bytes, and how it is spelled.
pub(super) fn read(
    path: &Path,
    bytes: &Arc<Vec<u8>>,
    of: Variables,
    options: &ReadOptions,
    watch: &dyn Watch,
) -> Result<ReadText, DataError> {
    let way = Way::Pieces(piecewise::PIECE_BYTES);
    read_by(way, path, bytes, of, options, watch)
}

fn read_by(
    way: Way,
    path: &Path,
    bytes: &Arc<Vec<u8>>,
    of: Variables,
    options: &ReadOptions,
    watch: &dyn Watch,
) -> Result<ReadText, DataError> {
    if watch.cancelled() {
        return Err(DataError::cancelled(path));
    }
    let opened = open(path, bytes, options)?;
    check_characters(path, bytes, &opened)?;
    check_memory(path, bytes, &opened, of, options)?;
    let marks = options.decimal.map_or(Marks::Sought, Marks::Known);
    let mut pass = Pass::over(path, &opened, of, options, marks, way, watch)?;
    let shown_marks = decimal_marks::shown(&pass.columns);
    let (mark, remarks) = match marks {
        Marks::Known(mark) => (mark, Vec::new()),
        Marks::Sought => match decimal_marks::decide(path, &shown_marks) {
            Ok((DecimalMark::Comma, remarks)) if pass.has_numbers() => {
                let marks = Marks::Known(DecimalMark::Comma);
                // Two readings of a file at once would need its memory twice.
                pass.columns = Vec::new();
                pass.waiting = Vec::new();
                pass = Pass::over(path, &opened, of, options, marks, way, watch)?;
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
    let table = pass.finish(path, &SharedText::new(bytes, opened.text), opened.delimiter)?;
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
    of: Variables,
    options: &ReadOptions,
) -> Result<(), DataError> {
    let copied = match &opened.text {
        Cow::Borrowed(_) => 0,
        Cow::Owned(text) => text.len(),
    };
    let held = (bytes.len() + copied) as u64;
    let need = text_memory::of_text(&opened.text, opened.delimiter, held, of, options);
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
    let way = Way::Pieces(piecewise::PIECE_BYTES);
    read_body(
        path,
        &opened.text,
        &mut tokeniser,
        (&mut columns, &mut problems),
        way,
        watch,
    )?;
    decimal_marks::decide(path, &decimal_marks::shown(&columns)).map(drop)
}

/// One way through the records of a file.
struct Pass {
    columns: Vec<ColumnBuilder>,
    problems: ProblemList,
    n_records: u64,
    line_ending: LineEnding,
    /// Of each column that is read later, its fields.
    waiting: Vec<Option<Waiting>>,
}

impl Pass {
    fn over(
        path: &Path,
        opened: &Opened<'_>,
        of: Variables,
        options: &ReadOptions,
        marks: Marks,
        way: Way,
        watch: &dyn Watch,
    ) -> Result<Self, DataError> {
        let mut tokeniser = Tokeniser::new(&opened.text, opened.delimiter);
        let (mut columns, mut problems) = columns_of(path, opened, &mut tokeniser, options, marks)?;
        keep_only(of, &mut columns);
        let (text, delimiter) = (&opened.text, opened.delimiter);
        let into = (&mut columns[..], &mut problems);
        let told = read_body(path, text, &mut tokeniser, into, way, watch)?;
        problems.append(told.problems);
        told.irregular.tell(text, delimiter, &mut problems);
        Ok(Self {
            columns,
            problems,
            n_records: told.n_records,
            line_ending: tokeniser.line_ending,
            waiting: told.waiting,
        })
    }

    /// Whether the decimal mark matters to what was read.
    fn has_numbers(&self) -> bool {
        self.columns.iter().any(ColumnBuilder::is_numeric)
    }

    /// The table, or everything that is wrong.
    fn finish(mut self, path: &Path, text: &SharedText, delimiter: u8) -> Result<Table, DataError> {
        for column in &mut self.columns {
            column.close();
            self.problems.append(std::mem::take(&mut column.problems));
        }
        self.problems.into_result(path)?;
        let n_records = usize::try_from(self.n_records).unwrap_or(usize::MAX);
        let mut waiting = self.waiting;
        waiting.resize_with(self.columns.len(), || None);
        let columns = self.columns.into_par_iter().zip(waiting);
        let kept = columns.filter(|(column, _)| column.is_kept());
        let columns = kept.map(|(column, waiting)| match waiting {
            Some(Waiting::Places(starts)) => later(column, starts, text, delimiter),
            Some(Waiting::Texts(_)) | None => column.finish(),
        });
        Ok(Table::new(columns.collect(), n_records))
    }
}

/// Keeps the cells of some variables; those of others only show the decimal mark.
fn keep_only(of: Variables, columns: &mut [ColumnBuilder]) {
    let is_left_out = |column: &&mut ColumnBuilder| match of {
        Variables::All => false,
        Variables::Described => column.can_wait(),
        Variables::None => true,
    };
    let left_out = columns.iter_mut().filter(is_left_out);
    left_out.for_each(ColumnBuilder::look_at_marks_only);
}

/// The columns that the header of a text announces, none of whose cells is there yet, and what is wrong with it.
fn columns_of(
    path: &Path,
    opened: &Opened<'_>,
    tokeniser: &mut Tokeniser<'_>,
    options: &ReadOptions,
    marks: Marks,
) -> Result<(Vec<ColumnBuilder>, ProblemList), DataError> {
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
    let columns = header::builders(&names, &options.schema, |_| marks);
    Ok((columns, problems))
}

/// A column that is kept as places in the text until somebody looks at it.
fn later(column: ColumnBuilder, starts: FieldStarts, text: &SharedText, delimiter: u8) -> Column {
    let (categories, n_records) = (column.into_waiting(), starts.len());
    let source = UnreadText {
        text: text.clone(),
        delimiter,
        starts,
        categories,
    };
    let attribute = Arc::clone(source.categories.attribute());
    Column::unread(attribute, n_records, Box::new(source))
}

fn empty_file() -> DataProblem {
    DataProblem::file(
        "the file is empty",
        "the first line must hold the names of the columns",
    )
}

/// Adds all records behind the header to the columns. Text behind closing quotes goes to the problems.
fn read_body(
    path: &Path,
    text: &[u8],
    tokeniser: &mut Tokeniser<'_>,
    (columns, problems): (&mut [ColumnBuilder], &mut ProblemList),
    way: Way,
    watch: &dyn Watch,
) -> Result<Told, DataError> {
    let start = Landmark {
        offset: tokeniser.reached(),
        line: tokeniser.line,
    };
    let body = |piece_bytes: usize| {
        let body = Body {
            text: std::str::from_utf8(text).ok()?,
            delimiter: tokeniser.delimiter,
            n_fields: tokeniser.n_fields,
            start,
            piece_bytes,
        };
        body.cuts().map(|cuts| (body, cuts))
    };
    let in_pieces = match way {
        #[cfg(test)]
        Way::Plain => None,
        Way::Pieces(n_bytes) => body(n_bytes),
    };
    match in_pieces {
        Some((body, cuts)) => body.read(path, &cuts, columns, problems, watch),
        None => read_records(path, tokeniser, columns, problems, watch),
    }
}

mod stream;

pub(super) use stream::{check_marks, read as read_stored};

#[cfg(test)]
mod tests;
