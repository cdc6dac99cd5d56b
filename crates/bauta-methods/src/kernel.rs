//! Arithmetic that knows neither files nor methods: numbers, matrices, points in space and links between records.
//!
//! Nothing here sees a table, a parameter, a run's context or a note; `cargo xtask tidy` holds it to
//! that. An engine that reads data in its own way can build on it as it is.

pub mod assignment;
pub mod matrix;
pub mod numbers;
pub mod parallel;
pub mod space;
