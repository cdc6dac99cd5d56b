//! Numbers as people read them: grouped, with few digits, the same on every machine.

use bauta_data::number::number_text;
pub use bauta_methods::Unit;

/// Stands where there is no figure.
pub(crate) const NO_FIGURE: &str = "–";

/// Thin, and never the end of a line.
const THIN: char = '\u{202f}';
const MINUS: char = '\u{2212}';
const SUPERSCRIPTS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/// A figure closer to zero is what rounding left of nothing, and reads as 0: sums of a million terms of size one
/// are as uncertain. Figures that a person chose are written as they were given, and a figure beside a limit
/// still has the digits that show on which side it lies.
const ROUNDING_NOISE: f64 = 1e-12;

/// A figure without what is only rounding noise.
pub(crate) fn settled(value: f64) -> f64 {
    if value.abs() < ROUNDING_NOISE {
        0.0
    } else {
        value
    }
}

/// How figures of a unit are written.
pub trait Written: Copy {
    /// The figure in words.
    fn text(self, value: f64) -> String;

    /// The figure in words, or a dash.
    fn text_or_dash(self, value: Option<f64>) -> String {
        value.map_or_else(|| NO_FIGURE.to_owned(), |value| self.text(value))
    }

    /// A figure that is compared with limits: as many digits as show on which side of each it lies.
    fn text_beside(self, value: f64, limits: &[f64]) -> String {
        let limits: Vec<(f64, f64)> = limits
            .iter()
            .map(|&limit| (limit, read_back(&self.exact(limit))))
            .collect();
        let shows_side = |text: &String| {
            let shown = read_back(text);
            let same = |(limit, text): &(f64, f64)| value.total_cmp(limit) == shown.total_cmp(text);
            limits.iter().all(same)
        };
        std::iter::once(self.text(value))
            .chain((5..=17).map(|digits| self.with_digits(value, digits)))
            .find(shows_side)
            .unwrap_or_else(|| self.every_digit(value))
    }

    /// The same, or a dash.
    fn text_beside_or_dash(self, value: Option<f64>, limits: &[f64]) -> String {
        value.map_or_else(
            || NO_FIGURE.to_owned(),
            |value| self.text_beside(value, limits),
        )
    }

    /// A figure that a person chose, with all the digits that it was given.
    fn exact(self, value: f64) -> String {
        (12..=17)
            .map(|digits| self.with_digits(value, digits))
            .find(|text| self.fraction(read_back(text)).total_cmp(&value).is_eq())
            .unwrap_or_else(|| self.every_digit(value))
    }

    /// The figure that is written as this number: percent are hundredths.
    fn fraction(self, written: f64) -> f64;

    /// A figure with all its digits.
    fn every_digit(self, value: f64) -> String;

    /// A figure with so many significant digits.
    fn with_digits(self, value: f64, digits: u8) -> String;

    /// From one figure to another, with its sign.
    fn change(self, before: f64, after: f64) -> String;
}

impl Written for Unit {
    fn text(self, value: f64) -> String {
        match self {
            Self::Count | Self::Number => number(settled(value)),
            Self::Share => percent(settled(value)),
        }
    }

    fn with_digits(self, value: f64, digits: u8) -> String {
        match self {
            Self::Count | Self::Number => significant(value, digits),
            Self::Share => percent_text(value, digits),
        }
    }

    fn fraction(self, written: f64) -> f64 {
        match self {
            Self::Count | Self::Number => written,
            Self::Share => written / 100.0,
        }
    }

    fn every_digit(self, value: f64) -> String {
        match self {
            Self::Count | Self::Number => number_text(value),
            // The hundredfold as a text: as a number it would be rounded again.
            Self::Share => {
                let text = format!("{value:e}");
                let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
                let exponent: i32 = exponent.parse().unwrap_or(0);
                let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
                let sign = if value < 0.0 { "−" } else { "" };
                format!("{sign}{}{THIN}%", point_placed(&digits, exponent + 2))
            }
        }
    }

    fn change(self, before: f64, after: f64) -> String {
        let difference = settled(after) - settled(before);
        if difference == 0.0 {
            return "no change".to_owned();
        }
        if self.text(before) == self.text(after) {
            return "≈ 0".to_owned();
        }
        let size = match self {
            Self::Count | Self::Number => significant(difference.abs(), 3),
            Self::Share => format!("{} points", significant(100.0 * difference.abs(), 3)),
        };
        let sign = if difference > 0.0 { '+' } else { MINUS };
        format!("{sign}{size}")
    }
}

/// What a reader takes a written figure for.
fn read_back(text: &str) -> f64 {
    let (mantissa, exponent) = text.split_once("×").unwrap_or((text, ""));
    let plain = |symbol: char| match symbol {
        MINUS => Some('-'),
        '0'..='9' | '.' => Some(symbol),
        _ => None,
    };
    let mantissa: String = mantissa.chars().filter_map(plain).collect();
    let digits = exponent.strip_prefix(THIN).unwrap_or(exponent);
    let power: String = digits
        .strip_prefix("10")
        .unwrap_or_default()
        .chars()
        .filter_map(|symbol| match symbol {
            '⁻' => Some('-'),
            digit => SUPERSCRIPTS
                .iter()
                .position(|&known| known == digit)
                .and_then(|value| char::from_digit(value as u32, 10)),
        })
        .collect();
    let power = if power.is_empty() { "0" } else { &power };
    format!("{mantissa}e{power}").parse().unwrap_or(f64::NAN)
}

/// Digits with a decimal point behind the one that stands for this power of ten.
fn point_placed(digits: &str, exponent: i32) -> String {
    let n_whole = exponent + 1;
    if n_whole <= 0 {
        let zeros = "0".repeat(n_whole.unsigned_abs() as usize);
        return format!("0.{zeros}{digits}");
    }
    let n_whole = n_whole as usize;
    if digits.len() <= n_whole {
        return format!("{digits:0<n_whole$}");
    }
    format!("{}.{}", &digits[..n_whole], &digits[n_whole..])
}

/// A number with four significant digits; whole numbers in full.
pub(crate) fn number(value: f64) -> String {
    significant(value, 4)
}

/// A fraction in percent.
pub(crate) fn percent(value: f64) -> String {
    let digits = if value.abs() < 0.1 { 3 } else { 4 };
    // All or nothing is a statement of its own: 99.999 % must not read 100 %.
    let whole = percent_text(value.signum(), 4);
    if value.abs() < 1.0 && percent_text(value, digits) == whole {
        return (5..=15)
            .map(|digits| percent_text(value, digits))
            .find(|text| *text != whole)
            .unwrap_or(whole);
    }
    percent_text(value, digits)
}

fn percent_text(value: f64, digits: u8) -> String {
    if value.is_nan() {
        return NO_FIGURE.to_owned();
    }
    format!("{}{THIN}%", significant(100.0 * value, digits))
}

/// A number of records, bytes or the like.
pub(crate) fn count(value: u64) -> String {
    grouped(&value.to_string())
}

/// `1 record`, `2 records`.
pub(crate) fn counted(value: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(value), if value == 1 { one } else { many })
}

/// A length of time.
pub(crate) fn seconds(value: f64) -> String {
    if !value.is_finite() || value < 60.0 {
        return format!("{}{THIN}s", significant(value, 3));
    }
    let whole = value.round() as u64;
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    if hours > 0 {
        format!("{hours}{THIN}h {minutes}{THIN}min {seconds}{THIN}s")
    } else {
        format!("{minutes}{THIN}min {seconds}{THIN}s")
    }
}

/// A parameter as a plan would write it.
pub(crate) fn as_given(value: f64) -> String {
    let text = number_text(value);
    let n_digits = text.bytes().filter(u8::is_ascii_digit).count();
    if n_digits > 15 {
        significant(value, 12)
    } else {
        text
    }
}

/// A number with so many significant digits; whole numbers up to 15 digits in full.
pub(crate) fn significant(value: f64, digits: u8) -> String {
    if value.is_nan() {
        return NO_FIGURE.to_owned();
    }
    let sign = if value < 0.0 {
        MINUS.to_string()
    } else {
        String::new()
    };
    let size = value.abs();
    if size.is_infinite() {
        return format!("{sign}∞");
    }
    if size == 0.0 {
        return "0".to_owned();
    }
    if size.fract() == 0.0 && size < 1e15 {
        return format!("{sign}{}", grouped(&format!("{size:.0}")));
    }
    let scientific = format!("{size:.*e}", usize::from(digits.max(1) - 1));
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-5..15).contains(&exponent) {
        let decimals = (i32::from(digits) - 1 - exponent).max(0) as usize;
        return format!("{sign}{}", fixed(size, decimals));
    }
    format!(
        "{sign}{}{THIN}×{THIN}10{}",
        without_zeros(mantissa),
        superscript(exponent)
    )
}

/// A number that is not negative with at most so many decimals.
pub(crate) fn fixed(size: f64, decimals: usize) -> String {
    grouped(without_zeros(&format!("{size:.decimals$}")))
}

/// The power of ten of the first digit, taken from the text so that every machine agrees.
pub(crate) fn exponent_of(size: f64) -> i32 {
    let scientific = format!("{size:e}");
    scientific
        .split_once('e')
        .and_then(|(_, exponent)| exponent.parse().ok())
        .unwrap_or(0)
}

fn without_zeros(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

fn superscript(exponent: i32) -> String {
    exponent
        .to_string()
        .chars()
        .map(|symbol| match symbol {
            '-' => '⁻',
            digit => SUPERSCRIPTS[digit.to_digit(10).unwrap_or(0) as usize],
        })
        .collect()
}

/// Thin spaces between groups of three digits before the decimal point.
fn grouped(text: &str) -> String {
    let (whole, tail) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut out = String::with_capacity(text.len() + text.len() / 3 * THIN.len_utf8());
    for (idx, digit) in whole.chars().enumerate() {
        if idx > 0 && (whole.len() - idx).is_multiple_of(3) {
            out.push(THIN);
        }
        out.push(digit);
    }
    out + tail
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Thin spaces as `_`, so that the expectations can be read.
    fn shown(text: &str) -> String {
        text.replace(THIN, "_")
    }

    #[test]
    fn numbers_have_four_digits_and_whole_numbers_all() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
            (12_901.0, "12_901"),
            (1234.0, "1_234"),
            (-1_234_567.0, "−1_234_567"),
            (0.123_456_789, "0.1235"),
            (123.456, "123.5"),
            (12_345.678, "12_346"),
            (0.1 + 0.2, "0.3"),
            (0.000_012_345_6, "0.00001235"),
            (0.000_001_234_56, "1.235_×_10⁻⁶"),
            (1.5e300, "1.5_×_10³⁰⁰"),
            (9.999_96, "10"),
            (f64::NAN, "–"),
            (f64::INFINITY, "∞"),
            (f64::NEG_INFINITY, "−∞"),
        ];
        for (value, expected) in cases {
            assert_eq!(shown(&number(value)), expected, "{value:e}");
        }
    }

    #[test]
    fn shares_are_percentages_and_all_or_nothing_is_never_rounded() {
        let cases = [
            (0.0, "0_%"),
            (1.0, "100_%"),
            (0.07, "7_%"),
            (0.123_456_789, "12.35_%"),
            (0.012_345, "1.23_%"),
            (0.999_999, "99.9999_%"),
            (-0.5, "−50_%"),
        ];
        for (value, expected) in cases {
            assert_eq!(shown(&percent(value)), expected, "{value}");
        }
    }

    #[test]
    fn a_figure_beside_a_limit_shows_on_which_side_it_lies() {
        let cases = [
            (Unit::Number, 0.100_004, 0.1, "0.100004"),
            (Unit::Number, 0.1, 0.1, "0.1"),
            (Unit::Share, 0.050_000_1, 0.05, "5.00001_%"),
            (Unit::Number, 3.0, 5.0, "3"),
            // Four digits would be on the wrong side, and not equal to the limit's text.
            (Unit::Number, 0.123_446, 0.123_442, "0.12345"),
            (
                Unit::Number,
                2.999_999_999_999_999_6,
                3.0,
                "2.9999999999999996",
            ),
            (Unit::Number, 0.1 + 0.2, 0.3, "0.30000000000000004"),
            // One rounding apart; a hundred times as much is the same double.
            (Unit::Share, 0.07_f64.next_up(), 0.07, "7.000000000000002_%"),
            (Unit::Share, 0.07, 0.07, "7_%"),
            (Unit::Number, 1.000_1e-7, 1e-7, "1.0001_×_10⁻⁷"),
        ];
        for (unit, value, limit, expected) in cases {
            let found = shown(&unit.text_beside(value, &[limit]));
            assert_eq!(found, expected, "{value} beside {limit}");
        }
        // Between two limits both sides show.
        let between = Unit::Number.text_beside(0.999_999, &[0.5, 1.0]);
        assert_eq!(shown(&between), "0.999999");
    }

    #[test]
    fn limits_stand_with_every_digit_that_was_given() {
        assert_eq!(
            shown(&Unit::Number.exact(0.123_456_789_012_345)),
            "0.123456789012345"
        );
        assert_eq!(shown(&Unit::Share.exact(0.07)), "7_%");
        assert_eq!(
            shown(&Unit::Share.exact(0.123_456_789_012_34)),
            "12.345678901234_%"
        );
        assert_eq!(shown(&Unit::Count.exact(12_345.0)), "12_345");
    }

    #[test]
    fn what_is_written_reads_back() {
        for value in [0.0, 12_901.0, -1_234_567.0, 0.25, 1.5e300, -2.5e-9] {
            let text = number(value);
            assert_eq!(
                read_back(&text).to_bits(),
                (value + 0.0).to_bits(),
                "{text}"
            );
        }
        assert_eq!(read_back(&percent(0.25)).to_bits(), 25.0_f64.to_bits());
        assert!(read_back(NO_FIGURE).is_nan());
        assert_eq!(point_placed("25", 3), "2500");
        assert_eq!(point_placed("25", -2), "0.025");
        assert_eq!(point_placed("25", 0), "2.5");
    }

    #[test]
    fn changes_carry_their_sign() {
        assert_eq!(shown(&Unit::Count.change(1200.0, 12.0)), "−1_188");
        assert_eq!(shown(&Unit::Share.change(0.05, 0.075)), "+2.5 points");
        assert_eq!(shown(&Unit::Number.change(41.2, 41.200_000_1)), "≈ 0");
        assert_eq!(shown(&Unit::Number.change(3.0, 3.0)), "no change");
    }

    #[test]
    fn times_and_counts() {
        assert_eq!(shown(&seconds(0.123_456)), "0.123_s");
        assert_eq!(shown(&seconds(83.4)), "1_min 23_s");
        assert_eq!(shown(&seconds(3_725.0)), "1_h 2_min 5_s");
        assert_eq!(shown(&counted(1, "record", "records")), "1 record");
        assert_eq!(
            shown(&counted(12_901, "record", "records")),
            "12_901 records"
        );
    }

    #[test]
    fn parameters_stand_as_they_were_given() {
        assert_eq!(as_given(0.141_592_6), "0.1415926");
        assert_eq!(as_given(0.1 + 0.2), "0.3");
        assert_eq!(as_given(3.0), "3");
    }
}
