//! A file with new weights is not called released, and keeps neither names nor the weights it began with.

use std::path::Path;

use crate::support::{json, run_expecting, stderr, stdout};

/// Two hundred people with a number, a name, a weight of the design and one to calibrate.
fn survey(folder: &Path) {
    let row = |i: usize| {
        let sex = ["f", "m"][i % 2];
        let (region, income) = (i / 2 % 4, 900 + i * i * 37 % 4_001);
        let (design, weight) = (5 + i % 3, 8 + i % 5);
        format!(
            "{},Person {},{sex},{region},{income},{design},{weight}\n",
            i + 1,
            i * 7919
        )
    };
    let rows: String = (0..200).map(row).collect();
    let text = format!("person_id,name,sex,region,income,d_init,w\n{rows}");
    std::fs::write(folder.join("survey.csv"), text).unwrap();
}

const CALIBRATE: [&str; 17] = [
    "calibrate",
    "survey.csv",
    "--weight",
    "w",
    "--start",
    "d_init",
    "--keys",
    "sex,region",
    "--k",
    "3",
    "--margins",
    "sex",
    "-o",
    "out.csv",
    "--report",
    "out.html",
    "--record=out.json",
];

fn header(folder: &Path) -> String {
    let text = std::fs::read_to_string(folder.join("out.csv")).unwrap();
    text.lines().next().unwrap().to_owned()
}

#[test]
fn identifiers_and_starting_weights_go_and_nothing_is_called_released() {
    let folder = tempfile::tempdir().unwrap();
    survey(folder.path());
    let arguments = [&CALIBRATE[..], &["--new-weight", "w_new"]].concat();
    let output = run_expecting(folder.path(), &arguments, 0);
    assert_eq!(header(folder.path()), "sex,region,income,w_new");
    let said = stderr(&output);
    for words in [
        "dropped person_id: looks like an identifier",
        "dropped name: looks like an identifier",
        "dropped d_init: the starting weight",
        "--keep person_id,name,d_init would keep them",
        "calibrated: out.csv (200 records)",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let page = std::fs::read_to_string(folder.path().join("out.html")).unwrap();
    assert!(page.contains("out.csv has calibrated weights. It was not judged for release"));
    for text in [&said, &stdout(&output), &page] {
        let lower = text.to_lowercase();
        for words in [
            "was released",
            "released:",
            ">released<",
            "the file is released",
        ] {
            assert!(!lower.contains(words), "{words}: {text}");
        }
    }
    run_expecting(folder.path(), &["verify", "out.json"], 0);
    let public = ["report", "out.json", "--external", "-o", "public.html"];
    run_expecting(folder.path(), &public, 0);
    let page = std::fs::read_to_string(folder.path().join("public.html")).unwrap();
    assert!(page.contains("No file has been released"), "{page}");
    let found = json(&run_expecting(
        folder.path(),
        &[&arguments[..], &["--json"]].concat(),
        0,
    ));
    assert_eq!(found["calibrated"]["file"], "out.csv");
    assert!(found.get("released").is_none());
}

#[test]
fn what_is_to_be_kept_is_kept_and_the_weight_keeps_its_name() {
    let folder = tempfile::tempdir().unwrap();
    survey(folder.path());
    let arguments = [&CALIBRATE[..], &["--keep", "person_id,d_init"]].concat();
    run_expecting(folder.path(), &arguments, 0);
    assert_eq!(
        header(folder.path()),
        "person_id,sex,region,income,d_init,w"
    );
    // Columns that nobody would recognise are named.
    let arguments = [&CALIBRATE[..], &["--identifiers", "income"]].concat();
    let said = stderr(&run_expecting(folder.path(), &arguments, 0));
    assert_eq!(header(folder.path()), "sex,region,w");
    assert!(
        said.contains("dropped income: an identifier, as --identifiers says"),
        "{said}"
    );
    // A weight may take the name of one that goes.
    let arguments = [&CALIBRATE[..], &["--new-weight", "d_init"]].concat();
    run_expecting(folder.path(), &arguments, 0);
    assert_eq!(header(folder.path()), "sex,region,income,d_init");
}

#[test]
fn names_that_cross_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    survey(folder.path());
    for (rest, words) in [
        (&["--keep", "persn_id"][..], "did you mean `person_id`"),
        (&["--identifiers", "nme"], "did you mean `name`"),
        (
            &["--new-weight", "income"],
            "is the name of a column that stays",
        ),
        (
            &["--new-weight", "d_init", "--keep", "d_init"],
            "is the name of a column that stays",
        ),
        (
            &["--identifiers", "name", "--keep", "name"],
            "and to be kept",
        ),
        (&["--identifiers", "sex"], "and used"),
        (&["--identifiers", "w"], "and the weight"),
    ] {
        let output = run_expecting(folder.path(), &[&CALIBRATE[..], rest].concat(), 2);
        assert!(
            stderr(&output).contains(words),
            "{words}: {}",
            stderr(&output)
        );
        assert!(!folder.path().join("out.csv").exists());
    }
}

/// In a plan a name for the weight is checked as well.
#[test]
fn a_plan_names_the_weight_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    survey(folder.path());
    let plan = |weight: &str, name: &str| {
        format!(
            "[data]\nfile = \"survey.csv\"\n[variables]\nw = {{ role = \"{weight}\", kind = \"continuous\" }}\n\
             sex = {{ role = \"key\" }}\n[[measure]]\nuse = [\"k-anonymity\"]\n\
             [[gate]]\nmeasure = \"k-anonymity\"\nat_least = 2\n\
             [output]\nfile = \"out.csv\"\nweight = \"{name}\"\n"
        )
    };
    for (weight, name, code) in [
        ("weight", "w2", 0),
        ("weight", "sex", 2),
        ("other", "w2", 2),
    ] {
        std::fs::write(folder.path().join("plan.toml"), plan(weight, name)).unwrap();
        let output = run_expecting(folder.path(), &["run", "plan.toml"], code);
        match (weight, name) {
            ("weight", "w2") => assert!(header(folder.path()).ends_with(",w2")),
            ("weight", _) => assert!(stderr(&output).contains("so is another column")),
            _ => assert!(stderr(&output).contains("no variable is one")),
        }
    }
}
