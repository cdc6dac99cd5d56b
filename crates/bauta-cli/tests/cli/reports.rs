//! Tables of a record, and runs side by side.

use crate::support::{json, names, run_expecting, stderr, stdout};

/// A demo and a second run of its plan with larger classes and another title.
fn two_runs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    run_expecting(folder.path(), &["demo", "d"], 0);
    let plan = std::fs::read_to_string(folder.path().join("d/plan.toml")).unwrap();
    let title = plan.lines().find(|line| line.starts_with("title")).unwrap();
    let other = plan
        .replace(title, "title = \"Larger classes\"")
        .replace("k = 3\n", "k = 9\n")
        .replace("file = \"survey-protected.csv\"", "file = \"other.csv\"")
        .replace("report = \"", "report = \"other-");
    assert_ne!(plan, other);
    std::fs::write(folder.path().join("d/other.toml"), other).unwrap();
    run_expecting(folder.path(), &["run", "d/other.toml"], 0);
    folder
}

fn records(folder: &std::path::Path) -> Vec<String> {
    let all = names(&folder.join("d"));
    let records = all.iter().filter(|name| name.ends_with(".record.json"));
    records.map(|name| format!("d/{name}")).collect()
}

#[test]
fn tables_are_csv_files_of_the_owner_all_or_none() {
    let folder = tempfile::tempdir().unwrap();
    run_expecting(folder.path(), &["demo", "d"], 0);
    let record = records(folder.path()).remove(0);
    let output = run_expecting(folder.path(), &["report", &record, "--tables", "t"], 0);
    assert_eq!(stdout(&output), "");
    let written = names(&folder.path().join("t"));
    assert_eq!(
        written,
        [
            "bounds.csv",
            "deletion.csv",
            "histogram.csv",
            "margins.csv",
            "measures.csv",
            "optimisation-trace.csv",
            "series.csv",
            "shares.csv",
            "solutions.csv",
            "weights.csv"
        ]
    );
    let measures = std::fs::read_to_string(folder.path().join("t/measures.csv")).unwrap();
    assert!(measures.starts_with("measure,scenario,condition,what,figure,before,after\n"));
    assert!(measures.contains("k-anonymity,") && measures.contains(",part,uniques,11,0\n"));
    // No calibration: headings only.
    let margins = std::fs::read_to_string(folder.path().join("t/margins.csv")).unwrap();
    assert_eq!(margins.lines().count(), 1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let file = std::fs::metadata(folder.path().join("t/series.csv")).unwrap();
        assert_eq!(file.permissions().mode() & 0o077, 0);
    }
    // One name is taken by a folder: nothing is written.
    std::fs::create_dir_all(folder.path().join("u/weights.csv")).unwrap();
    run_expecting(folder.path(), &["report", &record, "--tables", "u"], 2);
    assert_eq!(names(&folder.path().join("u")), ["weights.csv"]);
    let public = ["report", &record, "--tables", "v", "--external"];
    run_expecting(folder.path(), &public, 2);
    run_expecting(
        folder.path(),
        &["report", &record, "--tables", "no/where"],
        2,
    );
}

#[test]
fn runs_stand_side_by_side() {
    let folder = two_runs();
    let both = records(folder.path());
    assert_eq!(both.len(), 2, "{both:?}");
    let arguments = ["report", &both[0], &both[1], "-o", "page.html", "--json"];
    let output = run_expecting(folder.path(), &arguments, 0);
    assert_eq!(stderr(&output), "");
    let found = json(&output);
    assert_eq!(found["same_input"], true);
    // By their files: other.record.json, then survey-protected.record.json.
    assert_eq!(found["runs"][0]["name"], "Larger classes");
    let measures = found["measures"].as_array().unwrap();
    let distance = measures
        .iter()
        .find(|one| one["id"] == "hellinger")
        .unwrap();
    // It compares two files and has no figure of the original.
    assert_eq!(distance["originals"], 0);
    let values = &distance["figures"][0]["values"];
    let [more, less] = [0, 1].map(|run| values[run].as_f64().unwrap());
    assert!(more > less, "larger classes lose more: {more} {less}");
    let anonymity = measures
        .iter()
        .find(|one| one["id"] == "k-anonymity")
        .unwrap();
    assert_eq!(anonymity["columns"][0], "Original");
    assert_eq!(anonymity["columns"].as_array().unwrap().len(), 3);
    let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    for shown in [
        "The runs read the same file.",
        "Larger classes",
        "Local suppression",
        "✓ ",
    ] {
        assert!(page.contains(shown), "{shown}");
    }
    // The seed stays in the records.
    assert!(!page.contains("20150129") && !found.to_string().contains("20150129"));
}

#[test]
fn runs_of_different_files_are_told_apart_and_never_public() {
    let folder = two_runs();
    let both = records(folder.path());
    let public = ["report", &both[0], &both[1], "--external"];
    let found = json(&run_expecting(
        folder.path(),
        &[&public[..], &["--json"]].concat(),
        2,
    ));
    assert!(found.to_string().contains("risk figures"));
    let tables = ["report", &both[0], &both[1], "--tables", "t"];
    run_expecting(folder.path(), &tables, 2);
    let same = ["report", &both[0], &both[1], "-o", &both[1]];
    run_expecting(folder.path(), &same, 2);
    let mut other: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path().join(&both[1])).unwrap()).unwrap();
    other["input"]["sha256"] = "0".repeat(64).into();
    std::fs::write(folder.path().join("else.json"), other.to_string()).unwrap();
    let output = run_expecting(folder.path(), &["report", &both[0], "else.json"], 0);
    assert!(stderr(&output).contains("did not read the same file"));
    assert!(stdout(&output).contains("The runs did not read the same file"));
}
