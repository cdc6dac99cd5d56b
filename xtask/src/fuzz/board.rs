//! What is to be done next, and what came of all that was done.

use std::time::{Duration, Instant};

use super::finding::{Finding, Verdict};
use super::targets::{TARGETS, Target};
use super::worker::Ended;

/// What is to be done next, and what was done.
pub(crate) struct Board {
    until: Instant,
    rows: Vec<Row>,
    findings: Vec<Noted>,
}

/// What came of the cases of a target.
struct Row {
    target: &'static dyn Target,
    next_case: u64,
    n_accepted: u64,
    n_refused: u64,
    n_found: u64,
    /// Seconds of all workers together.
    seconds: f64,
    /// Seconds that batches under way are expected to take.
    expected: f64,
    longest: f64,
    most_bytes: usize,
}

/// A finding, the case it is of, and how many more were like it.
#[derive(Clone, Debug)]
pub(crate) struct Noted {
    /// The target.
    pub(crate) target: &'static str,
    /// The number of the case; none for one of the corpus.
    pub(crate) case: Option<u64>,
    /// What was found.
    pub(crate) finding: Finding,
    /// How many others of the target were like it.
    pub(crate) n_more: u64,
}

/// Some cases of a target.
#[derive(Clone, Copy)]
pub(crate) struct Batch {
    /// The target.
    pub(crate) target: &'static dyn Target,
    /// The first case.
    pub(crate) from: u64,
    /// The one after the last.
    pub(crate) to: u64,
    /// Seconds that it is expected to take.
    expected: f64,
}

/// How long a batch is to take: short, so that the end comes on time.
const BATCH_SECONDS: f64 = 0.5;
const MOST_CASES: u64 = 2_000;

impl Board {
    /// Work for so long, on all targets or on one.
    pub(crate) fn new(only: Option<&str>, time: Duration) -> Self {
        let wanted = TARGETS
            .iter()
            .filter(|target| only.is_none_or(|only| only == target.name()));
        Self {
            until: Instant::now() + time,
            rows: wanted.copied().map(Row::new).collect(),
            findings: Vec::new(),
        }
    }

    /// The cases to run next: those of the target that has had least of its share. None when time is up.
    pub(crate) fn next_batch(&mut self) -> Option<Batch> {
        if Instant::now() >= self.until {
            return None;
        }
        let had = |row: &Row| (row.seconds + row.expected) / f64::from(row.target.share());
        let rows = self.rows.iter_mut();
        let row = rows.min_by(|a, b| had(a).total_cmp(&had(b)))?;
        let (from, n) = (row.next_case, row.n_in_batch());
        row.next_case += n;
        let expected = row.mean_seconds() * n as f64;
        row.expected += expected;
        Some(Batch {
            target: row.target,
            from,
            to: from + n,
            expected,
        })
    }

    /// A batch is no longer under way.
    pub(crate) fn ended(&mut self, batch: &Batch) {
        if let Some(row) = self.row(batch.target.name()) {
            row.expected -= batch.expected;
        }
    }

    /// Notes what came of a case; says whether it is a finding like no other.
    pub(crate) fn note(&mut self, target: &str, case: Option<u64>, ended: &Ended) -> bool {
        let Some(row) = self.row(target) else {
            return false;
        };
        row.add(ended);
        let name = row.target.name();
        let Err(finding) = &ended.outcome else {
            return false;
        };
        let mut noted = self.findings.iter_mut();
        if let Some(like) =
            noted.find(|noted| noted.target == name && noted.finding.is_like(finding))
        {
            like.n_more += 1;
            return false;
        }
        self.findings.push(Noted {
            target: name,
            case,
            finding: finding.clone(),
            n_more: 0,
        });
        true
    }

    /// The findings so far.
    pub(crate) fn findings(&self) -> &[Noted] {
        &self.findings
    }

    fn row(&mut self, target: &str) -> Option<&mut Row> {
        let mut rows = self.rows.iter_mut();
        rows.find(|row| row.target.name() == target)
    }

    /// What came of everything, as a table.
    pub(crate) fn table(&self) -> String {
        let headings = [
            "target", "cases", "accepted", "refused", "findings", "cases/s", "longest", "most MB",
        ];
        let mut lines = vec![headings.map(str::to_owned)];
        lines.extend(self.rows.iter().map(|row| row.cells(row.target.name())));
        let all = self.rows.iter().fold(Row::new(TARGETS[0]), Row::and);
        lines.push(all.cells("all"));
        let widths: [usize; 8] = std::array::from_fn(|column| {
            let cells = lines.iter().map(|line| line[column].len());
            cells.max().unwrap_or(0)
        });
        let line = |cells: &[String; 8]| {
            let name = format!("{:<1$}", cells[0], widths[0]);
            let figures = cells.iter().zip(widths).skip(1);
            let figures = figures.map(|(cell, width)| format!("  {cell:>width$}"));
            format!("{name}{}\n", figures.collect::<String>())
        };
        lines.iter().map(line).collect()
    }
}

impl Row {
    fn new(target: &'static dyn Target) -> Self {
        Self {
            target,
            next_case: 0,
            n_accepted: 0,
            n_refused: 0,
            n_found: 0,
            seconds: 0.0,
            expected: 0.0,
            longest: 0.0,
            most_bytes: 0,
        }
    }

    fn n_cases(&self) -> u64 {
        self.n_accepted + self.n_refused + self.n_found
    }

    /// Mean time of a case; before the first ended, a guess.
    fn mean_seconds(&self) -> f64 {
        match self.n_cases() {
            0 => 0.01,
            n => self.seconds / n as f64,
        }
    }

    fn n_in_batch(&self) -> u64 {
        let n = (BATCH_SECONDS / self.mean_seconds().max(1e-6)) as u64;
        n.clamp(1, MOST_CASES)
    }

    fn add(&mut self, ended: &Ended) {
        match &ended.outcome {
            Ok(Verdict::Accepted) => self.n_accepted += 1,
            Ok(Verdict::Refused) => self.n_refused += 1,
            Err(_) => self.n_found += 1,
        }
        self.seconds += ended.seconds;
        self.longest = self.longest.max(ended.seconds);
        self.most_bytes = self.most_bytes.max(ended.n_bytes);
    }

    fn and(mut self, other: &Self) -> Self {
        self.n_accepted += other.n_accepted;
        self.n_refused += other.n_refused;
        self.n_found += other.n_found;
        self.seconds += other.seconds;
        self.longest = self.longest.max(other.longest);
        self.most_bytes = self.most_bytes.max(other.most_bytes);
        self
    }

    fn cells(&self, name: &str) -> [String; 8] {
        let per_second = self.n_cases() as f64 / self.seconds.max(1e-9);
        [
            name.to_owned(),
            self.n_cases().to_string(),
            self.n_accepted.to_string(),
            self.n_refused.to_string(),
            self.n_found.to_string(),
            format!("{per_second:.0}"),
            format!("{:.2} s", self.longest),
            format!("{:.1}", self.most_bytes as f64 / 1e6),
        ]
    }
}
