//! No method shows, on a screen, a value or a figure that one record alone has: every method of the
//! registry, at work on every variable and with every parameter gone wrong in some way.

mod planted;
mod trials;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use bauta_methods::registry;

use crate::support::{run, run_expecting, stderr, stdout};
use planted::{file, number_shown, shown};
use trials::{Trial, trials};

/// Runs all trials, on as many threads as there are cores; how many of each method ended well and badly.
fn run_all(folder: &Path, trials: &[Trial]) -> BTreeMap<String, [usize; 2]> {
    let next = AtomicUsize::new(0);
    let ends = Mutex::new(BTreeMap::new());
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..n_threads {
            scope.spawn(|| {
                while let Some(trial) = trials.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let code = run_silently(folder, trial);
                    let mut ends = ends.lock().unwrap();
                    let of_method: &mut [usize; 2] = ends.entry(trial.of.clone()).or_default();
                    of_method[usize::from(code == 2)] += 1;
                }
            });
        }
    });
    ends.into_inner().unwrap()
}

/// Runs a trial and looks at what it says and at what it publishes about itself.
fn run_silently(folder: &Path, trial: &Trial) -> i32 {
    if let Some((name, plan)) = &trial.plan {
        std::fs::write(folder.join(name), plan).unwrap();
    }
    let arguments: Vec<&str> = trial.arguments.iter().map(String::as_str).collect();
    let output = run(folder, &arguments);
    let place = format!("bauta {}\n{:?}", arguments.join(" "), trial.plan);
    for text in [stdout(&output), stderr(&output)] {
        let found = shown(&text);
        assert!(found.is_none(), "{place} shows {found:?}: {text}");
    }
    let code = output.status.code();
    assert!(
        matches!(code, Some(0..=2)),
        "{place}: {code:?}\n{}",
        stderr(&output)
    );
    if let Some(page) = &trial.public
        && let Ok(text) = std::fs::read_to_string(folder.join(page))
    {
        let found = shown(&text);
        assert!(found.is_none(), "{place}: {page} shows {found:?}");
        std::fs::remove_file(folder.join(page)).unwrap();
    }
    code.unwrap_or(2)
}

#[test]
fn no_method_shows_what_one_record_alone_has() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.csv"), file()).unwrap();
    std::fs::write(folder.path().join("levels.csv"), "f,any\nm,any\n").unwrap();
    let trials = trials();
    let ends = run_all(folder.path(), &trials);
    // The test tries what it says it tries: every method has worked, and has failed.
    for card in registry::cards() {
        let [well, badly] = ends.get(card.id).copied().unwrap_or_default();
        assert!(well > 0, "{} never ended well", card.id);
        // Without parameters there is little to be wrong.
        assert!(
            badly > 0 || card.params.is_empty(),
            "{} never ended badly",
            card.id
        );
    }
    let [well, badly] = ends["hierarchies"];
    assert!(well > 0 && badly > 0, "{well} and {badly}");
    // The canaries are alive: records, which are confidential, name them.
    let alive = crate::support::names(folder.path())
        .into_iter()
        .any(|name| {
            let text = || std::fs::read_to_string(folder.path().join(&name)).unwrap();
            name.ends_with(".record.json") && shown(&text()).is_some()
        });
    assert!(alive);
    println!("{} commands; {ends:?}", trials.len());
}

const TABLES: &str = r#"
[data]
file = "x.csv"
[variables]
person = { role = "identifier" }
sex = { role = "key" }
region = { role = "key" }
illness = { role = "sensitive" }
ind = { role = "other", kind = "unordered" }
income = { role = "sensitive", kind = "continuous" }
savings = { role = "sensitive", kind = "continuous" }
weight = { role = "weight", kind = "continuous" }
[[step]]
mask = "rank-swap"
on = ["savings"]
window = 0.1
[[measure]]
use = ["rates"]
on = ["sex", "region", "illness", "ind"]
of = ["income", "savings", "illness"]
[[measure]]
use = ["univariate-summary", "correspondence-analysis"]
on = ["sex", "region", "illness"]
[[measure]]
use = ["univariate-summary", "weighted-estimates"]
on = ["income", "savings"]
[[measure]]
use = ["linear-regression"]
on = ["sex"]
response = "income"
[output]
release = "ungated"
file = "out.csv"
record = "out.json"
report = "out.html"
"#;

/// What the measures of a record show, and the tables that are made of it, hold no figure of one record.
#[test]
fn no_figure_of_one_record_is_in_the_record_or_its_tables() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.csv"), file()).unwrap();
    std::fs::write(folder.path().join("plan.toml"), TABLES).unwrap();
    run_expecting(folder.path(), &["run", "plan.toml"], 0);
    run_expecting(
        folder.path(),
        &["report", "out.json", "--tables", "tables"],
        0,
    );
    let mut files = vec!["out.json".to_owned(), "out.html".to_owned()];
    let tables = crate::support::names(&folder.path().join("tables"));
    assert!(tables.iter().any(|name| name == "series.csv"), "{tables:?}");
    files.extend(tables.iter().map(|name| format!("tables/{name}")));
    for name in files {
        let text = std::fs::read_to_string(folder.path().join(&name)).unwrap();
        let found = number_shown(&text);
        assert!(found.is_none(), "{name} shows {found:?}");
    }
}
