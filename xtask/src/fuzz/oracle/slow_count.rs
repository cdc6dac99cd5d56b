//! Keys of a released text counted plainly: every record is held against every other, cell by cell. No table, no
//! codes and no cube of the product.

use bauta_data::number::DecimalMark;

/// How missing key values count, by the name that a record gives it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reading {
    /// Every text is a value.
    Own,
    /// Compared on what the record shows; another's missing value does not match.
    Visible,
    /// A missing value on either side matches everything.
    Wild,
}

impl Reading {
    /// The reading with this name; none for one that a released file does not show.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "own" => Some(Self::Own),
            "visible" => Some(Self::Visible),
            "wild" => Some(Self::Wild),
            _ => None,
        }
    }

    fn matches(self, own: &[Option<String>], other: &[Option<String>]) -> bool {
        own.iter()
            .zip(other)
            .all(|(own, other)| match (self, own, other) {
                (Self::Visible, None, _) => true,
                (Self::Wild, own, other) if own.is_none() || other.is_none() => true,
                (_, own, other) => own == other,
            })
    }
}

/// For each record how many share its key, itself included; none is a missing value.
pub(crate) fn class_sizes(keys: &[Vec<Option<String>>], reading: Reading) -> Vec<u64> {
    let size = |own: &Vec<Option<String>>| {
        let matching = keys.iter().filter(|other| reading.matches(own, other));
        matching.count() as u64
    };
    keys.iter().map(size).collect()
}

/// One spelling for every spelling of a number, exact to the last digit; none for what is no number.
pub(crate) fn exact_number(text: &str, mark: DecimalMark) -> Option<String> {
    let text = text.trim_matches(' ');
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (digits, exponent) = match text.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let mark = if mark == DecimalMark::Comma { ',' } else { '.' };
    let (whole, fraction) = digits.split_once(mark).unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    if all.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let significant = all.trim_start_matches('0');
    let trimmed = significant.trim_end_matches('0');
    if trimmed.is_empty() {
        return Some("0".to_owned());
    }
    let n_zeros = i128::try_from(significant.len() - trimmed.len()).ok()?;
    let n_decimals = i128::try_from(fraction.len()).ok()?;
    let power = i128::from(exponent) - n_decimals + n_zeros;
    let sign = if negative { "-" } else { "" };
    Some(format!("{sign}{trimmed}e{power}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_counted_under_each_reading() {
        let row = |cells: [&str; 2]| {
            cells
                .map(|cell| (cell != "?").then(|| cell.to_owned()))
                .to_vec()
        };
        let keys = [
            row(["a", "1"]),
            row(["a", "?"]),
            row(["b", "1"]),
            row(["a", "1"]),
        ];
        assert_eq!(class_sizes(&keys, Reading::Own), [2, 1, 1, 2]);
        // The second record shows only `a`, which three have; its own gap matches nobody else's value.
        assert_eq!(class_sizes(&keys, Reading::Visible), [2, 3, 1, 2]);
        assert_eq!(class_sizes(&keys, Reading::Wild), [3, 3, 1, 3]);
    }

    #[test]
    fn numbers_are_the_same_however_they_are_spelled_and_to_the_last_digit() {
        let exact = |text: &str| exact_number(text, DecimalMark::Point);
        assert_eq!(exact("1.50"), exact(" 15e-1 "));
        assert_eq!(exact("-0"), exact("0.000"));
        assert_eq!(exact("100"), exact("1E2"));
        assert_ne!(exact("9007199254740993"), exact("9007199254740992"));
        assert_eq!(exact_number("1,5", DecimalMark::Comma), exact("1.5"));
        for no_number in ["", ".", "a", "1.5.2", "1e", "0x1"] {
            assert_eq!(exact(no_number), None, "{no_number}");
        }
    }
}
