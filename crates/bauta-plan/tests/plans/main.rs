//! Plans from text to record.

mod checking;
mod running;
mod schema;
mod support;
