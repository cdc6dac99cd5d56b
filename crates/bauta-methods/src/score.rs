//! Scores: loss weighed against risk.

// A method's file has the name of its id, here too.
#[expect(clippy::module_inception)]
pub mod score;
