//! The chores of the workspace, run as `cargo xtask <chore>` from any folder of it.
//!
//! Built without the feature `methods` it knows nothing of the product and is there in seconds; chores that need
//! the methods are passed on to a build with it.

// Some of what both builds share is used in the larger one only.
#![cfg_attr(not(feature = "methods"), allow(dead_code))]

#[cfg(feature = "methods")]
mod bench;
mod browser;
mod chores;
#[cfg(feature = "methods")]
mod docs;
#[cfg(feature = "fuzz")]
mod fuzz;
mod kill;
mod markdown;
mod memory;
mod tidy;
mod workspace;

use std::process::ExitCode;

use workspace::Workspace;

const USAGE: &str = "\
Chores of the Bauta workspace.

Usage: cargo xtask <chore>

  test              everything that must hold before a merge: format, tidy, clippy, all tests, among
                    them that methods are complete and generated documentation is fresh; kills and
                    fuzz for a short while; all of it without the engine
  test engine       lints and tests of files larger than memory and of clusters, and of the command line
                    with both; the first time compiles DataFusion and Ballista, some ten minutes
  test web [--large]
                    the web app in Chromium, where node and Chromium are there: the way through it, undo,
                    crashes, tabs, keyboard, access, looks, attacks; says so where they are not. --large
                    measures pages and memory on 10^6 records of 50 variables instead, in release mode
  pictures          makes the pictures of docs/guide/web.md anew, in Chromium
  tidy              checks of the repository itself: files, pages, links, names, crate edges
  kill [--minutes N] [--seed S]
                    kills commands that publish at random moments, for 5 minutes if not told
                    otherwise: the next command must find the old files or the new ones
  memory            measures the largest memory of every command that reads a file, in release mode,
                    and writes docs/benchmarks/memory.md
  docs [--check]    writes docs/reference from the method
                    cards; with --check only says which files are stale
  bench [--quick] [--only WORK]
                    times every method on 10^3 to 10^6 rows and the way from file to file, in
                    release mode; a full run writes docs/benchmarks/README.md.
                    --quick stops at 10^4 rows; --only takes the name of a work, such as
                    rank-swap or end-to-end
  bench io [--rows N]
                    times the way of files beside polars, DuckDB and data.table, where they are
                    there, and a whole plan, on 10^5 to 10^7 rows; a full run writes
                    docs/benchmarks/files.md, --rows stops at so many
  fuzz [--minutes N] [--seed S] [--only TARGET] [--case N | --file FILE]
                    runs made-up files, plans, records and settings of every method against their
                    oracles, after the cases of xtask/corpus; 5 minutes and a new seed if not told.
                    --case makes one case again, --file runs one that was kept in target/fuzz
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let workspace = Workspace::of_this_build();
    let done = match arguments.as_slice() {
        ["test"] => chores::test(&workspace),
        ["test", "engine"] => chores::test_engine(&workspace),
        ["test", "web"] => browser::test(&workspace, browser::Which::Usual),
        ["test", "web", "--large"] => browser::test(&workspace, browser::Which::Large),
        ["pictures"] => browser::pictures(&workspace),
        ["tidy"] => chores::tidy(&workspace),
        ["kill", options @ ..] => {
            kill::Options::read(options).and_then(|options| kill::run(&workspace, options))
        }
        ["memory"] => memory::run(&workspace),
        ["docs"] | ["docs", "--check"] => chores::with_methods(&workspace, &[], &arguments),
        ["bench", ..] => chores::with_methods(&workspace, &["--release"], &arguments),
        ["fuzz", ..] => chores::fuzz(&workspace, &arguments),
        #[cfg(feature = "methods")]
        [chores::WITH_METHODS, chore @ ..] => with_methods(&workspace, chore),
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        [] => Err(format!("no chore was named\n\n{USAGE}")),
        [other, ..] => Err(format!(
            "`{}` is not a chore, or not with these options\n\n{USAGE}",
            [other].map(|word| *word).join(" ")
        )),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// A chore that was passed on.
#[cfg(feature = "methods")]
fn with_methods(workspace: &Workspace, chore: &[&str]) -> Result<(), String> {
    match chore {
        ["tidy"] => tidy::run(workspace, &tidy::OF_METHODS),
        ["docs"] => docs::write(workspace),
        ["docs", "--check"] => docs::check(workspace),
        ["bench", options @ ..] => bench::run(workspace, options),
        [bench::files::ONE, job, form, n] => bench::run_file(workspace, [job, form, n]),
        [bench::ONE, work, n_records] => bench::run_one(workspace, work, n_records),
        #[cfg(feature = "fuzz")]
        ["fuzz", options @ ..] => fuzz::run(workspace, options),
        #[cfg(feature = "fuzz")]
        [fuzz::WORKER, seed] => fuzz::work(seed.parse().map_err(|_| "a seed is a number")?),
        other => Err(format!("`{}` needs no methods", other.join(" "))),
    }
}
