use std::path::Path;

use crate::support::{json, names, record_without_times, run_expecting, stdout};

const OUTPUTS: [&str; 6] = [
    "plan.toml",
    "report-public.html",
    "report.html",
    "survey-protected.csv",
    "survey-protected.record.json",
    "survey.csv",
];

fn same_outputs(a: &Path, b: &Path) {
    for name in OUTPUTS {
        if name == "survey-protected.record.json" {
            assert_eq!(
                record_without_times(&a.join(name)),
                record_without_times(&b.join(name))
            );
        } else if !name.starts_with("report") {
            assert_eq!(
                std::fs::read(a.join(name)).unwrap(),
                std::fs::read(b.join(name)).unwrap(),
                "{name}"
            );
        }
    }
}

#[test]
fn the_demo_is_the_same_every_time_and_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let output = run_expecting(folder.path(), &["demo", "a"], 0);
    assert!(stdout(&output).contains("report.html"));
    assert_eq!(names(&at("a")), OUTPUTS);
    run_expecting(folder.path(), &["demo", "b", "--threads", "1"], 0);
    run_expecting(folder.path(), &["demo", "c", "--threads", "2"], 0);
    // Again in the same folder: nothing is left over, nothing differs.
    std::fs::create_dir(at("d")).unwrap();
    for name in OUTPUTS {
        std::fs::copy(at("a").join(name), at("d").join(name)).unwrap();
    }
    run_expecting(folder.path(), &["demo", "a"], 0);
    for other in ["b", "c", "d"] {
        same_outputs(&at("a"), &at(other));
    }
    assert_eq!(names(&at("a")), OUTPUTS);
}

#[test]
fn the_demo_verifies_and_a_changed_file_does_not() {
    let folder = tempfile::tempdir().unwrap();
    run_expecting(folder.path(), &["demo", "d"], 0);
    let record = "d/survey-protected.record.json";
    assert!(
        stdout(&run_expecting(folder.path(), &["verify", record], 0)).contains("The record holds")
    );
    let released = folder.path().join("d/survey-protected.csv");
    let mut bytes = std::fs::read(&released).unwrap();
    bytes.push(b'\n');
    std::fs::write(&released, bytes).unwrap();
    let output = run_expecting(folder.path(), &["verify", record, "--json"], 1);
    assert_eq!(json(&output)["same"], false);
}

#[test]
fn a_changed_plan_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    run_expecting(folder.path(), &["demo", "d"], 0);
    let plan = folder.path().join("d/plan.toml");
    let mut text = std::fs::read_to_string(&plan).unwrap();
    text.push_str("# mine\n");
    std::fs::write(&plan, &text).unwrap();
    run_expecting(folder.path(), &["demo", "d"], 2);
    assert_eq!(std::fs::read_to_string(&plan).unwrap(), text);
}

#[test]
fn a_failed_gate_releases_nothing_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    run_expecting(folder.path(), &["demo", "d"], 0);
    let plan = folder.path().join("d/plan.toml");
    let text = std::fs::read_to_string(&plan)
        .unwrap()
        .replace("at_least = 3", "at_least = 300");
    std::fs::write(
        folder.path().join("d/strict.toml"),
        text.replace("survey-protected.csv", "strict.csv"),
    )
    .unwrap();
    let output = run_expecting(folder.path(), &["run", "d/strict.toml"], 1);
    assert!(stdout(&output).contains("NOT released"));
    assert!(!folder.path().join("d/strict.csv").exists());
    assert!(folder.path().join("d/strict.record.json").exists());
}

#[test]
fn another_seed_gives_another_file_and_the_record_keeps_it() {
    let folder = tempfile::tempdir().unwrap();
    run_expecting(folder.path(), &["demo", "a"], 0);
    run_expecting(folder.path(), &["demo", "b", "--seed", "7"], 0);
    let released =
        |name: &str| std::fs::read(folder.path().join(name).join("survey-protected.csv")).unwrap();
    assert_ne!(released("a"), released("b"));
    let record = record_without_times(&folder.path().join("b/survey-protected.record.json"));
    assert_eq!(record["seed"], 7);
    assert_eq!(record["seed_source"], "command-line");
    run_expecting(
        folder.path(),
        &["verify", "b/survey-protected.record.json"],
        0,
    );
}
