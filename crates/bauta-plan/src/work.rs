//! What can be done with files without a plan at hand: look at one, propose a plan, mask or calibrate
//! it, say who is at risk, compare it with another.
//!
//! Each takes plain values and someone who watches, and runs on the threads of the caller. What works
//! on one table has a form for data in memory beside the one for files. [`other_tools`] takes no file: it knows the names
//! of other tools.

pub mod advise;
pub mod calibrate;
pub mod compare;
pub mod demo;
mod error;
pub mod explain_record;
pub mod init;
pub mod inspect;
mod keys;
pub mod link;
pub mod mask;
mod one_step;
pub mod optimize;
pub mod other_tools;
pub mod pictures;
mod planned;
pub mod preview;
mod reading;
mod record;
pub mod risk;

pub use error::{Mistake, WorkError};
pub use keys::{HierarchyForm, KeyHierarchy};
pub use one_step::Done;
pub use planned::Planned;
pub use reading::Reading;
pub use record::{files_of_record, read_record, read_record_whole};
