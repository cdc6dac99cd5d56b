//! Plans from text to record.

mod checking;
mod claims;
mod drafts;
mod exact_numbers;
mod memory;
mod records;
mod running;
mod schema;
mod support;
mod unchanged;
mod verification;
