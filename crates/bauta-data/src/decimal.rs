//! Decimal numbers as they are written, with all their digits.
//!
//! A double holds 15 digits of any decimal number. Identification numbers and amounts of 17 digits
//! and more would fall together there, and a file would be counted as safer than it is. Where that
//! can happen a column keeps its numbers exactly (see [`Column::exact`](crate::Column::exact)).

use std::cmp::Ordering;
use std::fmt::Write as _;

use crate::number::{DecimalMark, parse_number};

/// Digits in front of the decimal mark up to which a number is written without an exponent: those of
/// the widest decimal type of Parquet.
const MAX_WHOLE_DIGITS: i64 = 76;

/// Exponents are cut off here. No double reaches a millionth of it.
const MAX_EXPONENT: i64 = 1_000_000_000;

/// A decimal number that stands in a text: 0.d₁d₂… times a power of ten, exactly.
///
/// `1`, `1.0`, `01` and `1e0` are the same number, and zero has no sign.
#[derive(Clone, Copy, Debug)]
pub struct Decimal<'a> {
    negative: bool,
    /// Digits from the first to the last that is not 0, in two pieces; both empty for zero.
    head: &'a str,
    tail: &'a str,
    /// The power of ten; 0 for zero.
    exponent: i64,
}

impl<'a> Decimal<'a> {
    /// The number that a text means, if [`parse_number`] takes it for one. The decimal mark may be
    /// a point or a comma; blanks around the number are allowed.
    pub fn parse(text: &'a str) -> Option<Self> {
        let text = text.trim_matches(' ');
        let (negative, unsigned) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (mantissa, power) = match unsigned.split_once(['e', 'E']) {
            None => (unsigned, 0),
            Some((mantissa, power)) => (mantissa, parse_power(power)?),
        };
        let (whole, decimals) = mantissa.split_once(['.', ',']).unwrap_or((mantissa, ""));
        let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() + decimals.len() == 0 || !all_digits(whole) || !all_digits(decimals) {
            return None;
        }
        Some(Self::from_parts(negative, whole, decimals, power))
    }

    fn from_parts(negative: bool, whole: &'a str, decimals: &'a str, power: i64) -> Self {
        let head = whole.trim_start_matches('0');
        let (head, tail, exponent) = if head.is_empty() {
            let tail = decimals.trim_start_matches('0');
            ("", tail, power - count(decimals.len() - tail.len()))
        } else {
            (head, decimals, power + count(head.len()))
        };
        let tail = tail.trim_end_matches('0');
        let head = if tail.is_empty() {
            head.trim_end_matches('0')
        } else {
            head
        };
        let is_zero = head.is_empty() && tail.is_empty();
        Self {
            negative: negative && !is_zero,
            head,
            tail,
            exponent: if is_zero { 0 } else { exponent },
        }
    }

    fn digits(&self) -> impl Iterator<Item = u8> {
        self.head.bytes().chain(self.tail.bytes())
    }

    /// Digits from the first to the last that is not 0.
    pub fn n_digits(&self) -> usize {
        self.head.len() + self.tail.len()
    }

    /// Whether it is a whole number.
    pub fn is_whole(&self) -> bool {
        count(self.n_digits()) <= self.exponent.max(0)
    }

    /// Digits behind the decimal mark.
    pub fn n_decimals(&self) -> usize {
        usize::try_from(count(self.n_digits()) - self.exponent).unwrap_or(0)
    }

    /// Digits in front of the decimal mark, without leading zeros.
    pub fn n_whole_digits(&self) -> usize {
        usize::try_from(self.exponent).unwrap_or(0)
    }

    /// Whether a double that was read from its text stands for it: the double's shortest text is
    /// this number, or this number, which is no whole one, is the double with more digits (`%.17g`
    /// writes 0.1 as 0.10000000000000001, and means the double).
    fn is_double(&self, value: f64) -> bool {
        let is_written = |text: &str| Decimal::parse(text).is_some_and(|other| other == *self);
        // So many digits survive the way to a double and back, where doubles are not yet sparse.
        if self.n_digits() <= 15 && (value.abs() > 1e-290 || self.n_digits() == 0) {
            return true;
        }
        let mut text = String::new();
        let _ = write!(text, "{value:e}");
        if is_written(&text) {
            return true;
        }
        text.clear();
        let _ = write!(text, "{value:.*e}", self.n_digits().max(1) - 1);
        !self.is_whole() && is_written(&text)
    }

    /// Whether it is the number that a double is, and not only near it.
    fn is_the_double(&self, value: f64) -> bool {
        // The digits of a double end before its 1100th decimal.
        Decimal::parse(&format!("{value:.1100}")).is_some_and(|whole| whole == *self)
    }

    /// Appends the number in the one spelling that is used for it, with at least so many decimals.
    pub fn write(&self, out: &mut String, min_decimals: u8, mark: DecimalMark) {
        let separator = match mark {
            DecimalMark::Point => '.',
            DecimalMark::Comma => ',',
        };
        let plain = -6..=MAX_WHOLE_DIGITS;
        if plain.contains(&self.exponent) {
            self.write_plain(out, min_decimals, separator);
            return;
        }
        if self.negative {
            out.push('-');
        }
        let mut digits = self.digits().map(char::from);
        out.extend(digits.next());
        if self.n_digits() > 1 {
            out.push(separator);
            out.extend(digits);
        }
        let _ = write!(out, "e{}", self.exponent - 1);
    }

    /// Appends the number without an exponent, however many zeros that takes.
    fn write_plain(&self, out: &mut String, min_decimals: u8, separator: char) {
        if self.negative {
            out.push('-');
        }
        let n_whole = self.n_whole_digits();
        let mut digits = self.digits().map(char::from).chain(std::iter::repeat('0'));
        if n_whole == 0 {
            out.push('0');
        }
        out.extend(digits.by_ref().take(n_whole));
        let n_decimals = self.n_decimals().max(usize::from(min_decimals));
        if n_decimals > 0 {
            out.push(separator);
            let n_zeros = usize::try_from(-self.exponent).unwrap_or(0).min(n_decimals);
            out.extend(std::iter::repeat_n('0', n_zeros));
            out.extend(digits.take(n_decimals - n_zeros));
        }
    }

    /// The number with a decimal point and without an exponent, for readers that know none.
    pub(crate) fn plain_text(&self) -> String {
        let mut out = String::new();
        self.write_plain(&mut out, 0, '.');
        out
    }

    /// The one spelling that is used for it, with a decimal point.
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, 0, DecimalMark::Point);
        out
    }

    /// How the number compares with the double that it is read as.
    pub(crate) fn cmp_own_double(&self, value: f64) -> Ordering {
        if self.is_double(value) {
            return Ordering::Equal;
        }
        let text = format!("{value:e}");
        let other = Decimal::parse(&text).expect("the text of a finite number is a number");
        self.cmp(&other)
    }
}

/// A number of digits beside exponents.
fn count(n_digits: usize) -> i64 {
    i64::try_from(n_digits).unwrap_or(i64::MAX / 2)
}

fn parse_power(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let power = digits.parse().unwrap_or(MAX_EXPONENT).min(MAX_EXPONENT);
    Some(if negative { -power } else { power })
}

impl PartialEq for Decimal<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Decimal<'_> {}

impl PartialOrd for Decimal<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |number: &Self| match (number.negative, number.n_digits()) {
            (true, _) => -1,
            (false, 0) => 0,
            (false, _) => 1,
        };
        let by_size = || {
            let by_power = self.exponent.cmp(&other.exponent);
            // Digits that one number has behind the last of the other are not 0.
            by_power.then_with(|| self.digits().cmp(other.digits()))
        };
        sign(self).cmp(&sign(other)).then_with(|| {
            if self.negative {
                by_size().reverse()
            } else {
                by_size()
            }
        })
    }
}

/// Whether the double that a text is read as does not stand for the number in the text.
pub(crate) fn is_beyond_double(text: &str, value: f64) -> bool {
    Decimal::parse(text).is_some_and(|number| !number.is_double(value))
}

/// How the number that a label means, with a decimal point or comma, compares with a double.
///
/// The doubles decide unless they are equal: what is read as a lower double is a lower number.
pub fn cmp_label(text: &str, limit: f64) -> Option<Ordering> {
    let value = crate::number::parse_label(text)?;
    let by_double = value.partial_cmp(&limit)?;
    if by_double.is_eq() {
        return Some(Decimal::parse(text)?.cmp_own_double(limit));
    }
    Some(by_double)
}

/// How the numbers that two labels mean compare; `None` unless both are numbers.
pub(crate) fn cmp_labels(left: &str, right: &str) -> Option<Ordering> {
    let value = crate::number::parse_label(right)?;
    let by_double = cmp_label(left, value)?;
    let number = Decimal::parse(right)?;
    if by_double.is_eq() || number.is_double(value) {
        // Equal to the double, or apart from all that the double stands for.
        return Some(by_double.then_with(|| number.cmp_own_double(value).reverse()));
    }
    Some(Decimal::parse(left)?.cmp(&number))
}

/// Whether a number that somebody wrote, with a decimal point, would lose digits as a double: whole
/// numbers that no double is, and others of more than the 17 digits that name any double.
pub fn loses_digits(text: &str) -> bool {
    let (Some(value), Some(number)) = (parse_number(text), Decimal::parse(text)) else {
        return false;
    };
    let many = number.is_whole() || number.n_digits() > 17;
    many && !number.is_double(value) && !number.is_the_double(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(source: &str) -> String {
        Decimal::parse(source).unwrap().text()
    }

    #[test]
    fn plain_texts_have_no_exponent() {
        let plain = |source: &str| Decimal::parse(source).unwrap().plain_text();
        assert_eq!(plain("-1.5e-8"), "-0.000000015");
        assert_eq!(plain("25e22"), "250000000000000000000000");
        assert_eq!(
            (plain("1.50"), plain("-0")),
            ("1.5".to_owned(), "0".to_owned())
        );
    }

    #[test]
    fn spellings_of_one_number_are_one_number() {
        for (number, spellings) in [
            ("1", &["1.0", "01", "+1", "1e0", "10e-1", " 1", "1,00"][..]),
            ("0", &["-0", "0.00", "0e7", "-0.0e-9", "000"]),
            ("-0.05", &["-5e-2", "-.05", "-0.0500", "-00,05"]),
            ("1200", &["1.2e3", "1200.", "12E2", "0.12e4"]),
            ("1e-7", &["0.0000001"]),
        ] {
            for spelling in spellings {
                assert_eq!(Decimal::parse(spelling), Decimal::parse(number));
                assert_eq!(text(spelling), text(number));
            }
        }
        for wrong in ["", "-", ".", "1.2.3", "1e", "e5", "abc", "1 000", "1,2,3"] {
            assert!(Decimal::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn the_one_spelling_is_plain_up_to_76_digits() {
        assert_eq!(text("0.0000001"), "0.0000001");
        assert_eq!(text("0.00000001"), "1e-8");
        assert_eq!(text("1e75"), format!("1{}", "0".repeat(75)));
        assert_eq!(text("-1.25e76"), "-1.25e76");
        let mut out = String::new();
        let number = Decimal::parse("12345678901234567890.5").unwrap();
        number.write(&mut out, 2, DecimalMark::Comma);
        assert_eq!(out, "12345678901234567890,50");
    }

    fn is_exact_double(text: &str) -> Option<bool> {
        parse_number(text).map(|value| !is_beyond_double(text, value))
    }

    #[test]
    fn numbers_that_a_double_is_lose_no_digits() {
        for lost in [
            "9007199254740993",
            "9007199254740993.0",
            "0.123456789012345678",
        ] {
            assert!(loses_digits(lost), "{lost}");
        }
        for held in [
            "1152921504606846976",
            "0.10000000000000001",
            "0.12345678901234567",
            "1e-400",
            "x",
            "7",
        ] {
            assert!(!loses_digits(held), "{held}");
        }
    }

    #[test]
    fn a_double_stands_for_what_is_written_of_it() {
        // 2^53 + 1 lies between doubles; 2^60 is one, but is written as …47000.
        for beyond in [
            "9007199254740993",
            "1152921504606846976",
            "0.1234567890123456789",
            "1e-400",
            "1.23456789e-320",
        ] {
            assert_eq!(is_exact_double(beyond), Some(false), "{beyond}");
        }
        for held in [
            "9007199254740992",
            "123456789012345",
            "0.10000000000000001",
            "1.000000000000000056e-01",
            "0",
            "-0.0",
            "1e300",
            "4.9e-324",
        ] {
            assert_eq!(is_exact_double(held), Some(true), "{held}");
        }
        assert_eq!(is_exact_double("1e999"), None);
    }

    #[test]
    fn labels_compare_exactly_with_doubles() {
        let limit = 9_007_199_254_740_992.0;
        assert_eq!(
            cmp_label("9007199254740993", limit),
            Some(Ordering::Greater)
        );
        assert_eq!(cmp_label("9007199254740992", limit), Some(Ordering::Equal));
        assert_eq!(cmp_label("9007199254740991", limit), Some(Ordering::Less));
        assert_eq!(cmp_label("0,5", 0.5), Some(Ordering::Equal));
        assert_eq!(cmp_label("0.10000000000000001", 0.1), Some(Ordering::Equal));
        assert_eq!(cmp_label("x", 0.5), None);
        for (left, right, order) in [
            ("9007199254740993", "9007199254740993.0", Ordering::Equal),
            ("9007199254740993", "9007199254740992", Ordering::Greater),
            ("9007199254740992", "9007199254740993", Ordering::Less),
            (
                "9007199254740992.75",
                "9007199254740992.5",
                Ordering::Greater,
            ),
            ("0.10000000000000001", "0.1", Ordering::Equal),
            ("7", "007,0", Ordering::Equal),
            ("10", "9", Ordering::Greater),
        ] {
            assert_eq!(cmp_labels(left, right), Some(order), "{left} {right}");
            assert_eq!(cmp_labels(right, left), Some(order.reverse()));
        }
        assert_eq!(cmp_labels("1", "x"), None);
    }

    /// Digits of 10^40 times the number, as text of one length, by hand.
    fn scaled(negative: bool, whole: &str, decimals: &str) -> (bool, String) {
        let digits = format!("{whole:0>40}{decimals:0<40}");
        let zero = digits.bytes().all(|digit| digit == b'0');
        (negative && !zero, digits)
    }

    proptest! {
        #[test]
        fn order_is_that_of_scaled_whole_numbers(
            a in (any::<bool>(), "[0-9]{1,30}", "[0-9]{0,30}"),
            b in (any::<bool>(), "[0-9]{1,30}", "[0-9]{0,30}"),
            same_whole in any::<bool>(),
        ) {
            let b = if same_whole { (b.0, a.1.clone(), b.2) } else { b };
            let spelled = |(negative, whole, decimals): &(bool, String, String)| {
                format!("{}{whole}.{decimals}", if *negative { "-" } else { "" })
            };
            let (a_text, b_text) = (spelled(&a), spelled(&b));
            let (a, b) = (scaled(a.0, &a.1, &a.2), scaled(b.0, &b.1, &b.2));
            let plain = match (a.0, b.0) {
                (false, false) => a.1.cmp(&b.1),
                (true, true) => b.1.cmp(&a.1),
                (true, false) => Ordering::Less,
                (false, true) => Ordering::Greater,
            };
            let exact = Decimal::parse(&a_text).unwrap().cmp(&Decimal::parse(&b_text).unwrap());
            prop_assert_eq!(exact, plain);
        }

        #[test]
        fn the_one_spelling_reads_back(source in "-?[0-9]{1,40}(\\.[0-9]{0,40})?(e-?[0-9]{1,3})?") {
            let number = Decimal::parse(&source).unwrap();
            let written = number.text();
            prop_assert_eq!(Decimal::parse(&written), Some(number));
            prop_assert_eq!(text(&written), written);
        }

        #[test]
        fn doubles_below_1e21_are_spelled_as_ever(value in -1e20..1e20_f64) {
            let usual = crate::number::number_text(value);
            prop_assert_eq!(text(&usual), usual.clone());
            prop_assert_eq!(is_exact_double(&usual), Some(true));
        }
    }
}
