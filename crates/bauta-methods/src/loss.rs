//! Losses: what an analyst could no longer find in the file.

pub mod il1s;
pub mod univariate_summary;
