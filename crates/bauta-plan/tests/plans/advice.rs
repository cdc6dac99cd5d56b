//! What a plan that is fine could still do.

use crate::support::{OUTPUT, VARIABLES, fine, folder};

const COUNTED: &str =
    "[[measure]]\nuse = [\"k-anonymity\"]\n[[gate]]\nmeasure = \"k-anonymity\"\nat_least = 2\n";

fn swap(on: &str, window: &str) -> String {
    format!("[[step]]\nmask = \"rank-swap\"\non = {on}\nwindow = {window}\n")
}

fn with(parts: &[&str]) -> String {
    format!("{VARIABLES}{}{OUTPUT}", parts.concat())
}

#[test]
fn linkage_is_proposed_where_perturbed_keys_or_amounts_are_measured_by_nothing() {
    let folder = folder();
    let here = folder.path();
    let both = swap("[\"age\", \"income\"]", "0.3");
    let plan = fine(
        here,
        &with(&[
            "[[step]]\nmask = \"round\"\non = [\"income\"]\nbase = 10\n",
            &both,
            COUNTED,
        ]),
    );
    let [advice] = &plan.advice[..] else {
        panic!("{:?}", plan.advice)
    };
    assert_eq!(advice.id, "measure-linkage");
    assert_eq!(advice.variables, ["age", "income"]);
    assert_eq!(advice.steps, ["step 2, rank-swap"]);
    // Whoever knows the age knows the sex: both are keys of the scenario.
    assert_eq!(
        advice.lines,
        "[[measure]]\nuse = [\"pld\"]\non = [\"sex\", \"age\", \"income\"]\nlinks = \"all\"\n\n\
         [[gate]]\nmeasure = \"pld\"\nat_most = 0.1\n"
    );
    // The lines can be added as they are, and nothing more is advised then.
    let added = fine(here, &with(&[&both, COUNTED, &advice.lines]));
    assert_eq!(added.advice, []);
    assert_eq!(added.gates.len(), 2);

    // Distances measure numbers, and no categories; those of a subpopulation do not measure the file.
    let dld = "[[measure]]\nuse = [\"dld\"]\non = [\"income\"]\n";
    let plan = fine(here, &with(&[&both, COUNTED, dld]));
    assert_eq!(plan.advice[0].variables, ["age"]);
    let income = swap("[\"income\"]", "0.3");
    assert_eq!(fine(here, &with(&[&income, COUNTED, dld])).advice, []);
    let some = format!("{dld}where = \"income > 300\"\n");
    assert_eq!(
        fine(here, &with(&[&income, COUNTED, &some])).advice[0].variables,
        ["income"]
    );
}

#[test]
fn nothing_is_proposed_where_nothing_is_perturbed_or_left() {
    let folder = folder();
    let here = folder.path();
    let recode = "[[step]]\nmask = \"recode\"\non = [\"age\"]\nbreaks = [22]\n";
    let idle = swap("[\"age\"]", "0");
    let gone = format!(
        "{}[[step]]\nmask = \"drop-identifiers\"\non = [\"age\"]\n",
        swap("[\"age\"]", "0.3")
    );
    for steps in [recode, &idle, &gone] {
        assert_eq!(fine(here, &with(&[steps, COUNTED])).advice, [], "{steps}");
    }
}

#[test]
fn a_plan_that_names_no_measure_keeps_what_its_gates_judge() {
    let folder = folder();
    let here = folder.path();
    let gate = "[[gate]]\nmeasure = \"k-anonymity\"\nat_least = 2\n";
    let age = swap("[\"age\"]", "0.3");
    let plan = fine(here, &with(&[&age, gate]));
    let advice = &plan.advice[0];
    assert!(
        advice
            .lines
            .starts_with("[[measure]]\nuse = [\"k-anonymity\"]\n"),
        "{}",
        advice.lines
    );
    assert!(advice.text.contains("names no measure"), "{}", advice.text);
    fine(here, &with(&[&age, gate, &advice.lines]));
    // Numbers are linked by `dld`, which is among the usual measures.
    assert_eq!(
        fine(here, &with(&[&swap("[\"income\"]", "0.3"), gate])).advice,
        []
    );
}
