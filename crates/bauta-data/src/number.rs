//! Numbers as texts, both ways, the same on every machine.

mod marks;
mod ordinary;
mod plain;
mod shortest;

use std::borrow::Cow;

pub use marks::{ColumnMark, FileMark, MarkEvidence, ReadAs, ShownMark};
pub(crate) use plain::{PlainNumber, is_short_whole};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which character separates the decimals.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub enum DecimalMark {
    /// 1.5
    #[default]
    #[serde(rename = ".")]
    Point,
    /// 1,5
    #[serde(rename = ",")]
    Comma,
}

/// The finite number that a text means, with a decimal point. Blanks around it are allowed.
pub fn parse_number(text: &str) -> Option<f64> {
    let text = text.trim_matches(' ');
    // `parse` also accepts "inf" and "nan"; a file that says so has no number there.
    if !text.ends_with(|last: char| last.is_ascii_digit() || last == '.') {
        return None;
    }
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// The number that the label of a category means, with a decimal point or a decimal comma: a label
/// does not say which mark its file uses.
pub fn parse_label(text: &str) -> Option<f64> {
    parse_number(text).or_else(|| {
        let comma_alone = text.contains(',') && !text.contains('.');
        parse_number(&text.replacen(',', ".", 1)).filter(|_| comma_alone)
    })
}

/// The finite number that a text means, with the given decimal mark. The other one may stand between
/// thousands, in well-formed groups: 1,234,567.5 with a decimal point.
pub fn parse_number_with(text: &str, mark: DecimalMark) -> Option<f64> {
    parse_number(&plain_number(text, mark)?)
}

/// The same text with a decimal point and nothing between thousands; `None` where separators of
/// thousands are not where they belong.
pub fn plain_number(text: &str, mark: DecimalMark) -> Option<Cow<'_, str>> {
    let separator = mark.other().character();
    if !text.contains(separator) {
        return Some(match mark {
            DecimalMark::Comma if text.contains(',') => Cow::Owned(text.replacen(',', ".", 1)),
            DecimalMark::Point | DecimalMark::Comma => Cow::Borrowed(text),
        });
    }
    let text = text.trim_matches(' ');
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, decimals) = unsigned
        .split_once(mark.character())
        .unwrap_or((unsigned, ""));
    let is_well = marks::is_grouped(whole, mark.other())
        && decimals.bytes().all(|byte| byte.is_ascii_digit());
    is_well.then(|| {
        let sign = &text[..text.len() - unsigned.len()];
        Cow::Owned(format!("{sign}{}.{decimals}", whole.replace(separator, "")))
    })
}

/// Number of characters behind the decimal mark of a plain number; 0 for exponents.
pub fn decimals_of(text: &str, mark: DecimalMark) -> u8 {
    let separator = match mark {
        DecimalMark::Point => '.',
        DecimalMark::Comma => ',',
    };
    match text.split_once(separator) {
        Some((_, tail)) if tail.bytes().all(|byte| byte.is_ascii_digit()) => {
            u8::try_from(tail.len()).unwrap_or(0)
        }
        _ => 0,
    }
}

/// Appends the shortest text that reads back as `value`, with at least `min_decimals` decimals.
pub fn write_number(out: &mut String, value: f64, min_decimals: u8, mark: DecimalMark) {
    shortest::put_number(out, value, min_decimals, mark);
}

/// Bytes that [`put_number_in`] may write on.
pub(crate) const ROOM_OF_A_NUMBER: usize = ordinary::ROOM;

/// Writes most numbers as [`write_number`] does, behind the first byte of `room`; gives where the text ends in it, or
/// `None` of a number that is not as most are.
#[inline]
pub(crate) fn put_number_in(
    room: &mut [u8; ROOM_OF_A_NUMBER],
    value: f64,
    min_decimals: u8,
    mark: DecimalMark,
) -> Option<usize> {
    let mark = match mark {
        DecimalMark::Point => b'.',
        DecimalMark::Comma => b',',
    };
    ordinary::put(room, value, min_decimals, mark)
}

/// The shortest text that reads back as `value`.
pub fn number_text(value: f64) -> String {
    let mut out = String::new();
    write_number(&mut out, value, 0, DecimalMark::Point);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decimals_that_are_missing_are_zeros() {
        let written = |value: f64, decimals: u8| {
            let mut out = String::new();
            write_number(&mut out, value, decimals, DecimalMark::Point);
            out
        };
        assert_eq!(written(300.210_020_100_01, 14), "300.21002010001000");
        assert_eq!(written(7.0, 2), "7.00");
        assert_eq!(written(-0.5, 3), "-0.500");
        assert_eq!(written(0.125, 2), "0.125");
    }

    #[test]
    fn only_finite_numbers_are_numbers() {
        assert_eq!(parse_number(" 1.50 "), Some(1.5));
        assert_eq!(parse_number("007"), Some(7.0));
        assert_eq!(parse_number("1e3"), Some(1000.0));
        assert_eq!(parse_number("5."), Some(5.0));
        for text in [
            "", "nan", "inf", "Infinity", "1,5", "1 000", "1e999", "abc", "0x10",
        ] {
            assert_eq!(parse_number(text), None, "{text:?}");
        }
        assert_eq!(parse_number_with("1,5", DecimalMark::Comma), Some(1.5));
        assert_eq!(parse_number_with("1.5", DecimalMark::Comma), None);
        for (text, mark, value) in [
            ("3,201", DecimalMark::Point, Some(3201.0)),
            ("3,201", DecimalMark::Comma, Some(3.201)),
            ("-1,234,567.5", DecimalMark::Point, Some(-1_234_567.5)),
            (" +1.234.567,5", DecimalMark::Comma, Some(1_234_567.5)),
            ("1.234.567", DecimalMark::Comma, Some(1_234_567.0)),
            ("1,234.", DecimalMark::Point, Some(1234.0)),
            ("0,123", DecimalMark::Point, None),
            ("12,34", DecimalMark::Point, None),
            ("1,234,56", DecimalMark::Point, None),
            ("1,234e3", DecimalMark::Point, None),
            ("1234,567", DecimalMark::Point, None),
            ("1.234,5,6", DecimalMark::Comma, None),
            ("1,234.5.6", DecimalMark::Point, None),
        ] {
            assert_eq!(parse_number_with(text, mark), value, "{text} {mark:?}");
        }
        assert_eq!(parse_number_with("1,5,2", DecimalMark::Comma), None);
    }

    #[test]
    fn a_column_keeps_its_number_of_decimals() {
        let mut out = String::new();
        write_number(&mut out, 1.5, 2, DecimalMark::Point);
        out.push(';');
        write_number(&mut out, -0.125, 2, DecimalMark::Comma);
        assert_eq!(out, "1.50;-0,125");
        assert_eq!(decimals_of("1.50", DecimalMark::Point), 2);
        assert_eq!(decimals_of("1e-5", DecimalMark::Point), 0);
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(value in proptest::num::f64::NORMAL | proptest::num::f64::ZERO) {
            let text = number_text(value);
            prop_assert_eq!(parse_number(&text).map(f64::to_bits), Some(value.to_bits()));
        }
    }
}
