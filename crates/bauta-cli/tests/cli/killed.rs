use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{bauta, names, run_expecting};

const PLAN: &str = r#"[plan]
seed = 1
[data]
file = "x.csv"
[variables]
a = { role = "sensitive", kind = "continuous" }
b = { role = "sensitive", kind = "continuous" }
[[step]]
mask = "rank-swap"
on = ["a"]
window = 0.1
[[step]]
mask = "noise-additive"
on = ["b"]
share = 0.1
[output]
file = "out.csv"
report = "report.html"
shuffle = true
"#;

/// Kills the run at many moments between its start and its end: a file is there whole or not.
#[test]
fn killing_a_run_leaves_no_partial_output() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..40_000_u64)
        .map(|i| {
            format!(
                "{},{},k{}\n",
                i * 7919 % 40_009,
                i * 104_729 % 99_991,
                i % 50
            )
        })
        .collect();
    std::fs::write(folder.path().join("x.csv"), format!("a,b,c\n{rows}")).unwrap();
    std::fs::write(folder.path().join("plan.toml"), PLAN).unwrap();
    let start = Instant::now();
    run_expecting(folder.path(), &["run", "plan.toml"], 0);
    let whole = start.elapsed();
    let outputs = ["out.csv", "out.record.json", "report.html"];
    let released = std::fs::read(folder.path().join("out.csv")).unwrap();
    let mut n_killed = 0;
    for moment in 0..20 {
        for name in outputs {
            let _ = std::fs::remove_file(folder.path().join(name));
        }
        let mut child = bauta(folder.path())
            .args(["run", "plan.toml"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(
            whole
                .mul_f64(f64::from(moment) / 18.0)
                .max(Duration::from_millis(1)),
        );
        n_killed += usize::from(child.try_wait().unwrap().is_none());
        let _ = child.kill();
        child.wait().unwrap();
        for name in names(folder.path()) {
            match name.as_str() {
                "x.csv" | "plan.toml" => {}
                "out.csv" => assert!(std::fs::read(folder.path().join(&name)).unwrap() == released),
                "out.record.json" => {
                    let record = std::fs::read(folder.path().join(&name)).unwrap();
                    serde_json::from_slice::<serde_json::Value>(&record).expect("a whole record");
                }
                "report.html" => {
                    let report = std::fs::read_to_string(folder.path().join(&name)).unwrap();
                    assert!(report.trim_end().ends_with("</html>"), "a whole report");
                }
                // Linux files have no name until they are whole; elsewhere a hidden one may stay.
                other => assert!(
                    !cfg!(target_os = "linux") && other.starts_with(".bauta-"),
                    "{other}"
                ),
            }
        }
    }
    assert!(n_killed > 0, "at least one run was killed before its end");
}
