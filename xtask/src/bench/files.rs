//! The way of files: reading, writing, masking and counting from file to answer, beside others in the same run.

mod jobs;
mod peers;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::figures::Figures;
use super::{Threads, resources};
use crate::chores::{WITH_METHODS, cargo};
use crate::workspace::Workspace;
pub(super) use jobs::{Job, run};
use peers::{Peer, PeerTime};

/// How one job is called in a process of its own.
pub(crate) const ONE: &str = "bench-file";
const PAGE: &str = "docs/benchmarks/files.md";
const SIZES: [usize; 3] = [100_000, 1_000_000, 10_000_000];
/// The plan that is kept as a benchmark: recoding, suppression, swapping, measures, record and report.
const PLAN: &str = include_str!("files/whole-plan.toml");

/// A kind of file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    Csv,
    Parquet,
}

impl Form {
    const ALL: [Self; 2] = [Self::Csv, Self::Parquet];

    const fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Parquet => "parquet",
        }
    }

    fn file(self, folder: &Path, stem: &str, n: usize) -> PathBuf {
        folder.join(format!("{stem}-{n}.{}", self.extension()))
    }
}

/// A line of the table.
struct Row {
    job: Job,
    form: Form,
    n: usize,
    threads: Threads,
    mb: f64,
    own: Figures,
    peers: Vec<PeerTime>,
}

/// Runs every job at every size up to the largest asked for, and writes the page after a run of all.
pub(super) fn bench(workspace: &Workspace, options: &[&str]) -> Result<(), String> {
    let most_rows = most_rows(options)?;
    cargo(workspace, &["build", "--release", "--bin", "bauta"])?;
    let bench = Bench {
        folder: super::input_folder(workspace),
        bauta: workspace.path("target/release/bauta"),
        peers: Peer::find(workspace),
    };
    std::fs::create_dir_all(&bench.folder)
        .map_err(|error| format!("cannot make {}: {error}", bench.folder.display()))?;
    let load = resources::load();
    let mut rows = Vec::new();
    let mut plans = Vec::new();
    for n in SIZES.into_iter().filter(|&n| n <= most_rows) {
        bench.of_size(n, &mut rows)?;
        plans.push((n, bench.whole_plan(n)?));
    }
    let page = bench.page(&rows, &plans, load);
    println!("{page}");
    let _ = std::fs::remove_dir_all(&bench.folder);
    if most_rows >= SIZES[SIZES.len() - 1] {
        let path = workspace.path(PAGE);
        std::fs::write(&path, page).map_err(|error| format!("cannot write {PAGE}: {error}"))?;
        println!("wrote {PAGE}");
    }
    Ok(())
}

fn most_rows(options: &[&str]) -> Result<usize, String> {
    match options {
        [] => Ok(SIZES[SIZES.len() - 1]),
        ["--rows", n] => {
            let n = n.parse();
            n.map_err(|_| "--rows needs a number of rows".to_owned())
        }
        other => Err(format!(
            "`bench io` has no option `{}`; there is --rows N",
            other.join(" ")
        )),
    }
}

struct Bench {
    folder: PathBuf,
    bauta: PathBuf,
    peers: Vec<Peer>,
}

impl Bench {
    fn of_size(&self, n: usize, rows: &mut Vec<Row>) -> Result<(), String> {
        eprintln!("making files of {n} rows");
        // In a process of its own, whose memory goes with it.
        apart(Job::Prepare, Form::Csv, n, Threads::All)?;
        for form in Form::ALL {
            for job in Job::TIMED {
                for threads in Threads::BOTH {
                    eprintln!(
                        "{} {} on {n} rows, {} threads",
                        job.name(),
                        form.extension(),
                        threads.number()
                    );
                    rows.push(self.row(job, form, n, threads)?);
                }
            }
        }
        Ok(())
    }

    fn row(&self, job: Job, form: Form, n: usize, threads: Threads) -> Result<Row, String> {
        let own = match job {
            Job::Risk => self.risk(form, n, threads)?,
            _ => least(n, || apart(job, form, n, threads))?,
        };
        let path = form.file(&self.folder, job.stem(), n);
        let bytes = std::fs::metadata(&path).map(|found| found.len());
        let bytes = bytes.map_err(|error| format!("{}: {error}", path.display()))?;
        let mut peers = Vec::new();
        for peer in &self.peers {
            if let Some(time) = peer.least_time(job, form, &self.folder, n, threads.number())? {
                time.check(&own)?;
                peers.push(time);
            }
        }
        Ok(Row {
            job,
            form,
            n,
            threads,
            mb: bytes as f64 / 1e6,
            own,
            peers,
        })
    }

    /// From file to answer, as a user asks for it.
    fn risk(&self, form: Form, n: usize, threads: Threads) -> Result<Figures, String> {
        let file = form.file(&self.folder, jobs::MIXED, n);
        let file = file.to_string_lossy().into_owned();
        let keys = jobs::EIGHT_KEYS.join(",");
        let words = [
            "risk",
            &file,
            "--keys",
            &keys,
            "--semantics",
            "own",
            "--json",
        ];
        let (mut figures, printed) = self.command(n, &words, threads)?;
        let found: serde_json::Value = serde_json::from_str(&printed)
            .map_err(|error| format!("`bauta risk` printed no JSON: {error}"))?;
        figures.answer = found["uniques"].as_f64();
        Ok(figures)
    }

    /// The whole plan on a file of so many rows.
    fn whole_plan(&self, n: usize) -> Result<Figures, String> {
        let plan = self.folder.join("plan.toml");
        let file = Form::Csv.file(&self.folder, jobs::MIXED, n);
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        std::fs::write(&plan, PLAN.replace("FILE", &name))
            .map_err(|error| format!("cannot write {}: {error}", plan.display()))?;
        eprintln!("the whole plan on {n} rows");
        let plan = plan.to_string_lossy().into_owned();
        let words = ["run", &plan, "--seed", "7", "--force"];
        let (figures, _) = self.command(n, &words, Threads::All)?;
        Ok(figures)
    }

    /// A command of the product, run until its time is known well enough: the best of some.
    fn command(
        &self,
        n: usize,
        words: &[&str],
        threads: Threads,
    ) -> Result<(Figures, String), String> {
        let mut printed = String::new();
        let figures = least(n, || {
            let found = resources::of_command(Command::new(&self.bauta).args(words).args([
                "--quiet",
                "--threads",
                &threads.number().to_string(),
            ]))?;
            printed = found.1;
            Ok(found.0)
        })?;
        Ok((figures, printed))
    }

    fn page(&self, rows: &[Row], plans: &[(usize, Figures)], load: Option<f64>) -> String {
        let mut page = "<!-- Written by a full run of `cargo xtask bench io`. -->\n# The way of files\n\n\
            Fifteen columns: eight keys of few categories (4 % of one are missing), a weight, six whole amounts. `write` \
            writes 13 columns of doubles with all their digits. `count` reads the eight keys and counts how many records are \
            alone with theirs; `risk` is the command `bauta risk` from its start to its end, which counts so for all keys and \
            without each, and finds what singles out the riskiest: others have the time of the plain count beside it. `hash` \
            is the share of `read` and `mask` that finds the file's fingerprint and seed, which others do not look for; \
            `mask` reads, adds noise to one column and writes.\n\n\
            CPU s: processor seconds over all threads. Each job is done once in a process of its own, as a command does it, \
            and the least of three is told (beyond a million rows, of one). Others did the same job on the same file in the same minutes, and their answers \
            are ours. *them / us* is their CPU s divided by ours: above 1 we need less. *warm / us* is the same with the least \
            of their repetitions within one process, whose memory they have by then: a session and not a command.\n\n"
            .to_owned();
        if let Some(load) = load.filter(|load| *load >= 0.2) {
            let _ = writeln!(
                page,
                "Others had work on the machine: the load was {load:.1} when the run began.\n"
            );
        }
        let lacking: Vec<&str> = Peer::lacking(&self.peers);
        if !lacking.is_empty() {
            let _ = writeln!(page, "Not run, because absent: {}.\n", lacking.join(", "));
        }
        page.push_str(
            "| job | file | rows | threads | MB | seconds | CPU s | MB/s | peak MB | them / us | warm / us |\n\
             |---|---|---:|---:|---:|---:|---:|---:|---:|---|---|\n",
        );
        for row in rows {
            page.push_str(&row.line());
        }
        page.push_str(
            "\n## A whole plan\n\nRecoding, local suppression, rank swapping, k-anonymity, individual risk and `il1s`, \
             gates, the recount of the released bytes, record and report, all threads.\n\n\
             | rows | seconds | CPU s | peak MB |\n|---:|---:|---:|---:|\n",
        );
        for (n, figures) in plans {
            let _ = writeln!(
                page,
                "| {n} | {:.2} | {} | {} |",
                figures.seconds,
                shown(figures.cpu_seconds, 2),
                shown(figures.peak_mb, 0)
            );
        }
        page
    }
}

impl Row {
    fn line(&self) -> String {
        let own = &self.own;
        let ratios = |cpu_of: fn(&PeerTime) -> f64| {
            let ratio = |peer: &PeerTime| {
                let ratio = own.cpu_seconds.map(|cpu| cpu_of(peer) / cpu);
                format!("{} {}", peer.tool, shown(ratio, 2))
            };
            self.peers.iter().map(ratio).collect::<Vec<_>>().join(", ")
        };
        format!(
            "| {} | {} | {} | {} | {:.0} | {:.3} | {} | {:.0} | {} | {} | {} |\n",
            self.job.name(),
            self.form.extension(),
            self.n,
            self.threads.number(),
            self.mb,
            own.seconds,
            shown(own.cpu_seconds, 3),
            self.mb / own.seconds,
            shown(own.peak_mb, 0),
            ratios(|peer| peer.first_cpu_seconds),
            ratios(|peer| peer.cpu_seconds)
        )
    }
}

/// How often a job on so many rows is done, each time in a process of its own. Long ones vary less.
const fn n_runs(n: usize) -> usize {
    if n > 1_000_000 { 1 } else { 3 }
}

/// The figures with the least processor time of some runs on so many rows.
fn least(n: usize, mut run: impl FnMut() -> Result<Figures, String>) -> Result<Figures, String> {
    let mut best = run()?;
    for _ in 1..n_runs(n) {
        let figures = run()?;
        if figures.cpu_seconds < best.cpu_seconds {
            best = figures;
        }
    }
    Ok(best)
}

/// A job in a process of its own, so that its peak memory is nobody else's.
fn apart(job: Job, form: Form, n: usize, threads: Threads) -> Result<Figures, String> {
    let program =
        std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let output = Command::new(program)
        .args([
            WITH_METHODS,
            ONE,
            job.name(),
            form.extension(),
            &n.to_string(),
        ])
        .env("RAYON_NUM_THREADS", threads.number().to_string())
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot start a process: {error}"))?;
    if !output.status.success() {
        return Err(format!("{} of {n} rows failed", job.name()));
    }
    Figures::from_line(&String::from_utf8_lossy(&output.stdout))
}

fn shown(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.decimals$}"))
}
