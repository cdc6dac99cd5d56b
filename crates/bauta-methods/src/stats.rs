//! The arithmetic that methods share.

pub mod benedetti_franconi;
pub mod corresponding;
pub mod free_ranks;
pub mod grid;
pub mod keys;
pub mod moments;
pub mod nearest;
pub mod normal;
pub mod outliers;
pub mod points;
pub mod quantile;
pub mod sums;
pub mod symmetric;
