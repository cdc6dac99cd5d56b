//! `bauta init --advise`: answers by flags, and what is said where there are none.

use crate::support::{json, run_expecting, stderr, stdout};

/// Sixty records of three keys.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let row = |i: usize| {
        let (sex, region) = (["f", "m"][i % 2], ["north", "south"][i / 2 % 2]);
        format!("{sex},{region},{}\n", ["cook", "clerk", "nurse"][i % 3])
    };
    let rows: String = (0..60).map(row).collect();
    std::fs::write(
        folder.path().join("x.csv"),
        format!("sex,region,job\n{rows}"),
    )
    .unwrap();
    folder
}

const ANSWERS: [&str; 6] = [
    "--recipient",
    "secure",
    "--needs",
    "relations,counts",
    "--intruder",
    "neighbour",
];

#[test]
fn flags_answer_all_questions_and_the_plan_says_what_was_answered() {
    let folder = folder();
    let arguments = [&["init", "x.csv"][..], &ANSWERS].concat();
    let shown = stdout(&run_expecting(folder.path(), &arguments, 0));
    let (_, answers) = shown.split_once("Your answers\n").unwrap();
    let (answers, _) = answers.split_once("\n\n").unwrap();
    insta::assert_snapshot!(answers, @r"
      Who gets the file? Researchers in a supervised room
      What do they need from it? Counts and cross tables; Relations between variables
      Who could want to find whom? Somebody who knows one person
    ");
    let plan = std::fs::read_to_string(folder.path().join("plan.toml")).unwrap();
    assert!(plan.contains("written by `bauta init --advise`"));
    assert!(plan.contains("#   Who gets the file? Researchers in a supervised room.\n"));
    run_expecting(folder.path(), &["check", "plan.toml"], 0);
}

#[test]
fn programs_get_the_answers_and_the_reason_of_every_part() {
    let folder = folder();
    let arguments = [&["init", "x.csv", "--json"][..], &ANSWERS].concat();
    let told = json(&run_expecting(folder.path(), &arguments, 0));
    assert_eq!(told["answers"]["recipient"], "secure");
    assert_eq!(told["answers"]["needs"][1], "relations");
    assert_eq!(told["answers"]["intruder"][0], "neighbour");
    let because = told["because"].as_array().unwrap();
    let of_k = |reason: &&serde_json::Value| reason["what"] == "gate k-anonymity at least 3";
    let of_k = because.iter().find(of_k).unwrap();
    assert_eq!(of_k["page"], "docs/concepts/risk-and-loss.md#counting-keys");
    let raw = json(&run_expecting(
        folder.path(),
        &["init", "x.csv", "-o", "b.toml", "--json"],
        0,
    ));
    assert!(raw.get("because").is_none());
}

#[test]
fn a_mistyped_answer_says_what_may_be_answered() {
    let folder = folder();
    let said = run_expecting(folder.path(), &["init", "x.csv", "--recipient", "pubic"], 2);
    insta::assert_snapshot!(stderr(&said), @r"
    error: invalid value 'pubic' for '--recipient <ANSWER>'
      [possible values: public, teaching, scientific, secure]

      tip: a similar value exists: 'public'

    For more information, try '--help'.
    ");
    assert!(!folder.path().join("plan.toml").exists());
}

#[test]
fn without_a_terminal_the_flags_that_are_missing_are_named() {
    let folder = folder();
    let said = run_expecting(
        folder.path(),
        &["init", "x.csv", "--recipient", "public"],
        2,
    );
    insta::assert_snapshot!(stderr(&said), @r"
    error: there is no terminal to ask questions on
      hint: answer with --needs counts|means|relations|detail|weights --intruder neighbour|household|register|journalist|worst-case
    ");
    assert!(!folder.path().join("plan.toml").exists());
}
