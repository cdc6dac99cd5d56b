//! What is wrong with a text file as a whole, told once instead of line by line: another delimiter, no header.

use csv::ByteRecord;
use foldhash::fast::FixedState;
use hashbrown::HashSet;

use super::sniff;
use crate::date::DateEvidence;
use crate::number::{DecimalMark, parse_number_with};
use crate::problem::DataProblem;

/// Share of the first records that another delimiter must cut into equal numbers of fields to be believed.
const MOST_RECORDS: f64 = 0.9;

/// Why the delimiter of a text is likely to be another one, if it is.
pub(super) fn of_delimiter(text: &[u8], delimiter: u8) -> Option<DataProblem> {
    let other = sniff::find_delimiter(text);
    if other == delimiter {
        return None;
    }
    let (own, found) = (
        sniff::regularity(text, delimiter),
        sniff::regularity(text, other),
    );
    let is_regular = found.fields > 1
        && found.records > 2
        && found.regular as f64 >= MOST_RECORDS * found.records as f64;
    let is_worse = own.fields == 1 || own.regular < found.regular;
    (is_regular && is_worse).then(|| {
        let name = sniff::delimiter_name(other);
        DataProblem::file(
            format!("the columns seem to be separated by {name}"),
            match other {
                b'\t' => "state it in [data] or with --delimiter: delimiter = \"tab\"".to_owned(),
                other => format!(
                    "state it in [data] or with --delimiter: delimiter = \"{}\"",
                    char::from(other)
                ),
            },
        )
    })
}

/// How sure it is that the first line is a record and not the names of the columns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum LooksLikeData {
    /// Nothing speaks for it.
    No,
    /// Whole numbers stand over whole numbers, as names of years or questions may.
    Maybe,
    /// A date stands over dates, or an amount over numbers.
    Surely,
}

/// How the first line of a text looks: like data where it holds what the columns below it hold.
pub(super) fn looks_like_data(text: &[u8], delimiter: u8) -> LooksLikeData {
    let records = sniff::first_records(text, delimiter);
    let Some((names, records)) = records.split_first() else {
        return LooksLikeData::No;
    };
    let mut looks = LooksLikeData::No;
    let mut n_alike = 0;
    for position in 0..names.len() {
        let Some(below) = held_by(records, position) else {
            continue;
        };
        let Some(name) = field(names, position).and_then(held) else {
            return LooksLikeData::No;
        };
        n_alike += 1;
        let alike = match (name, below) {
            (Held::Date, Held::Date) | (Held::Decimal, Held::Decimal | Held::Whole) => {
                LooksLikeData::Surely
            }
            (Held::Whole, Held::Whole | Held::Decimal) => LooksLikeData::Maybe,
            // Dates may be the names of columns of numbers.
            (Held::Date | Held::Decimal, _) | (Held::Whole, Held::Date) => LooksLikeData::No,
        };
        looks = looks.max(alike);
    }
    let mut seen = HashSet::<_, FixedState>::default();
    let is_repeated = !(0..names.len()).all(|position| seen.insert(names.get(position)));
    // A few whole numbers may be names; if all columns have one, or two the same, they hardly are.
    match looks {
        LooksLikeData::Maybe if n_alike < names.len() && !is_repeated => LooksLikeData::No,
        other => other,
    }
}

/// What is wrong with a first line that looks like data.
pub(super) fn no_header(line: u64) -> DataProblem {
    DataProblem::file(
        "the first line looks like data, not like the names of the columns",
        "put a line with the names of the columns before it",
    )
    .at_line(line)
}

/// What a text holds that a name does not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Held {
    Whole,
    Decimal,
    Date,
}

/// What all values of a column hold, if it is one of these.
fn held_by(records: &[ByteRecord], position: usize) -> Option<Held> {
    let values = records.iter().filter_map(|record| field(record, position));
    let mut found = None;
    for value in values.filter(|text| !text.is_empty()) {
        found = match (found, held(value)?) {
            (None, one) => Some(one),
            (Some(Held::Date), Held::Date) => Some(Held::Date),
            (Some(Held::Date), _) | (_, Held::Date) => return None,
            (Some(Held::Whole), Held::Whole) => Some(Held::Whole),
            (Some(_), _) => Some(Held::Decimal),
        };
    }
    found
}

fn field(record: &ByteRecord, position: usize) -> Option<&str> {
    std::str::from_utf8(record.get(position)?).ok()
}

/// What a text holds, if it is a number or a date.
fn held(text: &str) -> Option<Held> {
    let marks = [DecimalMark::Point, DecimalMark::Comma];
    if text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty() {
        Some(Held::Whole)
    } else if marks
        .iter()
        .any(|&mark| parse_number_with(text, mark).is_some())
    {
        Some(Held::Decimal)
    } else {
        DateEvidence::default().see(text).then_some(Held::Date)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_delimiter_is_named() {
        let found = |text: &str, delimiter: u8| {
            of_delimiter(text.as_bytes(), delimiter).map(|problem| problem.message)
        };
        assert!(found("a;b\n1,5;2\n3,5;4\n", b',').unwrap().contains("`;`"));
        assert!(found("a\tb\n1\t2\n3\t4\n", b',').unwrap().contains("tab"));
        assert_eq!(found("a,b\n1;2,3\n4;5,6\n", b','), None);
        assert_eq!(found("a\nx;y\nz\n", b','), None);
        assert_eq!(found("a,b\n1,2\n", b','), None);
    }

    #[test]
    fn a_first_record_is_told_from_names() {
        use LooksLikeData::{Maybe, No, Surely};
        for (text, expected) in [
            ("anna,1990-05-01,1200.50\nbert,1980-01-31,900.25\n", Surely),
            ("1.5,2\n4,5\n", Surely),
            ("1,2,3\n4,5,6\n", Maybe),
            ("m,34,34\nf,20,21\n", Maybe),
            ("name,born,pay\nanna,1990-05-01,1200.50\n", No),
            ("country,2001,2002\nx,5,6\n", No),
            ("country,2001-01-01,2001-02-01\nx,5,6\n", No),
            ("a,b\nx,y\n", No),
            ("a,b\n", No),
            ("", No),
        ] {
            assert_eq!(looks_like_data(text.as_bytes(), b','), expected, "{text}");
        }
    }
}
