//! The date and time of a run.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now in UTC, to the second, as 2026-11-16T09:30:00Z.
pub fn now_utc() -> String {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    utc_text(seconds)
}

/// Whether a text is a day of the calendar, written as 2026-11-16.
pub(crate) fn is_day(text: &str) -> bool {
    let digits = |part: &str, n: usize| {
        let all = part.len() == n && part.bytes().all(|byte| byte.is_ascii_digit());
        all.then(|| part.parse::<u64>().ok()).flatten()
    };
    let mut parts = text.split('-');
    let read = (parts.next(), parts.next(), parts.next(), parts.next());
    let (Some(year), Some(month), Some(day), None) = read else {
        return false;
    };
    let (Some(year), Some(month), Some(day)) = (digits(year, 4), digits(month, 2), digits(day, 2))
    else {
        return false;
    };
    let of_month = month
        .checked_sub(1)
        .and_then(|idx| days_of_months(year).get(idx as usize).copied());
    year > 0 && of_month.is_some_and(|n_days| (1..=n_days).contains(&day))
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_of_months(year: u64) -> [u64; 12] {
    let february = if is_leap(year) { 29 } else { 28 };
    [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
}

fn utc_text(seconds: u64) -> String {
    let (mut year, mut day) = (1970, seconds / 86_400);
    let year_days = |year| if is_leap(year) { 366 } else { 365 };
    while day >= year_days(year) {
        day -= year_days(year);
        year += 1;
    }
    let mut month = 1;
    for days in days_of_months(year) {
        if day < days {
            break;
        }
        day -= days;
        month += 1;
    }
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!(
        "{year}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z",
        day + 1
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for day in ["2026-11-16", "2028-02-29", "2000-02-29", "0001-01-01"] {
            assert!(is_day(day), "{day}");
        }
        let none = [
            "2026-02-29",
            "1900-02-29",
            "2026-04-31",
            "2026-13-01",
            "2026-00-10",
            "2026-01-00",
            "0000-01-01",
            "2026-1-1",
            "16.11.2026",
            "2026-11-16T00:00:00Z",
            "2026-11-16-1",
            "",
        ];
        for text in none {
            assert!(!is_day(text), "{text}");
        }
    }

    #[test]
    fn known_moments() {
        // `date -u -d @951782399` and neighbours: the leap day of 2000.
        assert_eq!(utc_text(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc_text(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(utc_text(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(utc_text(1_798_761_599), "2026-12-31T23:59:59Z");
    }
}
