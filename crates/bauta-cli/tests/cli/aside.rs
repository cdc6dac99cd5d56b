//! Runs that put aside on the disk what does not fit into memory.

use std::fmt::Write as _;
use std::path::Path;

use crate::support::{bauta, names, run_expecting, stderr, stdout};

const PLAN: &str = r#"
data = { file = "x.csv" }
output = { file = "out.csv" }
[variables]
id = { role = "identifier" }
a  = { role = "sensitive", kind = "continuous" }
b  = { role = "key" }
c  = { role = "key", kind = "ordered" }
w  = { role = "weight" }
[[step]]
mask = "drop-identifiers"
[[step]]
mask = "suppress-local"
on = ["b", "c"]
k = 3
[[step]]
mask = "noise-additive"
on = ["a"]
share = 0.1
[[measure]]
use = ["k-anonymity", "individual-risk", "il1s"]
[[gate]]
measure = "k-anonymity"
at_least = 3
"#;

fn write_file(here: &Path, n: usize) {
    let mut text = "id,a,b,c,w,note\n".to_owned();
    for i in 0..n {
        let (a, b, c) = (i * 7 % 211, i % 5, i * i % 23);
        let note = if i % 3 == 0 { "\"x, y\"" } else { "" };
        let _ = writeln!(text, "p{i},{a}.5,k{b},{c},{}.25,{note}", 1 + i % 3);
    }
    std::fs::write(here.join("x.csv"), text).unwrap();
    std::fs::write(here.join("plan.toml"), PLAN).unwrap();
}

#[test]
fn what_is_put_aside_changes_no_byte_and_is_gone_in_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write_file(here, 3_000);
    std::fs::create_dir(here.join("aside")).unwrap();
    run_expecting(here, &["run", "plan.toml", "--threads", "1"], 0);
    let in_memory = std::fs::read(here.join("out.csv")).unwrap();
    let aside = ["run", "plan.toml", "--memory", "200MB", "--spill", "aside"];
    let told = stderr(&run_expecting(here, &aside, 0));
    assert!(told.contains("put aside on the disk"), "{told}");
    assert!(std::fs::read(here.join("out.csv")).unwrap() == in_memory);
    assert_eq!(names(&here.join("aside")), [""; 0]);
    // What a plan says is what an option says.
    let engine = format!("{PLAN}[engine]\nmemory = \"200MB\"\nspill = \"aside\"\n");
    std::fs::write(here.join("plan.toml"), engine).unwrap();
    let told = stderr(&run_expecting(here, &["run", "plan.toml"], 0));
    assert!(told.contains("put aside on the disk"), "{told}");
    assert!(std::fs::read(here.join("out.csv")).unwrap() == in_memory);
    run_expecting(here, &["verify", "out.record.json"], 0);
}

#[test]
fn what_a_killed_run_left_is_removed_by_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write_file(here, 200_000);
    let arguments = ["run", "plan.toml", "--spill", "."];
    let is_store = |name: &String| name.starts_with("bauta-store-");
    let mut child = bauta(here).args(arguments).spawn().unwrap();
    // Killed as soon as there is something to leave.
    let began = std::time::Instant::now();
    while !names(here).iter().any(is_store) && began.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!here.join("out.csv").exists());
    assert!(
        names(here).iter().any(is_store),
        "it was too fast to be killed"
    );
    let told = stderr(&run_expecting(here, &arguments, 0));
    assert!(
        told.contains("also removed: what a run that was killed had left"),
        "{told}"
    );
    assert!(!names(here).iter().any(is_store));
}

#[test]
fn nothing_is_put_aside_where_it_cannot_be() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write_file(here, 100);
    let told = stderr(&run_expecting(
        here,
        &["run", "plan.toml", "--spill", "nowhere"],
        2,
    ));
    assert!(
        told.contains("nowhere") && told.contains("is no folder"),
        "{told}"
    );
    let bad = format!("{PLAN}[engine]\nmemory = \"much\"\n");
    std::fs::write(here.join("plan.toml"), bad).unwrap();
    let told = stderr(&run_expecting(here, &["check", "plan.toml"], 2));
    assert!(
        told.contains("is no amount of memory") && told.contains("such as 2GB"),
        "{told}"
    );
}

#[test]
#[cfg(unix)]
fn only_its_owner_can_look_at_what_is_put_aside() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write_file(here, 200_000);
    let mut child = bauta(here)
        .args(["run", "plan.toml", "--spill", "."])
        .spawn()
        .unwrap();
    let began = std::time::Instant::now();
    let store = loop {
        let found = names(here)
            .into_iter()
            .find(|name| name.starts_with("bauta-store-"));
        match found {
            Some(name) => break here.join(name),
            None => assert!(began.elapsed().as_secs() < 60),
        }
    };
    let mode = std::fs::metadata(&store).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    child.kill().unwrap();
    child.wait().unwrap();
}

/// What a command prints for scripts, in memory and with everything on the disk.
fn same_on_the_disk(here: &Path, arguments: &[&str]) {
    let in_memory = run_expecting(here, &[arguments, &["--json"]].concat(), 0);
    let aside = [arguments, &["--json", "--spill", "aside"]].concat();
    let on_the_disk = run_expecting(here, &aside, 0);
    assert_eq!(stdout(&on_the_disk), stdout(&in_memory), "{arguments:?}");
    assert_eq!(names(&here.join("aside")), [""; 0], "{arguments:?}");
}

#[test]
fn risk_and_comparisons_are_the_same_with_files_on_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write_file(here, 3_000);
    std::fs::create_dir(here.join("aside")).unwrap();
    run_expecting(here, &["run", "plan.toml", "--threads", "1"], 0);
    let parquet = |from: &str, to: &str| {
        let mask = [
            "mask",
            "noise-additive",
            from,
            "--on",
            "a",
            "--share",
            "0.2",
        ];
        run_expecting(here, &[&mask[..], &["--seed", "3", "-o", to]].concat(), 0);
    };
    parquet("x.csv", "x.parquet");
    parquet("x.csv", "y.csv");
    parquet("x.parquet", "y.parquet");
    for arguments in [
        &["risk", "x.csv", "--keys", "b,c", "--weight", "w"][..],
        &[
            "risk",
            "x.csv",
            "--keys",
            "b,c",
            "--semantics",
            "own",
            "--sensitive",
            "note",
        ],
        &["risk", "x.parquet", "--keys", "b,c,a"],
        &["risk", "--plan", "plan.toml"],
        &["risk", "out.csv", "--record", "out.record.json"],
        &["compare", "x.csv", "y.csv", "--keys", "b,c"],
        &[
            "compare",
            "x.csv",
            "y.csv",
            "--keys",
            "b",
            "--semantics",
            "original",
        ],
        &[
            "compare", "x.csv", "y.csv", "--id", "id", "--where", "a > 50",
        ],
        &["compare", "x.parquet", "y.parquet", "--keys", "b"],
        &["compare", "out.record.json", "--skip-missing"],
        &["compare", "--plan", "plan.toml", "--skip-missing"],
    ] {
        same_on_the_disk(here, arguments);
    }
}

#[test]
fn figures_of_records_are_the_same_with_a_file_on_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write_file(here, 500);
    std::fs::create_dir(here.join("aside")).unwrap();
    let risk = ["risk", "x.csv", "--keys", "b,c", "--weight", "w"];
    run_expecting(here, &[&risk[..], &["--per-record", "one.csv"]].concat(), 0);
    let aside = ["--per-record", "two.csv", "--spill", "aside"];
    let told = stderr(&run_expecting(here, &[&risk[..], &aside].concat(), 0));
    assert!(told.contains("put aside on the disk"), "{told}");
    let [one, two] = ["one.csv", "two.csv"].map(|name| std::fs::read(here.join(name)).unwrap());
    assert!(one == two && one.len() > 500);
}

#[test]
fn what_a_plan_says_of_memory_holds_for_risk_and_comparisons() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write_file(here, 500);
    std::fs::create_dir(here.join("aside")).unwrap();
    run_expecting(here, &["run", "plan.toml"], 0);
    let engine = format!("{PLAN}[engine]\nspill = \"aside\"\n");
    std::fs::write(here.join("plan.toml"), engine).unwrap();
    for arguments in [
        &["risk", "--plan", "plan.toml"][..],
        &["compare", "--plan", "plan.toml", "--skip-missing"],
    ] {
        let told = stderr(&run_expecting(here, arguments, 0));
        assert!(told.contains("put aside on the disk"), "{told}");
        assert_eq!(names(&here.join("aside")), [""; 0]);
    }
}

#[test]
fn commands_that_put_nothing_aside_take_no_folder_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write_file(here, 50);
    for arguments in [
        &["link", "x.csv", "x.csv"][..],
        &["inspect", "x.csv"],
        &["init", "x.csv"],
        &["explain-record", "x.csv", "--keys", "b", "--row", "1"],
        &["verify", "out.record.json"],
        &["sweep", "plan.toml"],
    ] {
        let told = run_expecting(here, &[arguments, &["--spill", "."]].concat(), 2);
        assert!(stderr(&told).contains("unexpected argument '--spill'"));
    }
}

/// A plan whose step and whose loss look at several variables at once, the loss in both files.
const JOINTLY: &str = r#"
data = { file = "n.csv" }
output = { file = "out.csv", release = "ungated" }
[variables]
a = { role = "sensitive", kind = "continuous" }
b = { role = "sensitive", kind = "continuous" }
c = { role = "sensitive", kind = "continuous" }
[[step]]
mask = "synth-normal"
on = ["a", "b", "c"]
[[measure]]
use = ["eigenvalue-distance"]
"#;

#[test]
fn what_cannot_run_is_refused_before_anything_is_masked_and_what_can_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let mut text = "a,b,c\n".to_owned();
    for i in 0_u64..60_000 {
        let _ = writeln!(text, "{},{},{}", i % 997, i * 7 % 1013, i * i % 911);
    }
    std::fs::write(here.join("n.csv"), text).unwrap();
    std::fs::write(here.join("plan.toml"), JOINTLY).unwrap();
    let within = |command: &str, memory: &str, code: i32| {
        let arguments = [command, "plan.toml", "--memory", memory, "--spill", "."];
        stderr(&run_expecting(here, &arguments, code))
    };
    // One variable takes 480 kB, three 1.44 MB and in both files 2.88 MB; half of the memory is for variables.
    let told = within("check", "2MB", 2);
    assert!(told.contains("step `synth-normal`"), "{told}");
    assert!(told.contains("plan.toml:8"), "{told}");
    assert!(
        told.contains("at least 2 MB") && told.contains("--memory 3MB"),
        "{told}"
    );
    // What the step makes of them is not known before.
    assert!(
        told.contains("warning: measure `eigenvalue-distance`"),
        "{told}"
    );
    let told = within("run", "2MB", 2);
    assert!(told.contains("at least 2 MB"), "{told}");
    assert!(!here.join("out.csv").exists());
    let told = within("check", "3MB", 0);
    assert!(
        told.contains("warning: measure `eigenvalue-distance`")
            && told.contains("by an estimate 3 MB"),
        "{told}"
    );
    assert!(!within("check", "8MB", 0).contains("warning: measure"));
    within("run", "8MB", 0);
    let left = names(here);
    assert!(
        !left.iter().any(|name| name.starts_with("bauta-")),
        "{left:?}"
    );
}

#[test]
fn a_record_says_how_much_memory_a_run_could_take() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write_file(here, 500);
    let record = || -> serde_json::Value {
        let record = std::fs::read(here.join("out.record.json")).unwrap();
        serde_json::from_slice(&record).unwrap()
    };
    run_expecting(
        here,
        &["run", "plan.toml", "--memory", "200MB", "--spill", "."],
        0,
    );
    let stored = record();
    assert_eq!(stored["times"]["store"]["memory"], 200_000_000);
    // Counted by nobody else.
    assert!(stored["times"]["store"]["counting"].is_null());
    run_expecting(here, &["verify", "out.record.json"], 0);
    run_expecting(here, &["run", "plan.toml"], 0);
    let in_memory = record();
    assert!(in_memory["times"]["store"].is_null());
    assert_eq!(
        in_memory["released"]["sha256"],
        stored["released"]["sha256"]
    );
}

/// Sends Ctrl-C to a command when it has put something aside, and looks at what it left.
#[cfg(unix)]
fn nothing_is_left_after_ctrl_c(here: &Path, arguments: &[&str]) {
    let aside = here.join("aside");
    let mut child = bauta(here)
        .args([arguments, &["--spill", "aside", "--quiet"]].concat())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let began = std::time::Instant::now();
    let is_store = |name: &String| name.starts_with("bauta-store-");
    while !names(&aside).iter().any(is_store) && began.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let sent = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success(), "{arguments:?} was too fast to be stopped");
    let ended = child.wait().unwrap();
    assert_eq!(ended.code(), Some(2), "{arguments:?}");
    assert_eq!(names(&aside), [""; 0], "{arguments:?}");
}

#[test]
#[cfg(unix)]
fn nothing_that_was_put_aside_outlives_ctrl_c() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write_file(here, 200_000);
    std::fs::create_dir(here.join("aside")).unwrap();
    let noise = [
        "mask",
        "noise-additive",
        "x.csv",
        "--on",
        "a",
        "--share",
        "0.2",
        "-o",
        "y.csv",
    ];
    let weights = [
        "calibrate",
        "x.csv",
        "--weight",
        "w",
        "--margins",
        "b",
        "-o",
        "z.csv",
    ];
    for arguments in [
        &["run", "plan.toml"][..],
        &["risk", "x.csv", "--keys", "b,c", "--weight", "w"],
        &["compare", "x.csv", "x.csv", "--keys", "b,c"],
        &noise,
        &weights,
    ] {
        nothing_is_left_after_ctrl_c(here, arguments);
        assert_eq!(
            names(here),
            ["aside", "plan.toml", "x.csv"],
            "{arguments:?}"
        );
    }
}
