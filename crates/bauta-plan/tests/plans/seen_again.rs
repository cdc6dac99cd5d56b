//! Measures of keys that no step changed are taken once, and say afterwards what they said before.

use bauta_data::Unwatched;
use bauta_plan::execute::{Executed, execute};

use crate::support::{OUTPUT, VARIABLES, fine, folder, ungated};

fn executed(steps: &str) -> Executed {
    let folder = folder();
    let measures = "[[measure]]\nuse = [\"k-anonymity\", \"individual-risk\"]\n";
    let text = format!("{VARIABLES}{steps}{measures}{OUTPUT}");
    let plan = fine(folder.path(), &text);
    let bytes = std::fs::read(folder.path().join("x.csv")).unwrap();
    let path = std::path::Path::new("x.csv");
    let loaded = bauta_data::format::read_bytes(path, bytes, &plan.read, &Unwatched).unwrap();
    execute(&plan, &loaded, ungated(), &Unwatched).unwrap()
}

fn step(mask: &str, on: &str, params: &str) -> String {
    format!("[[step]]\nmask = \"{mask}\"\non = [{on}]\n{params}\n")
}

#[test]
fn figures_of_keys_stay_where_only_amounts_were_masked() {
    let found = executed(&step("rank-swap", "\"income\"", "window = 0.2"));
    assert!(!found.measured.is_empty());
    for measured in &found.measured {
        assert!(measured.before.found.is_some());
        assert_eq!(measured.before, measured.after);
    }
}

#[test]
fn figures_of_keys_are_found_again_where_a_key_or_the_records_changed() {
    let steps = [
        step("suppress-local", "\"sex\", \"age\"", "k = 7"),
        step("suppress-records", "\"sex\", \"age\"", "k = 7"),
    ];
    for step in steps {
        let found = executed(&step);
        let mut measured = found.measured.iter();
        assert!(measured.any(|one| one.before != one.after), "{step}");
    }
}
