//! What the values of a column show, before anyone asks what they mean.

mod odd;

use std::borrow::Cow;

use super::shape::{self, DateOrder};
use super::{Content, Sign};
use crate::column::{Categorical, Column, Values};
use crate::date::{DateDoubt, DateEvidence, DateFormat, format_of};
use crate::levels::Levels;
use crate::number::{DecimalMark, parse_number_with};
use odd::{numbers_with_unit, odd_code, odd_day};

/// Share of the cells that must have a shape for the column to have it.
const MOST: f64 = 0.8;
/// Share of numbers above which a few texts look like missing codes.
const NEARLY_ALL: f64 = 0.9;
/// Fewer records than this say little about how values repeat.
pub(super) const FEW_RECORDS: usize = 20;

/// The figures that proposals are made from.
pub(super) struct Facts {
    pub(super) n_records: usize,
    pub(super) n_present: usize,
    pub(super) n_distinct: usize,
    pub(super) n_unique: usize,
    pub(super) n_not_numbers: usize,
    pub(super) longest: usize,
    pub(super) content: Content,
    /// How its dates are spelled, or why that cannot be told; `None` if they are no dates.
    pub(super) dates: Option<Result<DateFormat, DateDoubt>>,
    pub(super) signs: Vec<Sign>,
}

impl Facts {
    pub(super) fn of(column: &Column, mark: DecimalMark) -> Self {
        let categorical = categories(column);
        let cells = Cells::of(column, &categorical, mark);
        let signs = SIGNS
            .iter()
            .filter(|(_, shows)| shows(&cells))
            .map(|&(sign, _)| sign)
            .collect();
        Self {
            n_records: column.len(),
            n_present: cells.order.len(),
            n_distinct: cells.values.len(),
            n_unique: cells.values.iter().filter(|value| value.count == 1).count(),
            n_not_numbers: cells.count_where(|value| value.number.is_none()),
            longest: cells.lengths().max().unwrap_or(0),
            content: cells.content,
            dates: cells.dates,
            signs,
        }
    }

    pub(super) fn shows(&self, sign: Sign) -> bool {
        self.signs.contains(&sign)
    }

    /// Whether every record has a value that no other has.
    pub(super) fn all_differ(&self) -> bool {
        self.n_unique == self.n_records && self.n_records > 0
    }

    /// Whether values repeat often enough to be categories rather than measurements.
    pub(super) fn repeats(&self) -> bool {
        self.n_present >= 2 * self.n_distinct
    }
}

/// The column as categories; numbers are categories by their text.
fn categories(column: &Column) -> Cow<'_, Categorical> {
    match column.values() {
        Values::Categorical(categorical) => Cow::Borrowed(categorical),
        Values::Numeric(_) => {
            let mut levels = Levels::default();
            let mut text = String::new();
            let codes = (0..column.len())
                .map(|record| {
                    text.clear();
                    column.write_text(record, DecimalMark::Point, &mut text);
                    levels.insert(&text)
                })
                .collect();
            let levels = std::sync::Arc::new(levels);
            Cow::Owned(Categorical { codes, levels })
        }
    }
}

/// A distinct value.
struct Value<'a> {
    text: &'a str,
    count: usize,
    number: Option<f64>,
}

/// The cells that hold a value.
struct Cells<'a> {
    values: Vec<Value<'a>>,
    /// Value of each cell, in the order of the records.
    order: Vec<u32>,
    content: Content,
    dates: Option<Result<DateFormat, DateDoubt>>,
}

impl<'a> Cells<'a> {
    fn of(column: &Column, categorical: &'a Categorical, mark: DecimalMark) -> Self {
        const ABSENT: u32 = u32::MAX;
        let mut value_of = vec![ABSENT; categorical.levels.len()];
        let mut values: Vec<Value> = Vec::new();
        let mut order = Vec::with_capacity(column.len());
        for (record, code) in categorical.codes.iter().enumerate() {
            if column.is_missing(record) {
                continue;
            }
            let value = &mut value_of[code as usize];
            if *value == ABSENT {
                *value = values.len() as u32;
                let text = categorical.levels.text(code);
                values.push(Value {
                    text,
                    count: 0,
                    number: parse_number_with(text, mark),
                });
            }
            values[*value as usize].count += 1;
            order.push(*value);
        }
        let content = content(&values, mark);
        let mut cells = Self {
            values,
            order,
            content,
            dates: None,
        };
        cells.look_for_dates();
        cells
    }

    /// Finds how dates are spelled; texts such as 03APR2020 are found to be dates by it.
    fn look_for_dates(&mut self) {
        let texts = self.values.iter().map(|value| value.text);
        let found = match self.content {
            Content::Text | Content::Date => format_of(texts),
            Content::Integer if date_numbers(self) => format_of(texts),
            Content::Integer | Content::Decimal | Content::Empty => return,
        };
        self.dates = match (self.content, found) {
            (Content::Text, Err(DateDoubt::NoDate)) => self.dates_with_a_few_texts(),
            (Content::Integer, Err(DateDoubt::NoDate)) => None,
            (_, found) => Some(found),
        };
        if self.content == Content::Text && self.dates.is_some() {
            self.content = Content::Date;
        }
    }

    /// How nearly all values are spelled as dates, if they are: a file has "unknown" here and there.
    fn dates_with_a_few_texts(&self) -> Option<Result<DateFormat, DateDoubt>> {
        const ATTEMPTS: usize = 4;
        let mut start = 0;
        // The first texts may be those that are no dates, or dates of another spelling.
        for _ in 0..ATTEMPTS {
            let mut evidence = DateEvidence::default();
            let mut n_others = 0;
            let mut first_other = None;
            let (before, after) = self.values.split_at(start);
            for (at, value) in after.iter().chain(before).enumerate() {
                if !evidence.see(value.text) {
                    n_others += value.count;
                    first_other.get_or_insert(at);
                }
            }
            let n_dates = self.order.len() - n_others;
            if n_dates as f64 >= NEARLY_ALL * self.order.len() as f64 {
                return Some(evidence.format());
            }
            start = (start + first_other?) % self.values.len();
        }
        None
    }

    /// The days of the dates, in rising order; none if they are no dates of a known spelling.
    fn sorted_days(&self) -> Vec<f64> {
        let Some(Ok(format)) = self.dates else {
            return Vec::new();
        };
        let days = self
            .values
            .iter()
            .filter_map(|value| format.days(value.text));
        let mut days: Vec<f64> = days.collect();
        days.sort_by(f64::total_cmp);
        days.dedup();
        days
    }

    fn count_where(&self, holds: impl Fn(&Value) -> bool) -> usize {
        self.values
            .iter()
            .filter(|value| holds(value))
            .map(|value| value.count)
            .sum()
    }

    fn mostly(&self, share: f64, holds: impl Fn(&str) -> bool) -> bool {
        let n_holding = self.count_where(|value| holds(value.text));
        n_holding > 0 && n_holding as f64 >= share * self.order.len() as f64
    }

    fn all(&self, holds: impl Fn(&str) -> bool) -> bool {
        !self.values.is_empty() && self.values.iter().all(|value| holds(value.text))
    }

    fn lengths(&self) -> impl Iterator<Item = usize> {
        self.values.iter().map(|value| value.text.chars().count())
    }

    /// The distinct numbers in rising order; none if a value is not a number.
    fn sorted_numbers(&self) -> Vec<f64> {
        let numbers: Option<Vec<f64>> = self.values.iter().map(|value| value.number).collect();
        let mut numbers = numbers.unwrap_or_default();
        numbers.sort_by(f64::total_cmp);
        numbers.dedup();
        numbers
    }
}

fn content(values: &[Value], mark: DecimalMark) -> Content {
    let separator = mark.character();
    // 1.1e7 is a whole number, 5.0 is a measurement that happens to be whole.
    let whole = |value: &Value, number: f64| {
        number.fract() == 0.0
            && (!value.text.contains(separator) || value.text.contains(['e', 'E']))
    };
    if values.is_empty() {
        Content::Empty
    } else if values
        .iter()
        .all(|value| value.number.is_some_and(|number| whole(value, number)))
    {
        Content::Integer
    } else if values.iter().all(|value| value.number.is_some()) {
        Content::Decimal
    } else if values.iter().all(|value| shape::date(value.text).is_some()) {
        Content::Date
    } else {
        Content::Text
    }
}

/// Tells whether a column shows a sign.
type Shows = fn(&Cells) -> bool;

const SIGNS: &[(Sign, Shows)] = &[
    (Sign::Constant, |cells| cells.values.len() == 1),
    (Sign::EqualLength, equal_length),
    (Sign::LeadingZeros, |cells| {
        cells.content == Content::Integer
            && cells.values.iter().any(|value| zero_padded(value.text))
    }),
    (Sign::CodeLike, |cells| {
        equal_length(cells) && cells.all(is_code)
    }),
    (Sign::YearFirst, |cells| {
        cells.all(|text| shape::date(text) == Some(DateOrder::YearFirst))
    }),
    (Sign::AgeLike, age_like),
    (Sign::Positive, |cells| {
        cells
            .sorted_numbers()
            .first()
            .is_some_and(|&smallest| smallest > 0.0)
    }),
    (Sign::ZeroOne, |cells| cells.sorted_numbers() == [0.0, 1.0]),
    (Sign::InRuns, in_runs),
    (Sign::DateNumbers, date_numbers),
    (Sign::CodeNumbers, code_numbers),
    (Sign::Consecutive, consecutive),
    (Sign::EmailShape, |cells| {
        cells.mostly(MOST, shape::is_email)
    }),
    (Sign::PhoneShape, |cells| {
        cells.mostly(MOST, shape::is_phone)
    }),
    (Sign::AccountShape, |cells| {
        cells.mostly(MOST, shape::is_account)
    }),
    (Sign::OddCode, odd_code),
    (Sign::TextsAmongNumbers, |cells| {
        let n_texts = cells.count_where(|value| value.number.is_none());
        let n_cells = cells.order.len();
        n_texts > 0 && (n_cells - n_texts) as f64 >= NEARLY_ALL * n_cells as f64
    }),
    (Sign::TextsAmongDates, |cells| match cells.dates {
        Some(Ok(format)) => !cells.all(|text| format.days(text).is_some()),
        _ => false,
    }),
    (Sign::OddDay, odd_day),
    (Sign::NumbersWithUnit, numbers_with_unit),
];

fn equal_length(cells: &Cells) -> bool {
    let mut lengths = cells.lengths();
    let first = lengths.next();
    first.is_some() && lengths.all(|length| Some(length) == first)
}

fn zero_padded(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_code(text: &str) -> bool {
    text.len() >= 3
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && text.bytes().any(|byte| byte.is_ascii_digit())
}

fn in_runs(cells: &Cells) -> bool {
    let n_starts = cells
        .order
        .windows(2)
        .filter(|pair| pair[0] != pair[1])
        .count()
        + 1;
    cells.values.len() < cells.order.len() && n_starts == cells.values.len()
}

/// The oldest person on record was 122 years old.
const OLDEST: f64 = 122.0;

fn age_like(cells: &Cells) -> bool {
    let numbers = cells.sorted_numbers();
    let within = |first: f64, last: f64| first >= 0.0 && last <= OLDEST;
    let ends = numbers.first().zip(numbers.last());
    cells.content == Content::Integer
        && numbers.len() >= FEW_RECORDS
        && ends.is_some_and(|(&first, &last)| within(first, last))
}

fn date_numbers(cells: &Cells) -> bool {
    let is_date = |text: &str| {
        let digits = |from: usize, to: usize| text.get(from..to)?.parse::<u32>().ok();
        let of_digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let day = match text.len() {
            6 => Some(1),
            8 => digits(6, 8),
            _ => None,
        };
        of_digits
            && digits(0, 4).is_some_and(|year| (1850..=2100).contains(&year))
            && digits(4, 6).is_some_and(|month| (1..=12).contains(&month))
            && day.is_some_and(|day| (1..=31).contains(&day))
    };
    cells.content == Content::Integer && cells.values.len() >= 3 && cells.all(is_date)
}

/// Digits of the shortest codes.
const SHORTEST_CODE: usize = 3;
/// Share of all numbers of a length that codes reach over at least. Years and heights of equal length lie
/// close together, and amounts that reach as far have shorter and longer ones among them.
const REACH_OF_CODES: f64 = 0.5;

fn code_numbers(cells: &Cells) -> bool {
    let numbers = cells.sorted_numbers();
    let (Some(first), Some(last)) = (numbers.first(), numbers.last()) else {
        return false;
    };
    let longest = cells.lengths().max().unwrap_or(0);
    // From 100 to 999 for three digits.
    let n_of_length = (1..longest).fold(9.0, |n, _| 10.0 * n);
    cells.content == Content::Integer
        && numbers.len() >= FEW_RECORDS
        && longest >= SHORTEST_CODE
        && equal_length(cells)
        && *first > 0.0
        && last - first >= REACH_OF_CODES * n_of_length
}

fn consecutive(cells: &Cells) -> bool {
    let numbers = cells.sorted_numbers();
    let (Some(first), Some(last)) = (numbers.first(), numbers.last()) else {
        return false;
    };
    cells.content == Content::Integer
        && numbers.len() == cells.order.len()
        // Whole numbers: the difference is exact, or far too large to matter.
        && (last - first + 1.0 - numbers.len() as f64).abs() < 0.5
}
