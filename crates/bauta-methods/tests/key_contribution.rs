//! Risk with a key left out or a level up, against counting the changed file itself.

use crate::support;

use std::sync::Arc;

use bauta_data::{Column, HierarchySpec, Kind, Role, Table, Unwatched};
use bauta_methods::Choice;
use bauta_methods::keys::benedetti_franconi::expected_inverse;
use bauta_methods::keys::{Semantics, frequencies};
use bauta_methods::measure::Part;
use bauta_methods::measure::SeriesTable;
use bauta_methods::risk::key_contribution::{BY_LEVEL, LEFT_OUT};
use bauta_methods::{
    Files, MaskTask, MeasureTask, Measurement, Note, RawValue, RunContext, registry,
};
use proptest::prelude::*;
use support::{column, params, table};

const K: u32 = 3;

/// Records: a zip code of two digits, an age, a sex; each may be missing (1) or suppressed (2).
type Cells = Vec<[(u8, u8); 3]>;

fn cells() -> impl Strategy<Value = Cells> {
    let fate = || prop_oneof![8 => Just(0_u8), 1 => Just(1), 1 => Just(2)];
    let record = ((0..100_u8, fate()), (0..90_u8, fate()), (0..2_u8, fate()));
    let few = record.prop_map(|((zip, a), (age, b), (sex, c))| {
        [(zip % 7 * 13, a), (age / 15 * 15 + age % 2, b), (sex, c)]
    });
    proptest::collection::vec(few, 0..40)
}

fn described(column: &Column, hierarchy: HierarchySpec) -> Column {
    let mut attribute = column.attribute().clone();
    attribute.hierarchy = Some(hierarchy);
    column.clone().with_attribute(Arc::new(attribute))
}

fn intervals() -> HierarchySpec {
    HierarchySpec::Intervals {
        breaks: vec![vec![15.0, 30.0, 45.0, 60.0, 75.0], vec![30.0, 60.0]],
    }
}

fn file(cells: &Cells) -> Table {
    let key = |position: usize, name: &str, kind: Kind| {
        let text = |record: &[(u8, u8); 3]| {
            let (value, fate) = record[position];
            (fate != 1).then(|| {
                if position == 0 {
                    format!("{value:02}")
                } else {
                    value.to_string()
                }
            })
        };
        let texts: Vec<Option<String>> = cells.iter().map(text).collect();
        let texts: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
        let suppressed: Vec<u32> = (0..cells.len() as u32)
            .filter(|&record| cells[record as usize][position].1 == 2)
            .collect();
        column(name, Role::Key, kind, &texts).suppress(&suppressed)
    };
    let weights: Vec<String> = (0..cells.len()).map(|i| (1 + i % 9).to_string()).collect();
    let weights: Vec<Option<&str>> = weights.iter().map(|text| Some(text.as_str())).collect();
    table(vec![
        described(
            &key(0, "zip", Kind::Hierarchical),
            HierarchySpec::Prefix { keep: None },
        ),
        described(&key(1, "age", Kind::Ordered), intervals()),
        key(2, "sex", Kind::Unordered),
        column("w", Role::Weight, Kind::Continuous, &weights),
    ])
}

fn names() -> Vec<String> {
    ["zip", "age", "sex"].map(str::to_owned).to_vec()
}

fn contribution(table: &Table, on: &[String], semantics: &str) -> (Measurement, Vec<Note>) {
    let measure = registry::measure("key-contribution").expect("a measure");
    let given = [("semantics", RawValue::Text(semantics.to_owned()))];
    let params = params(measure.card(), &given);
    let context = RunContext::new(1, "measure", &Unwatched);
    let task = MeasureTask::new(Files::One(table), on);
    let found = measure.measure(&params, &task, &context).expect("measured");
    (found, context.into_notes())
}

/// Records below k, uniques and expected re-identifications, by counting.
fn counted(table: &Table, keys: &[usize], semantics: &str) -> [f64; 3] {
    let semantics = Semantics::from_name(semantics).expect("a semantics");
    let counted = frequencies(table, keys, semantics).expect("counted");
    let below = |k: u32| counted.f.iter().filter(|&&f| f < k).count() as f64;
    let risks = counted.both();
    let expected = risks.map(|(f, big_f)| expected_inverse(f, big_f));
    [below(K), below(2), expected.sum()]
}

fn recoded(table: &Table, variable: usize, level: i64) -> Table {
    let mask = registry::mask("recode").expect("a mask");
    let params = params(mask.card(), &[("level", RawValue::Integer(level))]);
    let task = MaskTask {
        table,
        on: &[variable],
    };
    let context = RunContext::new(1, "step", &Unwatched);
    mask.mask(&params, &task, &context)
        .expect("recoded")
        .apply_to(table)
}

/// The three figures of a point of the series that end so.
fn point(found: &Measurement, table: &SeriesTable, name: &str) -> Option<[f64; 3]> {
    let figure = |series: &bauta_methods::measure::Series| {
        let at = |part: &&Part| part.name == name;
        series.points.iter().find(at).and_then(|part| part.value)
    };
    let all: Vec<f64> = found
        .series
        .iter()
        .filter(|series| series.is_in(table))
        .map(figure)
        .collect::<Option<_>>()?;
    all.try_into().ok()
}

fn near(a: [f64; 3], b: [f64; 3]) -> bool {
    a.iter()
        .zip(b)
        .all(|(a, b)| (a - b).abs() <= 1e-9 * b.max(1.0))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn figures_are_those_of_the_changed_file_and_never_grow(cells in cells()) {
        let table = file(&cells);
        for semantics in ["own", "visible", "original", "wild"] {
            let (found, notes) = contribution(&table, &names(), semantics);
            let expected = |note: &Note| note.id == "key-all-missing";
            prop_assert!(notes.iter().all(expected));
            let all = counted(&table, &[0, 1, 2], semantics);
            prop_assert!(near(point(&found, &LEFT_OUT, "as it is").unwrap(), all));
            let never_more = |left: [f64; 3]| left.iter().zip(all).all(|(left, all)| *left <= all * (1.0 + 1e-12));
            for (key, name) in names().iter().enumerate() {
                let rest: Vec<usize> = (0..3).filter(|&other| other != key).collect();
                let left = point(&found, &LEFT_OUT, name).unwrap();
                prop_assert!(near(left, counted(&table, &rest, semantics)), "{semantics} {name}");
                prop_assert!(never_more(left), "{semantics} {name}");
            }
            for (variable, name, height) in [(0, "zip", 2), (1, "age", 3)] {
                let mut before = all;
                for level in 1..=height {
                    let Some(left) = point(&found, &BY_LEVEL, &format!("{name}, level {level}")) else {
                        // Nothing to recode: every value of the key is missing.
                        prop_assert!(cells.iter().all(|record| record[variable].1 == 1));
                        continue;
                    };
                    let recoded = recoded(&table, variable, level);
                    let expected = counted(&recoded, &[0, 1, 2], semantics);
                    prop_assert!(near(left, expected), "{semantics} {name} {level}: {left:?} {expected:?}");
                    prop_assert!(left.iter().zip(before).all(|(left, before)| *left <= before * (1.0 + 1e-12)));
                    before = left;
                }
            }
        }
    }

    #[test]
    fn individual_risk_never_grows_with_the_class(
        f in 1..200_u32, more in 0..50_u32, big_f in 0.1..1e6_f64, more_weight in 0.0..1e5_f64,
    ) {
        let before = expected_inverse(f64::from(f), big_f);
        let after = expected_inverse(f64::from(f + more), big_f + more_weight);
        prop_assert!(after <= before * (1.0 + 1e-12), "{before} {after}");
    }
}

#[test]
fn one_step_up_is_one_above_the_present_level() {
    let cells: Cells = (0..60_u8)
        .map(|i| [(i % 7 * 13, 0), (i / 15 * 15 + i % 2, 0), (i % 2, 0)])
        .collect();
    let table = file(&cells);
    let levels = |table: &Table| -> Vec<String> {
        let (found, notes) = contribution(table, &names(), "visible");
        assert_eq!(notes, []);
        let series = found.series.iter().find(|series| series.is_in(&BY_LEVEL));
        let points = series.into_iter().flat_map(|series| &series.points).skip(1);
        points.map(|part| part.name.clone()).collect()
    };
    assert_eq!(
        levels(&table),
        [
            "zip, level 1",
            "zip, level 2",
            "age, level 1",
            "age, level 2",
            "age, level 3"
        ]
    );
    let once = recoded(&table, 1, 1);
    assert_eq!(
        levels(&once),
        [
            "zip, level 1",
            "zip, level 2",
            "age, level 2",
            "age, level 3"
        ]
    );
    // And what the preview says is what the next step does.
    let (found, _) = contribution(&once, &names(), "visible");
    let preview = point(&found, &BY_LEVEL, "age, level 2").expect("level 2");
    let twice = recoded(&once, 1, 2);
    assert!(near(preview, counted(&twice, &[0, 1, 2], "visible")));
    assert_eq!(
        levels(&recoded(&once, 1, 3)),
        ["zip, level 1", "zip, level 2"]
    );
}

#[test]
fn without_any_key_everyone_is_equal() {
    let cells: Cells = (0..10_u8).map(|i| [(i, 0), (0, 0), (0, 0)]).collect();
    let table = file(&cells);
    let (found, _) = contribution(&table, &["zip".to_owned()], "own");
    // Weights 1 to 9 and 1: 46 people, ten records; nobody is below 3.
    let expected = 10.0 * expected_inverse(10.0, 46.0);
    let left = point(&found, &LEFT_OUT, "zip").expect("a point");
    assert!(near(left, [0.0, 0.0, expected]));
    assert_eq!(found.value, Some(1.0));
}

#[test]
fn a_hierarchy_that_does_not_know_the_values_is_noted_without_them() {
    let odd = column(
        "town",
        Role::Key,
        Kind::Hierarchical,
        &[Some("omega"), Some("psi")],
    );
    let rows = vec![["psi", "greek"].map(str::to_owned).to_vec()];
    let table = table(vec![described(&odd, HierarchySpec::Levels { rows })]);
    let (found, notes) = contribution(&table, &["town".to_owned()], "visible");
    assert!(found.series.iter().all(|series| !series.is_in(&BY_LEVEL)));
    let [note] = notes.as_slice() else {
        panic!("{notes:?}");
    };
    assert_eq!(note.id, "hierarchy-unfit");
    assert_eq!(note.fact("variable"), Some(&"town".into()));
    assert!(!note.text.contains("omega") && !note.public);
}
