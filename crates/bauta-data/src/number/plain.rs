//! Numbers as most files write them, taken in with one look.

use super::DecimalMark;

/// Powers of ten that doubles hold without rounding, as many as there may be decimals.
const POWERS_OF_TEN: [f64; 16] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
];

/// Eight bytes that are 1 each, '0' each, and the upper halves of eight bytes.
const ONES: u64 = u64::MAX / 0xff;
const ZEROS: u64 = ONES * b'0' as u64;
const HIGH_HALVES: u64 = ONES * 0xf0;

/// A number that is written like -12.50: no leading zeros, at most 15 digits, and 0 or at least 1e-7. So many digits
/// survive the way to a double and back, so that writing the double gives these digits again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainNumber {
    pub(crate) value: f64,
    pub(crate) n_whole: u8,
    pub(crate) n_decimals: u8,
    /// Whether the last digit is a zero.
    pub(crate) ends_with_zero: bool,
    /// All digits as one number.
    digits: u64,
    is_negative: bool,
}

impl PlainNumber {
    const MOST_DIGITS: usize = 15;

    /// The number that a text is, if it is written so.
    pub(crate) fn of(text: &[u8], mark: DecimalMark) -> Option<Self> {
        let separator = match mark {
            DecimalMark::Point => b'.',
            DecimalMark::Comma => b',',
        };
        let (is_negative, text) = match text {
            [b'-', rest @ ..] => (true, rest),
            _ => (false, text),
        };
        let (digits, n_whole) = match text.len() {
            1..=8 => digits_of_word(text, separator)?,
            9..=16 => digits_one_by_one(text, separator)?,
            _ => return None,
        };
        let behind = text.len() - n_whole;
        let n_decimals = behind.saturating_sub(1);
        let has_leading_zero = n_whole > 1 && text[0] == b'0';
        if n_whole == 0
            || behind == 1
            || has_leading_zero
            || n_whole + n_decimals > Self::MOST_DIGITS
        {
            return None;
        }
        // Below 1e-7: the comparison of whole numbers need not wait for the division.
        if n_decimals > 7 && digits != 0 && digits < 10_u64.pow(n_decimals as u32 - 7) {
            return None;
        }
        // Both are doubles without rounding, so that their quotient is rounded once, as by any exact parser.
        let magnitude = digits.cast_signed() as f64 / POWERS_OF_TEN[n_decimals];
        Some(Self {
            value: if is_negative { -magnitude } else { magnitude },
            n_whole: n_whole as u8,
            n_decimals: n_decimals as u8,
            ends_with_zero: text.last() == Some(&b'0'),
            digits,
            is_negative,
        })
    }

    /// Whether it has a zero in front of its decimals.
    pub(super) fn is_below_one(&self) -> bool {
        self.value.abs() < 1.0
    }

    /// Whether it is a month as some write it: 2003.02.
    pub(super) fn is_month(&self) -> bool {
        let has_form = !self.is_negative && self.n_whole == 4 && self.n_decimals == 2;
        has_form
            && (1800..2200).contains(&(self.digits / 100))
            && (1..=12).contains(&(self.digits % 100))
    }
}

/// Whether a text is a whole number of up to eight digits, without sign and leading zero.
pub(crate) fn is_short_whole(text: &[u8]) -> bool {
    let starts = matches!(text.first(), Some(b'1'..=b'9'));
    starts && text.len() <= 8 && are_digits(word_of(text), text.len())
}

/// Whether the lowest bytes of a word are digits.
fn are_digits(word: u64, n_bytes: usize) -> bool {
    let digits = padded(word, n_bytes);
    let above_nine = digits.wrapping_add(ONES * 6);
    (digits & HIGH_HALVES) == ZEROS && (above_nine & HIGH_HALVES) == ZEROS
}

/// The lowest bytes of a word moved to its top, with zeros before the first: the last digit is in the highest byte.
fn padded(word: u64, n_bytes: usize) -> u64 {
    let n_free = 64 - 8 * n_bytes as u32;
    (word << n_free) | ZEROS.checked_shr(64 - n_free).unwrap_or(0)
}

/// The digits of a text as one number, and how many of them stand before the separator; `None` where there is anything
/// else.
fn digits_one_by_one(text: &[u8], separator: u8) -> Option<(u64, usize)> {
    let mut digits = 0;
    let mut n_whole = text.len();
    for (at, &byte) in text.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            digits = digits * 10 + u64::from(digit);
        } else if byte == separator && n_whole == text.len() {
            n_whole = at;
        } else {
            return None;
        }
    }
    Some((digits, n_whole))
}

/// The same for one to eight bytes, all of them at once: numbers of different lengths follow each other, and a loop
/// would end where the processor does not expect it.
fn digits_of_word(text: &[u8], separator: u8) -> Option<(u64, usize)> {
    let word = word_of(text);
    let apart = word ^ (ONES * u64::from(separator));
    let found = apart.wrapping_sub(ONES) & !apart & (ONES << 7);
    let (word, n_digits, n_whole) = if found == 0 {
        (word, text.len(), text.len())
    } else {
        let n_whole = (found.trailing_zeros() / 8) as usize;
        let before = (1_u64 << (8 * n_whole)) - 1;
        let joined = (word & before) | ((word >> 8) & !before);
        (joined, text.len() - 1, n_whole)
    };
    if n_digits == 0 {
        return None;
    }
    if !are_digits(word, n_digits) {
        return None;
    }
    let digits = padded(word, n_digits);
    // What goes over the top is of no account: only what lies below it is looked at.
    let pairs = (digits & (ONES * 0x0f)).wrapping_mul((10 << 8) + 1) >> 8;
    let fours = (pairs & 0x00ff_00ff_00ff_00ff).wrapping_mul((100 << 16) + 1) >> 16;
    let eight = (fours & 0x0000_ffff_0000_ffff).wrapping_mul((10_000 << 32) + 1) >> 32;
    Some((eight, n_whole))
}

/// One to eight bytes, the first the lowest.
fn word_of(text: &[u8]) -> u64 {
    if let Some(eight) = text.first_chunk() {
        return u64::from_le_bytes(*eight);
    }
    match (text.first_chunk(), text.last_chunk()) {
        (Some(first), Some(last)) => {
            // Where they overlap they are the same.
            let last = u64::from(u32::from_le_bytes(*last));
            u64::from(u32::from_le_bytes(*first)) | last << (8 * (text.len() - 4))
        }
        _ => {
            let byte = |at: usize| text.get(at).copied().map_or(0, u64::from);
            byte(0) | byte(1) << 8 | byte(2) << 16
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{decimals_of, parse_number_with};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn other_spellings_are_left_to_others() {
        for text in [
            "",
            "-",
            ".",
            "5.",
            ".5",
            "007",
            "00",
            "+1",
            " 1",
            "1e3",
            "1,5",
            "1.2.3",
            "0.00000001",
            "1234567890123456",
            "--1",
            "1-",
        ] {
            assert!(
                PlainNumber::of(text.as_bytes(), DecimalMark::Point).is_none(),
                "{text:?}"
            );
        }
        let zero = PlainNumber::of(b"-0.00", DecimalMark::Point).unwrap();
        assert_eq!(zero.value.to_bits(), (-0.0f64).to_bits());
        assert!(PlainNumber::of(b"1,5", DecimalMark::Comma).is_some());
    }

    proptest! {
        #[test]
        fn short_whole_numbers_are_known_by_their_bytes(text in "[0-9]{0,9}|[-+ 0-9.,a:/é]{1,6}") {
            let expected = text.len() <= 8
                && !text.starts_with('0')
                && !text.is_empty()
                && text.bytes().all(|byte| byte.is_ascii_digit());
            prop_assert_eq!(is_short_whole(text.as_bytes()), expected);
        }

        #[test]
        fn eight_bytes_at_once_are_eight_one_by_one(text in "[0-9.]{1,8}|[-+ 0-9.,a:/?é]{1,6}") {
            let bytes = text.as_bytes();
            if bytes.len() <= 8 {
                let at_once = digits_of_word(bytes, b'.');
                prop_assert_eq!(at_once, digits_one_by_one(bytes, b'.').filter(|_| text != "."));
            }
        }

        #[test]
        fn the_value_is_that_of_the_exact_parser(text in "-?[0-9]{1,9}([.,][0-9]{0,9})?|-?0[.,]0{0,9}[0-9]{1,4}") {
            for mark in [DecimalMark::Point, DecimalMark::Comma] {
                if let Some(plain) = PlainNumber::of(text.as_bytes(), mark) {
                    let exact = parse_number_with(&text, mark).map(f64::to_bits);
                    prop_assert_eq!(Some(plain.value.to_bits()), exact);
                    prop_assert_eq!(plain.n_decimals, decimals_of(&text, mark));
                }
            }
        }
    }
}
