//! The shortest text of a double, in one spelling and without an allocation.

use std::fmt::Write as _;

use super::DecimalMark;

/// From here on whole numbers need not be doubles any more.
const FIRST_GAP: f64 = 9_007_199_254_740_992.0;

/// Between these `zmij` writes no exponent, and its text is ours.
const PLAIN_THERE: std::ops::Range<f64> = 1e-4..1e15;

/// Between these we write no exponent.
const PLAIN: std::ops::Range<f64> = 1e-7..1e21;

/// As many zeros as a number without an exponent can begin or end with, or a column ask for.
const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Appends the shortest text that reads back as `value`, with at least `min_decimals` decimals where
/// it has no exponent.
pub(super) fn put_number(out: &mut String, value: f64, min_decimals: u8, mark: DecimalMark) {
    let magnitude = value.abs();
    let whole = magnitude as u64;
    let is_whole = magnitude < FIRST_GAP && (whole as f64).to_bits() == magnitude.to_bits();
    let is_usual =
        !is_whole && PLAIN_THERE.contains(&magnitude) && fraction_bits(magnitude) > MOST_DECIMALS;
    if is_usual && min_decimals == 0 && mark == DecimalMark::Point {
        // Most numbers that need writing.
        return out.push_str(zmij::Buffer::new().format_finite(value));
    }
    if value.is_sign_negative() && !value.is_nan() {
        out.push('-');
    }
    if is_whole {
        out.push_str(itoa::Buffer::new().format(whole));
        return put_decimals(out, "", min_decimals, mark);
    }
    if !magnitude.is_finite() {
        return out.push_str(if value.is_nan() { "NaN" } else { "inf" });
    }
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(magnitude);
    if is_usual {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        out.push_str(whole);
        return put_decimals(out, decimals, min_decimals, mark);
    }
    match Digits::of(text, magnitude) {
        Some(digits) if PLAIN.contains(&magnitude) => digits.put_plain(out, min_decimals, mark),
        Some(digits) => digits.put_with_exponent(out, mark),
        None => put_tie(out, magnitude, min_decimals, mark),
    }
}

/// Appends the decimal mark and the decimals, filled up with zeros: zeros, and not the next digits of
/// the binary number, which nobody wrote.
fn put_decimals(out: &mut String, decimals: &str, at_least: u8, mark: DecimalMark) {
    let n_zeros = usize::from(at_least).saturating_sub(decimals.len());
    if decimals.len() + n_zeros > 0 {
        out.push(mark.character());
        out.push_str(decimals);
        put_zeros(out, n_zeros);
    }
}

fn put_zeros(out: &mut String, n_zeros: usize) {
    let mut left = n_zeros;
    while left > 0 {
        let now = left.min(ZEROS.len());
        out.push_str(&ZEROS[..now]);
        left -= now;
    }
}

/// Decimals that the shortest text of a number from 0.0001 on has at most: 17 digits after 4 places.
const MOST_DECIMALS: i32 = 21;

/// Binary digits behind the binary point: so many decimals has the number if it is written in full,
/// and the last of them is 5.
fn fraction_bits(magnitude: f64) -> i32 {
    let bits = magnitude.to_bits();
    let exponent = (bits >> 52) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let (mantissa, exponent) = if exponent == 0 {
        (fraction, 1)
    } else {
        (fraction | 1 << 52, exponent)
    };
    1075 - exponent - mantissa.trailing_zeros().cast_signed()
}

/// The digits of a positive number, in up to two pieces: 0.d₁d₂… times a power of ten.
struct Digits<'a> {
    head: &'a str,
    tail: &'a str,
    power: i32,
}

impl<'a> Digits<'a> {
    /// The digits in a text of `zmij`. `None` where two texts are as short and as near: there a
    /// choice is left, and it is that of the standard library, with which files were written before.
    fn of(text: &'a str, magnitude: f64) -> Option<Self> {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let exponent: i32 = exponent.parse().ok()?;
        let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let decimals = decimals.trim_end_matches('0');
        let (head, tail, power) = if whole == "0" {
            let tail = decimals.trim_start_matches('0');
            ("", tail, count(tail) - count(decimals))
        } else {
            (whole, decimals, count(whole) + exponent)
        };
        let digits = Self { head, tail, power };
        // The number in full ends with a 5; if that is just one digit more, it is half way.
        let is_tie = fraction_bits(magnitude) == digits.n_decimals() + 1;
        (!is_tie).then_some(digits)
    }

    fn n_digits(&self) -> usize {
        self.head.len() + self.tail.len()
    }

    /// Digits behind the decimal mark.
    fn n_decimals(&self) -> i32 {
        count(self.head) + count(self.tail) - self.power
    }

    fn put_plain(&self, out: &mut String, min_decimals: u8, mark: DecimalMark) {
        let Ok(n_whole) = usize::try_from(self.power) else {
            // 0.000000123
            out.push('0');
            out.push(mark.character());
            put_zeros(out, self.power.unsigned_abs() as usize);
            out.push_str(self.head);
            out.push_str(self.tail);
            let n_zeros = i32::from(min_decimals) - self.n_decimals();
            return put_zeros(out, usize::try_from(n_zeros).unwrap_or(0));
        };
        if n_whole >= self.n_digits() {
            // 123000
            out.push_str(self.head);
            out.push_str(self.tail);
            put_zeros(out, n_whole - self.n_digits());
            return put_decimals(out, "", min_decimals, mark);
        }
        // 123.45: the mark stands between the pieces, since from 10¹⁶ on, where it would not, all
        // digits stand before it.
        out.push_str(if self.head.is_empty() { "0" } else { self.head });
        put_decimals(out, self.tail, min_decimals, mark);
    }

    fn put_with_exponent(&self, out: &mut String, mark: DecimalMark) {
        let (first, rest) = match self.head.split_at_checked(1) {
            Some((first, rest)) => (first, rest),
            None => self.tail.split_at(self.tail.len().min(1)),
        };
        let tail = if self.head.is_empty() { "" } else { self.tail };
        out.push_str(first);
        if rest.len() + tail.len() > 0 {
            out.push(mark.character());
            out.push_str(rest);
            out.push_str(tail);
        }
        out.push('e');
        out.push_str(itoa::Buffer::new().format(self.power - 1));
    }
}

/// How many digits a text has; those of a double are few.
fn count(digits: &str) -> i32 {
    i32::try_from(digits.len()).unwrap_or(i32::MAX)
}

/// Appends a number that is half way between two texts, as the standard library decides.
fn put_tie(out: &mut String, magnitude: f64, min_decimals: u8, mark: DecimalMark) {
    let mut text = String::new();
    if !PLAIN.contains(&magnitude) {
        let _ = write!(text, "{magnitude:e}");
        return match text.split_once('.') {
            None => out.push_str(&text),
            Some((first, rest)) => {
                out.push_str(first);
                out.push(mark.character());
                out.push_str(rest);
            }
        };
    }
    let _ = write!(text, "{magnitude}");
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    out.push_str(whole);
    put_decimals(out, decimals, min_decimals, mark);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same, as the standard library writes it: how files were written before.
    fn plainly(value: f64, min_decimals: u8, mark: DecimalMark) -> String {
        let mut out = String::new();
        let magnitude = value.abs();
        if magnitude != 0.0 && !(1e-7..1e21).contains(&magnitude) {
            let _ = write!(out, "{value:e}");
        } else {
            let _ = write!(out, "{value}");
            let decimals = out.split_once('.').map(|(_, tail)| tail.len());
            let written = decimals.unwrap_or(0);
            if written < usize::from(min_decimals) {
                if decimals.is_none() {
                    out.push('.');
                }
                out.push_str(&"0".repeat(usize::from(min_decimals) - written));
            }
        }
        out.replace('.', &mark.character().to_string())
    }

    fn check(value: f64, min_decimals: u8) -> Result<(), TestCaseError> {
        for mark in [DecimalMark::Point, DecimalMark::Comma] {
            let mut out = String::new();
            put_number(&mut out, value, min_decimals, mark);
            prop_assert_eq!(out, plainly(value, min_decimals, mark));
        }
        Ok(())
    }

    #[test]
    fn powers_and_their_neighbours_are_spelled_as_ever() {
        let twos = (-1074..=1023).map(|power| libm::exp2(f64::from(power)));
        let tens = (-323..=308).map(|power| format!("1e{power}").parse().unwrap());
        let others = [0.0, 0.5, 1e21, 1e-7, f64::MAX, f64::INFINITY, f64::NAN];
        for value in twos.chain(tens).chain(others) {
            for near in [value, value.next_up(), value.next_down()] {
                for value in [near, -near] {
                    for min_decimals in [0, 2, 20, 255] {
                        check(value, min_decimals).unwrap();
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_half_way_between_two_texts_are_spelled_as_ever() {
        // 2⁵⁰ + 1/4, 2⁴⁴ + 1/16 and 2⁻²⁴: written in full, one digit more than the shortest text, a 5.
        for value in [
            libm::exp2(50.0) + 0.25,
            libm::exp2(44.0) + 0.062_5,
            libm::exp2(-24.0),
        ] {
            let mut buffer = zmij::Buffer::new();
            assert!(Digits::of(buffer.format_finite(value), value).is_none());
            check(value, 0).unwrap();
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn any_double_is_spelled_as_ever(bits: u64, min_decimals in 0..30_u8) {
            check(f64::from_bits(bits), min_decimals)?;
        }

        #[test]
        fn numbers_as_files_have_them_are_spelled_as_ever(
            whole: i64, shift in 0..64_u32, decimals in 0..25_i32, min_decimals in 0..8_u8,
        ) {
            let whole = (whole >> shift) as f64;
            check(whole, min_decimals)?;
            check(whole / libm::pow(10.0, f64::from(decimals)), min_decimals)?;
            // Few binary digits behind the point: among these are those half way.
            check(whole / libm::exp2(f64::from(decimals * 3)), min_decimals)?;
        }
    }
}
