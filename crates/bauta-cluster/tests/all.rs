//! Clusters of real processes on this machine. One program, because linking `DataFusion` is what takes the time.

mod clean_up;
mod engine;
mod failing;
mod running;
mod safety;
mod support;
