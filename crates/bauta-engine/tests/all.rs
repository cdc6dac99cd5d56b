//! Integration tests of the engine. One program, because linking DataFusion is what takes the time.

mod counting;
mod failing;
mod sorting;
mod support;
