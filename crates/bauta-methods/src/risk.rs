//! Risks: what an intruder could learn from the file.

pub mod individual_risk;
pub mod interval_sd;
pub mod k_anonymity;
