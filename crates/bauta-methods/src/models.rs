//! Models that several methods fit or draw from.

pub mod coloured;
pub(crate) mod design_matrix;
pub mod interval_overlap;
pub(crate) mod regression;
