//! Calendar dates as texts, both ways: a date is a number of days since 1 January 1970, a time of day a part of one.

mod seek;
mod spelled;

use std::borrow::Cow;
use std::fmt::Write as _;

use chrono::{Datelike, NaiveDate};

pub use seek::{DateDoubt, DateEvidence, format_of};

/// Hundred years from which a year of two digits is taken: the first of them.
type Century = u16;

/// Which part of a date stands first, second and last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PartOrder {
    /// 2020-04-03
    YearMonthDay,
    /// 03/04/2020 on 3 April
    DayMonthYear,
    /// 04/03/2020 on 3 April
    MonthDayYear,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Year,
    Month,
    Day,
}

impl PartOrder {
    const ALL: [Self; 3] = [Self::YearMonthDay, Self::DayMonthYear, Self::MonthDayYear];

    const fn parts(self) -> [Part; 3] {
        match self {
            Self::YearMonthDay => [Part::Year, Part::Month, Part::Day],
            Self::DayMonthYear => [Part::Day, Part::Month, Part::Year],
            Self::MonthDayYear => [Part::Month, Part::Day, Part::Year],
        }
    }

    /// Parts in this order, as year, month, day.
    fn sorted<T: Copy>(self, parts: [T; 3]) -> [T; 3] {
        let [first, second, third] = parts;
        match self {
            Self::YearMonthDay => [first, second, third],
            Self::DayMonthYear => [third, second, first],
            Self::MonthDayYear => [third, first, second],
        }
    }
}

/// How a month is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum MonthText {
    Number,
    /// apr
    Lower,
    /// Apr
    Title,
    /// APR
    Upper,
}

/// How days and months below ten are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Padding {
    /// 03
    Zero,
    /// 3
    Bare,
}

/// How many digits a year has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum YearText {
    Four,
    /// Two, of the hundred years that begin with this one.
    Two(Century),
}

/// How the time of day is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct TimeText {
    /// What stands between date and time: `T` or a blank.
    joint: u8,
    /// Digits behind the seconds, or no seconds.
    second_digits: Option<u8>,
    /// Whether a `Z` follows.
    zulu: bool,
}

impl TimeText {
    const MOST_DIGITS: u8 = 6;

    /// How many of its smallest units a day has.
    fn units_per_day(self) -> i64 {
        let digits = self.second_digits.unwrap_or(0);
        match self.second_digits {
            None => 24 * 60,
            Some(_) => 24 * 60 * 60 * 10_i64.pow(u32::from(digits)),
        }
    }
}

/// One spelling of dates, such as `dd/mm/yyyy`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DateFormat {
    order: PartOrder,
    separator: Option<u8>,
    month: MonthText,
    padding: Padding,
    year: YearText,
    time: Option<TimeText>,
}

/// What an owner says of the dates of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dates {
    /// They are dates; the file shows how they are spelled, or it is asked for.
    Sought,
    /// They are spelled like this.
    Spelled(DateFormat),
}

impl Dates {
    /// The word for dates whose spelling is to be found.
    pub const SOUGHT: &'static str = "find";

    /// What a text in a plan says, if it is one.
    pub fn parse(text: &str) -> Option<Self> {
        if text == Self::SOUGHT {
            return Some(Self::Sought);
        }
        DateFormat::parse(text).map(Self::Spelled)
    }

    /// The spelling, if it is known.
    pub fn format(self) -> Option<DateFormat> {
        match self {
            Self::Sought => None,
            Self::Spelled(format) => Some(format),
        }
    }
}

impl std::fmt::Display for Dates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sought => f.write_str(Self::SOUGHT),
            Self::Spelled(format) => write!(f, "{format}"),
        }
    }
}

/// The number of the day of this year, month and day of the month, if there is one.
pub fn day_number(year: u32, month: u32, day: u32) -> Option<f64> {
    let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?;
    Some(number_of(date) as f64)
}

/// The number of a day of the calendar.
fn number_of(date: NaiveDate) -> i64 {
    i64::from(date.num_days_from_ce()) - UNIX_EPOCH_FROM_CE
}

/// 1 January 1970, counted from 31 December of the year 0.
const UNIX_EPOCH_FROM_CE: i64 = 719_163;

/// The day of the calendar in which a number of days falls.
pub fn calendar_day(days: f64) -> Option<NaiveDate> {
    // Every day of the years 1 to 9999 has fewer than seven digits.
    let from_ce = days.floor() as i64 + UNIX_EPOCH_FROM_CE;
    let date = NaiveDate::from_num_days_from_ce_opt(i32::try_from(from_ce).ok()?)?;
    (1..=9999).contains(&date.year()).then_some(date)
}

/// The number of days of a date such as 2020-04-03, with or without a time of day: how plans write dates.
pub fn iso_days(text: &str) -> Option<f64> {
    if let Some(days) = DateFormat::ISO.days(text) {
        return Some(days);
    }
    let time = seek::time_of(text)?.1?;
    let format = DateFormat {
        time: Some(time),
        ..DateFormat::ISO
    };
    format.days(text)
}

/// The number of days as plans write dates; with a time of day where there is one.
pub fn iso_text(days: f64) -> String {
    let whole = days.fract() == 0.0;
    let time = (!whole).then_some(TimeText {
        joint: b'T',
        second_digits: Some(0),
        zulu: false,
    });
    let format = DateFormat {
        time,
        ..DateFormat::ISO
    };
    format.text(days)
}

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

impl DateFormat {
    /// 2020-04-03
    pub const ISO: Self = Self {
        order: PartOrder::YearMonthDay,
        separator: Some(b'-'),
        month: MonthText::Number,
        padding: Padding::Zero,
        year: YearText::Four,
        time: None,
    };

    /// The number of days that a text means in this spelling, if it is a date. Days and months below ten may
    /// have a zero or not; blanks around it are allowed.
    pub fn days(&self, text: &str) -> Option<f64> {
        let (date, time) = seek::time_of(text.trim_matches(' '))?;
        if time != self.time {
            return None;
        }
        let parts = self.parts(date)?;
        let [year, month, day] = self.order.sorted(parts);
        let year = self.year.read(year)?;
        let month = self.month.read(month)?;
        let day = short_number(day)?;
        let date = NaiveDate::from_ymd_opt(year, month, day)?;
        let units = self.units_per_day();
        let of_day = match self.time {
            Some(time) => seek::units_of_day(text.trim_matches(' '), time)?,
            None => 0,
        };
        // One division, as in `round`: a value that is read is one that is written.
        Some((number_of(date) * units + of_day) as f64 / units as f64)
    }

    /// The three parts of a date, in their order.
    fn parts<'t>(&self, date: &'t str) -> Option<[&'t str; 3]> {
        if let Some(separator) = self.separator {
            let mut parts = date.split(char::from(separator));
            let found = [parts.next()?, parts.next()?, parts.next()?];
            return parts.next().is_none().then_some(found);
        }
        let year = match self.year {
            YearText::Four => 4,
            YearText::Two(_) => 2,
        };
        let month = if self.month == MonthText::Number {
            2
        } else {
            3
        };
        let widths = self.order.parts().map(|part| match part {
            Part::Year => year,
            Part::Month => month,
            Part::Day => 2,
        });
        if date.len() != widths.iter().sum::<usize>() || !date.is_ascii() {
            return None;
        }
        let (first, rest) = date.split_at(widths[0]);
        let (second, third) = rest.split_at(widths[1]);
        Some([first, second, third])
    }

    /// Appends a number of days in this spelling.
    pub fn write(&self, days: f64, out: &mut String) {
        let units = self.units_per_day();
        let count = (self.round(days) * units as f64).round() as i64;
        let Some(date) = calendar_day(count.div_euclid(units) as f64) else {
            return;
        };
        for (position, part) in self.order.parts().into_iter().enumerate() {
            if position > 0 {
                out.extend(self.separator.map(char::from));
            }
            // Writing to a text never fails.
            let _ = match (part, self.padding) {
                (Part::Year, _) => match self.year {
                    YearText::Four => write!(out, "{:04}", date.year()),
                    YearText::Two(_) => write!(out, "{:02}", date.year().rem_euclid(100)),
                },
                (Part::Month, _) if self.month != MonthText::Number => {
                    out.write_str(&self.month.name(date.month0()))
                }
                (Part::Month, Padding::Zero) => write!(out, "{:02}", date.month()),
                (Part::Month, Padding::Bare) => write!(out, "{}", date.month()),
                (Part::Day, Padding::Zero) => write!(out, "{:02}", date.day()),
                (Part::Day, Padding::Bare) => write!(out, "{}", date.day()),
            };
        }
        if let Some(time) = self.time {
            time.write(count.rem_euclid(units), out);
        }
    }

    /// A number of days in this spelling.
    pub fn text(&self, days: f64) -> String {
        let mut out = String::new();
        self.write(days, &mut out);
        out
    }

    /// The nearest number of days that this spelling can write: whole days without a time of day, and years that
    /// it has digits for.
    #[must_use]
    pub fn round(&self, days: f64) -> f64 {
        let units = self.units_per_day() as f64;
        let (first, last) = match self.year {
            YearText::Four => (1, 9999),
            YearText::Two(first) => (i32::from(first), i32::from(first) + 99),
        };
        let number = |year: i32, month: u32, day: u32| {
            NaiveDate::from_ymd_opt(year, month, day).map_or(0.0, |date| number_of(date) as f64)
        };
        let last_unit = number(last, 12, 31) + (units - 1.0) / units;
        let rounded = (days * units).round() / units;
        rounded.clamp(number(first, 1, 1), last_unit)
    }

    fn units_per_day(&self) -> i64 {
        self.time.map_or(1, TimeText::units_per_day)
    }

    /// The same spelling with days and months as they were found.
    fn padded(self, padding: Padding) -> Self {
        Self { padding, ..self }
    }
}

impl YearText {
    fn read(self, text: &str) -> Option<i32> {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        match self {
            Self::Four if digits && text.len() == 4 => text.parse().ok().filter(|&year| year > 0),
            Self::Two(first) if digits && text.len() == 2 => {
                let first = i32::from(first);
                let year: i32 = text.parse().ok()?;
                Some(first + (year - first).rem_euclid(100))
            }
            Self::Four | Self::Two(_) => None,
        }
    }
}

impl MonthText {
    fn read(self, text: &str) -> Option<u32> {
        if self == Self::Number {
            return short_number(text);
        }
        let position = MONTHS.iter().position(|&month| self.cased(month) == text)?;
        u32::try_from(position + 1).ok()
    }

    /// The name of a month, counted from 0.
    fn name(self, month0: u32) -> Cow<'static, str> {
        self.cased(MONTHS[month0 as usize % 12])
    }

    fn cased(self, month: &'static str) -> Cow<'static, str> {
        match self {
            Self::Number | Self::Lower => Cow::Borrowed(month),
            Self::Upper => Cow::Owned(month.to_ascii_uppercase()),
            Self::Title => Cow::Owned(month[..1].to_ascii_uppercase() + &month[1..]),
        }
    }
}

impl TimeText {
    /// Appends a number of smallest units since midnight.
    fn write(self, units: i64, out: &mut String) {
        out.push(char::from(self.joint));
        let digits = self.second_digits.unwrap_or(0);
        let per_second = 10_i64.pow(u32::from(digits));
        let seconds = match self.second_digits {
            None => units * 60,
            Some(_) => units / per_second,
        };
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        let _ = write!(out, "{hours:02}:{minutes:02}");
        if self.second_digits.is_some() {
            let _ = write!(out, ":{:02}", seconds % 60);
        }
        if digits > 0 {
            let _ = write!(
                out,
                ".{:0width$}",
                units % per_second,
                width = usize::from(digits)
            );
        }
        if self.zulu {
            out.push('Z');
        }
    }
}

/// A number of one or two digits.
fn short_number(text: &str) -> Option<u32> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    (digits && matches!(text.len(), 1 | 2)).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn format(spelled: &str) -> DateFormat {
        DateFormat::parse(spelled).unwrap()
    }

    #[test]
    fn days_are_counted_from_1970() {
        for (spelled, text, days) in [
            ("yyyy-mm-dd", "1970-01-01", 0.0),
            ("yyyy-mm-dd", "1969-12-31", -1.0),
            // 50 years with 12 leap days (1972 to 2016), January, February with its 29th, March, and two days.
            (
                "yyyy-mm-dd",
                "2020-04-03",
                50.0 * 365.0 + 12.0 + 31.0 + 29.0 + 31.0 + 2.0,
            ),
            ("dd/mm/yyyy", "3/4/2020", 18_355.0),
            ("mm/dd/yyyy", "04/03/2020", 18_355.0),
            ("dd-Mmm-yyyy", "03-Apr-2020", 18_355.0),
            ("ddMMMyyyy", "03APR2020", 18_355.0),
            ("yyyymmdd", "20200403", 18_355.0),
            ("d.m.yyyy HH:MM", "3.4.2020 18:00", 18_355.75),
            (
                "yyyy-mm-ddTHH:MM:SS.fffZ",
                "2020-04-03T12:00:00.000Z",
                18_355.5,
            ),
            ("dd/mm/yy from 1930", "03/04/20", 18_355.0),
            ("dd/mm/yy from 1930", "01/01/70", 0.0),
        ] {
            assert_eq!(format(spelled).days(text), Some(days), "{text}");
        }
    }

    #[test]
    fn what_the_calendar_does_not_have_is_no_date() {
        let dmy = format("dd/mm/yyyy");
        for text in [
            "31/04/2020",
            "29/02/2019",
            "00/01/2020",
            "01/13/2020",
            "1/1/20",
            "01-01-2020",
            "",
            "a/b/cccc",
            "01/01/0000",
            "1/1/2020/1",
            "01/01/2020 10:00",
            "é1/01/2020",
        ] {
            assert_eq!(dmy.days(text), None, "{text}");
        }
        assert!(dmy.days("29/02/2020").is_some());
        assert_eq!(format("yyyy-mm-dd HH:MM").days("2020-01-01 24:00"), None);
        assert_eq!(format("yyyymmdd").days("2020é12"), None);
    }

    #[test]
    fn masked_values_are_rounded_to_what_can_be_written() {
        assert_eq!(format("yyyy-mm-dd").text(0.6), "1970-01-02");
        assert_eq!(format("d/m/yyyy").text(-0.2), "1/1/1970");
        assert_eq!(format("yyyy-mm-dd").text(1e9), "9999-12-31");
        // 99 years on, a year of two digits would be read as another century.
        assert_eq!(format("dd/mm/yy from 1930").text(1e6), "31/12/29");
        assert_eq!(format("yyyy-mm-dd HH:MM").text(0.999_9), "1970-01-02 00:00");
    }

    #[test]
    fn plans_write_dates_year_first() {
        assert_eq!(iso_days("2020-04-03"), Some(18_355.0));
        assert_eq!(iso_days("2020-04-03T06:00:00"), Some(18_355.25));
        assert_eq!(iso_days("3.4.2020"), None);
        assert_eq!(iso_days("20"), None);
        assert_eq!(iso_text(18_355.25), "2020-04-03T06:00:00");
        assert_eq!(iso_text(-1.0), "1969-12-31");
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(
            days in -700_000_i64..2_900_000,
            unit in 0_i64..86_400,
            spelled in prop::sample::select(vec![
                "yyyy-mm-dd", "d/m/yyyy", "mm.dd.yyyy", "dd MMM yyyy", "ddmmyyyy", "yyyy/m/d",
                "yyyy-mm-ddTHH:MM:SS", "dd.mm.yyyy HH:MM:SS.ff",
            ]),
        ) {
            let format = format(spelled);
            let fraction = if format.time.is_some() { unit as f64 / 86_400.0 } else { 0.0 };
            let value = format.round(days as f64 + fraction);
            let text = format.text(value);
            prop_assert_eq!(format.days(&text).map(|again| format.text(again)), Some(text.clone()));
            prop_assert!((format.days(&text).unwrap() - value).abs() < 1e-8);
        }
    }
}
