//! Advice for the undecided: three answers lead to a plan with scenarios, steps and gates, each with its reason.
//!
//! The rules are those of [`init`](super::init); answers set their bounds and choose among their steps. The page
//! `docs/concepts/advice.md` shows how.

mod bar;
mod drafted;
mod look;
mod questions;
mod table;

use std::path::Path;

use bauta_data::Watch;
use serde::Serialize;

use super::init::{Opening, Place, Proposed, commented, file_name, write_plan};
use super::inspect::{Inspected, inspect};
use super::{Reading, WorkError};
use crate::output::{Guard, Replace};
use drafted::drafted;

pub use questions::{Answers, Intruder, Need, QUESTIONS, Question, QuestionOption, Recipient};
pub use table::{bounds_table, needs_table, questions_text};

/// A plan that follows from answers, and why.
#[derive(Clone, PartialEq, Debug)]
pub struct Advised {
    /// The plan.
    pub proposed: Proposed,
    /// The reason of each of its scenarios, steps, gates and open questions, in the order of the plan.
    pub because: Vec<Because>,
}

/// Why something stands in a plan.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Because {
    /// What it is: `gate k-anonymity at least 5`.
    pub what: String,
    /// Why it stands there. Names and counts, and no value of the data.
    pub why: String,
    /// The page that says more, in the repository.
    pub page: &'static str,
}

/// The plan that follows from the answers for a file that was looked at; `plan_file` is where it is to lie.
pub fn advise(
    file: &Path,
    plan_file: &Path,
    seed: Option<u64>,
    reading: &Reading,
    inspected: Inspected,
    answers: &Answers,
) -> Advised {
    let Inspected { loaded, profile } = inspected;
    let place = Place {
        file,
        plan_file,
        seed,
        reading,
    };
    let drafted = drafted(&profile, &loaded.table, answers);
    let because = drafted.because();
    let body = drafted.sections(&profile);
    let draft = place.complete(drafted.draft, &loaded, &profile);
    let opening = Opening {
        by: "bauta init --advise",
        remarks: answered(answers),
    };
    let proposed = Proposed {
        text: commented(&draft, &file_name(file), &profile, &opening, body),
        draft,
        profile,
    };
    Advised { proposed, because }
}

/// Looks at a file and writes the plan that follows from the answers.
pub fn init_advised(
    file: &Path,
    plan_file: &Path,
    seed: Option<u64>,
    replace: Replace,
    reading: &Reading,
    answers: &Answers,
    watch: &dyn Watch,
) -> Result<Advised, WorkError> {
    let guard = Guard::new([file], replace);
    guard.check(&[plan_file])?;
    let inspected = inspect(file, reading, watch)?;
    let advised = advise(file, plan_file, seed, reading, inspected, answers);
    write_plan(plan_file, &advised.proposed, &guard)?;
    Ok(advised)
}

/// The answers as the first lines of a plan.
fn answered(answers: &Answers) -> String {
    let mut out = String::from("# It follows from these answers:\n");
    for (question, options) in answers.chosen() {
        let labels: Vec<&str> = options.iter().map(|option| option.label).collect();
        out.push_str(&format!("#   {} {}.\n", question.text, labels.join("; ")));
    }
    out
}
