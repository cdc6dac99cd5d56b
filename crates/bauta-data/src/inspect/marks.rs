//! The decimal mark of a file whose columns nobody has described.

use std::path::Path;

use super::Proposal;
use super::facts::Facts;
use crate::attribute::{Kind, Role};
use crate::column::{Column, Values};
use crate::format::decimal_mark_of;
use crate::number::{ColumnMark, DecimalMark, MarkEvidence, ReadAs, ShownMark};
use crate::problem::DataProblem;
use crate::remark::Remark;

/// What the texts of a column show; nothing where they were read as numbers already.
pub(super) fn column_mark(column: &Column) -> ColumnMark {
    match column.values() {
        Values::Categorical(categorical) => {
            MarkEvidence::of(categorical.levels.iter()).mark_of_texts()
        }
        Values::Numeric(_) => ColumnMark::Any,
    }
}

/// The mark that a column is looked at with, as long as nobody knows better. A column in doubt is one of
/// numbers under either.
pub(super) fn own_mark(shown: ColumnMark) -> DecimalMark {
    match shown {
        ColumnMark::Shows(mark) => mark,
        ColumnMark::Any | ColumnMark::Both | ColumnMark::Either(_) | ColumnMark::FixedPoint => {
            DecimalMark::Point
        }
    }
}

/// The mark of the file, what there is to say of it, or why it is not clear.
pub(super) struct Decided {
    pub(super) mark: Option<DecimalMark>,
    pub(super) remarks: Vec<Remark>,
    pub(super) doubts: Vec<DataProblem>,
}

/// Decides by all columns, as every reader of the file will; texts that are no numbers are nobody's doubt.
pub(super) fn decide(
    facts: &[(&str, Facts)],
    shown: &[ColumnMark],
    proposals: &[Proposal],
) -> Decided {
    let columns = facts.iter().zip(shown).zip(proposals);
    let columns: Vec<ShownMark> = columns
        .map(|(((name, _), mark), proposal)| ShownMark {
            variable: (*name).to_owned(),
            mark: *mark,
            read_as: read_as(proposal),
        })
        .collect();
    // The path stands in no message that is kept.
    match decimal_mark_of(Path::new(""), &columns) {
        Ok((mark, remarks)) => Decided {
            mark: Some(mark),
            remarks,
            doubts: Vec::new(),
        },
        Err(error) => Decided {
            mark: None,
            remarks: Vec::new(),
            doubts: error.problems,
        },
    }
}

fn read_as(proposal: &Proposal) -> ReadAs {
    if proposal.kind == Kind::Continuous || proposal.role == Role::Weight {
        ReadAs::Numbers
    } else {
        ReadAs::Texts
    }
}
