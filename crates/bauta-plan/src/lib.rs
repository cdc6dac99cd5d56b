//! Plans: the one protocol of a release, from text to run record.

pub mod record;

pub use record::RunRecord;
