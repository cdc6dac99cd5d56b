//! Dates as numbers of days.

use bauta_data::Column;
use bauta_data::date::day_number;

use crate::error::MethodError;

/// The day of each record, counted from 1970-01-01; NaN where the cell is missing. Texts that are no
/// date, or that could be two, are an error with their number.
pub(super) fn days(column: &Column, name: &str, file: &str) -> Result<Vec<f64>, MethodError> {
    let unread = |n: usize| {
        MethodError::data(
            name,
            format!("{n} different values of the {file} file cannot be read as a date"),
            "write dates as 2020-04-03, 20200403, 2020/04/03 or 03.04.2020, or compare the variable exactly",
        )
    };
    if let (Some(numbers), Some(_)) = (column.as_numeric(), column.date_format()) {
        return Ok(numbers.to_vec());
    }
    if let Some(numbers) = column.as_numeric() {
        let day = |value: f64| day_of(&format!("{value}"));
        let n = numbers
            .iter()
            .filter(|value| !value.is_nan() && day(**value).is_none())
            .count();
        if n > 0 {
            return Err(unread(n));
        }
        return Ok(numbers
            .iter()
            .map(|value| day(*value).unwrap_or(f64::NAN))
            .collect());
    }
    let format = column.date_format();
    let day = |text: &str| match format {
        Some(format) => format.days(text).or_else(|| day_of(text)),
        None => day_of(text),
    };
    let levels = column.as_categorical().map(|categories| &categories.levels);
    let by_code: Vec<Option<f64>> =
        levels.map_or_else(Vec::new, |levels| levels.iter().map(day).collect());
    // A level that only missing cells have is no date and needs none.
    let mut used = vec![false; by_code.len()];
    let coordinates = super::coded(column, |code| {
        by_code
            .get(code as usize)
            .copied()
            .flatten()
            .unwrap_or(f64::INFINITY)
    });
    if let Some(categories) = column.as_categorical() {
        for (coordinate, code) in coordinates.iter().zip(&categories.codes) {
            if *coordinate == f64::INFINITY {
                used[code as usize] = true;
            }
        }
    }
    let n = used.iter().filter(|used| **used).count();
    if n > 0 {
        return Err(unread(n));
    }
    Ok(coordinates)
}

/// The day of a date: year first with -, / or nothing between, or day first with points. A month stands
/// for its middle. 03/04/2020 could be two dates and is none.
fn day_of(text: &str) -> Option<f64> {
    let text = text.trim().split(['T', ' ']).next()?;
    let number = |part: &str| -> Option<u32> {
        let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| part.parse().ok()).flatten()
    };
    if text.len() == 8 && number(text).is_some() {
        return day_number(
            number(&text[..4])?,
            number(&text[4..6])?,
            number(&text[6..])?,
        );
    }
    let separator = text.chars().find(|sign| "-/.".contains(*sign))?;
    let parts: Vec<&str> = text.split(separator).collect();
    match parts[..] {
        [year, month] if year.len() == 4 && separator != '.' => {
            day_number(number(year)?, number(month)?, 15)
        }
        [year, month, day] if year.len() == 4 => {
            day_number(number(year)?, number(month)?, number(day)?)
        }
        [day, month, year] if year.len() == 4 && separator == '.' => {
            day_number(number(year)?, number(month)?, number(day)?)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_as_calendars_count_them() {
        assert_eq!(day_of("1970-01-01"), Some(0.0));
        assert_eq!(day_of("2000-03-01"), Some(11_017.0));
        assert_eq!(day_of("20000229"), Some(11_016.0));
        assert_eq!(day_of("29.02.2000"), Some(11_016.0));
        assert_eq!(day_of("1969/12/31"), Some(-1.0));
        assert_eq!(day_of("2000-02"), Some(11_002.0));
        for none in [
            "03/04/2020",
            "2001-02-29",
            "2000-13-01",
            "x",
            "",
            "1.5",
            "2000",
        ] {
            assert_eq!(day_of(none), None, "{none}");
        }
    }
}
