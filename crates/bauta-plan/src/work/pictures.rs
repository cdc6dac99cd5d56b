//! A small picture of each variable of a file that was looked at, for whoever says what the variables are.
//!
//! Nothing in a picture rests on fewer than ten records: such categories and bars are not shown, and the ends of a
//! histogram do not depend on the nine smallest and the nine largest values.

mod bins;

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bauta_data::date::Dates;
use bauta_data::inspect::{ColumnProfile, Content, FileProfile, Sign};
use bauta_data::number::{DecimalMark, parse_number_with};
use bauta_data::{Categorical, Codes, Column, Kind, Levels, Role, Table, Values, Watch};
use bauta_methods::MethodError;
use bauta_methods::few_records::is_few;
use serde::Serialize;

use super::WorkError;
use bins::{Bins, Grain};

/// Most bars of a picture of categories.
const MAX_CATEGORIES: usize = 12;
/// Share of the records with a value from which on values that differ are told by their number alone.
const NEARLY_ALL: f64 = 0.9;

/// What a picture of a variable shows. Counts of missing cells are left out where there are fewer than ten.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "shape", rename_all = "kebab-case")]
pub enum ColumnPicture {
    /// Bars of categories.
    Categories {
        /// At most twelve categories and their records, the most frequent first, ordered ones in their order.
        bars: Vec<(String, u64)>,
        /// Categories that are not shown: those of fewer than ten records, and those beyond the twelve. 0 where fewer than
        /// ten records have a value at all.
        n_withheld_categories: usize,
        /// Their records together; 0 where they are fewer than ten.
        n_withheld_records: u64,
        /// Cells without a value.
        n_missing: Option<u64>,
    },
    /// Numbers in bars of one width.
    Histogram {
        /// Ends of the bars, one more than bars: round numbers. None where there are too few records for bars.
        edges: Vec<f64>,
        /// Records from each edge up to the next; none where they are fewer than ten.
        counts: Vec<Option<u64>>,
        /// Records with a value in no bar: the tails on both sides, and texts among numbers; 0 where they are fewer
        /// than ten.
        n_outside: u64,
        /// Cells without a value.
        n_missing: Option<u64>,
    },
    /// Values that name a unit or differ nearly all: none of them is shown.
    Distinct {
        /// How many there are.
        n_distinct: u64,
        /// Cells without a value.
        n_missing: Option<u64>,
    },
}

/// A picture of every column in file order, of a table that [`inspect`](super::inspect::inspect) read and its profile.
pub fn pictures(
    table: &Table,
    profile: &FileProfile,
    watch: &dyn Watch,
) -> Result<Vec<ColumnPicture>, WorkError> {
    let names = profile.columns.iter().map(|column| column.name.as_str());
    if !table.names().eq(names) {
        return Err(WorkError::internal("the profile is of another table"));
    }
    let mark = profile.decimal.unwrap_or(DecimalMark::Point);
    let (n_done, n_columns) = (AtomicU64::new(0), profile.columns.len() as u64);
    let drawn = table.look_at_each(|attr_idx, column| {
        if watch.cancelled() {
            return None;
        }
        let picture = picture(column, &profile.columns[attr_idx], mark);
        watch.progress(n_done.fetch_add(1, Ordering::Relaxed) + 1, n_columns);
        Some(picture)
    });
    let drawn: Option<Vec<ColumnPicture>> = drawn.into_iter().collect();
    drawn.ok_or_else(|| WorkError::from(MethodError::Cancelled))
}

fn picture(column: &Column, of: &ColumnProfile, mark: DecimalMark) -> ColumnPicture {
    let n_missing = column.n_missing() as u64;
    let n_present = column.len() as u64 - n_missing;
    let n_missing = told(n_missing);
    if is_few(n_present) {
        return ColumnPicture::Categories {
            bars: Vec::new(),
            n_withheld_categories: 0,
            n_withheld_records: 0,
            n_missing,
        };
    }
    let distinct = |n_distinct: usize| ColumnPicture::Distinct {
        n_distinct: n_distinct as u64,
        n_missing,
    };
    if of.proposal.role == Role::Identifier {
        return distinct(of.n_distinct);
    }
    if has_amounts(of) {
        let Bins {
            edges,
            counts,
            n_inside,
        } = bins::bins(numbers(column, mark), grain(of));
        return ColumnPicture::Histogram {
            counts: counts.into_iter().map(told).collect(),
            edges,
            n_outside: told(n_present - n_inside).unwrap_or(0),
            n_missing,
        };
    }
    let categorical = categories(column);
    let mut counted = counted(column, &categorical);
    let n_categories = counted.len();
    counted.retain(|(_, n_records)| !is_few(*n_records));
    if counted.is_empty() || n_categories as f64 >= NEARLY_ALL * n_present as f64 {
        return distinct(n_categories);
    }
    let bars = bars(counted, of);
    let n_shown: u64 = bars.iter().map(|(_, n_records)| n_records).sum();
    ColumnPicture::Categories {
        n_withheld_categories: n_categories - bars.len(),
        n_withheld_records: told(n_present - n_shown).unwrap_or(0),
        bars,
        n_missing,
    }
}

/// A count that may be told.
fn told(n_records: u64) -> Option<u64> {
    Some(n_records).filter(|n_records| !is_few(*n_records))
}

/// Whether a column holds numbers that are amounts, and more of them than bars.
fn has_amounts(of: &ColumnProfile) -> bool {
    let are_numbers = match of.content {
        Content::Integer | Content::Decimal => true,
        Content::Text => of.signs.contains(&Sign::TextsAmongNumbers),
        Content::Date | Content::Empty => false,
    };
    let are_amounts = match of.proposal.kind {
        Kind::Continuous | Kind::Ordered => true,
        Kind::Hierarchical | Kind::Unordered => of.proposal.role == Role::Weight,
    };
    are_numbers && are_amounts && of.date.is_none() && of.n_distinct > MAX_CATEGORIES
}

fn grain(of: &ColumnProfile) -> Grain {
    match of.content {
        Content::Integer => Grain::Whole,
        _ => Grain::Any,
    }
}

/// The numbers of a column, texts among them left out.
fn numbers(column: &Column, mark: DecimalMark) -> Vec<f64> {
    let is_present = |record: &usize| !column.is_missing(*record);
    match column.values() {
        Values::Numeric(values) => {
            let present = (0..values.len()).filter(is_present);
            let present = present.map(|record| values[record]);
            present.filter(|value| value.is_finite()).collect()
        }
        Values::Categorical(Categorical { codes, levels }) => {
            let of_level = |text: &str| parse_number_with(text, mark).unwrap_or(f64::NAN);
            let of_levels: Vec<f64> = levels.iter().map(of_level).collect();
            let mut values = Vec::with_capacity(codes.len());
            for (record, code) in codes.iter().enumerate() {
                let value = of_levels.get(code as usize).copied();
                let value = value.filter(|value| value.is_finite() && is_present(&record));
                values.extend(value);
            }
            values
        }
    }
}

/// The column as categories; numbers are categories by their text.
fn categories(column: &Column) -> Cow<'_, Categorical> {
    match column.values() {
        Values::Categorical(categorical) => Cow::Borrowed(categorical),
        Values::Numeric(_) => {
            let (mut levels, mut text) = (Levels::default(), String::new());
            let codes: Vec<u32> = (0..column.len())
                .map(|record| {
                    text.clear();
                    column.write_text(record, DecimalMark::Point, &mut text);
                    levels.insert(&text)
                })
                .collect();
            let largest = u32::try_from(levels.len()).unwrap_or(u32::MAX);
            Cow::Owned(Categorical {
                codes: Codes::from_fn(codes.len(), largest, |record| codes[record]),
                levels: Arc::new(levels),
            })
        }
    }
}

/// The categories that occur, with their records.
fn counted<'c>(column: &Column, categorical: &'c Categorical) -> Vec<(&'c str, u64)> {
    let mut n_records = vec![0_u64; categorical.levels.len()];
    for (record, code) in categorical.codes.iter().enumerate() {
        if !column.is_missing(record)
            && let Some(n_of_code) = n_records.get_mut(code as usize)
        {
            *n_of_code += 1;
        }
    }
    let counted = categorical.levels.iter().zip(n_records);
    counted.filter(|(_, n_records)| *n_records > 0).collect()
}

/// The bars of the most frequent categories. Of equally frequent ones the first by its text, so that nothing depends
/// on the order of the records.
fn bars(mut counted: Vec<(&str, u64)>, of: &ColumnProfile) -> Vec<(String, u64)> {
    counted.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    counted.truncate(MAX_CATEGORIES);
    let levels = Levels::from_texts(counted.iter().map(|(text, _)| *text));
    let is_number = matches!(of.content, Content::Integer | Content::Decimal);
    let place = match of.date {
        Some(Dates::Spelled(format)) => {
            let day = |text: &str| format.days(text).unwrap_or(f64::NAN);
            levels.ordered_by(day).1
        }
        _ if is_number || of.proposal.kind == Kind::Ordered => levels.naturally_ordered().1,
        _ => (0..counted.len() as u32).collect(),
    };
    let mut bars: Vec<(u32, (String, u64))> = (counted.into_iter().zip(place))
        .map(|((text, n_records), place)| (place, (text.to_owned(), n_records)))
        .collect();
    bars.sort_by_key(|(place, _)| *place);
    bars.into_iter().map(|(_, bar)| bar).collect()
}
