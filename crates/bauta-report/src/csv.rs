//! The tables of a record as CSV files, for spreadsheets and scripts. Confidential like the record.

mod measured;
mod shown;

use std::borrow::Cow;

use bauta_data::number::{number_text, parse_number};
use bauta_plan::RunRecord;

/// A table of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CsvTable {
    /// Name of the file.
    pub file: String,
    /// Its text: a line of headings, then the rows.
    pub text: String,
}

/// The tables of a record: what steps show, then what was measured. Files that a method of the
/// registry always gives are always there; those without rows have headings only.
pub fn csv_tables(record: &RunRecord) -> Vec<CsvTable> {
    let mut sheets = shown::sheets(record);
    sheets.extend([measured::measures(record), measured::series(record)]);
    sheets.into_iter().map(Sheet::done).collect()
}

/// A table that is being written. Rows may be shorter than its headings, which grow.
pub(crate) struct Sheet {
    file: String,
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Sheet {
    pub(crate) fn new<'h>(file: &str, headings: impl IntoIterator<Item = &'h str>) -> Self {
        Self {
            file: format!("{file}.csv"),
            headings: headings.into_iter().map(str::to_owned).collect(),
            rows: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    pub(crate) fn done(self) -> CsvTable {
        let mut text = String::new();
        line(&mut text, &self.headings, self.headings.len());
        for row in &self.rows {
            line(&mut text, row, self.headings.len());
        }
        CsvTable {
            file: self.file,
            text,
        }
    }
}

/// Writes cells, with empty ones up to a number of them.
fn line(text: &mut String, cells: &[String], n_cells: usize) {
    for idx in 0..n_cells {
        if idx > 0 {
            text.push(',');
        }
        let cell = cells.get(idx).map_or("", String::as_str);
        let cell = &*no_formula(cell);
        if cell.contains([',', '"', '\n', '\r']) {
            text.push('"');
            text.push_str(&cell.replace('"', "\"\""));
            text.push('"');
        } else {
            text.push_str(cell);
        }
    }
    text.push('\n');
}

/// A cell that no spreadsheet takes for a formula: these files are opened by hand, and what stands in them
/// may come from the data. Numbers stay numbers.
fn no_formula(cell: &str) -> Cow<'_, str> {
    let would_run =
        cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    if would_run && parse_number(cell).is_none() {
        Cow::Owned(format!("'{cell}"))
    } else {
        Cow::Borrowed(cell)
    }
}

/// A number in full, or an empty cell where there is none.
pub(crate) fn figure(value: Option<f64>) -> String {
    value
        .filter(|value| !value.is_nan())
        .map(number_text)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be_and_numbers_are_whole() {
        let mut rows = Sheet::new("a", ["x", "y"]);
        rows.push(["a,b".to_owned(), "say \"so\"".to_owned()]);
        rows.push([figure(Some(0.1 + 0.2)), figure(Some(f64::NAN))]);
        rows.push([figure(Some(12_345_678.0)), figure(None)]);
        rows.push(["=cmd|' /C calc'!A0".to_owned(), "-1.5".to_owned()]);
        rows.push(["-1+1".to_owned(), "@SUM(A1)".to_owned()]);
        let expected = "x,y\n\"a,b\",\"say \"\"so\"\"\"\n0.30000000000000004,\n12345678,\n'=cmd|' /C calc'!A0,-1.5\n'-1+1,'@SUM(A1)\n";
        assert_eq!(rows.done().text, expected);
    }
}
