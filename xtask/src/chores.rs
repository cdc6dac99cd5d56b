//! Stages of work, one after the other; a failure does not hide those after it.

use std::process::Command;
use std::time::Instant;

use crate::kill;
use crate::tidy;
use crate::workspace::Workspace;

/// Everything that must hold before a merge.
pub(crate) fn test(workspace: &Workspace) -> Result<(), String> {
    match workspace.shared() {
        Some(_) => println!("reference data: ../shared is present; tests against it are run"),
        None => println!("reference data: ../shared is absent; tests against it are not run"),
    }
    let mut stages = Stages::default();
    stages.run("format", || cargo(workspace, &["fmt", "--all", "--check"]));
    stages.run("tidy", || tidy::run(workspace, &tidy::OF_FILES));
    stages.run("clippy", || {
        let lint = ["clippy", "--all-targets"];
        cargo(
            workspace,
            &[&lint[..], &THE_PRODUCT, &ALL_CHORES, &STRICT].concat(),
        )
    });
    // Without a choice of targets this runs unit, golden, conformance, integration and doc tests. Whether methods
    // are complete and generated documentation is fresh are tests of xtask: another program would compile the
    // product once more, since cargo chooses features of dependencies by what is built together.
    stages.run("tests", || {
        cargo(
            workspace,
            &[&["test"][..], &THE_PRODUCT, &ALL_CHORES].concat(),
        )
    });
    stages.run("kills", || kill::run(workspace, kill::Options::SHORT));
    stages.run("fuzz", || fuzz(workspace, &SHORT_FUZZ));
    stages.finish()
}

/// What must hold of the engine and of clusters: apart from the rest, because DataFusion and Ballista take longer to
/// compile than all the rest together. The three are named together in each stage: cargo chooses features of
/// dependencies by what is built together, and would compile them again for one alone.
pub(crate) fn test_engine(workspace: &Workspace) -> Result<(), String> {
    let mut stages = Stages::default();
    stages.run("clippy of the engine", || {
        let lint = ["clippy", "--all-targets"];
        cargo(workspace, &[&lint[..], &WITH_ENGINE, &STRICT].concat())
    });
    // Of the command line, what the engine changes; the rest was tested without it.
    let some = [
        "test", "--lib", "--bins", "--test", "all", "--test", "engine",
    ];
    stages.run("tests of the engine", || {
        cargo(workspace, &[&some[..], &WITH_ENGINE].concat())
    });
    stages.finish()
}

/// The checks of the repository: first those of files, then those of methods.
pub(crate) fn tidy(workspace: &Workspace) -> Result<(), String> {
    let of_files = tidy::run(workspace, &tidy::OF_FILES);
    let of_methods = with_methods(workspace, &[], &["tidy"]);
    of_files.and(of_methods)
}

/// Made-up input for the product, as part of the tests.
const SHORT_FUZZ: [&str; 5] = ["fuzz", "--seed", "1", "--minutes", "0.5"];

/// Made-up input for the product, which is built as the tests are: with checks of arithmetic, and nothing twice.
pub(crate) fn fuzz(workspace: &Workspace, chore: &[&str]) -> Result<(), String> {
    // Known before the build takes the place of this program.
    let here = std::env::current_exe().map_err(|error| format!("where am I: {error}"))?;
    build_as_tests_do(workspace, &["bauta", "xtask"])?;
    let status = Command::new(here)
        .arg(WITH_METHODS)
        .args(chore)
        .current_dir(workspace.root())
        .status()
        .map_err(|error| format!("cannot start the fuzz chore: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err("see what was found above".to_owned())
    }
}

/// Builds programs with the features that dependencies have in tests: after these, little is left to compile.
pub(crate) fn build_as_tests_do(workspace: &Workspace, programs: &[&str]) -> Result<(), String> {
    let build = ["build", "--quiet", "--tests"];
    let programs = programs.iter().flat_map(|program| ["--bin", program]);
    let arguments = build.into_iter().chain(THE_PRODUCT).chain(programs);
    let arguments = arguments.chain(ALL_CHORES);
    cargo(workspace, &arguments.collect::<Vec<_>>())
}

/// All but what only the feature `engine` compiles.
const THE_PRODUCT: [&str; 5] = [
    "--workspace",
    "--exclude",
    "bauta-cluster",
    "--exclude",
    "bauta-engine",
];

/// The crates of the engine, and the command line that uses them.
const WITH_ENGINE: [&str; 8] = [
    "--package",
    "bauta-engine",
    "--package",
    "bauta-cluster",
    "--package",
    "bauta-cli",
    "--features",
    "bauta-cli/engine",
];

/// A warning is an error.
const STRICT: [&str; 3] = ["--", "-D", "warnings"];

/// The chores that need the methods, too.
const ALL_CHORES: [&str; 2] = ["--features", "xtask/fuzz"];

/// How a chore that needs the methods is called in the build that has them.
pub(crate) const WITH_METHODS: &str = "with-methods";

/// Passes a chore on to a build of this program that knows the methods.
pub(crate) fn with_methods(
    workspace: &Workspace,
    profile: &[&str],
    chore: &[&str],
) -> Result<(), String> {
    let run = [
        "run",
        "--quiet",
        "--package",
        "xtask",
        "--features",
        "methods",
    ];
    let passed_on = ["--", WITH_METHODS];
    cargo(workspace, &[&run[..], profile, &passed_on, chore].concat())
}

/// Runs cargo in the workspace, its output going where ours goes.
pub(crate) fn cargo(workspace: &Workspace, arguments: &[&str]) -> Result<(), String> {
    // The cargo that started us, so that a chosen toolchain is kept.
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(arguments)
        .current_dir(workspace.root())
        .status()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`cargo {}` failed", arguments.join(" ")))
    }
}

/// What was run and what failed.
#[derive(Default)]
struct Stages {
    n_run: usize,
    failures: Vec<(String, String)>,
}

impl Stages {
    fn run(&mut self, name: &str, stage: impl FnOnce() -> Result<(), String>) {
        println!("\n== {name}");
        let start = Instant::now();
        let outcome = stage();
        let seconds = start.elapsed().as_secs_f64();
        self.n_run += 1;
        match outcome {
            Ok(()) => println!("== {name}: passed in {seconds:.1} s"),
            Err(message) => {
                println!("== {name}: FAILED in {seconds:.1} s");
                self.failures.push((name.to_owned(), message));
            }
        }
    }

    fn finish(self) -> Result<(), String> {
        if self.failures.is_empty() {
            println!("\nall {} stages passed", self.n_run);
            return Ok(());
        }
        let failures: Vec<String> = self
            .failures
            .iter()
            .map(|(name, message)| format!("{name}: {message}"))
            .collect();
        Err(format!(
            "{} of {} stages failed\n{}",
            failures.len(),
            self.n_run,
            failures.join("\n")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_stage_does_not_stop_the_next() {
        let mut stages = Stages::default();
        let mut reached = false;
        stages.run("first", || Err("broken".to_owned()));
        stages.run("second", || {
            reached = true;
            Ok(())
        });
        assert!(reached);
        let message = stages.finish().unwrap_err();
        assert_eq!(message, "1 of 2 stages failed\nfirst: broken");
    }

    #[test]
    fn success_says_nothing_but_yes() {
        let mut stages = Stages::default();
        stages.run("only", || Ok(()));
        assert_eq!(stages.finish(), Ok(()));
    }
}
