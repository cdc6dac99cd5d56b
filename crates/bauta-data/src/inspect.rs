//! A first look at a file: what each column seems to be, and why.
//!
//! Proposals are guesses from names and content that a person confirms. Nothing here carries a
//! cell value: profiles are printed, logged and pasted into plans.

mod as_it_is;
mod facts;
mod marks;
mod names;
mod propose;
mod rules;
mod shape;

use rayon::prelude::*;
use serde::Serialize;

use crate::attribute::{Attribute, Kind, Role};
use crate::column::Column;
use crate::date::{DateDoubt, Dates};
use crate::hierarchy::HierarchySpec;
use crate::number::{ColumnMark, DecimalMark};
use crate::problem::DataProblem;
use crate::remark::Remark;
use crate::spelling;
use crate::table::Table;
use facts::Facts;

pub use as_it_is::{
    EXACT_AMOUNTS, RELEASED_AS_IS, exact_amounts, has_many_categories, no_amounts, released_as_is,
    tells_records_apart, weights_tell_apart,
};

/// What a file seems to hold.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FileProfile {
    /// Number of records.
    pub n_records: usize,
    /// The decimal mark of its numbers; none where they do not show it.
    pub decimal: Option<DecimalMark>,
    /// Why the decimal mark is not clear, by variable.
    pub decimal_doubts: Vec<DataProblem>,
    /// What else there is to say of it.
    pub remarks: Vec<Remark>,
    /// Its columns in file order.
    pub columns: Vec<ColumnProfile>,
}

/// What a column seems to be.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ColumnProfile {
    /// The column's name.
    pub name: String,
    /// Number of distinct values.
    pub n_distinct: usize,
    /// Number of cells without a value.
    pub n_missing: usize,
    /// Number of records whose value no other record has.
    pub n_unique: usize,
    /// Number of cells with a value that is not a number.
    pub n_not_numbers: usize,
    /// Characters of the longest value.
    pub longest: usize,
    /// What its values are.
    pub content: Content,
    /// How its dates are spelled, if all its values are dates and show it.
    pub date: Option<Dates>,
    /// What must be asked before its dates can be read, if all its values are dates.
    pub date_question: Option<DataProblem>,
    /// What else its values show.
    pub signs: Vec<Sign>,
    /// Role and kind that fit it best.
    pub proposal: Proposal,
}

/// What the values of a column are, all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    /// There is no value.
    Empty,
    /// Whole numbers.
    Integer,
    /// Numbers, some with decimals.
    Decimal,
    /// Calendar dates.
    Date,
    /// Anything else.
    Text,
}

/// Something that the values of a column show.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sign {
    /// Every record has the same value.
    Constant,
    /// All values have the same number of characters.
    EqualLength,
    /// Digit strings that start with zero: codes rather than numbers.
    LeadingZeros,
    /// Codes of letters and digits, all of the same length.
    CodeLike,
    /// Dates written year first, which sort as text.
    YearFirst,
    /// Whole numbers that ages can be, and too many for classes.
    AgeLike,
    /// Numbers above zero.
    Positive,
    /// The numbers 0 and 1.
    ZeroOne,
    /// Equal values stand in consecutive records.
    InRuns,
    /// Digits that are years and months, or years, months and days: 198004, 19800417.
    DateNumbers,
    /// Whole numbers of equal length that use their whole range, as codes do and amounts do not.
    CodeNumbers,
    /// The records are numbered without a gap.
    Consecutive,
    /// Most values look like e-mail addresses.
    EmailShape,
    /// Most values look like telephone numbers.
    PhoneShape,
    /// Most values look like bank account numbers.
    AccountShape,
    /// An extreme value that is written like a missing code and lies far from all others.
    OddCode,
    /// A few texts among numbers.
    TextsAmongNumbers,
    /// A few texts among dates of one spelling.
    TextsAmongDates,
    /// The first or last day is far from all others, and one that registers write for no date.
    OddDay,
    /// Numbers with the same sign or unit beside each: 12,50 €.
    NumbersWithUnit,
}

/// A role and a kind, with the reason.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Proposal {
    /// What the column is for.
    pub role: Role,
    /// What it is; hierarchical means by prefix.
    pub kind: Kind,
    /// Why, in words.
    pub reason: String,
    /// What a person should look at before release.
    pub flag: Option<Flag>,
}

/// What a person should look at before release.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flag {
    /// Names a person, household or firm.
    DirectIdentifier,
    /// Numbers the units.
    UnitNumber,
    /// Text of its own in nearly every record.
    FreeText,
    /// Numbers that cannot be read as such for the sign beside them.
    NumbersWithUnit,
    /// A day in somebody's life.
    ExactDate,
    /// A weight of its own in nearly every record.
    DistinctWeights,
    /// One of several columns that could be the weight.
    OtherWeight,
    /// Neither name nor content says what it is for.
    Undecided,
}

impl Sign {
    /// What a person should check because of it, if anything.
    pub const fn warning(self) -> Option<&'static str> {
        match self {
            Self::OddCode => Some(
                "a code far outside the other values: declare it as missing if it means refused, \
                 unknown or not applicable",
            ),
            Self::TextsAmongNumbers => Some(
                "a few values are not numbers while all others are: declare them as missing if \
                 they stand for no value",
            ),
            Self::TextsAmongDates => Some(
                "a few values are no dates of this spelling while all others are: declare them as missing if they \
                 stand for no value, or mend them; nothing is read until then, and the error tells their lines",
            ),
            Self::OddDay => Some(
                "its first or last day lies far from all others, as days do that stand for unknown or not yet: \
                 declare it as missing if it does",
            ),
            _ => None,
        }
    }
}

impl Flag {
    /// What it means and what to do.
    pub const fn text(self) -> &'static str {
        match self {
            Self::DirectIdentifier => "names a unit directly: dropped before release",
            Self::UnitNumber => {
                "links the released records back to their source: dropped before release"
            }
            Self::FreeText => "free text can hold names: dropped before release",
            Self::NumbersWithUnit => {
                "numbers with a sign beside them are texts, and dropped before release: to keep them, take the sign \
                 out of the file and make them sensitive, continuous"
            }
            Self::ExactDate => "an exact date singles records out: release the year or an interval",
            Self::DistinctWeights => {
                "nearly every record has a weight of its own, so a released weight can single \
                 records out; in a file that is only part of its sample, make it sensitive instead"
            }
            Self::OtherWeight => {
                "check which weight sums to the population; another one beside it tells how it was made"
            }
            Self::Undecided => "decide: key if others can know it, sensitive if they must not",
        }
    }
}

impl ColumnProfile {
    /// Share of the records with a value whose value no other record has.
    pub fn share_unique(&self, n_records: usize) -> f64 {
        match n_records - self.n_missing {
            0 => 0.0,
            n_present => self.n_unique as f64 / n_present as f64,
        }
    }

    /// What a person should check about its values.
    pub fn warnings(&self) -> impl Iterator<Item = &'static str> {
        self.signs.iter().filter_map(|sign| sign.warning())
    }

    /// The proposal as a description of the variable.
    pub fn attribute(&self) -> Attribute {
        let Proposal { role, kind, .. } = self.proposal;
        let hierarchy =
            (kind == Kind::Hierarchical).then_some(HierarchySpec::Prefix { keep: None });
        Attribute {
            hierarchy,
            date: self.date.filter(|_| kind == Kind::Ordered),
            ..Attribute::new(self.name.clone(), role, kind)
        }
    }
}

/// Looks at a table that was read without a schema, and proposes one. `stated` is the decimal mark, where
/// somebody said it.
pub fn inspect(table: &Table, stated: Option<DecimalMark>) -> FileProfile {
    let columns = table.columns();
    let shown: Vec<ColumnMark> = columns
        .par_iter()
        .map(|column| marks::column_mark(column))
        .collect();
    let looked_at = |mark_of: &(dyn Fn(usize) -> DecimalMark + Sync)| -> Vec<(&str, Facts)> {
        let columns = columns.par_iter().enumerate();
        columns
            .map(|(at, column)| (column.name(), Facts::of(column, mark_of(at))))
            .collect()
    };
    let own = |at: usize| stated.unwrap_or_else(|| marks::own_mark(shown[at]));
    let mut facts = looked_at(&own);
    let mut proposals = propose::propose(&facts);
    let decided = match stated {
        Some(mark) => marks::Decided {
            mark: Some(mark),
            remarks: Vec::new(),
            doubts: Vec::new(),
        },
        None => marks::decide(&facts, &shown, &proposals),
    };
    if let (None, Some(mark), false) = (stated, decided.mark, decided.remarks.is_empty()) {
        // Columns that do not show their mark themselves are looked at as they will be read.
        facts = looked_at(&|at| match shown[at] {
            ColumnMark::Shows(own) => own,
            _ => mark,
        });
        proposals = propose::propose(&facts);
    }
    let mut remarks = decided.remarks;
    remarks.extend(spelling_remarks(table, &proposals));
    let columns = columns.iter().zip(facts).zip(proposals);
    FileProfile {
        n_records: table.n_records(),
        decimal: decided.mark,
        decimal_doubts: decided.doubts,
        remarks,
        columns: columns
            .map(|((column, (_, facts)), proposal)| profile(column, facts, proposal))
            .collect(),
    }
}

/// What there is to say of the spellings of columns that would be categories.
fn spelling_remarks(table: &Table, proposals: &[Proposal]) -> Vec<Remark> {
    let is_category = |attr_idx: usize| {
        let Proposal { role, kind, .. } = proposals[attr_idx];
        kind != Kind::Continuous && ![Role::Identifier, Role::Weight].contains(&role)
    };
    spelling::remarks(table, is_category)
}

/// What must be asked of values that all are dates.
fn date_question(doubt: DateDoubt) -> DataProblem {
    match doubt {
        DateDoubt::NoDate => DataProblem::file(
            "its dates are not all spelled alike, or some are no days of the calendar",
            "mend those that differ; declaring date = \"dd/mm/yyyy\" or whatever most are tells their lines",
        ),
        DateDoubt::Either(..) | DateDoubt::Century(..) => doubt.problem(),
    }
}

fn profile(column: &Column, facts: Facts, proposal: Proposal) -> ColumnProfile {
    ColumnProfile {
        name: column.name().to_owned(),
        n_distinct: facts.n_distinct,
        n_missing: column.n_missing(),
        n_unique: facts.n_unique,
        n_not_numbers: facts.n_not_numbers,
        longest: facts.longest,
        content: facts.content,
        date: facts.dates.and_then(Result::ok).map(Dates::Spelled),
        date_question: (facts.dates.and_then(Result::err)).map(date_question),
        signs: facts.signs,
        proposal,
    }
}

#[cfg(test)]
mod tests;
