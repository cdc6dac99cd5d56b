//! Checks of the repository itself. Each is a file of its own with good and bad input.

mod absent;
mod changelog;
mod edges;
mod line_ends;
pub(crate) mod links;
#[cfg(feature = "methods")]
pub(crate) mod methods;
mod module_names;
mod places;
mod rooms;
mod sizes;
mod witnesses;

use std::fmt;

use crate::workspace::Workspace;

/// Something that is not as the house style wants it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Problem {
    file: String,
    line: Option<usize>,
    message: String,
}

impl Problem {
    fn of_file(file: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            line: None,
            message: message.into(),
        }
    }

    fn at_line(file: impl Into<String>, line: usize, message: impl Into<String>) -> Self {
        Self {
            line: Some(line),
            ..Self::of_file(file, message)
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

/// A check and what it is about.
pub(crate) type Check = (&'static str, fn(&Workspace) -> Vec<Problem>);

/// What can be told from the files alone.
pub(crate) const OF_FILES: [Check; 10] = [
    ("what must be absent is absent", absent::check),
    ("crates depend one way", edges::check),
    ("rooms keep their doors", rooms::check),
    ("no source file is too long", sizes::check),
    ("modules have telling names", module_names::check),
    ("links resolve", links::check),
    ("no machine is named", places::check),
    ("the threat model has its tests", witnesses::check),
    ("the changelog is kept", changelog::check),
    ("files end with a newline", line_ends::check),
];

/// What the registry must be asked for.
#[cfg(feature = "methods")]
pub(crate) const OF_METHODS: [Check; 1] = [("methods are complete", methods::check)];

/// Runs some checks and tells all problems.
pub(crate) fn run(workspace: &Workspace, checks: &[Check]) -> Result<(), String> {
    let mut n_problems = 0;
    for (name, check) in checks {
        let problems = check(workspace);
        let verdict = match problems.len() {
            0 => "yes".to_owned(),
            n => format!("NO, {n} problems"),
        };
        println!("{name}: {verdict}");
        for problem in &problems {
            println!("  {problem}");
        }
        n_problems += problems.len();
    }
    match n_problems {
        0 => Ok(()),
        n => Err(format!("tidy found {n} problems")),
    }
}

#[cfg(all(test, feature = "methods"))]
mod tests {
    use super::*;

    /// A part of `cargo xtask tidy` that is a test, so that tests suffice before a merge.
    #[test]
    fn every_method_is_complete() {
        assert_eq!(run(&Workspace::of_this_build(), &OF_METHODS), Ok(()));
    }
}
