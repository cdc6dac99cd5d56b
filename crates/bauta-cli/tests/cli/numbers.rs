//! All commands read the numbers of a file in the same way, and ask where it does not show one.

use std::path::Path;

use crate::support::{json, run_expecting, stderr, stdout};

/// A file of 40 records with an amount in some spelling and a weight.
fn write(
    folder: &Path,
    file: &str,
    amount: impl Fn(usize) -> String,
    weight: impl Fn(usize) -> String,
) {
    let rows: String = (0..40)
        .map(|i| format!("{};{};{}\n", ["n", "s"][i % 2], amount(i), weight(i)))
        .collect();
    std::fs::write(folder.join(file), format!("region;amount;w\n{rows}")).unwrap();
}

const PLAN: &str = r#"[data]
file = "FILE"
DECIMAL
[variables]
region = { role = "key" }
amount = { role = "sensitive", kind = "continuous" }
w = { role = "weight" }
[[step]]
mask = "top-bottom"
on = ["amount"]
top = 30000
[output]
file = "out.csv"
"#;

fn write_plan(folder: &Path, file: &str, decimal: &str) {
    let plan = PLAN.replace("FILE", file).replace("DECIMAL", decimal);
    std::fs::write(folder.join("plan.toml"), plan).unwrap();
}

fn amounts(folder: &Path, file: &str) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    let rows = text.lines().skip(1);
    rows.map(|row| row.split(';').nth(1).unwrap().to_owned())
        .collect()
}

/// 1,000 to 40,039 with thousands separators, never below 1,000.
fn thousands(i: usize) -> String {
    format!("{},0{:02}", 1 + i, i)
}

#[test]
fn every_command_refuses_what_may_be_thousands_and_shows_both_options() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write(here, "x.csv", thousands, |i| (1 + i % 3).to_string());
    write_plan(here, "x.csv", "");
    let commands: [&[&str]; 5] = [
        &["check", "plan.toml"],
        &["run", "plan.toml"],
        &[
            "mask", "round", "x.csv", "--on", "amount", "--base", "10", "-o", "m.csv",
        ],
        &["compare", "x.csv", "x.csv", "--on", "amount"],
        &["risk", "x.csv", "--keys", "region", "--weight", "amount"],
    ];
    for command in commands {
        let output = run_expecting(here, command, 2);
        let told = stderr(&output);
        assert!(told.contains("`amount`"), "{command:?}: {told}");
        assert!(
            told.contains("decimal = \".\" reads 1,234 as 1234"),
            "{told}"
        );
        assert!(told.contains("decimal = \",\" as 1.234"), "{told}");
        for i in 0..40 {
            assert!(!told.contains(&thousands(i)), "{told}");
        }
    }
    assert!(!here.join("out.csv").exists() && !here.join("m.csv").exists());
}

#[test]
fn a_stated_mark_is_taken_by_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write(here, "x.csv", thousands, |i| (1 + i % 3).to_string());
    for (mark, first, last) in [(".", "1000", "30000"), (",", "1,000", "40,039")] {
        write_plan(here, "x.csv", &format!("decimal = \"{mark}\""));
        run_expecting(here, &["check", "plan.toml"], 0);
        run_expecting(here, &["run", "plan.toml"], 0);
        let released = amounts(here, "out.csv");
        // What is masked is written without separators, with the decimals it has.
        assert_eq!((released[0].as_str(), released[39].as_str()), (first, last));
        let mask = [
            "mask",
            "round",
            "x.csv",
            "--on",
            "amount",
            "--base",
            "10",
            "--decimal",
            mark,
            "-o",
            "m.csv",
        ];
        run_expecting(here, &mask, 0);
        let rounded = amounts(here, "m.csv");
        assert_eq!(
            rounded[39].split(',').next(),
            Some(if mark == "." { "40040" } else { "40" })
        );
        let compare = [
            "compare",
            "x.csv",
            "x.csv",
            "--on",
            "amount",
            "--decimal",
            mark,
            "--json",
        ];
        let compared = json(&run_expecting(here, &compare, 0)).to_string();
        // The mean of 1000 + 1001 i over i = 0 … 39 is 20519.5; with decimals a thousandth of it.
        let mean = if mark == "." { "20519.5" } else { "20.5195" };
        assert!(compared.contains(mean), "{compared}");
        std::fs::remove_file(here.join("m.csv")).unwrap();
        std::fs::remove_file(here.join("out.csv")).unwrap();
    }
}

#[test]
fn a_mark_that_the_file_shows_is_found_by_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write(
        here,
        "x.csv",
        |i| format!("{},5", 100 * i),
        |i| format!("{}.000,25", 1 + i % 3),
    );
    write_plan(here, "x.csv", "");
    run_expecting(here, &["check", "plan.toml"], 0);
    run_expecting(here, &["run", "plan.toml"], 0);
    assert_eq!(amounts(here, "out.csv")[39], "3900,5");
    let text = std::fs::read_to_string(here.join("out.csv")).unwrap();
    assert!(
        text.contains("1.000,25"),
        "untouched columns keep their separators"
    );
    run_expecting(here, &["verify", "out.record.json"], 0);
    let mask = [
        "mask", "round", "x.csv", "--on", "amount", "--base", "1", "-o", "m.csv",
    ];
    run_expecting(here, &mask, 0);
    assert!(
        amounts(here, "m.csv")
            .iter()
            .all(|amount| !amount.contains('.'))
    );
    let compared = json(&run_expecting(
        here,
        &["compare", "x.csv", "x.csv", "--on", "amount,w", "--json"],
        0,
    ));
    assert!(compared.to_string().contains("1950.5"), "{compared}");
    let inspected = json(&run_expecting(here, &["inspect", "x.csv", "--json"], 0));
    assert_eq!(inspected["profile"]["decimal"], ",");
}

#[test]
fn separators_that_other_columns_explain_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write(here, "x.csv", thousands, |i| format!("{}.5", 1 + i % 3));
    write_plan(here, "x.csv", "");
    let output = run_expecting(here, &["run", "plan.toml", "--json"], 0);
    let notes = &json(&output)["notes"];
    assert_eq!(notes[0]["id"], "thousands-separators");
    assert_eq!(notes[0]["variable"], "amount");
    assert_eq!(amounts(here, "out.csv")[39], "30000");
    let record: serde_json::Value =
        serde_json::from_slice(&std::fs::read(here.join("out.record.json")).unwrap()).unwrap();
    assert_eq!(record["notes"][0]["public"], false);
    let verified = run_expecting(here, &["verify", "out.record.json"], 0);
    assert!(stdout(&verified).contains("notes on the data"));
}

#[test]
fn init_asks_and_the_plan_is_refused_until_it_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write(here, "x.csv", thousands, |i| (1 + i % 3).to_string());
    let output = run_expecting(here, &["init", "x.csv"], 0);
    let told = stdout(&output);
    assert!(told.contains("QUESTION: variable `amount`"), "{told}");
    let plan = std::fs::read_to_string(here.join("plan.toml")).unwrap();
    assert!(
        plan.contains("# LOOK: the decimal mark is not clear"),
        "{plan}"
    );
    let refused = |command: &str| stderr(&run_expecting(here, &[command, "plan.toml"], 2));
    let checked = refused("check");
    assert!(
        checked.contains("decimal = \".\" reads 1,234 as 1234"),
        "{checked}"
    );
    assert_eq!(checked, refused("run"));
    for (answer, mean) in [(".", "20519.5"), (",", "20.5195")] {
        let line = format!("decimal = \"{answer}\"");
        let answered = plan.replace(&format!("# {line}"), &line);
        assert_ne!(answered, plan);
        std::fs::write(here.join("plan.toml"), answered).unwrap();
        run_expecting(here, &["check", "plan.toml"], 0);
        let found = json(&run_expecting(here, &["run", "plan.toml", "--json"], 0)).to_string();
        assert!(found.contains(mean), "{found}");
    }
}
