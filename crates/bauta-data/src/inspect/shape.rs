//! What a single text looks like.

/// Something before an `@`, and a dotted domain after it.
pub(super) fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.trim().rsplit_once('@') else {
        return false;
    };
    let dotted = domain.rsplit_once('.').is_some_and(|(host, top)| {
        !host.is_empty() && top.len() >= 2 && top.chars().all(char::is_alphabetic)
    });
    dotted && !local.is_empty() && !text.trim().contains(char::is_whitespace)
}

/// Nine to fifteen digits that start with `+` or `0`, with the usual separators.
pub(super) fn is_phone(text: &str) -> bool {
    let text = text.trim();
    let n_digits = text.bytes().filter(u8::is_ascii_digit).count();
    text.starts_with(['+', '0', '('])
        && (9..=15).contains(&n_digits)
        && text
            .chars()
            .all(|sign| sign.is_ascii_digit() || "+-()/. ".contains(sign))
        && date(text).is_none()
}

/// Country, two check digits and 11 to 30 letters or digits, blanks allowed (ISO 13616).
pub(super) fn is_account(text: &str) -> bool {
    let compact: Vec<u8> = text.bytes().filter(|&byte| byte != b' ').collect();
    (15..=34).contains(&compact.len())
        && compact[..2].iter().all(u8::is_ascii_uppercase)
        && compact[2..4].iter().all(u8::is_ascii_digit)
        && compact[4..].iter().all(u8::is_ascii_alphanumeric)
}

/// How a date is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DateOrder {
    /// 2015-01-29: sorts as text.
    YearFirst,
    /// 29.01.2015, 1/29/2015.
    YearLast,
}

/// Whether a text is a calendar date, with or without a time of day behind it.
pub(super) fn date(text: &str) -> Option<DateOrder> {
    let day = text.trim().split(['T', ' ']).next()?;
    let separator = day.chars().find(|sign| "-/.".contains(*sign))?;
    let parts: Vec<&str> = day.split(separator).collect();
    let [first, second, third] = parts[..] else {
        return None;
    };
    let within = |part: &str, widths: std::ops::RangeInclusive<usize>, largest: u32| {
        widths.contains(&part.len())
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && part
                .parse()
                .is_ok_and(|number: u32| (1..=largest).contains(&number))
    };
    let is_year = |part: &str| within(part, 4..=4, 2999) && part >= "1000";
    let is_day = |part: &str| within(part, 1..=2, 31);
    let is_month = |part: &str| within(part, 1..=2, 12);
    if is_year(first) && is_month(second) && is_day(third) {
        // Only padded parts sort as text in the order of the calendar.
        let padded = second.len() == 2 && third.len() == 2;
        return Some(if padded {
            DateOrder::YearFirst
        } else {
            DateOrder::YearLast
        });
    }
    let day_and_month = (is_day(first) && is_month(second)) || (is_month(first) && is_day(second));
    (is_year(third) && day_and_month).then_some(DateOrder::YearLast)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_told_from_look_alikes() {
        assert!(is_email("a.b@example.org") && !is_email("a@b") && !is_email("at @ home.now"));
        assert!(
            is_phone("+33 1 23 45 67 89") && is_phone("0612345678") && is_phone("(020) 1234 5678")
        );
        assert!(!is_phone("1234567890") && !is_phone("01.02.2015 10:00") && !is_phone("0123"));
        assert!(is_account("FR14 2004 1010 0505 0001 3M02 606") && !is_account("FR14"));
    }

    #[test]
    fn dates_are_recognised_in_the_usual_orders() {
        assert_eq!(date("2015-01-29"), Some(DateOrder::YearFirst));
        assert_eq!(date("2015-01-29T10:00:00"), Some(DateOrder::YearFirst));
        assert_eq!(date("2015/1/29"), Some(DateOrder::YearLast));
        assert_eq!(date("29.01.2015"), Some(DateOrder::YearLast));
        assert_eq!(date("1/29/2015"), Some(DateOrder::YearLast));
        for text in [
            "20150129",
            "1.5",
            "2015-13-01",
            "32.01.2015",
            "1-2-3",
            "0000-01-01",
            "é-é-é",
        ] {
            assert_eq!(date(text), None, "{text}");
        }
    }
}
