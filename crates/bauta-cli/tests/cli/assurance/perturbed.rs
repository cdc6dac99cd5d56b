//! Counts of equal keys say nothing of an intruder once the keys are perturbed.

use std::path::Path;

use crate::support::{json, run_expecting, stdout};

fn plan(step: &str, gate: &str) -> String {
    format!(
        "[data]\nfile = \"x.csv\"\n[variables]\nage = {{ role = \"key\", kind = \"ordered\" }}\n\
         sex = {{ role = \"key\" }}\npay = {{ role = \"key\", kind = \"continuous\" }}\n\
         [[scenario]]\nname = \"neighbour\"\nkeys = [\"age\", \"sex\"]\n\
         [[scenario]]\nname = \"colleague\"\nkeys = [\"sex\", \"pay\"]\n{step}\
         [[measure]]\nuse = [\"k-anonymity\"]\n[[gate]]\nmeasure = \"k-anonymity\"\nat_least = 2\n{gate}\
         [output]\nfile = \"out.csv\"\nreport = \"report.html\"\n"
    )
}

/// Eighty people, of whom none is alone with age and sex, or with sex and pay.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let rows = (0..80).map(|i| {
        let (age, sex, pay) = (20 + i * 7 % 10, ["f", "m"][i % 2], i * 13 % 80 / 4);
        format!("{age},{sex},{pay}\n")
    });
    let text = format!("age,sex,pay\n{}", rows.collect::<String>());
    std::fs::write(folder.path().join("x.csv"), text).unwrap();
    folder
}

fn ran(folder: &Path, plan: &str, code: i32) -> (String, serde_json::Value, String) {
    std::fs::write(folder.join("plan.toml"), plan).unwrap();
    let shown = stdout(&run_expecting(folder, &["run", "plan.toml"], code));
    let record = std::fs::read_to_string(folder.join("out.record.json")).unwrap();
    let report = std::fs::read_to_string(folder.join("report.html")).unwrap();
    (shown, serde_json::from_str(&record).unwrap(), report)
}

const SWAP: &str = "[[step]]\nmask = \"rank-swap\"\non = [\"age\"]\nwindow = 0.3\n";

#[test]
fn counts_of_perturbed_keys_are_marked_and_do_not_pass() {
    let folder = folder();
    let here = folder.path();

    let (shown, record, report) = ran(here, &plan(SWAP, ""), 1);
    assert!(
        shown.contains("(neighbour) at least 2: ")
            && shown.contains("FAILS (not meaningful: age was perturbed)"),
        "{shown}"
    );
    // The other scenario does not hold the key.
    assert!(
        shown.contains("(colleague) at least 2: 2 holds\n"),
        "{shown}"
    );
    assert!(
        shown.contains("the measure `pld` looks for those"),
        "{shown}"
    );
    assert_eq!(
        record["measures"][0]["perturbed"],
        serde_json::json!(["age"])
    );
    assert!(record["measures"][1].get("perturbed").is_none());
    assert!(
        report.contains("not meaningful") && !report.contains(">better<"),
        "{report}"
    );

    // A plan that says why they may be judged is believed, and the reason is shown.
    let (shown, record, report) = ran(
        here,
        &plan(
            SWAP,
            "although_perturbed = \"ages were swapped within the class\"\n",
        ),
        0,
    );
    assert!(
        shown.contains("holds (though age was perturbed: ages were swapped within the class)"),
        "{shown}"
    );
    assert_eq!(record["gates"][0]["passed"], true);
    assert!(report.contains("ages were swapped within the class"));

    // Recoding and suppression leave counts what they are.
    let truthful = "[[step]]\nmask = \"recode\"\non = [\"age\"]\nbreaks = [25]\n\
        [[step]]\nmask = \"suppress-local\"\non = [\"age\", \"sex\"]\nk = 3\n";
    let (shown, _, _) = ran(here, &plan(truthful, ""), 0);
    assert!(!shown.contains("perturbed"), "{shown}");

    // Numbers have a measure for it.
    let noise = "[[step]]\nmask = \"noise-additive\"\non = [\"pay\"]\nshare = 0.5\n";
    let (shown, _, _) = ran(here, &plan(noise, ""), 1);
    assert!(shown.contains("the measures `pld` and `dld`"), "{shown}");

    // A step that was to perturb and changed nothing perturbs nothing.
    let idle = SWAP.replace("0.3", "0");
    let (shown, _, _) = ran(here, &plan(&idle, ""), 0);
    assert!(
        !shown.contains("perturbed") && shown.contains("changed nothing in age"),
        "{shown}"
    );
}

#[test]
fn the_demonstration_counts_true_keys() {
    let folder = tempfile::tempdir().unwrap();
    let shown = stdout(&run_expecting(folder.path(), &["demo", "d"], 0));
    assert!(
        !shown.contains("perturbed") && !shown.contains("can be worked out by elimination"),
        "{shown}"
    );
    for scenario in ["neighbour", "colleague"] {
        assert!(
            shown.contains(&format!("gate k-anonymity ({scenario}) at least 3: ")),
            "{shown}"
        );
    }
}

#[test]
fn files_whose_keys_were_swapped_are_told_apart_from_recoded_ones() {
    let folder = folder();
    let here = folder.path();
    let swap = "mask rank-swap x.csv --on age --window 0.3 --seed 5 -o swapped.csv";
    let recode = "mask recode x.csv --on age --breaks 25 -o recoded.csv";
    for (command, masked, is_marked) in
        [(swap, "swapped.csv", true), (recode, "recoded.csv", false)]
    {
        let arguments: Vec<&str> = command.split(' ').collect();
        run_expecting(here, &arguments, 0);
        let compare = ["compare", "x.csv", masked, "--keys", "age,sex", "--json"];
        let found = json(&run_expecting(here, &compare, 0));
        let measures = found["measures"].as_array().unwrap();
        let k = measures
            .iter()
            .find(|one| one["id"] == "k-anonymity")
            .unwrap();
        let notes = k["notes"].as_array().unwrap();
        let marked = notes.iter().any(|note| note["id"] == "perturbed-keys");
        assert_eq!(marked, is_marked, "{masked}: {k}");
    }
}

#[test]
fn claims_on_perturbed_keys_are_marked_too() {
    let folder = folder();
    let here = folder.path();
    let steps =
        format!("{SWAP}[[step]]\nmask = \"suppress-local\"\non = [\"age\", \"sex\"]\nk = 3\n");
    let gate = "scenario = \"neighbour\"\nalthough_perturbed = \"a trial\"\n";
    let (shown, record, report) = ran(here, &plan(&steps, gate), 0);
    assert!(
        shown.contains("which is not meaningful: age was perturbed"),
        "{shown}"
    );
    assert_eq!(record["claims"][0]["perturbed"], serde_json::json!(["age"]));
    assert!(report.contains("verdict amber") && !report.contains("✓ every class"));
    // Rounding at random gives equal values different multiples.
    for (method, is_marked) in [("random", true), ("nearest", false)] {
        let round = format!(
            "[[step]]\nmask = \"round\"\non = [\"pay\"]\nbase = 10\nmethod = \"{method}\"\n"
        );
        let gate = "although_perturbed = \"a trial\"\n";
        let (shown, _, _) = ran(here, &plan(&round, gate), 0);
        assert_eq!(shown.contains("pay was perturbed"), is_marked, "{shown}");
    }
}
