//! What a reader finds who counts a file after local suppression.

use std::collections::HashMap;
use std::path::Path;

use crate::support::{json, run_expecting};

const KEYS: &str = "gender,income,age,uu,qual,couple,hsize";

/// The fewest records that show what a record shows of the keys: a plain count of the released
/// bytes, in which an empty cell shows nothing and matches nothing.
fn smallest_class(path: &Path) -> usize {
    let text = std::fs::read_to_string(path).unwrap();
    let mut rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = rows.next().unwrap();
    let place = |key: &str| names.iter().position(|name| *name == key).unwrap();
    let places: Vec<usize> = KEYS.split(',').map(place).collect();
    let records: Vec<Vec<&str>> = rows
        .map(|row| places.iter().map(|&at| row[at]).collect())
        .collect();
    let shows = |record: &[&str]| record.iter().map(|cell| !cell.is_empty()).collect();
    let mut by_shown: HashMap<Vec<bool>, Vec<&Vec<&str>>> = HashMap::new();
    for record in &records {
        by_shown.entry(shows(record)).or_default().push(record);
    }
    let smallest = by_shown.iter().map(|(shown, of_shown)| {
        let part = |record: &[&str]| -> Vec<String> {
            let cells = record.iter().zip(shown).filter(|(_, shown)| **shown);
            cells.map(|(cell, _)| (*cell).to_owned()).collect()
        };
        let mut n_records: HashMap<Vec<String>, usize> = HashMap::new();
        for record in &records {
            *n_records.entry(part(record)).or_default() += 1;
        }
        let counts = of_shown.iter().map(|record| n_records[&part(record)]);
        counts.min().unwrap()
    });
    smallest.min().unwrap()
}

/// What `bauta risk` says of the keys: the smallest class, the uniques, the records below 3.
fn risk(folder: &Path, file: &str) -> [f64; 3] {
    let found = json(&run_expecting(
        folder,
        &["risk", file, "--keys", KEYS, "--k", "3", "--json"],
        0,
    ));
    [
        &found["smallest_class"],
        &found["uniques"],
        &found["k"]["3"],
    ]
    .map(|figure| figure.as_f64().unwrap())
}

#[test]
fn who_counts_the_released_file_finds_k_unless_another_count_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run_expecting(folder, &["demo", "d"], 0);
    let mask = |output: &str, more: &[&str]| {
        let plain = [
            "mask",
            "suppress-local",
            "d/survey.csv",
            "--on",
            KEYS,
            "--k",
            "3",
            "-o",
            output,
        ];
        run_expecting(folder, &[&plain[..], more].concat(), 0);
    };
    mask("masked.csv", &[]);
    let plan = format!(
        "[data]\nfile = \"d/survey.csv\"\nmissing = [\"\"]\n[variables]\nid = {{ role = \"identifier\" }}\n\
         [[step]]\nmask = \"suppress-local\"\non = [\"{}\"]\nk = 3\n[output]\nrelease = \"ungated\"\nfile = \"run.csv\"\n",
        KEYS.replace(',', "\", \"")
    );
    std::fs::write(folder.join("plan.toml"), plan).unwrap();
    run_expecting(folder, &["run", "plan.toml"], 0);
    for file in ["masked.csv", "run.csv"] {
        assert!(smallest_class(&folder.join(file)) >= 3, "{file}");
        let [smallest, uniques, below] = risk(folder, file);
        assert!(smallest >= 3.0, "{file}: {smallest}");
        assert!(uniques == 0.0 && below == 0.0, "{file}: {uniques} {below}");
    }
    // What `original` does not promise, stated or implied.
    for (file, more) in [
        ("original.csv", ["--semantics", "original"]),
        ("argus.csv", ["--search", "mu-argus"]),
    ] {
        mask(file, &more);
        assert!(smallest_class(&folder.join(file)) < 3, "{file}");
        let [smallest, _, below] = risk(folder, file);
        assert!(smallest < 3.0 && below > 0.0, "{file}: {smallest} {below}");
    }
}
