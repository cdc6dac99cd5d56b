//! Plans as TOML: one reader, one writer, and edits that keep the comments of a text. Nothing else
//! knows TOML.

mod edit;
mod fields;
mod hierarchy;
mod read;
mod release;
mod settle;
mod sweep;
pub mod write;

pub(crate) use fields::Problems;
pub(crate) use read::{Needs, in_order, read_as};
pub(crate) use sweep::swept;

pub(crate) use settle::settled;

pub use edit::edit;
pub use read::read;
pub use write::write;
