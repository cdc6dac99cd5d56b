//! The verdict decides the exit code, whatever becomes of the printing; names command no terminal.

use std::fs::File;
use std::path::Path;
use std::process::Stdio;

use crate::support::{bauta, run, run_expecting, stderr, stdout};

const PLAN: &str = r#"[data]
file = "x.csv"
[variables]
a = { role = "key" }
[[measure]]
use = ["k-anonymity"]
[[gate]]
measure = "k-anonymity"
at_least = 2
[output]
file = "out.csv"
"#;

/// A file in which everybody is alone, a plan whose gate fails, and one whose gate holds.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.csv"), "a\n1\n2\n3\n").unwrap();
    std::fs::write(folder.path().join("fails.toml"), PLAN).unwrap();
    let holds = PLAN.replace("at_least = 2", "part = \"classes\"\nat_most = 3");
    std::fs::write(folder.path().join("holds.toml"), holds).unwrap();
    folder
}

fn full() -> Stdio {
    File::options()
        .write(true)
        .open("/dev/full")
        .unwrap()
        .into()
}

/// The exit code with these places for what is printed.
fn code(folder: &Path, arguments: &[&str], out: Stdio, talk: Stdio) -> Option<i32> {
    let mut command = bauta(folder);
    command.args(arguments).stdout(out).stderr(talk);
    command.status().unwrap().code()
}

/// The exit code if nobody reads what is printed.
fn unread(folder: &Path, arguments: &[&str]) -> Option<i32> {
    // Closed before the command starts, or a fast one could be done before.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = bauta(folder);
    let command = command.args(arguments).stdout(writer);
    let status = command.stderr(Stdio::null()).status();
    status.unwrap().code()
}

#[cfg(target_os = "linux")]
#[test]
fn a_refusal_is_a_refusal_whoever_listens() {
    let folder = folder();
    let folder = folder.path();
    run_expecting(folder, &["run", "holds.toml"], 0);
    let record = std::fs::read_to_string(folder.join("out.record.json")).unwrap();
    let forged = record.replacen("\"n_records\": 3", "\"n_records\": 4", 1);
    std::fs::write(folder.join("forged.json"), forged).unwrap();
    for refused in [&["run", "fails.toml"][..], &["verify", "forged.json"]] {
        for json in [&[][..], &["--json"]] {
            let arguments = [refused, json].concat();
            run_expecting(folder, &arguments, 1);
            assert_eq!(unread(folder, &arguments), Some(1), "{arguments:?}");
            let lost_out = code(folder, &arguments, full(), Stdio::null());
            assert_eq!(lost_out, Some(1), "{arguments:?}");
            let lost_talk = code(folder, &arguments, Stdio::null(), full());
            assert_eq!(lost_talk, Some(1), "{arguments:?}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_lost_is_an_error_and_an_error_stays_one() {
    let folder = folder();
    let folder = folder.path();
    run_expecting(folder, &["run", "holds.toml"], 0);
    for fine in [
        &["run", "holds.toml"][..],
        &["report", "out.record.json"],
        &["report", "out.record.json", "--json"],
        &["verify", "out.record.json"],
        &["list"],
        &["list", "--json"],
        &["explain", "rank-swap"],
        &["completions", "bash"],
        &["--help"],
        &["risk", "x.csv", "--keys", "a"],
        &["inspect", "x.csv"],
        &["check", "holds.toml"],
    ] {
        run_expecting(folder, fine, 0);
        assert_eq!(
            code(folder, fine, full(), Stdio::null()),
            Some(2),
            "{fine:?}"
        );
        assert_eq!(unread(folder, fine), Some(2), "{fine:?}");
    }
    let mut lost = bauta(folder);
    let lost = lost.args(["list"]).stdout(full()).output().unwrap();
    assert!(stderr(&lost).contains("standard output was lost"));
    for wrong in [
        &["run", "absent.toml"][..],
        &["frobnicate"],
        &["run", "x.csv"],
    ] {
        for json in [&[][..], &["--json"]] {
            let wrong = [wrong, json].concat();
            run_expecting(folder, &wrong, 2);
            assert_eq!(code(folder, &wrong, full(), full()), Some(2), "{wrong:?}");
            assert_eq!(unread(folder, &wrong), Some(2), "{wrong:?}");
        }
    }
    // Talk that is lost is lost output, too; a command that has nothing to say loses nothing.
    let mask = [
        "mask", "round", "x.csv", "--on", "a", "--base", "2", "-o", "o.csv",
    ];
    assert_eq!(code(folder, &mask, Stdio::null(), full()), Some(2));
    assert_eq!(code(folder, &["list"], Stdio::null(), full()), Some(0));
}

#[test]
fn no_name_commands_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // A name that clears the screen, turns writing around, and speaks in the eight-bit way.
    let name = "a\u{1b}[2J\u{202e}\u{9b}31m";
    let rows: String = (0..30).map(|i| format!("{i},{}\n", i % 3)).collect();
    std::fs::write(folder.join("x.csv"), format!("{name},b\n{rows}")).unwrap();
    let quoted = "\"a\\u001b[2J\\u202e\\u009b31m\"";
    let plan = format!(
        "[data]\nfile = \"x.csv\"\n[variables]\n{quoted} = {{ role = \"key\", label = {quoted} }}\n\
         b = {{ role = \"sensitive\" }}\n[output]\nfile = \"out.csv\"\n"
    );
    std::fs::write(folder.join("plan.toml"), &plan).unwrap();
    let wrong = plan.replace("[output]", &format!("[[step]]\nmask = {quoted}\n[output]"));
    std::fs::write(folder.join("wrong.toml"), wrong).unwrap();
    std::fs::write(folder.join("broken.toml"), format!("{name} = \"{name}\"\n")).unwrap();
    let commands: [&[&str]; 12] = [
        &["inspect", "x.csv"],
        &["init", "x.csv", "-o", "new.toml"],
        &["check", "plan.toml"],
        &["run", "plan.toml"],
        &["run", "wrong.toml"],
        &["run", "broken.toml"],
        &["risk", "x.csv", "--keys", name],
        &["explain-record", "x.csv", "--keys", name, "--row", "1"],
        &["compare", "x.csv", "x.csv", "--keys", name],
        &[
            "mask",
            "rank-swap",
            "x.csv",
            "--on",
            name,
            "--window",
            "0.2",
            "-o",
            "m.csv",
        ],
        &["risk", "x.csv", "--keys", "a\u{1b}[2Jb"],
        &["explain", name],
    ];
    for arguments in commands {
        let output = run(folder, arguments);
        for text in [stdout(&output), stderr(&output)] {
            let harmful = text.contains(['\u{1b}', '\u{202e}', '\u{9b}']);
            assert!(!harmful, "{arguments:?}: {text:?}");
        }
    }
    let output = run(folder, &["inspect", "x.csv"]);
    assert!(
        stdout(&output).contains("u{1b}"),
        "it is shown all the same"
    );
}

/// Entropy l of 20001, 20000 and 20000 is 3 less some 1e-9: what the tables print must not say 3, where the
/// gate says that it is less.
#[test]
fn no_table_contradicts_the_verdict_of_a_gate() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let mut rows = String::from("k,s\n");
    for class in ["a", "b"] {
        for (answer, n_records) in [("x", 20_001), ("y", 20_000), ("z", 20_000)] {
            rows.push_str(&format!("{class},{answer}\n").repeat(n_records));
        }
    }
    std::fs::write(here.join("x.csv"), rows).unwrap();
    let plan = |at_least: &str, report: &str| {
        format!(
            "[data]\nfile = \"x.csv\"\n[variables]\nk = {{ role = \"key\" }}\n\
             s = {{ role = \"sensitive\" }}\n[[measure]]\nuse = [\"l-diversity\"]\n\
             kind = \"entropy\"\n[[gate]]\nmeasure = \"l-diversity\"\n\
             at_least = {at_least}\n[output]\nfile = \"o.csv\"\nreport = \"{report}\"\n"
        )
    };
    std::fs::write(here.join("plan.toml"), plan("3", "o.html")).unwrap();
    let told = stdout(&run_expecting(here, &["run", "plan.toml"], 1));
    let row = |told: &str| {
        let row = told
            .lines()
            .find(|line| line.contains("smallest entropy l"));
        let cells = row.expect("a row of the table").split('|').map(str::trim);
        cells.map(str::to_owned).collect::<Vec<_>>()
    };
    let judged = told
        .split_whitespace()
        .find(|word| word.starts_with("2.99999"));
    let judged = judged.unwrap_or_else(|| panic!("{told}"));
    assert!(told.contains(&format!("{judged} FAILS")), "{told}");
    assert!(
        row(&told).iter().filter(|cell| *cell == judged).count() == 2,
        "{told}"
    );
    let report = std::fs::read_to_string(here.join("o.html")).unwrap();
    let rows = report
        .split("<tr")
        .filter(|row| row.contains("Smallest entropy l"));
    for row in rows {
        assert!(row.contains(">2.999999999"), "{row}");
    }
    assert!(report.contains("Smallest entropy l"));
    // A limit that four digits tell apart needs no more; the zeros say that it is not the whole number.
    std::fs::write(here.join("plan.toml"), plan("2.5", "p.html")).unwrap();
    let told = stdout(&run_expecting(here, &["run", "plan.toml"], 0));
    assert!(row(&told).iter().any(|cell| cell == "3.000"), "{told}");
}
