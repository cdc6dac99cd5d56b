//! Tables of levels in delimited text files.

use std::path::Path;

use super::level_rows;
use crate::problem::{DataError, DataProblem, ProblemList};

const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

pub(super) fn read_rows(path: &Path, delimiter: Option<u8>) -> Result<Vec<Vec<String>>, DataError> {
    let bytes = std::fs::read(path).map_err(|error| DataError::io(path, "read", &error))?;
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes);
    if delimiter.is_some_and(|given| matches!(given, b'"' | b'\r' | b'\n')) {
        let problem = DataProblem::file(
            "a quote or a line end cannot separate fields",
            "give `,`, `;` or a tab as delimiter",
        );
        return Err(DataError::one(path, problem));
    }
    let delimiter = delimiter.unwrap_or_else(|| find_delimiter(text));
    let mut problems = ProblemList::default();
    let mut rows = Vec::new();
    let mut lines = Vec::new();
    for (line, record) in records(text, delimiter) {
        let row: Result<Vec<String>, _> = record
            .iter()
            .map(|field| std::str::from_utf8(field).map(str::to_owned))
            .collect();
        if let Ok(row) = row {
            rows.push(row);
            lines.push(line);
        } else {
            problems.push_with(|| {
                DataProblem::file("not valid UTF-8", "save the file as UTF-8").at_line(line)
            });
        }
    }
    if rows.is_empty() && problems.is_empty() {
        problems.push_with(|| {
            DataProblem::file(
                "the file has no row",
                "give one row per value: value, level 1, …",
            )
        });
    }
    for problem in level_rows::check(&rows, |row| format!("line {}", lines[row])) {
        problems.push_with(|| {
            let message = format!("the row {}", problem.message);
            DataProblem::file(message, problem.hint).at_line(lines[problem.row])
        });
    }
    problems.into_result(path)?;
    Ok(rows)
}

/// The delimiter whose poorest record has the most fields.
fn find_delimiter(text: &[u8]) -> u8 {
    let poorest = |delimiter: u8| {
        records(text, delimiter)
            .take(100)
            .map(|(_, record)| record.len())
            .min()
            .unwrap_or(0)
    };
    // `max_by_key` keeps the last of equals; reversed, so that the comma wins.
    DELIMITERS
        .into_iter()
        .rev()
        .max_by_key(|&delimiter| poorest(delimiter))
        .unwrap_or(b',')
}

/// The records with the line on which each starts. The reader's own line numbers do not count
/// blank lines before a record, so lines are counted here.
fn records(text: &[u8], delimiter: u8) -> impl Iterator<Item = (u64, csv::ByteRecord)> {
    let reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(text);
    let mut line = 1;
    let mut counted = 0;
    // Reading bytes from memory with ragged rows allowed has no way to fail.
    reader
        .into_byte_records()
        .map_while(Result::ok)
        .map(move |record| {
            let position = record.position().map_or(0, csv::Position::byte);
            let mut start = usize::try_from(position).unwrap_or(text.len()).max(counted);
            while matches!(text.get(start), Some(b'\r' | b'\n')) {
                start += 1;
            }
            let line_ends = text[counted..start].split(|&byte| byte == b'\n').skip(1);
            line += line_ends.count() as u64;
            counted = start;
            (line, record)
        })
}

#[cfg(test)]
mod tests {
    use super::super::HierarchySpec;
    use super::*;
    use std::io::Write as _;

    fn read(content: &[u8], delimiter: Option<u8>) -> Result<Vec<Vec<String>>, DataError> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(content).unwrap();
        match HierarchySpec::read_levels(file.path(), delimiter)? {
            HierarchySpec::Levels { rows } => Ok(rows),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_delimiter_is_found() {
        let expected = [["1", "low, or none", "any"], ["2", "high", "any"]];
        for content in [
            "1,\"low, or none\",any\n2,high,any\n",
            "1;low, or none;any\r\n2;high;any\r\n",
            "\u{FEFF}1\tlow, or none\tany\n\n2\thigh\tany",
        ] {
            assert_eq!(
                read(content.as_bytes(), None).unwrap(),
                expected,
                "{content:?}"
            );
        }
        assert_eq!(read(b"1,5;a\n", Some(b';')).unwrap(), [["1,5", "a"]]);
        assert_eq!(read(b"1|a\n", Some(b'|')).unwrap(), [["1", "a"]]);
    }

    #[test]
    fn problems_are_told_together_with_their_lines() {
        // Line 1 to 2 is one quoted record, line 3 is blank.
        let content = b"\"v1\r\nx\",a,p\r\n\r\nv2,a,q\r\nv3\r\n\xFF,a,p\r\nv2,b,q\r\n";
        let error = read(content, Some(b',')).unwrap_err();
        let lines: Vec<Option<u64>> = error.problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [Some(4), Some(5), Some(6), Some(7)]);
        assert!(!error.to_string().contains("v2"));
    }

    #[test]
    fn files_without_rows_or_that_cannot_be_read_are_errors() {
        assert_eq!(read(b"", None).unwrap_err().problems.len(), 1);
        assert_eq!(
            read(b"\xEF\xBB\xBF\n\n", None).unwrap_err().problems.len(),
            1
        );
        assert_eq!(read(b"a,b\n", Some(b'"')).unwrap_err().problems.len(), 1);
        let folder = tempfile::tempdir().unwrap();
        assert!(HierarchySpec::read_levels(folder.path(), None).is_err());
        assert!(HierarchySpec::read_levels(&folder.path().join("none.csv"), None).is_err());
    }
}
