use crate::support::{json, names, run_expecting, stderr};

const DATA: &str = "id,age,sex,income\n1,20,f,100\n2,30,m,200\n3,40,f,300\n";

const FIVE_MISTAKES: &str = r#"[data]
file = "x.csv"

[variables]
agee = { role = "key", kind = "ordered" }
income = { role = "sensitive", kind = "continous" }

[[step]]
mask = "rank-swop"
on = ["income"]

[[step]]
mask = "noise-additive"
on = ["income"]
share = -1

[[measure]]
use = ["univariate-summary"]

[[gate]]
measure = "il1s"
at_least = 3

[output]
file = "out.csv"
"#;

#[test]
fn five_mistakes_are_told_at_once_each_with_its_line_and_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.csv"), DATA).unwrap();
    std::fs::write(folder.path().join("plan.toml"), FIVE_MISTAKES).unwrap();
    for command in ["check", "run"] {
        let output = run_expecting(folder.path(), &[command, "plan.toml", "--json"], 2);
        let errors = json(&output)["errors"].as_array().unwrap().clone();
        let found: Vec<(u64, String)> = errors
            .iter()
            .map(|error| {
                (
                    error["line"].as_u64().unwrap(),
                    error["hint"].as_str().unwrap().to_owned(),
                )
            })
            .collect();
        let lines: Vec<u64> = found.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [5, 6, 9, 15, 21], "{found:?}");
        assert!(found[0].1.contains("`age`"));
        assert!(found[1].1.contains("`continuous`"));
        assert!(found[2].1.contains("`rank-swap`"));
        assert!(found.iter().all(|(_, hint)| !hint.is_empty()));
        let words = stderr(&run_expecting(folder.path(), &[command, "plan.toml"], 2));
        assert_eq!(words.matches("error[").count(), 5, "{words}");
        assert!(words.contains("plan.toml:9:8"), "{words}");
        assert!(words.contains("mask = \"rank-swop\""));
    }
    assert_eq!(names(folder.path()), ["plan.toml", "x.csv"]);
}

#[test]
fn broken_toml_is_shown_at_its_line_and_nothing_that_follows_from_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.csv"), DATA).unwrap();
    let text = FIVE_MISTAKES.replace(
        "on = [\"income\"]\n\n[[step]]",
        "on = [\"income\"\n\n[[step]]",
    );
    std::fs::write(folder.path().join("plan.toml"), text).unwrap();
    let output = run_expecting(folder.path(), &["check", "plan.toml", "--json"], 2);
    let errors = json(&output)["errors"].as_array().unwrap().clone();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0]["kind"], "syntax");
    assert!(
        [10, 12].contains(&errors[0]["line"].as_u64().unwrap()),
        "{errors:?}"
    );
    let words = stderr(&run_expecting(folder.path(), &["check", "plan.toml"], 2));
    assert_eq!(
        words.matches(" | ").count(),
        2,
        "its own line alone: {words}"
    );
}

#[test]
fn a_variable_that_was_dropped_cannot_be_masked_later() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.csv"), DATA).unwrap();
    let text = "[data]\nfile = \"x.csv\"\n[variables]\nincome = { role = \"identifier\", kind = \"continuous\" }\n\
        [[step]]\nmask = \"drop-identifiers\"\n[[step]]\nmask = \"recode\"\non = [\"income\"]\nbreaks = [1]\n\
        [output]\nfile = \"x.csv\"\n";
    std::fs::write(folder.path().join("plan.toml"), text).unwrap();
    let words = stderr(&run_expecting(folder.path(), &["check", "plan.toml"], 2));
    assert!(words.contains("was dropped by an earlier step"), "{words}");
    assert!(words.contains("would be the same"), "{words}");
}

#[test]
fn usage_errors_are_json_for_scripts_too() {
    let folder = tempfile::tempdir().unwrap();
    let output = run_expecting(
        folder.path(),
        &["risk", "x.csv", "--riskiest", "many", "--json"],
        2,
    );
    assert_eq!(json(&output)["errors"][0]["kind"], "usage");
    let output = run_expecting(folder.path(), &["explain", "rank-swp", "--json"], 2);
    assert_eq!(
        json(&output)["errors"][0]["hint"],
        "did you mean `rank-swap`?"
    );
    run_expecting(
        folder.path(),
        &["mask", "rank-swap", "x.csv", "-o", "y.csv"],
        2,
    );
}
