//! Every way in which a text file can be wrong, with its line, its variable and no cell value.

use std::path::Path;

use bauta_data::format::{self, Encoding, FileFormat, ReadOptions, TextStyle};
use bauta_data::number::DecimalMark;
use bauta_data::{Attribute, DataError, DataErrorKind, DataProblem, Kind, Role, Table, Unwatched};

use crate::{declared, number, read};

/// Stands for confidential content in the files below; no message may show it.
const SECRET: &str = "s3cret";

fn error(name: &str, bytes: &[u8], options: &ReadOptions) -> DataError {
    let error = read(name, bytes, options).expect_err("the file is wrong");
    assert!(!format!("{error} {error:?}").contains(SECRET), "{error}");
    error
}

fn problems(bytes: &[u8], options: &ReadOptions) -> Vec<DataProblem> {
    error("x.csv", bytes, options).problems
}

fn one_problem(bytes: &[u8], options: &ReadOptions) -> DataProblem {
    let mut problems = problems(bytes, options);
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems.remove(0)
}

#[test]
fn ragged_records_are_named_by_their_physical_line() {
    let text = b"a,b\n\"two\nlines\",1\ns3cret\n\n3,4\n5,s3cret,7\n";
    let problems = problems(text, &ReadOptions::default());
    assert_eq!(problems.len(), 2);
    assert_eq!(problems[0].line, Some(4));
    assert_eq!(problems[0].message, "1 field where the header has 2");
    assert_eq!(problems[1].line, Some(7));
    assert_eq!(problems[1].message, "3 fields where the header has 2");
    assert!(problems[1].hint.contains("quote"), "{}", problems[1].hint);
    let crlf = b"a,b\r\n\"two\r\nlines\",1\r\ns3cret\r\n\r\n3,4\r\n5,s3cret,7\r\n";
    let lines = |bytes: &[u8]| -> Vec<Option<u64>> {
        let problems = crate::damaged_text::problems(bytes, &ReadOptions::default());
        problems.iter().map(|problem| problem.line).collect()
    };
    assert_eq!(lines(crlf), [Some(4), Some(7)]);
}

#[test]
fn lines_are_right_in_every_batch() {
    let mut text = String::from("a,x\n");
    for record in 0..10_000 {
        let x = if record % 5_000 == 4_999 {
            "s3cret"
        } else {
            "1"
        };
        text.extend(["\"first\nsecond\",", x, "\n"]);
    }
    let problems = problems(text.as_bytes(), &declared(vec![number("x")]));
    let lines: Vec<_> = problems
        .iter()
        .map(|problem| problem.line.unwrap())
        .collect();
    // Record r (from 0) takes lines 2 + 2r and 3 + 2r.
    assert_eq!(lines, [2 + 2 * 4_999, 2 + 2 * 9_999]);
}

#[test]
fn names_must_be_there_and_differ() {
    let problems = problems(b"a,b,a,\n1,2,3,4\n", &ReadOptions::default());
    assert_eq!(problems[0].message, "columns 1 and 3 have the same name");
    assert_eq!(problems[0].variable.as_deref(), Some("a"));
    assert_eq!(problems[0].line, Some(1));
    assert_eq!(problems[1].message, "column 4 has no name");
}

#[test]
fn declared_variables_must_be_there() {
    let options = declared(vec![number("incme"), number("age")]);
    let problem = one_problem(b"income,age\n1,2\n", &options);
    assert_eq!(problem.variable.as_deref(), Some("incme"));
    assert_eq!(problem.hint, "did you mean `income`?");
}

#[test]
fn numbers_must_be_numbers() {
    let options = ReadOptions {
        decimal: Some(DecimalMark::Point),
        ..declared(vec![number("x"), number("y")])
    };
    let problems = problems(b"x,y\n1,2\ns3cret,3\n,\"4,5\"\n", &options);
    assert_eq!(problems.len(), 2);
    assert_eq!(
        (problems[0].line, problems[0].variable.as_deref()),
        (Some(3), Some("x"))
    );
    assert!(
        problems[0].hint.contains("missing code"),
        "{}",
        problems[0].hint
    );
    assert!(problems[0].hint.contains("kind"), "{}", problems[0].hint);
    assert_eq!(
        (problems[1].line, problems[1].variable.as_deref()),
        (Some(4), Some("y"))
    );
    assert!(
        problems[1].hint.contains("decimal commas"),
        "{}",
        problems[1].hint
    );
    let comma = ReadOptions {
        decimal: Some(DecimalMark::Comma),
        ..options
    };
    let problem = one_problem(b"x;y\n1,5;1.5\n", &comma);
    assert!(problem.hint.contains("decimal points"), "{}", problem.hint);
}

#[test]
fn weights_must_be_sound() {
    let options = declared(vec![Attribute::new("w", Role::Weight, Kind::Continuous)]);
    let problems = problems(b"id,w\na,1\nb,\nc,-1\nd,s3cret\ne,0\n", &options);
    let found: Vec<_> = problems
        .iter()
        .map(|p| (p.line.unwrap(), p.message.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            (3, "the weight is missing"),
            (4, "the weight is negative"),
            (5, "is not a number")
        ]
    );
    assert_eq!(
        one_problem(b"w\n0\n0.0\n", &options).message,
        "all weights are 0"
    );
    assert!(read("x.csv", b"w\n", &options).is_ok());
    // A weight is a number whatever kind it was given.
    let unordered = declared(vec![Attribute::new("w", Role::Weight, Kind::Unordered)]);
    assert!(
        read("x.csv", b"w\n2\n", &unordered)
            .unwrap()
            .table
            .column(0)
            .as_numeric()
            .is_some()
    );
}

#[test]
fn an_empty_file_is_an_error_and_a_header_alone_is_not() {
    for text in [&b""[..], b"\n\n", b"\xef\xbb\xbf", b"\r\n"] {
        let problem = one_problem(text, &ReadOptions::default());
        assert_eq!(problem.message, "the file is empty");
    }
    let loaded = read("x.csv", b"a,b\n", &declared(vec![number("a")])).unwrap();
    assert_eq!(
        (loaded.table.n_records(), loaded.table.columns().len()),
        (0, 2)
    );
}

#[test]
fn bytes_that_are_not_utf8_are_named() {
    let problem = one_problem(b"a,b\n1,2\n3,s3cret\xe9\n", &ReadOptions::default());
    assert_eq!(
        (problem.line, problem.variable.as_deref()),
        (Some(3), Some("b"))
    );
    assert!(
        problem.hint.contains("encoding = \"windows-1252\""),
        "{}",
        problem.hint
    );
    let header = one_problem(b"a,\xe9\n1,2\n", &ReadOptions::default());
    assert_eq!((header.line, header.variable), (Some(1), None));
}

#[test]
fn quotes_must_close_and_hold_the_whole_field() {
    let open = one_problem(b"a,b\n1,2\n3,\"s3cret\n4,5\n", &ReadOptions::default());
    assert_eq!(open.line, Some(3));
    assert!(open.message.contains("does not end"), "{}", open.message);
    let last_column = one_problem(b"a,b\n1,\"s3cret", &ReadOptions::default());
    assert_eq!(last_column.line, Some(2));
    let header = one_problem(b"a,\"b\n1,2\n", &ReadOptions::default());
    assert_eq!(header.line, Some(1));
    let stray = one_problem(b"a,b\n1,2\n\"s3cret\" x,5\n", &ReadOptions::default());
    assert_eq!(
        (stray.line, stray.variable.as_deref()),
        (Some(3), Some("a"))
    );
}

#[test]
fn a_blank_line_in_a_file_with_one_column_is_not_dropped() {
    let problem = one_problem(b"a\n1\n\n3\n", &ReadOptions::default());
    assert_eq!(problem.line, Some(3));
    let crlf = one_problem(b"a\r\n1\r\n\r\n3\r\n", &ReadOptions::default());
    assert_eq!(crlf.line, Some(3));
    assert_eq!(
        read("x.csv", b"a\n1\n\n\n", &ReadOptions::default())
            .unwrap()
            .table
            .n_records(),
        1
    );
}

#[test]
fn files_that_are_no_text_are_recognised() {
    let utf16: Vec<u8> = "a,b\n1,2\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let message = |bytes: &[u8]| one_problem(bytes, &ReadOptions::default()).message;
    assert!(message(&utf16).contains("UTF-16"));
    assert!(message(b"PAR1....").contains("Parquet"));
    assert!(message(b"a,b\n1,\0\n").contains("NUL"));
    let latin1 = ReadOptions {
        encoding: Encoding::Latin1,
        ..ReadOptions::default()
    };
    assert!(
        one_problem(b"\xef\xbb\xbfa\n1\n", &latin1)
            .message
            .contains("byte-order mark")
    );
}

#[test]
fn paths_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let read = |path: &Path| format::read(path, &ReadOptions::default(), &Unwatched).unwrap_err();
    let missing = read(&folder.path().join("absent.csv"));
    assert_eq!(missing.kind, DataErrorKind::Io);
    assert_eq!(missing.problems[0].hint, "check the path");
    let is_folder = read(folder.path());
    assert_eq!(is_folder.kind, DataErrorKind::Io);
    assert!(is_folder.problems[0].message.contains("folder"));
    for name in ["x.xlsx", "x"] {
        let path = folder.path().join(name);
        std::fs::write(&path, "a\n1\n").unwrap();
        let unknown = read(&path);
        assert!(unknown.problems[0].hint.contains(".csv, .tsv"), "{unknown}");
        assert!(unknown.problems[0].hint.contains(".parquet"), "{unknown}");
    }
    let path = folder.path().join("x.csv");
    std::fs::write(&path, "a\n1\n").unwrap();
    assert_eq!(
        format::read(&path, &ReadOptions::default(), &Unwatched)
            .unwrap()
            .fingerprint
            .n_bytes,
        4
    );
}

#[test]
fn problems_of_all_sorts_come_together_in_the_order_of_the_file_up_to_the_limit() {
    let mut text = String::from("a,x\n");
    for record in 0..50 {
        text.push_str(if record % 2 == 0 {
            "1,s3cret\n"
        } else {
            "s3cret\n"
        });
    }
    let options = declared(vec![number("x"), number("absent")]);
    let error = error("x.csv", text.as_bytes(), &options);
    assert_eq!(error.problems.len(), DataError::LIMIT);
    // One variable, 25 texts among numbers, and one problem for all 25 lines of another length.
    assert_eq!(error.n_more, 27 - DataError::LIMIT as u64);
    assert_eq!(error.problems[0].variable.as_deref(), Some("absent"));
    let lines: Vec<_> = error.problems[1..]
        .iter()
        .map(|problem| problem.line.unwrap())
        .collect();
    let expected: Vec<u64> = [2, 3]
        .into_iter()
        .chain((2..19).map(|half| 2 * half))
        .collect();
    assert_eq!(lines, expected);
}

#[test]
fn too_many_missing_codes_are_refused() {
    let mut options = ReadOptions::default();
    options.schema.missing.texts = (0..300).map(|code| code.to_string()).collect();
    let problem = one_problem(b"a\nx\n", &options);
    assert_eq!(problem.variable.as_deref(), Some("a"));
}

#[test]
fn what_latin1_cannot_write_is_named_before_anything_is_written() {
    let table = read(
        "x.csv",
        "a,b\n1,s3cret €\né,2\n".as_bytes(),
        &ReadOptions::default(),
    )
    .unwrap()
    .table;
    let style = TextStyle {
        encoding: Encoding::Latin1,
        ..TextStyle::default()
    };
    let mut out = Vec::new();
    let path = Path::new("out.csv");
    let error = format::write(&mut out, path, &table, FileFormat::Text, &style, &Unwatched)
        .expect_err("the euro sign is not in Latin-1");
    assert!(out.is_empty());
    assert_eq!(error.problems.len(), 1);
    assert_eq!(error.problems[0].variable.as_deref(), Some("b"));
    assert!(!error.to_string().contains(SECRET));
    let mut out = Vec::new();
    let kept = table.take(&[1]);
    format::write(&mut out, path, &kept, FileFormat::Text, &style, &Unwatched).unwrap();
    assert_eq!(out, b"a,b\n\xe9,2\n");
}

#[test]
fn a_table_without_columns_and_a_useless_delimiter_are_refused() {
    let table = read("x.csv", b"a\n1\n", &ReadOptions::default())
        .unwrap()
        .table;
    let write = |table: &Table, style: &TextStyle| {
        let path = Path::new("out.csv");
        format::write(
            &mut Vec::new(),
            path,
            table,
            FileFormat::Text,
            style,
            &Unwatched,
        )
    };
    assert!(write(&table.without_columns(&[0]), &TextStyle::default()).is_err());
    let quote = TextStyle {
        delimiter: b'"',
        ..TextStyle::default()
    };
    assert!(write(&table, &quote).is_err());
    let options = ReadOptions {
        delimiter: Some(b'\n'),
        ..ReadOptions::default()
    };
    assert!(
        one_problem(b"a\n1\n", &options)
            .message
            .contains("delimiter")
    );
}

#[test]
fn a_full_disk_is_an_error_of_the_operating_system() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let table = read("x.csv", b"a\n1\n", &ReadOptions::default())
        .unwrap()
        .table;
    for format in [FileFormat::Text, FileFormat::Parquet] {
        let style = TextStyle::default();
        let error = format::write(
            &mut Full,
            Path::new("out"),
            &table,
            format,
            &style,
            &Unwatched,
        )
        .expect_err("nothing can be written");
        assert_eq!(error.kind, DataErrorKind::Io);
        assert!(error.problems[0].hint.contains("space"), "{error}");
    }
}
