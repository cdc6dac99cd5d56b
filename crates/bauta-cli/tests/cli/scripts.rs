//! The fixed points that scripts rely on.

use crate::support::{json, run_expecting, shared, stdout};

const TOY: &str = "sex,age,w\nf,1,10\nf,1,20\nm,1,30\nm,,40\n";

#[test]
fn risk_has_its_fixed_fields() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("toy.csv"), TOY).unwrap();
    let arguments = [
        "risk",
        "toy.csv",
        "--keys",
        "sex,age",
        "--weight",
        "w",
        "--per-record",
        "r.csv",
        "--json",
    ];
    let found = json(&run_expecting(folder.path(), &arguments, 0));
    // Visible: f,1 is there twice; m,1 once; m,? matches both men.
    assert_eq!(found["uniques"], 1.0);
    assert_eq!(found["k"]["2"], 1.0);
    assert_eq!(found["k"]["3"], 4.0);
    assert!(found["expected_reidentifications"].as_f64().unwrap() > 0.0);
    assert_eq!(found["measures"][0]["id"], "k-anonymity");
    assert_eq!(found["measures"][0]["value"], 1.0);
    assert!(found["measures"][1]["parts"].is_object());
    let rows = std::fs::read_to_string(folder.path().join("r.csv")).unwrap();
    assert_eq!(rows.lines().count(), 5);
    assert!(rows.starts_with("row,f,F,risk\n1,2,30,"));
    let own = json(&run_expecting(
        folder.path(),
        &[
            "risk",
            "toy.csv",
            "--keys",
            "sex,age",
            "--semantics",
            "own",
            "--json",
        ],
        0,
    ));
    assert_eq!(own["uniques"], 2.0);
}

#[test]
fn compare_has_its_fixed_fields_and_agrees_with_the_golden_figures() {
    let (Some(original), Some(masked)) = (
        shared("data/census.csv"),
        shared("golden/census/census_rankswap14.csv"),
    ) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        "compare",
        original.to_str().unwrap(),
        masked.to_str().unwrap(),
        "--json",
        "--by-variable",
    ];
    let found = json(&run_expecting(folder.path(), &arguments, 0));
    let measure = |id: &str| {
        let measures = found["measures"].as_array().unwrap();
        measures
            .iter()
            .find(|measure| measure["id"] == id)
            .unwrap()
            .clone()
    };
    // golden/census/golden.json, census_rankswap14.csv, seed003.
    assert!((measure("il1s")["value"].as_f64().unwrap() - 0.210_698_435_161_040_7).abs() < 1e-9);
    assert!(
        (measure("interval-sd")["value"].as_f64().unwrap() - 0.157_407_407_407_407_4).abs() < 1e-9
    );
    assert_eq!(
        measure("il1s")["by_variable"].as_object().unwrap().len(),
        13
    );
}

#[test]
fn files_of_different_length_are_compared_by_id() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.csv"), "id,v\na,1\nb,2\nc,4\n").unwrap();
    std::fs::write(folder.path().join("z.csv"), "id,v\nc,4\na,1\n").unwrap();
    let found = json(&run_expecting(
        folder.path(),
        &["compare", "x.csv", "z.csv", "--id", "id", "--json"],
        0,
    ));
    let il1s = found["measures"]
        .as_array()
        .unwrap()
        .iter()
        .find(|measure| measure["id"] == "il1s")
        .unwrap();
    assert_eq!(il1s["value"], 0.0);
    let found = json(&run_expecting(
        folder.path(),
        &["compare", "x.csv", "z.csv", "--json"],
        0,
    ));
    assert_eq!(found["records"], "unrelated");
}

#[test]
fn mask_takes_the_parameters_of_the_plan() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (1..=100).map(|i| format!("{i},{}\n", i * 10)).collect();
    std::fs::write(folder.path().join("x.csv"), format!("a,b\n{rows}")).unwrap();
    let arguments = [
        "mask",
        "rank-swap",
        "x.csv",
        "--on",
        "a,b",
        "--window",
        "0.14",
        "--seed",
        "7",
        "-o",
        "out.csv",
    ];
    run_expecting(folder.path(), &arguments, 0);
    let first = std::fs::read(folder.path().join("out.csv")).unwrap();
    run_expecting(
        folder.path(),
        &[&arguments[..], &["--threads", "1"]].concat(),
        0,
    );
    assert_eq!(first, std::fs::read(folder.path().join("out.csv")).unwrap());
    run_expecting(
        folder.path(),
        &[
            "mask",
            "top-bottom",
            "x.csv",
            "--on",
            "a",
            "--top",
            "90",
            "-o",
            "top.csv",
            "--record",
            "top.json",
        ],
        0,
    );
    let top = std::fs::read_to_string(folder.path().join("top.csv")).unwrap();
    assert!(top.contains("\n90,910\n") && !top.contains("\n91,"));
    run_expecting(folder.path(), &["verify", "top.json"], 0);
    run_expecting(
        folder.path(),
        &[
            "mask",
            "rank-swap",
            "x.csv",
            "--on",
            "a",
            "--window",
            "2",
            "-o",
            "no.csv",
        ],
        2,
    );
    assert!(!folder.path().join("no.csv").exists());
}

#[test]
fn lists_and_pages_are_there_in_both_forms() {
    let folder = tempfile::tempdir().unwrap();
    let list = json(&run_expecting(folder.path(), &["list", "--json"], 0));
    for method in list["methods"].as_array().unwrap() {
        let id = method["id"].as_str().unwrap();
        let page = stdout(&run_expecting(folder.path(), &["explain", id], 0));
        assert!(page.contains("## Formula"), "{id}");
    }
    assert!(stdout(&run_expecting(folder.path(), &["explain", "plan"], 0)).contains("[[gate]]"));
    for shell in ["bash", "zsh", "fish", "powershell"] {
        assert!(
            stdout(&run_expecting(folder.path(), &["completions", shell], 0)).contains("rank-swap")
        );
    }
}
