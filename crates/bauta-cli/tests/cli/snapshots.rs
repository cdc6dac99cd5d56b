//! What people read on the terminal, kept word for word.

use crate::support::{run_expecting, stderr, stdout};

#[test]
fn help_and_lists() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(
        "help",
        stdout(&run_expecting(folder.path(), &["--help"], 0))
    );
    insta::assert_snapshot!(
        "mask_rank_swap_help",
        stdout(&run_expecting(
            folder.path(),
            &["mask", "rank-swap", "--help"],
            0
        ))
    );
    insta::assert_snapshot!("list", stdout(&run_expecting(folder.path(), &["list"], 0)));
}

#[test]
fn demo_risk_and_errors() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(
        "demo",
        stdout(&run_expecting(folder.path(), &["demo", "d"], 0))
    );
    let arguments = [
        "risk",
        "d/survey.csv",
        "--keys",
        "gender,age,qual,hsize",
        "--weight",
        "d_fin",
    ];
    insta::assert_snapshot!("risk", stdout(&run_expecting(folder.path(), &arguments, 0)));
    std::fs::write(folder.path().join("hsize.csv"), "1,1\n2,2\n3,3+\n4,3+\n").unwrap();
    let hierarchies = [
        "--hierarchy",
        "age=intervals:3,5",
        "--hierarchy",
        "hsize=hsize.csv",
        "--household",
        "id",
        "--rate",
        "0.000005",
    ];
    let arguments = [&arguments[..], &hierarchies].concat();
    insta::assert_snapshot!(
        "risk_levels",
        stdout(&run_expecting(folder.path(), &arguments, 0))
    );
    let plan = folder.path().join("d/plan.toml");
    let text = std::fs::read_to_string(&plan)
        .unwrap()
        .replace("reversal = ", "reversl = ");
    std::fs::write(folder.path().join("d/bad.toml"), text).unwrap();
    insta::assert_snapshot!(
        "mistake",
        stderr(&run_expecting(folder.path(), &["check", "d/bad.toml"], 2))
    );
}

#[test]
fn a_record_explained() {
    let folder = tempfile::tempdir().unwrap();
    run_expecting(folder.path(), &["demo", "d"], 0);
    let explained = |rest: &[&str]| {
        let keys = "gender,age,qual,hsize,income,couple";
        let arguments = ["explain-record", "d/survey.csv", "--keys", keys];
        stdout(&run_expecting(
            folder.path(),
            &[&arguments[..], rest].concat(),
            0,
        ))
    };
    let alone = ["--row", "5204", "--weight", "d_fin"];
    insta::assert_snapshot!("explain_record", explained(&alone));
    insta::assert_snapshot!("explain_record_k", explained(&["--row", "183", "--k", "3"]));
}

#[test]
fn every_command_has_an_example() {
    let folder = tempfile::tempdir().unwrap();
    for command in [
        "demo",
        "init",
        "inspect",
        "check",
        "run",
        "mask",
        "calibrate",
        "risk",
        "explain-record",
        "compare",
        "report",
        "verify",
        "list",
        "explain",
        "completions",
    ] {
        let help = stdout(&run_expecting(folder.path(), &[command, "--help"], 0));
        assert!(help.contains(&format!("bauta {command}")), "{command}");
        assert!(help.contains("Example"), "{command}");
    }
}
