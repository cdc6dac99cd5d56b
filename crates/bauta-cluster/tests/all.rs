//! Clusters of real processes on this machine.
