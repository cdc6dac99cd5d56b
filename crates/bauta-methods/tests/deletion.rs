//! Deletion of records at risk against the reference subsample.

use crate::support;

use bauta_data::{Kind, Role, Unwatched};
use bauta_methods::keys::{Semantics, frequencies};
use bauta_methods::{MaskTask, RawValue, RunContext, registry};
use support::{Wanted, params, read_csv, read_numbers, reference};

const KEYS: [&str; 7] = ["gender", "income", "age", "uu", "qual", "couple", "hsize"];

#[test]
fn the_survey_loses_3191_and_70_records_and_keeps_those_of_the_reference() {
    let vvs = reference().join("vvs");
    let wanted = KEYS.map(|name| Wanted {
        name: name.to_owned(),
        role: Role::Key,
        kind: Kind::Unordered,
    });
    let file = vvs.join("original.csv");
    let table = read_csv(&file, &wanted);
    let mask = registry::mask("suppress-records").expect("it is registered");
    let params = params(mask.card(), &[("k", RawValue::Integer(3))]);
    let on: Vec<usize> = (0..KEYS.len()).collect();
    let context = RunContext::new(1, "step", &Unwatched);
    let task = MaskTask {
        table: &table,
        on: &on,
    };
    let change = mask
        .mask(&params, &task, &context)
        .expect("records can be deleted");
    let masked = change.apply_to(&table);
    // golden/vvs/calibration.json, rounds of deletion: 3191, 70, 0.
    let rounds: Vec<u64> = context
        .into_notes()
        .iter()
        .filter(|note| note.id == "records-deleted")
        .filter_map(|note| note.count("n_records"))
        .collect();
    assert_eq!(rounds, [3191, 70]);
    let ids = read_numbers(&file, "id");
    let kept: Vec<f64> = (0..masked.n_records())
        .map(|record| ids[masked.source_row(record)])
        .collect();
    let expected = read_numbers(&vvs.join("subsample_weights.csv"), "id");
    assert_eq!(kept.len(), 9640);
    assert_eq!(kept, expected);
    let counted = frequencies(&masked, &on, Semantics::Visible).expect("keys can be counted");
    assert!(counted.f.iter().all(|&f| f >= 3));
}
