//! Lists of numbers: sums that do not depend on threads, moments, ranks, quantiles.

pub mod complete;
pub mod grid;
pub mod moments;
pub mod normal;
pub mod quantile;
pub mod quotient;
pub mod ranks;
pub mod sums;
pub mod two_doubles;
