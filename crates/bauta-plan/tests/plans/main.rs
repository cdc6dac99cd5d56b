//! Plans from text to record.

mod checking;
mod claims;
mod running;
mod schema;
mod support;
