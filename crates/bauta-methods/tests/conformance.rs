//! What every registered method must keep to. A new method gets these tests for free.

mod cards;
mod changers;
mod degenerate;
mod measures;
mod zoo;
