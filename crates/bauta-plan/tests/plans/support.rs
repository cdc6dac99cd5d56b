//! A small survey, a folder to work in, and watchers.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use bauta_data::Watch;
use bauta_plan::plan::ReleaseWhen;
use bauta_plan::run::{Renderer, RunOptions, RunWatch, run};
use bauta_plan::{Plan, Problem, RunRecord, check_text};

/// Thirty records: id, sex, age with missing values, income, weight.
pub(crate) fn survey() -> String {
    let mut rows = String::from("id,sex,age,income,w\n");
    for i in 0..30 {
        let age = if i % 10 == 0 {
            String::new()
        } else {
            (20 + i % 4).to_string()
        };
        rows.push_str(&format!(
            "{i},{},{age},{},{}\n",
            ["f", "m"][i % 2],
            100 + i * i,
            1 + i % 3
        ));
    }
    rows
}

pub(crate) const VARIABLES: &str = r#"[data]
file = "x.csv"
[variables]
id = { role = "identifier" }
sex = { role = "key" }
age = { role = "key", kind = "ordered" }
income = { role = "sensitive", kind = "continuous" }
w = { role = "weight" }
"#;

pub(crate) const OUTPUT: &str = "[output]\nfile = \"out.csv\"\n";

/// A folder with the survey in it.
pub(crate) fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.csv"), survey()).unwrap();
    folder
}

pub(crate) fn check(folder: &Path, text: &str) -> Result<Plan, Vec<Problem>> {
    check_text(text, "plan.toml", folder)
}

/// Checks a plan that must be fine.
pub(crate) fn fine(folder: &Path, text: &str) -> Plan {
    check(folder, text).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

pub(crate) struct Plain;

impl Renderer for Plain {
    fn internal(&self, record: &RunRecord) -> String {
        format!("internal {}", record.seed)
    }

    fn external(&self, _record: &RunRecord) -> String {
        "external".to_owned()
    }
}

/// Counts how often it is asked whether to go on, and says no from some time on.
#[derive(Default)]
pub(crate) struct Patience {
    asked: AtomicUsize,
    limit: Option<usize>,
}

impl Patience {
    pub(crate) fn of(limit: usize) -> Self {
        Self {
            limit: Some(limit),
            ..Self::default()
        }
    }

    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Watch for Patience {
    fn progress(&self, _done: u64, _total: u64) {}

    fn cancelled(&self) -> bool {
        let asked = self.asked.fetch_add(1, Ordering::SeqCst);
        self.limit.is_some_and(|limit| asked >= limit)
    }
}

impl RunWatch for Patience {
    fn stage(&self, _name: &str, number: usize, total: usize) {
        assert!(number >= 1 && number <= total, "{number} of {total}");
    }
}

/// The options of a run that lets a file go though its plan sets no gate.
pub(crate) fn ungated() -> RunOptions {
    RunOptions {
        release_when: ReleaseWhen::Ungated,
        ..RunOptions::default()
    }
}

/// Runs a plan that must run.
pub(crate) fn record_of(folder: &Path, text: &str) -> RunRecord {
    let plan = fine(folder, text);
    run(&plan, ungated(), &Patience::default(), &Plain).unwrap()
}

/// A column of the released file.
pub(crate) fn released(folder: &Path, column: &str) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("out.csv")).unwrap();
    let mut lines = text.lines();
    let position = lines
        .next()
        .unwrap()
        .split(',')
        .position(|name| name == column)
        .unwrap();
    lines
        .map(|line| line.split(',').nth(position).unwrap().to_owned())
        .collect()
}
