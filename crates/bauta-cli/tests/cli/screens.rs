//! What a person believes after reading a screen is true: verdicts in words, what steps noted, what every masked
//! variable lost; and screens that can be read.

use std::path::Path;

use crate::support::{bauta, json, run_expecting, stderr, stdout};

/// The demonstration, and a plan beside it that differs in one place.
fn demo_with(from: &str, to: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    run_expecting(folder.path(), &["demo", "d"], 0);
    let plan = std::fs::read_to_string(folder.path().join("d/plan.toml")).unwrap();
    assert!(plan.contains(from), "{from}");
    let plan = plan
        .replace(from, to)
        .replace("survey-protected.csv", "other.csv");
    std::fs::write(folder.path().join("d/other.toml"), plan).unwrap();
    folder
}

fn shown(folder: &Path, code: i32) -> String {
    stdout(&run_expecting(folder, &["run", "d/other.toml"], code))
}

#[test]
fn a_release_is_told_with_what_was_done_and_what_it_cost() {
    let folder = demo_with("why = ", "why = ");
    let shown = shown(folder.path(), 0);
    for line in [
        "survey.csv: 12,901 records, 17 variables read\n",
        // Notes of the steps.
        "    hsize: 844 cells were suppressed\n",
        "    removed: d_init, id\n",
        // What every masked variable lost.
        "| age    |        12,901 |          0 | file-loss 0.3966, hellinger 0",
        "| uu     |           344 |        344 | file-loss 0.03252, hellinger 0.005877",
        "  left out: id and d_init\n",
        "\nReleased: all 4 conditions of the plan hold.\nfile:     other.csv (12,901 records)\n",
    ] {
        assert!(shown.contains(line), "{line}\n{shown}");
    }
    assert!(!shown.contains("NOT"), "{shown}");
    // Nobody measured what some lost: that is said, with what would.
    let measures = "use = [\"file-loss\"]        # what masking took, of the whole file and by variable\n\n[[measure]]\n";
    let folder = demo_with(measures, "");
    let plan = std::fs::read_to_string(folder.path().join("d/other.toml")).unwrap();
    let plan = plan.replace(
        "on = [\"age\", \"uu\", \"qual\", \"couple\", \"hsize\"]",
        "on = [\"uu\"]",
    );
    std::fs::write(folder.path().join("d/other.toml"), plan).unwrap();
    let shown = self::shown(folder.path(), 0);
    assert!(
        shown
            .contains("what masking lost of age, qual and hsize was not measured; add [[measure]]"),
        "{shown}"
    );
}

#[test]
fn a_failure_says_what_fails_by_how_much_and_where_to_look() {
    let folder = demo_with("at_least = 3", "at_least = 5");
    let told = shown(folder.path(), 1);
    for line in [
        "\nNOT released: 1 of 4 conditions does not hold.\n",
        "  k-anonymity (neighbour): smallest class is 4, and at least 5 is asked; 8 records in classes smaller than 5\n",
        "  - report.html shows every figure",
        "  - `bauta risk --plan d/other.toml --scenario neighbour` shows which keys single records out",
        "  - `bauta tune d/other.toml` searches",
    ] {
        assert!(told.contains(line), "{line}\n{told}");
    }
    assert!(
        !told.contains("Released:") && !told.contains("public:"),
        "{told}"
    );
    // The command that is named exists and shows it.
    let risk = ["risk", "--plan", "d/other.toml", "--scenario", "neighbour"];
    let risk = stdout(&run_expecting(folder.path(), &risk, 0));
    assert!(
        risk.starts_with("This is the original, before the steps of the plan.\n")
            && risk.contains("\nScenario neighbour: sees who lives next door"),
        "{risk}"
    );
    // A record of a failure that holds does not sound like a release.
    let verified = ["verify", "d/other.record.json"];
    let verified = stdout(&run_expecting(folder.path(), &verified, 0));
    assert!(
        verified.contains("The record holds")
            && verified.contains("  NOT released: 1 of 4 conditions"),
        "{verified}"
    );
}

#[test]
fn a_claim_that_a_later_step_ends_is_told() {
    let recode = "[[step]]\nmask = \"recode\"\non = [\"couple\"]\nmap = { \"1\" = \"x\" }\n\n[[measure]]\nuse = [\"k-anonymity\", \"individual-risk\"]";
    let folder = demo_with(
        "[[measure]]\nuse = [\"k-anonymity\", \"individual-risk\"]",
        recode,
    );
    let told = shown(folder.path(), 0);
    assert!(
        told.contains("    WARNING: after this step the classes of 3 that step `suppress-local` made need not be whole"),
        "{told}"
    );
}

#[test]
fn a_file_that_nothing_was_judged_of_is_not_called_released() {
    let folder = demo_with("[output]", "[output]\nrelease = \"ungated\"");
    let plan = folder.path().join("d/other.toml");
    let text = std::fs::read_to_string(&plan).unwrap();
    let (before, after) = text.split_once("[[gate]]").unwrap();
    let output = &after[after.find("[output]").unwrap()..];
    std::fs::write(&plan, format!("{before}{output}")).unwrap();
    let told = shown(folder.path(), 0);
    assert!(
        told.contains("\nNOT JUDGED: Nothing was judged") && told.contains("\nwritten:  other.csv"),
        "{told}"
    );
    assert!(
        !told.contains("Released") && !told.contains("conditions of the plan"),
        "{told}"
    );
}

#[test]
fn risk_reads_a_plan_for_what_the_variables_are() {
    let folder = demo_with("why = ", "why = ");
    let here = folder.path();
    let by_plan = json(&run_expecting(
        here,
        &["risk", "--plan", "d/plan.toml", "--json"],
        0,
    ));
    let said = ["risk", "d/survey.csv", "--keys", "gender,age,qual,income"];
    let rest = ["--weight", "d_fin", "--missing-texts", "", "--json"];
    let by_hand = json(&run_expecting(here, &[&said[..], &rest].concat(), 0));
    let scenarios = by_plan["scenarios"].as_array().unwrap();
    assert_eq!(scenarios.len(), 2);
    let colleague = &scenarios[1];
    assert_eq!(colleague["scenario"], "colleague");
    for field in [
        "keys",
        "weight",
        "k",
        "uniques",
        "expected_reidentifications",
        "riskiest",
    ] {
        assert_eq!(colleague[field], by_hand[field], "{field}");
    }
    // Missing income is missing, not a value: the plan says so.
    assert_eq!(colleague["sensitive"].as_array().unwrap().len(), 7);
    // What is said goes before the plan.
    let keys = [
        "risk",
        "--plan",
        "d/plan.toml",
        "--keys",
        "age,uu",
        "--json",
    ];
    let keys = json(&run_expecting(here, &keys, 0));
    assert_eq!(keys["keys"], serde_json::json!(["age", "uu"]));
    assert_eq!(
        (&keys["weight"], &keys["scenario"]),
        (&"d_fin".into(), &serde_json::Value::Null)
    );
    // Labels.
    let words = ["risk", "--plan", "d/plan.toml", "--scenario", "colleague"];
    let words = stdout(&run_expecting(here, &words, 0));
    assert!(
        words.contains("qual (Highest qualification) and income (Income class)"),
        "{words}"
    );
    let wrong = ["risk", "--plan", "d/plan.toml", "--scenario", "colleage"];
    let wrong = stderr(&run_expecting(here, &wrong, 2));
    assert!(wrong.contains("did you mean `colleague`?"), "{wrong}");
}

#[test]
fn the_risk_of_a_released_file_by_its_record_is_what_the_run_found() {
    let folder = demo_with("why = ", "why = ");
    let here = folder.path();
    let run = json(&run_expecting(here, &["run", "d/plan.toml", "--json"], 0));
    let record = "d/survey-protected.record.json";
    // The input need not be there.
    std::fs::remove_file(here.join("d/survey.csv")).unwrap();
    let risk = [
        "risk",
        "d/survey-protected.csv",
        "--record",
        record,
        "--json",
    ];
    let risk = json(&run_expecting(here, &risk, 0));
    for (position, scenario) in risk["scenarios"].as_array().unwrap().iter().enumerate() {
        let measured = &run["measures"][position];
        assert_eq!(measured["scenario"], scenario["scenario"]);
        assert_eq!(measured["value"], scenario["smallest_class"]);
        assert_eq!(measured["parts"]["below_5"], scenario["k"]["5"]);
        let expected = &run["measures"][position + 2]["parts"]["expected_reidentifications"];
        let (run, here) = (
            expected.as_f64(),
            scenario["expected_reidentifications"].as_f64(),
        );
        assert!(
            (run.unwrap() - here.unwrap()).abs() < 1e-12,
            "{run:?} {here:?}"
        );
    }
}

#[test]
fn a_comparison_begins_with_ten_lines_of_what_matters() {
    let folder = demo_with("why = ", "why = ");
    let here = folder.path();
    let record = "d/survey-protected.record.json";
    let told = stdout(&run_expecting(here, &["compare", record], 0));
    let (summary, table) = told.split_once("\n\n").unwrap();
    assert!(summary.lines().count() <= 10, "{summary}");
    for line in [
        ": 12,901 records each\nRecords are paired as the run made them, which was repeated.\n",
        "\nVariables: 15 in both files; left out: id, d_init.\n",
        "\nDiffer: age (Age class) in 12,901 records (100 %), qual",
        "couple (Living in a couple) in 1 record (0.0078 %); the other 10 are the same in every record.\n",
        "\nSuppressed: 1,211 cells that had a value are blank now: hsize 844, uu 344, qual 22, couple 1.\n",
        "\nLoss by ",
        "\nRisk by k-anonymity (smallest class): neighbour 1 before, 4 after; colleague 1 before, 5 after.\n",
        "\nNot covered: no measure looked at d_fin;",
    ] {
        assert!(summary.contains(line), "{line}\n{summary}");
    }
    assert!(table.contains("| k-anonymity (colleague) "), "{table}");
    let object = json(&run_expecting(here, &["compare", record, "--json"], 0));
    assert_eq!(object["overview"]["changed"][0]["n_cells"], 12_901);
    // Without a plan nobody knows the keys, and the summary says so.
    let survey = std::fs::read_to_string(here.join("d/survey.csv")).unwrap();
    let some: Vec<&str> = survey.lines().take(401).collect();
    std::fs::write(here.join("some.csv"), some.join("\n") + "\n").unwrap();
    let mask = "mask rank-swap some.csv --on d_fin,d_init --window 0.1 --seed 7 -o masked.csv";
    run_expecting(here, &mask.split(' ').collect::<Vec<_>>(), 0);
    let plain = ["compare", "some.csv", "masked.csv", "--on", "d_fin,d_init"];
    let plain = stdout(&run_expecting(here, &plain, 0));
    assert!(plain.contains("\nRisk by dld ("), "{plain}");
    assert!(plain.contains("\nLoss by "), "{plain}");
    // With one, codes of categories are no numbers.
    let planned = [
        "compare",
        "some.csv",
        "masked.csv",
        "--plan",
        "d/plan.toml",
        "--json",
    ];
    let planned = json(&run_expecting(here, &planned, 0));
    assert_eq!(planned["variables"], serde_json::json!([]));
    let of_keys = planned["measures"].as_array().unwrap().iter();
    let of_keys = of_keys.filter(|one| one["id"] == "k-anonymity");
    assert_eq!(of_keys.count(), 2);
}

#[test]
fn a_plan_alone_names_both_files_and_half_a_pair_is_refused() {
    let folder = demo_with("shuffle = true", "shuffle = false");
    let here = folder.path();
    run_expecting(here, &["run", "d/other.toml"], 0);
    let alone = ["compare", "--plan", "d/other.toml", "--json"];
    let alone = json(&run_expecting(here, &alone, 0));
    assert_eq!(alone["pairing"]["by"], "row");
    assert!(alone["masked"].as_str().unwrap().ends_with("other.csv"));
    let half = ["compare", "d/survey.csv", "--plan", "d/other.toml"];
    let half = stderr(&run_expecting(here, &half, 2));
    assert!(
        half.contains("two files are compared, and one is named"),
        "{half}"
    );
}

/// Commands that draw, and so have a seed, with one that does not among masks.
const DRAWING: [&str; 9] = [
    "demo",
    "init",
    "run",
    "sweep",
    "tune",
    "compare",
    "optimize",
    "reproduce",
    "mask rank-swap",
];
const NOT_DRAWING: [&str; 14] = [
    "inspect",
    "check",
    "calibrate",
    "risk",
    "explain-record",
    "link",
    "report",
    "verify",
    "sign",
    "list",
    "explain",
    "completions",
    "mask recode",
    "mask mdav",
];

#[test]
fn options_stand_in_an_order_and_a_seed_only_where_something_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    for (commands, draws) in [(&DRAWING[..], true), (&NOT_DRAWING, false)] {
        for command in commands {
            let words: Vec<&str> = command.split(' ').collect();
            let help = [&words[..], &["--help"]].concat();
            let help = stdout(&run_expecting(folder.path(), &help, 0));
            assert_eq!(help.contains("--seed <"), draws, "{command}\n{help}");
            let at = |text: &str| help.find(text).unwrap_or(usize::MAX);
            let [own, files, general] =
                ["Options:", "How files are read:", "Every command:"].map(at);
            assert!(own < general, "{command}");
            assert!(
                files == usize::MAX || (own < files && files < general),
                "{command}"
            );
            assert!(
                at("--json") > general && at("--memory") > at("--json"),
                "{command}"
            );
            assert!(
                at("Parameters:") == usize::MAX || at("Parameters:") < files,
                "{command}"
            );
        }
    }
}

#[test]
fn a_seed_where_nothing_is_drawn_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    for (line, said) in [
        (
            "risk x.csv --keys a --seed 1",
            "`bauta risk` draws nothing at random",
        ),
        (
            "mask recode x.csv --on a -o y.csv --seed 1",
            "`bauta mask recode` draws nothing at random",
        ),
        (
            "--seed 1 run plan.toml",
            "--seed belongs to a command that draws",
        ),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let told = stderr(&run_expecting(folder.path(), &words, 2));
        assert!(told.contains(said), "{told}");
    }
}

/// Names as some offices have them, in a run of everything.
#[test]
fn tables_fit_the_page_and_break_no_word() {
    let folder = tempfile::tempdir().unwrap();
    let names = [
        "region_of_usual_residence_nuts3",
        "highest_level_of_education_attained",
        "gross_annual_income_of_the_household",
    ];
    let mut csv = names.join(",") + "\n";
    for record in 0..60 {
        csv += &format!("r{},e{},{}\n", record % 3, record % 4, 1000 + 17 * record);
    }
    std::fs::write(folder.path().join("x.csv"), csv).unwrap();
    let plan = format!(
        "[data]\nfile = \"x.csv\"\n[variables]\n{} = {{ role = \"key\" }}\n{} = {{ role = \"key\" }}\n\
         {} = {{ role = \"sensitive\", kind = \"continuous\" }}\n[[step]]\nmask = \"rank-swap\"\non = [\"{}\"]\n\
         window = 0.1\n[[gate]]\nmeasure = \"k-anonymity\"\nat_least = 2\n[output]\nfile = \"y.csv\"\n",
        names[0], names[1], names[2], names[2]
    );
    std::fs::write(folder.path().join("plan.toml"), plan).unwrap();
    run_expecting(folder.path(), &["run", "plan.toml", "--quiet"], 0);
    let commands = [
        vec!["run", "plan.toml"],
        vec!["inspect", "x.csv"],
        vec!["risk", "--plan", "plan.toml"],
        vec!["compare", "y.record.json", "--by-variable"],
        vec!["list"],
    ];
    for command in commands {
        for columns in ["80", "60"] {
            let mut started = bauta(folder.path());
            let output = started
                .args(&command)
                .env("COLUMNS", columns)
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(0), "{command:?}");
            let told = stdout(&output);
            let width: usize = columns.parse().unwrap();
            let mut tables = told.lines().filter(|line| line.starts_with('|'));
            assert!(tables.all(|line| line.chars().count() <= width), "{told}");
            // A broken name would be in no line.
            let named = match command[0] {
                "list" => &names[..0],
                "risk" => &names[..2],
                _ => &names[..],
            };
            assert!(named.iter().all(|name| told.contains(name)), "{told}");
        }
    }
}
