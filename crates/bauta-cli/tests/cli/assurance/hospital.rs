//! 400 patients with exact birth dates: what `init` proposes does not let them go, and what it proposes in comments
//! protects them.

use std::collections::HashMap;
use std::path::Path;

use crate::support::{json, run_expecting, stdout};

/// A number that repeats no pattern of its record.
fn scattered(record: usize, modulus: usize) -> usize {
    (record * 7919 + record * record * 31) % modulus
}

/// 400 patients; birth dates of their own, as hospitals keep them.
fn patients() -> String {
    let mut text =
        String::from("patient_id,name,birth_date,sex,postcode,diagnosis,cost,household\n");
    for record in 0..400 {
        // Months of 28 days, so that every number of days is a date of its own.
        let days = record * 61;
        let (year, month, day) = (1930 + days / 336, 1 + days / 28 % 12, 1 + days % 28);
        text.push_str(&format!(
            "P{record:04},Patient {record},{year}-{month:02}-{day:02},{},{},{},{},{}\n",
            ["f", "m"][record % 2],
            10_000 + scattered(record, 89_999),
            ["I10", "E11", "J45", "C50"][scattered(record, 4)],
            100 + scattered(record, 99_991),
            record / 2
        ));
    }
    text
}

/// The plan with every step that it proposes in comments.
pub(crate) fn with_proposals(plan: &str) -> String {
    let mut inside = false;
    let lines = plan.lines().map(|line| {
        inside = line.starts_with("# [[step]]") || (inside && line.starts_with("# "));
        let line = if inside { &line[2..] } else { line };
        format!("{line}\n")
    });
    lines.collect()
}

fn written(folder: &Path, file: &str) -> String {
    std::fs::read_to_string(folder.join(file)).unwrap()
}

#[test]
fn patients_with_birth_dates_stay_in_the_house_until_they_are_protected() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("patients.csv"), patients()).unwrap();
    run_expecting(here, &["init", "patients.csv"], 0);
    let plan = written(here, "plan.toml");
    // The name of the file claims nothing, and there are conditions.
    assert!(!plan.contains("protected") && plan.contains("file = \"patients-out.csv\""));
    assert!(plan.contains("\n[[gate]]\nmeasure = \"k-anonymity\"\nat_least = 5\n"));
    assert!(
        plan.contains("\n[[gate]]\nmeasure = \"individual-risk\"\npart = \"max\"\nat_most = 0.2\n")
    );
    // Steps stand there as comments, with reasons from the data.
    assert!(plan.contains("# birth_date has 400 different values, 400 of one record alone"));
    run_expecting(here, &["check", "plan.toml"], 0);
    let output = run_expecting(here, &["run", "plan.toml"], 1);
    let shown = stdout(&output);
    assert!(
        shown.contains("k-anonymity (all keys) at least 5: 1 FAILS"),
        "{shown}"
    );
    assert!(shown.contains("NOT released") && !here.join("patients-out.csv").exists());
    assert!(written(here, "patients-report.html").contains("verdict bad"));

    std::fs::write(here.join("plan.toml"), with_proposals(&plan)).unwrap();
    run_expecting(here, &["run", "plan.toml"], 0);
    assert!(written(here, "patients-report.html").contains("verdict good"));
    let released = written(here, "patients-out.csv");
    // No exact date, no name and no old number of a household is left, and equal keys are five at least.
    let mut lines = released
        .lines()
        .map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    assert_eq!(
        names,
        [
            "birth_date",
            "sex",
            "postcode",
            "diagnosis",
            "cost",
            "household"
        ]
    );
    let records: Vec<Vec<&str>> = lines.collect();
    let mut households: HashMap<&str, usize> = HashMap::new();
    for record in &records {
        assert!(record[0].matches('-').count() < 2, "{record:?}");
        assert_eq!(record[5].len(), 13, "a new number");
        *households.entry(record[5]).or_default() += 1;
        let shown: Vec<usize> = [0, 1, 2]
            .into_iter()
            .filter(|&key| !record[key].is_empty())
            .collect();
        let alike = |other: &&Vec<&str>| shown.iter().all(|&key| other[key] == record[key]);
        assert!(records.iter().filter(alike).count() >= 5);
    }
    assert!(households.len() == 200 && households.values().all(|&size| size == 2));
}

#[test]
fn what_is_released_as_it_is_is_told_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("patients.csv"), patients()).unwrap();
    // A careless plan: sex is the only key, and nothing else is described.
    let plan = "[data]\nfile = \"patients.csv\"\n[variables]\nsex = { role = \"key\" }\n\
        name = { role = \"identifier\" }\ncost = { role = \"sensitive\", kind = \"continuous\" }\n\
        [[measure]]\nuse = [\"k-anonymity\"]\n[[gate]]\nmeasure = \"k-anonymity\"\nat_least = 5\n\
        [output]\nfile = \"out.csv\"\nreport = \"report.html\"\n";
    std::fs::write(here.join("plan.toml"), plan).unwrap();
    let shown = stdout(&run_expecting(here, &["run", "plan.toml"], 0));
    let others = shown
        .lines()
        .find(|line| line.contains("variables of the role other"))
        .unwrap();
    for name in [
        "patient_id (the number of a public register)",
        "birth_date (the date of birth or death)",
        "postcode (a postal code)",
        "more than 20 different values",
    ] {
        assert!(others.contains(name), "{others}");
    }
    let amounts = shown
        .lines()
        .find(|line| line.contains("numbers that are released as they are"));
    assert!(
        amounts.is_some_and(|line| line.contains("cost;")),
        "{shown}"
    );
    assert!(written(here, "report.html").contains("variables of the role other"));
    let found = json(&run_expecting(here, &["run", "plan.toml", "--json"], 0));
    let ids: Vec<&str> = found["notes"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|note| note["id"].as_str())
        .collect();
    assert!(
        ids.contains(&"released-as-is") && ids.contains(&"exact-amounts"),
        "{ids:?}"
    );
}

#[test]
fn a_proper_role_does_not_silence_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("patients.csv"), patients()).unwrap();
    // Keys that no scenario has, old numbers of households, strata of one record, answers that name it.
    let plan = "[data]\nfile = \"patients.csv\"\n[variables]\nsex = { role = \"key\" }\n\
        birth_date = { role = \"key\" }\nhousehold = { role = \"household\" }\npostcode = { role = \"stratum\" }\n\
        patient_id = { role = \"sensitive\" }\nname = { role = \"identifier\" }\n\
        cost = { role = \"sensitive\", kind = \"continuous\" }\n\
        [[scenario]]\nname = \"s\"\nkeys = [\"sex\"]\n\
        [[measure]]\nuse = [\"k-anonymity\"]\n[[gate]]\nmeasure = \"k-anonymity\"\nat_least = 5\n\
        [output]\nfile = \"out.csv\"\n";
    std::fs::write(here.join("plan.toml"), plan).unwrap();
    let shown = stdout(&run_expecting(here, &["run", "plan.toml"], 0));
    for told in [
        "birth_date are keys in no scenario",
        "household are the old numbers of households",
        "postcode are strata with many values",
        "patient_id are answers of which most records have their own",
    ] {
        assert!(shown.contains(told), "{told}: {shown}");
    }
}

#[test]
fn visits_of_one_patient_are_not_patients() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let rows =
        (0..1_500).map(|i| format!("P{:04},{},{}\n", i / 5, i / 5 % 100, ["f", "m"][i / 5 % 2]));
    let text = format!("patient_id,age,sex\n{}", rows.collect::<String>());
    std::fs::write(here.join("visits.csv"), text).unwrap();
    run_expecting(here, &["init", "visits.csv"], 0);
    let plan = written(here, "plan.toml");
    assert!(
        plan.contains("at_least = 25") && plan.contains("# LOOK: patient_id has 300 values"),
        "{plan}"
    );
    run_expecting(here, &["run", "plan.toml"], 1);
}

#[test]
fn codes_for_no_value_that_stay_in_the_file_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let rows = (0..60).map(|i| format!("{}\n", ["u", "v", "98"][i % 3]));
    std::fs::write(
        here.join("x.csv"),
        format!("race\n{}", rows.collect::<String>()),
    )
    .unwrap();
    let plan = "[data]\nfile = \"x.csv\"\nmissing = [\"\", \"98\"]\n[variables]\nrace = { role = \"key\" }\n\
        [[measure]]\nuse = [\"k-anonymity\"]\n[[gate]]\nmeasure = \"k-anonymity\"\nat_least = 3\n[output]\nfile = \"out.csv\"\n";
    std::fs::write(here.join("plan.toml"), plan).unwrap();
    let shown = stdout(&run_expecting(here, &["run", "plan.toml"], 0));
    assert!(shown.contains("count as none: race (20 cells)"), "{shown}");
}
