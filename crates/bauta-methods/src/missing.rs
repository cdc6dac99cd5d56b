//! What methods on numbers do with missing values, in the same words and with the same notes.

use crate::card::ParamSpec;
use crate::context::RunContext;
use crate::error::MethodError;
use crate::note::Note;
use crate::params::{Params, choices};

choices! {
    /// What to do with missing values.
    pub enum Missing {
        Refuse = "refuse": "stop with an error that names the variable",
        Skip = "skip": "leave those cells out and say how many",
    }
}

/// What to do with missing values: shared by the methods on continuous variables.
pub const MISSING: ParamSpec =
    ParamSpec::choice::<Missing>("missing", "what to do with missing values").or_word("refuse");

impl Missing {
    /// What was asked for by [`MISSING`].
    pub fn asked(params: &Params) -> Self {
        params.choice_of(MISSING.name)
    }
}

/// Refuses missing values or notes them.
pub fn check_missing(
    variable: &str,
    n_cells: usize,
    missing: Missing,
    context: &RunContext<'_>,
) -> Result<(), MethodError> {
    if n_cells == 0 {
        return Ok(());
    }
    match missing {
        Missing::Refuse => Err(MethodError::missing_refused(variable, n_cells)),
        Missing::Skip => {
            context.note(skipped(variable, n_cells));
            Ok(())
        }
    }
}

/// Missing cells were left out.
pub(crate) fn skipped(variable: &str, n_cells: usize) -> Note {
    Note::new(
        "missing-skipped",
        format!("{variable}: {n_cells} missing values were left out"),
    )
    .with("variable", variable)
    .with("n_cells", n_cells)
}
