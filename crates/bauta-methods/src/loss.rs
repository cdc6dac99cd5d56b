//! Losses: what an analyst could no longer find in the file.

pub mod category_distance;
pub mod correspondence_analysis;
pub mod eigenvalue_distance;
pub mod file_loss;
pub mod hellinger;
pub mod il;
pub mod il1;
pub mod il1_symmetric;
pub mod il1s;
pub mod il2;
pub mod il3;
pub mod il4;
pub mod il5;
pub mod kappa;
pub mod kolmogorov_smirnov;
pub mod linear_regression;
pub mod logistic_regression;
pub mod moments;
pub mod rates;
pub mod recoding_loss;
pub mod s0;
pub mod s1;
pub mod s2;
pub mod suppressed_cells;
pub mod univariate_summary;
pub mod weighted_estimates;
