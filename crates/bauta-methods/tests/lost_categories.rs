//! Losses of categories after the masks that cause them: recoding, suppression, deletion.

use crate::support;

use std::sync::Arc;

use bauta_data::{HierarchySpec, Kind, Role, Table, Unwatched};
use bauta_methods::keys::Semantics;
use bauta_methods::keys::lattice::{Lattice, LatticeAsked, LatticeKey, Loss, SuppressionLimit};
use bauta_methods::pair::Rows;
use bauta_methods::{
    Files, MaskTask, MeasureTask, Measurement, Note, Pair, RawValue, RunContext, registry,
};
use support::{column, numbers, params, scatter, table};

fn measured(id: &str, original: &Table, masked: &Table, on: &[&str]) -> (Measurement, Vec<Note>) {
    let measure = registry::measure(id).expect("a measure");
    let on: Vec<String> = on.iter().map(|name| (*name).to_owned()).collect();
    let pair = Pair {
        original,
        masked,
        rows: Rows::Correspond,
    };
    let context = RunContext::new(1, id, &Unwatched);
    let task = MeasureTask::new(Files::Both(pair), &on);
    let given = params(measure.card(), &[]);
    let found = measure
        .measure(&given, &task, &context)
        .unwrap_or_else(|error| panic!("{id}: {error}"));
    (found, context.into_notes())
}

/// Two keys with hierarchies, gaps and very unequal categories.
fn keys(n: usize) -> Table {
    let zip: Vec<Option<String>> = (0..n)
        .map(|i| {
            let low = (scatter(i, 1) % 30).min(scatter(i, 2) % 30);
            (!scatter(i, 3).is_multiple_of(11)).then(|| format!("4{low:03}"))
        })
        .collect();
    let age: Vec<Option<String>> = (0..n)
        .map(|i| Some((scatter(i, 4) % 60 + 18).to_string()))
        .collect();
    let with = |name: &str, kind: Kind, cells: &[Option<String>], hierarchy: HierarchySpec| {
        let cells: Vec<Option<&str>> = cells.iter().map(Option::as_deref).collect();
        let column = column(name, Role::Key, kind, &cells);
        let mut attribute = column.attribute().clone();
        attribute.hierarchy = Some(hierarchy);
        column.with_attribute(Arc::new(attribute))
    };
    let breaks = vec![
        vec![20.0, 30.0, 40.0, 50.0, 60.0, 70.0],
        vec![30.0, 50.0, 70.0],
    ];
    table(vec![
        with(
            "zip",
            Kind::Hierarchical,
            &zip,
            HierarchySpec::Prefix { keep: None },
        ),
        with(
            "age",
            Kind::Ordered,
            &age,
            HierarchySpec::Intervals { breaks },
        ),
    ])
}

fn recoded(mut file: Table, levels: &[usize]) -> Table {
    let mask = registry::mask("recode").expect("a mask");
    for (attr_idx, &level) in levels.iter().enumerate() {
        let given = params(
            mask.card(),
            &[("level", RawValue::Integer(level.cast_signed() as i64))],
        );
        let task = MaskTask {
            table: &file,
            on: &[attr_idx],
        };
        let context = RunContext::new(1, "step", &Unwatched);
        let change = mask
            .mask(&given, &task, &context)
            .expect("it can be recoded");
        file = change.apply_to(&file);
    }
    file
}

#[test]
fn without_deletion_the_losses_of_a_recoding_are_those_that_the_lattice_is_searched_by() {
    let original = keys(700);
    let context = RunContext::new(1, "lattice", &Unwatched);
    let lattice_keys = [LatticeKey::new(0), LatticeKey::new(1)];
    let lattice =
        Lattice::of(&original, &lattice_keys, &[], Semantics::Own, &context).expect("a lattice");
    for levels in [[0, 0], [1, 0], [0, 2], [2, 1], [4, 3]] {
        let masked = recoded(original.clone(), &levels);
        let (found, _) = measured("recoding-loss", &original, &masked, &["zip", "age"]);
        let mean_levels = found.part("mean_levels");
        for (loss, ours) in [(Loss::Entropy, found.value), (Loss::Precision, mean_levels)] {
            let asked = LatticeAsked {
                k: 1,
                limit: SuppressionLimit::Records(0),
                answers: Vec::new(),
                loss,
            };
            let node = lattice.evaluate(&levels, &asked).expect("a node");
            let ours = ours.expect("a loss");
            assert!(
                (node.loss - ours).abs() < 1e-12,
                "{levels:?} {loss:?}: {} and {ours}",
                node.loss
            );
        }
        // A recoding alone changes no share at the coarser level, nor an answer, and the sum is that of the parts.
        let (distance, _) = measured("category-distance", &original, &masked, &["zip", "age"]);
        assert_eq!(distance.value, Some(0.0), "{levels:?}");
        let (hellinger, _) = measured("hellinger", &original, &masked, &["age"]);
        assert_eq!(hellinger.value, Some(0.0), "{levels:?}");
        let (file, _) = measured("file-loss", &original, &masked, &["zip", "age"]);
        let masked = found.by_variable.iter().zip(levels);
        let masked = masked.filter(|(_, level)| *level > 0 || levels == [0, 0]);
        let masked: Vec<f64> = masked.filter_map(|(part, _)| part.value).collect();
        let mean = masked.iter().sum::<f64>() / masked.len() as f64;
        assert_eq!(file.value, Some(mean), "{levels:?}");
    }
}

#[test]
fn deleted_records_lose_all_and_are_counted() {
    let key = |cells: &[Option<&str>]| column("key", Role::Key, Kind::Unordered, cells);
    let x: Vec<f64> = (1..=8).map(f64::from).collect();
    let cells = ["a", "a", "b", "b", "c", "c", "d", "d"].map(Some);
    let weight = column("w", Role::Weight, Kind::Continuous, &[Some("2"); 8]);
    let original = table(vec![key(&cells), numbers("x", &x), weight.clone()]);
    let mut masked = original.clone();
    // Records 1 and 5 lose their key; then 4 of 8 records are left, 0, 1, 4, 5, with another weight each.
    masked = masked.with_column(0, original.column(0).suppress(&[1, 5]));
    masked = masked.with_column(2, weight.with_numbers(vec![4.0; 8]));
    let masked = masked.take(&[0, 1, 4, 5]);
    let (cells, _) = measured("suppressed-cells", &original, &masked, &["key", "x"]);
    assert_eq!(cells.value, Some(0.25), "2 of 8 cells that are left");
    let parts = [
        "cells",
        "records_touched",
        "records_deleted",
        "records_deleted_share",
    ];
    assert_eq!(
        parts.map(|part| cells.part(part)),
        [2.0, 2.0, 4.0, 0.5].map(Some)
    );
    let (file, notes) = measured("file-loss", &original, &masked, &["key", "x"]);
    // key: of a a c c two cells are blank, each with one of the four bits: 1/2; half of the records are gone: 1/2 + 1/2 · 1/2.
    // x has no changed cell and is not in the mean.
    let of = |name: &str| {
        let found = file.by_variable.iter().find(|part| part.name == name);
        found.and_then(|part| part.value)
    };
    assert_eq!(
        [of("key"), of("x"), file.value],
        [0.75, 0.5, 0.75].map(Some)
    );
    assert_eq!(file.part("loss_of_records_left"), Some(0.5));
    let texts: Vec<&str> = notes.iter().map(|note| note.text.as_str()).collect();
    assert_eq!(
        texts,
        ["the loss of the file does not cover w (a weight, changed)"]
    );
    let none = original.take(&[]);
    let (gone, _) = measured("file-loss", &original, &none, &["key", "x"]);
    assert_eq!(gone.value, Some(1.0));
}

#[test]
fn a_number_that_became_intervals_is_covered() {
    let x: Vec<f64> = (0..64).map(f64::from).collect();
    let original = table(vec![numbers("x", &x)]);
    let mask = registry::mask("recode").expect("a mask");
    let breaks = [16, 32, 48].map(RawValue::Integer).to_vec();
    let given = params(mask.card(), &[("breaks", RawValue::List(breaks))]);
    let task = MaskTask {
        table: &original,
        on: &[0],
    };
    let context = RunContext::new(1, "step", &Unwatched);
    let change = mask.mask(&given, &task, &context).expect("it can be cut");
    let masked = change.apply_to(&original);
    // 64 different numbers have 6 bits; in four intervals of 16 a cell loses 4 of them.
    for id in ["file-loss", "recoding-loss"] {
        let (found, _) = measured(id, &original, &masked, &["x"]);
        assert!(
            (found.value.expect("a loss") - 4.0 / 6.0).abs() < 1e-15,
            "{id}"
        );
    }
}

#[test]
fn frequency_tables_show_both_files_at_the_level_that_was_compared() {
    let original = keys(300);
    let masked = recoded(original.clone(), &[0, 2]);
    let (found, _) = measured("category-distance", &original, &masked, &["age", "zip"]);
    let [exhibit, pairs] = &found.exhibits[..] else {
        panic!("two exhibits");
    };
    let pairs = serde_json::to_value(&pairs.views[0]).expect("it can be recorded");
    let [row] = &pairs["shows"]["table"]["rows"].as_array().expect("rows")[..] else {
        panic!("one pair");
    };
    assert_eq!((&row[0], &row[1]), (&"age".into(), &"zip".into()));
    assert_eq!(
        row[3], row[4],
        "no association changed at the coarser level"
    );
    assert!(
        exhibit.public.is_none(),
        "categories of few records stay in the house"
    );
    let shown = serde_json::to_value(&exhibit.views[0]).expect("it can be recorded");
    let rows = shown["shows"]["table"]["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 4, "three breaks of level 2");
    let total: f64 = rows.iter().filter_map(|row| row[2].as_f64()).sum();
    assert_eq!(total.to_bits(), 300.0_f64.to_bits());
    for row in rows {
        assert_eq!(row[2], row[3], "the same records before and after");
    }
}
