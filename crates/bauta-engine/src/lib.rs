//! Counts and sorts files larger than memory, on DataFusion.
