//! A limit of memory is kept by every command that reads a file, before the memory is taken.

use std::fmt::Write as _;

use crate::support::{run_expecting, stderr};

const PLAN: &str = "[data]\nfile = \"x.csv\"\n[output]\nfile = \"out.csv\"\n[variables]\n\
    a = { role = \"sensitive\", kind = \"continuous\" }\nb = { role = \"key\" }\nw = { role = \"weight\" }\n\
    [[step]]\nmask = \"rank-swap\"\non = [\"a\"]\nwindow = 0.1\n\
    [[measure]]\nuse = [\"il1s\"]\n[[gate]]\nmeasure = \"il1s\"\nat_most = 9\n";

#[test]
fn every_command_keeps_to_a_limit_of_memory() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let mut text = "a,b,w\n".to_owned();
    for i in 0..200 {
        let _ = writeln!(text, "{}.5,k{},{}", i * 7 % 211, i % 5, 1 + i % 3);
    }
    std::fs::write(here.join("x.csv"), text).unwrap();
    std::fs::write(here.join("plan.toml"), PLAN).unwrap();
    run_expecting(here, &["run", "plan.toml", "--memory", "1GB"], 0);
    let swap = ["mask", "rank-swap", "x.csv", "--on", "a", "--window", "0.1"];
    let commands: [&[&str]; 9] = [
        &["run", "plan.toml"],
        &["verify", "out.record.json"],
        &["inspect", "x.csv"],
        &["init", "x.csv", "-o", "other.toml"],
        &["risk", "x.csv", "--keys", "b"],
        &["explain-record", "x.csv", "--keys", "b", "--row", "1"],
        &["compare", "x.csv", "out.csv"],
        &[&swap[..], &["-o", "m.csv"]].concat(),
        &[
            "calibrate",
            "x.csv",
            "--weight",
            "w",
            "--margins",
            "b",
            "-o",
            "c.csv",
        ],
    ];
    for command in commands {
        let limited = [command, &["--memory", "1MB"]].concat();
        let told = stderr(&run_expecting(here, &limited, 2));
        assert!(told.contains("1000 kB are allowed"), "{command:?}: {told}");
        let roomy = [command, &["--memory", "0.5GiB"]].concat();
        run_expecting(here, &roomy, 0);
    }
    // Each of two files fits, and both do not.
    let both = ["compare", "x.csv", "out.csv", "--memory", "20MB"];
    let told = stderr(&run_expecting(here, &both, 2));
    assert!(told.contains("out.csv"), "{told}");
}

#[test]
fn a_size_that_says_nothing_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for size in ["2", "GB", "-1GB", "0GB", "NaNGB", "1e30TB"] {
        let limited = ["inspect", "x.csv", &format!("--memory={size}")];
        let told = stderr(&run_expecting(folder.path(), &limited, 2));
        assert!(told.contains("such as 2GB"), "{size}: {told}");
    }
}
