//! Steps on the keys of several scenarios: who knows what, and what the released file is counted by.

use std::collections::HashMap;
use std::path::Path;

use bauta_plan::RunRecord;

use crate::support::{OUTPUT, check, folder, record_of};

/// Forty persons in twenty households: two keys that a neighbour knows, two that a colleague does, and the
/// one they share.
fn people() -> String {
    let mut rows = String::from("home,region,sex,age,job\n");
    for i in 0_usize..40 {
        let region = ["north", "south", "east"][(i / 2) % 3];
        let sex = ["f", "m"][(i * i + i / 3) % 2];
        let age = 20 + (i * 7) % 5;
        let job = ["a", "b", "c", "d"][(i / 3 + i % 2) % 4];
        rows.push_str(&format!("h{},{region},{sex},{age},{job}\n", i / 2));
    }
    rows
}

const DATA: &str = r#"[data]
file = "people.csv"
[variables]
home = { role = "household" }
region = { role = "key" }
sex = { role = "key" }
age = { role = "key", kind = "ordered" }
job = { role = "key" }
"#;

const SCENARIOS: &str = r#"[[scenario]]
name = "neighbour"
keys = ["region", "sex", "age"]
[[scenario]]
name = "colleague"
keys = ["age", "job"]
"#;

fn run_plan(text: &str) -> (RunRecord, String) {
    let folder = folder();
    std::fs::write(folder.path().join("people.csv"), people()).unwrap();
    let record = record_of(folder.path(), text);
    assert!(record.released.is_some(), "{:?}", record.claims);
    let written = std::fs::read_to_string(folder.path().join("out.csv")).unwrap();
    (record, written)
}

/// Records of a file whose values on some columns fewer than `k` records show; a blank is compared with
/// nothing.
fn n_rare(csv: &str, columns: &[usize], k: usize) -> usize {
    let rows: Vec<Vec<&str>> = csv
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            columns.iter().map(|&column| cells[column]).collect()
        })
        .collect();
    let matches =
        |row: &[&str], other: &[&str]| row.iter().zip(other).all(|(a, b)| a.is_empty() || a == b);
    let n_like = |row: &Vec<&str>| rows.iter().filter(|other| matches(row, other)).count();
    rows.iter().filter(|row| n_like(row) < k).count()
}

fn claims(record: &RunRecord) -> Vec<(&str, String, bool)> {
    let claims = record.claims.iter();
    claims
        .map(|claim| (claim.by.as_str(), claim.keys_in_words(), claim.holds))
        .collect()
}

#[test]
fn a_step_that_names_nothing_reaches_k_for_every_scenario() {
    let step = "[[step]]\nmask = \"suppress-local\"\nk = 4\n";
    let (record, csv) = run_plan(&format!("{DATA}{SCENARIOS}{step}{OUTPUT}"));
    assert_eq!(
        claims(&record),
        [
            (
                "step `suppress-local` (neighbour)",
                "region, sex, age".to_owned(),
                true
            ),
            (
                "step `suppress-local` (colleague)",
                "age, job".to_owned(),
                true
            ),
        ]
    );
    assert_eq!(record.steps[0].on, ["region", "sex", "age", "job"]);
    // home, region, sex, age, job
    assert_eq!(
        (n_rare(&csv, &[1, 2, 3], 4), n_rare(&csv, &[3, 4], 4)),
        (0, 0)
    );
    assert!(n_rare(&people(), &[1, 2, 3], 4) > 0 && n_rare(&people(), &[3, 4], 4) > 0);

    // One step after the other: the second takes matches from the first.
    let of = |scenario: &str, kept: &str| {
        format!(
            "[[step]]\nmask = \"suppress-local\"\nk = 3\nscenarios = [\"{scenario}\"]\ncosts = {{ {kept} = 9 }}\n"
        )
    };
    let steps = of("neighbour", "age") + &of("colleague", "job");
    let (record, csv) = run_plan(&format!("{DATA}{SCENARIOS}{steps}{OUTPUT}"));
    assert_eq!(n_rare(&csv, &[3, 4], 3), 0);
    assert!(n_rare(&csv, &[1, 2, 3], 3) > 0);
    assert_eq!(
        record.claims.len(),
        1,
        "and the first step's claim is no longer made"
    );
}

#[test]
fn variables_and_no_scenario_are_one_set_as_before() {
    let step = "[[step]]\nmask = \"suppress-local\"\nk = 4\non = [\"age\", \"job\"]\n";
    let (record, csv) = run_plan(&format!("{DATA}{SCENARIOS}{step}{OUTPUT}"));
    assert_eq!(
        claims(&record),
        [("step `suppress-local`", "age, job".to_owned(), true)]
    );
    assert_eq!(n_rare(&csv, &[3, 4], 4), 0);
    // Without scenarios all keys together are one.
    let step = "[[step]]\nmask = \"suppress-local\"\nk = 4\n";
    let (record, csv) = run_plan(&format!("{DATA}{step}{OUTPUT}"));
    assert_eq!(record.claims.len(), 1);
    assert_eq!(n_rare(&csv, &[1, 2, 3, 4], 4), 0);
}

#[test]
fn every_combination_of_keys_is_counted_in_the_released_bytes() {
    let step =
        "[[step]]\nmask = \"suppress-local\"\nk = 4\nscenarios = [\"neighbour\"]\nsubsets = 2\n";
    let (record, csv) = run_plan(&format!("{DATA}{SCENARIOS}{step}{OUTPUT}"));
    let expected = "every 2 of region, sex, age".to_owned();
    assert_eq!(
        claims(&record),
        [("step `suppress-local` (neighbour)", expected, true)]
    );
    let pairs = [[1, 2], [1, 3], [2, 3]];
    assert!(pairs.iter().all(|pair| n_rare(&csv, pair, 4) == 0));
    assert!(pairs.iter().any(|pair| n_rare(&people(), pair, 4) > 0));
    assert!(n_rare(&csv, &[1, 2, 3], 4) > 0, "all three are not claimed");
    assert_eq!(record.claims[0].subsets, Some(2));
}

#[test]
fn household_keys_are_blanked_for_whole_households_in_the_released_bytes() {
    let step = "[[step]]\nmask = \"suppress-local\"\nk = 5\non = [\"region\", \"sex\", \"age\"]\n\
                household_keys = [\"region\"]\ncosts = { region = 0.1 }\n";
    let (record, csv) = run_plan(&format!("{DATA}{step}{OUTPUT}"));
    assert!(record.claims.iter().all(|claim| claim.holds));
    let mut regions: HashMap<&str, Vec<&str>> = HashMap::new();
    for line in csv.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        regions.entry(cells[0]).or_default().push(cells[1]);
    }
    let blanked = |region: &&str| region.is_empty();
    let mixed = |members: &&Vec<&str>| members.iter().any(blanked) && !members.iter().all(blanked);
    assert_eq!(regions.values().filter(mixed).count(), 0);
    assert!(regions.values().any(|members| members.iter().all(blanked)));
    assert_eq!(n_rare(&csv, &[1, 2, 3], 5), 0);
}

#[test]
fn wrong_scenarios_are_told_with_what_was_meant() {
    let folder = folder();
    std::fs::write(folder.path().join("people.csv"), people()).unwrap();
    let problems = |step: &str| -> Vec<(String, String)> {
        let text =
            format!("{DATA}{SCENARIOS}[[step]]\nmask = \"suppress-local\"\n{step}\n{OUTPUT}");
        let problems = check(Path::new(folder.path()), &text)
            .err()
            .unwrap_or_default();
        let told = problems.into_iter();
        told.map(|problem| (problem.message, problem.hint))
            .collect()
    };
    let found = problems("scenarios = [\"neighbor\", \"colleague\"]");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, "there is no scenario `neighbor`");
    assert!(found[0].1.contains("neighbour"), "{found:?}");
    let found = problems("scenarios = [\"neighbour\"]\non = [\"age\"]");
    assert!(
        found[0].0.contains("names variables in `on` and scenarios"),
        "{found:?}"
    );
    let found = problems("scenarios = 3");
    assert!(
        found[0].0.contains("must be names of scenarios"),
        "{found:?}"
    );
    let found = problems("scenarios = [\"colleague\"]\ncosts = { region = 2 }");
    assert!(found[0].0.contains("`costs` names `region`"), "{found:?}");
    let found = problems("household_keys = [\"regoin\"]");
    assert!(
        found
            .iter()
            .any(|(message, hint)| message.contains("regoin") && hint.contains("region"))
    );
    // A key that an earlier step dropped tells nobody anything.
    let dropped = format!(
        "{DATA}{SCENARIOS}[[step]]\nmask = \"drop-identifiers\"\non = [\"job\"]\n[[step]]\nmask = \"suppress-local\"\nk = 4\n{OUTPUT}"
    );
    let plan = check(Path::new(folder.path()), &dropped).unwrap_or_else(|p| panic!("{p:#?}"));
    assert_eq!(plan.steps[1].on, ["region", "sex", "age"]);
}
