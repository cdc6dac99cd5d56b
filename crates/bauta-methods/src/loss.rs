//! Losses: what an analyst could no longer find in the file.

pub mod eigenvalue_distance;
pub mod hellinger;
pub mod il1s;
pub mod kolmogorov_smirnov;
pub mod univariate_summary;
