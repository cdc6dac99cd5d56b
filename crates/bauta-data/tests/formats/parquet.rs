//! Parquet and Arrow, both ways.

use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Date64Array, Decimal128Array,
    DictionaryArray, Float32Array, Float64Array, Int8Array, Int32Array, Int64Array,
    LargeStringArray, ListArray, NullArray, StringArray, StringViewArray, Time64MicrosecondArray,
    TimestampMicrosecondArray, TimestampNanosecondArray, TimestampSecondArray, UInt64Array,
};
use arrow_schema::DataType;
use arrow_schema::DataType::{Float64, Int64, Utf8};
use bauta_data::format::{ReadOptions, from_record_batches, to_record_batch};
use bauta_data::missing::MissingCause;
use bauta_data::{Attribute, DataError, Kind, MissingRules, Role, Table};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use proptest::prelude::*;

use crate::{cells, declared, number, read, write_parquet, write_text};

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

fn from_batch(batch: &RecordBatch, options: &ReadOptions) -> Result<Table, DataError> {
    let batches = std::slice::from_ref(batch);
    from_record_batches(Path::new("x.parquet"), &batch.schema(), batches, options)
}

fn parquet_of(batch: &RecordBatch, properties: Option<WriterProperties>) -> Vec<u8> {
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), properties).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

/// Texts that a file stores as numbers in a list are read as such where its groups are large, and otherwise one by one.
#[test]
fn texts_in_lists_are_what_they_are_one_by_one() {
    const N: usize = 150_000;
    let few = (0..N).map(|row| match row % 7 {
        0 => None,
        1 => Some(""),
        2 => Some("NA"),
        // Only the second group has this one, and in both groups codes come in another order.
        3 if row > 100_000 => Some("late"),
        n if (n + row / 90_000) % 2 == 0 => Some("é"),
        _ => Some("b"),
    });
    let few: StringArray = few.collect();
    let nothing: StringArray = (0..N).map(|_| None::<&str>).collect();
    let many: StringArray = (0..N).map(|row| Some(format!("t{row}"))).collect();
    let batch = batch(vec![
        ("few", Arc::new(few)),
        ("nothing", Arc::new(nothing)),
        ("many", Arc::new(many)),
    ]);
    let plain = from_batch(&batch, &ReadOptions::default()).unwrap();
    for group_rows in [90_000, 5_000, N] {
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(group_rows));
        let bytes = parquet_of(&batch, Some(properties.build()));
        let found = read("x.parquet", &bytes, &ReadOptions::default()).unwrap();
        for (column, expected) in found.table.columns().iter().zip(plain.columns()) {
            let (ours, theirs) = (column.as_categorical(), expected.as_categorical());
            let (ours, theirs) = (ours.unwrap(), theirs.unwrap());
            let n_levels = ours.levels.len();
            assert!(
                ours.levels.iter().eq(theirs.levels.iter()),
                "{n_levels} levels"
            );
            assert!(ours.codes == theirs.codes, "{}", column.name());
            assert_eq!(column.n_missing(), expected.n_missing());
            assert_eq!(column.arrow_type(), Some(&Utf8));
        }
    }
}

/// A column of every type that can be read, with nulls.
fn every_type() -> RecordBatch {
    let mut columns = numbers();
    columns.extend(words());
    columns.extend(instants());
    batch(columns)
}

/// An array of the cells given, the second of which is null.
macro_rules! array {
    ($type:ident: $first:expr, null, $third:expr, $fourth:expr) => {
        $type::from(vec![Some($first), None, Some($third), Some($fourth)])
    };
}

fn numbers() -> Vec<(&'static str, ArrayRef)> {
    let decimals = array!(Decimal128Array: 150, null, -5, 100_000);
    let decimals = decimals.with_precision_and_scale(9, 2).unwrap();
    vec![
        ("i8", Arc::new(array!(Int8Array: -128, null, 0, 127))),
        ("i32", Arc::new(array!(Int32Array: 1, null, -2, 3))),
        (
            "i64",
            Arc::new(array!(Int64Array: i64::MAX, null, i64::MIN, 1)),
        ),
        ("u64", Arc::new(array!(UInt64Array: u64::MAX, null, 0, 1))),
        ("f32", Arc::new(array!(Float32Array: 0.1, null, -2.5, 1e30))),
        ("f64", Arc::new(array!(Float64Array: 0.1, null, 3.0, 1e300))),
        ("decimal", Arc::new(decimals)),
    ]
}

fn words() -> Vec<(&'static str, ArrayRef)> {
    let keys: DictionaryArray<Int8Type> = [Some("a"), None, Some("b"), Some("007")]
        .into_iter()
        .collect();
    vec![
        (
            "bool",
            Arc::new(array!(BooleanArray: true, null, false, true)),
        ),
        ("utf8", Arc::new(array!(StringArray: "a", null, "b", "007"))),
        (
            "large",
            Arc::new(array!(LargeStringArray: "a", null, "b", "007")),
        ),
        (
            "view",
            Arc::new(array!(StringViewArray: "a", null, "b", "007")),
        ),
        ("dictionary", Arc::new(keys)),
        ("nothing", Arc::new(NullArray::new(4))),
    ]
}

fn instants() -> Vec<(&'static str, ArrayRef)> {
    let micros = array!(TimestampMicrosecondArray: 0, null, -1, 1_700_000_000_123_456);
    let nanos = array!(TimestampNanosecondArray: 0, null, -1, 1_700_000_000_123_456);
    vec![
        ("date", Arc::new(array!(Date32Array: 0, null, -1, 19_000))),
        (
            "date64",
            Arc::new(array!(Date64Array: 86_400_000, null, 0, 0)),
        ),
        (
            "second",
            Arc::new(array!(TimestampSecondArray: 0, null, -1, 1)),
        ),
        ("instant", Arc::new(micros.clone())),
        ("utc", Arc::new(micros.with_timezone("UTC"))),
        ("zone", Arc::new(nanos.with_timezone("Europe/Berlin"))),
        (
            "time",
            Arc::new(array!(Time64MicrosecondArray: 1, null, 0, 5)),
        ),
    ]
}

#[test]
fn untouched_columns_keep_type_and_values() {
    let source = every_type();
    let names = ["i8", "i32", "i64", "u64", "f32", "f64", "decimal"];
    for options in [ReadOptions::default(), declared(names.map(number).to_vec())] {
        let table = from_batch(&source, &options).unwrap();
        assert_eq!(to_record_batch(&table).unwrap(), source);
        let loaded = read("x.parquet", &write_parquet(&table), &options).unwrap();
        let back = to_record_batch(&loaded.table).unwrap();
        // Parquet has no seconds; everything else comes back as it was.
        for (attr_idx, field) in source.schema().fields().iter().enumerate() {
            if field.name() != "second" {
                assert_eq!(
                    back.column(attr_idx),
                    source.column(attr_idx),
                    "{}",
                    field.name()
                );
            }
        }
    }
}

#[test]
fn typed_values_become_texts_and_numbers() {
    let source = every_type();
    let table = from_batch(&source, &declared(vec![number("i64"), number("decimal")])).unwrap();
    assert_eq!(
        cells(&table, "i64"),
        ["9223372036854775807", "", "-9223372036854775808", "1"]
    );
    let text_is = |name: &str, texts: [&str; 4]| assert_eq!(cells(&table, name), texts, "{name}");
    text_is("u64", ["18446744073709551615", "", "0", "1"]);
    text_is("decimal", ["1.50", "", "-0.05", "1000.00"]);
    text_is(
        "f32",
        ["0.1", "", "-2.5", "1000000000000000000000000000000"],
    );
    text_is("bool", ["true", "", "false", "true"]);
    text_is("dictionary", ["a", "", "b", "007"]);
    text_is("date", ["1970-01-01", "", "1969-12-31", "2022-01-08"]);
    text_is(
        "instant",
        [
            "1970-01-01T00:00:00",
            "",
            "1969-12-31T23:59:59.999999",
            "2023-11-14T22:13:20.123456",
        ],
    );
    text_is(
        "utc",
        [
            "1970-01-01T00:00:00Z",
            "",
            "1969-12-31T23:59:59.999999Z",
            "2023-11-14T22:13:20.123456Z",
        ],
    );
    assert_eq!(
        table
            .column_named("i64")
            .unwrap()
            .missing_mark(1)
            .unwrap()
            .cause,
        MissingCause::Source
    );
    let decimal = table.column_named("decimal").unwrap();
    assert_eq!(decimal.number_text().decimals, 2);
    assert_eq!(table.column_named("nothing").unwrap().n_missing(), 4);
}

#[test]
fn floats_that_pass_through_as_texts_keep_their_bits() {
    let values = [
        0.0,
        -0.0,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        1e-10,
        5e-324,
        0.1 + 0.2,
    ];
    let source = batch(vec![(
        "f",
        Arc::new(Float64Array::from(values.to_vec())) as ArrayRef,
    )]);
    let table = from_batch(&source, &ReadOptions::default()).unwrap();
    let back = to_record_batch(&table).unwrap();
    let back = back.column(0).as_any().downcast_ref::<Float64Array>();
    let bits = |value: &f64| value.to_bits();
    let back: Vec<u64> = back.unwrap().values().iter().map(bits).collect();
    assert_eq!(back, values.iter().map(bits).collect::<Vec<_>>());
}

#[test]
fn masked_columns_have_the_type_that_fits() {
    let source = every_type();
    let options = declared(vec![number("i32"), number("f64"), number("i8")]);
    let table = from_batch(&source, &options).unwrap();
    let mask = |table: &Table, name: &str, values: Vec<f64>| {
        let attr_idx = table.index_of(name).unwrap();
        table.with_column(attr_idx, table.column(attr_idx).with_numbers(values))
    };
    let masked = mask(&table, "i32", vec![7.0, 0.0, 8.0, -9.0]);
    let masked = mask(&masked, "i8", vec![7.5, 0.0, 8.0, -9.0]);
    let masked = mask(&masked, "f64", vec![7.0, 0.0, 8.0, 9.0]);
    let utf8 = masked.index_of("dictionary").unwrap();
    let masked = masked.with_column(utf8, masked.column(utf8).suppress(&[0]));
    let released = to_record_batch(&masked).unwrap();
    let column = |name: &str| Arc::clone(released.column_by_name(name).unwrap());
    let i32: ArrayRef = Arc::new(Int64Array::from(vec![Some(7), None, Some(8), Some(-9)]));
    assert_eq!(&column("i32"), &i32);
    let i8: ArrayRef = Arc::new(Float64Array::from(vec![
        Some(7.5),
        None,
        Some(8.0),
        Some(-9.0),
    ]));
    assert_eq!(&column("i8"), &i8);
    // Whole numbers by chance do not turn a column of floats into one of integers.
    assert_eq!(column("f64").data_type(), &DataType::Float64);
    let words: ArrayRef = Arc::new(StringArray::from(vec![None, None, Some("b"), Some("007")]));
    assert_eq!(&column("dictionary"), &words);
}

#[test]
fn missing_rules_hold_and_codes_are_written_back() {
    let source = batch(vec![
        (
            "x",
            Arc::new(Int64Array::from(vec![Some(-9), None, Some(5), Some(-8)])) as ArrayRef,
        ),
        (
            "f",
            Arc::new(Float64Array::from(vec![
                Some(-9.0),
                None,
                Some(f64::NAN),
                Some(1.5),
            ])),
        ),
        (
            "s",
            Arc::new(StringArray::from(vec![
                Some("NA"),
                None,
                Some("ok"),
                Some("-9"),
            ])),
        ),
    ]);
    let mut options = declared(vec![number("x"), number("f")]);
    options.schema.missing = MissingRules {
        texts: vec!["NA".to_owned(), "-8".to_owned()],
        codes: vec![("-9".to_owned(), "refused".to_owned())],
    };
    let table = from_batch(&source, &options).unwrap();
    let refused = MissingCause::User("refused".to_owned());
    for name in ["x", "f"] {
        let column = table.column_named(name).unwrap();
        assert_eq!(column.missing_mark(0).unwrap().cause, refused);
        assert_eq!(column.n_missing(), 3, "{name}");
    }
    let again = to_record_batch(&table).unwrap();
    assert_eq!(again.column(0), source.column(0));
    assert_eq!(again.column(2), source.column(2));
    let floats = again
        .column(1)
        .as_any()
        .downcast_ref::<Float64Array>()
        .unwrap();
    assert_eq!(floats.value(0).to_bits(), (-9.0_f64).to_bits());
    assert!(floats.is_null(1) && floats.value(2).is_nan());
    // After a mask only the declared code is left; what the source lacked is null.
    let masked = table.with_column(0, table.column(0).with_numbers(vec![0.0, 0.0, 6.0, 0.0]));
    let masked = to_record_batch(&masked).unwrap();
    let expected: ArrayRef = Arc::new(Int64Array::from(vec![Some(-9), None, Some(6), None]));
    assert_eq!(masked.column(0), &expected);
}

#[test]
fn text_to_parquet_and_back() {
    let options = declared(["whole", "big", "dec", "coded"].map(number).to_vec());
    let text = "id,whole,big,dec,coded,word\n\
                007,1,9007199254740993,1.5,-9,\"a\nb\"\n\
                08,-20,1,0.25,0.5,\n\
                9,,-3,,,é\n";
    let mut options = options;
    options.schema.missing.codes = vec![("-9".to_owned(), "refused".to_owned())];
    let table = read("x.csv", text.as_bytes(), &options).unwrap().table;
    let bytes = write_parquet(&table);
    let loaded = read("x.parquet", &bytes, &options).unwrap();
    let types: Vec<DataType> = to_record_batch(&loaded.table)
        .unwrap()
        .schema()
        .fields()
        .iter()
        .map(|field| field.data_type().clone())
        .collect();
    assert_eq!(types, [Utf8, Int64, Int64, Float64, Float64, Utf8]);
    assert_eq!(loaded.table.column_named("coded").unwrap().n_missing(), 2);
    let back = write_text(&loaded.table, loaded.style);
    assert_eq!(String::from_utf8(back).unwrap(), text);
    assert_eq!(write_parquet(&loaded.table), bytes);
}

#[test]
fn types_that_cannot_be_read_are_named() {
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1)])]);
    let source = batch(vec![
        ("children", Arc::new(list) as ArrayRef),
        ("photo", Arc::new(BinaryArray::from(vec![&b"s3cret"[..]]))),
        ("born", Arc::new(BooleanArray::from(vec![true]))),
        ("dup", Arc::new(Int8Array::from(vec![1]))),
    ]);
    let error = from_batch(&source, &declared(vec![number("born"), number("absent")])).unwrap_err();
    let named: Vec<_> = error
        .problems
        .iter()
        .filter_map(|p| p.variable.as_deref())
        .collect();
    assert_eq!(named, ["absent", "children", "photo", "born"]);
    assert!(
        error.problems[1].message.contains("nested type list"),
        "{error}"
    );
    assert!(
        error.problems[1].hint.contains("column of its own"),
        "{error}"
    );
    assert!(!error.to_string().contains("s3cret"));
}

#[test]
fn dates_are_numbers_of_days_where_numbers_are_meant_and_stay_dates() {
    let days = [Some(18_355), None, Some(-1)];
    let instants = [Some(1_000_000), Some(0), Some(-86_400_000_000)];
    let source = batch(vec![
        (
            "born",
            Arc::new(Date32Array::from(days.to_vec())) as ArrayRef,
        ),
        (
            "seen",
            Arc::new(TimestampMicrosecondArray::from(instants.to_vec())),
        ),
    ]);
    let options = declared(vec![number("born"), number("seen")]);
    let table = from_batch(&source, &options).unwrap();
    assert_eq!(table.column(0).as_numeric().map(|x| x[0]), Some(18_355.0));
    assert_eq!(table.column(1).as_numeric().map(|x| x[2]), Some(-1.0));
    assert_eq!(to_record_batch(&table).unwrap(), source);
    let moved = table.column(0).with_numbers(vec![0.6, 0.0, 2.2]);
    let later = table.column(1).with_numbers(vec![0.5, 0.0, 0.0]);
    let masked = table.with_column(0, moved).with_column(1, later);
    let released = to_record_batch(&masked).unwrap();
    let born = released
        .column(0)
        .as_any()
        .downcast_ref::<Date32Array>()
        .unwrap();
    assert_eq!(born.iter().collect::<Vec<_>>(), [Some(1), None, Some(2)]);
    let seen = released
        .column(1)
        .as_any()
        .downcast_ref::<TimestampMicrosecondArray>()
        .unwrap();
    assert_eq!(seen.value(0), 43_200_000_000);
}

#[test]
fn wrong_cells_are_named_by_their_record() {
    let words = StringArray::from(vec![Some("1,5"), Some("2"), Some("s3cret")]);
    let floats = Float64Array::from(vec![Some(f64::INFINITY), Some(1.0), None]);
    let source = batch(vec![
        ("x", Arc::new(words) as ArrayRef),
        ("w", Arc::new(floats)),
    ]);
    let weight = Attribute::new("w", Role::Weight, Kind::Continuous);
    let error = from_batch(&source, &declared(vec![number("x"), weight])).unwrap_err();
    let messages: Vec<_> = error.problems.iter().map(|p| p.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "record 1: is not a number",
            "record 3: is not a number",
            "record 1: the number is infinite",
            "record 3: the weight is missing",
        ]
    );
    assert!(!error.to_string().contains("s3cret"));
}

#[test]
fn batches_of_another_schema_are_refused() {
    let one = batch(vec![("a", Arc::new(Int8Array::from(vec![1])) as ArrayRef)]);
    let other = batch(vec![("a", Arc::new(Int64Array::from(vec![1])) as ArrayRef)]);
    let batches = [one.clone(), other];
    let options = ReadOptions::default();
    let path = Path::new("x");
    assert!(from_record_batches(path, &one.schema(), &batches, &options).is_err());
    let empty = from_record_batches(path, &one.schema(), &[], &options).unwrap();
    assert_eq!(empty.n_records(), 0);
    assert_eq!(to_record_batch(&empty).unwrap().schema(), one.schema());
}

#[test]
fn other_compressions_are_named() {
    let source = batch(vec![("a", Arc::new(Int8Array::from(vec![1])) as ArrayRef)]);
    let zstd = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default()));
    assert!(
        read(
            "x.parquet",
            &parquet_of(&source, Some(zstd.build())),
            &ReadOptions::default()
        )
        .is_ok()
    );
    // This build cannot write gzip either. In the footer a codec is a number, doubled: snappy is 2
    // and gzip 4, so one of the twos below is the codec of the only column.
    let snappy = WriterProperties::builder().set_compression(Compression::SNAPPY);
    let sound = parquet_of(&source, Some(snappy.build()));
    let mut messages = Vec::new();
    for position in (0..sound.len()).filter(|&position| sound[position] == 2) {
        let mut bytes = sound.clone();
        bytes[position] = 4;
        if let Err(error) = read("x.parquet", &bytes, &ReadOptions::default()) {
            messages.extend(error.problems);
        }
    }
    let gzip = messages
        .iter()
        .find(|problem| problem.message.contains("GZIP"))
        .unwrap();
    assert_eq!(gzip.variable.as_deref(), Some("a"));
    assert!(gzip.hint.contains("snappy"));
}

#[test]
fn damaged_files_are_errors() {
    let sound = parquet_of(&every_type(), None);
    let message = |bytes: &[u8]| {
        let error = read("x.parquet", bytes, &ReadOptions::default()).unwrap_err();
        error.problems[0].message.clone()
    };
    assert!(message(b"").contains("empty"));
    assert!(message(b"a,b\n1,2\n").contains("not a Parquet file"));
    assert!(message(b"PAR1").contains("damaged"));
    assert!(message(&sound[..sound.len() / 2]).contains("damaged"));
    assert!(message(&sound[..sound.len() - 1]).contains("damaged"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn damage_anywhere_never_panics(position in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = parquet_of(&every_type(), None);
        let position = position.index(bytes.len());
        bytes[position] = byte;
        // A flipped byte within a value cannot be told; anything else is an error.
        let _ = read("x.parquet", &bytes, &ReadOptions::default());
    }

    #[test]
    fn any_table_comes_back_through_parquet(
        numbers in prop::collection::vec(prop::option::of(-1e12..1e12_f64), 1..20),
        seed in any::<u64>(),
    ) {
        let words: Vec<Option<String>> = numbers.iter().enumerate().map(|(record, number)| {
            number.map(|_| format!("w{}", seed.rotate_left(record as u32) % 5))
        }).collect();
        let source = batch(vec![
            ("x", Arc::new(Float64Array::from(numbers)) as ArrayRef),
            ("s", Arc::new(StringArray::from(words))),
        ]);
        let options = declared(vec![number("x")]);
        let loaded = read("x.parquet", &parquet_of(&source, None), &options).unwrap();
        let again = read("x.parquet", &write_parquet(&loaded.table), &options).unwrap();
        prop_assert_eq!(to_record_batch(&again.table).unwrap(), source);
    }
}

/// The levels and codes of a column, and which cells are missing.
fn categories(table: &Table, name: &str) -> (Vec<String>, Vec<Option<u32>>) {
    let column = table.column_named(name).unwrap();
    let found = column.as_categorical().unwrap();
    let code = |record: usize| (!column.is_missing(record)).then_some(found.codes.at(record));
    let levels = found.levels.iter().map(str::to_owned).collect();
    (levels, (0..column.len()).map(code).collect())
}

proptest! {
    /// Numbers and dictionaries become categories without a text per cell, and are those that texts give.
    #[test]
    fn typed_categories_are_those_of_their_texts(
        whole in prop::collection::vec(prop::option::of(prop_oneof![-3_i64..3, any::<i64>()]), 1..60),
        split in 0_usize..60,
    ) {
        let texts: Vec<Option<String>> =
            whole.iter().map(|cell| cell.map(|value| value.to_string())).collect();
        let words: StringArray = texts.iter().map(Option::as_deref).collect();
        let packed: DictionaryArray<Int32Type> = texts.iter().map(Option::as_deref).collect();
        let columns = batch(vec![
            ("text", Arc::new(words) as ArrayRef),
            ("whole", Arc::new(Int64Array::from(whole)) as ArrayRef),
            ("packed", Arc::new(packed) as ArrayRef),
        ]);
        let split = split.min(columns.num_rows());
        let parts = [columns.slice(0, split), columns.slice(split, columns.num_rows() - split)];
        let keys = ["text", "whole", "packed"].map(|name| Attribute::new(name, Role::Key, Kind::Unordered));
        for options in [ReadOptions::default(), declared(keys.to_vec())] {
            let path = Path::new("x.parquet");
            let table = from_record_batches(path, &columns.schema(), &parts, &options).unwrap();
            let expected = categories(&table, "text");
            prop_assert_eq!(&categories(&table, "whole"), &expected);
            prop_assert_eq!(&categories(&table, "packed"), &expected);
        }
    }
}
