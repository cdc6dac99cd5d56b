//! A plan gives the same in memory, within a limit, in any number of pieces and on a cluster of any size.

mod cluster;

use std::path::Path;
use std::process::{Command, Output};

use cluster::Cluster;
use serde_json::Value;

/// Steps and measures that count keys under every semantics, and some that look at numbers.
const PLAN: &str = r#"
[data]
file = "survey.csv"
missing = [""]
[output]
file = "released.csv"
shuffle = true
[variables]
id     = { role = "identifier" }
d_init = { role = "sensitive", kind = "continuous" }
d_fin  = { role = "weight" }
gender = { role = "key" }
income = { role = "key", kind = "ordered" }
age    = { role = "key", kind = "ordered" }
uu     = { role = "key", kind = "ordered" }
qual   = { role = "key", kind = "ordered" }
couple = { role = "key" }
hsize  = { role = "key", kind = "ordered" }
ind    = { role = "sensitive", kind = "unordered" }
[[step]]
mask = "drop-identifiers"
[[step]]
mask = "recode"
on = ["hsize"]
map = { "3" = "3+", "4" = "3+" }
[[step]]
mask = "suppress-local"
on = ["gender", "income", "age", "uu", "qual", "couple", "hsize"]
k = 3
[[step]]
mask = "rank-swap"
on = ["d_init"]
window = 0.05
[[measure]]
use = ["k-anonymity", "individual-risk", "key-contribution", "il1s"]
[[measure]]
use = ["k-anonymity"]
semantics = "original"
[[measure]]
use = ["k-anonymity"]
semantics = "wild"
[[measure]]
use = ["l-diversity"]
sensitive = "ind"
[[gate]]
measure = "il1s"
at_most = 9
"#;

/// What a run left: the released bytes, and the record without times.
#[derive(PartialEq, Debug)]
struct Left {
    released: Vec<u8>,
    record: Value,
}

fn bauta(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bauta"));
    command.current_dir(folder).env("NO_COLOR", "1");
    command
        .args(arguments)
        .output()
        .expect("the command starts")
}

/// Runs the plan in a folder of its own, with these arguments besides.
fn left_by(arguments: &[&str]) -> Left {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let made = bauta(here, &["demo", "."]);
    assert!(made.status.success());
    std::fs::write(here.join("plan.toml"), PLAN).unwrap();
    std::fs::create_dir(here.join("aside")).unwrap();
    let run = bauta(here, &[&["run", "plan.toml"], arguments].concat());
    let told = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{arguments:?}: {told}");
    let record = std::fs::read(here.join("released.record.json")).unwrap();
    let mut record: Value = serde_json::from_slice(&record).unwrap();
    let stored = record["times"]["store"].clone();
    assert_eq!(
        stored.is_null(),
        arguments.is_empty(),
        "{arguments:?}: {told}"
    );
    for apart in ["times", "reports"] {
        record.as_object_mut().unwrap().remove(apart);
    }
    let nothing: Vec<_> = std::fs::read_dir(here.join("aside")).unwrap().collect();
    assert!(nothing.is_empty(), "{arguments:?} left {nothing:?}");
    Left {
        released: std::fs::read(here.join("released.csv")).unwrap(),
        record,
    }
}

#[test]
fn any_number_of_pieces_gives_the_same() {
    let in_memory = left_by(&[]);
    for arguments in [
        &["--spill", "aside"][..],
        &["--spill", "aside", "--memory", "200MB"],
        &["--spill", "aside", "--partitions", "1"],
        &["--spill", "aside", "--partitions", "2", "--memory", "200MB"],
        &["--spill", "aside", "--partitions", "7"],
    ] {
        let left = left_by(arguments);
        assert_eq!(left.record, in_memory.record, "{arguments:?}");
        assert!(left.released == in_memory.released, "{arguments:?}");
    }
}

#[test]
fn a_cluster_of_one_or_three_gives_the_same() {
    let in_memory = left_by(&[]);
    for n_executors in [1, 3] {
        let cluster = Cluster::start(n_executors);
        let address = cluster.address();
        let left = left_by(&["--spill", "aside", "--cluster", &address]);
        assert_eq!(left.record, in_memory.record, "{n_executors}");
        assert!(left.released == in_memory.released, "{n_executors}");
    }
}

#[test]
fn a_run_goes_on_when_an_executor_is_killed() {
    let in_memory = left_by(&[]);
    let mut cluster = Cluster::start(2);
    let address = cluster.address();
    let killer = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(1_500));
        cluster.kill_one();
        cluster
    });
    let left = left_by(&["--spill", "aside", "--cluster", &address]);
    drop(killer.join().unwrap());
    assert_eq!(left.record, in_memory.record);
    assert!(left.released == in_memory.released);
}

#[test]
fn nobody_at_the_address_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    assert!(bauta(here, &["demo", "."]).status.success());
    std::fs::write(here.join("plan.toml"), PLAN).unwrap();
    // Port 1 is for nobody.
    let run = bauta(here, &["run", "plan.toml", "--cluster", "127.0.0.1:1"]);
    let told = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{told}");
    assert!(told.contains("127.0.0.1:1"), "{told}");
    assert!(!here.join("released.csv").exists());
}
