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
release = "ungated"
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

/// The mean of the amounts as each command reads them: with the other column declared, as a key or not
/// at all, and without a plan; nothing where it refuses.
fn means(here: &Path, file: &str) -> Vec<(&'static str, Option<f64>)> {
    let run = |other: &str| {
        let plan = format!(
            "[data]\nfile = \"{file}\"\n[variables]\n\
             amount = {{ role = \"sensitive\", kind = \"continuous\" }}\n{other}\n\
             [[measure]]\nuse = [\"univariate-summary\"]\n[output]\nrelease = \"ungated\"\nfile = \"out.csv\"\n"
        );
        std::fs::write(here.join("plan.toml"), plan).unwrap();
        mean(here, &["run", "plan.toml", "--force", "--json"])
    };
    let compare = ["compare", file, file, "--json", "--on", "amount"];
    let by_run = [
        (
            "run with the other as numbers",
            run("w = { role = \"other\", kind = \"continuous\" }"),
        ),
        ("run with the other as a key", run("w = { role = \"key\" }")),
        (
            "run with the other as an identifier",
            run("w = { role = \"identifier\" }"),
        ),
        ("run without the other", run("")),
    ];
    let by_others = [
        ("compare --on amount", mean(here, &compare)),
        ("compare", mean(here, &compare[..4])),
        ("init", {
            let written = crate::support::run(here, &["init", file, "--force"]);
            assert_eq!(written.status.code(), Some(0), "{}", stderr(&written));
            mean(here, &["run", "plan.toml", "--force", "--json"])
        }),
        ("mask", masked_mean(here, file)),
    ];
    by_run.into_iter().chain(by_others).collect()
}

/// The mean of the amount that a command tells, if it does not refuse the file.
fn mean(here: &Path, command: &[&str]) -> Option<f64> {
    fn found(value: &serde_json::Value) -> Option<f64> {
        match value {
            serde_json::Value::Object(fields) => {
                let here = fields
                    .get("amount.mean")
                    .and_then(serde_json::Value::as_f64);
                here.or_else(|| fields.values().find_map(found))
            }
            serde_json::Value::Array(items) => items.iter().find_map(found),
            _ => None,
        }
    }
    let output = crate::support::run(here, command);
    match output.status.code() {
        Some(0) => Some(found(&json(&output)).expect("a mean of the amounts")),
        Some(2) => {
            let told = stdout(&output) + &stderr(&output);
            assert!(told.contains("decimal ="), "{command:?}: {told}");
            None
        }
        other => panic!("{command:?}: {other:?} {}", stderr(&output)),
    }
}

/// The mean of the amounts after they were rounded to tens.
fn masked_mean(here: &Path, file: &str) -> Option<f64> {
    let mask = [
        "mask", "round", file, "--on", "amount", "--base", "10", "-o", "m.csv", "--force",
    ];
    let output = crate::support::run(here, &mask);
    if output.status.code() == Some(2) {
        assert!(stderr(&output).contains("decimal"), "{}", stderr(&output));
        return None;
    }
    let masked = amounts(here, "m.csv");
    let number = |text: &String| text.replace(',', ".").parse::<f64>().unwrap();
    Some(masked.iter().map(number).sum::<f64>() / masked.len() as f64)
}

/// How the cells of a column are written.
type Cell<'a> = Box<dyn Fn(usize) -> String + 'a>;

/// A column may be read as numbers by one command and not by another: what it shows of the decimal mark
/// must not depend on that, or the same amounts are a thousand times larger here than there.
#[test]
fn every_command_reads_the_same_numbers_whatever_else_it_reads() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let points = |i: usize| format!("{}.{:03}", 1 + i % 9, (617 * i) % 1000);
    let commas = |i: usize| points(i).replace('.', ",");
    // The mean where the separator is one of thousands; a thousandth of it where it is one of decimals.
    let thousands_mean = (0..40)
        .map(|i| f64::from(1000 * (1 + i % 9) + (617 * i) % 1000))
        .sum::<f64>()
        / 40.0;
    let half = |i: usize, mark: char| format!("{}{mark}5", 1 + i % 4);
    let cases: [(Cell<'_>, Cell<'_>, Option<f64>); 7] = [
        (Box::new(points), Box::new(|i| half(i, ',')), Some(1000.0)),
        (Box::new(points), Box::new(|i| half(i, '.')), Some(1.0)),
        (Box::new(commas), Box::new(|i| half(i, '.')), Some(1000.0)),
        (Box::new(commas), Box::new(|i| half(i, ',')), Some(1.0)),
        // Days are no decimals, and leave the question open.
        (
            Box::new(commas),
            Box::new(|i| format!("{:02}.{:02}", 1 + i % 28, 1 + i % 12)),
            None,
        ),
        (
            Box::new(points),
            Box::new(|i| format!("{}.{:02}", 2003 + i % 3, 1 + i % 12)),
            Some(1.0),
        ),
        (Box::new(|i| half(i, ',')), Box::new(|i| half(i, '.')), None),
    ];
    for (case, (amount, other, factor)) in cases.iter().enumerate() {
        write(here, "x.csv", amount, other);
        for (command, mean) in means(here, "x.csv") {
            let expected = factor.map(|factor| thousands_mean * factor / 1000.0);
            match (mean, expected) {
                (None, None) => {}
                // Rounding to tens moves a mean by 5 at most.
                (Some(mean), Some(expected)) if (mean - expected).abs() <= 5.0 => {}
                wrong => panic!("case {case}, {command}: {wrong:?}"),
            }
        }
    }
}
