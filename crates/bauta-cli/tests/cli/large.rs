//! Large and odd inputs: an answer or a clear refusal. What once took minutes would show in the time of the tests.

use std::path::Path;

use crate::support::{run_expecting, stderr};

const PLAN_HEAD: &str =
    "[data]\nfile = \"x.csv\"\n[output]\nrelease = \"ungated\"\nfile = \"out.csv\"\n[variables]\n";

#[test]
fn tabs_in_a_csv_file_stay_tabs() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("x.csv"), "a\tb\n1\tx\n2\ty\n").unwrap();
    let plan = "a = { role = \"key\" }\n[[measure]]\nuse = []\n";
    std::fs::write(here.join("plan.toml"), format!("{PLAN_HEAD}{plan}")).unwrap();
    run_expecting(here, &["run", "plan.toml"], 0);
    let released = std::fs::read_to_string(here.join("out.csv")).unwrap();
    assert_eq!(released, "a\tb\n1\tx\n2\ty\n");
    // Tabs that came with the extension go with it.
    std::fs::rename(here.join("x.csv"), here.join("x.tsv")).unwrap();
    let plan = format!("{PLAN_HEAD}{plan}").replace("x.csv", "x.tsv");
    std::fs::write(here.join("plan.toml"), plan).unwrap();
    std::fs::remove_file(here.join("out.csv")).unwrap();
    run_expecting(here, &["run", "plan.toml"], 0);
    let released = std::fs::read_to_string(here.join("out.csv")).unwrap();
    assert_eq!(released, "a,b\n1,x\n2,y\n");
}

#[test]
fn a_condition_of_twenty_thousand_terms_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("x.csv"), "a,b\n1,x\n2,y\n3,z\n").unwrap();
    let terms: Vec<String> = (0..20_000).map(|at| format!("a = {at}")).collect();
    let values: Vec<String> = (0..20_000).map(|at| at.to_string()).collect();
    for (condition, limit) in [
        (terms.join(" or "), "more than 1000 comparisons"),
        (
            format!("a in ({})", values.join(",")),
            "lists more than 2000 values",
        ),
    ] {
        let plan = format!(
            "{PLAN_HEAD}a = {{ role = \"key\" }}\n[[measure]]\nuse = [\"k-anonymity\"]\nwhere = \"{condition}\"\n"
        );
        std::fs::write(here.join("plan.toml"), plan).unwrap();
        let message = stderr(&run_expecting(here, &["check", "plan.toml"], 2));
        assert!(
            message.contains(limit),
            "{}",
            &message[..message.len().min(2000)]
        );
    }
}

/// A file of `n` variables with names of 60 characters, and two records.
fn write_wide(folder: &Path, n: usize) -> Vec<String> {
    let names: Vec<String> = (0..n).map(|at| format!("{:v>55}{at:05}", "")).collect();
    let row = |cell: &str| vec![cell; n].join(",");
    let text = format!("{}\n{}\n{}\n", names.join(","), row("1"), row("2"));
    std::fs::write(folder.join("x.csv"), text).unwrap();
    names
}

#[test]
fn twenty_thousand_variables_under_a_long_header_are_checked_and_run() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    // 20,000 names of 60 characters: a header of 1.2 MB.
    let names = write_wide(here, 20_000);
    let declared = |suffix: &str| -> String {
        let lines = names.iter();
        lines
            .map(|name| format!("{name}{suffix} = {{ role = \"other\" }}\n"))
            .collect()
    };
    let none = "[[measure]]\nuse = []\n";
    std::fs::write(
        here.join("plan.toml"),
        format!("{PLAN_HEAD}{}{none}", declared("")),
    )
    .unwrap();
    run_expecting(here, &["check", "plan.toml"], 0);
    run_expecting(here, &["run", "plan.toml"], 0);
    // And twenty thousand names that are not there.
    std::fs::write(
        here.join("plan.toml"),
        format!("{PLAN_HEAD}{}{none}", declared("x")),
    )
    .unwrap();
    let message = stderr(&run_expecting(here, &["check", "plan.toml"], 2));
    assert!(message.contains("did you mean"));
}

#[test]
fn measures_find_their_variables_among_twenty_thousand() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let declared: String = write_wide(here, 20_000)
        .iter()
        .map(|name| format!("{name} = {{ role = \"other\", kind = \"continuous\" }}\n"))
        .collect();
    // Each looks for its variables among all of them and puts them in the order of the file.
    let measures = "[[measure]]\nuse = [\"interval-rank\", \"interval-sd\", \"il1\", \"il1-symmetric\", \
        \"il1s\", \"il2\", \"il3\", \"il4\", \"il5\", \"s0\", \"s1\", \"s2\", \"il\", \"hellinger\", \
        \"kolmogorov-smirnov\", \"univariate-summary\", \"eigenvalue-distance\"]\n";
    let plan = format!("{PLAN_HEAD}{declared}{measures}");
    std::fs::write(here.join("plan.toml"), plan).unwrap();
    run_expecting(here, &["check", "plan.toml"], 0);
}
