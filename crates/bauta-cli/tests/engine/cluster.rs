//! A scheduler and executors on this machine, which end with the test.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// Parts of a cluster.
pub(crate) struct Cluster {
    scheduler: Part,
    executors: Vec<Part>,
    _work: TempDir,
}

struct Part {
    child: Child,
    address: String,
}

impl Cluster {
    /// Starts a scheduler and so many executors, and waits until they are ready.
    pub(crate) fn start(n_executors: usize) -> Self {
        let work = tempfile::tempdir().unwrap();
        let scheduler = Part::start(&["scheduler", "--port", "0"]);
        let folder = work.path().to_str().unwrap();
        let executor = |_| {
            Part::start(&[
                "executor",
                "--scheduler",
                &scheduler.address,
                "--work",
                folder,
                "--threads",
                "1",
                "--memory",
                "200MB",
            ])
        };
        let executors = (0..n_executors).map(executor).collect();
        Self {
            scheduler,
            executors,
            _work: work,
        }
    }

    /// Where its scheduler listens.
    pub(crate) fn address(&self) -> String {
        self.scheduler.address.clone()
    }

    /// Ends an executor without a word.
    pub(crate) fn kill_one(&mut self) {
        drop(self.executors.pop());
    }
}

impl Part {
    fn start(arguments: &[&str]) -> Self {
        // Built beside the command.
        let beside = PathBuf::from(env!("CARGO_BIN_EXE_bauta"));
        let program = beside.with_file_name("bauta-cluster");
        let mut child = Command::new(&program)
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let mut line = String::new();
        let read = BufReader::new(child.stdout.take().unwrap()).read_line(&mut line);
        let address = line.trim_end().split_once(" ready on ");
        let address = address.map(|(_, address)| address.to_owned());
        let Some(address) = address else {
            let _ = child.kill();
            panic!("{arguments:?} said `{line}` ({read:?})");
        };
        Self { child, address }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
