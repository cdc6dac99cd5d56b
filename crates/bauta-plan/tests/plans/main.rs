//! Plans from text to record.

mod checking;
mod claims;
mod drafts;
mod exact_numbers;
mod key_sets;
mod memory;
mod records;
mod running;
mod schema;
mod support;
mod unchanged;
mod verification;
