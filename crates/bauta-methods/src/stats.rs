//! The arithmetic that methods share.

pub mod benedetti_franconi;
pub mod centroid;
pub mod corresponding;
pub mod free_ranks;
pub mod grid;
pub mod keys;
pub mod max_distance;
pub mod mdav;
pub mod mdav_plain;
pub mod moments;
pub mod nearest;
pub mod normal;
pub mod order;
mod outermost;
pub mod outliers;
pub mod partition;
pub mod points;
pub mod quantile;
pub mod shrinking_tree;
pub mod sums;
pub mod symmetric;
pub mod univariate_groups;
