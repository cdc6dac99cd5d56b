//! Numbers that doubles cannot hold, kept with all their digits beside the doubles.

use std::cmp::Ordering;
use std::sync::Arc;

use super::{Categorical, Cells, Column, NumberText, Values};
use crate::date::iso_days;
use crate::decimal::{Decimal, is_beyond_double};
use crate::levels::Levels;
use crate::number::{DecimalMark, PlainNumber, number_text, parse_label, plain_number};
use crate::text::TextArena;

/// A number that the numbers of one column are compared with, to the last digit.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    value: f64,
    /// How a cell compares that holds the same double and no other digits.
    of_equal_double: Ordering,
    /// Where it stands among the exact numbers of the column: at one of them, or before one.
    place: Option<Result<u32, u32>>,
}

impl Column {
    /// The numbers with all their digits, where some have more than a double holds: codes in rising
    /// order of the numbers, whose texts are their one spelling. `None` where the doubles say it all,
    /// and for categories.
    pub fn exact(&self) -> Option<&Categorical> {
        match &self.cells {
            Cells::Stored(stored) if !stored.file.may_be_exact() => None,
            _ => self.content().exact.as_deref(),
        }
    }

    /// The limit that a text means in this column, if it is a number; a date where the numbers are days.
    pub fn limit(&self, text: &str) -> Option<Limit> {
        if let Some(format) = self.spelled().date {
            return iso_days(text)
                .or_else(|| format.days(text))
                .map(|days| self.limit_at(days));
        }
        Some(self.limit_of(Decimal::parse(text)?, parse_label(text)?))
    }

    /// A double as a limit of this column.
    pub fn limit_at(&self, value: f64) -> Limit {
        let text = number_text(value);
        match Decimal::parse(&text) {
            Some(number) => self.limit_of(number, value),
            // No limit: infinitely far away.
            None => Limit {
                value,
                of_equal_double: Ordering::Equal,
                place: None,
            },
        }
    }

    fn limit_of(&self, number: Decimal<'_>, value: f64) -> Limit {
        let place = |exact: &Categorical| {
            let levels = &exact.levels;
            let at = |code: u32| Decimal::parse(levels.text(code));
            let (mut low, mut high) = (0, levels.len() as u32);
            while low < high {
                let middle = low + (high - low) / 2;
                match at(middle).cmp(&Some(number)) {
                    Ordering::Equal => return Ok(middle),
                    Ordering::Less => low = middle + 1,
                    Ordering::Greater => high = middle,
                }
            }
            Err(low)
        };
        Limit {
            value,
            of_equal_double: number.cmp_own_double(value).reverse(),
            place: self.exact().map(place),
        }
    }

    /// How the number of a record compares with a limit of this column; `None` where the cell is
    /// missing or the column holds categories.
    pub fn compare(&self, record: usize, limit: &Limit) -> Option<Ordering> {
        let value = self.as_numeric()?[record];
        if value.is_nan() {
            return None;
        }
        if let (Some(exact), Some(place)) = (self.exact(), limit.place) {
            let code = exact.codes.at(record);
            return Some(match place {
                Ok(at) => code.cmp(&at),
                Err(before) if code < before => Ordering::Less,
                Err(_) => Ordering::Greater,
            });
        }
        // What is read as a lower double is a lower number.
        let by_double = value.partial_cmp(&limit.value)?;
        Some(by_double.then(limit.of_equal_double))
    }

    /// Whether a cell holds the same value as a cell of another column, or neither holds one.
    pub fn same_value(&self, record: usize, other: &Self, other_record: usize) -> bool {
        match (self.is_missing(record), other.is_missing(other_record)) {
            (false, false) => {}
            (left, right) => return left && right,
        }
        match (self.values(), other.values()) {
            (Values::Numeric(x), Values::Numeric(z)) => {
                let (x, z) = (x[record], z[other_record]);
                if self.exact().is_none() && other.exact().is_none() {
                    return x.to_bits() == z.to_bits();
                }
                let text = |column: &Self, record: usize, value: f64| {
                    let exact = column.exact();
                    exact.map_or_else(
                        || number_text(value),
                        |exact| exact.levels.text(exact.codes.at(record)).to_owned(),
                    )
                };
                let (x, z) = (text(self, record, x), text(other, other_record, z));
                Decimal::parse(&x) == Decimal::parse(&z)
            }
            (Values::Categorical(x), Values::Categorical(z)) => {
                x.levels.text(x.codes.at(record)) == z.levels.text(z.codes.at(other_record))
            }
            _ => false,
        }
    }

    /// The column with the value of another record in each: `donors[record]` is whose. Missing cells
    /// stay missing, and none may be a donor to a record that has a value.
    ///
    /// Values come with all their digits, in their one spelling.
    #[must_use]
    pub fn moved(&self, donors: &[u32]) -> Self {
        match self.values() {
            Values::Categorical(categories) => self.with_codes(
                categories.codes.taken(donors),
                Arc::clone(&categories.levels),
            ),
            Values::Numeric(values) => {
                let exact = self.exact().map(|exact| exact_taken(exact, donors));
                self.with_numbers(taken(values, donors))
                    .with_beside(exact, None)
            }
        }
    }

    /// The column with other numbers in those records of which `is_new` says so; all others keep
    /// theirs with all its digits. Missing cells stay missing.
    ///
    /// For masks that set some cells to a stated number. What is computed of many goes into the whole
    /// column by [`Column::with_numbers`]: if only some cells had fewer digits, these would be seen.
    #[must_use]
    pub fn with_numbers_where(&self, values: Vec<f64>, is_new: impl Fn(usize) -> bool) -> Self {
        let column = self.with_numbers(values);
        let (Some(exact), Some(numbers)) = (self.exact(), column.as_numeric()) else {
            return column;
        };
        let new_text = |record: usize| number_text(numbers[record]);
        let mut texts = TextArena::default();
        for (record, value) in numbers.iter().enumerate() {
            if value.is_nan() {
                texts.push("");
            } else if is_new(record) {
                texts.push(&new_text(record));
            } else {
                texts.push(exact.levels.text(exact.codes.at(record)));
            }
        }
        let exact = exact_numbers(numbers, &texts, DecimalMark::Point);
        column.with_beside(exact, None)
    }
}

/// The numbers with all their digits, if a double lacks some that a text has.
pub(super) fn exact_of(values: &[f64], number_text: &NumberText) -> Option<Arc<Categorical>> {
    if number_text.date.is_some() {
        return None;
    }
    let texts = number_text.verbatim.as_ref()?;
    exact_numbers(values, texts, number_text.mark)
}

/// Whether a text has digits that its double lacks.
pub(crate) fn has_exact_numbers(values: &[f64], texts: &TextArena, mark: DecimalMark) -> bool {
    // A plain number has few enough digits for a double.
    let is_plain = |record: usize| PlainNumber::of(texts.get(record).as_bytes(), mark).is_some();
    let is_beyond = |record: usize| {
        !values[record].is_nan() && !is_plain(record) && {
            let plain = plain_number(texts.get(record), mark).unwrap_or_default();
            is_beyond_double(&plain, values[record])
        }
    };
    (0..values.len()).any(is_beyond)
}

fn exact_numbers(values: &[f64], texts: &TextArena, mark: DecimalMark) -> Option<Arc<Categorical>> {
    has_exact_numbers(values, texts, mark).then(|| coded(values, texts, mark))
}

/// The numbers of some records with all their digits, of a column in which a double lacks some, whether it is one of
/// these or not.
pub(crate) fn exact_numbers_coded(
    values: &[f64],
    number_text: &NumberText,
) -> Option<Arc<Categorical>> {
    let texts = number_text.verbatim.as_ref()?;
    Some(coded(values, texts, number_text.mark))
}

/// Codes of the numbers that texts have, with all their digits.
fn coded(values: &[f64], texts: &TextArena, mark: DecimalMark) -> Arc<Categorical> {
    let plain = |record: usize| plain_number(texts.get(record), mark).unwrap_or_default();
    let mut found = Levels::default();
    let mut spelling = String::new();
    let mut code = |record: usize| {
        let text = plain(record);
        let number = Decimal::parse(&text).filter(|_| !values[record].is_nan())?;
        spelling.clear();
        number.write(&mut spelling, 0, DecimalMark::Point);
        Some(found.insert(&spelling))
    };
    let codes: Vec<Option<u32>> = (0..values.len()).map(&mut code).collect();
    let (levels, new_codes) = found.naturally_ordered();
    // The code of a missing cell means nothing.
    let codes = codes
        .into_iter()
        .map(|code| code.map_or(0, |code| new_codes[code as usize]))
        .collect();
    Arc::new(Categorical {
        codes,
        levels: Arc::new(levels),
    })
}

/// The exact numbers of a choice of records.
pub(super) fn exact_taken(exact: &Categorical, records: &[u32]) -> Arc<Categorical> {
    Arc::new(Categorical {
        codes: exact.codes.taken(records),
        levels: Arc::clone(&exact.levels),
    })
}

pub(super) fn taken<T: Copy>(values: &[T], records: &[u32]) -> Vec<T> {
    let value = |&record: &u32| values[record as usize];
    records.iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attribute::{Attribute, Kind, Role};
    use crate::number::parse_number;

    fn column(texts: &[&str]) -> Column {
        let values = texts
            .iter()
            .map(|text| parse_number(text).unwrap_or(f64::NAN))
            .collect();
        let missing = crate::missing::MissingRules::default().marks();
        let states = texts.iter().map(|text| u8::from(text.is_empty())).collect();
        Column::numeric(
            Arc::new(Attribute::new("x", Role::Key, Kind::Continuous)),
            values,
            crate::missing::MissingCells::new(states, missing),
            NumberText {
                verbatim: Some(Arc::new(texts.iter().copied().collect())),
                ..NumberText::default()
            },
        )
    }

    fn texts(column: &Column) -> Vec<String> {
        let text = |record| {
            let mut out = String::new();
            column.write_text(record, DecimalMark::Point, &mut out);
            out
        };
        (0..column.len()).map(text).collect()
    }

    #[test]
    fn numbers_of_one_double_are_told_apart_and_spellings_of_one_number_are_not() {
        let source = [
            "9007199254740993",
            "9007199254740992",
            "",
            "09007199254740993.0",
            "-1",
            "7",
        ];
        let column = column(&source);
        assert_eq!(texts(&column), source);
        let exact = column.exact().unwrap();
        assert_eq!(exact.codes, [3, 2, 0, 3, 0, 1]);
        assert!(column.same_value(0, &column, 3));
        assert!(!column.same_value(0, &column, 1));
        assert!(column.same_value(2, &column, 2) && !column.same_value(2, &column, 4));
    }

    #[test]
    fn columns_that_doubles_hold_keep_no_digits() {
        for source in [&["007", "1.50"][..], &["0.10000000000000001", "+1"], &[""]] {
            assert!(column(source).exact().is_none(), "{source:?}");
        }
    }

    #[test]
    fn values_move_with_their_digits_in_one_spelling() {
        let column = column(&["9007199254740993.50", "09007199254740993", "", "1e3"]);
        let moved = column.moved(&[1, 3, 2, 0]);
        assert_eq!(
            texts(&moved),
            ["9007199254740993", "1000", "", "9007199254740993.5"]
        );
        assert_eq!(texts(&moved.take(&[3, 1])), ["9007199254740993.5", "1000"]);
        let suppressed = moved.suppress(&[0]);
        assert_eq!(texts(&suppressed), ["", "1000", "", "9007199254740993.5"]);
        // Numbers are remembered under their suppression, until others are computed.
        let twice = suppressed.suppress(&[1]);
        let before = twice.numbers_before_suppression().unwrap();
        assert_eq!(before[..2], [9_007_199_254_740_992.0, 1000.0]);
        assert!(before[2].is_nan());
        let computed = twice.with_numbers(vec![0.0; 4]);
        assert!(computed.numbers_before_suppression().is_none());
        assert!(
            computed
                .suppress(&[3])
                .numbers_before_suppression()
                .is_none()
        );
    }

    #[test]
    fn suppressed_cells_know_their_text_and_others_have_none() {
        let whole = column(&["1", "", "3"]);
        assert!(whole.spells_suppressed("*"));
        let suppressed = whole.suppress(&[0]);
        assert!(suppressed.spells_suppressed("") && !suppressed.spells_suppressed("*"));
        let spelled = suppressed.with_suppressed_text("*");
        assert!(spelled.spells_suppressed("*") && !spelled.spells_suppressed(""));
        assert_eq!(texts(&spelled), ["*", "", "3"]);
    }

    #[test]
    fn computed_numbers_are_doubles_all_of_them() {
        let column = column(&["9007199254740993", "5"]);
        let computed = column.with_numbers(column.as_numeric().unwrap().to_vec());
        assert!(computed.exact().is_none());
        assert_eq!(texts(&computed), ["9007199254740992", "5"]);
        assert!(!column.same_value(0, &computed, 0) && column.same_value(1, &computed, 1));
        let set = column.with_numbers_where(vec![7.0, 0.25], |record| record == 1);
        assert_eq!(texts(&set), ["9007199254740993", "0.25"]);
        let all_set = column.with_numbers_where(vec![7.0, 0.25], |_| true);
        assert!(all_set.exact().is_none());
    }

    #[test]
    fn limits_are_compared_to_the_last_digit() {
        use Ordering::{Equal, Greater, Less};
        let exact = column(&["9007199254740992", "9007199254740993", "", "5"]);
        let plain = column(&["9007199254740992", "9007199254740994", "", "05"]);
        assert!(plain.exact().is_none());
        let orders = |column: &Column, text: &str| {
            let limit = column.limit(text).unwrap();
            [0, 1, 2, 3].map(|record| column.compare(record, &limit))
        };
        let cases = [
            ("9007199254740993", [Less, Equal, Less]),
            ("9007199254740992.5", [Less, Greater, Less]),
            ("5.0", [Greater, Greater, Equal]),
        ];
        for (text, [a, b, d]) in cases {
            assert_eq!(orders(&exact, text), [Some(a), Some(b), None, Some(d)]);
        }
        let found = orders(&plain, "9007199254740993");
        assert_eq!(found, [Some(Less), Some(Greater), None, Some(Less)]);
        let none = exact.limit_at(f64::INFINITY);
        assert_eq!(exact.compare(0, &none), Some(Less));
        assert!(exact.limit("x").is_none());
    }
}
