//! Counts and sorts files larger than memory, on DataFusion.
//!
//! A [`Session`] has a memory limit and a folder for what does not fit. Its input are [`Parts`]: Parquet files that
//! together hold the records of a file, each with its place in file order (`row`) and the codes of its keys. It
//! counts classes of equal keys ([`Session::count`], [`Session::sizes`], [`Session::each_class`]) and sorts
//! ([`Session::sorted`]); what is to be kept is written by a [`PartsWriter`].
//!
//! The same answer comes out of any number of partitions, any memory limit and any cluster: counts and sums are whole
//! numbers, classes are ordered by their first record, and records that tie are ordered by their place in the file.
//!
//! The calls wait until the work is done; what is asynchronous stays inside. No error carries a cell value:
//! DataFusion's own messages may, and are not passed on.

mod count;
mod counter;
mod error;
mod parts;
mod pool;
mod session;
mod sort;

pub use count::{Below, ClassBatch, Classes, Order, Sizes};
pub use counter::Counter;
pub use error::{EngineError, TooManyClasses};
pub use parts::{Compression, Layout, Parts, PartsWriter, ROW};
pub use session::{Limits, Session};
pub use sort::Direction;

/// The library underneath, for those who make a session's context themselves.
pub use datafusion;
