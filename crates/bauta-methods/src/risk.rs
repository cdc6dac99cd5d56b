//! Risks: what an intruder could learn from the file.

pub mod dld;
pub mod individual_risk;
pub mod interval_rank;
pub mod interval_sd;
pub mod k_anonymity;
pub mod key_contribution;
