//! Plans: the one protocol of a release, from its text to the run record.
//!
//! A plan is a [`Draft`](draft::Draft), built by code or read from TOML ([`toml`]); [`check`] makes a
//! [`Plan`] of it against a schema of the data; [`execute::execute`] carries it out on a table in
//! memory; [`publish::publish`] writes what came of it. [`check_text`] and [`run::run`] are the same
//! from file to file, [`verify::verify`] does a run again and compares, [`sweep`] runs many plans on the same
//! data and compares them, [`tune`] searches among them for the one that loses least, [`work`] has what can be done
//! without a plan. Everything runs on the threads of the caller. Nothing else knows TOML.

mod aside;
pub mod check;
mod claims;
mod clock;
pub mod draft;
mod error;
pub mod estimate;
pub mod execute;
pub mod foreseen;
pub mod gate;
mod judge;
pub mod judged;
pub mod measure;
pub mod output;
pub mod plan;
mod prepare;
pub mod problem;
pub mod publish;
pub mod record;
mod recount;
pub mod run;
mod seed_in_texts;
pub mod sign;
pub mod size;
mod stages;
mod suppressed_text;
pub mod sweep;
pub mod toml;
pub mod tune;
pub mod verify;
pub mod within;
pub mod work;

use std::cell::RefCell;
use std::path::Path;

use check::{Source, Surroundings};
use toml::Needs;

pub use check::{Folder, real_place};
pub use clock::now_utc;
pub use judged::Judged;
pub use plan::Plan;
pub use problem::{Problem, ProblemKind};
pub use record::RunRecord;

/// The grammar of plans, for people.
pub const GRAMMAR: &str = include_str!("plan.md");

/// Reads and checks a plan's text. `file` is its name in messages and records; paths in the plan
/// are relative to `folder`. All problems are returned at once, in the order of the text.
pub fn check_text(text: &str, file: &str, folder: &Path) -> Result<Plan, Vec<Problem>> {
    check_text_in(text, file, &Folder(folder))
}

/// The same with whatever the plan names looked up by somebody else.
pub fn check_text_in(
    text: &str,
    file: &str,
    surroundings: &dyn Surroundings,
) -> Result<Plan, Vec<Problem>> {
    let problems = RefCell::default();
    let draft = toml::read_as(Needs::Files, text, &problems);
    let is_unread = |problem: &Problem| {
        matches!(
            problem.kind,
            ProblemKind::NotAPlan | ProblemKind::Syntax | ProblemKind::Sweep
        )
    };
    if problems.borrow().iter().any(is_unread) {
        return check::finished(None, problems);
    }
    let plan = check::plan_of(&draft, &Source { text, file }, surroundings, &problems);
    check::finished(plan, problems)
}
