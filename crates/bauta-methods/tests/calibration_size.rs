//! Calibration on variables with very many categories: an answer, or a refusal before the work.

use crate::support;

use bauta_data::{Kind, Role, Table, Unwatched};
use bauta_methods::adjust::AdjustTask;
use bauta_methods::pair::Rows;
use bauta_methods::{MethodError, Pair, RawValue, RunContext, registry};
use support::{column, params, table};

/// Records of each commune.
const IN_EACH: usize = 15;

/// Communes of fifteen people, whose sexes, ages and weights go round.
fn country(n_communes: usize) -> Table {
    let cells = |cell: &dyn Fn(usize) -> String| -> Vec<String> {
        (0..n_communes * IN_EACH).map(cell).collect()
    };
    let columns = [
        ("commune", cells(&|i| format!("c{}", i / IN_EACH))),
        ("sex", cells(&|i| (i * 5 / 7 % 2).to_string())),
        ("age", cells(&|i| (i * 31 / 9 % 6).to_string())),
        ("w", cells(&|i| (1 + i * 13 % 9).to_string())),
    ];
    let columns = columns.iter().map(|(name, cells)| {
        let cells: Vec<Option<&str>> = cells.iter().map(|cell| Some(cell.as_str())).collect();
        match *name {
            "w" => column("w", Role::Weight, Kind::Continuous, &cells),
            name => column(name, Role::Key, Kind::Unordered, &cells),
        }
    });
    table(columns.collect())
}

/// Without every fifth record, so that weights must change.
fn sample(country: &Table) -> Table {
    let kept = (0..country.n_records() as u32).filter(|record| record % 5 != 3);
    country.take(&kept.collect::<Vec<u32>>())
}

fn calibrated(
    original: &Table,
    margins: &[&str],
    given: &[(&str, RawValue)],
) -> Result<Table, MethodError> {
    let masked = sample(original);
    let adjuster = registry::adjuster("calibrate").expect("it is registered");
    let weight = masked.index_of("w").expect("a weight");
    let pair = Pair {
        original,
        masked: &masked,
        rows: Rows::Correspond,
    };
    let margins = margins.iter().map(|&name| RawValue::Text(name.to_owned()));
    let mut given = given.to_vec();
    given.push(("margins", RawValue::List(margins.collect())));
    let task = AdjustTask {
        pair,
        on: &[weight],
    };
    let context = RunContext::new(1, "step", &Unwatched);
    let change = adjuster.adjust(&params(adjuster.card(), &given), &task, &context)?;
    Ok(change.apply_to(&masked))
}

/// Weighted counts of the categories of a variable.
fn totals(table: &Table, name: &str) -> Vec<f64> {
    let categories = table.column_named(name).unwrap().as_categorical().unwrap();
    let weights = table.column_named("w").unwrap().as_numeric().unwrap();
    let mut totals = vec![0.0; categories.levels.len()];
    for (code, weight) in categories.codes.iter().zip(weights) {
        totals[code as usize] += weight;
    }
    totals
}

#[test]
fn a_thousand_categories_are_reached() {
    let original = country(1_000);
    for margins in [["commune", "sex", "age"], ["age", "sex", "commune"]] {
        let found = calibrated(&original, &margins, &[]).unwrap();
        for name in margins {
            let pairs = totals(&original, name)
                .into_iter()
                .zip(totals(&found, name));
            let apart = pairs.map(|(target, found)| (found / target - 1.0).abs());
            assert!(apart.fold(0.0, f64::max) < 1e-6, "{name}");
        }
    }
}

#[test]
fn more_margins_than_can_be_solved_are_refused_with_their_counts() {
    let told = calibrated(&country(5_000), &["sex", "commune"], &[]);
    let told = told.unwrap_err().to_string();
    assert!(
        told.contains("E-CAL-MANY: there are 5002 margins"),
        "{told}"
    );
    assert!(told.contains("2 of sex, 5000 of commune"), "{told}");
    let asked = [("frontier", RawValue::Flag(true))];
    let told = calibrated(&country(400), &["commune"], &asked);
    let told = told.unwrap_err().to_string();
    assert!(told.contains("up to 300 margins; there are 400"), "{told}");
}
