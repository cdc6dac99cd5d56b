//! What is claimed of keys is counted again in the file that was written.

use bauta_plan::record::Counted;
use bauta_plan::run::run;

use crate::support::{Patience, Plain, VARIABLES, fine, folder, record_of, released, ungated};

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
fn suppressed_cells_are_not_spelled_like_a_value() {
    // Suppressed cells are spelled like an age that occurs: whoever reads the file cannot tell them
    // apart, and what was counted is not what is shown.
    let folder = folder();
    let text = format!(
        "{VARIABLES}{}[output]\nfile = \"out.csv\"\nsuppressed = \"21\"\n",
        suppress("original")
    );
    let plan = fine(folder.path(), &text);
    let refused = run(&plan, ungated(), &Patience::default(), &Plain);
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("is also a value of age"), "{message}");
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
    assert!(claimed("part = \"classes\"\nat_least = 2\n").is_empty());
}

#[test]
fn a_category_that_is_called_suppressed_protects_nobody() {
    // Every sex is one or the other; if one of them is called suppressed, a reader who believes it
    // counts whole classes where there are none.
    let folder = folder();
    for semantics in ["visible", "own", "original"] {
        let gate = GATE.replace(
            "[[gate]]",
            &format!("semantics = \"{semantics}\"\n[[gate]]"),
        );
        let gate = gate.replace("at_least = 8", "at_least = 2");
        let text = format!("{VARIABLES}{gate}[output]\nfile = \"out.csv\"\nsuppressed = \"f\"\n");
        let plan = fine(folder.path(), &text);
        let refused = run(&plan, ungated(), &Patience::default(), &Plain);
        let message = refused.unwrap_err().to_string();
        assert!(message.contains("is also a value of sex"), "{message}");
        assert!(!folder.path().join("out.csv").exists());
    }
}

#[test]
fn a_category_in_another_spelling_is_no_text_for_suppressed_cells() {
    // Whoever trims blanks, folds case or sees no joiners takes one for the other. A text of its own passes.
    let folder = folder();
    let gate = GATE.replace("at_least = 8", "at_least = 2");
    let refusal = |text: &str| {
        let text =
            format!("{VARIABLES}{gate}[output]\nfile = \"out.csv\"\nsuppressed = \"{text}\"\n");
        let plan = fine(folder.path(), &text);
        let done = run(&plan, ungated(), &Patience::default(), &Plain);
        done.err().map(|error| error.to_string())
    };
    for text in [" f", "F", "f ", "\u{ff46}", "f\u{200b}"] {
        let message = refusal(text).unwrap_or_else(|| panic!("{text:?} was taken"));
        assert!(message.contains("also a value of sex"), "{message}");
        assert!(!folder.path().join("out.csv").exists());
    }
    assert_eq!(refusal("ff"), None);
}

#[test]
fn what_was_counted_is_said_and_under_original_what_a_reader_counts_too() {
    let folder = folder();
    // Two keys, either of which may be blanked: a record that counts on another's value finds it gone.
    let rows = (0..40_usize).map(|i| format!("{i},{},{},1,1\n", i * i % 11 % 7, i * 7 % 13 % 5));
    let rows: String = rows.collect();
    std::fs::write(
        folder.path().join("x.csv"),
        format!("id,sex,age,income,w\n{rows}"),
    )
    .unwrap();
    let text = format!("{VARIABLES}{}{OUTPUT}", suppress("original"));
    let record = record_of(folder.path(), &text);
    let [claim] = &record.claims[..] else {
        panic!("one claim");
    };
    assert_eq!(claim.counted, Counted::BeforeSuppression);
    // Counted by hand in the released file: a record is compared on the keys that it shows, and a blank
    // of another does not match.
    let [sex, age] = ["sex", "age"].map(|name| released(folder.path(), name));
    let matches = |i: usize, j: usize| {
        let same = |key: &[String]| key[i].is_empty() || key[i] == key[j];
        same(&sex) && same(&age)
    };
    let sizes = (0..40).map(|i| (0..40).filter(|&j| matches(i, j)).count());
    let sizes: Vec<usize> = sizes.collect();
    let shown = claim.shown.as_ref().unwrap();
    assert_eq!(
        shown.n_below,
        sizes.iter().filter(|&&f| f < 8).count() as u64
    );
    assert_eq!(
        shown.n_alone,
        sizes.iter().filter(|&&f| f < 2).count() as u64
    );
    assert!(shown.n_below > 0, "a case in which the two differ");
    assert!(claim.in_words().contains("whoever reads the file finds"));

    let text = format!("{VARIABLES}{}{OUTPUT}", suppress("visible"));
    let record = record_of(folder.path(), &text);
    assert_eq!(record.claims[0].counted, Counted::ReleasedFile);
    assert_eq!(record.claims[0].shown, None);
}

#[test]
fn under_original_the_public_is_told_what_was_counted() {
    let public = |step: &str| {
        let folder = folder();
        let record = record_of(folder.path(), &format!("{VARIABLES}{step}{OUTPUT}"));
        let notes = record.steps[0].notes.iter().filter(|note| note.public);
        notes.map(|note| note.text.clone()).collect::<Vec<_>>()
    };
    let mu_argus = "[[step]]\nmask = \"suppress-local\"\nk = 8\nsearch = \"mu-argus\"\n";
    for step in [&suppress("original"), mu_argus] {
        let notes = public(step);
        let told = |note: &String| {
            note.contains("counted in the values before suppression")
                && note.contains("whoever counts the released file may find")
        };
        assert!(notes.iter().any(told), "{notes:?}");
    }
    for semantics in ["visible", "own"] {
        assert!(public(&suppress(semantics)).is_empty());
    }
}
