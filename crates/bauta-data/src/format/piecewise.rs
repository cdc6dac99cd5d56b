//! Reads text in pieces: some are cut into fields, on all threads, while the columns take in those before.

use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::builder::{ColumnBuilder, Place};
use super::faulty_records::{Landmark, Told, open_quote, stray_quote, too_many_records};
use super::pieces::{self, Piece};
use super::unread_text::{FieldStarts, Waiting};
use crate::problem::{DataError, ProblemList};
use crate::watch::Watch;

/// Bytes of a piece: with its breaks it stays near the processor while every column looks at it.
pub(super) const PIECE_BYTES: usize = 1 << 17;

/// Pieces that are cut at the same time, per thread.
const PIECES_PER_THREAD: usize = 2;

/// The records of a text behind its header.
pub(super) struct Body<'a> {
    pub(super) text: &'a str,
    pub(super) delimiter: u8,
    pub(super) n_fields: usize,
    /// Where the first record starts, at the latest.
    pub(super) start: Landmark,
    pub(super) piece_bytes: usize,
}

/// Some pieces that follow each other, and the lines they start at.
type Wave = Vec<(Piece, Landmark)>;

impl Body<'_> {
    /// The pieces that its records can be read in, if they can. One column is left to the plain way, which knows
    /// blank lines from empty fields; lines that end with a carriage return alone are told as that way counts them.
    pub(super) fn cuts(&self) -> Option<Vec<Range<usize>>> {
        let bytes = self.text.as_bytes();
        if self.n_fields < 2 || pieces::has_lone_returns(bytes) {
            return None;
        }
        let cuts = pieces::cut(bytes, self.start.offset, self.piece_bytes, self.delimiter);
        let is_short = |range: &Range<usize>| range.len() < u32::MAX as usize;
        cuts.iter().all(is_short).then_some(cuts)
    }

    /// Reads all records. Text behind closing quotes goes to `problems`.
    pub(super) fn read(
        &self,
        path: &Path,
        cuts: &[Range<usize>],
        columns: &mut [ColumnBuilder],
        problems: &mut ProblemList,
        watch: &dyn Watch,
    ) -> Result<Told, DataError> {
        let places = || Waiting::Places(FieldStarts::default());
        let waiting = |column: &ColumnBuilder| column.can_wait().then(places);
        let mut told = Told {
            waiting: columns.iter().map(waiting).collect(),
            ..Told::default()
        };
        let n_bytes = self.text.len() as u64;
        self.read_on(path, cuts, columns, (problems, &mut told), &|end| {
            watch.progress(end as u64, n_bytes);
            watch.cancelled()
        })?;
        Ok(told)
    }

    /// Reads records that follow others, and says which line comes next. `is_to_stop` is told how far it came.
    pub(super) fn read_on(
        &self,
        path: &Path,
        cuts: &[Range<usize>],
        columns: &mut [ColumnBuilder],
        (problems, told): (&mut ProblemList, &mut Told),
        is_to_stop: &(dyn Fn(usize) -> bool + Sync),
    ) -> Result<u64, DataError> {
        let bytes = self.text.as_bytes();
        let mut line = self.start.line;
        let n_at_once = PIECES_PER_THREAD * rayon::current_num_threads();
        let mut waves = cuts.chunks(n_at_once);
        let mut cut_next = || -> Vec<Piece> {
            let ranges = waves.next().unwrap_or_default();
            let cut = |range: &Range<usize>| {
                Piece::of(bytes, range.clone(), self.n_fields, self.delimiter)
            };
            ranges.par_iter().map(cut).collect()
        };
        let mut pieces = cut_next();
        let mut reached = self.start.offset;
        while let Some(end) = pieces.last().map(|piece| piece.range.end) {
            if is_to_stop(reached) {
                return Err(DataError::cancelled(path));
            }
            let wave = with_lines(pieces, &mut line);
            self.tell(&wave, columns, problems, told);
            let waiting = &mut told.waiting;
            let (next, ()) = rayon::join(&mut cut_next, || self.push(&wave, columns, waiting));
            reached = end;
            pieces = next;
        }
        is_to_stop(reached);
        Ok(line)
    }

    /// Adds the cells of some pieces to the columns, or their places where they are read later.
    fn push(&self, wave: &Wave, columns: &mut [ColumnBuilder], waiting: &mut [Option<Waiting>]) {
        let columns = columns.par_iter_mut().zip(waiting).enumerate();
        columns.for_each(|(position, (column, waiting))| {
            for (piece, landmark) in wave {
                let fields = piece.fields(self.text, position).map(pieces::content);
                if let Some(waiting) = waiting {
                    waiting.add(piece, position, self.text);
                    column.look_at_all(fields);
                    continue;
                }
                column.push_all(fields, |record| {
                    let start = piece.record_start(record);
                    Place::Line(landmark.line_at(self.text.as_bytes(), start))
                });
            }
        });
    }

    /// Tells what is wrong with the records of some pieces.
    fn tell(
        &self,
        wave: &Wave,
        columns: &[ColumnBuilder],
        problems: &mut ProblemList,
        told: &mut Told,
    ) {
        for (piece, landmark) in wave {
            let line_at = |offset: usize| landmark.line_at(self.text.as_bytes(), offset);
            for &(offset, field) in &piece.stray {
                problems.push_with(|| {
                    stray_quote(line_at(offset), columns.get(field).map(ColumnBuilder::name))
                });
            }
            for &(offset, found) in &piece.irregular {
                (told.irregular).note(found, self.n_fields, || line_at(offset));
            }
            told.irregular.n += piece.n_irregular - piece.irregular.len() as u64;
            if let Some(offset) = piece.open {
                told.problems.push_with(|| open_quote(line_at(offset)));
            }
            told.n_records += piece.n_records() as u64;
            if told.n_records > u64::from(u32::MAX) && piece.n_records() > 0 {
                (told.problems).push_with(|| too_many_records(landmark.line));
            }
        }
    }
}

/// The pieces with the lines they start at; `line` becomes that of what follows.
fn with_lines(pieces: Vec<Piece>, line: &mut u64) -> Wave {
    let with_line = |piece: Piece| {
        let landmark = Landmark {
            offset: piece.range.start,
            line: *line,
        };
        *line += piece.n_lines;
        (piece, landmark)
    };
    pieces.into_iter().map(with_line).collect()
}
