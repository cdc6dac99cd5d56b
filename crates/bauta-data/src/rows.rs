//! Small delimited text files that belong to a plan: rows of texts with their lines.

use std::path::Path;

use crate::problem::{DataError, DataProblem, ProblemList};

const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The rows of a file with the line on which each starts. Without a delimiter, that of `,`, `;` and
/// tab is taken which gives the most columns.
pub(crate) fn numbered_rows(
    path: &Path,
    delimiter: Option<u8>,
    problems: &mut ProblemList,
) -> Result<Vec<(u64, Vec<String>)>, DataError> {
    let bytes = std::fs::read(path).map_err(|error| DataError::io(path, "read", &error))?;
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes);
    let delimiter = delimiter.unwrap_or_else(|| find_delimiter(text));
    let mut rows = Vec::new();
    for (line, record) in records(text, delimiter) {
        let row: Result<Vec<String>, _> = record
            .iter()
            .map(|field| std::str::from_utf8(field).map(str::to_owned))
            .collect();
        if let Ok(row) = row {
            rows.push((line, row));
        } else {
            problems.push_with(|| {
                DataProblem::file("not valid UTF-8", "save the file as UTF-8").at_line(line)
            });
        }
    }
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
