//! `bauta optimize`, and plans whose steps change a masked file with the original at hand.

use std::path::Path;

use crate::support::{json, run_expecting, stderr, stdout};

/// Two hundred records of three amounts that go together, and the same with each amount in another record.
fn files(folder: &Path) {
    let value = |i: usize, j: usize| {
        let common = (i * 37) % 101;
        100 + 7 * common + ((i * (11 + 2 * j)) % 29) * (j + 1)
    };
    let rows = |shift: usize| -> String {
        (0..200)
            .map(|i| {
                let cells = [0, 1, 2].map(|j| value((i + shift * (j + 1)) % 200, j).to_string());
                format!("{i};{}\n", cells.join(";"))
            })
            .collect()
    };
    let header = "id;wages;rents;taxes\n";
    std::fs::write(folder.join("x.csv"), format!("{header}{}", rows(0))).unwrap();
    std::fs::write(folder.join("z.csv"), format!("{header}{}", rows(3))).unwrap();
}

const ON: [&str; 2] = ["--on", "wages,rents,taxes"];

#[test]
fn a_masked_file_gets_its_moments_back() {
    let folder = tempfile::tempdir().unwrap();
    files(folder.path());
    let command = [
        "optimize",
        "x.csv",
        "z.csv",
        "-p",
        "0.8",
        "--records",
        "0.5",
    ];
    let rest = ["--id", "id", "--seed", "7", "-o", "better.csv", "--json"];
    let all = [&command[..], &ON, &rest].concat();
    let found = json(&run_expecting(folder.path(), &all, 0));
    let moments = &found["figures"]["Distance of moments (E)"];
    let [before, after] = ["before", "after"].map(|side| moments[side].as_f64().unwrap());
    assert!(after < 0.1 * before, "{before} {after}");
    assert_eq!(found["search"]["open_records"], 100);
    // The file is written as the masked one is, with the same records, and at least half of them as they were.
    let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let (masked, better) = (text("z.csv"), text("better.csv"));
    assert_eq!(better.lines().count(), 201);
    let same = masked.lines().zip(better.lines()).filter(|(a, b)| a == b);
    assert!(same.count() >= 101);
    // The same command gives the same bytes, on any number of threads.
    let again = [&all[..], &["--threads", "1"]].concat();
    run_expecting(folder.path(), &again, 0);
    assert_eq!(text("better.csv"), better);
    // `compare` finds the same distance in the file that was written.
    let compare = ["compare", "x.csv", "better.csv", "--id", "id", "--json"];
    let compared = json(&run_expecting(
        folder.path(),
        &[&compare[..], &ON].concat(),
        0,
    ));
    let measures = compared["measures"].as_array().unwrap();
    if let Some(moments) = measures
        .iter()
        .find(|measure| measure["measure"] == "moments")
    {
        let value = moments["value"].as_f64().unwrap();
        assert!((value - after).abs() < 1e-9, "{value} {after}");
    }
}

#[test]
fn ids_and_weights_stay_and_nobody_sees_which_records_were_changed() {
    let folder = tempfile::tempdir().unwrap();
    files(folder.path());
    // A weight that no mask touched, in both files, one value missing in the masked one.
    let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    for name in ["x.csv", "z.csv"] {
        let with_weight = text(name)
            .lines()
            .enumerate()
            .map(|(at, line)| match at {
                0 => format!("{line};weight;five\n"),
                at => format!("{line};{};5\n", 3 + at % 7),
            })
            .collect::<String>();
        std::fs::write(folder.path().join(name), with_weight).unwrap();
    }
    let command = [
        "optimize",
        "x.csv",
        "z.csv",
        "--by-row",
        "--seed",
        "7",
        "-o",
        "better.csv",
    ];
    let output = run_expecting(folder.path(), &command, 0);
    let said = stdout(&output);
    assert!(
        said.contains("no record was masked in them: id, weight, five"),
        "{said}"
    );
    assert!(said.contains("IL1 that was aimed at"), "{said}");
    let better = text("better.csv");
    assert!(!better.contains('.'), "decimals show who was changed");
    let ends = |text: &str| -> Vec<String> {
        let of = |line: &str| {
            let cells: Vec<&str> = line.split(';').collect();
            format!("{};{}", cells[0], cells[4])
        };
        text.lines().map(of).collect()
    };
    assert_eq!(ends(&better), ends(&text("z.csv")));
    // What is asked of the search is asked of its figures: one distance E on one screen.
    let third = [
        "--set",
        "order=3",
        "--on",
        "wages,rents,five",
        "--force",
        "--json",
    ];
    let found = json(&run_expecting(
        folder.path(),
        &[&command[..], &third].concat(),
        0,
    ));
    let shown = found["figures"]["Distance of moments (E)"]["after"]
        .as_f64()
        .unwrap();
    let searched = found["search"]["after"]["e"].as_f64().unwrap();
    assert!((shown - searched).abs() < 1e-9, "{shown} {searched}");
}

#[test]
fn what_cannot_be_improved_is_said_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    files(folder.path());
    std::fs::write(folder.path().join("texts.csv"), "id;name\n1;a\n2;b\n").unwrap();
    for (more, said) in [
        (&["x.csv", "z.csv", "-o", "x.csv"][..], "x.csv"),
        (
            &[
                "x.csv", "z.csv", "-o", "y.csv", "--set", "p=0.3", "-p", "0.4",
            ],
            "`p` is given twice",
        ),
        (&["x.csv", "z.csv", "-o", "y.csv", "--set", "q=3"], "q"),
        (
            &["x.csv", "z.csv", "-o", "y.csv", "--set", "speed=3"],
            "`post-mask` has no parameter `speed`",
        ),
        (
            &[
                "x.csv",
                "z.csv",
                "-o",
                "y.csv",
                "--set",
                "order=3",
                "--set",
                "order_weights=1,1",
            ],
            "2 weights",
        ),
        (
            &["x.csv", "z.csv", "-o", "y.csv", "--on", "wages,names"],
            "names",
        ),
        (
            &["x.csv", "x.csv", "-o", "y.csv", "--on", "wages,rents"],
            "it was not masked",
        ),
        (
            &["texts.csv", "texts.csv", "-o", "y.csv", "--id", "id"],
            "no number in common",
        ),
    ] {
        let output = run_expecting(folder.path(), &[&["optimize"], more].concat(), 2);
        assert!(
            stderr(&output).contains(said),
            "{more:?}: {}",
            stderr(&output)
        );
        assert!(!folder.path().join("y.csv").exists(), "{more:?}");
    }
}

const PLAN: &str = r#"
[data]
file = "x.csv"
[variables]
id = { role = "identifier" }
wages = { role = "sensitive", kind = "continuous" }
rents = { role = "sensitive", kind = "continuous" }
taxes = { role = "sensitive", kind = "continuous" }
[[step]]
mask = "drop-identifiers"
[[step]]
mask = "rank-swap"
on = ["wages", "rents", "taxes"]
window = 0.2
[[step]]
adjust = "post-mask"
on = ["wages", "rents", "taxes"]
p = 0.8
LIMIT
[[measure]]
use = ["moments", "dld"]
on = ["wages", "rents", "taxes"]
[[gate]]
measure = "moments"
at_most = 0.5
[output]
file = "out.csv"
record = "out.json"
report = "out.html"
external_report = "public.html"
"#;

#[test]
fn a_plan_improves_its_file_and_a_run_that_the_clock_may_end_cannot_be_repeated() {
    let folder = tempfile::tempdir().unwrap();
    files(folder.path());
    let write = |limit: &str| {
        std::fs::write(
            folder.path().join("plan.toml"),
            PLAN.replace("LIMIT", limit),
        )
        .unwrap();
    };
    write("iterations = 20000");
    run_expecting(folder.path(), &["run", "plan.toml"], 0);
    run_expecting(folder.path(), &["verify", "out.json"], 0);
    let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let report = text("out.html");
    assert!(report.contains("Post-masking optimisation") && report.contains("E by steps"));
    // How near the file is to the original is nobody's business outside.
    assert!(!text("public.html").contains("E by steps"));
    write("seconds = 0.2");
    run_expecting(folder.path(), &["run", "plan.toml"], 0);
    let output = run_expecting(folder.path(), &["verify", "out.json"], 1);
    let said = stdout(&output) + &stderr(&output);
    assert!(said.contains("nobody can make the file again"), "{said}");
    assert!(text("out.json").contains("time-limited"));
}
