//! Calibration of weights (Deville and Särndal 1992): weights near where they started that reach
//! given totals.

pub mod bounds;
pub(crate) mod coding;
pub mod design;
pub mod distance;
pub(crate) mod evidence;
pub mod exhibits;
pub mod found;
pub(crate) mod limits;
pub(crate) mod margins;
mod notes;
mod problem;
pub(crate) mod procedure;
pub mod rank;
pub mod ridge;
pub mod rounding;
pub(crate) mod settings;
pub mod solve;
pub mod told;
pub(crate) mod totals;
pub(crate) mod trouble;
pub(crate) mod units;
pub(crate) mod withheld;
