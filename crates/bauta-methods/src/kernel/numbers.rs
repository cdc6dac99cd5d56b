//! Lists of numbers: sums that do not depend on threads or order, moments, ranks, quantiles.

pub mod complete;
pub mod exact_sum;
pub mod grid;
pub mod moments;
pub mod normal;
pub mod quantile;
pub mod quotient;
pub mod ranks;
pub mod streamed;
pub mod sums;
pub mod two_doubles;
