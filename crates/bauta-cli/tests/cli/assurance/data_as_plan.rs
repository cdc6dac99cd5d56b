//! A file of data in the place of a plan is refused in a line and not shown.

use crate::support::{json, run_expecting, stderr, stdout};

/// Files that are no plans, each with a word that must not be seen.
const FILES: [(&str, &str); 6] = [
    (
        "patients.csv",
        "name,birth,ill\nCANARY,1980-04-01,flu\nCANARY,1981-05-02,cold\n",
    ),
    (
        "semicolons.csv",
        "name;ill\nCANARY;flu\n[CANARY];\n\"CANARY\";=1\n",
    ),
    (
        "settings.toml",
        "[server]\npassword = \"CANARY\"\n[variables_of_mine]\nx = \"CANARY\"\n",
    ),
    ("record.json", "{ \"format\": \"CANARY\", \"seed\": 17 }\n"),
    ("notes.txt", "CANARY was here\ndata about CANARY\n"),
    ("plain.txt", "CANARY = 1\n"),
];

#[test]
fn a_file_of_data_is_no_plan_and_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in FILES {
        let long: String = text.repeat(if text.contains('[') { 1 } else { 200 });
        std::fs::write(folder.path().join(name), long).unwrap();
        for command in ["run", "check"] {
            let output = run_expecting(folder.path(), &[command, name], 2);
            let told = stderr(&output);
            assert!(
                !told.contains("CANARY") && stdout(&output).is_empty(),
                "{told}"
            );
            assert!(
                told.contains(name) && told.contains("is not a plan"),
                "{told}"
            );
            assert_eq!(told.lines().count(), 2, "a line and a hint: {told}");
            let output = run_expecting(folder.path(), &[command, name, "--json"], 2);
            assert_eq!(json(&output)["errors"].as_array().unwrap().len(), 1);
            assert!(!stdout(&output).contains("CANARY"));
        }
    }
}

#[test]
fn a_missing_bracket_is_one_problem_at_its_line() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.csv"), "a,b\n1,2\n").unwrap();
    let variables: String = (0..60)
        .map(|i| format!("v{i} = {{ role = \"key\" }}\n"))
        .collect();
    let text = format!(
        "[data]\nfile = \"x.csv\"\nmissing = [\"\", \"NA\"\n[variables]\n{variables}[output]\nfile = \"out.csv\"\n"
    );
    std::fs::write(folder.path().join("plan.toml"), text).unwrap();
    let output = run_expecting(folder.path(), &["check", "plan.toml", "--json"], 2);
    let errors = json(&output)["errors"].clone();
    assert_eq!(errors.as_array().unwrap().len(), 1, "{errors}");
    let line = errors[0]["line"].as_u64().unwrap();
    assert!(line == 3 || line == 4, "{errors}");
}
