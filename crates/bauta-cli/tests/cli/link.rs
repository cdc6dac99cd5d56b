//! `bauta link`: what scripts rely on, who is found, and where links begin.

use std::path::Path;

use crate::support::{json, run_expecting, stderr, stdout};

/// Three hundred records of two amounts, twenty of them far from all others, and the same with some noise.
fn files(folder: &Path) {
    let rows = |noise: usize| -> String {
        (0..300)
            .map(|i| {
                let far = if i % 15 == 0 { 40 } else { 1 };
                let x = far * (1_000 + (i * 389) % 997) + noise * ((i * 31) % 83);
                let y = far * (2_000 + (i * 211) % 1_009) + noise * ((i * 17) % 97);
                format!("{x},{y}\n")
            })
            .collect()
    };
    std::fs::write(folder.join("x.csv"), format!("a,b\n{}", rows(0))).unwrap();
    std::fs::write(folder.join("z.csv"), format!("a,b\n{}", rows(1))).unwrap();
}

const LINK: [&str; 6] = ["link", "x.csv", "z.csv", "--by-row", "--metric", "d"];

#[test]
fn who_stands_out_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    files(folder.path());
    let found = json(&run_expecting(
        folder.path(),
        &[&LINK[..], &["--json"]].concat(),
        0,
    ));
    for field in [
        "total_weight",
        "true_pair_weight",
        "records",
        "correct",
        "rate",
        "zone",
    ] {
        assert!(!found[field].is_null(), "{field}");
    }
    assert_eq!(found["assignment"], "dense");
    // 5 % of 300 records; the far ones hide nowhere.
    let outliers = &found["outliers"];
    assert_eq!(outliers["records"], 15);
    assert_eq!(outliers["rate"], 1.0);
    assert!(outliers["rate_of_others"].as_f64().unwrap() < 1.0);
    let exposed = found["most_exposed"].as_array().unwrap();
    assert!(exposed.len() >= 10);
    assert!(exposed.iter().any(|one| one["outlier"] == true));
    let shown = stdout(&run_expecting(folder.path(), &LINK, 0));
    assert!(
        shown.contains("Of the 15 records that stand out most"),
        "{shown}"
    );
    assert!(shown.contains("Found most surely are rows"), "{shown}");
}

#[test]
fn thresholds_follow_from_bounds_on_errors() {
    let folder = tempfile::tempdir().unwrap();
    files(folder.path());
    let bounds = [
        "--parameters",
        "refined",
        "--set",
        "false_links=0.001",
        "--set",
        "missed_links=0.05",
    ];
    let found = json(&run_expecting(
        folder.path(),
        &[&LINK[..], &bounds, &["--json"]].concat(),
        0,
    ));
    let decided = &found["decided"];
    let [links, possible, none] =
        ["links", "possible", "no_links"].map(|name| decided[name].as_f64().unwrap());
    let all = found["links"].as_f64().unwrap();
    assert!((links + possible + none - all).abs() < 1e-9);
    assert!(decided["lower"].as_f64() <= decided["upper"].as_f64());
    for (more, said) in [
        (
            &["--set", "false_links=0.001"][..],
            "equal weights are no likelihoods",
        ),
        (
            &[
                "--parameters",
                "em",
                "--set",
                "false_links=0.001",
                "--set",
                "upper=3",
            ],
            "thresholds are stated",
        ),
    ] {
        let output = run_expecting(folder.path(), &[&LINK[..], more].concat(), 2);
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
    }
}

#[test]
fn a_share_that_is_likely_too_low_says_so_in_its_first_line() {
    let folder = tempfile::tempdir().unwrap();
    files(folder.path());
    let sparse = [
        "--assignment",
        "sparse",
        "--candidates",
        "1",
        "--set",
        "extensions=0",
        "-q",
    ];
    let few = [&LINK[..], &sparse].concat();
    let found = json(&run_expecting(
        folder.path(),
        &[&few[..], &["--json"]].concat(),
        0,
    ));
    assert!(
        found["not_among_candidates"].as_u64() > Some(30),
        "{found:#}"
    );
    let shown = stdout(&run_expecting(folder.path(), &few, 0));
    assert!(shown.contains("likely TOO LOW"), "{shown}");
    // All pairs were looked at: nothing is missing.
    let shown = stdout(&run_expecting(
        folder.path(),
        &[&LINK[..], &["-q"]].concat(),
        0,
    ));
    assert!(!shown.contains("TOO LOW"), "{shown}");
}
