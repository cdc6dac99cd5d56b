use std::path::Path;

use crate::assurance::with_proposals;
use crate::support::{json, run_expecting, shared, stdout};

fn role_of(profile: &serde_json::Value, name: &str) -> String {
    let columns = profile["profile"]["columns"].as_array().unwrap();
    let column = columns
        .iter()
        .find(|column| column["name"] == name)
        .unwrap();
    column["proposal"]["role"].as_str().unwrap().to_owned()
}

/// Writes a plan for a file, checks it unchanged, runs it, and returns the profile.
fn init_and_check(file: &Path) -> serde_json::Value {
    let folder = tempfile::tempdir().unwrap();
    let name = file.file_name().unwrap().to_str().unwrap();
    std::fs::copy(file, folder.path().join(name)).unwrap();
    let profile = json(&run_expecting(folder.path(), &["init", name, "--json"], 0));
    run_expecting(folder.path(), &["check", "plan.toml"], 0);
    // As it is, the file stays; with the steps that the plan proposes in comments, it goes.
    run_expecting(folder.path(), &["run", "plan.toml"], 1);
    let plan = folder.path().join("plan.toml");
    let text = std::fs::read_to_string(&plan).unwrap();
    std::fs::write(folder.path().join("all.toml"), with_proposals(&text)).unwrap();
    run_expecting(folder.path(), &["run", "all.toml"], 0);
    // The same command can be repeated; a plan that somebody changed is not replaced unless asked.
    run_expecting(folder.path(), &["init", name], 0);
    std::fs::write(&plan, format!("# mine\n{text}")).unwrap();
    run_expecting(folder.path(), &["init", name], 2);
    run_expecting(folder.path(), &["init", name, "--force"], 0);
    profile
}

#[test]
fn the_survey_gets_sensible_roles() {
    let folder = tempfile::tempdir().unwrap();
    run_expecting(folder.path(), &["demo", "d"], 0);
    let profile = init_and_check(&folder.path().join("d/survey.csv"));
    assert_eq!(role_of(&profile, "id"), "identifier");
    for key in ["gender", "income", "age", "uu", "qual", "couple", "hsize"] {
        assert_eq!(role_of(&profile, key), "key", "{key}");
    }
    assert_eq!(role_of(&profile, "threat"), "sensitive");
    assert_eq!(role_of(&profile, "d_fin"), "weight");
}

#[test]
fn reference_files_get_plans_that_pass() {
    for (file, name, role) in [
        ("data/census.csv", "AGI", "sensitive"),
        ("data/household-survey.csv", "ori_hid", "household"),
        ("data/eia.csv", "UTILNAME", "identifier"),
        ("data/francdat.csv", "w", "weight"),
    ] {
        let Some(path) = shared(file) else { return };
        assert_eq!(role_of(&init_and_check(&path), name), role, "{file}");
    }
}

#[test]
fn a_file_in_another_folder_is_found_again() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("data")).unwrap();
    std::fs::write(
        folder.path().join("data/x.csv"),
        "name;alter;einkommen\nA;20;1,5\nB;30;2,5\nC;40;3,25\n",
    )
    .unwrap();
    run_expecting(folder.path(), &["init", "data/x.csv", "-o", "plan.toml"], 0);
    run_expecting(folder.path(), &["check", "plan.toml"], 0);
    std::fs::create_dir(folder.path().join("plans")).unwrap();
    run_expecting(
        folder.path(),
        &["init", "data/x.csv", "-o", "plans/p.toml"],
        0,
    );
    run_expecting(folder.path(), &["check", "plans/p.toml"], 0);
    let shown = stdout(&run_expecting(folder.path(), &["inspect", "data/x.csv"], 0));
    assert!(shown.contains("einkommen"));
}

#[test]
fn names_with_line_ends_stay_in_their_comments() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let rows: String = (1..40)
        .map(|i| format!("{i},\"{i},234\",{}\n", ["HIV", "hiv"][i % 2]))
        .collect();
    let text = format!("\"a\n\u{1}b\",\"in\r\ncome\",\"ill\nness\"\n{rows}");
    std::fs::write(here.join("x.csv"), text).unwrap();
    run_expecting(here, &["init", "x.csv"], 0);
    let plan = std::fs::read_to_string(here.join("plan.toml")).unwrap();
    let answered = plan.replace("# decimal = \".\"", "decimal = \".\"");
    assert_ne!(answered, plan, "the mark is asked for");
    std::fs::write(here.join("plan.toml"), answered).unwrap();
    run_expecting(here, &["check", "plan.toml"], 0);
}
