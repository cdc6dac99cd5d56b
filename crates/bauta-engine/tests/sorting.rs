//! Records come in one order, however they are sorted.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt32Type};
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt32Array};
use bauta_data::Unwatched;
use bauta_engine::{Compression, Direction, Layout, Parts, PartsWriter, Session};
use proptest::prelude::*;
use tempfile::tempdir;

use crate::support::{Numbers, session, write};

/// Values in parts, some of them missing, with a text that is to go with its record.
fn parts(folder: &std::path::Path, values: &[Option<f64>], rows_per_part: usize) -> Parts {
    let row: UInt32Array = (0..values.len() as u32).collect();
    let text: StringArray = (0..values.len())
        .map(|row| Some(format!("text of {row}")))
        .collect();
    let value: Float64Array = values.iter().copied().collect();
    let columns: [(&str, ArrayRef, bool); 3] = [
        ("row", Arc::new(row), false),
        ("value", Arc::new(value), true),
        ("text", Arc::new(text), false),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    write(folder, &batch, rows_per_part)
}

/// The rows in the order of the engine, whose texts must have come with them.
fn sorted_rows(session: &Session, parts: &Parts, direction: Direction) -> Vec<u32> {
    let mut rows = Vec::new();
    session
        .sorted(
            parts,
            &[("value", direction)],
            &["text", "row"],
            &Unwatched,
            |batch| {
                let texts = batch.column(0).as_string::<i32>();
                let numbers = batch.column(1).as_primitive::<UInt32Type>();
                for (text, row) in texts.iter().zip(numbers.values()) {
                    assert_eq!(text, Some(format!("text of {row}").as_str()));
                }
                rows.extend(numbers.values());
                Ok(())
            },
        )
        .unwrap();
    rows
}

/// The rows by value and then by row, missing ones at the end.
fn plainly_sorted(values: &[Option<f64>], direction: Direction) -> Vec<u32> {
    let mut rows: Vec<u32> = (0..values.len() as u32).collect();
    rows.sort_by(|&a, &b| {
        let [x, y] = [a, b].map(|row| values[row as usize]);
        match (x, y) {
            (Some(x), Some(y)) if direction == Direction::Ascending => x.total_cmp(&y),
            (Some(x), Some(y)) => y.total_cmp(&x),
            _ => x.is_none().cmp(&y.is_none()),
        }
    });
    rows
}

fn drawn(n: usize, n_values: u64) -> Vec<Option<f64>> {
    let mut numbers = Numbers(11);
    let value = |number: u64| (number > 0).then_some(number as f64 - n_values as f64 / 2.0);
    (0..n).map(|_| value(numbers.below(n_values))).collect()
}

#[test]
fn ties_come_in_file_order_and_missing_values_last() {
    let folder = tempdir().unwrap();
    let values = drawn(5_000, 40);
    let parts = parts(folder.path(), &values, 700);
    for partitions in [1, 2, 7] {
        let session = session(&folder.path().join("spill"), partitions, None);
        for direction in [Direction::Ascending, Direction::Descending] {
            let rows = sorted_rows(&session, &parts, direction);
            assert!(rows == plainly_sorted(&values, direction));
        }
    }
}

#[test]
fn what_does_not_fit_is_spilled_and_sorted_all_the_same() {
    let folder = tempdir().unwrap();
    let values = drawn(120_000, 1_000_000);
    let parts = parts(folder.path(), &values, 50_000);
    for (partitions, memory) in [(1, 2_000_000), (2, 3_000_000), (7, 12_000_000)] {
        let session = session(&folder.path().join("spill"), partitions, Some(memory));
        let rows = sorted_rows(&session, &parts, Direction::Ascending);
        assert!(rows == plainly_sorted(&values, Direction::Ascending));
        assert!(session.spilled() > 0, "{partitions} partitions");
    }
}

#[test]
fn sorted_records_can_be_written_and_sorted_back() {
    let folder = tempdir().unwrap();
    let values = drawn(30_000, 1_000);
    let original = parts(folder.path(), &values, 10_000);
    let session = session(&folder.path().join("spill"), 2, Some(4_000_000));
    let by_value = folder.path().join("by value");
    std::fs::create_dir(&by_value).unwrap();
    let layout = Layout {
        rows_per_group: 1_000,
        rows_per_part: 7_000,
        compression: Compression::Zstd,
    };
    let mut writer = PartsWriter::new(&by_value, Arc::clone(original.schema()), layout);
    let columns = ["row", "value", "text"];
    session
        .sorted(
            &original,
            &[("value", Direction::Descending)],
            &columns,
            &Unwatched,
            |batch| writer.write(batch),
        )
        .unwrap();
    let sorted = writer.finish().unwrap();
    assert_eq!((sorted.n_records(), sorted.paths().len()), (30_000, 5));
    let mut back = Vec::new();
    session
        .sorted(&sorted, &[], &["value"], &Unwatched, |batch| {
            let values = batch.column(0).as_primitive::<Float64Type>();
            assert_eq!(values.len(), batch.num_rows());
            back.extend(values.iter());
            Ok(())
        })
        .unwrap();
    assert!(back == values);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 100,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn small_files_are_sorted_as_a_plain_sort_does(
        values in prop::collection::vec(prop::option::of(any::<f64>()), 0..100),
        rows_per_part in 5_usize..50,
        partitions in 1_usize..8,
    ) {
        let folder = tempdir().unwrap();
        let parts = parts(folder.path(), &values, rows_per_part);
        let session = session(&folder.path().join("spill"), partitions, None);
        for direction in [Direction::Ascending, Direction::Descending] {
            let rows = sorted_rows(&session, &parts, direction);
            prop_assert_eq!(rows, plainly_sorted(&values, direction));
        }
    }
}
