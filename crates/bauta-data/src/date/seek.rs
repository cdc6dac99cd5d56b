//! The spelling of dates that nobody stated: every text rules some out.

use super::spelled::SEPARATORS;
use super::{DateFormat, MONTHS, MonthText, Padding, PartOrder, TimeText, YearText};
use crate::problem::DataProblem;

/// What the texts of a variable show of the spelling of its dates.
#[derive(Clone, Debug, Default)]
pub struct DateEvidence {
    /// Spellings in which every text so far is a date.
    possible: Vec<DateFormat>,
    any_zero: bool,
    any_bare: bool,
}

/// Why the spelling of dates cannot be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DateDoubt {
    /// There is no text that is a date.
    NoDate,
    /// Every date could be read in either of two ways.
    Either(DateFormat, DateFormat),
    /// Years have two digits, and nothing says of which century, nor perhaps in which of two orders.
    Century(DateFormat, Option<DateFormat>),
}

impl DateDoubt {
    /// What is wrong, and what to state. No date of the file is shown.
    pub fn problem(self) -> DataProblem {
        match self {
            Self::NoDate => DataProblem::file(
                "none of its values is a date",
                "state how its dates are spelled: date = \"dd/mm/yyyy\"",
            ),
            Self::Either(first, second) => DataProblem::file(
                format!("every one of its dates could be spelled {first} or {second}"),
                format!("state which: date = \"{first}\" or date = \"{second}\""),
            ),
            Self::Century(format, other) => {
                let or_other =
                    other.map_or_else(String::new, |other| format!(" or date = \"{other}\""));
                DataProblem::file(
                    "its years have two digits, and nothing says of which century",
                    format!(
                        "state the first of the hundred years that are meant: date = \"{format}\"{or_other}"
                    ),
                )
            }
        }
    }
}

impl DateEvidence {
    /// Takes a text in; says whether it is a date in a spelling that the ones before have, too. If not, it is
    /// as if it had not been seen.
    pub fn see(&mut self, text: &str) -> bool {
        let possible: Vec<DateFormat> = if self.possible.is_empty() {
            candidates(text)
        } else {
            let fits = |format: &&DateFormat| format.days(text).is_some();
            self.possible.iter().filter(fits).copied().collect()
        };
        if possible.is_empty() {
            return false;
        }
        for part in short_parts(text, possible[0]) {
            self.any_zero |= part.len() == 2 && part.starts_with('0');
            self.any_bare |= part.len() == 1;
        }
        self.possible = possible;
        true
    }

    /// The spelling, or why there is none to be told.
    pub fn format(&self) -> Result<DateFormat, DateDoubt> {
        let padding = if self.any_bare && !self.any_zero {
            Padding::Bare
        } else {
            Padding::Zero
        };
        let padded = |format: DateFormat| match format.separator {
            Some(_) => format.padded(padding),
            None => format,
        };
        match self.possible.as_slice() {
            [] => Err(DateDoubt::NoDate),
            [format, others @ ..] if matches!(format.year, YearText::Two(_)) => {
                let other = others.first().copied().map(padded);
                Err(DateDoubt::Century(padded(*format), other))
            }
            [format] => Ok(padded(*format)),
            [first, second, ..] => Err(DateDoubt::Either(padded(*first), padded(*second))),
        }
    }
}

/// The spelling of all these texts, or why there is none to be told; also if one of them is no date.
pub fn format_of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Result<DateFormat, DateDoubt> {
    let mut evidence = DateEvidence::default();
    let all = texts.into_iter().all(|text| evidence.see(text));
    if all {
        evidence.format()
    } else {
        Err(DateDoubt::NoDate)
    }
}

/// Day and month of a date, where they are numbers.
fn short_parts(text: &str, format: DateFormat) -> impl Iterator<Item = &str> {
    let date = time_of(text.trim_matches(' ')).map_or("", |(date, _)| date);
    let parts = format.parts(date).unwrap_or_default();
    let short =
        |part: &&str| matches!(part.len(), 1 | 2) && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.into_iter().filter(short)
}

/// The spellings in which a text is a date.
fn candidates(text: &str) -> Vec<DateFormat> {
    let Some((date, time)) = time_of(text.trim_matches(' ')) else {
        return Vec::new();
    };
    let separator = date.bytes().find(|byte| SEPARATORS.contains(byte));
    let digits = |part: &str| part.bytes().take_while(u8::is_ascii_digit).count();
    let first_digits = digits(date);
    let is_compact_number = separator.is_none() && first_digits == date.len();
    let ends_with_year =
        date.len() - date.trim_end_matches(|c: char| c.is_ascii_digit()).len() >= 4;
    let century = YearText::Two(FIRST_YEAR_IN_DOUBT);
    let orders: &[(PartOrder, YearText)] = if is_compact_number || first_digits == 4 {
        &[(PartOrder::YearMonthDay, YearText::Four)]
    } else if ends_with_year {
        &[
            (PartOrder::DayMonthYear, YearText::Four),
            (PartOrder::MonthDayYear, YearText::Four),
        ]
    } else {
        &[
            (PartOrder::DayMonthYear, century),
            (PartOrder::MonthDayYear, century),
            (PartOrder::YearMonthDay, century),
        ]
    };
    let month = month_text(date);
    let format = |&(order, year): &(PartOrder, YearText)| DateFormat {
        order,
        separator,
        month,
        padding: Padding::Zero,
        year,
        time,
    };
    let is_date = |format: &DateFormat| {
        let days = format.days(text);
        // Eight digits are a date only if their year is one of living memory, or nearly.
        days.is_some_and(|days| !is_compact_number || (-136_000.0..=376_000.0).contains(&days))
    };
    orders.iter().map(format).filter(is_date).collect()
}

/// Stands for the century of a year of two digits until somebody states one.
const FIRST_YEAR_IN_DOUBT: u16 = 1930;

/// How the month is written, by the first letters of a date.
fn month_text(date: &str) -> MonthText {
    let letters = date.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    let Some(name) = letters.get(..3) else {
        return MonthText::Number;
    };
    if !MONTHS.contains(&name.to_ascii_lowercase().as_str()) {
        return MonthText::Number;
    }
    match (
        name.as_bytes()[0].is_ascii_uppercase(),
        name.as_bytes()[1].is_ascii_uppercase(),
    ) {
        (true, true) => MonthText::Upper,
        (true, false) => MonthText::Title,
        (false, _) => MonthText::Lower,
    }
}

/// The date of a text, and how the time of day behind it is written, if there is one; `None` if what stands
/// there is no time of day.
pub(super) fn time_of(text: &str) -> Option<(&str, Option<TimeText>)> {
    let Some(colon) = text.find(':') else {
        return Some((text, None));
    };
    let start = colon.checked_sub(3)?;
    let joint = *text.as_bytes().get(start)?;
    if !matches!(joint, b'T' | b' ') {
        return None;
    }
    let time = text.get(start + 1..)?;
    let (digits, zulu) = match time.strip_suffix('Z') {
        Some(digits) => (digits, true),
        None => (time, false),
    };
    let second_digits = match digits.len() {
        5 => None,
        8 => Some(0),
        longer @ 10.. => {
            let n_digits = u8::try_from(longer - 9).ok()?;
            Some((n_digits <= TimeText::MOST_DIGITS).then_some(n_digits)?)
        }
        _ => return None,
    };
    let format = TimeText {
        joint,
        second_digits,
        zulu,
    };
    units_of_day(text, format)?;
    Some((text.get(..start)?, Some(format)))
}

/// How many of its smallest units after midnight the time at the end of a text is.
pub(super) fn units_of_day(text: &str, format: TimeText) -> Option<i64> {
    let digits = format.second_digits;
    let width = match digits {
        None => 5,
        Some(0) => 8,
        Some(n_digits) => 9 + usize::from(n_digits),
    };
    let text = if format.zulu {
        text.strip_suffix('Z')?
    } else {
        text
    };
    let time = text.get(text.len().checked_sub(width)?..)?;
    let number = |range: std::ops::Range<usize>, end: u32| {
        let part = time.get(range)?;
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse()
            .ok()
            .filter(|&value: &u32| is_number && value < end)
    };
    let sign_at = |at: usize, sign: u8| time.as_bytes().get(at) == Some(&sign);
    let (hours, minutes) = (number(0..2, 24)?, number(3..5, 60)?);
    let mut is_well = sign_at(2, b':');
    let mut units = i64::from(hours * 60 + minutes);
    if let Some(n_digits) = digits {
        is_well &= sign_at(5, b':');
        units = units * 60 + i64::from(number(6..8, 60)?);
        if n_digits > 0 {
            is_well &= sign_at(8, b'.');
            let fraction = number(9..width, u32::MAX)?;
            units = units * 10_i64.pow(u32::from(n_digits)) + i64::from(fraction);
        }
    }
    is_well.then_some(units)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(texts: &[&str]) -> Result<String, DateDoubt> {
        format_of(texts.iter().copied()).map(|format| format.to_string())
    }

    #[test]
    fn usual_spellings_are_found() {
        for (texts, spelled) in [
            (&["2020-04-03"][..], "yyyy-mm-dd"),
            (&["03/04/2020", "13/04/2020"], "dd/mm/yyyy"),
            (&["04/03/2020", "04/13/2020"], "mm/dd/yyyy"),
            (&["3.4.2020", "13.4.2020"], "d.m.yyyy"),
            (&["3.4.2020", "13.04.2020"], "dd.mm.yyyy"),
            (&["20200403"], "yyyymmdd"),
            (&["03APR2020"], "ddMMMyyyy"),
            (&["3-Apr-2020"], "d-Mmm-yyyy"),
            (&["2020-04-03 10:11:12.345"], "yyyy-mm-dd HH:MM:SS.fff"),
            (&["2020-04-03T10:11Z"], "yyyy-mm-ddTHH:MMZ"),
            (&["2020/4/3"], "yyyy/m/d"),
        ] {
            assert_eq!(found(texts).as_deref(), Ok(spelled), "{texts:?}");
        }
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_not_guessed() {
        let either = |first: &str, second: &str| {
            let format = |text: &str| DateFormat::parse(text).unwrap();
            Err(DateDoubt::Either(format(first), format(second)))
        };
        assert_eq!(
            found(&["03/04/2020", "05/06/2021"]),
            either("dd/mm/yyyy", "mm/dd/yyyy")
        );
        assert_eq!(found(&["3/4/2020"]), either("d/m/yyyy", "m/d/yyyy"));
        assert!(matches!(
            found(&["13/04/40"]),
            Err(DateDoubt::Century(_, None))
        ));
        assert!(matches!(
            found(&["03/04/20"]),
            Err(DateDoubt::Century(_, Some(_)))
        ));
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "31/04/2020",
            "1.5",
            "2020-13-01",
            "12345678",
            "1-2-3-4",
            "é",
            "10:20",
            "2020-01-01T25:00",
            "",
        ] {
            assert!(found(&[text]).is_err(), "{text}");
        }
        let mut evidence = DateEvidence::default();
        assert!(evidence.see("13/04/2020"));
        assert!(!evidence.see("04/13/2020"), "another spelling than before");
        assert!(!evidence.see("31/04/2020"), "no such day");
        assert_eq!(evidence.format().unwrap().to_string(), "dd/mm/yyyy");
    }
}
