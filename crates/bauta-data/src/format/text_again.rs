//! Reads a text that Bauta wrote again: a block at a time, and only the columns that are asked for.
//!
//! What is kept of a file is what the columns need, so that a released file can be counted without
//! holding it. Its cells go the way of every other cell (`builder`), so that they are what any reader
//! of the file finds. A text that is not cut into records as it was written is refused.

mod cutter;

use std::io::{self, Read};
use std::path::Path;

use rayon::prelude::*;

use super::builder::{ColumnBuilder, Place};
use super::decimal_marks::Marks;
use super::sniff::{self, count_lines};
use super::suspicion::{self, LooksLikeData};
use super::{Encoding, ReadOptions, header};
use crate::problem::{DataError, DataProblem, ProblemList};
use crate::table::Table;
use crate::watch::Watch;

use cutter::{Cell, Cut, Cutter};

/// Bytes that are read at a time.
const BLOCK_BYTES: usize = 1 << 21;

/// The columns of a text that `options` describe. The style must be stated there.
pub(super) fn read(
    path: &Path,
    mut source: impl Read + Send,
    options: &ReadOptions,
    watch: &dyn Watch,
) -> Result<Table, DataError> {
    let io_error = |error: io::Error| DataError::io(path, "read back", &error);
    if options.encoding == Encoding::Utf8 {
        return read_text(path, source, BLOCK_BYTES, options, watch);
    }
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes).map_err(io_error)?;
    if let Some(problem) = sniff::not_text(&bytes, options.encoding) {
        return Err(DataError::one(path, problem));
    }
    let decoded = options.encoding.decode(&bytes);
    if decoded.fault.is_some() {
        return Err(not_as_written(path));
    }
    read_text(path, decoded.text.as_ref(), BLOCK_BYTES, options, watch)
}

fn read_text(
    path: &Path,
    source: impl Read + Send,
    block_bytes: usize,
    options: &ReadOptions,
    watch: &dyn Watch,
) -> Result<Table, DataError> {
    let delimiter = options.delimiter.unwrap_or(b',');
    let mut blocks = Blocks::new(path, source, block_bytes, delimiter);
    let names = blocks.header(options)?;
    let described = |name: &String| {
        let mut attributes = options.schema.attributes.iter();
        attributes.any(|attribute| attribute.name == *name)
    };
    let wanted: Vec<usize> = (0..names.len())
        .filter(|&position| described(&names[position]))
        .collect();
    let names_in_file = names.len();
    let names: Vec<String> = wanted.iter().map(|&at| names[at].clone()).collect();
    let marks = Marks::Known(options.decimal.unwrap_or_default());
    let mut columns = header::builders(&names, &options.schema, |_| marks);
    blocks.cutter.keep(names_in_file, &wanted);
    let (mut block, mut next) = (Block::default(), Block::default());
    let mut n_records = 0;
    blocks.fill(&mut block)?;
    while !block.text.is_empty() {
        if watch.cancelled() {
            return Err(DataError::cancelled(path));
        }
        let text = std::str::from_utf8(&block.text).map_err(|_| not_as_written(path))?;
        let (filled, ()) = rayon::join(
            || blocks.fill(&mut next),
            || {
                let columns = columns.par_iter_mut().zip(block.cells.par_iter());
                columns.for_each(|(column, cells)| push(column, cells, text, block.line));
            },
        );
        filled?;
        n_records += block.n_records;
        std::mem::swap(&mut block, &mut next);
    }
    let mut problems = ProblemList::default();
    for column in &mut columns {
        column.close();
        problems.append(std::mem::take(&mut column.problems));
    }
    problems.into_result(path)?;
    let columns = columns.into_par_iter().map(ColumnBuilder::finish);
    Ok(Table::new(columns.collect(), n_records))
}

fn not_as_written(path: &Path) -> DataError {
    let problem = DataProblem::file(
        "read again, the file is not cut into the records that were written",
        "this is a fault of Bauta: please report it",
    );
    DataError::one(path, problem)
}

/// Adds the cells of a block to their column.
fn push(column: &mut ColumnBuilder, cells: &[Cell], text: &str, first_line: u64) {
    let mut unquoted = String::new();
    for &Cell { start, end } in cells {
        let (start, end) = (start as usize, end as usize);
        let field = &text[start..end];
        let place = || Place::Line(first_line + count_lines(&text.as_bytes()[..start]));
        column.push(without_quotes(field, &mut unquoted), place);
    }
}

/// What a field says: without the quotes around it, and once for each doubled one in it.
fn without_quotes<'a>(field: &'a str, room: &'a mut String) -> &'a str {
    let quoted = field
        .strip_prefix('"')
        .and_then(|field| field.strip_suffix('"'));
    match quoted {
        None => field,
        Some(quoted) if !quoted.contains('"') => quoted,
        Some(quoted) => {
            room.clear();
            for (n, piece) in quoted.split("\"\"").enumerate() {
                room.push_str(if n == 0 { "" } else { "\"" });
                room.push_str(piece);
            }
            room
        }
    }
}

/// Some whole records of a text.
#[derive(Default)]
struct Block {
    text: Vec<u8>,
    /// The cells of each column that is kept.
    cells: Vec<Vec<Cell>>,
    n_records: usize,
    /// The line that it starts with.
    line: u64,
}

/// The text of a source, in blocks of whole records.
struct Blocks<'p, R> {
    path: &'p Path,
    source: R,
    /// Bytes that are read at a time.
    block_bytes: usize,
    cutter: Cutter,
    /// What was read behind the last whole record.
    rest: Vec<u8>,
    /// The line that the rest starts with.
    line: u64,
    is_at_end: bool,
}

impl<'p, R: Read> Blocks<'p, R> {
    fn new(path: &'p Path, source: R, block_bytes: usize, delimiter: u8) -> Self {
        Self {
            path,
            source,
            block_bytes,
            cutter: Cutter::new(delimiter),
            rest: Vec::new(),
            line: 1,
            is_at_end: false,
        }
    }

    /// Reads another block's length of bytes, if there are so many.
    fn read_more(&mut self, text: &mut Vec<u8>) -> Result<(), DataError> {
        let n_before = text.len();
        let mut more = (&mut self.source).take(self.block_bytes as u64);
        let read = more.read_to_end(text);
        read.map_err(|error| DataError::io(self.path, "read back", &error))?;
        self.is_at_end = text.len() < n_before + self.block_bytes;
        Ok(())
    }

    /// The names of the columns, with the doubts that every reader has of a first line.
    fn header(&mut self, options: &ReadOptions) -> Result<Vec<String>, DataError> {
        let mut text = std::mem::take(&mut self.rest);
        loop {
            self.read_more(&mut text)?;
            if let Some(problem) = sniff::not_text(&text, options.encoding) {
                return Err(DataError::one(self.path, problem));
            }
            let marks = Encoding::Utf8.look_of_mark().as_bytes();
            let mut start = 0;
            while text[start..].starts_with(marks) {
                start += marks.len();
            }
            let mut cells = Vec::new();
            let cutter = &self.cutter;
            match cutter.record(&text, start, self.is_at_end, |_, cell| cells.push(cell)) {
                Cut::Record { end, .. } => {
                    let names = self.names(&text, start, &cells, options)?;
                    self.line += count_lines(&text[..end]);
                    text.drain(..end);
                    self.rest = text;
                    return Ok(names);
                }
                Cut::Incomplete if !self.is_at_end => {}
                Cut::Incomplete | Cut::Faulty => return Err(not_as_written(self.path)),
            }
        }
    }

    fn names(
        &self,
        text: &[u8],
        start: usize,
        cells: &[Cell],
        options: &ReadOptions,
    ) -> Result<Vec<String>, DataError> {
        let name = |cell: &Cell| {
            let field = &text[cell.start as usize..cell.end as usize];
            let field = std::str::from_utf8(field).ok()?;
            let mut unquoted = String::new();
            Some(without_quotes(field, &mut unquoted).to_owned())
        };
        let names: Option<Vec<String>> = cells.iter().map(name).collect();
        let names = names.ok_or_else(|| not_as_written(self.path))?;
        let text = &text[start..];
        let mut problems = ProblemList::default();
        header::check(&names, &options.schema, Some(1), &mut problems);
        let delimiter = self.cutter.delimiter;
        let is_suspect = !problems.is_empty() || names.len() == 1;
        if is_suspect && let Some(problem) = suspicion::of_delimiter(text, delimiter) {
            return Err(DataError::one(self.path, problem));
        }
        let enough = if problems.is_empty() {
            LooksLikeData::Surely
        } else {
            LooksLikeData::Maybe
        };
        if suspicion::looks_like_data(text, delimiter) >= enough {
            return Err(DataError::one(self.path, suspicion::no_header(1)));
        }
        problems.into_result(self.path)?;
        Ok(names)
    }

    /// Fills a block with the next records; with none at the end of the text.
    fn fill(&mut self, block: &mut Block) -> Result<(), DataError> {
        block.text.clear();
        std::mem::swap(&mut block.text, &mut self.rest);
        block.line = self.line;
        loop {
            if !self.is_at_end {
                self.read_more(&mut block.text)?;
            }
            let cut = self
                .cutter
                .cut(&block.text, self.is_at_end, &mut block.cells);
            let Some((end, n_records)) = cut else {
                return Err(not_as_written(self.path));
            };
            block.n_records = n_records;
            // A record may be longer than what is read at a time.
            if end > 0 || self.is_at_end {
                self.rest.clear();
                self.rest.extend_from_slice(&block.text[end..]);
                block.text.truncate(end);
                self.line += count_lines(&block.text);
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::attribute::{Attribute, Kind, Role, Schema};
    use crate::missing::MissingRules;
    use crate::number::DecimalMark;
    use crate::watch::Unwatched;

    /// The texts of the columns `a` and `c`, if the text is as it was written.
    fn again(text: &str, block_bytes: usize) -> Option<Vec<Vec<String>>> {
        let names = ["a", "c"];
        let key = |name: &str| Attribute::new(name, Role::Key, Kind::Unordered);
        let options = ReadOptions {
            schema: Schema {
                attributes: names.map(key).to_vec(),
                missing: MissingRules {
                    texts: Vec::new(),
                    codes: Vec::new(),
                },
            },
            delimiter: Some(b','),
            decimal: Some(DecimalMark::Point),
            ..ReadOptions::default()
        };
        let path = Path::new("x.csv");
        let table = read_text(path, text.as_bytes(), block_bytes, &options, &Unwatched).ok()?;
        let cells = |name: &str| {
            let column = table.column_named(name).unwrap();
            let cell = |record| {
                let mut text = String::new();
                column.write_text(record, DecimalMark::Point, &mut text);
                text
            };
            (0..table.n_records()).map(cell).collect()
        };
        Some(names.map(cells).to_vec())
    }

    #[test]
    fn what_other_readers_take_for_something_else_is_refused() {
        for text in [
            "a,b,c\n1,2\n",
            "a,b,c\n1,2,3,4\n",
            "a,b,c\n1,\"2\" x,3\n",
            "a,b,c\n1,2,\"3\n",
            "a,b,c\n\n1,2,3\n",
            "",
        ] {
            assert_eq!(again(text, 5), None, "{text:?}");
        }
        assert_eq!(
            again("a,b,c\n1,2,3", 5),
            Some(vec![vec!["1".to_owned()], vec!["3".to_owned()]])
        );
    }

    fn field() -> impl Strategy<Value = String> {
        prop_oneof!["[xyé\",\r\n]{0,4}", "[a-z]{1,9}"]
    }

    proptest! {
        #[test]
        fn blocks_of_any_length_give_the_fields_that_were_written(
            records in prop::collection::vec([field(), field(), field()], 0..9),
            block_bytes in 1..40_usize,
            ends_with_cr: bool,
        ) {
            let end = if ends_with_cr { "\r\n" } else { "\n" };
            let mut text = format!("a,b,c{end}");
            for record in &records {
                let quoted = |field: &String| {
                    if field.contains(['"', ',', '\r', '\n']) {
                        format!("\"{}\"", field.replace('"', "\"\""))
                    } else {
                        field.clone()
                    }
                };
                let fields: Vec<String> = record.iter().map(quoted).collect();
                text += &(fields.join(",") + end);
            }
            let column = |at: usize| records.iter().map(|record| record[at].clone()).collect();
            let expected: Vec<Vec<String>> = vec![column(0), column(2)];
            prop_assert_eq!(again(&text, block_bytes), Some(expected));
        }
    }
}
