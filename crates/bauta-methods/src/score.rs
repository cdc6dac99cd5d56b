//! Scores: loss weighed against risk.

pub mod a_score;
pub mod d_score;
pub mod s_score;
// A method's file has the name of its id, here too.
#[expect(clippy::module_inception)]
pub mod score;
