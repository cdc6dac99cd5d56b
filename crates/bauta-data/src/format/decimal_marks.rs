//! The decimal mark of a text file that nobody stated.

use std::path::Path;

use super::builder::ColumnBuilder;
use crate::number::{ColumnMark, DecimalMark, FileMark, ShownMark};
use crate::problem::{DataError, DataProblem, ProblemList};
use crate::remark::{Remark, THOUSANDS_SEPARATORS};

/// What a reader knows of the decimal mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Marks {
    /// It is this one.
    Known(DecimalMark),
    /// It is to be found: numbers are read with a point, and what they show is gathered.
    Sought,
}

impl Marks {
    /// The mark that numbers are read with.
    pub(super) fn read_with(self) -> DecimalMark {
        match self {
            Self::Known(mark) => mark,
            Self::Sought => DecimalMark::Point,
        }
    }
}

/// What each column shows, where that is gathered.
pub(super) fn shown(columns: &[ColumnBuilder]) -> Vec<ShownMark> {
    let shown = columns.iter().filter_map(ColumnBuilder::shown_mark);
    shown.collect()
}

/// The mark that the columns of a file show together, and what there is to say about it; an error that
/// names them where they do not show one.
///
/// All columns are witnesses, whatever they are read as: if only those counted that a command reads as
/// numbers, two commands could read the same column differently. Where no number that is read depends on
/// the mark, nothing is refused.
pub fn decide(path: &Path, columns: &[ShownMark]) -> Result<(DecimalMark, Vec<Remark>), DataError> {
    let marks: Vec<ColumnMark> = columns.iter().map(|column| column.mark).collect();
    let name = |position: usize| columns[position].variable.as_str();
    match FileMark::of(&marks) {
        FileMark::Found { mark, by_others } => {
            let read = by_others
                .into_iter()
                .filter(|&at| columns[at].depends_on_mark());
            let remark = |position: usize| by_other_columns(name(position), mark);
            Ok((mark, read.map(remark).collect()))
        }
        _ if !columns.iter().any(ShownMark::depends_on_mark) => {
            Ok((DecimalMark::Point, Vec::new()))
        }
        FileMark::Doubtful(doubtful) => {
            let problem = |(position, mark)| doubt(name(position), mark);
            refused(path, doubtful.into_iter().map(problem))
        }
        FileMark::Contradicting { point, comma } => {
            let of = |positions: Vec<usize>, mark: DecimalMark| {
                let problem = move |position| contradiction(name(position), mark);
                positions.into_iter().map(problem)
            };
            let problems = of(point, DecimalMark::Point).chain(of(comma, DecimalMark::Comma));
            refused(path, problems)
        }
    }
}

fn refused<T>(path: &Path, found: impl Iterator<Item = DataProblem>) -> Result<T, DataError> {
    let mut problems = ProblemList::default();
    for problem in found {
        problems.push_with(|| problem);
    }
    let error = problems.into_result(path).err();
    Err(error.unwrap_or_else(|| DataError::one(path, doubt("", DecimalMark::Comma))))
}

/// What both readings make of a number in doubt. The number is made up: none of the file's is shown.
fn doubt(variable: &str, mark: DecimalMark) -> DataProblem {
    let example = format!("1{}234", mark.character());
    let (by_point, by_comma) = match mark {
        DecimalMark::Point => ("1.234", "1234"),
        DecimalMark::Comma => ("1234", "1.234"),
    };
    DataProblem::file(
        format!(
            "every {} in its numbers may separate thousands or decimals ({example} is {by_point} or {by_comma})",
            mark.name()
        ),
        format!(
            "state it in [data] or with --decimal: decimal = \".\" reads {example} as {by_point}, decimal = \",\" as {by_comma}"
        ),
    )
    .of_variable(variable)
}

fn contradiction(variable: &str, mark: DecimalMark) -> DataProblem {
    let example = format!("1{}5", mark.character());
    DataProblem::file(
        format!(
            "its numbers have a decimal {} ({example}), and others of the file a decimal {}",
            mark.name(),
            mark.other().name()
        ),
        "state it in [data] or with --decimal: decimal = \".\" or decimal = \",\"; what is no number then is told with its line",
    )
    .of_variable(variable)
}

/// A column does not show what its separators are, and other columns decided.
fn by_other_columns(variable: &str, mark: DecimalMark) -> Remark {
    let other = mark.other();
    let text = format!(
        "has a {} in its numbers that was read as separating thousands, because other variables have a decimal {}; state decimal = \"{}\" or \"{}\" to settle it",
        other.name(),
        mark.name(),
        mark.character(),
        other.character(),
    );
    Remark::of_variable(THOUSANDS_SEPARATORS, variable, text)
}
