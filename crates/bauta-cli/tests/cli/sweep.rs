//! `bauta sweep`: the grid first, then every variant, and what a kill leaves of it.

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::support::{bauta, json, names, run_expecting, stderr, stdout};

/// A file of numbers that takes a while to link.
pub(crate) fn data(n_records: u64) -> String {
    let rows = (0..n_records).map(|i| {
        let x = i * 7919 % 10_007;
        let y = i * 104_729 % 10_009 + x / 3;
        let z = i * 1_299_709 % 10_037 + y / 2;
        format!("{x},{y},{z}\n")
    });
    format!("x,y,z\n{}", rows.collect::<String>())
}

const HEAD: &str = r#"[data]
file = "x.csv"
[variables]
x = { role = "sensitive", kind = "continuous" }
y = { role = "sensitive", kind = "continuous" }
z = { role = "sensitive", kind = "continuous" }
"#;

const TAIL: &str = r#"[[measure]]
use = ["dld", "il1s"]
[[gate]]
measure = "dld"
at_most = 0.5
[output]
file = "released.csv"
"#;

fn folder(n_records: u64, steps: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.csv"), data(n_records)).unwrap();
    let plan = format!("{HEAD}{steps}{TAIL}");
    std::fs::write(folder.path().join("plan.toml"), plan).unwrap();
    folder
}

const STEPS: &str = r#"[plan]
seed = { sweep = [1, 2] }
[[step]]
on = ["x", "y", "z"]
sweep = [
  { mask = "rank-swap", window = { sweep = [0.02, 0.3] } },
  { mask = "mdav", k = { sweep = [5, 5000] } },
]
"#;

/// Only what has a limit of seconds is marked, everywhere.
#[test]
fn a_variant_that_the_clock_may_have_ended_is_marked() {
    let steps = r#"[[step]]
mask = "rank-swap"
on = ["x", "y", "z"]
window = 0.2
[[step]]
on = ["x", "y", "z"]
sweep = [{}, { adjust = "post-mask", iterations = 50, seconds = 60 }]
"#;
    let folder = folder(100, steps);
    let swept = json(&run_expecting(
        folder.path(),
        &["sweep", "plan.toml", "--json"],
        0,
    ));
    let variants = swept["variants"].as_array().unwrap();
    let repeatable: Vec<bool> = (variants.iter())
        .map(|variant| variant["repeatable"].as_bool().unwrap())
        .collect();
    assert_eq!(repeatable, [true, false]);
    let shown = stdout(&run_expecting(folder.path(), &["sweep", "plan.toml"], 0));
    let marked = shown
        .lines()
        .find(|line| line.contains("cannot be repeated"));
    let ids = [0, 1].map(|at| variants[at]["id"].as_str().unwrap());
    assert!(marked.is_some_and(|line| line.contains(ids[1]) && !line.contains(ids[0])));
    let read = |file: &str| std::fs::read_to_string(folder.path().join(file)).unwrap();
    let table = read("plan.sweep/table.csv");
    let rows: Vec<&str> = table.lines().collect();
    assert!(rows[0].contains(",gates,repeatable,") && rows[1].contains(",hold,yes,"));
    assert!(rows[2].contains(",hold,no,"), "{table}");
    let page = read("plan.sweep/sweep.html");
    assert!(page.contains("<em>limited by time</em>"));
    // The first variant has no limit; the search cannot be repeated all the same.
    let tuned = ["tune", "plan.toml", "--again", "1", "--json"];
    let tuned = json(&run_expecting(folder.path(), &tuned, 0));
    assert_eq!(tuned["repeatable"], false);
}

#[test]
fn figures_of_different_variables_are_not_drawn_on_one_axis() {
    let steps = "[[step]]\nmask = \"rank-swap\"\non = [\"x\", \"y\", \"z\"]\nwindow = 0.2\n";
    let folder = folder(100, steps);
    let plan = folder.path().join("plan.toml");
    let text = std::fs::read_to_string(&plan).unwrap();
    let apart = "use = [\"dld\"]\non = { sweep = [[\"x\"], [\"x\", \"y\"]] }\n[[measure]]\nuse = [\"il1s\"]\n";
    let measured = text.replace("use = [\"dld\", \"il1s\"]\n", apart);
    std::fs::write(&plan, measured).unwrap();
    let swept = bauta(folder.path()).args(["sweep", "plan.toml"]).output();
    let swept = swept.unwrap();
    let told = stderr(&swept);
    assert!(
        told.contains("no map: dld is not of the same variables"),
        "{told}"
    );
    assert!(!stdout(&swept).contains("tolerated"));
    // A bound that is an axis: the line is that of the strictest, whichever comes first.
    let bounds = text.replace("at_most = 0.5", "at_most = { sweep = [0.95, 0.9] }");
    std::fs::write(&plan, bounds).unwrap();
    let shown = bauta(folder.path())
        .args(["sweep", "plan.toml", "--force"])
        .output();
    let shown = stdout(&shown.unwrap());
    assert!(shown.contains("tolerated: dld 0.9\n"), "{shown}");
}

/// A step that promises a k is judged by it, also where the plan lets the file go without a gate.
#[test]
fn what_steps_claim_is_judged_without_a_gate() {
    let folder = folder(40, "");
    let plan = "[data]\nfile = \"x.csv\"\n[variables]\nx = { role = \"key\" }\n\
        [[step]]\nmask = \"suppress-local\"\non = [\"x\"]\nk = { sweep = [2, 3] }\n\
        [[measure]]\nuse = [\"k-anonymity\"]\n[output]\nfile = \"released.csv\"\nrelease = \"ungated\"\n";
    std::fs::write(folder.path().join("plan.toml"), plan).unwrap();
    let rows: String = (0..40).map(|i| format!("{},1,1\n", i % 4)).collect();
    std::fs::write(folder.path().join("x.csv"), format!("x,y,z\n{rows}")).unwrap();
    let swept = ["sweep", "plan.toml", "--json"];
    let swept = json(&run_expecting(folder.path(), &swept, 0));
    assert_eq!(swept["variants"][0]["passed"], true, "{swept}");
}

#[test]
fn the_grid_is_shown_first_and_a_failing_variant_is_a_row() {
    let folder = folder(300, STEPS);
    let shown = run_expecting(folder.path(), &["sweep", "plan.toml"], 0);
    let shown = stdout(&shown);
    let first: Vec<&str> = shown.lines().take(3).collect();
    assert_eq!(
        first,
        [
            "axis seed: 1, 2 (2 values)",
            "axis step: rank-swap window=0.02, rank-swap window=0.3, mdav k=5, mdav k=5000 (4 values)",
            "grid: 2 × 4 = 8 variants",
        ]
    );
    assert_eq!(shown.matches("| failed |").count(), 2, "{shown}");
    assert!(shown.contains("failed: step `mdav`: groups of 5000 records cannot be made"));
    assert!(shown.contains("the original itself: dld 1, il1s 0"));
    assert!(shown.contains("tolerated: dld 0.5"));
    let written = names(&folder.path().join("plan.sweep"));
    let n_of = |ending: &str| written.iter().filter(|name| name.ends_with(ending)).count();
    assert_eq!((n_of(".record.json"), n_of(".failed.json")), (6, 2));
    assert!(
        ["map.svg", "sweep.html", "table.csv"]
            .iter()
            .all(|file| written.contains(&(*file).to_owned()))
    );
    // No masked file is left behind.
    assert_eq!(names(folder.path()), ["plan.sweep", "plan.toml", "x.csv"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let place = folder.path().join("plan.sweep");
        for name in [".".to_owned()].into_iter().chain(written) {
            let file = std::fs::metadata(place.join(name)).unwrap();
            assert_eq!(file.permissions().mode() & 0o077, 0);
        }
    }
    let page = std::fs::read_to_string(folder.path().join("plan.sweep/sweep.html")).unwrap();
    for part in [
        "original",
        "no data",
        "What could not be run",
        "Confidential",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // The choice is marked with its reason; nothing is run again.
    let id = shown
        .lines()
        .find(|line| line.contains("mdav k=5 "))
        .unwrap();
    let id = id.trim_start_matches("| ").split(' ').next().unwrap();
    let arguments = [
        "sweep",
        "plan.toml",
        "--chosen",
        id,
        "--why",
        "least loss below the line",
    ];
    let marked = run_expecting(folder.path(), &arguments, 0);
    assert!(stderr(&marked).contains("8 of 8 variants were finished"));
    let page = std::fs::read_to_string(folder.path().join("plan.sweep/sweep.html")).unwrap();
    assert!(page.contains("least loss below the line") && page.contains("class=\"spot\""));
    let unknown = ["sweep", "plan.toml", "--chosen", "0000000000"];
    run_expecting(folder.path(), &unknown, 2);
    // Two records of a sweep side by side have a map too.
    let mut records = names(&folder.path().join("plan.sweep"));
    records.retain(|name| name.ends_with(".record.json"));
    let records = records.iter().map(|name| format!("plan.sweep/{name}"));
    let records: Vec<String> = records.take(2).collect();
    let compared = run_expecting(folder.path(), &["report", &records[0], &records[1]], 0);
    assert!(stdout(&compared).contains("map-of-runs-title"));
}

#[test]
fn a_variant_has_the_figures_of_a_run() {
    let folder = folder(300, STEPS);
    let swept = json(&run_expecting(
        folder.path(),
        &["sweep", "plan.toml", "--json", "--map", "dld,il1s"],
        0,
    ));
    assert_eq!(swept["n_variants"], 8);
    let plan = format!(
        "{HEAD}[plan]\nseed = 2\n[[step]]\nmask = \"rank-swap\"\non = [\"x\", \"y\", \"z\"]\nwindow = 0.3\n{TAIL}"
    );
    std::fs::write(folder.path().join("one.toml"), plan).unwrap();
    let run = json(&run_expecting(
        folder.path(),
        &["run", "one.toml", "--json"],
        0,
    ));
    let variant = &swept["variants"][5];
    assert_eq!(variant["values"]["step"], "rank-swap window=0.3");
    assert_eq!(variant["values"]["seed"], "2");
    assert_eq!(variant["risk"], run["measures"][0]["value"]);
    assert_eq!(variant["loss"], run["measures"][1]["value"]);
    assert_eq!(variant["passed"], true);
    assert_eq!(swept["map"]["original"]["risk"], 1.0);
}

#[test]
fn what_cannot_be_swept_is_told_before_anything_is_run() {
    let folder = folder(100, STEPS);
    let refused = run_expecting(folder.path(), &["run", "plan.toml"], 2);
    let told = stderr(&refused);
    assert!(
        told.contains("error[sweep]") && told.contains("plan.toml:8:"),
        "{told}"
    );
    assert!(told.contains("bauta sweep"), "{told}");
    let checked = run_expecting(folder.path(), &["check", "plan.toml"], 0);
    assert!(stdout(&checked).contains("grid: 2 × 4 = 8 variants"));
    let dry = run_expecting(folder.path(), &["sweep", "plan.toml", "--dry-run"], 0);
    assert!(stdout(&dry).ends_with("grid: 2 × 4 = 8 variants\n"));
    let other = run_expecting(
        folder.path(),
        &["sweep", "plan.toml", "--map", "dld,il2s"],
        2,
    );
    assert!(
        stderr(&other).contains("does not measure `il2s`"),
        "{}",
        stderr(&other)
    );
    let seeds = run_expecting(folder.path(), &["sweep", "plan.toml", "--seed", "3"], 2);
    assert!(stderr(&seeds).contains("sweeps over seeds"));
    assert_eq!(names(folder.path()), ["plan.toml", "x.csv"]);
    let plain = format!("{HEAD}{TAIL}");
    std::fs::write(folder.path().join("plain.toml"), plain).unwrap();
    let none = run_expecting(folder.path(), &["sweep", "plain.toml"], 2);
    assert!(stderr(&none).contains("has no axis"));
}

#[test]
fn a_grid_in_which_nothing_holds_is_refused() {
    let folder = folder(200, STEPS);
    let plan = std::fs::read_to_string(folder.path().join("plan.toml")).unwrap();
    let plan = plan.replace("at_most = 0.5", "at_most = 0.000001");
    std::fs::write(folder.path().join("plan.toml"), plan).unwrap();
    let shown = run_expecting(folder.path(), &["sweep", "plan.toml"], 1);
    assert!(stdout(&shown).contains("FAIL"));
}

/// The table that a sweep leaves in a folder.
fn table(folder: &Path, arguments: &[&str]) -> String {
    let arguments = [&["sweep", "plan.toml"], arguments].concat();
    run_expecting(folder, &arguments, 0);
    let place = arguments.iter().position(|argument| *argument == "-o");
    let place = place.map_or("plan.sweep", |position| arguments[position + 1]);
    std::fs::read_to_string(folder.join(place).join("table.csv")).unwrap()
}

const MANY: &str = r#"[[step]]
mask = "rank-swap"
on = ["x", "y", "z"]
window = { sweep = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2, 0.3] }
[plan]
seed = { sweep = [1, 2, 3] }
"#;

/// Starts a sweep on one thread and waits until it has finished a few variants of many.
fn started(folder: &Path) -> Child {
    let child = bauta(folder)
        .args(["sweep", "plan.toml", "--threads", "1"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while n_records(folder) < 3 {
        assert!(
            start.elapsed() < Duration::from_mins(1),
            "no variant was finished"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
    child
}

fn n_records(folder: &Path) -> usize {
    let names = std::fs::read_dir(folder.join("plan.sweep"));
    let names = names.into_iter().flatten().flatten();
    let names = names.map(|entry| entry.file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".record.json")).count()
}

#[test]
fn a_sweep_that_was_killed_goes_on_and_ends_with_the_same_table() {
    let folder = folder(1_500, MANY);
    let mut child = started(folder.path());
    // On Unix this is kill -9.
    child.kill().unwrap();
    child.wait().unwrap();
    let n_before = n_records(folder.path());
    assert!((3..48).contains(&n_before), "{n_before}");
    let resumed = run_expecting(folder.path(), &["sweep", "plan.toml"], 0);
    let told = stderr(&resumed);
    assert!(
        told.contains("of 48 variants were finished by an earlier sweep"),
        "{told}"
    );
    let resumed = std::fs::read_to_string(folder.path().join("plan.sweep/table.csv")).unwrap();
    assert_eq!(resumed.lines().count(), 49);
    // Uninterrupted, on one thread and on two.
    assert_eq!(
        resumed,
        table(folder.path(), &["-o", "one", "--threads", "1"])
    );
    assert_eq!(
        resumed,
        table(folder.path(), &["-o", "two", "--threads", "2"])
    );
    for name in ["sweep.html", "map.svg"] {
        let read = |place: &str| std::fs::read(folder.path().join(place).join(name)).unwrap();
        assert_eq!(read("plan.sweep"), read("one"), "{name}");
        assert_eq!(read("plan.sweep"), read("two"), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_a_sweep_and_keeps_what_is_finished() {
    let folder = folder(1_500, MANY);
    let child = started(folder.path());
    let interrupt = ["-INT".to_owned(), child.id().to_string()];
    let sent = std::process::Command::new("kill").args(interrupt).status();
    assert!(sent.unwrap().success());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(2), "{}", stderr(&ended));
    let n_before = n_records(folder.path());
    assert!((3..48).contains(&n_before), "{n_before}");
    let hidden = names(&folder.path().join("plan.sweep"));
    assert!(
        !hidden.iter().any(|name| name.starts_with('.')),
        "{hidden:?}"
    );
}
