//! Plans from text to record.

mod checking;
mod claims;
mod records;
mod running;
mod schema;
mod support;
