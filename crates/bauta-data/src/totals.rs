//! Files of totals that weights are to reach.

use std::path::Path;

use crate::number::{ColumnMark, DecimalMark, MarkEvidence, parse_number_with};
use crate::problem::{DataError, DataProblem, ProblemList};
use crate::rows::numbered_rows;

/// Reads named totals from a delimited file: either the columns `margin` and `target` (others are
/// passed over), or the table of CALMAR and icarus, `var`, `n` and then n totals in the order of the
/// categories, with n = 0 for a number. Those come back as `var#1`, `var#2`, …
pub fn read_totals(path: &Path) -> Result<Vec<(String, f64)>, DataError> {
    let mut problems = ProblemList::default();
    let mut rows = numbered_rows(path, None, &mut problems)?.into_iter();
    let header: Vec<String> = rows.next().map_or_else(Vec::new, |(_, row)| {
        row.iter().map(|name| name.trim().to_lowercase()).collect()
    });
    let position = |name: &str| header.iter().position(|known| known == name);
    let rows: Vec<(u64, Vec<String>)> = rows.collect();
    let mut totals = Vec::new();
    if let (Some(name), Some(target)) = (position("margin"), position("target")) {
        let mark = decimal_mark(
            rows.iter().filter_map(|(_, row)| row.get(target)),
            &mut problems,
        );
        for (line, row) in rows {
            let cell = |at: usize| row.get(at).map_or("", |cell| cell.trim());
            match parse_number_with(cell(target), mark) {
                Some(value) if !cell(name).is_empty() => {
                    totals.push((cell(name).to_owned(), value));
                }
                _ => problems.push_with(|| no_total(line)),
            }
        }
    } else if let (Some(name), Some(n)) = (position("var"), position("n")) {
        let first = name.max(n) + 1;
        let numbers = rows.iter().flat_map(|(_, row)| row.iter().skip(first));
        let mark = decimal_mark(numbers, &mut problems);
        for (line, row) in rows {
            match of_variable(&row, name, n, first, mark) {
                Some(of_variable) => totals.extend(of_variable),
                None => problems.push_with(|| no_total(line)),
            }
        }
    } else {
        problems.push_with(|| {
            DataProblem::file(
                "the first line names neither `margin` and `target` nor `var` and `n`",
                "give the columns margin,target (sex=1,2100) or var,n,mar1,mar2 (sex,2,2100,2250)",
            )
        });
    }
    if totals.is_empty() && problems.is_empty() {
        problems.push_with(|| DataProblem::file("the file has no total", "give one row per total"));
    }
    problems.into_result(path)?;
    Ok(totals)
}

/// The decimal mark that the totals show; a problem where they do not.
fn decimal_mark<'a>(
    texts: impl Iterator<Item = &'a String>,
    problems: &mut ProblemList,
) -> DecimalMark {
    let unclear = match MarkEvidence::of(texts.map(|text| text.trim())).mark() {
        ColumnMark::Shows(mark) => return mark,
        ColumnMark::Any | ColumnMark::FixedPoint => return DecimalMark::Point,
        ColumnMark::Either(mark) => format!(
            "every {} in its totals may separate thousands or decimals",
            mark.name()
        ),
        ColumnMark::Both => "some totals have a decimal point and some a decimal comma".to_owned(),
    };
    let hint = "write the totals with a decimal point and without separators of thousands";
    problems.push_with(|| DataProblem::file(unclear, hint));
    DecimalMark::Point
}

fn no_total(line: u64) -> DataProblem {
    DataProblem::file(
        "the row has no name, or not as many numbers as it should",
        "give a name and a number, or var, n and n numbers",
    )
    .at_line(line)
}

/// The totals of one row `var, n, …`; none if they are not what n says.
fn of_variable(
    row: &[String],
    name: usize,
    n: usize,
    first: usize,
    mark: DecimalMark,
) -> Option<Vec<(String, f64)>> {
    let name = row.get(name)?.trim();
    let n: usize = row.get(n)?.trim().parse().ok()?;
    let numbers: Vec<f64> = row
        .get(first..)?
        .iter()
        .take(n.max(1))
        .map(|cell| parse_number_with(cell.trim(), mark))
        .collect::<Option<_>>()?;
    if name.is_empty() || numbers.len() != n.max(1) {
        return None;
    }
    let named = numbers.into_iter().enumerate().map(|(at, value)| {
        let name = match n {
            0 => name.to_owned(),
            _ => format!("{name}#{}", at + 1),
        };
        (name, value)
    });
    Some(named.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn read(content: &str) -> Result<Vec<(String, f64)>, DataError> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(content.as_bytes()).unwrap();
        read_totals(file.path())
    }

    #[test]
    fn margins_and_targets() {
        let found = read("margin;n;target\nsex=1;9;2100,5\nincome;9;1e9\n").unwrap();
        let expected = [("sex=1".to_owned(), 2100.5), ("income".to_owned(), 1e9)];
        assert_eq!(found, expected);
    }

    #[test]
    fn thousands_are_read_as_such_or_asked_for() {
        let found = read("margin;target\nsex=1;12,345\nsex=2;1,234,567\n").unwrap();
        let values: Vec<f64> = found.iter().map(|(_, value)| *value).collect();
        assert_eq!(values, [12_345.0, 1_234_567.0]);
        let found = read("margin;target\nsex=1;12.345,5\nsex=2;7\n").unwrap();
        assert_eq!(found[0].1.to_bits(), 12_345.5_f64.to_bits());
        for unclear in [
            "margin;target\nsex=1;12,345\nsex=2;7\n",
            "margin;target\nsex=1;12.5\nsex=2;7,5\n",
            "var;n;mar1;mar2\nsex;2;12,345;13,000\n",
        ] {
            let error = read(unclear).unwrap_err().to_string();
            assert!(
                error.contains("decimal point") && !error.contains("12"),
                "{error}"
            );
        }
    }

    #[test]
    fn the_table_of_calmar() {
        let found = read("VAR,N,MAR1,MAR2\nsex,2,2100,2250\nincome,0,1000,\n").unwrap();
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["sex#1", "sex#2", "income"]);
        assert_eq!(found[1].1.to_bits(), 2250.0_f64.to_bits());
    }

    #[test]
    fn every_bad_row_is_told() {
        let error = read("margin,target\nsex=1,many\nsex=2,3\n,4\n").unwrap_err();
        let lines: Vec<Option<u64>> = error.problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [Some(2), Some(4)]);
        assert!(read("a,b\n1,2\n").is_err() && read("margin,target\n").is_err());
    }
}
