//! Plans as TOML: one reader, one writer, and edits that keep the comments of a text. Nothing else
//! knows TOML.

mod edit;
mod fields;
mod hierarchy;
mod read;
pub mod write;

pub(crate) use fields::Problems;
pub(crate) use read::{Needs, in_order, read_as};

pub use edit::edit;
pub use read::read;
pub use write::write;
