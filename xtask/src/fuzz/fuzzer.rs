//! A run of the chore: workers are given cases until time is up, and what they find is told, kept and made smaller.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::attendant::Attendant;
use super::board::Board;
use super::case::Case;
use super::finding::Finding;
use super::shrink::shrunk;
use super::worker::Request;
use crate::workspace::Workspace;

/// How long a finding is made smaller.
const SHRINKING: Duration = Duration::from_secs(30);

/// A run of the chore.
pub(super) struct Fuzzer {
    /// Where findings are kept.
    folder: PathBuf,
    seed: u64,
    board: Mutex<Board>,
}

impl Fuzzer {
    /// A run on all targets or on one, of so much time.
    pub(super) fn new(
        workspace: &Workspace,
        seed: u64,
        only: Option<&str>,
        time: Duration,
    ) -> Self {
        Self {
            folder: workspace.path("target/fuzz"),
            seed,
            board: Mutex::new(Board::new(only, time)),
        }
    }

    /// Runs one case that lies in a file.
    pub(super) fn run_file(&self, target: &str, file: &str) -> Result<(), String> {
        let request = Request::RunFile {
            target: target.to_owned(),
            file: file.to_owned(),
        };
        self.ask(&mut Attendant::new(self.seed), target, &request)?;
        Ok(())
    }

    /// Runs one case by its number and keeps it, whatever comes of it.
    pub(super) fn run_case(&self, target: &str, case: u64) -> Result<(), String> {
        let mut attendant = Attendant::new(self.seed);
        let file = self.keep(&mut attendant, target, case)?;
        println!("case {case} of {target}: {}", file.display());
        self.run_file(target, &file.display().to_string())
    }

    /// As many workers as there are processors, each with its attendant.
    pub(super) fn run_until_time_is_up(&self) -> Result<(), String> {
        let n_workers = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..n_workers)
                .map(|_| scope.spawn(|| self.attend()))
                .collect();
            let ends = workers.into_iter().map(|worker| {
                let ended = worker.join();
                ended.unwrap_or_else(|_| Err("an attendant panicked".to_owned()))
            });
            ends.fold(Ok(()), Result::and)
        })
    }

    /// What came of everything; an error if anything was found.
    pub(super) fn finish(&self) -> Result<(), String> {
        self.on_board(|board| {
            print!("{}", board.table());
            for noted in board.findings() {
                let case = noted.case.map_or_else(
                    || "a case from a file".to_owned(),
                    |case| format!("case {case}, seed {}", self.seed),
                );
                println!(
                    "{}: {case}, and {} more like it\n  {}",
                    noted.target, noted.n_more, noted.finding
                );
            }
            match board.findings().len() {
                0 => Ok(()),
                n => Err(format!(
                    "{n} different findings; the cases are in {}",
                    self.folder.display()
                )),
            }
        })
    }

    fn attend(&self) -> Result<(), String> {
        let mut attendant = Attendant::new(self.seed);
        while let Some(batch) = self.on_board(Board::next_batch) {
            let target = batch.target.name();
            let mut from = batch.from;
            // A case that ends its worker is followed by those after it.
            while from < batch.to {
                let request = Request::Run {
                    target: target.to_owned(),
                    from,
                    to: batch.to,
                };
                from += self.ask(&mut attendant, target, &request)?;
            }
            self.on_board(|board| board.ended(&batch));
        }
        Ok(())
    }

    /// Asks for cases and notes what comes of them; new findings are told, kept and made smaller. The number of
    /// cases that ended.
    fn ask(
        &self,
        attendant: &mut Attendant,
        target: &str,
        request: &Request,
    ) -> Result<u64, String> {
        let mut new = Vec::new();
        let mut n_ended = 0;
        attendant.ask(request, |case, ended| {
            n_ended += 1;
            let case = matches!(request, Request::Run { .. }).then_some(case);
            if self.on_board(|board| board.note(target, case, &ended)) {
                new.extend(ended.outcome.err().map(|finding| (case, finding)));
            }
        })?;
        for (case, finding) in new {
            let file = match (case, request) {
                (Some(case), _) => self.keep(attendant, target, case)?,
                (None, Request::RunFile { file, .. }) => PathBuf::from(file),
                (None, _) => continue,
            };
            println!("FOUND in {target}, {}\n  {finding}", file.display());
            if case.is_some() {
                let smaller = Self::make_smaller(attendant, target, &file, &finding)?;
                println!("  smaller: {}", smaller.display());
            }
        }
        Ok(n_ended)
    }

    /// Puts a case into a file.
    fn keep(&self, attendant: &mut Attendant, target: &str, case: u64) -> Result<PathBuf, String> {
        let told = |error: std::io::Error| format!("{}: {error}", self.folder.display());
        std::fs::create_dir_all(&self.folder).map_err(told)?;
        let name = format!("{target}-{}-{case}.case", self.seed);
        let file = self.folder.join(name);
        let request = Request::Make {
            target: target.to_owned(),
            case,
            file: file.display().to_string(),
        };
        attendant.ask(&request, |_, _| {})?;
        Ok(file)
    }

    /// Makes a case smaller while its finding stays, and puts the smallest into a file beside it.
    fn make_smaller(
        attendant: &mut Attendant,
        target: &str,
        file: &Path,
        finding: &Finding,
    ) -> Result<PathBuf, String> {
        let told = |error: std::io::Error| format!("{}: {error}", file.display());
        let (case, _) = Case::unpacked(&std::fs::read_to_string(file).map_err(told)?)?;
        let trial = file.with_extension("trial");
        let request = Request::RunFile {
            target: target.to_owned(),
            file: trial.display().to_string(),
        };
        let end = Instant::now() + SHRINKING;
        let smallest = shrunk(case, |case| {
            if Instant::now() > end || std::fs::write(&trial, case.packed("")).is_err() {
                return None;
            }
            let mut shows = false;
            let asked = attendant.ask(&request, |_, ended| {
                shows = ended.outcome.is_err_and(|found| found.is_like(finding));
            });
            asked.is_ok().then_some(shows)
        });
        // It is gone if nothing was tried.
        let _ = std::fs::remove_file(&trial);
        let smaller = file.with_extension("smaller.case");
        let about = format!("{finding}\n");
        std::fs::write(&smaller, smallest.packed(&about)).map_err(told)?;
        Ok(smaller)
    }

    fn on_board<T>(&self, look: impl FnOnce(&mut Board) -> T) -> T {
        look(&mut self.board.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
