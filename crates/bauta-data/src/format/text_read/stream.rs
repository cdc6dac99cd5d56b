//! Reads text a stretch at a time, and moves its cells to files.
//!
//! The records of a stretch go the way of all others (`piecewise`): what is read, and told, is the same. A text of which
//! that cannot be said is left to those who read it as a whole.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::ops::Range;
use std::path::Path;

use memchr::memchr;
use rayon::prelude::*;

use super::{ReadText, columns_of, holds_header, keep_only, open};
use crate::column::Column;
use crate::fingerprint::{Fingerprint, Hasher};
use crate::format::builder::{ColumnBuilder, Stored};
use crate::format::decimal_marks::{self, Marks};
use crate::format::faulty_records::{Landmark, Told};
use crate::format::piecewise::{Body, PIECE_BYTES};
use crate::format::record_by_record::Tokeniser;
use crate::format::unread_text::Waiting;
use crate::format::{Encoding, ReadOptions, TextStyle, Variables, pieces};
use crate::number::{DecimalMark, ShownMark};
use crate::problem::{DataError, ProblemList};
use crate::remark::Remark;
use crate::store::{ColumnWriter, Store};
use crate::table::Table;
use crate::text::TextArena;
use crate::watch::Watch;

/// Bytes that are read at a time.
const STRETCH_BYTES: usize = 1 << 24;

/// Bytes that show what a text is spelled with, and what is wrong with it as a whole.
const HEAD_BYTES: usize = 1 << 16;

/// The table in a text on the disk, in a store, and the hash of its bytes; none where it must be read as a whole.
pub(in crate::format) fn read(
    path: &Path,
    file: &mut File,
    of: Variables,
    options: &ReadOptions,
    store: &Store,
    watch: &dyn Watch,
) -> Result<Option<(ReadText, Fingerprint)>, DataError> {
    let total = file.metadata().map_or(0, |metadata| metadata.len());
    read_by(
        (STRETCH_BYTES, total, of),
        path,
        file,
        options,
        store,
        watch,
    )
}

pub(super) fn read_by(
    (n_bytes, total, of): (usize, u64, Variables),
    path: &Path,
    file: &mut (impl Read + Seek + Send),
    options: &ReadOptions,
    store: &Store,
    watch: &dyn Watch,
) -> Result<Option<(ReadText, Fingerprint)>, DataError> {
    let marks = options.decimal.map_or(Marks::Sought, Marks::Known);
    let stream = Stream {
        n_bytes,
        total,
        of,
        path,
        options,
        store: Some(store),
        watch,
    };
    let Some((pass, fingerprint)) = stream.pass(file, marks)? else {
        return Ok(None);
    };
    let shown_marks = decimal_marks::shown(&pass.columns);
    let (mark, remarks, pass) = match marks {
        Marks::Known(mark) => (mark, Vec::new(), pass),
        Marks::Sought => match decimal_marks::decide(path, &shown_marks) {
            Ok((DecimalMark::Comma, remarks)) if pass.has_numbers() => {
                drop(pass);
                file.rewind()
                    .map_err(|error| DataError::io(path, "read", &error))?;
                let Some((pass, _)) = stream.pass(file, Marks::Known(DecimalMark::Comma))? else {
                    return Ok(None);
                };
                (DecimalMark::Comma, remarks, pass)
            }
            Ok((mark, remarks)) => (mark, remarks, pass),
            // Cells are no problem before the mark is known; the rest of the file may be one too.
            Err(doubt) => return Err(doubt.with(pass.problems)),
        },
    };
    let read = pass.finish((path, store), mark, remarks, shown_marks)?;
    Ok(Some((read, fingerprint)))
}

/// Whether the columns of a text on the disk show one decimal mark. Nothing is kept; none where the text must be read as a
/// whole.
pub(in crate::format) fn check_marks(
    path: &Path,
    file: &mut File,
    options: &ReadOptions,
    watch: &dyn Watch,
) -> Result<Option<()>, DataError> {
    let stream = Stream {
        n_bytes: STRETCH_BYTES,
        total: file.metadata().map_or(0, |metadata| metadata.len()),
        of: Variables::None,
        path,
        options,
        store: None,
        watch,
    };
    let Some((pass, _)) = stream.pass(file, Marks::Sought)? else {
        return Ok(None);
    };
    decimal_marks::decide(path, &decimal_marks::shown(&pass.columns)).map(|_| Some(()))
}

/// A text, and where its cells go.
struct Stream<'a> {
    /// Bytes that are read at a time.
    n_bytes: usize,
    /// Bytes of the whole.
    total: u64,
    /// The variables whose cells are kept.
    of: Variables,
    path: &'a Path,
    options: &'a ReadOptions,
    /// None where no cell is kept.
    store: Option<&'a Store>,
    watch: &'a dyn Watch,
}

/// One way through the records of a file.
struct Pass {
    columns: Vec<ColumnBuilder>,
    writers: Vec<ColumnWriter>,
    /// How many texts of a column that stays such mean that there is no value.
    n_missing: Vec<usize>,
    problems: ProblemList,
    /// What is told of records; what waits there is on its way to a file.
    told: Told,
    style: TextStyle,
}

/// Some of a text, from the start of a record on.
struct Stretch {
    text: Vec<u8>,
    is_last: bool,
}

impl Stream<'_> {
    /// Reads more text behind what is left of the last stretch, and hashes it.
    fn read_more(
        &self,
        file: &mut impl Read,
        rest: &[u8],
        hasher: &mut Hasher,
    ) -> Result<Stretch, DataError> {
        let mut text = Vec::with_capacity(rest.len() + self.n_bytes);
        text.extend_from_slice(rest);
        let read = file.take(self.n_bytes as u64).read_to_end(&mut text);
        let n_read = read.map_err(|error| DataError::io(self.path, "read", &error))?;
        hasher.update(&text[rest.len()..]);
        Ok(Stretch {
            text,
            is_last: n_read < self.n_bytes,
        })
    }

    fn pass(
        &self,
        file: &mut (impl Read + Send),
        marks: Marks,
    ) -> Result<Option<(Pass, Fingerprint)>, DataError> {
        let mut hasher = Hasher::default();
        // What a text is spelled with shows at its start.
        let start = Self {
            n_bytes: self.n_bytes.max(HEAD_BYTES),
            ..*self
        };
        let mut stretch = start.read_more(file, &[], &mut hasher)?;
        let opened = open(self.path, &stretch.text, self.options)?;
        let is_cut_off = !stretch.is_last && !holds_header(self.path, &stretch.text, self.options)?;
        if opened.encoding != Encoding::Utf8 || is_cut_off {
            return Ok(None);
        }
        let mut tokeniser = Tokeniser::new(&opened.text, opened.delimiter);
        let begun = columns_of(self.path, &opened, &mut tokeniser, self.options, marks);
        if begun.is_err() && !stretch.is_of_characters() {
            // Bytes that are no characters are told first.
            return Ok(None);
        }
        let (mut columns, problems) = begun?;
        keep_only(self.of, &mut columns);
        let mut offset = stretch.text.len() - opened.text.len() + tokeniser.reached();
        if columns.len() < 2 {
            return Ok(None);
        }
        let head = opened.text[..opened.text.len().min(HEAD_BYTES)].to_vec();
        let (mut line, n_fields) = (tokeniser.line, tokeniser.n_fields);
        let style = TextStyle {
            delimiter: opened.delimiter,
            decimal: marks.read_with(),
            encoding: opened.encoding,
            line_ending: tokeniser.line_ending,
            byte_order_mark: opened.byte_order_mark,
        };
        let mut pass = Pass::new(columns, problems, style, self.store)?;
        let mut n_done = 0;
        loop {
            let Some(records) = stretch.records(offset, style.delimiter) else {
                return Ok(None);
            };
            let end = records.text.len();
            let body = Body {
                text: records.text,
                delimiter: style.delimiter,
                n_fields,
                start: Landmark { offset, line },
                piece_bytes: PIECE_BYTES,
            };
            let is_to_stop = |reached: usize| {
                self.watch.progress(n_done + reached as u64, self.total);
                self.watch.cancelled()
            };
            let mut take_in = || pass.take_in(self, &body, &records.cuts, &is_to_stop);
            if stretch.is_last {
                take_in()?;
                break;
            }
            let read = || self.read_more(file, &stretch.text[end..], &mut hasher);
            let (taken, next) = rayon::join(take_in, read);
            line = taken?;
            n_done += end as u64;
            stretch = next?;
            offset = 0;
        }
        pass.move_cells(self.store, Stored::All)?;
        let Told {
            problems,
            irregular,
            ..
        } = &mut pass.told;
        pass.problems.append(std::mem::take(problems));
        irregular.tell(&head, style.delimiter, &mut pass.problems);
        Ok(Some((pass, hasher.finish())))
    }
}

/// Some whole records, and the pieces that they are read in.
struct Records<'t> {
    text: &'t str,
    cuts: Vec<Range<usize>>,
}

impl Stretch {
    /// Whether its bytes are characters, but for the last one, which may be cut off.
    fn is_of_characters(&self) -> bool {
        match std::str::from_utf8(&self.text) {
            Ok(_) => true,
            Err(error) => error.error_len().is_none() && !self.is_last,
        }
    }

    /// The whole records from an offset on; none if they cannot be told from the text alone.
    fn records(&self, offset: usize, delimiter: u8) -> Option<Records<'_>> {
        let mut cuts = pieces::cut(&self.text, offset, PIECE_BYTES, delimiter);
        let mut end = self.text.len();
        if !self.is_last {
            // The last piece may end within a record.
            end = cuts.pop().map_or(offset, |piece| piece.start);
        }
        let bytes = &self.text[..end];
        let is_odd = pieces::has_lone_returns(bytes) || memchr(0, bytes).is_some();
        let is_short = |range: &Range<usize>| range.len() < u32::MAX as usize;
        if is_odd || !cuts.iter().all(is_short) {
            return None;
        }
        let text = std::str::from_utf8(bytes).ok()?;
        Some(Records { text, cuts })
    }
}

impl Pass {
    fn new(
        columns: Vec<ColumnBuilder>,
        problems: ProblemList,
        style: TextStyle,
        store: Option<&Store>,
    ) -> Result<Self, DataError> {
        let writers = match store {
            Some(store) => {
                let writers = columns.iter().map(|_| store.writer());
                let writers: io::Result<Vec<ColumnWriter>> = writers.collect();
                writers.map_err(|error| store.failed(&error))?
            }
            None => Vec::new(),
        };
        let texts = || Waiting::Texts(TextArena::default());
        let waiting = columns
            .iter()
            .map(|column| column.can_stay_text().then(texts));
        Ok(Self {
            writers,
            n_missing: vec![0; columns.len()],
            told: Told {
                waiting: waiting.collect(),
                ..Told::default()
            },
            columns,
            problems,
            style,
        })
    }

    /// Takes in some records and says which line follows them.
    fn take_in(
        &mut self,
        stream: &Stream<'_>,
        body: &Body<'_>,
        cuts: &[Range<usize>],
        is_to_stop: &(dyn Fn(usize) -> bool + Sync),
    ) -> Result<u64, DataError> {
        let told = (&mut self.problems, &mut self.told);
        let line = body.read_on(stream.path, cuts, &mut self.columns, told, is_to_stop)?;
        self.move_cells(stream.store, Stored::Blocks)?;
        Ok(line)
    }

    /// Moves cells to their files.
    fn move_cells(&mut self, store: Option<&Store>, cells: Stored) -> Result<(), DataError> {
        let Some(store) = store else {
            return Ok(());
        };
        let columns = (self.columns.par_iter_mut())
            .zip(&mut self.writers)
            .zip(&mut self.told.waiting)
            .zip(&mut self.n_missing);
        let moved: io::Result<()> = columns
            .map(|(((column, writer), waiting), n_missing)| match waiting {
                Some(Waiting::Texts(texts)) => {
                    let n_block = writer.block_records();
                    let n_moved = cells.of(texts.len(), n_block);
                    for first in (0..n_moved).step_by(n_block) {
                        let block = texts.slice(first..n_moved.min(first + n_block));
                        let missing = block.iter().filter(|text| column.means_missing(text));
                        *n_missing += missing.count();
                        writer.put_texts(&block)?;
                    }
                    *texts = texts.slice(n_moved..texts.len());
                    Ok(())
                }
                Some(Waiting::Places(_)) | None => column.store(writer, cells),
            })
            .collect();
        moved.map_err(|error| store.failed(&error))
    }

    /// Whether the decimal mark matters to what was read.
    fn has_numbers(&self) -> bool {
        self.columns.iter().any(ColumnBuilder::is_numeric)
    }

    /// The table, or everything that is wrong.
    fn finish(
        mut self,
        (path, store): (&Path, &Store),
        decimal: DecimalMark,
        remarks: Vec<Remark>,
        shown_marks: Vec<ShownMark>,
    ) -> Result<ReadText, DataError> {
        for column in &mut self.columns {
            column.close();
            self.problems.append(std::mem::take(&mut column.problems));
        }
        self.problems.into_result(path)?;
        let columns = (self.columns.into_par_iter())
            .zip(self.writers)
            .zip(self.told.waiting)
            .zip(self.n_missing);
        let columns = columns.filter(|(((column, _), _), _)| column.is_kept());
        let columns: io::Result<Vec<Column>> = columns
            .map(|(((column, writer), waiting), n_missing)| match waiting {
                Some(_) => Ok(column.into_waiting().finish_texts(writer, n_missing)),
                None => column.finish_stored(writer, store),
            })
            .collect();
        let columns = columns.map_err(|error| store.failed(&error))?;
        let n_records = usize::try_from(self.told.n_records).unwrap_or(usize::MAX);
        Ok(ReadText {
            table: Table::new(columns, n_records),
            style: TextStyle {
                decimal,
                ..self.style
            },
            remarks,
            shown_marks,
        })
    }
}
