//! Letters: Windows-1252, UTF-16, and what is told of a file that is read with the wrong encoding, delimiter or header.

use bauta_data::format::{Encoding, ReadOptions, likely_encoding};

use crate::{cells, declared, number, read, write_text};

fn with(encoding: Encoding) -> ReadOptions {
    ReadOptions {
        encoding,
        ..ReadOptions::default()
    }
}

#[test]
fn windows_1252_is_read_and_written() {
    let bytes = b"name;pay\nM\xfcller \x96 S\xf8n;1\x80\n\x84x\x93;2\n";
    let loaded = read("x.csv", bytes, &with(Encoding::Windows1252)).unwrap();
    assert_eq!(cells(&loaded.table, "name"), ["Müller – Søn", "„x“"]);
    assert_eq!(write_text(&loaded.table, loaded.style), bytes);
}

#[test]
fn utf16_with_a_mark_is_read_without_being_told_and_written_again() {
    let text = "\u{feff}name,x\r\nZoë 😀,1\r\n\"a\nb\",2\r\n";
    let low: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let high: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (bytes, encoding) in [(low, Encoding::Utf16Le), (high, Encoding::Utf16Be)] {
        let loaded = read("x.csv", &bytes, &declared(vec![number("x")])).unwrap();
        assert_eq!(cells(&loaded.table, "name"), ["Zoë 😀", "a\nb"]);
        assert_eq!(loaded.style.encoding, encoding);
        assert_eq!(write_text(&loaded.table, loaded.style), bytes);
    }
}

#[test]
fn one_message_proposes_the_encoding() {
    let mut bytes = b"name,x\n".to_vec();
    for record in 0..50 {
        bytes.extend(format!("{record} caf").bytes().chain(*b"\xe9,1\n"));
    }
    let error = read("x.csv", &bytes, &ReadOptions::default()).unwrap_err();
    assert_eq!((error.problems.len(), error.n_more), (1, 0));
    let problem = &error.problems[0];
    assert_eq!(
        (problem.line, problem.variable.as_deref()),
        (Some(2), Some("name"))
    );
    assert!(problem.message.contains("49 more lines"), "{problem}");
    assert!(problem.hint.contains("windows-1252"), "{problem}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.csv");
    std::fs::write(&file, &bytes).unwrap();
    let likely = likely_encoding(&file, &ReadOptions::default()).unwrap();
    assert_eq!(likely, Some(Encoding::Windows1252));
    std::fs::write(&file, "é,b\n").unwrap();
    assert_eq!(
        likely_encoding(&file, &ReadOptions::default()).unwrap(),
        None
    );
}

#[test]
fn one_message_names_another_delimiter() {
    let mut text = String::from("a;b;c\n");
    for record in 0..60 {
        text.push_str(&format!("{record};1,5;x\n"));
    }
    let stated = |delimiter| ReadOptions {
        delimiter: Some(delimiter),
        ..ReadOptions::default()
    };
    for (name, options) in [("x.csv", stated(b',')), ("x.tsv", ReadOptions::default())] {
        let error = read(name, text.as_bytes(), &options).unwrap_err();
        assert_eq!((error.problems.len(), error.n_more), (1, 0), "{error}");
        assert!(
            error.problems[0].message.contains("separated by `;`"),
            "{error}"
        );
    }
    // Many lines of other lengths have one cause.
    let mut ragged = String::from("a,b\n");
    for record in 0..60 {
        ragged.push_str(&format!("{record},1,2\n"));
    }
    let error = read("x.csv", ragged.as_bytes(), &ReadOptions::default()).unwrap_err();
    assert_eq!((error.problems.len(), error.problems[0].line), (1, Some(2)));
    assert!(
        error.problems[0].message.contains("59 more lines"),
        "{error}"
    );
}

#[test]
fn one_message_says_that_the_first_line_is_data() {
    let text = b"anna,1990-05-01,1200.5\nbert,1980-01-31,900.25\n";
    let names = ["name", "born", "pay", "sex", "region"];
    let options = declared(names.map(number).to_vec());
    let error = read("x.csv", text, &options).unwrap_err();
    assert_eq!(
        (error.problems.len(), error.problems[0].line),
        (1, Some(1)),
        "{error}"
    );
    assert!(
        error.problems[0].message.contains("looks like data"),
        "{error}"
    );
    assert!(!error.to_string().contains("anna"));
}
