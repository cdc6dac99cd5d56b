//! What is wrong with a text file as a whole, told once instead of line by line: another delimiter, no header.

use csv::ByteRecord;

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

/// Why the first line is likely to be a record and not the names of the columns, if it is: wherever a column holds
/// numbers or dates, so does the first line, and at least one of its fields can hardly be a name.
pub(super) fn of_header(text: &[u8], delimiter: u8, line: u64) -> Option<DataProblem> {
    let records = sniff::first_records(text, delimiter);
    let (names, records) = records.split_first()?;
    let mut n_columns = 0;
    let mut hardly_a_name = false;
    for position in 0..names.len() {
        let name = field(names, position)?;
        let values: Vec<&str> = records
            .iter()
            .filter_map(|record| field(record, position))
            .filter(|text| !text.is_empty())
            .collect();
        if values.is_empty() || !values.iter().all(|text| is_value(text)) {
            continue;
        }
        n_columns += 1;
        if !is_value(name) {
            return None;
        }
        // A year, a week or a question may be called by its number; an amount may not.
        let digits = name.bytes().all(|byte| byte.is_ascii_digit());
        hardly_a_name |= !digits || name.len() > 4;
    }
    let repeated = (0..names.len()).any(|position| {
        let name = field(names, position);
        (0..position).any(|earlier| field(names, earlier) == name)
    });
    let is_likely = n_columns > 0 && (hardly_a_name || repeated || n_columns == names.len());
    is_likely.then(|| {
        DataProblem::file(
            "the first line looks like data, not like the names of the columns",
            "put a line with the names of the columns before it",
        )
        .at_line(line)
    })
}

fn field(record: &ByteRecord, position: usize) -> Option<&str> {
    std::str::from_utf8(record.get(position)?).ok()
}

/// Whether a text is a number or a date, which names of columns are not.
fn is_value(text: &str) -> bool {
    let marks = [DecimalMark::Point, DecimalMark::Comma];
    let is_number = marks
        .iter()
        .any(|&mark| parse_number_with(text, mark).is_some());
    is_number || DateEvidence::default().see(text)
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
        let looks = |text: &str| of_header(text.as_bytes(), b',', 1).is_some();
        assert!(looks("anna,1990-05-01,1200.50\nbert,1980-01-31,900.25\n"));
        assert!(looks("1,2,3\n4,5,6\n"));
        assert!(looks("m,34,34\nf,20,21\n"), "two names alike");
        assert!(!looks("name,born,pay\nanna,1990-05-01,1200.50\n"));
        assert!(!looks("country,2001,2002\nx,5,6\n"), "years are names");
        assert!(!looks("a,b\nx,y\n"), "nothing to tell by");
        assert!(!looks("a,b\n"));
        assert!(!looks(""));
    }
}
