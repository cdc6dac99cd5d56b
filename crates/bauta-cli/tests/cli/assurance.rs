//! Ways in which a careless user could be told that something is safe, or shown what must stay inside.
//! The next such finding goes here, too.

mod calibrated;
mod data_as_plan;
mod shuffled;
