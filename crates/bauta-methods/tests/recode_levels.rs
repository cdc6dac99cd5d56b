//! Recoding by a level of the variable's hierarchy.

use crate::support;

use std::sync::Arc;

use bauta_data::{Column, HierarchySpec, Kind, Role, Table, Unwatched};
use bauta_methods::{Mask, MaskTask, MethodError, Note, RawValue, RunContext, registry};
use support::{column, params, table, texts};

fn zip_codes(hierarchy: HierarchySpec) -> Column {
    let cells = [
        Some("48201"),
        Some("48226"),
        None,
        Some("48301"),
        Some("48201"),
    ];
    described(
        column("zip", Role::Key, Kind::Hierarchical, &cells),
        hierarchy,
    )
}

fn described(column: Column, hierarchy: HierarchySpec) -> Column {
    let mut attribute = column.attribute().clone();
    attribute.hierarchy = Some(hierarchy);
    column.with_attribute(Arc::new(attribute))
}

fn recoded(column: Column, level: i64) -> Result<(Table, Vec<Note>), MethodError> {
    let mask: &dyn Mask = registry::mask("recode").expect("a mask");
    let given = params(mask.card(), &[("level", RawValue::Integer(level))]);
    let file = table(vec![column]);
    assert_eq!(mask.check(&given, &[file.column(0).attribute()]), []);
    let task = MaskTask {
        table: &file,
        on: &[0],
    };
    let context = RunContext::new(1, "step", &Unwatched);
    let masked = mask.mask(&given, &task, &context)?.apply_to(&file);
    Ok((masked, context.into_notes()))
}

fn expect(file: &Table, cells: &[Option<&str>]) {
    let expected: Vec<Option<String>> = cells.iter().map(|cell| cell.map(str::to_owned)).collect();
    assert_eq!(texts(file.column(0)), expected);
}

fn table_of_levels() -> HierarchySpec {
    let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
    HierarchySpec::Levels {
        rows: vec![
            row(["48201", "Detroit", "Michigan"]),
            row(["48226", "Detroit", "Michigan"]),
            row(["48301", "Bloomfield", "Michigan"]),
        ],
    }
}

#[test]
fn each_level_of_a_table_is_taken_as_it_stands() {
    let (city, notes) = recoded(zip_codes(table_of_levels()), 1).expect("level 1");
    expect(
        &city,
        &[
            Some("Detroit"),
            Some("Detroit"),
            None,
            Some("Bloomfield"),
            Some("Detroit"),
        ],
    );
    // Three zip codes became two cities.
    let [merged] = notes.as_slice() else {
        panic!("{notes:?}");
    };
    assert_eq!(
        (&*merged.id, merged.fact("variable")),
        ("categories-merged", Some(&"zip".into()))
    );
    assert_eq!(
        (merged.count("n_before"), merged.count("n_after")),
        (Some(3), Some(2))
    );
    let (state, _) = recoded(zip_codes(table_of_levels()), 2).expect("level 2");
    expect(
        &state,
        &[
            Some("Michigan"),
            Some("Michigan"),
            None,
            Some("Michigan"),
            Some("Michigan"),
        ],
    );
    assert_eq!(state.column(0).attribute().kind, Kind::Hierarchical);
    assert!(
        state.column(0).attribute().hierarchy.is_some(),
        "the hierarchy stays with the variable"
    );
}

#[test]
fn level_zero_is_the_value_itself() {
    let (same, notes) = recoded(zip_codes(table_of_levels()), 0).expect("level 0");
    expect(
        &same,
        &[
            Some("48201"),
            Some("48226"),
            None,
            Some("48301"),
            Some("48201"),
        ],
    );
    assert_eq!(notes, []);
}

#[test]
fn prefixes_of_equal_length_fall_together() {
    // Three characters kept: all three codes begin with 482 or 483.
    let prefix = HierarchySpec::Prefix {
        keep: Some(vec![3]),
    };
    let (cut, _) = recoded(zip_codes(prefix), 1).expect("level 1");
    let cells = texts(cut.column(0));
    assert_eq!(cells[0], cells[1], "48201 and 48226 share 482");
    assert_ne!(cells[0], cells[3], "48301 does not");
    assert!(
        cells[0]
            .as_ref()
            .is_some_and(|text| text.starts_with("482") && !text.contains('0'))
    );
    assert_eq!(cells[2], None);
}

#[test]
fn intervals_cut_numbers() {
    let ages = column(
        "age",
        Role::Key,
        Kind::Ordered,
        &[Some("9"), Some("18"), None, Some("64"), Some("65")],
    );
    let breaks = HierarchySpec::Intervals {
        breaks: vec![vec![18.0, 65.0], vec![18.0]],
    };
    let (fine, _) = recoded(described(ages.clone(), breaks.clone()), 1).expect("level 1");
    expect(
        &fine,
        &[
            Some("< 18"),
            Some("[18, 65)"),
            None,
            Some("[18, 65)"),
            Some(">= 65"),
        ],
    );
    let (coarse, _) = recoded(described(ages, breaks), 2).expect("level 2");
    expect(
        &coarse,
        &[
            Some("< 18"),
            Some(">= 18"),
            None,
            Some(">= 18"),
            Some(">= 18"),
        ],
    );
}

#[test]
fn a_level_above_the_top_is_refused_with_the_height() {
    let error = recoded(zip_codes(table_of_levels()), 60).expect_err("there is no level 60");
    assert!(matches!(error, MethodError::Request { .. }), "{error}");
}

#[test]
fn a_value_that_the_hierarchy_does_not_know_is_an_error_without_the_value() {
    let rows = vec![["48226", "Detroit"].map(str::to_owned).to_vec()];
    let error = recoded(zip_codes(HierarchySpec::Levels { rows }), 1)
        .expect_err("two values are not in the table");
    assert!(matches!(error, MethodError::Data { .. }), "{error}");
    assert!(
        !error.to_string().contains("48201") && !error.to_string().contains("48301"),
        "{error}"
    );
}

#[test]
fn without_a_hierarchy_there_is_no_level() {
    let mask: &dyn Mask = registry::mask("recode").expect("a mask");
    let given = params(mask.card(), &[("level", RawValue::Integer(1))]);
    let plain = column("zip", Role::Key, Kind::Unordered, &[Some("48201")]);
    let problems = mask.check(&given, &[plain.attribute()]);
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].param.as_deref(), Some("level"));
}
