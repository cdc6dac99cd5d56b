//! The arithmetic that methods share.

pub mod benedetti_franconi;
pub mod both_files;
pub mod cell_means;
pub mod coloured;
pub mod corresponding;
pub mod free_ranks;
pub mod grid;
pub mod keys;
pub mod moments;
pub mod nearest;
pub mod normal;
pub mod order;
pub mod outliers;
pub mod pair_statistics;
pub mod points;
pub mod quantile;
pub mod sums;
pub mod symmetric;
