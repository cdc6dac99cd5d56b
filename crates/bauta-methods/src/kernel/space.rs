//! Records as points: trees, nearest neighbours, partitions and their centroids.

pub mod centroid;
mod foresight;
pub mod gapped_points;
pub mod gapped_tree;
pub mod nearest;
pub(crate) mod outermost;
pub mod partition;
pub mod points;
pub mod shrinking_tree;
pub(crate) mod ungrouped;
pub mod yardstick;
