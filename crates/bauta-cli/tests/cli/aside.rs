//! Runs that put aside on the disk what does not fit into memory.

use std::fmt::Write as _;
use std::path::Path;

use crate::support::{bauta, names, run_expecting, stderr};

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
