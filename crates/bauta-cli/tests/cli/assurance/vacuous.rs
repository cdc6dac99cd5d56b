//! A comparison that finds nothing masked has no figure, and a gate on it does not hold.

use crate::support::{json, run_expecting, stdout};

fn plan(on: &str) -> String {
    format!(
        "[data]\nfile = \"x.csv\"\n[variables]\nage = {{ role = \"key\", kind = \"ordered\" }}\n\
         income = {{ role = \"sensitive\", kind = \"continuous\" }}\n\
         debt = {{ role = \"sensitive\", kind = \"continuous\" }}\n\
         [[step]]\nmask = \"rank-swap\"\non = [\"age\"]\nwindow = 0.3\n\
         [[measure]]\nuse = [\"il1s\"]\n{on}[[gate]]\nmeasure = \"il1s\"\nat_most = 0.2\n\
         [output]\nfile = \"out.csv\"\nreport = \"report.html\"\n"
    )
}

fn file() -> String {
    let rows = (0..60).map(|i| format!("{},{},{}\n", 20 + i * 7 % 40, i * 37 % 61, i * 11 % 59));
    format!("age,income,debt\n{}", rows.collect::<String>())
}

#[test]
fn a_loss_of_what_nobody_masked_is_undefined() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("x.csv"), file()).unwrap();
    for (on, reason) in [
        ("", "no step masked a variable of its kind"),
        ("on = [\"income\"]\n", "no step changed income"),
    ] {
        std::fs::write(here.join("plan.toml"), plan(on)).unwrap();
        let shown = stdout(&run_expecting(here, &["run", "plan.toml"], 1));
        assert!(
            shown.contains("il1s at most 0.2: no figure FAILS"),
            "{shown}"
        );
        assert!(
            shown.contains(&format!("il1s was not measured: {reason}")),
            "{shown}"
        );
        assert!(!here.join("out.csv").exists());
        let found = json(&run_expecting(here, &["run", "plan.toml", "--json"], 1));
        assert!(found["measures"][0]["value"].is_null(), "{found}");
        assert!(
            std::fs::read_to_string(here.join("report.html"))
                .unwrap()
                .contains(reason)
        );
    }
}

#[test]
fn tables_name_the_variables_that_were_measured() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("x.csv"), file()).unwrap();
    let both = plan("").replace("on = [\"age\"]", "on = [\"income\"]");
    std::fs::write(here.join("plan.toml"), both.replace("0.2", "9")).unwrap();
    let shown = stdout(&run_expecting(here, &["run", "plan.toml"], 0));
    let row = shown
        .lines()
        .find(|line| line.starts_with("| il1s"))
        .unwrap();
    assert!(
        row.contains("| il1s of income: ") && !row.contains("debt"),
        "{row}"
    );
    let report = std::fs::read_to_string(here.join("report.html")).unwrap();
    assert!(report.contains("Measured on income."));
}

#[test]
fn fewer_records_do_not_make_a_loss_by_record_meaningful() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("x.csv"), file()).unwrap();
    let swap = "mask = \"rank-swap\"\non = [\"age\"]\nwindow = 0.3\n";
    let sampled = plan("on = [\"income\"]\n").replace(swap, "mask = \"sample\"\nshare = 0.5\n");
    std::fs::write(here.join("plan.toml"), sampled).unwrap();
    let shown = stdout(&run_expecting(here, &["run", "plan.toml"], 1));
    assert!(
        shown.contains("il1s at most 0.2: no figure FAILS"),
        "{shown}"
    );
}
