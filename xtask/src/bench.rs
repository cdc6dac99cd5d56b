//! Times every registered method at rising sizes, each in a process of its own, and the way of a
//! whole file from disk to disk.

mod calibration;
mod check_categories;
mod check_groups;
mod check_linkage;
mod check_lost;
mod check_masks;
mod check_measures;
mod check_models;
mod check_noise;
mod child;
mod end_to_end;
mod figures;
pub(crate) mod files;
mod inputs;
mod peers;
mod plain;
mod recount;
mod reference;
mod resources;
mod table;
mod weighted;
mod work;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::chores::WITH_METHODS;
use crate::workspace::Workspace;
use figures::Figures;
use table::{Lack, Outcome, Row, growth};
use work::Work;

/// Rows of the whole way of a file, and the most of any work.
const MOST_ROWS: usize = 1_000_000;
/// How one work is called in a process of its own.
pub(crate) const ONE: &str = "bench-one";
/// The most rows of a quick run.
const QUICK_ROWS: usize = 10_000;
const PAGE: &str = "docs/benchmarks/README.md";
/// Seconds from which a work is timed on one thread too, at its largest size.
const WORTH_A_THREAD: f64 = 0.1;
/// Processor seconds from which it is not: one thread would take them all.
const LONG_ON_A_THREAD: f64 = 100.0;

/// How many threads a work has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Threads {
    One,
    All,
}

impl Threads {
    const BOTH: [Self; 2] = [Self::One, Self::All];

    fn number(self) -> usize {
        match self {
            Self::One => 1,
            Self::All => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        }
    }
}

/// What was asked for.
struct Options {
    most_rows: usize,
    only: Option<String>,
}

impl Options {
    fn parse(options: &[&str]) -> Result<Self, String> {
        let mut parsed = Self {
            most_rows: MOST_ROWS,
            only: None,
        };
        let mut rest = options.iter();
        while let Some(option) = rest.next() {
            match *option {
                "--quick" => parsed.most_rows = QUICK_ROWS,
                "--only" => {
                    let work = rest.next().ok_or("--only needs the name of a work")?;
                    parsed.only = Some((*work).to_owned());
                }
                other => {
                    return Err(format!(
                        "bench has no option `{other}`; there are --quick and --only WORK"
                    ));
                }
            }
        }
        if let Some(only) = &parsed.only
            && !names().contains(only)
        {
            return Err(format!(
                "there is no work `{only}`; there are {}",
                names().join(", ")
            ));
        }
        Ok(parsed)
    }

    /// Only a run of everything may replace the published table.
    fn is_full(&self) -> bool {
        self.only.is_none() && self.most_rows == MOST_ROWS
    }
}

/// The names of all works.
fn names() -> Vec<String> {
    let works = work::all().into_iter().map(|work| work.name);
    works.chain([end_to_end::NAME.to_owned()]).collect()
}

/// Runs everything that was asked for and prints one table.
pub(crate) fn run(workspace: &Workspace, options: &[&str]) -> Result<(), String> {
    if let ["io", options @ ..] = options {
        return files::bench(workspace, options);
    }
    let options = Options::parse(options)?;
    let folder = input_folder(workspace);
    std::fs::create_dir_all(&folder)
        .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    // A fifth of a core is the system's own.
    let load = resources::load().filter(|load| *load >= 0.2);
    let tools = peers::Tools::find(workspace);
    println!("{}", tools.describe());
    let mut rows = Vec::new();
    for work in work::all() {
        if options.only.as_ref().is_some_and(|only| *only != work.name) {
            continue;
        }
        let sizes = work.sizes.iter().filter(|&&n| n <= options.most_rows);
        for &n in sizes {
            let outcome = measure_with_peers(&work, n, &rows, &tools, &folder);
            rows.push(Row {
                work: work.name.clone(),
                published: work.published,
                n,
                outcome,
            });
        }
    }
    let whole = if options
        .only
        .as_ref()
        .is_none_or(|only| only == end_to_end::NAME)
    {
        let n = options.most_rows;
        eprintln!("{} on {n} rows", end_to_end::NAME);
        let made = end_to_end::write_input(&folder, n);
        Some(made.and_then(|()| measure_apart(end_to_end::NAME, n, Threads::All)))
    } else {
        None
    };
    let report = table::report(&rows, whole.as_ref(), &tools.describe());
    println!("{report}");
    if options.is_full() {
        publish(workspace, &report, load)?;
    } else {
        println!("{PAGE} is left as it is; a run without options writes it");
    }
    let _ = std::fs::remove_dir_all(&folder);
    let failed = rows
        .iter()
        .filter(|row| matches!(row.outcome, Err(Lack::Failed(_))))
        .count();
    let failed = failed + usize::from(whole.is_some_and(|whole| whole.is_err()));
    match failed {
        0 => Ok(()),
        n => Err(format!("{n} benchmarks failed; see the table")),
    }
}

/// Runs a work and its peers at one size, unless it lacks its input or would take too long.
fn measure_with_peers(
    work: &Work,
    n: usize,
    rows: &[Row],
    tools: &peers::Tools,
    folder: &Path,
) -> Result<Outcome, Lack> {
    if let Some(reason) = inputs::absent(work.input) {
        return Err(Lack::NotRun(reason));
    }
    let expected = expected_seconds(rows, &work.name, n);
    if let Some(seconds) = expected.filter(|seconds| *seconds > work.patience) {
        return Err(Lack::NotRun(format!(
            "at the growth between the two sizes above it would take about {:.1} minutes, more than the {:.0} \
             that one run may take",
            seconds / 60.0,
            work.patience / 60.0
        )));
    }
    eprintln!("{} on {n} rows", work.name);
    let own = measure_apart(&work.name, n, Threads::All).map_err(Lack::Failed)?;
    let is_largest = work.sizes.iter().all(|&size| size <= n);
    let is_quick = own
        .cpu_seconds
        .is_none_or(|seconds| seconds <= LONG_ON_A_THREAD);
    let one_thread = if is_largest && is_quick && own.seconds >= WORTH_A_THREAD {
        let alone = measure_apart(&work.name, n, Threads::One).map_err(Lack::Failed)?;
        Some(alone.seconds)
    } else {
        None
    };
    let peers = tools.run(work, n, folder, &own).map_err(Lack::Failed)?;
    Ok(Outcome {
        own,
        one_thread,
        peers,
    })
}

/// What a work will take at a larger size, if it goes on growing as between the last two sizes
/// that it was timed at; at least in proportion.
fn expected_seconds(rows: &[Row], work: &str, n: usize) -> Option<f64> {
    let mut timed = rows.iter().rev().filter(|row| row.work == work);
    let mut next = || {
        timed.by_ref().find_map(|row| {
            let outcome = row.outcome.as_ref().ok()?;
            Some((row.n, outcome.own.seconds))
        })
    };
    let (last, before) = (next()?, next()?);
    let exponent = growth(before, last)?.max(1.0);
    Some(last.1 * (n as f64 / last.0 as f64).powf(exponent))
}

/// Runs one work at one size and prints its figures, for the parent to read.
pub(crate) fn run_one(workspace: &Workspace, work: &str, n_records: &str) -> Result<(), String> {
    let n: usize = n_records
        .parse()
        .map_err(|_| format!("`{n_records}` is not a number of rows"))?;
    let figures = if work == end_to_end::NAME {
        end_to_end::run(&input_folder(workspace), n)?
    } else {
        let found = work::all().into_iter().find(|known| known.name == work);
        child::run(
            &found.ok_or_else(|| format!("there is no work `{work}`"))?,
            n,
        )?
    };
    println!("{}", figures.to_line()?);
    Ok(())
}

/// Runs one job on a file and prints its figures, for the parent to read.
pub(crate) fn run_file(workspace: &Workspace, words: [&str; 3]) -> Result<(), String> {
    let [job, extension, n] = words;
    let n: usize = n
        .parse()
        .map_err(|_| format!("`{n}` is not a number of rows"))?;
    let job = files::Job::of_name(job).ok_or_else(|| format!("there is no job `{job}`"))?;
    let figures = files::run(job, extension, &input_folder(workspace), n)?;
    println!("{}", figures.to_line()?);
    Ok(())
}

fn input_folder(workspace: &Workspace) -> PathBuf {
    workspace.path("target/bench-inputs")
}

/// Runs one work in a process of its own, so that its peak memory is nobody else's.
fn measure_apart(work: &str, n: usize, threads: Threads) -> Result<Figures, String> {
    let program =
        std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let output = Command::new(program)
        .args([WITH_METHODS, ONE, work, &n.to_string()])
        .env("RAYON_NUM_THREADS", threads.number().to_string())
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot start a process: {error}"))?;
    if !output.status.success() {
        let talk = String::from_utf8_lossy(&output.stderr);
        let last = talk
            .lines()
            .find(|line| !line.trim().is_empty())
            .unwrap_or("no message");
        eprintln!("{talk}");
        return Err(last.to_owned());
    }
    Figures::from_line(&String::from_utf8_lossy(&output.stdout))
}

/// Writes the published page.
fn publish(workspace: &Workspace, report: &str, load: Option<f64>) -> Result<(), String> {
    let path = workspace.path(PAGE);
    let folder = path.parent().unwrap_or(Path::new("."));
    let page = table::page(report, commit_date(workspace).as_deref(), load);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&path, page))
        .map_err(|error| format!("cannot write {PAGE}: {error}"))?;
    println!("wrote {PAGE}");
    Ok(())
}

/// The day of the last commit, where version control is at hand.
fn commit_date(workspace: &Workspace) -> Option<String> {
    let log = Command::new("git")
        .args(["log", "-1", "--format=%cs"])
        .current_dir(workspace.root())
        .output()
        .ok()
        .filter(|log| log.status.success())?;
    let date = String::from_utf8(log.stdout).ok()?.trim().to_owned();
    (!date.is_empty()).then_some(date)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_unknown_ones_refused() {
        let quick = Options::parse(&["--quick", "--only", "rank-swap"]).unwrap();
        assert_eq!(quick.most_rows, QUICK_ROWS);
        assert_eq!(quick.only.as_deref(), Some("rank-swap"));
        assert!(!quick.is_full());
        assert!(Options::parse(&[]).unwrap().is_full());
        assert!(Options::parse(&["--slow"]).is_err());
        assert!(Options::parse(&["--only"]).is_err());
        assert!(
            Options::parse(&["--only", "nothing"])
                .err()
                .unwrap()
                .contains("rank-swap")
        );
    }

    #[test]
    fn what_grows_too_fast_is_foreseen() {
        let row = |n: usize, seconds: f64| Row {
            work: "slow".to_owned(),
            published: None,
            n,
            outcome: Ok(Outcome {
                own: Figures {
                    seconds,
                    ..Figures::default()
                },
                one_thread: None,
                peers: Vec::new(),
            }),
        };
        let rows = [row(1_000, 0.02), row(10_000, 2.0)];
        // A hundred times the time for ten times the rows, once more.
        let expected = expected_seconds(&rows, "slow", 100_000).unwrap();
        assert!((expected - 200.0).abs() < 1e-9);
        assert_eq!(expected_seconds(&rows[..1], "slow", 10_000), None);
        assert_eq!(expected_seconds(&rows, "other", 100_000), None);
        // What was left out does not count.
        let mut left_out = row(100_000, 0.0);
        left_out.outcome = Err(Lack::NotRun("too slow".to_owned()));
        let [first, second] = rows;
        let rows = [first, second, left_out];
        let expected = expected_seconds(&rows, "slow", 1_000_000).unwrap();
        assert!((expected - 20_000.0).abs() < 1e-6);
    }
}
