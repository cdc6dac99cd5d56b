//! Numbers with more digits than a double holds: read, moved, written, in text and Parquet.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Int64Type, UInt64Type};
use arrow_array::{ArrayRef, Decimal128Array, Int64Array, RecordBatch, UInt64Array};
use arrow_schema::DataType;
use bauta_data::decimal::Decimal;
use bauta_data::format::{TextStyle, from_record_batches, to_record_batch};
use bauta_data::number::number_text;
use bauta_data::{MissingRules, Table};
use proptest::prelude::*;

use crate::{cells, declared, number, read, write_parquet, write_text};

fn text_file(texts: &[String]) -> Table {
    let bytes = format!("x\n{}\n", texts.join("\n"));
    let options = declared(vec![number("x")]);
    read("x.csv", bytes.as_bytes(), &options).unwrap().table
}

fn arrow_file(array: ArrayRef) -> Table {
    let batch = RecordBatch::try_from_iter_with_nullable([("x", array, true)]).unwrap();
    let (path, options) = (Path::new("x.parquet"), declared(vec![number("x")]));
    let batches = std::slice::from_ref(&batch);
    from_record_batches(path, &batch.schema(), batches, &options).unwrap()
}

fn reversed(table: &Table) -> Table {
    let column = table.column(0);
    let donors: Vec<u32> = (0..column.len() as u32).rev().collect();
    table.with_column(0, column.moved(&donors))
}

fn canonical(texts: &[String]) -> Vec<String> {
    let text = |text: &String| Decimal::parse(text).unwrap().text();
    texts.iter().map(text).collect()
}

/// The same of the doubles that texts of up to 17 digits name, each in its shortest spelling: that is all that
/// a column keeps of such texts once they are moved.
fn of_doubles(texts: &[String]) -> Vec<String> {
    let doubles = texts.iter().map(|text| text.parse::<f64>().unwrap());
    canonical(&doubles.map(number_text).collect::<Vec<_>>())
}

#[test]
fn whole_numbers_of_64_bits_keep_their_type_and_digits() {
    let signed = vec![i64::MAX, i64::MIN, 9_007_199_254_740_993, 1];
    let table = arrow_file(Arc::new(Int64Array::from(signed.clone())));
    assert!(table.column(0).exact().is_some());
    let batch = to_record_batch(&reversed(&table)).unwrap();
    let moved: Vec<i64> = batch
        .column(0)
        .as_primitive::<Int64Type>()
        .values()
        .to_vec();
    assert_eq!(moved, signed.into_iter().rev().collect::<Vec<_>>());

    let unsigned = vec![u64::MAX, 0, u64::MAX - 1];
    let table = arrow_file(Arc::new(UInt64Array::from(unsigned.clone())));
    let batch = to_record_batch(&reversed(&table)).unwrap();
    let moved: Vec<u64> = batch
        .column(0)
        .as_primitive::<UInt64Type>()
        .values()
        .to_vec();
    assert_eq!(moved, unsigned.into_iter().rev().collect::<Vec<_>>());
}

#[test]
fn decimals_keep_their_type_and_digits() {
    let units = vec![Some(12_345_678_901_234_567_890_123_i128), None, Some(-1)];
    let decimals = Decimal128Array::from(units.clone());
    let decimals = decimals.with_precision_and_scale(30, 4).unwrap();
    let table = arrow_file(Arc::new(decimals));
    let donors = table.with_column(0, table.column(0).moved(&[2, 1, 0]));
    let batch = to_record_batch(&donors).unwrap();
    assert_eq!(batch.column(0).data_type(), &DataType::Decimal128(30, 4));
    let moved: Vec<Option<i128>> = batch
        .column(0)
        .as_primitive::<Decimal128Type>()
        .iter()
        .collect();
    assert_eq!(moved, units.into_iter().rev().collect::<Vec<_>>());
}

#[test]
fn text_becomes_the_narrowest_type_that_keeps_all_digits() {
    let type_of = |texts: &[&str]| {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        let table = text_file(&texts);
        let written = write_parquet(&table);
        let again = read("x.parquet", &written, &declared(vec![number("x")]));
        assert_eq!(
            canonical(&cells(&again.unwrap().table, "x")),
            canonical(&texts)
        );
        let batch = to_record_batch(&table).unwrap();
        batch.column(0).data_type().clone()
    };
    assert_eq!(type_of(&["9007199254740993", "+1"]), DataType::Int64);
    assert_eq!(type_of(&["18446744073709551615", "01"]), DataType::UInt64);
    let decimal = DataType::Decimal128(24, 4);
    assert_eq!(
        type_of(&["12345678901234567890.5", "-0.1250"]),
        DataType::Decimal128(23, 3)
    );
    assert_eq!(type_of(&["12345678901234567890.5", "-0.1255"]), decimal);
    // 16 digits before the mark and 8 behind it, where our own spelling has an exponent.
    assert_eq!(
        type_of(&["9007199254740993", "1e-8"]),
        DataType::Decimal128(24, 8)
    );
    let long = "1".repeat(50);
    assert_eq!(type_of(&[&long, "2"]), DataType::Decimal256(50, 0));
    assert_eq!(type_of(&["1.2345678901234567890e200", "2"]), DataType::Utf8);
    // What doubles hold is written as before.
    assert_eq!(type_of(&["1.50", "2.5"]), DataType::Float64);
}

#[test]
fn codes_of_missing_cells_stay_among_exact_numbers() {
    let rules = MissingRules {
        texts: vec![String::new()],
        codes: vec![
            ("-9".to_owned(), "refused".to_owned()),
            ("no".to_owned(), "not asked".to_owned()),
        ],
    };
    let mut options = declared(vec![number("x")]);
    options.schema.missing = rules;
    let table = read("x.csv", b"x\n18446744073709551615\n-9\nno\n1\n", &options);
    let batch = to_record_batch(&table.unwrap().table).unwrap();
    // With -9 among them the numbers need a sign; a text is no number and becomes null.
    assert_eq!(batch.column(0).data_type(), &DataType::Decimal128(20, 0));
    let cells = batch.column(0).as_primitive::<Decimal128Type>();
    let cells: Vec<Option<i128>> = cells.iter().collect();
    assert_eq!(cells, [Some(u64::MAX.into()), Some(-9), None, Some(1)]);
}

fn long_numbers() -> impl Strategy<Value = Vec<String>> {
    let whole = (9_007_199_254_740_900_i64..9_007_199_254_741_100).prop_map(|x| x.to_string());
    let any_whole = any::<i64>().prop_map(|x| x.to_string());
    let decimal = "-?[0-9]{1,12}\\.[0-9]{12,20}";
    let padded = "0?90071992547409[0-9]{2}(\\.0{0,3})?";
    let one = prop_oneof![whole, any_whole, decimal, padded];
    prop::collection::vec(one, 1..40)
}

proptest! {
    #[test]
    fn values_are_equal_where_their_digits_are(texts in long_numbers()) {
        let table = text_file(&texts);
        let column = table.column(0);
        let is_exact = column.exact().is_some();
        let canonical = if is_exact { canonical(&texts) } else { of_doubles(&texts) };
        for i in 0..texts.len() {
            for j in 0..texts.len() {
                let equal = column.same_value(i, column, j);
                prop_assert_eq!(equal, canonical[i] == canonical[j]);
            }
        }
        if let Some(exact) = column.exact() {
            let distinct: BTreeSet<&String> = canonical.iter().collect();
            prop_assert_eq!(exact.levels.len(), distinct.len());
            prop_assert_eq!(exact.codes.iter().map(|code| exact.levels.text(code)).collect::<Vec<_>>(), canonical);
        }
    }

    #[test]
    fn moved_values_come_out_whole_in_both_formats(texts in long_numbers()) {
        let table = text_file(&texts);
        prop_assert_eq!(&cells(&table, "x"), &texts);
        let is_exact = table.column(0).exact().is_some();
        let mut expected = if is_exact { canonical(&texts) } else { of_doubles(&texts) };
        expected.reverse();
        let moved = reversed(&table);
        let options = declared(vec![number("x")]);
        for (name, bytes) in [
            ("x.csv", write_text(&moved, TextStyle::default())),
            ("x.parquet", write_parquet(&moved)),
        ] {
            let again = read(name, &bytes, &options).unwrap().table;
            prop_assert_eq!(canonical(&cells(&again, "x")), expected.clone());
        }
    }
}
