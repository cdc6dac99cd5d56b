//! Files with too little in them, or too much: a result of finite numbers, or a clear error.

use std::sync::Arc;

use bauta_data::{Kind, Role, Table, Unwatched};
use bauta_methods::{Measurement, RunContext, registry};

use super::changers::{Changer, assert_clear, changers};
use super::measures::{Two, names, parts};
use super::zoo::{accepted, with_and_without_missing, zoo};
use crate::support::{column, params, scatter, texts};

/// Few enough that no method finds groups, correlations or ranks to speak of.
const FEW: usize = 12;

/// Degenerate files by name. Readers refuse infinite numbers, so that no file has them.
fn degenerate() -> Vec<(&'static str, Table)> {
    let constant = |_: usize| Some("3");
    let lone = |i: usize| (i == 5).then_some("8.5");
    let limits = |i: usize| {
        let cells = [
            "1e308",
            "-1.7976931348623157e308",
            "5e-324",
            "-0",
            "0",
            "1",
            "1.7976931348623157e308",
            "-1e-310",
        ];
        Some(cells[scatter(i, 21) as usize % cells.len()])
    };
    let tiny = |i: usize| Some(["5e-324", "1e-323", "0", "-5e-324"][i % 4]);
    let apart = |i: usize| Some(["1e200", "1", "-1e-200"][i % 3]);
    let one_kind = |cell: &dyn Fn(usize) -> Option<&'static str>| {
        remade(&zoo(FEW), |role, kind, i| {
            (kind == Kind::Continuous && role != Role::Weight).then(|| cell(i).map(str::to_owned))
        })
    };
    vec![
        ("0 records", zoo(0)),
        ("1 record", zoo(1)),
        ("2 records", zoo(2)),
        ("3 records", zoo(3)),
        ("identical records", identical(FEW)),
        ("all missing", all_missing(FEW)),
        ("constant numbers", one_kind(&constant)),
        ("one constant variable", with_constant_income(40)),
        ("one value and nothing else", one_kind(&lone)),
        ("numbers at the limits", one_kind(&limits)),
        ("numbers next to 0", one_kind(&tiny)),
        ("numbers far apart", one_kind(&apart)),
        ("equal variables", equal_variables(40)),
    ]
}

/// The table with other cells where `cell` gives any; `Some(None)` is a missing one.
fn remade(table: &Table, cell: impl Fn(Role, Kind, usize) -> Option<Option<String>>) -> Table {
    let mut remade = table.clone();
    for attr_idx in 0..table.columns().len() {
        let like = table.column(attr_idx);
        let attribute = like.attribute();
        let old = texts(like);
        let cells: Vec<Option<String>> = old
            .into_iter()
            .enumerate()
            .map(|(i, old)| cell(attribute.role, attribute.kind, i).unwrap_or(old))
            .collect();
        let cells: Vec<Option<&str>> = cells.iter().map(Option::as_deref).collect();
        let made = column(&attribute.name, attribute.role, attribute.kind, &cells);
        remade = remade.with_column(attr_idx, made.with_attribute(Arc::new(attribute.clone())));
    }
    remade
}

fn identical(n: usize) -> Table {
    remade(&zoo(n), |_, _, _| Some(Some("3".to_owned())))
}

fn all_missing(n: usize) -> Table {
    remade(&zoo(n), |role, _, _| (role != Role::Weight).then_some(None))
}

fn with_constant_income(n: usize) -> Table {
    let table = zoo(n);
    let at = table.index_of("income").expect("the zoo has incomes");
    let constant = table.column(at).with_numbers(vec![1_200.5; n]);
    table.with_column(at, constant)
}

/// Savings and gifts become what income is.
fn equal_variables(n: usize) -> Table {
    remade(&zoo(n), |role, kind, i| {
        (kind == Kind::Continuous && role != Role::Weight)
            .then(|| Some((scatter(i, 22) % 1_000).to_string()))
    })
}

/// Fails if a present cell is no finite number.
fn assert_finite(id: &str, file: &str, masked: &Table) {
    for column in masked.columns() {
        assert_eq!(column.len(), masked.n_records(), "`{id}` on {file}");
        let Some(z) = column.as_numeric() else {
            continue;
        };
        let good = |(record, z): (usize, &f64)| {
            if column.is_missing(record) {
                z.is_nan()
            } else {
                z.is_finite()
            }
        };
        assert!(
            z.iter().enumerate().all(good),
            "`{id}` on {file}: {} is not finite",
            column.name()
        );
    }
}

/// Changes a file in every way that the card offers for missing values.
fn change_all_ways(changer: Changer, name: &str, table: &Table, on: &[usize]) {
    let card = changer.card();
    for given in with_and_without_missing(card, &changer.example()) {
        let given = params(card, &given);
        let context = RunContext::new(7, "step", &Unwatched);
        match changer.change(table, on, &given, &context) {
            Ok(change) => assert_finite(card.id, name, &change.apply_to(table)),
            Err(error) => assert_clear(card.id, name, &error),
        }
    }
}

#[test]
fn changers_give_finite_numbers_or_a_clear_error() {
    for (name, table) in degenerate() {
        for changer in changers() {
            let all = accepted(changer.card(), &table);
            let alone = all.iter().map(|&attr_idx| vec![attr_idx]);
            for on in alone.chain([all.clone(), Vec::new()]) {
                change_all_ways(changer, name, &table, &on);
            }
        }
    }
}

/// Fails if a figure is not finite, or the value out of the range that it is read in.
fn assert_figures(id: &str, file: &str, found: &Measurement, n_records: usize) {
    let reading = registry::measure(id).expect("a measure").declared().value;
    let value = found.value.unwrap_or(reading.min);
    assert!(
        (reading.min..=reading.max).contains(&value),
        "`{id}` on {file}: {value}"
    );
    for (name, figure) in parts(found) {
        assert!(
            figure.is_none_or(f64::is_finite),
            "`{id}` on {file}: {name} is {figure:?}"
        );
    }
    if let Some(figures) = &found.per_record {
        assert_eq!(figures.len(), n_records, "`{id}` on {file}");
        // NaN is a record of which nothing can be said.
        assert!(
            figures.iter().all(|figure| !figure.is_infinite()),
            "`{id}` on {file}: figures by record"
        );
    }
}

/// Measures two files in every way that the card offers for missing values.
fn measure_all_ways(id: &str, name: &str, two: &Two, on: &[String]) {
    let measure = registry::measure(id).expect("a measure");
    for given in with_and_without_missing(measure.card(), &measure.example()) {
        let given = params(measure.card(), &given);
        let context = RunContext::new(7, "measure", &Unwatched);
        match two.measure(measure, on, &given, &context) {
            Ok(found) => assert_figures(id, name, &found, two.masked.n_records()),
            Err(error) => assert_clear(id, name, &error),
        }
    }
}

#[test]
fn measures_give_finite_figures_or_a_clear_error() {
    for (name, table) in degenerate() {
        let twos = [
            Two::identical(&table),
            Two::perturbed(&table),
            // As far from the original as numbers of this size can be.
            Two::changed(&table, |_, x| -x),
            Two::changed(&table, |_, _| 7.0),
        ];
        for measure in registry::MEASURES {
            let card = measure.card();
            let all = names(&table, &accepted(card, &table));
            let alone = all.iter().map(|name| vec![name.clone()]);
            let none = [Vec::new(), vec!["no such variable".to_owned()]];
            for on in alone.chain([all.clone()]).chain(none) {
                for two in &twos {
                    measure_all_ways(card.id, name, two, &on);
                }
            }
        }
    }
}

#[test]
fn a_hundred_thousand_identical_records_are_no_trouble() {
    let name = "100,000 identical records";
    let table = identical(100_000);
    for changer in changers() {
        let on = accepted(changer.card(), &table);
        change_all_ways(changer, name, &table, &on);
    }
    for two in [Two::identical(&table), Two::changed(&table, |_, _| 7.0)] {
        for measure in registry::MEASURES {
            let on = names(&table, &accepted(measure.card(), &table));
            measure_all_ways(measure.card().id, name, &two, &on);
        }
    }
}
