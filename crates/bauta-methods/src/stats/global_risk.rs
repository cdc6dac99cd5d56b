//! What the global disclosure risk is made of: how far each key was changed, how records fall into
//! clusters before and after masking, and the search for the keys that serve an intruder best.

pub(crate) mod clusters;
pub(crate) mod factors;
pub(crate) mod inversions;
pub(crate) mod search;
pub(crate) mod size_weights;
pub(crate) mod weak_change;
