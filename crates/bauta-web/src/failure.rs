//! Errors of the library in the words of a page.

use bauta_data::DataError;
use bauta_plan::run::RunError;
use bauta_plan::work::WorkError;

/// What is wrong and what to do, in one text.
pub(crate) fn in_words(error: &WorkError) -> String {
    match error {
        WorkError::Mistake(mistake) => with_hint(&mistake.message, &mistake.hint),
        WorkError::Settings { measure, problems } => {
            let first = problems.first();
            let first = first.map(|problem| with_hint(&problem.message, &problem.hint));
            format!("{measure}: {}", first.unwrap_or_default())
        }
        WorkError::Problems(problems) => {
            let first = problems.first();
            let first = first.map(|problem| with_hint(&problem.message, &problem.hint));
            first.unwrap_or_default()
        }
        WorkError::Data(error) => of_data(error),
        WorkError::Run(error) => of_run(error),
    }
}

/// The same of a run.
pub(crate) fn of_run(error: &RunError) -> String {
    match error {
        RunError::Data(error) => of_data(error),
        error => error.to_string(),
    }
}

fn of_data(error: &DataError) -> String {
    // Problems of a file: each with its line, and what to do.
    error.to_string()
}

fn with_hint(message: &str, hint: &str) -> String {
    if hint.is_empty() {
        message.to_owned()
    } else {
        format!("{message}: {hint}")
    }
}
