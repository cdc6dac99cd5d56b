//! Tables of levels in delimited text files.

use std::path::Path;

use super::level_rows;
use crate::problem::{DataError, DataProblem, ProblemList};
use crate::rows::numbered_rows;

pub(super) fn read_rows(path: &Path, delimiter: Option<u8>) -> Result<Vec<Vec<String>>, DataError> {
    if delimiter.is_some_and(|given| matches!(given, b'"' | b'\r' | b'\n')) {
        let problem = DataProblem::file(
            "a quote or a line end cannot separate fields",
            "give `,`, `;` or a tab as delimiter",
        );
        return Err(DataError::one(path, problem));
    }
    let mut problems = ProblemList::default();
    let (lines, rows): (Vec<u64>, Vec<Vec<String>>) =
        numbered_rows(path, delimiter, &mut problems)?
            .into_iter()
            .unzip();
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
