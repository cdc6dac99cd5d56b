//! The outliers of the reference files, row by row, and the nearest originals of the masked ones.

use crate::support;

use bauta_data::{Kind, Role, Table, Unwatched};
use bauta_methods::pair::Rows;
use bauta_methods::pair::outliers::outliers;
use bauta_methods::pair::records::traced_to_nearest;
use bauta_methods::{Pair, RunContext};
use serde_json::Value;
use support::{Wanted, read_csv, shared};

/// The columns of a reference file from a position on, as numbers.
fn amounts(path: &std::path::Path, from: usize) -> Table {
    let header = std::fs::read_to_string(path).expect("a reference file");
    let names = header.lines().next().expect("a header").split(',');
    let wanted: Vec<Wanted> = names
        .skip(from)
        .map(|name| Wanted {
            name: name.trim_matches('"').to_owned(),
            role: Role::Other,
            kind: Kind::Continuous,
        })
        .collect();
    read_csv(path, &wanted)
}

fn names(table: &Table) -> Vec<String> {
    table.names().map(str::to_owned).collect()
}

#[test]
fn the_outliers_of_census_and_eia_are_those_of_the_prototype() {
    let Some(folder) = shared() else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("golden/census/golden.json")).expect("golden");
    let golden: Value = serde_json::from_str(&text).expect("JSON");
    // The first five columns of EIA are identifiers.
    for (file, from) in [("census", 0), ("eia", 5)] {
        let table = amounts(&folder.join(format!("data/{file}.csv")), from);
        let marked = outliers(&table, &names(&table), 0.05).expect("outliers");
        let rows: Vec<usize> = (0..marked.len()).filter(|&row| marked[row]).collect();
        let expected: Vec<usize> =
            serde_json::from_value(golden["outliers"][file]["rows0"].clone()).expect("rows");
        assert_eq!(rows, expected, "{file}");
    }
}

#[test]
fn the_nearest_originals_of_the_masked_files_are_those_of_the_prototype() {
    let Some(folder) = shared() else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("golden/census/golden.json")).expect("golden");
    let golden: Value = serde_json::from_str(&text).expect("JSON");
    let original = amounts(&folder.join("data/census.csv"), 0);
    for (name, figures) in golden["census_files"].as_object().expect("files") {
        let masked = amounts(&folder.join(format!("golden/census/{name}")), 0);
        let pair = Pair {
            original: &original,
            masked: &masked,
            rows: Rows::Unrelated,
        };
        let context = RunContext::new(1, "nearest", &Unwatched);
        let traced = traced_to_nearest(&pair, &names(&original), &context).expect("nearest");
        let rows: Vec<usize> = (0..1080).map(|record| traced.source_row(record)).collect();
        let sebe = &figures["seed000"];
        let sum: usize = rows.iter().sum();
        assert_eq!(
            sum as u64,
            sebe["sum_nearest_index0"].as_u64().expect("a sum")
        );
        let own = rows
            .iter()
            .enumerate()
            .filter(|(record, row)| record == *row);
        let share = own.count() as f64 / 10.8;
        let expected = sebe["nearest_is_true_pct"].as_f64().expect("a share");
        assert!(
            (share - expected).abs() < 1e-9,
            "{name}: {share}, not {expected}"
        );
    }
}
