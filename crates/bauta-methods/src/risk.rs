//! Risks: what an intruder could learn from the file.

pub mod dld;
pub mod global_risk;
pub mod individual_risk;
pub mod interval_rank;
pub mod interval_sd;
pub mod k_anonymity;
pub mod key_contribution;
pub mod l_diversity;
pub mod pld;
pub mod poisson_risk;
pub mod reversal;
pub mod t_closeness;
