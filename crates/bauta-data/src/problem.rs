//! What can be wrong with a file, told so that it can be mended and without showing its content.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

/// One thing wrong with a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DataProblem {
    /// Line in the file, from 1, where it can be told.
    pub line: Option<u64>,
    /// The variable concerned.
    pub variable: Option<String>,
    /// What is wrong, without any cell value.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl DataProblem {
    /// A problem of the file as a whole.
    pub fn file(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            line: None,
            variable: None,
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// The same problem at a line.
    #[must_use]
    pub fn at_line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// The same problem of a variable.
    #[must_use]
    pub fn of_variable(mut self, variable: impl Into<String>) -> Self {
        self.variable = Some(variable.into());
        self
    }
}

impl fmt::Display for DataProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if let Some(variable) = &self.variable {
            write!(f, "variable `{variable}`: ")?;
        }
        write!(f, "{} ({})", self.message, self.hint)
    }
}

/// What sort of failure a [`DataError`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataErrorKind {
    /// The content is not what it should be.
    Content,
    /// The operating system refused.
    Io,
    /// It needs more memory than it may have.
    Memory,
    /// The watcher asked to stop.
    Cancelled,
}

/// Everything wrong with one file, up to a limit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}: {}", file.display(), summary(problems, *n_more))]
pub struct DataError {
    /// What sort of failure it is.
    pub kind: DataErrorKind,
    /// The file.
    pub file: PathBuf,
    /// The problems found, in the order of the file.
    pub problems: Vec<DataProblem>,
    /// How many more there are than are listed.
    pub n_more: u64,
}

impl DataError {
    /// How many problems an error lists before it only counts.
    pub const LIMIT: usize = 20;

    /// One problem of a file.
    pub fn one(file: &Path, problem: DataProblem) -> Self {
        Self {
            kind: DataErrorKind::Content,
            file: file.to_owned(),
            problems: vec![problem],
            n_more: 0,
        }
    }

    /// The watcher asked to stop while this file was being read or written.
    pub fn cancelled(file: &Path) -> Self {
        Self {
            kind: DataErrorKind::Cancelled,
            ..Self::one(file, DataProblem::file("cancelled", "run again to finish"))
        }
    }

    /// The same error with more problems of the same file, in the order of its lines.
    #[must_use]
    pub fn with(mut self, more: ProblemList) -> Self {
        let mut all = ProblemList {
            problems: std::mem::take(&mut self.problems),
            n_more: self.n_more,
        };
        all.append(more);
        match all.into_result(&self.file) {
            Err(error) => Self {
                kind: self.kind,
                ..error
            },
            Ok(()) => self,
        }
    }

    /// What was put aside on the disk while a file is written cannot be read again.
    pub(crate) fn put_aside(file: &Path, error: &std::io::Error) -> Self {
        let message = format!("what was put aside on the disk cannot be read again: {error}");
        let hint =
            "look after the disk of the folder for what is put aside, or name another: --spill DIR";
        Self {
            kind: DataErrorKind::Io,
            ..Self::one(file, DataProblem::file(message, hint))
        }
    }

    /// A failed operation of the operating system, in words.
    pub fn io(file: &Path, doing: &str, error: &std::io::Error) -> Self {
        let hint = match error.kind() {
            std::io::ErrorKind::NotFound => "check the path",
            std::io::ErrorKind::PermissionDenied => "check the permissions",
            std::io::ErrorKind::StorageFull => "free some space on the disk",
            _ => "see the message of the operating system",
        };
        let problem = DataProblem::file(format!("cannot {doing}: {error}"), hint);
        Self {
            kind: DataErrorKind::Io,
            ..Self::one(file, problem)
        }
    }
}

fn summary(problems: &[DataProblem], n_more: u64) -> String {
    let mut lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    if n_more > 0 {
        lines.push(format!("and {n_more} more problems"));
    }
    lines.join("\n  ")
}

/// Gathers problems up to [`DataError::LIMIT`] and counts the rest.
#[derive(Debug, Default)]
pub struct ProblemList {
    problems: Vec<DataProblem>,
    n_more: u64,
}

impl ProblemList {
    /// Adds a problem; the text is made only when it is listed.
    pub fn push_with(&mut self, problem: impl FnOnce() -> DataProblem) {
        if self.problems.len() < DataError::LIMIT {
            self.problems.push(problem());
        } else {
            self.n_more += 1;
        }
    }

    /// Adds what another list gathered.
    pub fn append(&mut self, other: Self) {
        self.problems.extend(other.problems);
        self.n_more += other.n_more;
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// `Ok` if nothing was found, else the error for this file, in the order of its lines.
    pub fn into_result(mut self, file: &Path) -> Result<(), DataError> {
        if self.is_empty() {
            return Ok(());
        }
        self.problems.sort_by_key(|problem| problem.line);
        self.n_more += self.problems.len().saturating_sub(DataError::LIMIT) as u64;
        self.problems.truncate(DataError::LIMIT);
        Err(DataError {
            kind: DataErrorKind::Content,
            file: file.to_owned(),
            problems: self.problems,
            n_more: self.n_more,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_lists_keep_the_first_problems_of_the_file_and_count_the_rest() {
        let mut late = ProblemList::default();
        let mut early = ProblemList::default();
        for line in 1..=30 {
            late.push_with(|| DataProblem::file("late", "").at_line(100 + line));
            early.push_with(|| DataProblem::file("early", "").at_line(line));
        }
        late.append(early);
        let error = late.into_result(Path::new("x.csv")).unwrap_err();
        assert_eq!(error.problems.len(), DataError::LIMIT);
        assert!(
            error
                .problems
                .iter()
                .all(|problem| problem.message == "early")
        );
        assert_eq!(error.n_more, 60 - DataError::LIMIT as u64);
    }
}
