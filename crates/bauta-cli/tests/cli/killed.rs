//! Commands that are ended at every step of their publishing stage: the next command finds what was
//! there before or what was to be there, whole, and says which. `cargo xtask kill` does the same with
//! real kills at random moments.

use std::path::Path;
use std::process::Output;

use crate::support::{bauta, json, names, run, run_expecting, stderr};

const PLAN: &str = r#"[data]
file = "x.csv"
[variables]
a = { role = "sensitive", kind = "continuous" }
b = { role = "key" }
w = { role = "weight" }
[[step]]
mask = "rank-swap"
on = ["a"]
window = 0.2
[[step]]
mask = "suppress-local"
on = ["b"]
k = 2
[output]
release = "ungated"
file = "out/released.csv"
record = "record.json"
report = "report.html"
external_report = "out/public.html"
shuffle = true
"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let rows = (0..40).map(|i| format!("{},k{},{}\n", i * 79 % 41, i % 7, 1 + i % 3));
    let rows: String = rows.collect();
    std::fs::write(folder.path().join("x.csv"), format!("a,b,w\n{rows}")).unwrap();
    std::fs::write(folder.path().join("plan.toml"), PLAN).unwrap();
    std::fs::create_dir(folder.path().join("out")).unwrap();
    folder
}

/// Which of two states a folder is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Before,
    After,
}

/// Ends `command` at every step in turn. `is_in` looks at what the next command found, which is
/// `bauta` with the arguments `next`, and fails for anything but one of two states.
fn end_everywhere(
    folder: &Path,
    command: &[&str],
    next: &[&str],
    prepare: impl Fn(),
    is_in: impl Fn(&Output) -> State,
) -> [usize; 2] {
    let mut n_found = [0, 0];
    for step in 1.. {
        prepare();
        let ended = bauta(folder)
            .args(command)
            .env("BAUTA_FAIL_AT", step.to_string())
            .output()
            .unwrap();
        let is_complete = ended.status.code().is_some();
        let found = run(folder, next);
        let state = is_in(&found);
        let said = stderr(&found);
        if is_complete {
            assert_eq!(state, State::After, "{}", stderr(&ended));
            assert!(!said.contains("cut off"), "{said}");
            break;
        }
        n_found[usize::from(state == State::After)] += 1;
        // A process that has begun to name its files, or to write them, is spoken of.
        match state {
            State::Before => assert!(!said.contains("have their names now"), "{step}: {said}"),
            State::After => assert!(!said.contains("as it was before"), "{step}: {said}"),
        }
        for place in [folder.to_owned(), folder.join("out")] {
            let hidden = names(&place)
                .into_iter()
                .filter(|name| name.starts_with('.'));
            assert_eq!(hidden.collect::<Vec<_>>(), [""; 0], "step {step}");
        }
    }
    n_found
}

/// The state of a run whose record is verified: its seed tells which run it was.
fn seed_of(folder: &Path, record: &str, [before, after]: [u64; 2]) -> State {
    let text = std::fs::read(folder.join(record)).unwrap();
    let record: serde_json::Value = serde_json::from_slice(&text).unwrap();
    match record["seed"].as_u64().unwrap() {
        seed if seed == before => State::Before,
        seed if seed == after => State::After,
        other => panic!("seed {other}"),
    }
}

/// The state of a calibration by what its plan calls the new weight.
fn weight_of(folder: &Path, record: &str) -> State {
    let text = std::fs::read(folder.join(record)).unwrap();
    let record: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let plan = record["plan"]["text"].as_str().unwrap();
    let named = |name: &str| plan.contains(&format!("weight = \"{name}\""));
    match (named("1"), named("2")) {
        (true, false) => State::Before,
        (false, true) => State::After,
        _ => panic!("{plan}"),
    }
}

#[test]
fn a_run_that_is_ended_at_any_step_leaves_the_old_release_or_the_new_one() {
    let folder = folder();
    let verified = |found: &Output| {
        assert_eq!(found.status.code(), Some(0), "{}", stderr(found));
        assert_eq!(json(found)["same"], true);
        seed_of(folder.path(), "record.json", [1, 2])
    };
    let n_found = end_everywhere(
        folder.path(),
        &["run", "plan.toml", "--seed", "2"],
        &["verify", "record.json", "--json"],
        || {
            drop(run_expecting(
                folder.path(),
                &["run", "plan.toml", "--seed", "1"],
                0,
            ));
        },
        verified,
    );
    assert!(n_found[0] > 10 && n_found[1] > 10, "{n_found:?}");
}

#[test]
fn a_first_run_that_is_ended_at_any_step_leaves_nothing_or_everything() {
    let folder = folder();
    let outputs = [
        "record.json",
        "report.html",
        "out/released.csv",
        "out/public.html",
    ];
    let n_found = end_everywhere(
        folder.path(),
        &["run", "plan.toml", "--seed", "2"],
        &["verify", "record.json", "--json"],
        || {
            for name in outputs {
                let _ = std::fs::remove_file(folder.path().join(name));
            }
        },
        |found| {
            let n_there = outputs
                .iter()
                .filter(|name| folder.path().join(name).exists());
            match (n_there.count(), found.status.code()) {
                (0, Some(2)) => State::Before,
                (4, Some(0)) => State::After,
                other => panic!("{other:?} {}", stderr(found)),
            }
        },
    );
    assert!(n_found[0] > 5 && n_found[1] > 3, "{n_found:?}");
}

#[test]
fn a_mask_and_a_calibration_are_ended_at_any_step() {
    let folder = folder();
    let mask = ["mask", "rank-swap", "x.csv", "--on", "a", "--window", "0.2"];
    let calibrate = ["calibrate", "x.csv", "--weight", "w", "--margins", "b"];
    // A calibration draws nothing: the name of the new weight tells which it was.
    for (command, option) in [(&mask[..], "--seed"), (&calibrate, "--new-weight")] {
        let outputs = ["-o", "out/masked.csv", "--record", "record.json"];
        let version = |number| [command, &outputs, &[option, number]].concat();
        let n_found = end_everywhere(
            folder.path(),
            &version("2"),
            &["verify", "record.json", "--json"],
            || drop(run_expecting(folder.path(), &version("1"), 0)),
            |found| {
                assert_eq!(found.status.code(), Some(0), "{}", stderr(found));
                if option == "--seed" {
                    seed_of(folder.path(), "record.json", [1, 2])
                } else {
                    weight_of(folder.path(), "record.json")
                }
            },
        );
        assert!(n_found[0] > 5 && n_found[1] > 5, "{n_found:?}");
    }
}

#[test]
fn a_report_is_ended_at_any_step() {
    let folder = folder();
    let write = |seed, record| {
        let run = ["run", "plan.toml", "--seed", seed];
        run_expecting(folder.path(), &run, 0);
        std::fs::copy(
            folder.path().join("record.json"),
            folder.path().join(record),
        )
        .unwrap();
    };
    write("1", "one.json");
    write("2", "two.json");
    let report = |record| ["report", record, "-o", "page.html", "--tables", "tables"];
    let content = || -> Vec<(String, Vec<u8>)> {
        let tables = names(&folder.path().join("tables")).into_iter();
        let files = tables.map(|name| format!("tables/{name}"));
        let files = files.chain(["page.html".to_owned()]);
        files
            .map(|name| {
                (
                    name.clone(),
                    std::fs::read(folder.path().join(name)).unwrap(),
                )
            })
            .collect()
    };
    let states = ["one.json", "two.json"].map(|record| {
        run_expecting(folder.path(), &report(record), 0);
        content()
    });
    assert_ne!(states[0], states[1]);
    let n_found = end_everywhere(
        folder.path(),
        &report("two.json"),
        // Any command that looks there.
        &["inspect", "tables/absent.csv"],
        || drop(run_expecting(folder.path(), &report("one.json"), 0)),
        |_| {
            let found = content();
            let position = states.iter().position(|state| *state == found);
            [State::Before, State::After][position.expect("one of the two states")]
        },
    );
    assert!(n_found[0] > 5 && n_found[1] > 5, "{n_found:?}");
}
