//! Plans from text to record.

mod checking;
mod claims;
mod drafts;
mod memory;
mod records;
mod running;
mod schema;
mod support;
mod unchanged;
