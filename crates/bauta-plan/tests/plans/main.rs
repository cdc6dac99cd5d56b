//! Plans from text to record.

mod checking;
mod claims;
mod drafts;
mod memory;
mod running;
mod schema;
mod support;
