//! Plans: the one protocol of a release, from its text to the run record.
//!
//! [`check_text`] reads and checks a plan, [`run::run`] carries it out, [`verify::verify`] does it again
//! and compares. Nothing else knows TOML.

mod check;
mod check_gates;
mod check_measures;
mod check_output;
mod check_steps;
mod clock;
mod draft;
mod fields;
pub mod gate;
mod measuring;
pub mod output;
mod parse;
pub mod plan;
pub mod problem;
pub mod record;
mod recount;
pub mod run;
pub mod verify;

use std::cell::RefCell;
use std::path::Path;

pub use check_output::real_place;
pub use plan::Plan;
pub use problem::{Problem, ProblemKind};
pub use record::RunRecord;

/// The grammar of plans, for people.
pub const GRAMMAR: &str = include_str!("plan.md");

/// Reads and checks a plan's text. `file` is its name in messages and records; paths in the plan
/// are relative to `folder`. All problems are returned at once, in the order of the text.
pub fn check_text(text: &str, file: &str, folder: &Path) -> Result<Plan, Vec<Problem>> {
    let problems = RefCell::new(Vec::new());
    let draft = parse::parse(text, &problems);
    let plan = check::check(draft, text, file, folder, &problems);
    let mut problems = problems.into_inner();
    problems.sort_by_key(|problem| problem.span.as_ref().map(|span| span.start));
    match plan {
        Some(plan) if problems.is_empty() => Ok(plan),
        _ => Err(problems),
    }
}
