//! A file that nothing was asked of goes only where somebody says so, and nobody is told that it is safe.

use std::path::Path;

use crate::support::{json, run_expecting, stderr, stdout};

const PLAN: &str = "[data]\nfile = \"x.csv\"\n[variables]\na = { role = \"key\" }\n\
    [[step]]\nmask = \"suppress-local\"\non = [\"a\"]\nk = 2\n[[measure]]\nuse = [\"k-anonymity\"]\n\
    [output]\nfile = \"out.csv\"\nreport = \"report.html\"\nexternal_report = \"public.html\"\n";

fn folder(plan: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("x.csv"),
        "a,b\nu,1\nu,2\nv,3\nv,4\nw,5\n",
    )
    .unwrap();
    std::fs::write(folder.path().join("plan.toml"), plan).unwrap();
    folder
}

fn page(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn without_a_gate_nothing_goes() {
    let folder = folder(PLAN);
    for command in ["run", "check"] {
        let told = stderr(&run_expecting(folder.path(), &[command, "plan.toml"], 2));
        assert!(
            told.contains("sets no condition of release") && told.contains("--ungated"),
            "{told}"
        );
    }
    assert!(!folder.path().join("out.csv").exists() && !folder.path().join("report.html").exists());
}

#[test]
fn who_lets_it_go_is_recorded_and_the_reports_say_that_nothing_was_judged() {
    let by_plan = PLAN.replace("[output]\n", "[output]\nrelease = \"ungated\"\n");
    for (plan, options, by) in [
        (PLAN, vec!["run", "plan.toml", "--ungated"], "command-line"),
        (&by_plan, vec!["run", "plan.toml"], "plan"),
    ] {
        let folder = folder(plan);
        let here = folder.path();
        let shown = stdout(&run_expecting(here, &options, 0));
        assert!(
            shown.contains("NOT JUDGED: Nothing was judged") && !shown.contains("released: "),
            "{shown}"
        );
        let report = page(here, "report.html");
        assert!(report.contains("verdict amber") && !report.contains("verdict good"));
        assert!(report.contains("nothing was judged"), "{report}");
        let public = page(here, "public.html");
        assert!(public.contains("was not judged") && !public.contains("in a form that protects"));
        let record: serde_json::Value =
            serde_json::from_str(&page(here, "out.record.json")).unwrap();
        assert_eq!(record["ungated"], by);
        run_expecting(here, &["verify", "out.record.json"], 0);
        // A record that hides it does not verify.
        let mut altered = record.clone();
        altered.as_object_mut().unwrap().remove("ungated");
        std::fs::write(here.join("out.record.json"), altered.to_string()).unwrap();
        run_expecting(here, &["verify", "out.record.json"], 1);
    }
}

#[test]
fn gates_are_not_switched_off() {
    let gate = "[[gate]]\nmeasure = \"k-anonymity\"\nat_least = 9\n[output]\n";
    let folder = folder(&PLAN.replace("[output]\n", gate));
    let output = run_expecting(folder.path(), &["run", "plan.toml", "--ungated"], 1);
    assert!(stderr(&output).contains("--ungated changes nothing"));
    let both = PLAN.replace("[output]\n", &format!("{gate}release = \"ungated\"\n"));
    std::fs::write(folder.path().join("plan.toml"), both).unwrap();
    let found = json(&run_expecting(
        folder.path(),
        &["check", "plan.toml", "--json"],
        2,
    ));
    assert_eq!(found["errors"][0]["line"], 15, "{found}");
    let misspelled = PLAN.replace("[output]\n", "[output]\nrelease = \"ungatet\"\n");
    std::fs::write(folder.path().join("plan.toml"), misspelled).unwrap();
    let told = stderr(&run_expecting(folder.path(), &["check", "plan.toml"], 2));
    assert!(told.contains("ungated"), "{told}");
}

#[test]
fn conditions_on_loss_alone_are_not_called_protection() {
    let plan = "[data]\nfile = \"x.csv\"\n[variables]\nb = { role = \"sensitive\", kind = \"continuous\" }\n\
        [[step]]\nmask = \"noise-additive\"\non = [\"b\"]\nshare = 0.1\n[[measure]]\nuse = [\"il1s\"]\n\
        [[gate]]\nmeasure = \"il1s\"\nat_most = 5\n[output]\nfile = \"out.csv\"\nreport = \"report.html\"\n";
    let folder = folder(plan);
    run_expecting(folder.path(), &["run", "plan.toml"], 0);
    let report = page(folder.path(), "report.html");
    assert!(report.contains("verdict amber") && report.contains("No condition is about the risk"));
}

#[test]
fn gates_that_every_file_satisfies_are_refused() {
    for (gate, told) in [
        ("measure = \"k-anonymity\"\nat_least = 1\n", "never below 1"),
        (
            "measure = \"k-anonymity\"\npart = \"uniques\"\nat_least = 3\n",
            "better the lower",
        ),
        (
            "measure = \"k-anonymity\"\nat_most = 5\n",
            "better the higher",
        ),
        (
            "measure = \"individual-risk\"\nat_most = 1\n",
            "never above 1",
        ),
        (
            "measure = \"individual-risk\"\npart = \"max\"\nat_least = 0.5\n",
            "better the lower",
        ),
        (
            "measure = \"k-anonymity\"\nat_least = 3\nalthough_perturbed = \" \"\n",
            "gives no reason",
        ),
    ] {
        let plan = PLAN.replace(
            "use = [\"k-anonymity\"]",
            "use = [\"k-anonymity\", \"individual-risk\"]",
        );
        let folder = folder(&plan.replace("[output]\n", &format!("[[gate]]\n{gate}[output]\n")));
        let output = run_expecting(folder.path(), &["run", "plan.toml"], 2);
        assert!(stderr(&output).contains(told), "{gate}{}", stderr(&output));
    }
}

#[test]
fn an_audit_of_blanks_is_no_judgement_of_a_raw_file() {
    let gate = "[[measure]]\nuse = [\"reversal\"]\n[[gate]]\nmeasure = \"reversal\"\nat_most = 0\n[output]\n";
    let plan = PLAN
        .replace("[output]\n", gate)
        .replace("k = 2\n", "k = 1\n");
    let folder = folder(&plan);
    let shown = stdout(&run_expecting(folder.path(), &["run", "plan.toml"], 0));
    assert!(
        shown.contains("NOT JUDGED: No condition is about the risk"),
        "{shown}"
    );
    assert!(page(folder.path(), "report.html").contains("verdict amber"));
    assert!(page(folder.path(), "public.html").contains("was not judged"));
    let found = json(&run_expecting(
        folder.path(),
        &["run", "plan.toml", "--json"],
        0,
    ));
    assert_eq!(found["judged"], "loss-only");
}
