//! Reading in pieces, however small, is reading record by record.

use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::attribute::{Attribute, Kind, Role};
use crate::column::{Column, Values};
use crate::store::Store;
use crate::watch::Unwatched;

/// Everything that reading gives, in a form that can be compared.
fn outcome(way: Way, text: &[u8], options: &ReadOptions) -> Result<Vec<String>, String> {
    outcome_of(Variables::All, way, text, options)
}

/// Of each column, [`outcome_of`] tells so many things, after one of the file.
const PER_COLUMN: usize = 4;

fn outcome_of(
    of: Variables,
    way: Way,
    text: &[u8],
    options: &ReadOptions,
) -> Result<Vec<String>, String> {
    let bytes = Arc::new(text.to_vec());
    let read = read_by(way, Path::new("x.csv"), &bytes, of, options, &Unwatched);
    let read = read.map_err(|error| format!("{error:?}"))?;
    Ok(found_in(&read))
}

/// The same of a text that is read into a store, in stretches of so many bytes and blocks of so many records; none where
/// it is to be read as a whole.
fn outcome_in_store(
    of: Variables,
    text: &[u8],
    options: &ReadOptions,
    (n_bytes, block_records): (usize, usize),
) -> Option<Result<Vec<String>, String>> {
    let folder = tempfile::tempdir().expect("a folder for the store");
    let store = Store::with_blocks(folder.path(), block_records).expect("a store");
    let mut file = std::io::Cursor::new(text);
    let path = Path::new("x.csv");
    let size = (n_bytes, text.len() as u64, of);
    let read = stream::read_by(size, path, &mut file, options, &store, &Unwatched);
    let (read, fingerprint) = match read {
        Ok(read) => read?,
        Err(error) => return Some(Err(format!("{error:?}"))),
    };
    assert_eq!(fingerprint, crate::Fingerprint::of_bytes(text));
    assert!(read.table.is_stored() || read.table.columns().is_empty());
    // Some records at a time they are what they are together.
    let n = read.table.n_records();
    for column in read.table.columns() {
        let parts = (0..n).step_by(501).map(|first| {
            let part = column
                .slice(first..n.min(first + 501))
                .expect("it can be read");
            written(&part)
        });
        assert_eq!(parts.collect::<String>(), written(column));
    }
    Some(Ok(found_in(&read)))
}

fn found_in(read: &ReadText) -> Vec<String> {
    let mut found = vec![format!(
        "{:?} {:?} {:?} {}",
        read.style,
        read.remarks,
        read.shown_marks,
        read.table.n_records()
    )];
    for column in read.table.columns() {
        // Texts first: a column that waits gives them without being read.
        found.push(written(column));
        let n_missing = column.n_missing();
        found.push(content(column));
        found.push(written(column));
        assert_eq!(column.n_missing(), n_missing);
        found.push(n_missing.to_string());
    }
    found
}

fn written(column: &Column) -> String {
    let mut out = String::new();
    for record in 0..column.len() {
        column.write_text(record, DecimalMark::Point, &mut out);
        out.push('|');
    }
    out
}

fn content(column: &Column) -> String {
    let values = match column.values() {
        Values::Numeric(values) => {
            let bits: Vec<u64> = values.iter().map(|value| value.to_bits()).collect();
            format!("{bits:?}")
        }
        Values::Categorical(categorical) => {
            let levels: Vec<&str> = categorical.levels.iter().collect();
            format!("{:?} {levels:?}", categorical.codes)
        }
    };
    format!(
        "{:?} {values} {:?} {:?} {:?}",
        column.attribute(),
        column.missing(),
        column.number_text(),
        column.exact().map(|exact| &exact.codes)
    )
}

fn options(decimal: Option<DecimalMark>, first: Kind) -> ReadOptions {
    ReadOptions {
        schema: Schema {
            attributes: vec![
                Attribute::new("a", Role::Sensitive, first),
                Attribute::new("b", Role::Key, Kind::Ordered),
            ],
            ..Schema::default()
        },
        decimal,
        ..ReadOptions::default()
    }
}

fn field() -> impl Strategy<Value = String> {
    let usual = prop::sample::select(vec![
        "",
        "NA",
        "1",
        "-7",
        "2.50",
        "12.5",
        "1.234",
        "007",
        "x",
        "north",
        "é",
        "2003.02",
        "1e3",
        "a text that is longer than most",
        "\"1\"",
        "\"\"",
        "9007199254740993",
    ]);
    let odd = prop::sample::select(vec![
        "\"x,y\"",
        "\"x\"\"y\"",
        "\"line\nbreak\"",
        "\"two\r\nlines\n\"",
        "5\" pipe",
        "\"x\" y",
        "\"1,5\"",
        "\"1,234\"",
        "2001-02-03",
        "\"\"\"\"",
        "a\"b\"",
        " 5 ",
        "\"x\"\"",
        "z\u{a0}",
    ]);
    prop_oneof![8 => usual, 1 => odd].prop_map(str::to_owned)
}

fn table() -> impl Strategy<Value = String> {
    let record = prop_oneof![
        20 => prop::collection::vec(field(), 4),
        1 => prop::collection::vec(field(), 0..6),
    ];
    let line_end =
        prop_oneof![30 => Just("\n"), 10 => Just("\r\n"), 1 => Just("\n\n"), 1 => Just("\r")];
    let lines = prop::collection::vec((record, line_end), 0..40);
    let header = prop::sample::select(vec![
        "a,b,c,d\n",
        "a,\"b\",c,d\r\n",
        "\n\na,b,c,d\n",
        "a,b,c\n",
    ]);
    (header, lines, any::<bool>()).prop_map(|(header, lines, ends)| {
        let mut text = header.to_owned();
        for (fields, end) in lines {
            text += &fields.join(",");
            text += end;
        }
        if !ends {
            text.truncate(text.trim_end_matches(['\n', '\r']).len());
        }
        text
    })
}

fn compare(text: &str, options: &ReadOptions, n_bytes: usize) -> Result<(), TestCaseError> {
    let plain = outcome(Way::Plain, text.as_bytes(), options);
    let pieces = outcome(Way::Pieces(n_bytes), text.as_bytes(), options);
    prop_assert_eq!(plain, pieces);
    Ok(())
}

fn mark() -> impl Strategy<Value = Option<DecimalMark>> {
    prop::sample::select(vec![
        None,
        Some(DecimalMark::Point),
        Some(DecimalMark::Comma),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn tables_are_the_same_in_pieces(
        text in table(), mark in mark(), n_bytes in 1_usize..200, numbers in any::<bool>()
    ) {
        let first = if numbers { Kind::Continuous } else { Kind::Unordered };
        compare(&text, &options(mark, first), n_bytes)?;
    }

    #[test]
    fn described_variables_are_those_of_the_whole_file(
        text in table(), mark in mark(), n_bytes in 1_usize..200, numbers in any::<bool>()
    ) {
        let first = if numbers { Kind::Continuous } else { Kind::Unordered };
        let options = options(mark, first);
        // The described ones come first.
        let whole = outcome(Way::Plain, text.as_bytes(), &options);
        let whole = whole.map(|found| found[..=2 * PER_COLUMN].to_vec());
        for way in [Way::Plain, Way::Pieces(n_bytes)] {
            let described = outcome_of(Variables::Described, way, text.as_bytes(), &options);
            prop_assert_eq!(&described, &whole);
        }
    }

    #[test]
    fn any_text_is_the_same_in_pieces(
        text in "a,b(,c)?\n[a1,.\"\n]{0,80}|a,b\r?\n([a1,\"é]{0,9}\r?\n){0,20}", n_bytes in 1_usize..40
    ) {
        compare(&text, &options(None, Kind::Unordered), n_bytes)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn tables_are_the_same_in_a_store(
        text in table(), other in table(), mark in mark(), n_bytes in 1_usize..20_000,
        block in 1_usize..900, numbers in any::<bool>()
    ) {
        let first = if numbers { Kind::Continuous } else { Kind::Unordered };
        let options = options(mark, first);
        // The start of a text is looked at as a whole, so that it must be longer to come in stretches.
        let header = text.trim_start().find('\n').map_or(text.len(), |end| {
            end + 1 + text.len() - text.trim_start().len()
        });
        let (header, body) = text.split_at(header);
        let n_times = 70_000 / body.len().max(1) + 1;
        let others = other.split_once('\n').map_or("", |(_, body)| body);
        let text = format!("{header}{}{others}", body.repeat(n_times.min(3_000)));
        for of in [Variables::All, Variables::Described] {
            let text = text.as_bytes();
            if let Some(stored) = outcome_in_store(of, text, &options, (n_bytes, block)) {
                prop_assert_eq!(stored, outcome_of(of, Way::Plain, text, &options));
            }
        }
    }
}

/// A column of texts that mostly are numbers, one to a line.
fn numbers_mostly() -> impl Strategy<Value = String> {
    let decimals = prop::sample::select(vec![0_usize, 1, 2, 5]);
    let odd = prop::sample::select(vec![
        "",
        "NA",
        "-0",
        "007",
        "1e3",
        " 5 ",
        "\"1,234.5\"",
        "\"1,5\"",
        "9007199254740993",
        "x",
    ]);
    let number = (-1e6_f64..1e6, decimals).prop_map(|(value, n)| format!("{value:.n$}"));
    let same = (-1e6_f64..1e6).prop_map(|value| format!("{value:.2}"));
    let texts = prop_oneof![
        prop::collection::vec(same, 0..30),
        prop::collection::vec(
            prop_oneof![20 => number, 1 => odd.prop_map(str::to_owned)],
            0..30
        ),
    ];
    texts.prop_map(|texts| {
        texts
            .iter()
            .fold("c,d\n".to_owned(), |all, text| all + text + ",1\n")
    })
}

/// What a column of numbers holds, but for how its texts are kept.
fn but_for_texts(column: &Column) -> String {
    let exact = column.exact().map(|exact| exact.codes.clone());
    let (values, missing) = (column.values(), column.missing());
    format!("{:?} {values:?} {missing:?} {exact:?}", column.attribute())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn numbers_in_a_store_are_those_in_memory(
        text in numbers_mostly(), mark in mark(), block in 1_usize..9, infinite in any::<bool>()
    ) {
        let mark = mark.unwrap_or_default();
        let options = ReadOptions { decimal: Some(mark), ..ReadOptions::default() };
        let text = if infinite { text + "1e999,1\n" } else { text };
        let folder = tempfile::tempdir().expect("a folder for the store");
        let store = Store::with_blocks(folder.path(), block).expect("a store");
        let (path, of) = (Path::new("x.csv"), Variables::All);
        let mut file = std::io::Cursor::new(text.as_bytes());
        let size = (1 << 16, text.len() as u64, of);
        let stored = stream::read_by(size, path, &mut file, &options, &store, &Unwatched);
        let bytes = Arc::new(text.clone().into_bytes());
        let whole = read_by(Way::Plain, path, &bytes, of, &options, &Unwatched);
        let (Ok(Some((stored, _))), Ok(whole)) = (stored, whole) else {
            return Ok(());
        };
        for (stored, whole) in stored.table.columns().iter().zip(whole.table.columns()) {
            let in_store = store.read_as_numbers(stored, mark).expect("the disk is sound");
            let in_memory = whole.read_as_numbers(mark);
            prop_assert_eq!(in_store.is_some(), in_memory.is_some());
            if let (Some(in_store), Some(in_memory)) = (in_store, in_memory) {
                prop_assert!(in_store.is_stored());
                prop_assert_eq!(written(&in_store), written(&in_memory));
                prop_assert_eq!(but_for_texts(&in_store), but_for_texts(&in_memory));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn numbers_are_the_same_at_once_and_through_categories(text in numbers_mostly(), mark in mark()) {
        let mark = mark.unwrap_or_default();
        let options = ReadOptions { decimal: Some(mark), ..ReadOptions::default() };
        let bytes = Arc::new(text.into_bytes());
        let read = || {
            read_by(Way::Pieces(50), Path::new("x.csv"), &bytes, Variables::All, &options, &Unwatched)
        };
        let (waiting, looked_at) = (read(), read());
        let (Ok(waiting), Ok(looked_at)) = (waiting, looked_at) else {
            return Ok(());
        };
        let columns = waiting.table.columns().iter().zip(looked_at.table.columns());
        for (waiting, looked_at) in columns {
            let at_once = waiting.read_as_numbers(mark);
            let through = looked_at.parsed_as_numbers(mark);
            prop_assert_eq!(at_once.is_some(), through.is_some());
            let (Some(at_once), Some(through)) = (at_once, through) else {
                continue;
            };
            prop_assert_eq!(written(&at_once), written(&through));
            prop_assert_eq!(but_for_texts(&at_once), but_for_texts(&through));
        }
    }
}
