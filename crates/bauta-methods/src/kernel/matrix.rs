//! Small matrices, with the same bits on every machine.

pub(crate) mod least_squares;
pub(crate) mod procrustes;
pub mod symmetric;
pub(crate) mod tridiagonal;
