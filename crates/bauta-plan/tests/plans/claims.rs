//! What is claimed of keys is counted again in the file that was written.

use bauta_plan::run::{RunOptions, run};

use crate::support::{Patience, Plain, VARIABLES, fine, folder, record_of};

const GATE: &str =
    "[[measure]]\nuse = [\"k-anonymity\"]\n[[gate]]\nmeasure = \"k-anonymity\"\nat_least = 8\n";
const OUTPUT: &str = "[output]\nfile = \"out.csv\"\n";

fn suppress(semantics: &str) -> String {
    format!("[[step]]\nmask = \"suppress-local\"\nk = 8\nsemantics = \"{semantics}\"\n")
}

#[test]
fn steps_and_gates_are_counted_again_under_their_semantics() {
    for semantics in ["original", "visible", "own"] {
        let folder = folder();
        let gate = GATE.replace(
            "[[gate]]",
            &format!("semantics = \"{semantics}\"\n[[gate]]"),
        );
        let text = format!("{VARIABLES}{}{gate}{OUTPUT}", suppress(semantics));
        let record = record_of(folder.path(), &text);
        let claims: Vec<(&str, &str, u64, bool)> = record
            .claims
            .iter()
            .map(|claim| {
                (
                    claim.by.as_str(),
                    claim.semantics.as_str(),
                    claim.k,
                    claim.holds,
                )
            })
            .collect();
        assert_eq!(
            claims,
            [
                ("step `suppress-local`", semantics, 8, true),
                ("gate on k-anonymity (all keys)", semantics, 8, true),
            ]
        );
        assert!(
            record
                .claims
                .iter()
                .all(|claim| claim.smallest_class >= Some(8))
        );
        assert!(record.released.is_some());
        let suppressed = record.steps[0]
            .notes
            .iter()
            .any(|note| note.id == "cells-suppressed");
        assert!(
            suppressed,
            "three of four classes have fewer than 8 records"
        );
    }
}

#[test]
fn a_step_that_touches_the_keys_or_deletes_records_ends_an_earlier_claim() {
    let folder = folder();
    let recode = "[[step]]\nmask = \"recode\"\non = [\"sex\"]\nmap = { f = \"x\" }\n";
    let text = format!("{VARIABLES}{}{recode}{OUTPUT}", suppress("original"));
    let record = record_of(folder.path(), &text);
    assert!(record.claims.is_empty());
    let told = |note: &bauta_methods::Note| note.id == "claim-ended" && note.count("k") == Some(8);
    assert!(
        record.steps[1].notes.iter().any(told),
        "the step that ends it says so"
    );
    let delete = "[[step]]\nmask = \"suppress-records\"\nk = 9\nsemantics = \"visible\"\n";
    let text = format!("{VARIABLES}{}{delete}{OUTPUT}", suppress("original"));
    let claims = record_of(folder.path(), &text).claims;
    assert_eq!(claims.len(), 1, "that of the deletion");
    assert_eq!((claims[0].k, claims[0].semantics.as_str()), (9, "visible"));
}

#[test]
fn a_file_that_reads_back_otherwise_is_not_released() {
    // Suppressed cells are spelled like an age that occurs: whoever reads the file cannot tell them
    // apart, and what was counted is not what is shown.
    let folder = folder();
    let text = format!(
        "{VARIABLES}{}[output]\nfile = \"out.csv\"\nsuppressed = \"21\"\n",
        suppress("original")
    );
    let plan = fine(folder.path(), &text);
    let refused = run(&plan, RunOptions::default(), &Patience::default(), &Plain);
    let message = refused.unwrap_err().to_string();
    assert!(
        message.contains("the key `age` does not show what was written"),
        "{message}"
    );
    assert!(!folder.path().join("out.csv").exists());
}

#[test]
fn under_own_a_blank_and_a_missing_value_spelled_otherwise_are_two_values() {
    // In memory both are "no value". In the file a suppressed age is `*` and a missing one is empty,
    // so that the three records without age are no class of eight.
    let folder = folder();
    let text = format!(
        "{VARIABLES}{}[output]\nfile = \"out.csv\"\nsuppressed = \"*\"\n",
        suppress("own")
    );
    let record = record_of(folder.path(), &text);
    assert!(record.claims.iter().all(|claim| !claim.holds));
    assert!(record.released.is_none() && !folder.path().join("out.csv").exists());
    // Written alike, they are one.
    let text = format!("{VARIABLES}{}{OUTPUT}", suppress("own"));
    assert!(record_of(folder.path(), &text).released.is_some());
}

#[test]
fn gates_on_no_record_below_k_are_claims_and_on_classes_of_one_are_none() {
    let claimed = |gate: &str| {
        let folder = folder();
        let measure = "[[measure]]\nuse = [\"k-anonymity\"]\n[[gate]]\nmeasure = \"k-anonymity\"\n";
        let text = format!("{VARIABLES}{measure}{gate}{OUTPUT}");
        let claims = record_of(folder.path(), &text).claims;
        claims.iter().map(|claim| claim.k).collect::<Vec<u64>>()
    };
    assert_eq!(claimed("part = \"below_3\"\nat_most = 0\n"), [3]);
    assert_eq!(claimed("part = \"share_below_5\"\nat_most = 0.0\n"), [5]);
    assert_eq!(claimed("part = \"uniques\"\nat_most = 0\n"), [2]);
    assert!(claimed("part = \"below_3\"\nat_most = 7\n").is_empty());
    assert!(claimed("at_least = 0\n").is_empty());
}
