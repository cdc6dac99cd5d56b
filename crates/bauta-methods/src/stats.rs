//! The arithmetic that methods share.

pub mod benedetti_franconi;
pub mod cell_means;
pub mod corresponding;
pub mod free_ranks;
pub mod grid;
pub mod interval_widths;
pub mod keys;
pub mod moments;
pub mod nearest;
pub mod normal;
pub mod order;
pub mod outliers;
pub mod pair_statistics;
pub mod points;
pub mod quantile;
pub mod ranks;
pub mod sums;
pub mod symmetric;
