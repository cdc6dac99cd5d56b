//! What is wrong with records as such, and on which line.

use super::sniff::{self, count_lines};
use super::suspicion;
use super::unread_text::Waiting;
use crate::problem::{DataProblem, ProblemList};

/// A place in the text whose line is known, to count the lines of later places from.
#[derive(Clone, Copy, Default)]
pub(super) struct Landmark {
    pub(super) offset: usize,
    pub(super) line: u64,
}

impl Landmark {
    /// The line at a later offset.
    pub(super) fn line_at(self, text: &[u8], offset: usize) -> u64 {
        self.line + count_lines(&text[self.offset..offset])
    }
}

/// Text behind a closing quote, of a field at this position.
pub(super) fn stray_quote(line: u64, variable: Option<&str>) -> DataProblem {
    let problem = DataProblem::file(
        "text follows the closing quote of a field",
        "double the quotes within a quoted field",
    )
    .at_line(line);
    match variable {
        Some(name) => problem.of_variable(name),
        None => problem,
    }
}

/// A quote that nobody closes.
pub(super) fn open_quote(line: u64) -> DataProblem {
    DataProblem::file(
        "a quoted field starts here and does not end before the end of the file",
        "close the quote, or double the quotes within a quoted field",
    )
    .at_line(line)
}

/// More records than can be numbered.
pub(super) fn too_many_records(line: u64) -> DataProblem {
    let message = format!("the file has more than {} records", u32::MAX);
    DataProblem::file(message, "split it by region or stratum").at_line(line)
}

/// What is told of records besides their cells.
#[derive(Default)]
pub(super) struct Told {
    /// Records with as many fields as the header.
    pub(super) n_records: u64,
    pub(super) problems: ProblemList,
    pub(super) irregular: Irregular,
    /// Of each column that is read later, its fields. No columns where all were read.
    pub(super) waiting: Vec<Option<Waiting>>,
}

/// Records with another number of fields than the header has.
#[derive(Default)]
pub(super) struct Irregular {
    /// Line, fields and fields of the header of the first of them.
    first: Vec<(u64, usize, usize)>,
    pub(super) n: u64,
}

impl Irregular {
    /// More than these have one cause, and are told together.
    pub(super) const FEW: usize = 5;

    pub(super) fn note(&mut self, found: usize, expected: usize, line: impl Fn() -> u64) {
        self.n += 1;
        if self.first.len() < Self::FEW {
            self.first.push((line(), found, expected));
        }
    }

    /// Tells each of a few, or all of many in one problem.
    pub(super) fn tell(&self, text: &[u8], delimiter: u8, problems: &mut ProblemList) {
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
