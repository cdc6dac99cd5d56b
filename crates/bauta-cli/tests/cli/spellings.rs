//! Several spellings of one category are told by their number, and folded where that is asked for.

use std::path::Path;

use crate::support::{json, run_expecting, stdout};

/// 60 records: 20 of "hiv" in six spellings (10 as "HIV"), 30 of "flu", 6 of "N/A", 4 of "unknown".
fn write(folder: &Path) {
    let spelled = ["HIV ", "hiv", "\u{200b}HIV", "HIV\u{a0}", "ＨＩＶ"];
    let rows: String = (0..60)
        .map(|at| {
            let illness = match at {
                0..10 => "HIV",
                10..20 => spelled[at % 5],
                20..50 => "flu",
                50..56 => "N/A",
                _ => "unknown",
            };
            format!("{},{illness},{at}\n", ["n", "s"][at % 2])
        })
        .collect();
    std::fs::write(folder.join("x.csv"), format!("region,illness,pay\n{rows}")).unwrap();
}

fn write_plan(folder: &Path, spellings: &str) {
    let plan = format!(
        r#"[data]
file = "x.csv"
[variables]
region = {{ role = "key" }}
illness = {{ role = "sensitive"{spellings} }}
[[measure]]
use = ["l-diversity"]
[output]
release = "ungated"
file = "out.csv"
record = "record.json"
"#
    );
    std::fs::write(folder.join("plan.toml"), plan).unwrap();
}

fn note<'a>(notes: &'a serde_json::Value, id: &str) -> Option<&'a serde_json::Value> {
    notes
        .as_array()
        .unwrap()
        .iter()
        .find(|note| note["id"] == id)
}

fn record(folder: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(folder.join("record.json")).unwrap()).unwrap()
}

#[test]
fn inspect_and_init_tell_how_many_spellings_there_are_and_show_none() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write(here);
    let shown = stdout(&run_expecting(here, &["inspect", "x.csv"], 0));
    // HIV in six spellings, flu, N/A, unknown.
    assert!(
        shown.contains("illness has 9 values that may be 4"),
        "{shown}"
    );
    assert!(
        shown.contains("illness has 10 cells that may mean \"no value\""),
        "{shown}"
    );
    assert!(!shown.contains("HIV"));
    run_expecting(here, &["init", "x.csv"], 0);
    let plan = std::fs::read_to_string(here.join("plan.toml")).unwrap();
    assert!(plan.contains("# LOOK: illness has 9 values that may be 4"));
    assert!(!plan.contains("HIV"));
    let folded = run_expecting(
        here,
        &["inspect", "x.csv", "--fold-spellings", "illness", "--json"],
        0,
    );
    let profile = &json(&folded)["profile"];
    assert_eq!(profile["columns"][1]["n_distinct"], 4);
}

#[test]
fn the_record_tells_the_spellings_and_l_diversity_warns() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write(here);
    write_plan(here, "");
    run_expecting(here, &["run", "plan.toml"], 0);
    let record = record(here);
    let told = note(&record["notes"], "spellings").expect("a note");
    assert_eq!(told["variable"], "illness");
    assert_eq!(told["n_values"], 9);
    assert_eq!(told["n_categories"], 4);
    let missing = note(&record["notes"], "possibly-missing").expect("a note");
    assert_eq!(missing["n_cells"], 10);
    let whole = record.to_string();
    assert!(
        whole.contains("counts 9 values that may be 4"),
        "l-diversity says so"
    );
}

#[test]
fn folded_spellings_are_released_and_the_record_says_how_many_cells_changed() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write(here);
    write_plan(here, ", spellings = \"fold\"");
    run_expecting(here, &["run", "plan.toml"], 0);
    let record = record(here);
    assert!(note(&record["notes"], "spellings").is_none());
    let folded = note(&record["notes"], "spellings-folded").expect("a note");
    assert_eq!(folded["n_cells"], 10);
    let released = std::fs::read_to_string(here.join("out.csv")).unwrap();
    assert_eq!(released.matches(",HIV,").count(), 20);
    assert!(!released.contains("hiv"));
    run_expecting(here, &["verify", "record.json"], 0);
    // The same on the command line, for a file that no plan describes.
    let mask = ["mask", "round", "x.csv", "--on", "pay", "--base", "10"];
    let mask = [
        &mask[..],
        &["--fold-spellings", "illness", "-o", "masked.csv"],
    ]
    .concat();
    run_expecting(here, &mask, 0);
    let masked = std::fs::read_to_string(here.join("masked.csv")).unwrap();
    assert_eq!(masked.matches(",HIV,").count(), 20);
}

#[test]
fn numbers_and_unknown_variables_cannot_be_folded() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write(here);
    write_plan(here, ", kind = \"continuous\", spellings = \"fold\"");
    let refused = run_expecting(here, &["check", "plan.toml"], 2);
    let message = crate::support::stderr(&refused);
    assert!(
        message.contains("the spellings of numbers mean nothing"),
        "{message}"
    );
    let unknown = run_expecting(here, &["inspect", "x.csv", "--fold-spellings", "ilness"], 2);
    let message = crate::support::stderr(&unknown);
    assert!(message.contains("did you mean `illness`?"), "{message}");
}
