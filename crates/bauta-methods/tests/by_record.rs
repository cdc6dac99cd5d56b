//! What goes by record finds and makes the same of columns in memory and of columns in files, to the last bit: over several
//! stretches, with missing values and with deleted records.

use bauta_data::store::Store;
use bauta_data::{Column, Table, Unwatched};
use bauta_methods::card::Scaling;
use bauta_methods::context::{RecordFigures, RunContext};
use bauta_methods::pair::{Pair, Rows};
use bauta_methods::{Card, Files, MaskTask, MeasureTask, Measurement, Params, RawValue, registry};

use crate::support::numbers;

/// More than two stretches, and no whole number of them.
const N_RECORDS: usize = 40_003;

/// Numbers without pattern.
fn scattered(record: usize, purpose: u64) -> f64 {
    let mixed = (record as u64 * 16 + purpose).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 40) as f64 / 64.0
}

/// Three variables that go together somewhat; of the last every so-manyth value is missing, if some are to be.
fn table(gap: Option<usize>) -> Table {
    let of = |purpose: u64| move |record: usize| scattered(record, 0) + scattered(record, purpose);
    let columns = (1..4_u64).map(|purpose| {
        let is_gap =
            |record: usize| purpose == 3 && gap.is_some_and(|gap| record.is_multiple_of(gap));
        let value = |record: usize| {
            if is_gap(record) {
                f64::NAN
            } else {
                of(purpose)(record)
            }
        };
        let values: Vec<f64> = (0..N_RECORDS).map(value).collect();
        numbers(&format!("x{purpose}"), &values)
    });
    Table::new(columns.collect(), N_RECORDS)
}

/// Of every hundred records one is deleted, and the others move a little.
fn masked(original: &Table) -> Table {
    let kept: Vec<u32> = (0..N_RECORDS as u32)
        .filter(|record| record % 100 != 7)
        .collect();
    let mut masked = original.take(&kept);
    for attr_idx in 0..3 {
        let column = masked.column(attr_idx);
        let moved = column.as_numeric().expect("numbers").iter().enumerate();
        let moved = moved.map(|(record, x)| x + scattered(record, 9) / 50.0 - 1.0);
        let column = column.with_numbers(moved.collect());
        masked = masked.with_column(attr_idx, column);
    }
    masked
}

fn params(card: &Card, example: Vec<(&str, RawValue)>, skip: bool) -> Params {
    let mut given: Vec<(String, RawValue)> = example
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    if skip && card.param("missing").is_some() {
        given.push(("missing".to_owned(), RawValue::Text("skip".to_owned())));
    }
    Params::check(card, &given).expect("an example is allowed")
}

fn bits(column: &Column) -> Vec<u64> {
    column
        .as_numeric()
        .expect("numbers")
        .iter()
        .map(|value| value.to_bits())
        .collect()
}

fn goes_by_record(card: &Card) -> bool {
    card.scaling == Scaling::Record
}

#[test]
fn masks_by_record_make_the_same_of_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut n_masks = 0;
    for gap in [None, Some(7)] {
        let table = table(gap);
        for mask in registry::MASKS
            .iter()
            .filter(|mask| goes_by_record(mask.card()))
        {
            let params = params(mask.card(), mask.example(), gap.is_some());
            let masked = |table: &Table| {
                let context = RunContext::new(5, "step", &Unwatched);
                let on: &[usize] = if mask.card().id == "drop-identifiers" {
                    &[2]
                } else {
                    &[0, 1, 2]
                };
                let task = MaskTask { table, on };
                let change = mask
                    .mask(&params, &task, &context)
                    .expect("it can be masked");
                (change, context.into_notes())
            };
            let (expected, notes) = masked(&table);
            for block in [1_000, 10_000, 70_000] {
                let store = Store::with_blocks(folder.path(), block).expect("a store");
                let stored = store.put_table(&table).expect("room on the disk");
                let (found, found_notes) = masked(&stored);
                assert_eq!(found_notes, notes, "{}", mask.card().id);
                assert_eq!(found.dropped, expected.dropped);
                assert_eq!(found.columns.len(), expected.columns.len());
                for ((at, found), (expected_at, expected)) in
                    found.columns.iter().zip(&expected.columns)
                {
                    assert_eq!(at, expected_at);
                    assert!(
                        found.is_on_disk(),
                        "{}: was read as a whole",
                        mask.card().id
                    );
                    assert_eq!(bits(found), bits(expected), "{}", mask.card().id);
                }
                for column in stored.columns() {
                    // With gaps the complete records are found in whole columns.
                    assert!(column.is_on_disk() || gap.is_some(), "{}", mask.card().id);
                }
            }
            n_masks += 1;
        }
    }
    assert!(n_masks >= 8, "{n_masks}");
}

#[test]
fn losses_by_record_find_the_same_in_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let on: Vec<String> = ["x1", "x2", "x3"].map(str::to_owned).to_vec();
    let mut n_measures = 0;
    for gap in [None, Some(7)] {
        let original = table(gap);
        let masked = masked(&original);
        let measures = registry::MEASURES.iter();
        for measure in measures.filter(|measure| goes_by_record(measure.card())) {
            let params = params(measure.card(), measure.example(), gap.is_some());
            let found = |original: &Table, masked: &Table, figures| -> Measurement {
                let context =
                    RunContext::new(5, "measure", &Unwatched).with_record_figures(figures);
                let pair = Pair {
                    original,
                    masked,
                    rows: Rows::Correspond,
                };
                let task = MeasureTask::new(Files::Both(pair), &on);
                measure
                    .measure(&params, &task, &context)
                    .expect("it can be measured")
            };
            let expected = found(&original, &masked, RecordFigures::Wanted);
            for block in [1_000, 10_000, 70_000] {
                let store = Store::with_blocks(folder.path(), block).expect("a store");
                let stored =
                    [&original, &masked].map(|table| store.put_table(table).expect("room"));
                let [original, masked] = &stored;
                let of_files = found(original, masked, RecordFigures::NotWanted);
                let read = original.columns().iter().chain(masked.columns());
                for column in read {
                    assert!(
                        column.is_on_disk() || gap.is_some(),
                        "{}",
                        measure.card().id
                    );
                }
                let of_files_and_records = found(original, masked, RecordFigures::Wanted);
                assert_eq!(of_files_and_records, expected, "{}", measure.card().id);
                let without_records = Measurement {
                    per_record: None,
                    cells_per_record: None,
                    ..expected.clone()
                };
                assert_eq!(of_files, without_records, "{}", measure.card().id);
            }
            n_measures += 1;
        }
    }
    assert!(n_measures >= 20, "{n_measures}");
}
