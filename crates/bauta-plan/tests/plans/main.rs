//! Plans from text to record.

mod advice;
mod advising;
mod checking;
mod claims;
mod drafts;
mod exact_numbers;
mod key_sets;
mod memory;
mod pictures;
mod records;
mod running;
mod schema;
mod seen_again;
mod support;
mod sweeping;
mod switched_off;
mod tuning;
mod unchanged;
mod verification;
